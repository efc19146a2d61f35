"""What leaves a careful reader in doubt about a replacement, although its place is clear."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from fastapply.dataset.by_rule.change import indent_of, is_strong
from fastapply.dataset.by_rule.seeming import closes_block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.dataset.by_rule.blocks import Block, Structure
    from fastapply.dataset.by_rule.change import Replaced
    from fastapply.dataset.by_rule.lookup import View

_WORD = re.compile(r"\w+(?:[ -]+\w+)*")
_COMMENTS = ("#", "//", "/*", "*", "--", "<!--")


def is_bounded(view: View, shown: frozenset[int], below: list[int]) -> bool:
    """Whether what follows a removal is more than the end of the new lines themselves."""
    if says_something(view, below):
        return True
    change = view.change
    at = next(i for i, old in enumerate(change.old_of) if old == below[0])
    if not closes_block(change.after[at]):
        return False
    depth = indent_of(change.after[at])
    opener = next(
        (i for i in range(at - 1, -1, -1) if indent_of(change.after[i]) <= depth and change.after[i].strip()),
        None,
    )
    return opener is not None and opener in shown and change.old_of[opener] is not None


def is_overload(view: View, r: Replaced, shown: frozenset[int]) -> bool:
    """Whether an insertion defines a name again that a hidden neighbour defines: it may be its new form."""
    change = view.change
    visible = {i for s in shown if (i := change.old_of[s]) is not None}
    new = [b for b in view.new.blocks if b.defines and b.name and r.a0 <= b.start < r.a1]
    parents = {(b.name, _parent(view.new, b)) for b in new}
    return any(
        b.defines and b.start not in visible and (b.name, _parent(view.old, b)) in parents
        for b in view.old.blocks
    )


def _parent(structure: Structure, block: Block) -> str:
    around = [
        b
        for b in structure.blocks
        if b.defines and b.body <= block.start and block.end <= b.end and b is not block
    ]
    return around[-1].name if around else ""


def says_something(view: View, lines: Sequence[int]) -> bool:
    """Whether one of these before lines is strong."""
    return any(is_strong(view.change.before[i]) for i in lines)


def looks_like_neighbour(view: View, r: Replaced, *, top: bool) -> bool:
    """Whether an insertion could be read as a new version of the hidden lines above or below it.

    Either its outer lines are like the lines beside it, or the whole of it is like as many lines.
    """
    change = view.change
    new = [line.strip() for line in change.after[r.a0 : r.a1] if line.strip()]
    hidden = change.before[: r.b0][::-1] if top else change.before[r.b1 :]
    beside = [line.strip() for line in hidden[: 3 * len(new) + 12] if line.strip()]
    if not new or not beside:
        return not new
    edge = new[:2] if top else new[-2:]
    if any(_alike(a, b) for a in edge for b in beside[:4]):
        return True
    twin = beside[: len(new)][::-1] if top else beside[: len(new)]
    return _alike("\n".join(new)[:800], "\n".join(twin)[:800])


def slides(view: View, r: Replaced, *, top: bool) -> bool:
    """Whether the outer line of an insertion is the hidden line that it would touch: it reads as that one.

    Of ``a``, ``}``, ``b {`` behind a shown ``a``, with ``}`` in the file below it, ``b {`` seems to be new.
    A closing line whose block is new as well is no such line.
    """
    change = view.change
    new = [line for line in change.after[r.a0 : r.a1] if line.strip()]
    hidden = change.before[: r.b0][::-1] if top else change.before[r.b1 :]
    touched = next((line for line in hidden if line.strip()), None)
    if not new or touched is None:
        return False
    outer = new[-1] if top else new[0]
    if outer.strip() != touched.strip():
        return False
    opened = top and any(indent_of(line) <= indent_of(outer) for line in new[:-1])
    return not (opened and closes_block(outer))


def _alike(left: str, right: str) -> bool:
    shape = _WORD.sub("w", left)
    return (len(shape) > 1 and shape == _WORD.sub("w", right)) or SequenceMatcher(
        None, left, right, autojunk=False
    ).ratio() > 0.6


def is_copy(view: View, r: Replaced, shown: frozenset[int]) -> bool:
    """Whether an insertion repeats lines of the file that it does not show: it may be a move."""
    change = view.change
    visible = {i for s in shown if (i := change.old_of[s]) is not None}
    strong = [line for line in change.after[r.a0 : r.a1] if is_strong(line)]
    copies = [
        line
        for line in strong
        if any(i not in visible for i in view.lookup.find([line], 0, len(change.before)))
    ]
    return 2 * len(copies) > len(strong) or not strong


def is_slight(view: View, r: Replaced) -> bool:
    """Whether a new line could be an old one of its place, written down carelessly.

    A comment that only lost words may be abbreviated context; a line inside a string of several
    lines that only moved sideways may be context as well.
    """
    change = view.change
    old = [line.strip() for line in change.before[r.b0 : r.b1] if line.strip()]
    for at in range(r.a0, r.a1):
        line = change.after[at].strip()
        if not line or change.after[at] in change.before[r.b0 : r.b1]:
            continue
        if line in old and any(first <= at <= last for first, last in view.new.tokens):
            return True
        if line.startswith(_COMMENTS) and any(_lost_words(line, text) for text in old):
            return True
    return False


def _lost_words(new: str, old: str) -> bool:
    """``"# reads a file"`` lost words of ``"# reads a file of lines"``, or of ``"# it reads a big file"``."""
    if not old.startswith(_COMMENTS):
        return False
    left, right = _words(new), _words(old)
    rest = iter(right)
    return bool(left) and len(left) <= len(right) and all(word in rest for word in left)


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in text).split()
