"""Several snippets of one edit read as one: what each leaves open, the others often settle.

A reply that shows an import, then a method, then a test says that these are three places, and in what order.
So the snippets are joined as one lazy edit, in the order of the reply, with a marker between them. What is
certain of that is believed only where each snippet by itself most likely means the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.edits.markers import is_marker
from fastapply.merge.indentation import indent_of
from fastapply.types import Snippet
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapply.types import Part, Proposal, Splice

MARKER = "... existing code ..."
"""Stands between snippets that have no marker of their own."""


def join_snippets(file: Sequence[str], parts: Sequence[Part]) -> Snippet | None:
    """Snippets as one, with the indentation that they have in the file, whose lines are `file`.

    None where there are not several, where one is said to be the whole file, or where it is not clear how
    far one of them is to be indented.
    """
    snippets = [part for part in parts if isinstance(part, Snippet)]
    if len(snippets) < len(parts) or len(parts) < 2 or any(one.said_whole for one in snippets):
        return None
    indents = _indents(file)
    own = (line.strip() for one in snippets for line in one.lines if is_marker(line))
    marker = next(own, MARKER)
    lines: list[str] = []
    for one in snippets:
        indented = _indented(one.lines, indents)
        if indented is None:
            return None
        lines += [*([marker] if lines else []), *indented]
    last = snippets[-1]
    return replace(snippets[0], lines=tuple(lines), final_newline=last.final_newline, ended=last.ended)


def in_order(alone: Sequence[Proposal]) -> bool:
    """Whether the snippets, each merged by itself, come in the order of the file; one of no place does."""
    starts = [
        likely[0].start
        for one in alone
        if (likely := _likeliest(one)) and all(question.reason != "not_found" for question in one.questions)
    ]
    return starts == sorted(starts)


def agree(alone: Sequence[Proposal], joined: Proposal) -> bool:
    """Whether the snippets, each merged by itself in the likeliest way, change what they change as one."""
    return {change for one in alone for change in _likeliest(one)} == set(joined.splices)


def _likeliest(proposal: Proposal) -> Sequence[Splice]:
    if proposal.certain or not proposal.questions:
        return proposal.splices
    candidates = proposal.questions[0].candidates
    return candidates[0].splices if candidates else ()


def _indents(file: Sequence[str]) -> dict[str, set[str]]:
    """The indentations with which each text stands in the file."""
    found: dict[str, set[str]] = {}
    for line in file:
        if line.strip():
            found.setdefault(line.strip(), set()).add(indent_of(line))
    return found


def _indented(lines: Sequence[str], indents: Mapping[str, set[str]]) -> Sequence[str] | None:
    """A snippet's lines, all moved to the right if all that the file has of them stand so far to the right.

    None where they differ from it in another way.
    """
    moved: set[str | None] = set()
    for line in lines:
        held, indent = indents.get(line.strip(), set()), indent_of(line)
        if len(held) == 1:
            (theirs,) = held
            moved.add(theirs[: len(theirs) - len(indent)] if theirs.endswith(indent) else None)
    if not moved or "" in moved:
        return lines
    added = moved.pop()
    if moved or added is None:
        return None
    return [added + line if line.strip() else line for line in lines]
