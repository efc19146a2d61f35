"""How lines for people look on a terminal: broken between words, with what counts in colour.

Only the look: the words stay those that a log or a program would get. Which words count is read off the
lines themselves, so that whoever writes a message need not know about colours:

    cart.ts: refused: 'return;' fits at 2 places [ambiguous]    the name, the outcome, the code
      1: lines 17-18 in add(line: Line): void {                 the number
    hint: add context lines                                  the label
"""

from __future__ import annotations

import re

from fastapply.terminal.colours import painted

_OUTCOMES = {
    "bad": "refused|broken",
    "good": "applied|created|deleted|undone|restored|removed|written|moved to",
    "open": "unchanged|would [a-z]+(?: [a-z]+)?|nothing to do",
}
_OUTCOME = re.compile(
    r"(?P<name>\S.*?)(?=: ): (?:"
    + "|".join(f"(?P<{style}>(?:{words})\\b)" for style, words in _OUTCOMES.items())
    + ")"
)
_LABELS = re.compile(
    r"(?P<hint>hint: )|(?P<open>warning: )|(?P<bad>also: |refused: |Error: |fastapply: )|\s+(?P<name>\d+: )"
)
_CODE = re.compile(r" (?P<code>\[[a-z_]+(?:, line \d+)?\])$")
_COUNTS = re.compile(r"\((?P<added>\+\d+) (?P<removed>-\d+)\)$")


def lay_out(text: str, width: int | None, *, colour: bool) -> str:
    """Break lines that are longer than `width` (None: none is) between words, and colour what counts."""
    rows = []
    for line in text.split("\n"):
        styles = _styles(line) if colour else {}
        hang = " " * _hang(line)
        for number, (start, end) in enumerate(_rows(line, width, len(hang))):
            rows.append((hang if number else "") + _paint(line, start, end, styles))
    return "\n".join(rows)


def wrap(line: str, width: int | None, hang: int) -> str:
    """Break one line between words; its further rows begin `hang` columns in."""
    rows = [line[start:end] for start, end in _rows(line, width, hang)]
    return f"\n{'':{hang}}".join(rows)


def _rows(line: str, width: int | None, hang: int) -> list[tuple[int, int]]:
    """Where each row of a line begins and ends; a word that is too long for a row has one of its own."""
    rows = []
    start, room = 0, width or len(line)
    while len(line) - start > room:
        cut = line.rfind(" ", start + 1, start + room + 1)
        if cut < 0 or not line[start:cut].strip():
            cut = line.find(" ", start + room)
        if cut < 0:
            break
        rows.append((start, cut))
        start, room = cut + 1, max((width or 0) - hang, 1)
    return [*rows, (start, len(line))]


def _hang(line: str) -> int:
    """Columns that a line's further rows are moved in: behind its label."""
    label = _LABELS.match(line)
    if label is not None and not label["bad"]:
        return label.end()
    return len(line) - len(line.lstrip()) + 2


def _styles(line: str) -> dict[tuple[int, int], str]:
    """The styles of a line's parts, by where those begin and end."""
    found: dict[tuple[int, int], str] = {}
    for match in (_LABELS.match(line) or _OUTCOME.match(line), _CODE.search(line), _COUNTS.search(line)):
        if match is not None:
            found.update({match.span(style): style for style, part in match.groupdict().items() if part})
    return found


def _paint(line: str, start: int, end: int, styles: dict[tuple[int, int], str]) -> str:
    shown, at = [], start
    for (first, last), style in sorted(styles.items()):
        first, last = max(first, at), min(last, end)  # noqa: PLW2901 - what of it is in this row
        if first < last:
            shown += [line[at:first], painted(line[first:last], style)]
            at = last
    return "".join([*shown, line[at:end]])
