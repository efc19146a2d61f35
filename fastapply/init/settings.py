"""The `fastapply.toml` of a new user: every setting that a project may have, explained and commented out."""

from __future__ import annotations

from fastapply.config.keys import KEYS
from fastapply.config.read import fitted_certainty

_HEAD = """\
# fastapply settings for this repository. Users can set everything else themselves.
# `fastapply config` shows the current values and where they come from. This file cannot
# select a model, send code anywhere, weaken verification or turn off undo.
"""
_EXPLAINED = {
    "backup": "Keep the old version of a changed file as FILE~.",
    "require_clean": "Refuse to change a file with uncommitted changes.",
    "stage": "Run git add on changed files.",
    "quiet": "Print nothing on success.",
    "min_certainty": "Refuse lazy edits below this certainty. Can only be raised here.",
}


def settings_text() -> str:
    """Give the text of the file."""
    rows = [_HEAD]
    for key in KEYS.values():
        if key.project != "no":
            explained = f"# {_EXPLAINED[key.name]}\n" if key.name in _EXPLAINED else ""
            value = fitted_certainty() if key.name == "min_certainty" else key.default
            rows.append(f"{explained}# {key.name} = {_shown(value)}\n")
    return "\n".join(rows)


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)
