"""Whether a diff that goes to another program says what it should, by a reader that is not ours: unidiff."""

from __future__ import annotations


def reads_back(diff: str, added: int, removed: int) -> bool:
    """Whether a diff is well-formed and adds and removes so many lines; "" is where nothing changes."""
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    try:
        read = PatchSet(diff)
    except UnidiffParseError:
        return False
    return (read.added, read.removed) == (added, removed)
