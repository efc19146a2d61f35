"""The indentation of new lines that is off by a constant.

In Python and YAML, where the text parses worse than the file did, and one shift of a run of new lines
mends that: the least one, if left and right are not alike. In every language with a grammar, where the
new entries of a list, block or body all stand in one column and the file's own entries of the same kind, in
the same list, all stand in another; not in Markdown, where depth says what an entry belongs to.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.pipeline.smoothing.draft import Mend, broken_text, change_lines, find_ref, indent
from fastapply.syntax import parse
from fastapply.syntax.trees import utf8

if TYPE_CHECKING:
    from tree_sitter import Node

    from fastapply.pipeline.smoothing.draft import MendDraft, Ref

_LANGUAGES = frozenset({"python", "yaml"})
_NESTED = frozenset({"markdown", "rst"})  # depth says what an entry belongs to
_FURTHEST = 8  # columns


def mend_indentation(draft: MendDraft) -> Mend | None:
    """Give the edit with its new lines moved to where they parse, or to where their neighbours stand."""
    lines = draft.text.lines
    language = draft.language
    if language is None:
        return None
    runs = _runs(draft.new_lines(), lines)
    is_broken = bool(broken_text(draft.original.text, draft.text.text, language))
    if language not in _LANGUAGES if is_broken else language in _NESTED:
        return None
    known = {"".join(line.split()) for line in draft.original.lines}
    together = [[number for run in runs for number in run]] if len(runs) > 1 and is_broken else []
    for numbers in [*runs, *together]:
        if not is_broken and all("".join(lines[number].split()) in known for number in numbers):
            continue  # lines of the file at another depth: that is the change
        shift = _shift(draft, numbers) if is_broken else _shift_to_siblings(draft, numbers)
        if not shift:
            continue
        changes: dict[Ref, tuple[str, ...]] = {}
        for number in numbers:
            ref = find_ref(draft, number)
            moved = _moved(ref.text, shift) if ref is not None else None
            if ref is None or moved is None:
                return None
            changes[ref] = (moved,)
        amount = f"{abs(shift)} too {'much' if shift < 0 else 'little'}"
        message = f"{len(numbers)} lines of the edit are indented {amount}"
        return Mend(change_lines(draft.file_edit, changes), message, lines[numbers[0]].strip(), numbers[0])
    return None


def _shift_to_siblings(draft: MendDraft, numbers: list[int]) -> int | None:
    """How far a run stands from the entries beside it, if those stand in one column and it in another."""
    tree = parse(draft.text.text, draft.language)
    if tree is None:
        return None
    lines = draft.text.lines
    first = numbers[0]
    column = len(utf8(indent(lines[first])))
    node = tree.root_node.descendant_for_point_range((first, column), (first, column + 1))
    while node is not None and node.parent is not None and node.parent.start_point == node.start_point:
        node = node.parent
    parent = node.parent if node is not None else None
    if node is None or parent is None or parent.end_point.row < numbers[-1]:
        return None
    entries = [
        one for one in parent.named_children if len(indent(lines[one.start_point.row])) == _column(one, lines)
    ]
    new = set(draft.new_lines())
    came = [one for one in entries if one.start_point.row in numbers and one.type != "comment"]
    stayed = [one for one in entries if one.start_point.row not in new and one.type != "comment"]
    kinds = {one.type for one in came}
    alike = [one for one in stayed if one.type in kinds]
    for beside in (alike, stayed):
        columns, own = {_column(one, lines) for one in beside}, {_column(one, lines) for one in came}
        if len(columns) != 1 or len(own) != 1:
            continue
        shift = columns.pop() - own.pop()
        if shift and abs(shift) <= _FURTHEST and (beside is alike or _is_odd(draft, shift)):
            return shift
    return _shift_from_opener(draft, numbers) if not stayed else None


def _shift_from_opener(draft: MendDraft, numbers: list[int]) -> int | None:
    """How far a run stands from where the bracket or colon that ends the line above it wants it."""
    lines = draft.text.lines
    above = next((line for line in reversed(lines[: numbers[0]]) if line.strip()), "")
    below = next((line for line in lines[numbers[-1] + 1 :] if line.strip()), "")
    closes = below.lstrip()[:1] in {")", "]", "}"} and indent(below) == indent(above)
    if not (above.rstrip()[-1:] in {"(", "[", "{"} and closes) and not (
        draft.language == "python" and above.rstrip().endswith(":")
    ):
        return None
    shift = len(indent(above)) + (_step(draft) or 0) - len(indent(lines[numbers[0]]))
    return shift if 0 < abs(shift) <= _FURTHEST and _is_odd(draft, shift) else None


def _is_odd(draft: MendDraft, shift: int) -> bool:
    """Whether a shift is no whole number of the steps by which the file indents."""
    step = _step(draft)
    return step is not None and shift % step != 0


def _step(draft: MendDraft) -> int | None:
    """By how many columns the file indents what a bracket or colon opens; None where there is no telling."""
    lines = [line for line in draft.original.lines if line.strip()]
    steps = Counter(
        len(indent(below)) - len(indent(above))
        for above, below in pairwise(lines)
        if above.rstrip()[-1:] in {"{", "[", "(", ":"} and "\t" not in indent(below)
    )
    steps = Counter({step: count for step, count in steps.items() if step > 0})
    return steps.most_common(1)[0][0] if steps else None


def _column(node: Node, lines: tuple[str, ...]) -> int:
    """The column in which a node begins, in characters."""
    line = utf8(lines[node.start_point.row])
    return len(line[: node.start_point.column].decode("utf-8", "replace"))


def _shift(draft: MendDraft, numbers: list[int]) -> int | None:
    """The one shift, in columns, with which a text parses; None where there is none, or no telling."""
    for width in range(1, _FURTHEST + 1):
        fit = []
        for shift in (-width, width):
            lines = list(draft.text.lines)
            moved = [_moved(lines[number], shift) for number in numbers]
            if None in moved:
                continue
            for number, line in zip(numbers, moved, strict=True):
                lines[number] = line or ""
            if not broken_text(draft.original.text, "\n".join([*lines, ""]), draft.language):
                fit.append(shift)
        if fit:
            return fit[0] if len(fit) == 1 else None
    return None


def _moved(line: str, shift: int) -> str | None:
    """A line moved to the right, or to the left where that is negative; None where it has no room."""
    lead = indent(line)
    if "\t" in lead:
        return None
    if shift < 0:
        return line[-shift:] if len(lead) >= -shift else None
    return " " * shift + line


def _runs(new: list[int], lines: tuple[str, ...]) -> list[list[int]]:
    """New lines that follow each other, blank ones left out."""
    runs: list[list[int]] = []
    last = -2
    for number in new:
        if number != last + 1 or not runs:
            runs.append([])
        if lines[number].strip():
            runs[-1].append(number)
        last = number
    return [run for run in runs if run]
