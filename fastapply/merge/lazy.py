"""Merging a snippet: a lazy edit, or a whole file; the file decides which of the two it is."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from fastapply.formats.markers import find_markers, removed_names
from fastapply.merge.align import Aligner, Alignment, ElementKind, LazyEdit
from fastapply.merge.anchors import Point, closing_line, defined_name, find_points, subject
from fastapply.merge.lines import closes, is_closer, line_table
from fastapply.merge.render import Renderer, Rendering
from fastapply.merge.questions import (
    ambiguous,
    ask,
    candidate,
    cut_off,
    drops_most,
    named_candidate,
    not_found,
    whole_or_part,
)
from fastapply.merge.whole import Reading, read_extent, replace_whole
from fastapply.text import splice
from fastapply.types import Proposal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.lines import LineTable
    from fastapply.text import SourceText
    from fastapply.types import Question, Snippet, Splice

MARGIN = 0.8
"""Score by which the best alignment must beat the best one with another result."""
MOST_CANDIDATES = 5
"""Places that a refusal names."""


def merge_snippet(
    source: SourceText, snippet: Snippet, *, language: str | None, instructions: str = ""
) -> Proposal:
    """Merge a snippet into a file; certain only where no other result comes near.

    `language` is the tree-sitter name of the file's language, for callers that know it: it tells
    which quotes open strings of several lines. Blocks are read off the indentation, alike in edit
    and file, and need no grammar. `instructions` decides between places
    that are equally good, if it names the definition around exactly one of them.
    """
    file = line_table(source.lines, language)
    edit = read_lazy(snippet.lines, file, language)
    extent = Reading("part", 0.0)
    if not edit.has_markers:
        extent = read_extent(edit.table, file, said_whole=snippet.said_whole)
        if extent.kind == "whole":
            return Proposal(replace_whole(line_table(snippet.lines), file), "whole")
    found = _Lazy(edit, file, snippet).proposal(instructions)
    if extent.kind == "drops":
        return Proposal(found.splices, "whole", (drops_most(snippet, extent.kept),))
    if extent.kind == "unsure":
        whole = replace_whole(line_table(snippet.lines), file)
        if splice(source, whole).lines != splice(source, found.splices).lines:
            return Proposal(found.splices, "aligned", (*found.questions, whole_or_part(snippet, file, whole, found.splices)))
    return found


class _Lazy:
    """One merge of a lazy edit: its best alignment, what is open about it, and its rivals."""

    def __init__(self, edit: LazyEdit, file: LineTable, snippet: Snippet) -> None:
        self.file, self.snippet = file, snippet
        aligner, best, rendering = _align(edit, file)
        if idle := _idle_notes(edit, file, rendering):
            edit = replace(edit, kinds=tuple("text" if n in idle else kind for n, kind in enumerate(edit.kinds)))
            aligner, best, rendering = _align(edit, file)
        self.edit, self.aligner, self.best, self.rendering = edit, aligner, best, rendering
        self.renderer = Renderer(aligner)

    def proposal(self, instructions: str) -> Proposal:
        """The merge, with a question for everything about it that is open."""
        splices = self.renderer.splices(self.rendering)
        if not self.best.points:
            return Proposal(splices, "aligned", (not_found(self.edit, self.file, self.snippet),))
        questions = [ask(self.edit, self.file, self.snippet, opening) for opening in self.rendering.open]
        cut = cut_off(self.edit, self.file, self.snippet)
        if cut is not None:
            questions.append(cut)
        rivals = self._rivals(splices)
        if not questions and len(rivals) == 1:
            chosen = named_candidate(rivals[0], instructions)
            if chosen is not None:
                return Proposal(chosen.splices, "aligned")
        return Proposal(splices, "aligned", (*questions, *rivals))

    def _rivals(self, splices: tuple[Splice, ...]) -> list[Question]:
        """For each shown run, the other places where it could go about as well."""
        questions: list[Question] = []
        for run in _runs(self.edit, self.best.points):
            banned = {(p.i, p.start) for p in run}
            candidates = [candidate(self.file, run, splices)]
            while len(candidates) < MOST_CANDIDATES:
                rival = self.aligner.solve({p for p in self.aligner.points if (p.i, p.start) in banned})
                if rival.score < self.best.score - MARGIN:
                    break
                there = [p for p in rival.points if run[0].i <= p.i <= run[-1].i]
                other = self.renderer.splices(self.renderer.render(rival))
                if other not in {known.splices for known in candidates}:
                    candidates.append(candidate(self.file, there, other))
                if not there:
                    break
                banned |= {(p.i, p.start) for p in there}
            if len(candidates) > 1:
                questions.append(ambiguous(self.edit, self.snippet, run, candidates))
        return questions


def _align(edit: LazyEdit, file: LineTable) -> tuple[Aligner, Alignment, Rendering]:
    """Best alignment of an edit with a file, without points that the chain itself contradicts."""
    texts = [i for i, kind in enumerate(edit.kinds) if kind == "text"]
    points = find_points(edit.table, file, texts, edit.openers, edit.block_ends)
    while True:
        aligner = Aligner(edit, file, points)
        best = aligner.solve()
        rendering = Renderer(aligner).render(best)
        broken = _broken(edit, file, best, rendering)
        if not broken:
            return aligner, best, rendering
        points = [point for point in points if point not in broken]


def _idle_notes(edit: LazyEdit, file: LineTable, rendering: Rendering) -> set[int]:
    """Removal notes that removed nothing they name: those are comments."""
    gone = "\n".join(file.lines[op.f] for op in rendering.ops if op.kind == "delete")
    whole = "\n".join(file.lines)
    idle: set[int] = set()
    for note, names in edit.removed.items():
        if names and all(_is_code_name(name) and name not in whole for name in names):
            continue  # what it names went earlier
        found = any(re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", gone) for name in names)
        if not gone or (names and not found):
            idle.add(note)
    return idle


def _broken(edit: LazyEdit, file: LineTable, best: Alignment, rendering: Rendering) -> set[Point]:
    """Points of a chain that don't hold in the light of the whole chain.

    A definition that was renamed although the merged text still uses its old name was not renamed;
    a line that closes a block can't close one whose opening line is another; and nothing old stands
    in a new definition.
    """
    kept = [file.lines[op.f] for op in rendering.ops if op.kind in {"keep", "match"}]
    at = {point.i: point for point in best.points}
    broken: set[Point] = set()
    for point in best.points:
        if point.kind == "derived":
            opener = at.get(edit.openers[point.i])
            if opener is None or closing_line(file, opener.start) != point.start:
                broken.add(point)
        parent = edit.parents[point.i]
        while parent >= 0 and (edit.kinds[parent] != "text" or subject(edit.table.lines[parent]) is None):
            parent = edit.parents[parent]
        if parent >= 0 and parent not in at:
            broken.add(point)
        if point.kind != "near":
            continue
        new, old = defined_name(edit.table.lines[point.i]), defined_name(file.lines[point.start])
        if new is None or old is None or new == old:
            continue
        pattern = re.compile(rf"(?<![\w$]){re.escape(old)}(?![\w$])")
        if any(old in line and pattern.search(line) for line in kept):
            broken.add(point)
    return broken


def _runs(edit: LazyEdit, points: Sequence[Point]) -> list[list[Point]]:
    """Points of a chain, grouped by the shown run that they stand in."""
    runs: list[list[Point]] = []
    for point in points:
        if runs and "marker" not in edit.kinds[runs[-1][-1].i : point.i]:
            runs[-1].append(point)
        else:
            runs.append([point])
    return runs


def read_lazy(lines: Sequence[str], file: LineTable, language: str | None = None) -> LazyEdit:
    """Tell a snippet's code from its markers and notes, and put in the ends of elided blocks."""
    in_file = {key: number for number, key in enumerate(file.keys) if number not in file.in_string}
    names = "\n".join(file.lines)
    marked = {
        number
        for number in find_markers(lines, language)
        if "".join(lines[number].split()) not in in_file or _is_generic(lines[number])
    }
    table = line_table(lines, language, frozenset(marked))
    kinds: list[ElementKind] = []
    removed: dict[int, tuple[str, ...]] = {}
    for number, line in enumerate(lines):
        if number in marked:
            kinds.append("marker")
            continue
        gone = removed_names(line) if table.keys[number] not in in_file else None
        if gone is not None and number not in table.in_string and (
            not gone or any(name in names for name in gone) or all(map(_is_code_name, gone))
        ):
            kinds.append("note")
            removed[number] = gone
        else:
            kinds.append("text" if table.keys[number] else "blank")
    return _with_block_ends(table, kinds, removed, marked, language)


def _is_code_name(name: str) -> bool:
    """Whether a name is one that code has and prose has not: ``old_name``, ``oldName``, ``Old.name``."""
    return bool(re.search(r"[_.\d$:#]|[a-z][A-Z]", name))


def _is_generic(line: str) -> bool:
    return "existing code" in line or not any(character.isalpha() for character in line)


def _with_block_ends(
    table: LineTable, kinds: list[ElementKind], removed: dict[int, tuple[str, ...]], marked: set[int],
    language: str | None,
) -> LazyEdit:
    """Add a virtual line where a block with a marker in it ends without a closing line."""
    openers: dict[int, int] = {}
    ends_at: dict[int, list[int]] = {}
    size = len(kinds)
    for number, kind in enumerate(kinds):
        if kind == "text" and is_closer(table.keys[number]):
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
        table, tuple(new_kinds), tuple(parents), tuple(depths), tuple(origin),
        pairs, {opener: closer for closer, opener in pairs.items()}, block_ends,
        {place[number]: gone for number, gone in removed.items()},
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
