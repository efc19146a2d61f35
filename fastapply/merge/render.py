"""From an alignment to splices: every line's fate, its indentation, and the blank lines at the seams."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastapply.formats.markers import comment_body
from fastapply.merge.anchors import definition, identity, is_attachment, is_decorator, renamed, similarity, subject
from fastapply.merge.fill import Op, fill
from fastapply.merge.indentation import indent_of, level_width
from fastapply.merge.lines import TAB, columns, is_closer, words
from fastapply.types import Splice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapply.merge.align import Aligner, Alignment, Step
    from fastapply.merge.anchors import Point

_IMPORT = re.compile(r"\s*(?:import\b|from\s+[\w.]+\s+import\b|#\s*include\b|use\s+[\w:]|using\s+[\w.]+;|export\s.*\bfrom\b|"
                     r"(?:const|let|var)\s.*=\s*require\()")
_DOCSTRING = re.compile(r"\s*[rRuU]?(?:\"\"\"|''')")
_IMPORT_WORDS = frozenset(["import", "from", "as", "use", "using", "static", "const", "let", "var", "require", "type"])


@dataclass(frozen=True, slots=True)
class Opening:
    """Something undecided: the edit line it is about, and the file lines `[start, end)` concerned."""

    line: int
    reason: str
    start: int
    end: int


@dataclass(slots=True)
class Rendering:
    """The merge as operations in file order, and what is open about it."""

    ops: list[Op] = field(default_factory=list)
    open: list[Opening] = field(default_factory=list)


class Renderer:
    """Turns alignments of one edit with one file into splices."""

    def __init__(self, aligner: Aligner) -> None:
        self.aligner = aligner
        self.edit = aligner.edit
        self.table = aligner.edit.table
        self.file = aligner.file
        self.shown = frozenset(
            self.table.keys[i] for i, kind in enumerate(self.edit.kinds) if kind == "text" and self.table.keys[i]
        )
        self._count = Counter(self.file.keys)
        self._tabs = _only_tabs(self.file.lines)
        self._level = level_width(indent_of(line) for line in self.table.lines if line.strip())

    # --- fates --------------------------------------------------------------------------------

    def render(self, alignment: Alignment) -> Rendering:
        """Every line's fate under an alignment."""
        done = Rendering()
        aligner = self.aligner
        ends = [aligner.start, *alignment.points, aligner.finish]
        for a, b, step in zip(ends, ends[1:], alignment.steps, strict=False):
            if step.question:
                line = next((x for x in range(max(a.i, 0), len(self.edit.kinds)) if self.edit.kinds[x] == "text"), 0)
                done.open.append(Opening(line, step.question, a.end, b.start))
            self._between(a, b, step, done)
            if b.kind not in {"bound", "end"}:
                same = self.table.keys[b.i] == self.file.keys[b.start]
                done.ops.append(Op("match" if same else "near", b.i, b.start))
        done.ops = self._spare_imports(done.ops)
        return done

    def _drops(self, ops: Sequence[Op]) -> bool:
        """Whether operations delete two lines that say something and that the edit shows nowhere.

        A line that gives way to one about something else counts for two.
        """
        lost = 0
        for op in ops:
            if op.f < 0 or self.file.weights[op.f] <= 0.3 or self.file.keys[op.f] in self.shown:
                continue
            if op.kind == "near" and self._other(op):
                return True
            lost += op.kind == "delete" and not _IMPORT.match(self.file.lines[op.f])
        return lost >= 2

    def _other(self, op: Op) -> bool:
        """Whether the edit's line in place of a file line is about something else."""
        new, old = identity(self.table.lines[op.e]), identity(self.file.lines[op.f])
        if new is None or old is None or new == old:
            return False
        if subject(self.table.lines[op.e]) and subject(self.file.lines[op.f]):
            return not renamed(self.table, self.file, op.e, op.f)
        return " " in new and new.partition(" ")[0] == old.partition(" ")[0]  # one more entry of a list

    def _holds(self, point: Point, done: Rendering) -> bool:
        """Whether a point is beyond doubt.

        Its line stands once in the file, or defines something, or closes a block that it opens, or
        is in a definition whose first line is shown in the same run.
        """
        if point.kind == "derived":
            return True
        if point.kind == "exact" and self._count[self.file.keys[point.start]] == 1:
            return True
        at = point.i
        run = self._run(at)
        shared = {op.e for op in done.ops if op.e >= 0 and op.kind in {"match", "near"}}
        while at in run and at >= 0:
            if definition(self.table.lines[at]) is not None and (at == point.i or at in shared):
                return True
            at = self.edit.parents[at]
        return False

    def _lines(self, a: Point, b: Point) -> tuple[list[int], list[int], bool, bool]:
        """Edit lines left and right of the gap between two points, and whether blank lines stood at its seams."""
        kinds = self.edit.kinds
        inner = [x for x in range(a.i + 1, b.i) if kinds[x] != "end"]
        marks = [x for x in inner if kinds[x] == "marker"]
        if marks:
            left = [x for x in inner if x < marks[0]]
            right = [x for x in inner if x > marks[0] and kinds[x] != "marker"]
            middle = [x for x in right if x < marks[-1]]
            right = right if any(kinds[x] == "text" for x in middle) else [x for x in right if x > marks[-1]]
        elif a.kind == "bound":
            left, right = [], inner
        elif b.kind == "bound":
            left, right = inner, []
        else:
            deeper = [x for x in inner if kinds[x] == "text"]
            cut = 0
            closed = None if a.kind == "end" else self.aligner.closed_depth(a.i, b.i)
            for x in deeper:
                if closed is not None and self.edit.depths[x] >= closed:
                    cut = x
            left = [x for x in inner if x <= cut]
            right = [x for x in inner if x > cut]
        left, right = self._without_notes(left), self._without_notes(right)
        blank_left = bool(left) and kinds[left[-1]] == "blank"
        blank_right = bool(right) and kinds[right[0]] == "blank"
        while left and kinds[left[-1]] == "blank":
            left.pop()
        while right and kinds[right[0]] == "blank":
            right.pop(0)
        while right and b.kind in {"derived", "end"} and kinds[right[-1]] == "blank":
            right.pop()
        return left, right, blank_left, blank_right

    def _without_notes(self, lines: list[int]) -> list[int]:
        """Drop removal notes, and one of the blank lines around each."""
        kept: list[int] = []
        dropped = False
        for x in lines:
            if self.edit.kinds[x] == "note":
                dropped = True
                continue
            if dropped and self.edit.kinds[x] == "blank" and (not kept or self.edit.kinds[kept[-1]] == "blank"):
                dropped = False
                continue
            dropped = False
            kept.append(x)
        return kept

    def _between(self, a: Point, b: Point, step: Step, done: Rendering) -> None:
        file, table, kinds = self.file, self.table, self.edit.kinds
        start, end = a.end, b.start
        near_a, near_b = self._levels(a), self._levels(b)
        has_gap = step.keep_from < end or any(kinds[x] == "marker" for x in range(a.i + 1, b.i))
        has_gap = has_gap or a.kind == "bound" or b.kind == "bound"
        if not has_gap:
            inner = self._without_notes([x for x in range(a.i + 1, b.i) if kinds[x] in {"text", "blank", "note"}])
            ops = fill(table, file, inner, start, end, shown=self.shown, level=near_a)
            done.ops += ops
            if self._drops(ops) and not (self._holds(a, done) and self._holds(b, done)) and not step.question:
                done.open.append(Opening(max(a.i, 0), "unmarked_gap", start, end))
            return
        left, right, blank_left, blank_right = self._lines(a, b)
        keep_from, keep_to = step.keep_from, max(step.keep_from, step.keep_to)
        reach = min(keep_to, keep_from + 2 * len(left) + 8) if left else keep_from
        tail = self._at_gap(left, start, reach, near_a, keep_tail=keep_from)
        used = max((op.f + 1 for op in tail if op.kind not in {"keep", "insert"}), default=start)
        used = max(used, keep_from)
        reach_back = max(used, keep_to - 2 * len(right) - 8) if right else keep_to
        head = self._at_gap(right, reach_back, end, near_b, keep_head=keep_to)
        tail = [op for op in tail if not (op.kind == "keep" and op.f >= keep_from)]
        done.ops += self._docstring(a, tail, used, done)
        used = max([used, *(op.f + 1 for op in done.ops if op.kind == "delete")])
        first = next((op.f for op in head if op.kind != "keep" and op.f >= 0), end)
        head = [op for op in head if op.kind != "keep"]
        head, first = self._attached(b, head, first, used, done)
        self._edges(tail, head, used, first, done)
        if self._replaces_top(a, head, first):
            done.open.append(Opening(head[0].e, "replace_or_insert", 0, first))
        if tail and tail[-1].kind == "insert" and blank_left and used < first and file.keys[used]:
            done.ops.append(Op("insert", self._blank(left), -1))
        done.ops += [Op("keep", -1, f) for f in range(used, first)]
        if head and head[0].kind == "insert" and first > 0:
            before = first - 1
            opener = file.keys[before] and file.ends[before] > first
            wanted = blank_right or (self._sets_apart(head, b) and not opener)
            if wanted and file.keys[before] and (blank_right is False or used < first or a.kind == "end") and not opener:
                done.ops.append(Op("insert", -2, -1))
        done.ops += head

    def _at_gap(
        self, lines: Sequence[int], start: int, end: int, level: Callable[[int, int], bool],
        *, keep_head: int | None = None, keep_tail: int | None = None,
    ) -> list[Op]:
        """Fill beside a gap, where a line is the file's only if the line that opens its block is, too."""
        if not lines and start >= end:
            return []
        here = set(lines)
        held = frozenset(x for x in lines if self.edit.parents[x] in here or self.edit.openers.get(x) in here)
        alone: set[int] = set()
        while True:
            ops = fill(
                self.table, self.file, lines, start, end, shown=self.shown, level=level,
                keep_head=keep_head, keep_tail=keep_tail, held=held | alone,
            )
            known = {op.e for op in ops if op.kind in {"match", "near"}}
            freed = frozenset(
                x for x in held
                if (self.edit.parents[x] not in here or self.edit.parents[x] in known)
                and (self.edit.openers.get(x) not in here or self.edit.openers.get(x) in known)
            )
            stray = self._strays(ops, tail=keep_tail is not None)
            if not freed and not stray:
                return ops
            held -= freed
            alone |= stray

    def _strays(self, ops: Sequence[Op], *, tail: bool) -> set[int]:
        """Edit lines matched away from the shown lines beside the gap, though the file has more lines like them."""
        stray: set[int] = set()
        beside, new = True, False
        for op in ops if tail else reversed(ops):
            beside = beside and op.kind == "match"
            if op.kind == "match" and not beside and self._repeated(op.e):
                stray.add(op.e)
        for op in reversed(ops) if tail else ops:
            new = new or (op.kind == "insert" and bool(self.table.keys[op.e]))
            if op.kind == "match" and new and self._repeated(op.e):
                stray.add(op.e)
        return stray

    def _repeated(self, e: int) -> bool:
        key = self.table.keys[e]
        return bool(key) and self._count[key] > 1 and not is_closer(key)

    def _blank(self, _left: Sequence[int]) -> int:
        return -2

    def _sets_apart(self, head: Sequence[Op], b: Point) -> bool:
        """Whether new lines before `b` are set apart from it by a blank line in edit and file alike."""
        if b.kind in {"bound", "end"}:
            return False
        last_insert = max((n for n, op in enumerate(head) if op.kind == "insert" and self.table.keys[op.e]), default=-1)
        rest = head[last_insert + 1 :]
        return any(op.kind == "match" and not self.file.keys[op.f] for op in rest)

    def _levels(self, ref: Point) -> Callable[[int, int], bool]:
        """A test whether an edit line and a file line stand equally deep, seen from a point."""
        depths, file, ratio = self.edit.depths, self.file, self.aligner.ratio
        if ref.kind == "bound":
            return lambda e, f: abs(depths[e] * ratio - file.depths[f]) < 0.6 or not file.keys[f]
        at = file.depths[ref.start] if ref.kind != "end" else -1.0
        if ref.kind == "end":
            opener = self.edit.block_ends[ref.i]
            base = next((p.start for p in self.aligner.points if p.i == opener and file.ends[p.start] == ref.start), -1)
            if base < 0:
                return lambda _e, f: not file.keys[f]
            at = file.depths[base]
            origin = depths[opener]
        else:
            origin = depths[ref.i]
        return lambda e, f: not file.keys[f] or abs((depths[e] - origin) * ratio - (file.depths[f] - at)) < 0.6

    def _spare_imports(self, ops: list[Op]) -> list[Op]:
        """Keep deleted import lines whose names are still used: import blocks are shown as excerpts."""
        lines = self.file.lines
        gone = [op.f for op in ops if op.kind == "delete" and _IMPORT.match(lines[op.f])]
        if not gone:
            return ops
        merged = [lines[op.f] if op.kind in {"keep", "match"} else self.table.lines[op.e]
                  for op in ops if op.kind != "delete" and (op.f >= 0 or op.e >= 0)]
        here: set[str] = set()
        rest: list[str] = []
        inside = False
        for line in merged:
            if inside or _IMPORT.match(line):
                here.update(words(line))
                inside = line.rstrip().endswith(("{", "(", ",")) or (inside and not line.lstrip().startswith(("}", ")")))
            else:
                rest.append(line)
        body = "\n".join(rest)
        spared = {f for f in gone if _import_used(lines[f], body, here)}
        return [Op("keep", -1, op.f) if op.f in spared else op for op in ops]

    def _docstring(self, a: Point, tail: list[Op], used: int, done: Rendering) -> list[Op]:
        """A new docstring right below a header takes the place of the old one."""
        inserts = [op for op in tail if op.kind == "insert" and self.table.keys[op.e]]
        if not inserts or a.kind in {"bound", "end"} or inserts[0].e != self._next_text(a.i):
            return tail
        if not _DOCSTRING.match(self.table.lines[inserts[0].e]) or used >= len(self.file.lines):
            return tail
        at = used
        if not _DOCSTRING.match(self.file.lines[at]):
            return tail
        quote = '"""' if '"""' in self.file.lines[at] else "'''"
        last = at
        if self.file.lines[at].count(quote) < 2:
            last = next(
                (n for n in range(at + 1, len(self.file.lines)) if quote in self.file.lines[n]), at
            )
        return tail + [Op("delete", -1, f) for f in range(at, last + 1)]

    def _next_text(self, i: int) -> int:
        return next((x for x in range(i + 1, len(self.edit.kinds)) if self.edit.kinds[x] != "blank"), -1)

    def _attached(
        self, b: Point, head: list[Op], first: int, used: int, done: Rendering
    ) -> tuple[list[Op], int]:
        """New comments and decorators right above `b` take the place of those that the file has there."""
        if b.kind in {"bound", "end", "derived"} or first != b.start or not head:
            return head, first
        if any(op.kind != "insert" for op in head):
            return head, first
        edit_lines = [self.table.lines[op.e] for op in head]
        attached: list[str] = []
        for line in reversed(edit_lines):
            if not line.strip() or not is_attachment(line):
                break
            attached.append(line)
        if not attached:
            return head, first
        at = first
        while at > used and self.file.lines[at - 1].strip() and is_attachment(self.file.lines[at - 1]):
            at -= 1
        old = self.file.lines[at:first]
        if not old:
            return head, first
        same = [line for line in old if any(_same_attachment(line, new) for new in attached)]
        if not same:
            kinds = {bool(is_decorator(line)) for line in old} & {bool(is_decorator(x)) for x in attached}
            if kinds:
                done.open.append(Opening(head[0].e, "replace_or_insert", at, first))
            return head, first
        at = min(n for n in range(at, first) if self.file.lines[n] in same)
        return [Op("delete", -1, f) for f in range(at, first)] + head, at

    def _replaces_top(self, a: Point, head: Sequence[Op], first: int) -> bool:
        """Whether new lines that begin the edit, with no marker above, may replace the file's few first lines."""
        if a.kind != "bound" or not head or head[0].kind != "insert" or "marker" in self.edit.kinds[: head[0].e]:
            return False
        return 0 < sum(self.file.weights[f] > 0.15 for f in range(first)) <= 4

    def _edges(self, tail: list[Op], head: list[Op], used: int, first: int, done: Rendering) -> None:
        """Open a question where a new line at a gap may as well replace the kept line beside it."""
        if used >= first:
            return
        for ops, f, stop, step in ((tail[::-1], used, first, 1), (head, first - 1, used - 1, -1)):
            new: list[int] = []
            for op in ops:
                if op.kind != "insert":
                    break
                if op.e >= 0:
                    new.append(op.e)
            outer = [e for e in new if self.edit.parents[e] not in new and not is_closer(self.table.keys[e])]
            outer = [e for e in outer if self.table.keys[e]]
            if outer and (
                self._may_replace(outer[0], f, stop, step)
                or self._copies(new, outer[0], f, stop, step)
                or self._repeats(outer, f, stop, step)
            ):
                done.open.append(Opening(outer[0], "replace_or_insert", min(f, f + 1), max(f, f + 1)))

    def _repeats(self, outer: Sequence[int], f: int, stop: int, step: int) -> bool:
        """Whether a new line stands in the kept lines close by, or the outermost one anywhere in the file.

        Then it is context, and the lines between may have been left out.
        """
        near = {self.file.keys[j] for j in [j for j in range(f, stop, step)][:8]}
        repeated = [
            e for e in outer
            if self.table.weights[e] > 0.3 and self._count[self.table.keys[e]] and not is_attachment(self.table.lines[e])
        ]
        leaf = self.table.ends[outer[0]] == outer[0] + 1
        return any(self.table.keys[e] in near or (leaf and e == outer[0]) for e in repeated)

    def _copies(self, new: Sequence[int], outer: int, f: int, stop: int, step: int) -> bool:
        """Whether new lines repeat a line of the kept code beside them that stands nowhere else in the file.

        New functions and tests do so often; a new statement or case that does may replace the old one.
        """
        if definition(self.table.lines[outer]) is not None:
            return False
        keys = {self.table.keys[e] for e in new if self.table.weights[e] > 0.8}
        near = [j for j in range(f, stop, step)][: len(new) + 3]
        return any(self.file.keys[j] in keys and self._count[self.file.keys[j]] == 1 for j in near)

    def _may_replace(self, e: int, f: int, stop: int, step: int) -> bool:
        while f != stop and not self.file.keys[f]:
            f += step
        if f == stop or not self.table.keys[e] or self.file.keys[f] in self.shown:
            return False
        if self.file.weights[f] <= 0.15 or self.table.weights[e] <= 0.15:
            return False
        one, two = self.table.keys[e].rstrip(";,"), self.file.keys[f].rstrip(";,")
        if min(len(one), len(two)) >= 8 and (one in two or two in one):
            return True
        new, old = self.table.lines[e], self.file.lines[f]
        if subject(new) or subject(old) or (identity(new) and identity(old) and identity(new) != identity(old)):
            return False
        return similarity(new, old) >= 0.5

    # --- lines --------------------------------------------------------------------------------

    def splices(self, rendering: Rendering) -> tuple[Splice, ...]:
        """Splices for a rendering: changed and new lines with the file's way of indenting.

        White space that differs in context lines is the file's; but where that leaves nothing to
        change at all, a few such lines in an otherwise equal edit are the change.
        """
        found = self._splices(rendering, literal=False)
        if not found:
            other = self._splices(rendering, literal=True)
            matched = sum(op.kind == "match" and bool(self.table.keys[op.e]) for op in rendering.ops)
            if 4 * sum(len(change.lines) for change in other) <= matched:
                return other
        return found

    def _splices(self, rendering: Rendering, *, literal: bool) -> tuple[Splice, ...]:
        ops = rendering.ops
        pairs, meant = self._pairs(ops)
        changes: list[Splice] = []
        at = 0
        start, lines = 0, list[str]()

        def flush(upto: int) -> None:
            nonlocal lines
            if lines or start < upto:
                changes.append(Splice(start, upto, tuple(lines)))
            lines = []

        dirty = False
        for n, op in enumerate(ops):
            keep = op.kind == "keep"
            text = ""
            if op.kind in {"match", "near"}:
                text = self._line(op, n, pairs, meant)
                if literal and self.table.keys[op.e] and op.f not in self.file.in_string:
                    text = self._indented(op.e, n, pairs, skip=op.e).rstrip()
                keep = text == self.file.lines[op.f]
            elif op.kind == "insert":
                text = "" if op.e < 0 else self._indented(op.e, n, pairs)
            if keep:
                if dirty:
                    flush(at)
                    dirty = False
                at = op.f + 1
                continue
            if not dirty:
                start, dirty = at, True
            if op.kind != "delete":
                lines.append(text)
            if op.f >= 0:
                at = op.f + 1
        if dirty:
            flush(at)
        return tuple(_trimmed(change, self.file.lines) for change in changes)

    def _pairs(self, ops: Sequence[Op]) -> tuple[list[tuple[int, int, str, str]], set[int]]:
        """Shared lines that show how edit indentation maps to the file's, and lines moved on purpose.

        Of each the index in `ops`, the edit line, and the indentation in edit and file; a line that
        stands deeper or less deep than its run does was wrapped or unwrapped, and is no example.
        """
        shared = [
            (n, op.e, indent_of(self.table.lines[op.e]), indent_of(self.file.lines[op.f]))
            for n, op in enumerate(ops)
            if op.kind in {"match", "near"} and self.table.keys[op.e] and op.e not in self.table.in_string
        ]
        ratio = self.aligner.ratio
        deltas: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for _, e, ours, theirs in shared:
            deltas[self._run(e).start].append((columns(ours), columns(theirs) - ratio * columns(ours)))
        base = {run: _base(found) for run, found in deltas.items()}
        straight: list[tuple[int, int, str, str]] = []
        meant: set[int] = set()
        for pair in shared:
            if abs(columns(pair[3]) - ratio * columns(pair[2]) - base[self._run(pair[1]).start]) < 0.6:
                straight.append(pair)
            elif pair[2] or pair[1] > 0:  # a snippet's very first line often lost its indentation
                meant.add(pair[1])
        return straight, meant

    def _indented(self, e: int, n: int, pairs: Sequence[tuple[int, int, str, str]], skip: int = -1) -> str:
        """An edit line with the file's indentation, as the nearest lines that both have show it."""
        line = self.table.lines[e]
        if not line.strip():
            return line
        reference = self._reference(e, n, pairs, skip)
        indent = indent_of(line)
        run = self._run(e)
        here = [(ours, theirs) for _, other, ours, theirs in pairs if other in run and other != skip]
        if all(ours == theirs for ours, theirs in here) and (
            any(ours for ours, _ in here) or "\t" in indent or not self._tabs
        ) and here:
            return line  # the run is indented as the file is
        ours, theirs = reference if reference else ("", "")
        if indent == ours:
            return theirs + line.lstrip()
        return self._shifted(indent, ours, theirs) + line.lstrip()

    def _reference(
        self, e: int, n: int, pairs: Sequence[tuple[int, int, str, str]], skip: int
    ) -> tuple[str, str] | None:
        """Indentation in edit and file of the shared line that tells most about edit line `e`."""
        run = self._run(e)
        indent = indent_of(self.table.lines[e])
        best: tuple[tuple[bool, bool, int], tuple[str, str]] | None = None
        for at, other, ours, theirs in pairs:
            if other != skip:
                rank = (other not in run, ours != indent, abs(at - n))
                if best is None or rank < best[0]:
                    best = (rank, (ours, theirs))
        return best[1] if best else None

    def _shifted(self, indent: str, ours: str, theirs: str) -> str:
        """An indentation that stands to `theirs` as the edit's `indent` stands to `ours`."""
        more = indent[len(ours) :] if indent.startswith(ours) else None
        if more is not None and self.aligner.ratio == 1.0 and ("\t" in more or not self._tabs):
            return theirs + more
        delta = columns(indent) - columns(ours)
        if self._tabs or "\t" in theirs:
            step, delta = "\t", round(delta / (TAB if "\t" in indent + ours else self._level))
        else:
            step, delta = " ", round(delta * (1.0 if "\t" in indent + ours else self.aligner.ratio))
        if delta >= 0:
            return theirs + step * delta
        return theirs[:delta] if len(theirs) >= -delta else ""

    def _run(self, e: int) -> range:
        """Edit lines around `e` up to the markers on both sides."""
        kinds = self.edit.kinds
        first = last = e
        while first > 0 and kinds[first - 1] != "marker":
            first -= 1
        while last + 1 < len(kinds) and kinds[last + 1] != "marker":
            last += 1
        return range(first, last + 1)

    def _line(
        self, op: Op, n: int, pairs: Sequence[tuple[int, int, str, str]], meant: set[int]
    ) -> str:
        """Text of a line that edit and file share: the file's own bytes unless the edit meant to change them."""
        file_line = self.file.lines[op.f]
        if not self.file.keys[op.f]:
            return file_line
        edit_line = self.table.lines[op.e]
        rewrapped = op.e in meant
        if op.kind == "match":
            if op.f in self.file.in_string:
                return file_line
            if not _same_spacing(edit_line, file_line):
                file_line = indent_of(file_line) + edit_line.strip() + file_line[len(file_line.rstrip()) :]
            if not rewrapped:
                return file_line
            indent = indent_of(self._indented(op.e, n, pairs, skip=op.e))
            return indent + file_line.lstrip()
        if is_abbreviation(edit_line, file_line):
            return file_line
        indent = indent_of(file_line)
        if rewrapped:
            indent = indent_of(self._indented(op.e, n, pairs, skip=op.e))
        return indent + edit_line.strip() if op.f not in self.file.in_string else edit_line


def _import_used(line: str, body: str, imported: set[str]) -> bool:
    """Whether a name that an import line binds stands in a text and is not imported otherwise."""
    stripped = line.strip()
    if stripped.startswith("#") or stripped.endswith(("{", "(", ",")):
        return False  # what a header or a part of an import binds, its line doesn't say
    if stripped.startswith("from"):
        bound = stripped.partition(" import ")[2]
    elif "require" in stripped or " from " in stripped:
        bound = stripped.partition(" from " if " from " in stripped else "=")[0]
    else:
        bound = stripped
    names = {word for word in words(bound) if word[0].isalpha() or word[0] == "_"} - _IMPORT_WORDS - imported
    return any(re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", body) for name in names)


def _same_spacing(edit_line: str, file_line: str) -> bool:
    """Whether two lines that differ in white space alone do so by the edit's carelessness.

    They do where the edit only has single blanks for the blanks that align the file's columns.
    """
    ours, theirs = edit_line.split(), file_line.split()
    return ours == theirs and (" ".join(ours) == edit_line.strip() or edit_line.strip() == file_line.strip())


def _base(found: Sequence[tuple[int, float]]) -> float:
    """Shift of a run's indentation, of each line's depth in the edit and shift.

    None where one of the least deep lines stands as in the file, else the commonest.
    """
    least = min(depth for depth, _ in found)
    if any(abs(delta) < 0.6 for depth, delta in found if depth == least):
        return 0.0
    counted = Counter(round(delta, 1) for _, delta in found)
    return max(counted, key=lambda delta: counted[delta])


def _only_tabs(lines: Sequence[str]) -> bool:
    """Whether a text indents with tabs, a few aligned lines left aside."""
    tabs = sum(line[:1] == "\t" and bool(line.strip()) for line in lines)
    return tabs > 4 * sum(line[:2] == "  " and bool(line.strip()) for line in lines)


def _trimmed(change: Splice, lines: Sequence[str]) -> Splice:
    """Leave equal lines at a splice's ends to the file, so that their bytes stay."""
    start, end, new = change.start, change.end, list(change.lines)
    while start < end and new and new[0] == lines[start]:
        start, new = start + 1, new[1:]
    while start < end and new and new[-1] == lines[end - 1]:
        end, new = end - 1, new[:-1]
    return Splice(start, end, tuple(new))


def _same_attachment(old: str, new: str) -> bool:
    """Whether a decorator or comment is the new version of another one."""
    if bool(is_decorator(old)) != bool(is_decorator(new)):
        return False
    if is_decorator(old):
        return words(old)[1:2] == words(new)[1:2]
    return similarity(old, new) >= 0.4


def is_abbreviation(edit_line: str, file_line: str) -> bool:
    """Whether an edit line only shortens the file's: ``# -- helpers --`` for ``# -- helpers -----``."""
    ours, theirs = comment_body(edit_line), comment_body(file_line)
    if ours is not None and theirs is not None:
        a, b = re.findall(r"\w+", ours), re.findall(r"\w+", theirs)
        if a == b:
            shorter, longer = edit_line.strip(), file_line.strip()
            return len(shorter) < len(longer) and shorter.rstrip("-=*#~_ ") == longer.rstrip("-=*#~_ ")
        return len(a) < len(b) and a == b[: len(a)] and len(a) >= max(1, len(b) // 2)
    if "..." in edit_line and "..." not in file_line:
        parts = [part.strip() for part in edit_line.strip().split("...")]
        body = file_line.strip()
        return (
            len(parts) == 2 and len("".join(parts)) >= 8 and body.startswith(parts[0]) and body.endswith(parts[1])
            and len(body) >= len(parts[0]) + len(parts[1])
        )
    return False
