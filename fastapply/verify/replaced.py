"""Text replaced within lines: there the merged text can be told to the letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.types import Finding, HunkList

if TYPE_CHECKING:
    from fastapply.text import SourceText
    from fastapply.types import FileEdit


def replace_text(original: SourceText, edit: FileEdit) -> tuple[str, ...] | None:
    """The lines that replacing each old text by its new one gives, if every old text is unique.

    None where the edit is of another kind, or where an old text is not found or not alone.
    """
    text = "\n".join(original.lines) + "\n" * original.final_newline
    for part in edit.parts:
        if not isinstance(part, HunkList):
            return None
        for hunk in part.hunks:
            if not hunk.within_line or len(hunk.segments) != 1:
                return None
            before, after = ("\n".join(side) for side in (hunk.segments[0].before, hunk.segments[0].after))
            found = text.count(before) if before else 0
            if not found or (found > 1 and not hunk.replace_all):
                return None
            text = text.replace(before, after)
    return tuple(text.split("\n"))


def check_replaced(expected: tuple[str, ...], merged: SourceText) -> list[Finding]:
    """The first line in which a merge differs from what replacing gives; final newlines aside."""
    wanted, lines = list(expected), list(merged.lines)
    for end in (wanted, lines):
        while end and not end[-1].strip():
            end.pop()
    for index in range(max(len(wanted), len(lines))):
        want = wanted[index] if index < len(wanted) else None
        have = lines[index] if index < len(lines) else None
        if want == have:
            continue
        if have is None or (want is not None and want not in lines):
            return [Finding("missing_line", f"{want!r} should be here", index + 1, "functional_error")]
        return [Finding("foreign_line", f"{have!r} is not what replacing gives", index + 1, "hallucination")]
    return []
