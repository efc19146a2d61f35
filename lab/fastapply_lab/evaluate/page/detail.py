"""What the page shows of one case: the file in colours, and each run's merge as blocks of difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapply_lab.evaluate.page.colours import coloured_lines
from fastapply_lab.evaluate.page.diffs import diff_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.evaluate.cases import Case

_NO_NEWLINE = "\u2402"  # shown behind a last line without its end


def case_detail(case: Case, merges: Sequence[str | None]) -> dict[str, Any]:
    """The object of one case; `merges` are those of the runs, in their order.

    `file` has the lines of the file as runs of colours (see `colours`), `merges` and `expected` blocks
    ``[first, deleted, inserted, marks of the deleted, marks of the inserted]``: from line `first` of the file
    (0-based) so many go, and these come, as runs. `expected` is null where it is not known.
    """
    path = case.path
    lines = shown_lines(case.original)
    known: dict[str, list[list[Any]]] = {}

    def blocks(text: str | None) -> list[list[Any]] | None:
        if text is None:
            return None
        if text not in known:
            known[text] = _blocks(lines, text, path)
        return known[text]

    return {
        "edit": coloured_lines(_printable(case.edit.rstrip("\n")), path, "edit"),
        "file": coloured_lines("\n".join(lines), path),
        "merges": [blocks(merged) for merged in merges],
        "expected": blocks(case.expected),
    }


def shown_lines(text: str) -> list[str]:
    """A text's lines as they are shown: a missing line end at the end, and lone CRs, can be seen."""
    if not text:
        return [""]
    body = text.removesuffix("\n")
    shown = _printable(body)
    return (shown + ("" if body != text else _NO_NEWLINE)).split("\n")


def _blocks(lines: list[str], text: str, path: str) -> list[list[Any]]:
    new = shown_lines(text)
    found = diff_lines(lines, new)
    colours = coloured_lines("\n".join(new), path) if any(one.end > one.start for one in found) else []
    return [
        [one.first, one.deleted, colours[one.start : one.end], one.old_marks, one.new_marks] for one in found
    ]


def _printable(text: str) -> str:
    """A text in which carriage returns and lone surrogates can be seen."""
    text = text.replace("\r\n", "\n") if "\r" in text and text.count("\r\n") == text.count("\n") else text
    return text.replace("\r", "\u240d").encode("utf-8", "replace").decode("utf-8")
