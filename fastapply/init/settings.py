"""The `fastapply.toml` of a new user: every setting that a project may have, explained and commented out."""

from __future__ import annotations

from fastapply.config.keys import KEYS

_HEAD = """\
# Settings of fastapply for this repository. What is not set here is each user's own choice, and
# `fastapply config` shows which value is in force and where it comes from. A repository's file
# cannot choose a model, send code anywhere, weaken the check, or turn off undo.
"""
_EXPLAINED = {
    "backup": "Keep the old text of a changed file beside it, as FILE~.",
    "require_clean": "Refuse to change a file with changes that are not committed.",
    "stage": "git add what was changed.",
    "quiet": "Print nothing on success.",
    "min_certainty": "Refuse a lazy merge that is less likely to be right; it can only be raised here.",
}
_EXAMPLES = {"min_certainty": 0.95}  # of keys without a default


def settings_text() -> str:
    """Give the text of the file."""
    rows = [_HEAD]
    for key in KEYS.values():
        if key.project != "no":
            explained = f"# {_EXPLAINED[key.name]}\n" if key.name in _EXPLAINED else ""
            rows.append(f"{explained}# {key.name} = {_shown(_EXAMPLES.get(key.name, key.default))}\n")
    return "\n".join(rows)


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)
