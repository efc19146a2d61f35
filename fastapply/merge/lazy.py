"""Merging a snippet: a lazy edit, or a whole file; the file decides which of the two it is."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from fastapply.formats.markers import find_markers, removed_names
from fastapply.merge.align import Aligner, Alignment, ElementKind, LazyEdit
from fastapply.merge.anchors import Point, closing_line, defined_name, find_points
from fastapply.merge.lines import closes, is_closer, line_table
from fastapply.merge.render import Renderer, Rendering
from fastapply.types import Candidate, LineRange, Proposal, Question, Splice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.lines import LineTable
    from fastapply.text import SourceText
    from fastapply.types import Snippet

MARGIN = 0.8
"""Score by which the best alignment must beat the best one with another result."""


def merge_snippet(
    source: SourceText, snippet: Snippet, *, language: str | None, instructions: str = ""
) -> Proposal:
    """Merge a snippet into a file by alignment; certain only where no other result comes near."""
    file = line_table(source.lines)
    edit = read_lazy(snippet.lines, file)
    aligner, best, rendering = _align(edit, file)
    if idle := _idle_notes(edit, file, rendering):
        edit = replace(edit, kinds=tuple("text" if n in idle else kind for n, kind in enumerate(edit.kinds)))
        aligner, best, rendering = _align(edit, file)
    renderer = Renderer(aligner)
    splices = renderer.splices(rendering)
    questions = [_open_question(edit, line, reason, snippet) for line, reason in rendering.open]
    if not best.points:
        questions = [Question("not_found", "nothing of the edit stands in the file", edit_line=snippet.edit_line)]
    questions += _rivals(aligner, renderer, best, splices, snippet)
    return Proposal(splices, "aligned", tuple(questions))


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
    return {
        note for note, names in edit.removed.items()
        if not gone or (names and not any(re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", gone) for name in names))
    }


def _broken(edit: LazyEdit, file: LineTable, best: Alignment, rendering: Rendering) -> set[Point]:
    """Points of a chain that don't hold in the light of the whole chain.

    A definition that was renamed although the merged text still uses its old name was not renamed;
    a line that closes a block can't close one whose opening line is another.
    """
    kept = [file.lines[op.f] for op in rendering.ops if op.kind in {"keep", "match"}]
    at = {point.i: point for point in best.points}
    broken: set[Point] = set()
    for point in best.points:
        if point.kind == "derived":
            opener = at.get(edit.openers[point.i])
            if opener is None or closing_line(file, opener.start) != point.start:
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


def _open_question(edit: LazyEdit, line: int, reason: str, snippet: Snippet) -> Question:
    shown = edit.origin[line] if 0 <= line < len(edit.origin) else 0
    text = snippet.lines[shown].strip() if shown < len(snippet.lines) else ""
    return Question(reason, f"edit line {snippet.edit_line + shown}: {text!r}", edit_line=snippet.edit_line + shown)


def _rivals(
    aligner: Aligner, renderer: Renderer, best: Alignment, splices: tuple[Splice, ...], snippet: Snippet
) -> list[Question]:
    """Ask where a run could go as well: the best alignment without the places that were chosen for it."""
    questions: list[Question] = []
    for run in _runs(aligner.edit, best.points):
        banned = {p for p in aligner.points if any(p.i == q.i and p.start == q.start for q in run)}
        rival = aligner.solve(banned)
        if rival.score < best.score - MARGIN:
            continue
        other = renderer.splices(renderer.render(rival))
        if other == splices:
            continue
        shown = aligner.edit.origin[run[0].i]
        questions.append(
            Question(
                "ambiguous", f"edit line {snippet.edit_line + shown} could go elsewhere ({best.score:.2f} {rival.score:.2f})",
                edit_line=snippet.edit_line + shown,
                candidates=(Candidate(LineRange(run[0].start + 1, run[-1].end), "", splices), Candidate(LineRange(0, 0), "", other)),
            )
        )
    return questions


def _runs(edit: LazyEdit, points: Sequence[Point]) -> list[list[Point]]:
    """Points of a chain, grouped by the shown run that they stand in."""
    runs: list[list[Point]] = []
    for point in points:
        if runs and "marker" not in edit.kinds[runs[-1][-1].i : point.i]:
            runs[-1].append(point)
        else:
            runs.append([point])
    return runs


def read_lazy(lines: Sequence[str], file: LineTable) -> LazyEdit:
    """Tell a snippet's code from its markers and notes, and put in the ends of elided blocks."""
    in_file = {key: number for number, key in enumerate(file.keys) if number not in file.in_string}
    names = "\n".join(file.lines)
    marked = {
        number
        for number in find_markers(lines)
        if "".join(lines[number].split()) not in in_file or _is_generic(lines[number])
    }
    table = line_table(lines, frozenset(marked))
    kinds: list[ElementKind] = []
    removed: dict[int, tuple[str, ...]] = {}
    for number, line in enumerate(lines):
        if number in marked:
            kinds.append("marker")
            continue
        gone = removed_names(line) if table.keys[number] not in in_file else None
        if gone is not None and number not in table.in_string and (not gone or any(name in names for name in gone)):
            kinds.append("note")
            removed[number] = gone
        else:
            kinds.append("text" if table.keys[number] else "blank")
    return _with_block_ends(table, kinds, removed, marked)


def _is_generic(line: str) -> bool:
    return "existing code" in line or not any(character.isalpha() for character in line)


def _with_block_ends(
    table: LineTable, kinds: list[ElementKind], removed: dict[int, tuple[str, ...]], marked: set[int]
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
        table = line_table(lines, frozenset(place[number] for number in marked))
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
