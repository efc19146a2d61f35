"""Merging a snippet by rules: one alignment, and a question for everything that the rules leave open.

What the rules are sure of is one of the facts that `rank` weighs, and so is each question that they ask.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.formats.markers import is_plain_removal
from fastapply.merge.align import Aligner, Alignment, contradicted
from fastapply.merge.anchors import Point, find_points
from fastapply.merge.doubts import Opening
from fastapply.merge.effort import Effort
from fastapply.merge.elements import LazyEdit, Scene, read_lazy
from fastapply.merge.fates import Fates, Rendering
from fastapply.merge.likeness import defined_name, is_attachment, subject
from fastapply.merge.lines import line_table
from fastapply.merge.questions import (
    ambiguous,
    ask,
    candidate,
    cut_off,
    drops_most,
    idle_note,
    named_candidate,
    not_found,
    whole_or_part,
)
from fastapply.merge.whole import Reading, read_extent, replace_whole
from fastapply.merge.writing import Writer
from fastapply.text import splice
from fastapply.types import Proposal
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.lines import LineTable
    from fastapply.text import SourceText
    from fastapply.types import Question, Snippet, Splice

MARGIN = 0.8
"""Score by which the best alignment must beat the best one with another result."""
MOST_CANDIDATES = 5
"""Places that a refusal names."""


def merge_by_rules(
    source: SourceText,
    snippet: Snippet,
    file: LineTable,
    *,
    language: str | None,
    instructions: str = "",
    effort: Effort | None = None,
) -> Proposal:
    """Merge a snippet into a file; certain only where the rules see no other result.

    `language` is the tree-sitter name of the file's language, for callers that know it: it tells
    which quotes open strings of several lines. Blocks are read off the indentation, alike in edit
    and file, and need no grammar. `instructions` decides between places
    that are equally good, if it names the definition around exactly one of them.
    """
    edit = read_lazy(snippet.lines, file, language)
    extent = Reading("part", 0.0)
    if not edit.has_markers:
        extent = read_extent(edit.table, file, said_whole=snippet.said_whole)
        if extent.kind == "whole":
            return Proposal(replace_whole(line_table(snippet.lines), file), "whole")
    found = _Lazy(edit, file, snippet, effort or Effort(), language=language).proposal(instructions)
    if extent.kind == "drops":
        return Proposal(found.splices, "whole", (drops_most(snippet, extent.kept),))
    if extent.kind == "unsure":
        whole = replace_whole(line_table(snippet.lines), file)
        if _told(splice(source, whole).lines) != _told(splice(source, found.splices).lines):
            return Proposal(
                found.splices,
                "aligned",
                (*found.questions, whole_or_part(snippet, file, whole, found.splices)),
            )
    return found


def _told(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip()]


class _Lazy:
    """One merge of a lazy edit: its best alignment, what is open about it, and its rivals."""

    def __init__(
        self, edit: LazyEdit, file: LineTable, snippet: Snippet, effort: Effort, *, language: str | None
    ) -> None:
        self.file, self.snippet, self.language = file, snippet, language
        aligner, best, rendering = _align(edit, file, effort)
        self.idle = _idle_notes(edit, file, rendering)
        if idle := self.idle:
            edit = replace(
                edit, kinds=tuple("text" if n in idle else kind for n, kind in enumerate(edit.kinds))
            )
            aligner, best, rendering = _align(edit, file, effort)
        self.edit, self.aligner, self.best, self.rendering = edit, aligner, best, rendering
        scene = Scene(edit, file)
        self.fates, self.writer = Fates(scene, aligner), Writer(scene, aligner.ratio)

    def proposal(self, instructions: str) -> Proposal:
        """The merge, with a question for everything about it that is open."""
        splices = self.writer.usual(self.rendering.ops)
        if not self.best.points:
            return Proposal(splices, "aligned", (not_found(self.edit, self.file, self.snippet),))
        questions = [ask(self.edit, self.file, self.snippet, opening) for opening in self.rendering.open]
        lines = self.edit.table.lines
        questions += [
            idle_note(self.edit, self.snippet, n)
            for n in sorted(self.idle)
            if is_plain_removal(lines[n]) and not (n and is_attachment(lines[n - 1]))
        ]
        if not splices and not questions:
            questions += self._left_out()
        cut = cut_off(self.edit, self.file, self.snippet, self.language)
        if cut is not None:
            questions.append(cut)
        rivals = self._rivals(splices)
        if not questions and len(rivals) == 1:
            chosen = named_candidate(rivals[0], instructions)
            if chosen is not None:
                return Proposal(chosen.splices, "aligned")
        return Proposal(splices, "aligned", (*questions, *rivals))

    def _left_out(self) -> list[Question]:
        """Where an edit that changes nothing leaves out a stretch of the file: that may be the change."""
        chain = [self.aligner.start, *self.best.points, self.aligner.finish]
        tail = self._tail()
        if tail is not None:
            return [ask(self.edit, self.file, self.snippet, tail)]
        for (a, b), step in zip(pairwise(chain), self.best.steps, strict=True):
            if "bound" in {a.kind, b.kind} or "marker" in self.edit.kinds[a.i : b.i]:
                continue
            if b.i >= 0 and self.edit.parents[b.i] == a.i:
                continue  # a header only says where the block is
            if self.aligner.steps.deletion(step.keep_from, step.keep_to):
                return [
                    ask(
                        self.edit,
                        self.file,
                        self.snippet,
                        Opening(a.i, "unmarked_gap", step.keep_from, step.keep_to),
                    )
                ]
        return []

    def _tail(self) -> Opening | None:
        """The end of the file where an edit without markers shows all of it up to there."""
        if "marker" in self.edit.kinds or not self.best.points:
            return None
        first, last = self.best.points[0], self.best.points[-1]
        above, below = self.file.keys[: first.start], self.file.keys[last.end :]
        if any(above) or not any(below):
            return None
        return Opening(last.i, "unmarked_gap", last.end, len(self.file.keys))

    def _rivals(self, splices: tuple[Splice, ...]) -> list[Question]:
        """For each shown run, the other places where it could go about as well."""
        questions: list[Question] = []
        for run in _runs(self.edit, self.best.points):
            if all(point.kind in {"derived", "end"} for point in run):
                continue  # these go where the lines go that open their blocks
            banned = {(p.i, p.start) for p in run}
            candidates = [candidate(self.file, run, splices)]
            weak = False
            margin = MARGIN if any(self._is_sure(point) for point in run) else 2 * MARGIN
            while len(candidates) < MOST_CANDIDATES:
                rival = self.aligner.solve({p for p in self.aligner.points if (p.i, p.start) in banned})
                if rival.score < self.best.score - margin:
                    break
                there = [p for p in rival.points if run[0].i <= p.i <= run[-1].i]
                other = self.writer.usual(self.fates.render(rival).ops)
                if other not in {known.splices for known in candidates}:
                    if there:
                        candidates.append(candidate(self.file, there, other))
                    weak = weak or not there
                if not there:
                    break
                banned |= {(p.i, p.start) for p in there}
            if len(candidates) > 1 or weak:
                questions.append(ambiguous(self.edit, self.snippet, run, candidates))
        return questions

    def _is_sure(self, point: Point) -> bool:
        """Whether a point's line stands once in the file, defines something, or closes what does."""
        if point.kind in {"derived", "end"}:
            return True
        key = self.file.keys[point.start]
        once = point.kind == "exact" and self.file.keys.count(key) == 1
        return once or subject(self.edit.table.lines[point.i]) is not None


def _align(edit: LazyEdit, file: LineTable, effort: Effort) -> tuple[Aligner, Alignment, Rendering]:
    """Best alignment of an edit with a file, without points that the chain itself contradicts."""
    texts = [i for i, kind in enumerate(edit.kinds) if kind == "text"]
    points = find_points(edit.table, file, texts, edit.openers, edit.block_ends)
    scene = Scene(edit, file)
    while True:
        aligner = Aligner(edit, file, points, effort)
        best = aligner.solve()
        rendering = Fates(scene, aligner).render(best)
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
        if names and not any(name in whole for name in names):
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
    broken = contradicted(edit, file, best)
    for point in best.points:
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
