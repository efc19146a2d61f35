"""A snippet as a lazy edit: which of its lines show code, which are markers or removal notes.

Reading one needs the file: a line that the file has is code, also where it looks like a marker.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Literal

from fastapply.edits.markers import (
    comment_body,
    continues_comment,
    find_markers,
    is_marker,
    note_over_lines,
    removed_names,
)
from fastapply.merge.lines import closes, columns, is_closer, line_table, turns
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fastapply.merge.lines import LineTable

# what opens a block that is no definition: three dots in it stand for what the file has there
_BRANCH = re.compile(r"\s*(?:if|elif|else|for|while|try|except|finally|with|match|case)\b")
NAMES = re.compile(r"(?<![\w$.])[A-Za-z_$][\w$]{2,}")
"""Names of three letters or more, those behind a dot left aside."""
ElementKind = Literal["text", "blank", "marker", "note", "end"]


@dataclass(frozen=True, slots=True)
class LazyEdit:
    """A snippet as the aligner sees it: one entry of `kinds` a line, virtual block ends included."""

    table: LineTable
    kinds: tuple[ElementKind, ...]
    parents: tuple[int, ...]
    depths: tuple[float, ...]
    origin: tuple[int, ...]  # line of the snippet, 0-based
    openers: dict[int, int]
    closers: dict[int, int]  # the other way round
    block_ends: dict[int, int]
    removed: dict[int, tuple[str, ...]]  # names that the note on a line gives
    remarks: frozenset[int]  # comments with words in them

    @property
    def has_markers(self) -> bool:
        """Whether anything at all is elided on purpose."""
        return "marker" in self.kinds


class MergeContext:
    """An edit and the file it is for, with what both sides of a merge keep asking about them."""

    __slots__ = ("_names", "_runs", "count", "edit", "file", "shown", "table")

    def __init__(self, edit: LazyEdit, file: LineTable) -> None:
        self.edit = edit
        self.table = edit.table
        self.file = file
        self.count = Counter(file.keys)
        self.shown = frozenset(
            edit.table.keys[i] for i, kind in enumerate(edit.kinds) if kind == "text" and edit.table.keys[i]
        )
        self._names: Counter[str] | None = None
        self._runs: list[range] = []
        start = 0
        for i in range(len(edit.kinds) + 1):
            if i == len(edit.kinds) or edit.kinds[i] == "marker":
                self._runs += [range(start, i)] * (i - start)
                if i < len(edit.kinds):
                    self._runs.append(range(i, i + 1))
                start = i + 1

    @property
    def names(self) -> Counter[str]:
        """How often each name of three letters or more stands in the file."""
        if self._names is None:
            self._names = Counter(name for line in self.file.lines for name in NAMES.findall(line))
        return self._names

    def run(self, i: int) -> range:
        """Edit lines around line `i` up to the markers on both sides."""
        return self._runs[i]


_DOC = ("* ", "///", "/**", "//!")
"""How lines of comments begin that document code."""


def read_lazy(
    lines: Sequence[str],
    file: LineTable,
    language: str | None = None,
    *,
    in_strings: bool = False,
    notes: bool = True,
    loose: bool = False,
) -> LazyEdit:
    """Tell a snippet's code from its markers and notes, and put in the ends of elided blocks.

    With `in_strings`, a line inside a string of several lines may be a marker too; without `notes`, comments
    that say what was removed are comments like any other; with `loose`, a new comment that may be either is.
    """
    in_file = {key: number for number, key in enumerate(file.keys) if number not in file.in_string}
    names = "\n".join(file.lines)
    marked = {
        number
        for number in find_markers(lines, language, in_strings=in_strings)
        if "".join(lines[number].split()) not in in_file or _is_generic(lines[number])
    }
    if "..." in in_file:
        marked = {number for number in marked if not _is_ellipsis_body(lines, number)}
    if loose:
        marked |= {
            n for n, line in enumerate(lines) if may_stand_for_more(line) and not _known(line, in_file)
        }
        marked |= lone_comments(lines, file, language)
    table = line_table(lines, language, frozenset(marked))
    kinds: list[ElementKind] = []
    removed: dict[int, tuple[str, ...]] = {}
    over = _notes_over_lines(lines, table, in_file) if notes else {}
    for number, line in enumerate(lines):
        if number in over:
            kinds.append("note")
            removed[number] = over[number]
            continue
        if number in marked:
            kinds.append("marker")
            continue
        starred = line.lstrip().startswith(_DOC)  # a doc comment may say what is dropped
        told = notes and table.keys[number] not in in_file and not starred
        gone = removed_names(line) if told and not continues_comment(lines, number) else None
        if loose and gone is None and told and tells_of_removal(line):
            gone = ()
        if (
            gone is not None
            and number not in table.in_string
            and (
                not gone
                or any(name in names for name in gone)
                or all(map(is_code_name, gone))
                or len(line.split()) <= 4
            )
        ):
            kinds.append("note")
            removed[number] = gone
        else:
            kinds.append("text" if table.keys[number] else "blank")
    return _with_block_ends(table, kinds, removed, marked, language)


def _notes_over_lines(
    lines: Sequence[str], table: LineTable, in_file: Collection[str]
) -> dict[int, tuple[str, ...]]:
    """Lines of removal notes that go over several lines; the names of each stand on its first one.

    As for notes of one line: none of them is a line of the file, of a string, or of a doc comment.
    """
    found: dict[int, tuple[str, ...]] = {}
    for number, line in enumerate(lines):
        if number in found or number in table.in_string or line.lstrip().startswith(_DOC):
            continue
        note = note_over_lines(lines, number)
        if note is not None and not any(key in in_file for key in table.keys[number : note[0]]):
            found |= dict.fromkeys(range(number, note[0]), ()) | {number: note[1]}
    return found


_STANDS = re.compile(
    r"\.{3,}\s*[)\]]?$|^\.{3,}|…|\b(?:stays?|remains?|kept|keeps?|unchanged|omitted|as[\s-]is|etc|same|rest|others?|"
    r"previous|existing|remaining|elided|here|above|below|continues?|goes on|in between)\b",
    re.IGNORECASE,
)
_TELLS_OF_REMOVAL = re.compile(
    r"(?<!\bbe )\b(?:removed|deleted|dropped|gone|no longer|not needed|moved|replaced)\b", re.IGNORECASE
)
_MOST_WORDS = 14


def may_stand_for_more(line: str) -> bool:
    """Whether a comment has a word or dots of which markers are made, or is all in brackets."""
    body = comment_body(line)
    if body is None or len(body.split()) > _MOST_WORDS:
        return False
    return _STANDS.search(body) is not None or (body[:1] == "(" and body[-1:] == ")")


def tells_of_removal(line: str) -> bool:
    """Whether a comment speaks of removal, in whatever words."""
    body = comment_body(line)
    return (
        body is not None and len(body.split()) <= _MOST_WORDS and _TELLS_OF_REMOVAL.search(body) is not None
    )


# what a comment begins with in no language but those that have it, and is nothing else there
_REMARK = re.compile(r"\s*(?://|/\*|<!--|<%|\{[/{#-]|@\*|\(\*|--\s|;;|#\s)")


def is_remark(line: str, language: str | None) -> bool:
    """Whether a line is a comment with words in it: no heading of Markdown, doc comment or attribute."""
    if not _REMARK.match(line) or not comment_body(line) or line.lstrip().startswith(_DOC):
        return False
    return language not in {"markdown", "rst"} or not line.lstrip().startswith("#")


def lone_comments(lines: Sequence[str], file: LineTable, language: str | None) -> set[int]:
    """New comments that no new code goes with: they may say where the shown lines are, and be none of them.

    Such a comment has a marker or an end of the edit on one side and a line of the file on the other; blank
    lines do not count. Headings of Markdown, ``#include`` and attributes are no comments.
    """
    maybe = {n for n, line in enumerate(lines) if is_remark(line, language)}
    if not maybe:
        return set()
    in_file = set(file.keys)
    solid = [n for n, line in enumerate(lines) if line.strip()]
    found: set[int] = set()
    group: list[int] = []
    sides = ["edge"]
    for n in [*solid, len(lines)]:
        line = lines[n] if n < len(lines) else ""
        known = bool(line) and _known(line, in_file)
        if n in maybe and not known and not is_marker(line):
            group.append(n)
            continue
        side = "edge" if not line or (is_marker(line) and not known) else "file" if known else "new"
        if group and {sides[-1], side} == {"edge", "file"}:
            found.update(group)
        group = []
        sides.append(side)
    return found


def _known(line: str, in_file: Collection[str]) -> bool:
    return "".join(line.split()) in in_file


def is_code_name(name: str) -> bool:
    """Whether a name is one that code has and prose has not: ``old_name``, ``oldName``, ``Old.name``."""
    return bool(re.search(r"[_.\d$:#]|[a-z][A-Z]", name))


def _is_ellipsis_body(lines: Sequence[str], number: int) -> bool:
    """Whether a bare `...` is the whole body of a Python definition, a docstring above it left aside."""
    if lines[number].strip() != "...":
        return False
    depth = columns(lines[number])
    after = next((line for line in lines[number + 1 :] if line.strip()), "")
    if after and columns(after) >= depth:
        return False
    above = [line for line in lines[:number] if line.strip()]
    while above and columns(above[-1]) >= depth and above[-1].strip().endswith(('"""', "'''")):
        above.pop()
    if not above or columns(above[-1]) >= depth or _BRANCH.match(above[-1]):
        return False
    return above[-1].rstrip().endswith(":")


def _is_generic(line: str) -> bool:
    return "existing code" in line or not any(character.isalpha() for character in line)


def _with_block_ends(
    table: LineTable,
    kinds: list[ElementKind],
    removed: dict[int, tuple[str, ...]],
    marked: set[int],
    language: str | None,
) -> LazyEdit:
    """Add a virtual line where a block with a marker in it ends without a closing line."""
    openers: dict[int, int] = {}
    ends_at: dict[int, list[int]] = {}
    size = len(kinds)
    for number, kind in enumerate(kinds):
        if kind == "text" and (is_closer(table.keys[number]) or turns(table.keys[number])):
            opener = _opener(table, kinds, number)
            if opener is not None:
                openers[number] = opener
    closed = set(openers.values())
    for number, kind in enumerate(kinds):
        if kind != "text" or table.ends[number] == number + 1 or number in closed:
            continue
        inner = range(number + 1, table.ends[number])
        marks = [x for x in inner if kinds[x] == "marker" and table.parents[x] == number]
        if marks and any(kinds[x] == "text" for x in range(marks[-1] + 1, table.ends[number])):
            ends_at.setdefault(table.ends[number], []).append(number)
    place: dict[int, int] = {}
    origin: list[int] = []
    new_kinds: list[ElementKind] = []
    virtual: list[tuple[int, int]] = []
    for number in range(size + 1):
        for opener in sorted(ends_at.get(number, ()), reverse=True):
            virtual.append((len(origin), opener))
            origin.append(min(number, size - 1))
            new_kinds.append("end")
        if number < size:
            place[number] = len(origin)
            origin.append(number)
            new_kinds.append(kinds[number])
    if virtual:
        lines = ["" if kind == "end" else table.lines[origin[n]] for n, kind in enumerate(new_kinds)]
        table = line_table(lines, language, frozenset(place[number] for number in marked))
    parents, depths = list(table.parents), list(table.depths)
    block_ends: dict[int, int] = {}
    for at, opener in virtual:
        parents[at], depths[at] = place[opener], depths[place[opener]] + 0.5
        block_ends[at] = place[opener]
    pairs = {place[closer]: place[opener] for closer, opener in openers.items()}
    for closer, opener in pairs.items():
        for x in range(opener + 1, closer):
            # a marker between a block's lines is inside it, however little it is indented
            if new_kinds[x] == "marker" and depths[x] <= depths[opener]:
                parents[x], depths[x] = opener, depths[opener] + 0.5
    return LazyEdit(
        table,
        tuple(new_kinds),
        tuple(parents),
        tuple(depths),
        tuple(origin),
        pairs,
        {opener: closer for closer, opener in pairs.items()},
        block_ends,
        {place[number]: gone for number, gone in removed.items()},
        frozenset(n for n, line in enumerate(table.lines) if is_remark(line, language)),
    )


def _opener(table: LineTable, kinds: Sequence[ElementKind], closer: int) -> int | None:
    """Line that opens the block which a closing line closes: the line before it at the same depth."""
    between = False
    for number in range(closer - 1, -1, -1):
        if kinds[number] == "blank":
            continue
        if kinds[number] == "marker":
            between = True
            continue
        if table.depths[number] > table.depths[closer]:
            between = True
            continue
        if table.depths[number] == table.depths[closer] and between and kinds[number] == "text":
            return number if closes(table.keys[closer], table.keys[number]) else None
        return None
    return None
