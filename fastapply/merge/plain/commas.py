"""Commas of a list that gets new entries: an edit shows the entries, and seldom the comma of the line above.

file  "a": 1          edit  // ...          result  "a": 1,
file  }               edit  "b": 2          result  "b": 2
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.types import Splice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.lines import LineTable

_BEHIND = re.compile(r"\s+(?:#\s|//).*$")
_VALUE = re.compile(r"[\w\"'`)\]}]$")
"""How a line ends that may have a comma behind it."""
_JSON = frozenset({"json", "jsonc", "json5"})


def code_of(line: str) -> str:
    """A line without a comment behind it."""
    return _BEHIND.sub("", line).rstrip()


def ended(line: str, old: str, new: str) -> str:
    """A line whose code ends with `new` in place of `old`; what stands behind it stays."""
    code = code_of(line)
    return code[: len(code) - len(old)] + new + line[len(code) :]


def with_commas(
    splices: Sequence[Splice], file: LineTable, language: str | None, *, trailing: bool = False
) -> tuple[Splice, ...] | None:
    """Changes with the commas between new and old entries; None where none is lacking.

    With `trailing`, a new last entry keeps the comma that it is shown with, where the language allows it.
    """
    found: list[Splice] = []
    mended = False
    for one in splices:
        change = _mended(one, file, language, found[-1].end if found else 0, trailing=trailing)
        mended = mended or change is not None
        found.append(change or one)
    return tuple(found) if mended else None


def _mended(
    one: Splice, file: LineTable, language: str | None, least: int, *, trailing: bool
) -> Splice | None:
    full = [n for n, line in enumerate(one.lines) if line.strip()]
    above = next((f for f in range(one.start - 1, least - 1, -1) if file.keys[f]), -1)
    below = next((f for f in range(one.end, len(file.keys)) if file.keys[f]), -1)
    if not full or above < 0 or below < 0 or not _is_list(file, above, below, language):
        return None
    first, last = code_of(file.lines[above]), code_of(one.lines[full[-1]])
    new = list(one.lines)
    if file.keys[below][0] in "}])":  # new entries at the end
        if not _VALUE.search(first) or file.depths[above] <= file.depths[below]:
            return None
        if last.endswith(",") and (not trailing or language in _JSON):
            new[full[-1]] = ended(one.lines[full[-1]], ",", "")
        head = (ended(file.lines[above], "", ","), *file.lines[above + 1 : one.start])
        return Splice(above, one.end, (*head, *new))
    if first.endswith(",") and _VALUE.search(last) and not last.endswith(","):
        new[full[-1]] = ended(one.lines[full[-1]], "", ",")
        return Splice(one.start, one.end, tuple(new))
    return None


def _is_list(file: LineTable, above: int, below: int, language: str | None) -> bool:
    """Whether the entries around a place have commas between them."""
    if language in _JSON:
        return True
    depth, ends = file.depths[above], list[str]()
    for f in range(above - 1, max(-1, above - 40), -1):
        if file.keys[f] and file.depths[f] < depth - 0.3:
            break
        if file.keys[f] and abs(file.depths[f] - depth) <= 0.3:
            ends.append(code_of(file.lines[f])[-1:])
    listed = [end for end in ends if end not in "{[("]
    return bool(listed) and all(end == "," for end in listed) and below > above
