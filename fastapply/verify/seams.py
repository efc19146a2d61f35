"""Where a shown run meets lines that stay: whether it took too much there, or came in twice.

What a marker stands for begins right at the run's first and ends right at its last line, so file
lines may go inside a run, but not between the run and the text beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.types import Finding
from fastapply.values import dataclass
from fastapply.verify.compare import is_comment, is_weak
from fastapply.verify.evidence import Place
from fastapply.verify.losses import replaces_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapply.verify.evidence import Evidence
    from fastapply.verify.shown import Run


@dataclass(frozen=True, slots=True)
class _Image:
    """A run whose first and last line are in the merged text, and where its lines are."""

    run: Run
    lines: tuple[int, ...]  # merged lines, -1 for one that is missing
    above: int  # the file line of the kept and unshown line above, or -1
    below: int  # the file line of the one below, or the number of file lines


def check_seams(evidence: Evidence) -> list[Finding]:
    """`lost_lines` for what a run took beside itself, `doubled_line` for an edge that came again."""
    findings: list[Finding] = []
    if replaces_all(evidence):
        return findings
    for image in _images(evidence):
        lost = _needless(evidence, image) or _taken_above(evidence, image) or _taken_below(evidence, image)
        if lost:
            text = evidence.original.lines[lost[0]].strip()[:80]
            message = f"{len(lost)} lines are missing that the edit does not replace, from {text!r}"
            findings.append(Finding("lost_lines", message, lost[0] + 1, "truncation"))
        findings += _came_again(evidence, image)
        findings += _glued(evidence, image)
    return findings


def _images(evidence: Evidence) -> Iterator[_Image]:
    stays = [
        index >= 0 and at not in evidence.shown and bool(evidence.new_keys[at])
        for at, index in enumerate(evidence.kept_from)
    ]
    for number, part in enumerate(evidence.wanted.parts):
        if not part.is_snippet:
            continue
        for r, run in enumerate(part.runs):
            lines = tuple(evidence.found.get(Place(number, r, i), -1) for i in range(len(run.lines)))
            if not lines or lines[0] < 0 or lines[-1] < lines[0]:
                continue
            above = next((at for at in range(lines[0] - 1, -1, -1) if stays[at]), -1)
            below = next((at for at in range(lines[-1] + 1, len(stays)) if stays[at]), -1)
            yield _Image(
                run,
                lines,
                evidence.kept_from[above] if above >= 0 else -1,
                evidence.kept_from[below] if below >= 0 else len(evidence.old_keys),
            )


def _needless(evidence: Evidence, image: _Image) -> list[int]:
    """Lines that went although the run fits the file as a mere insertion.

    That is so when what the run shows above its new lines stands right above what it shows below
    them. ``}`` / new method / ``void next() {`` removes nothing from between two methods.
    """
    first, last = image.lines[0], image.lines[-1]
    shown = evidence.wanted.keys
    gone = [
        index
        for change in evidence.changes
        if first <= change.first <= last + 1
        for index in range(change.start, change.end)
        if evidence.old_keys[index] and not shown[evidence.old_keys[index]]
    ]
    if all(is_weak(evidence.old_keys[index]) for index in gone):
        return []
    full = [index for index, key in enumerate(evidence.old_keys) if key]
    dense = {index: at for at, index in enumerate(full)}
    keys = [line.key for line in image.run.lines]
    kept = [dense.get(evidence.kept_from[at], -1) if at >= 0 else -1 for at in image.lines]

    def old(at: int, size: int) -> list[str]:
        return [evidence.old_keys[index] for index in full[at : at + size]] if at >= 0 else []

    tail = len(keys)
    while tail and kept[tail - 1] >= 0 and (tail == len(keys) or kept[tail - 1] == kept[tail] - 1):
        tail -= 1
    head = 0
    while head < len(keys) and kept[head] >= 0 and (not head or kept[head] == kept[head - 1] + 1):
        head += 1

    def is_telling(found: Sequence[str], matched: Sequence[str], new: range, *, all_kept: bool) -> bool:
        """Whether context that was found elsewhere is more than a closer that stands everywhere."""
        strong = sum(not is_weak(key) for key in found)
        if any(kept[i] >= 0 and not is_weak(keys[i]) for i in new):
            return strong >= 3  # what should be new is in part the file's: rather a replacement
        return bool(strong) or (all_kept and any(not is_weak(key) for key in matched))

    for size in range(1, tail + 1 if tail < len(keys) else 0):
        if keys[:size] == old(kept[tail] - size, size) and is_telling(
            keys[:size], keys[tail:], range(size, tail), all_kept=size == head
        ):
            return gone
    for size in range(1, len(keys) - head + 1 if head else 0):
        if keys[-size:] == old(kept[head - 1] + 1, size) and is_telling(
            keys[-size:], keys[:head], range(head, len(keys) - size), all_kept=size == len(keys) - tail
        ):
            return gone
    for at in range(1, len(keys)):  # what went stood between two shown lines that are neighbours elsewhere
        if not 0 <= kept[at - 1] < kept[at] - 1:
            continue
        if keys[at:] == old(kept[at - 1] + 1, len(keys) - at) or keys[:at] == old(kept[at] - at, at):
            return gone
    for at in range(tail + 1, len(keys) if head else 0):  # new lines may end with an old closer
        if any(kept[i] >= 0 and not is_weak(keys[i]) for i in range(head, at)):
            break
        if keys[:head] == old(kept[at] - head, head) and is_telling(
            keys[:head], keys[at:], range(head, at), all_kept=True
        ):
            return gone
    return []


def _taken_above(evidence: Evidence, image: _Image) -> list[int]:
    """Lines above the run's first line, in the file, that went without the run beginning anew."""
    key = image.run.lines[0].key
    span = range(image.above + 1, image.below)
    at = next((index for index in span if evidence.old_keys[index] == key), -1)
    if at < 0 or is_weak(key):
        return []
    return _really_gone(evidence, range(image.above + 1, at))


def _taken_below(evidence: Evidence, image: _Image) -> list[int]:
    key = image.run.lines[-1].key
    span = range(image.above + 1, image.below)
    at = next((index for index in reversed(span) if evidence.old_keys[index] == key), -1)
    if at < 0 or is_weak(key):
        return []
    run = image.run
    if (
        run.marker_below is not None
        and run.blank_below
        and any(line.key.endswith(":") and line.indent >= run.marker_below for line in run.lines)
    ):
        return []  # Python: the marker's indentation says that the body is shown to its end
    return _really_gone(evidence, range(at + 1, image.below))


def _really_gone(evidence: Evidence, lines: range) -> list[int]:
    """Those lines, unless they are only closers or all stand somewhere else now."""
    shown = evidence.wanted.keys
    gone = [index for index in lines if evidence.old_keys[index] and not shown[evidence.old_keys[index]]]
    return [] if all(is_weak(evidence.old_keys[index]) for index in gone) else gone


def _came_again(evidence: Evidence, image: _Image) -> list[Finding]:
    """An edge of the run that came anew while the file's only such line stays elsewhere."""
    findings = []
    run = image.run
    edges = []  # only where a marker says that the text goes on; else the run's new lines may be the last
    if run.marker_above is not None:
        edges.append((image.lines[0], run.lines[0]))
    if run.marker_below is not None:
        edges.append((image.lines[-1], run.lines[-1]))
    for at, line in edges:
        if at < 0 or evidence.kept_from[at] >= 0 or is_weak(line.key) or line.key.endswith(("{", ":", "(")):
            continue
        stand = [index for index, key in enumerate(evidence.old_keys) if key == line.key]
        if len(stand) != 1 or evidence.kept_as[stand[0]] < 0 or evidence.kept_as[stand[0]] in evidence.shown:
            continue
        here = evidence.kept_as[stand[0]] + 1
        message = f"{line.text.strip()[:80]!r} was added, but it is also still at line {here}"
        findings.append(Finding("doubled_line", message, at + 1, "functional_error"))
    return findings


def _glued(evidence: Evidence, image: _Image) -> list[Finding]:
    """A line that stays right below the run's new end, though a blank line stood above it."""
    below = image.lines[-1] + 1
    if below >= len(evidence.kept_from) or not evidence.new_keys[below] or below in evidence.shown:
        return []
    index = evidence.kept_from[below]
    last = image.run.lines[-1].text
    if is_comment(last) or last.lstrip().startswith(("@", "#[", "[")):
        return []
    if index < 1 or evidence.old_keys[index - 1] or evidence.kept_from[below - 1] == index - 1:
        return []
    message = f"{evidence.merged.lines[below].strip()[:80]!r} lost the blank line above it"
    return [Finding("lost_lines", message, index + 1, "truncation")]
