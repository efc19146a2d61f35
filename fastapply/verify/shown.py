"""What an edit says, reduced to lines: those that it wants, those that it takes away, its notes.

A *run* is a stretch of wanted lines with no marker in between: they stand next to each other in
the merged text. A hunk's after-side is a run as well, one for each of its segments.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.edits.markers import continues_comment, find_markers, is_marker, removed_names
from fastapply.types import HunkList, Snippet
from fastapply.values import dataclass
from fastapply.verify.compare import indent_of, key_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.types import FileEdit, Hunk


@dataclass(frozen=True, slots=True)
class WantedLine:
    """A line, not blank, that the merged text should have."""

    text: str
    key: str
    indent: int
    edit_line: int  # 1-based in the edit, or the line where its hunk begins
    after_blank: bool  # a blank line stands before it in its run
    is_note: bool = False  # says what was removed: a comment that may stay or not


@dataclass(frozen=True, slots=True)
class Run:
    """Wanted lines that stand next to each other."""

    lines: tuple[WantedLine, ...]
    marker_above: int | None  # indentation of the marker line above, None where there is none
    marker_below: int | None
    blank_below: bool = False  # a blank line stands above that marker


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an edit."""

    runs: tuple[Run, ...]
    is_snippet: bool
    in_order: bool  # the runs stand in the file in the order of the edit
    marked: bool  # a snippet that has markers
    said_whole: bool
    length: int  # lines of the snippet that are not blank and no markers
    before: Counter[str]  # keys of the before-sides of hunks
    removed: Counter[str]  # of those, what their after-sides lack
    taken: tuple[str, ...]  # the lines behind `removed` as they stand in the edit
    everywhere: bool = False  # some hunk replaces every occurrence
    within: tuple[Hunk, ...] = ()  # hunks whose sides may begin and end within a line


@dataclass(frozen=True, slots=True)
class Wanted:
    """An edit of one file."""

    parts: tuple[Part, ...]
    notes: frozenset[str]  # names that removal notes give

    @property
    def keys(self) -> Counter[str]:
        """How often the edit shows each line."""
        return Counter(line.key for part in self.parts for run in part.runs for line in run.lines)

    @property
    def texts(self) -> frozenset[str]:
        """Keys of lines in the after-sides of hunks that may begin and end within a line."""
        hunks = [hunk for part in self.parts for hunk in part.within]
        return frozenset(key_of(line) for hunk in hunks for one in hunk.segments for line in one.after)

    @property
    def is_within(self) -> bool:
        """Whether some hunk may begin or end within a line."""
        return any(part.within for part in self.parts)


def read_edit(edit: FileEdit, merged_keys: Sequence[str], *, prose: bool = False) -> Wanted:
    """Reduce an edit to what the checks need.

    `merged_keys` are the lines of the merged text: a removal note that stays is only a comment,
    and a ``...`` that stays below its line is a body. In `prose` a marker within a code block is
    one all the same if the merged text has no such line.
    """
    merged = _Merged(frozenset(merged_keys), _dots(merged_keys), prose)
    parts: list[Part] = []
    notes: set[str] = set()
    for part in edit.parts:
        if isinstance(part, Snippet):
            parts.append(_read_snippet(part, notes, merged))
        else:
            parts.append(_read_hunks(part))
    return Wanted(tuple(parts), frozenset(notes))


@dataclass(frozen=True, slots=True)
class _Merged:
    keys: frozenset[str]
    dotted: frozenset[str]  # keys of lines with a ``...`` right below them
    prose: bool


def _dots(keys: Sequence[str]) -> frozenset[str]:
    return frozenset(above for above, key in pairwise(keys) if key == "...")


def _read_snippet(snippet: Snippet, notes: set[str], merged: _Merged) -> Part:
    markers = find_markers(snippet.lines)
    runs: list[Run] = []
    current: list[WantedLine] = []
    above: int | None = None
    blank = False
    for index, text in enumerate(snippet.lines):
        key = key_of(text)
        is_body = key == "..." and index > 0 and key_of(snippet.lines[index - 1]) in merged.dotted
        is_elided = merged.prose and is_marker(text) and key not in merged.keys
        if (index in markers and not is_body) or is_elided:
            if current:
                runs.append(Run(tuple(current), above, indent_of(text), blank))
            current, above, blank = [], indent_of(text), False
            continue
        if not text.strip():
            blank = True
            continue
        names = None if continues_comment(snippet.lines, index) else removed_names(text)
        if names is not None and key not in merged.keys:
            notes.update(names)
        line = WantedLine(text, key, indent_of(text), snippet.edit_line + index, blank, names is not None)
        current.append(line)
        blank = False
    if current:
        runs.append(Run(tuple(current), above, None))
    return Part(
        runs=tuple(runs),
        is_snippet=True,
        in_order=True,
        marked=bool(markers),
        said_whole=snippet.said_whole,
        length=sum(len(run.lines) for run in runs),
        before=Counter(),
        removed=Counter(),
        taken=(),
    )


def _read_hunks(part: HunkList) -> Part:
    runs: list[Run] = []
    before_all: Counter[str] = Counter()
    removed: Counter[str] = Counter()
    taken: list[str] = []
    within: list[Hunk] = []
    for hunk in part.hunks:
        if hunk.within_line:
            within.append(hunk)
        for segment in hunk.segments:
            before = Counter(key_of(line) for line in segment.before if line.strip())
            gone = before - Counter(key_of(line) for line in segment.after)
            before_all.update(before)
            removed.update(gone)
            taken += [line for line in segment.before if gone[key_of(line)]]
            if hunk.within_line:
                continue
            lines: list[WantedLine] = []
            blank = False
            for text in segment.after:
                if not text.strip():
                    blank = True
                    continue
                key = key_of(text)
                lines.append(WantedLine(text, key, indent_of(text), hunk.edit_line, blank))
                blank = False
            if lines:
                runs.append(Run(tuple(lines), None, None))
    return Part(
        runs=tuple(runs),
        is_snippet=False,
        in_order=False,
        marked=False,
        said_whole=False,
        length=sum(len(run.lines) for run in runs),
        before=before_all,
        removed=removed,
        taken=tuple(taken),
        everywhere=any(hunk.replace_all for hunk in part.hunks),
        within=tuple(within),
    )
