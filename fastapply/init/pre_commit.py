"""The hook in `.pre-commit-config.yaml`: put in as text, so that comments stay, and verified by parsing."""

from __future__ import annotations

import re
from typing import Any

from fastapply.errors import UsageError

HOOK_ID = "fastapply-markers"
_HOOK = {
    "id": HOOK_ID,
    "name": "no lazy markers left behind",
    "entry": "fastapply check-markers",
    "language": "system",
    "types": ["text"],
}
_ROWS = (
    "- repo: local",
    "  hooks:",
    f"    - id: {HOOK_ID}",
    *(f"      {key}: {_HOOK[key]}" for key in ("name", "entry", "language")),
    "      types: [text]",
)
_REPOS = re.compile(r"repos:\s*(?:#.*)?")
_EMPTY = re.compile(r"repos:\s*\[\s*\]\s*(?:#.*)?")


def with_hook(text: str) -> str:
    """Give the configuration with the hook in it, as the last one; the same text where it has one already.

    Raises `UsageError` (``pre_commit``) for a file that it cannot be put into by adding lines alone.
    """
    before = _parse(text)
    if HOOK_ID in _hook_ids(before):
        return text
    if not text.strip():
        return "\n".join(["repos:", *(f"  {row}" for row in _ROWS), ""])
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if _REPOS.fullmatch(line) or _EMPTY.fullmatch(line)]
    if len(starts) != 1:
        raise _trouble("it has no 'repos:' line")
    start = starts[0]
    lines[start] = _EMPTY.sub("repos:", lines[start])
    end = _end_of_block(lines, start)
    indents = [
        line[: len(line) - len(line.lstrip())] for line in lines[start + 1 : end] if line.lstrip()[:2] == "- "
    ]
    indent = indents[0] if indents else "  "
    after = "\n".join([*lines[:end], *(f"{indent}{row}" for row in _ROWS), *lines[end:], ""])
    wanted = {**before, "repos": [*(before.get("repos") or []), {"repo": "local", "hooks": [_HOOK]}]}
    if _parse(after) != wanted:
        raise _trouble("its list of repositories cannot be extended line by line")
    return after


def _end_of_block(lines: list[str], start: int) -> int:
    """Where the block ends that begins at a line: behind its last line that is no comment."""
    end = start + 1
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line.startswith((" ", "-")):
            break
        end = number + 1
    return end


def _parse(text: str) -> dict[str, Any]:
    import yaml

    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise _trouble(f"it is not valid YAML: {str(error).splitlines()[0]}") from None
    if found is not None and not isinstance(found, dict):
        raise _trouble("it is not a mapping")
    return found or {}


def _hook_ids(found: dict[str, Any]) -> set[str]:
    repositories = found.get("repos") or []
    if not isinstance(repositories, list) or not all(isinstance(one, dict) for one in repositories):
        raise _trouble("its 'repos' is not a list of repositories")
    hooks = [hook for one in repositories for hook in one.get("hooks") or [] if isinstance(hook, dict)]
    return {str(hook.get("id")) for hook in hooks}


def _trouble(why: str) -> UsageError:
    rows = "\n".join(_ROWS)
    return UsageError(
        f".pre-commit-config.yaml: {why}", reason="pre_commit", hint=f"add this to its repositories:\n{rows}"
    )
