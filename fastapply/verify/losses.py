"""What the file had and the merged text has no longer, unless the edit explains it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from fastapply.syntax import definitions
from fastapply.types import Finding
from fastapply.verify.compare import covered, indent_of, is_weak, key_of, word_likeness

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.syntax import Definition
    from fastapply.verify.evidence import Change, Evidence, Place
    from fastapply.verify.shown import WantedLine

_CONTAINERS = frozenset({"class", "module", "impl", "test"})
_MAIN_KINDS = _CONTAINERS | {"function", "type", "rule", "table", "block", "section"}
LEAST_OF_A_WHOLE = 0.6  # the share of a file's lines that a whole file leaves at least
SMALL = 9  # lines with text of a file that nobody shows a part of


def check_losses(evidence: Evidence) -> list[Finding]:
    """`lost_definition`, `lost_lines`, `size_drop` and changed line ends."""
    lost: list[list[int]] = []
    if not replaces_all(evidence):
        had = Counter(evidence.old_keys)
        balance = had - Counter(evidence.new_keys)
        moved = _moved(evidence, had)
        for change in evidence.changes:
            if change.end > change.start:
                lines = _Stretch(evidence, change, moved, had, balance).unexplained()
                if any(evidence.original.lines[line].strip() for line in lines):
                    lost.append(lines)
    defined = definitions(evidence.original.text, evidence.language) if lost else ()
    findings = [_describe(evidence, lines, defined) for lines in lost]
    findings += _check_size(evidence)
    if not findings:
        findings += _check_line_ends(evidence)
    return findings


def replaces_all(evidence: Evidence) -> bool:
    """Whether a snippet stands for the whole file, so that what it leaves out is meant to go."""
    if not evidence.is_whole:
        return False
    if evidence.wanted.parts[0].said_whole:
        return True
    full = [index for index, line in enumerate(evidence.original.lines) if line.strip()]
    new = [line for line in evidence.merged.lines if line.strip()]
    if not full or not new or len(new) < LEAST_OF_A_WHOLE * len(full):
        return not full
    if len(full) <= SMALL and len(new) >= len(full):
        # a few lines, as many new ones, and one end in common: nobody shows a part of that
        ends = evidence.original.lines[full[0]] == new[0], evidence.original.lines[full[-1]] == new[-1]
        if any(ends):
            return True
    # both ends of the file are in it, or all that it defines: neither cut off nor only a piece
    old = evidence.original.lines
    last = old[full[-1]]
    closes = last.strip()[0] in ")]}" and last.strip()[0] == new[-1].strip()[0]
    if word_likeness(old[full[0]], new[0]) >= 0.5 and (closes or word_likeness(last, new[-1]) >= 0.5):
        return True
    has = {one.name for one in definitions(evidence.merged.text, evidence.language)}
    had = {
        one.name for one in definitions(evidence.original.text, evidence.language) if one.kind in _MAIN_KINDS
    }
    return bool(had) and had <= has


def _moved(evidence: Evidence, had: Counter[str]) -> frozenset[str]:
    """Keys of lines that stand once in the file, and came at another place as the edit shows them."""
    came = {
        evidence.new_keys[index]
        for change in evidence.changes
        for index in range(change.first, change.last)
        if index in evidence.shown
    }
    return frozenset(key for key in came if len(key) >= 10 and had[key] == 1)


class _Stretch:
    """Judges the file lines that one change took away."""

    def __init__(
        self,
        evidence: Evidence,
        change: Change,
        moved: frozenset[str],
        had: Counter[str],
        balance: Counter[str],
    ) -> None:
        self.evidence = evidence
        self.had = had
        self.balance = balance
        self.change = change
        self.moved = moved
        self.old = evidence.original.lines
        self.new = evidence.merged.lines
        self.came = [i for i in range(change.first, change.last) if i in evidence.shown]
        self.went = [i for i in range(change.start, change.end) if self.old[i].strip()]

    def unexplained(self) -> list[int]:
        """File lines of this change that nothing in the edit accounts for."""
        if not self.went:
            return [] if self._at_a_seam() else list(range(self.change.start, self.change.end))
        open_lines = [i for i in self.went if not self._is_taken(i)]
        if not open_lines or self._is_omitted(open_lines):
            return []
        headers = self._headers()
        paired = self._paired(open_lines)
        headers += [(i, place) for i, place in paired.items()]
        open_lines = [i for i in open_lines if i not in paired]
        blocks = [self._block(i) for i, place in headers if self._shows_end(place)]
        blocks += self._noted_blocks()
        open_lines = [i for i in open_lines if not any(a <= i < b for a, b in blocks)]
        open_lines = [] if self._is_moved(open_lines) else open_lines
        if all(is_weak(key_of(self.old[i])) for i in open_lines) and (
            self.came or len(open_lines) < len(self.went)
        ):
            return []  # only closers are left over of something that is explained
        if self.came and self._is_rewritten(open_lines):
            return []
        return open_lines

    def _at_a_seam(self) -> bool:
        """Blank lines may go where the edit put something, or where something shown is next."""
        around = (
            *range(self.change.first - 2, self.change.first),
            *range(self.change.last, self.change.last + 2),
        )
        return bool(self.came) or any(index in self.evidence.shown for index in around)

    def _is_taken(self, index: int) -> bool:
        """Whether a hunk's before-side names the line, and not more of its kind went than it names."""
        key = key_of(self.old[index])
        for part in self.evidence.wanted.parts:
            if part.before[key] and (part.everywhere or self.balance[key] <= part.removed[key]):
                return True
            if part.is_snippet:
                continue
            for line in part.taken:  # a before-side that is not quite what the file says
                taken = key_of(line)
                if taken not in self.had and (taken == key or word_likeness(self.old[index], line) >= 0.7):
                    return True
        return False

    def _neighbours(self) -> tuple[Place | None, Place | None]:
        """Where the edit shows the kept lines above and below the change."""
        above, below = self.change.first - 1, self.change.last
        while above >= 0 and not self.new[above].strip():
            above -= 1
        while below < len(self.new) and not self.new[below].strip():
            below += 1
        return self.evidence.shown.get(above), self.evidence.shown.get(below)

    def _is_omitted(self, lines: Sequence[int]) -> bool:
        """Whether the edit shows what stands around these lines with no marker in between."""
        above, below = self._neighbours()
        if above is None or below is None or (above.part, above.run) != (below.part, below.run):
            return False
        part = self.evidence.wanted.parts[above.part]
        if not part.is_snippet or above.line >= below.line:
            return False
        run = part.runs[above.run]
        if all(is_weak(line.key) for line in run.lines):
            return False  # nobody knows which closers of the file these are
        if part.marked or part.said_whole:
            return True
        return self._is_inside_shown_block(lines, run.lines[above.line], run.lines[below.line])

    def _is_inside_shown_block(self, lines: Sequence[int], above: WantedLine, below: WantedLine) -> bool:
        """A snippet without any marker leaves out whole definitions because they stay.

        So what it omits is only meant to go inside a body, between lines that it shows tight
        together, or where it shows all that stands beside the omitted lines.
        """
        defined = definitions(self.evidence.original.text, self.evidence.language)
        around = [one for one in defined if one.first_line < lines[0] and lines[-1] <= one.last_line]
        inner = around[-1] if around else None
        if inner is not None and inner.kind not in _CONTAINERS:
            return True
        heads = {one.header_line for one in defined}
        if not below.after_blank and below.indent <= above.indent and not heads & set(lines):
            return True
        scope = (*inner.scope, inner.name) if inner is not None else ()
        beside = [
            one
            for one in defined
            if one.scope == scope and not set(range(one.first_line, one.last_line + 1)) & set(lines)
        ]
        shown = self.evidence.wanted.keys
        return bool(defined) and all(shown[key_of(self.old[one.header_line])] for one in beside)

    def _headers(self) -> list[tuple[int, Place]]:
        """File lines that were kept and are shown in the run of this change, above it."""
        evidence = self.evidence
        above, _ = self._neighbours()
        place = above or (evidence.shown[self.came[0]] if self.came else None)
        if place is None:
            return []
        part = evidence.wanted.parts[place.part]
        run = part.runs[place.run]
        scopes = set() if part.marked or part.said_whole else self._containers()
        headers = []
        for line in range(min(place.line + 1, len(run.lines))):
            here = type(place)(place.part, place.run, line)
            index = evidence.found.get(here, -1)
            header = evidence.kept_from[index] if index >= 0 else -1
            if index < self.change.last and header >= 0 and header not in scopes:
                headers.append((header, here))
        return headers

    def _containers(self) -> set[int]:
        """Lines that open a class or the like; a snippet without markers only names the scope with them."""
        defined = definitions(self.evidence.original.text, self.evidence.language)
        return {one.header_line for one in defined if one.kind in _CONTAINERS}

    def _shows_end(self, place: Place) -> bool:
        """Whether the edit shows the block that begins at a line to its end, with no marker inside."""
        run = self.evidence.wanted.parts[place.part].runs[place.run]
        indent = run.lines[place.line].indent
        rest = run.lines[place.line + 1 :]
        if any(line.indent <= indent for line in rest):
            return True
        if run.marker_below is None:
            return bool(rest)
        by_indentation = run.lines[place.line].key.endswith(":")
        ends = run.marker_below == indent or (run.blank_below and run.marker_below < indent)
        return bool(rest) and by_indentation and ends

    def _block(self, index: int) -> tuple[int, int]:
        """The block that a file line opens: deeper lines below it, and the line that closes it."""
        indent = indent_of(self.old[index])
        end = index + 1
        while end < len(self.old):
            line = self.old[end]
            if line.strip() and indent_of(line) <= indent:
                if indent_of(line) == indent and is_weak(key_of(line)):
                    end += 1
                    if not key_of(line).endswith(("{", ":", "(", "else")):
                        break
                    continue
                break
            end += 1
        return index, end

    def _paired(self, lines: Iterable[int]) -> dict[int, Place]:
        """Lines that a new line of the edit resembles: the old and the new of one thing."""
        paired: dict[int, Place] = {}
        old = [index for index in lines if not is_weak(key_of(self.old[index]))]
        at = 0
        for number, index in enumerate(old):
            # leave a new line to each later old one, where there are enough
            limit = max(at + 1, len(self.came) - (len(old) - number - 1))
            alike = [
                (_resemblance(self.old[index], self.new[self.came[offset]]), -offset)
                for offset in range(at, min(limit, len(self.came)))
            ]
            best, offset = max(alike, default=(0.0, 0))
            if best >= 0.5:
                paired[index] = self.evidence.shown[self.came[-offset]]
                at = 1 - offset
        return paired

    def _noted_blocks(self) -> list[tuple[int, int]]:
        """What removal notes name: definitions with all that belongs to them, or lines with the name."""
        names = self.evidence.wanted.notes
        if not names:
            return []
        defined = definitions(self.evidence.original.text, self.evidence.language)
        blocks = [(one.attached_line, one.last_line + 1) for one in defined if one.name in names]
        named = [i for i in self.went if names & set(re.findall(r"[\w$]+[!?]?", self.old[i]))]
        return blocks + [self._block(i) for i in named]

    def _is_moved(self, lines: Sequence[int]) -> bool:
        """Whether the edit shows these lines at another place, and some of them only stood here."""
        keys = [key_of(self.old[index]) for index in lines]
        strong = [key for key in keys if not is_weak(key)]
        shown = self.evidence.wanted.keys
        return any(key in self.moved for key in strong) and all(shown[key] for key in strong)

    def _is_rewritten(self, lines: Sequence[int]) -> bool:
        """Whether the words of these lines are all but there in the lines that came for them."""
        old = "\n".join(self.old[index] for index in lines)
        new = "\n".join(self.new[index] for index in self.came)
        return len(lines) <= 3 * len(self.came) and covered(old, new) >= 0.75


def _resemblance(old: str, new: str) -> float:
    one, other = old.strip(), new.strip()
    shortest = min(len(one), len(other))
    same = next((at for at in range(shortest) if one[at] != other[at]), shortest)
    begins_alike = same >= 12 and 2 * same >= shortest
    return max(word_likeness(old, new), 0.5 * (begins_alike or _opens_alike(old, new)))


def _opens_alike(old: str, new: str) -> bool:
    """Whether two lines assign to, define or key the same name: ``MAX = 1`` and ``MAX = f(2)``."""
    pattern = r"\s*((?:[\w$@.\-\"'\[\]]+\s+)*[\w$@.\-\"'\[\]]+)\s*(?::=|=(?!=)|:|\()"
    left, right = re.match(pattern, old), re.match(pattern, new)
    return bool(left and right and left[1].split()[-1] == right[1].split()[-1] and len(left[1]) > 1)


def _describe(evidence: Evidence, lines: Sequence[int], defined: Sequence[Definition]) -> Finding:
    here = set(lines)
    gone = [one for one in defined if one.header_line in here and one.kind not in {"variable", "key"}]
    first = lines[0] + 1
    if gone:
        names = ", ".join(one.name for one in gone[:4])
        return Finding(
            "lost_definition", f"{names} is missing, but the edit does not remove it", first, "truncation"
        )
    text = evidence.original.lines[lines[0]].strip()
    count = f"{len(lines)} lines are missing" if len(lines) > 1 else "a line is missing"
    return Finding(
        "lost_lines",
        f"{count} that the edit neither shows nor removes, from {text[:80]!r}",
        first,
        "truncation",
    )


def _check_size(evidence: Evidence) -> list[Finding]:
    """A whole file that leaves out most of what there was is rather a reply that was cut off."""
    if not evidence.is_whole:
        return []
    old, new = (sum(map(bool, map(str.strip, each.lines))) for each in (evidence.original, evidence.merged))
    if old < 10:
        return []
    least = 0.25 if evidence.wanted.parts[0].said_whole else LEAST_OF_A_WHOLE
    if new >= least * old:
        return []
    return [Finding("size_drop", f"only {new} of {old} lines would be left", None, "truncation")]


def _check_line_ends(evidence: Evidence) -> list[Finding]:
    """Kept lines keep their line ends; whether the last line has one may change."""
    for index, other in enumerate(evidence.kept_as):
        if other < 0:
            continue
        before, after = evidence.original.endings[index], evidence.merged.endings[other]
        if before != after and before and after:
            return [
                Finding(
                    "lost_lines",
                    "the line ending of an unchanged line changed",
                    index + 1,
                    "functional_error",
                )
            ]
    return []
