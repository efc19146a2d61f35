"""Edits whose place the caller names: ``in Store.get``, ``after get``, ``before get``, ``replace get``.

    Where ─ after, before, replace ─▶ the code as a hunk at that place ─┐
          └ in, a line ───────────────────────────────────────────────┴─▶ `propose_within` those lines

What is put beside a name, or in its place, is a hunk like any other from then on, and is verified as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.edits.markers import find_markers
from fastapply.errors import Refused
from fastapply.merge.lines import line_table
from fastapply.merge.plain.readings import TELLING
from fastapply.merge.symbols import (
    find_symbol,
    last_member,
    names_of,
    place_beside,
    symbol_from,
    symbols_around,
)
from fastapply.pipeline.picks import take_each
from fastapply.text import splice
from fastapply.types import Hunk, HunkList, LineRange, Question, Segment, Snippet
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fastapply.text import SourceText
    from fastapply.types import FileEdit, Part, Proposal, Side, Splice, Where

    Propose = Callable[[SourceText], Proposal]


def with_address(
    source: SourceText, file_edit: FileEdit, where: Where, *, language: str | None
) -> tuple[FileEdit, LineRange]:
    """The edit with its code as a hunk where that is told, and the 1-based lines that it may change.

    Raises `Refused`: ``no_such_name``, ``ambiguous_name``, ``not_code`` for hunks, or code with markers, that
    cannot be put beside a name.
    """
    symbol = find_symbol(source, language, where.name)
    window = LineRange(symbol.start + 1, symbol.end)
    parts = file_edit.parts
    code = _code_of(parts, language)
    *scope, own = symbol.name.split(".")
    around = {*scope, own} if where.side == "in" else {*scope} - {own}
    if where.side in {"in", "replace"} and (code is None or around & names_of(code, language)):
        return file_edit, window  # it shows what the name stands in, or the name itself
    if code is None:
        has = "markers" if all(isinstance(one, Snippet) for one in parts) else "hunks"
        raise Refused(
            f"`{where}` takes new code alone, and the edit has {has}",
            reason="not_code",
            hint="send only the new code, or say in what the edit is to change",
        )
    side: Side = where.side
    if side == "in":
        member = last_member(source, language, symbol)
        if member is None or not _is_new(code, source.lines[symbol.start : symbol.end], language):
            return file_edit, window
        symbol, side = member, "after"
    splices = place_beside(source, language, symbol, code, side)
    first = min(symbol.start, *(one.start for one in splices))
    last = max(symbol.end, *(one.end for one in splices))
    after = splice(replace(source, endings=("\n",) * len(source.lines)), splices).lines
    hunk = Hunk(
        1,
        getattr(parts[0], "edit_line", 1),
        (Segment(source.lines[first:last], after[first : last + len(after) - len(source.lines)]),),
    )
    return replace(file_edit, parts=(HunkList("search_replace", (hunk,)),)), LineRange(first + 1, last)


def propose_within(
    source: SourceText, part: Part, window: LineRange, propose: Propose, name: str
) -> Proposal:
    """The merge of a part that changes nothing but some lines of the file, 1-based.

    Where the merge in the whole file is open, all is blank for another one but these lines and the heads of
    what they stand in. `name` is what the caller calls them.
    """
    whole = propose(source)
    if whole.certain and _inside(whole.splices, window):
        return whole
    tried = [whole.splices, *(one.splices for question in whole.questions for one in question.candidates)]
    beyond = [one.start for splices in tried for one in splices if not _inside((one,), window)]
    if not whole.certain:
        if isinstance(part, HunkList):
            narrow = _narrowed(whole, window)
            if all(len(question.candidates) == 1 for question in narrow.questions):
                return take_each(narrow, [question.candidates[0] for question in narrow.questions]) or narrow
        masked = propose(_masked(source, window))
        if window.last < len(source.lines):
            masked = replace(masked, final_newline=None)
        if masked.certain and _inside(masked.splices, window):
            return masked
        masked = _narrowed(masked, window)
        if any(question.candidates for question in masked.questions) or not (beyond or masked.certain):
            return masked
    line = f"for line {beyond[0] + 1}, which is not in" if beyond else "not for"
    question = Question(
        "outside",
        f"the edit is {line} {name}",
        "check the name, or send the edit without it",
        getattr(part, "edit_line", 1),
    )
    return replace(whole, splices=(), questions=(question,), certainty=None, needed=None)


def propose_at(
    source: SourceText, part: Part, open_: Proposal, propose: Propose, *, at: LineRange, language: str | None
) -> Proposal:
    """The merge of an open part at lines that the caller names, where none of its candidates is.

    It is the merge in the innermost thing around these lines. New code, of which the file has nothing, goes
    before the first of them.
    """
    if at.last > len(source.lines):
        return open_
    code = _code_of((part,), language)
    beside = symbol_from(source, language, at.first - 1) if at.first == at.last else None
    if code and beside and _is_new(code, source.lines, language):
        put = place_beside(source, language, beside[0], code, beside[1])
        return replace(open_, splices=put, questions=(), certainty=None, weighed=False, needed=None)
    if any(one.lines.meets(at) for question in open_.questions for one in question.candidates):
        return open_
    around = symbols_around(source, language, at.first - 1, at.last - 1)
    for one in around:
        found = propose_within(source, part, LineRange(one.start + 1, one.end), propose, one.name)
        if found.certain:
            return found
    return open_


def _code_of(parts: Sequence[Part], language: str | None) -> tuple[str, ...] | None:
    """The lines of the only part, if that is code; None where a marker stands between them."""
    if len(parts) != 1 or not isinstance(parts[0], Snippet):
        return None
    lines = parts[0].lines
    marked = set(find_markers(lines, language))
    told = [number for number, line in enumerate(lines) if line.strip() and number not in marked]
    if not told or any(told[0] < number < told[-1] for number in marked):
        return None
    return lines[told[0] : told[-1] + 1]


def _is_new(code: Sequence[str], lines: Sequence[str], language: str | None) -> bool:
    """Whether no line of some code that says where it belongs is among lines of the file.

    What stands deeper than the code's first level may be: another function may set the same things.
    """
    table, held = line_table(code, language), {"".join(line.split()) for line in lines}
    rows = [
        (depth, key)
        for depth, key, weight in zip(table.depths, table.keys, table.weights, strict=True)
        if weight > TELLING
    ]
    level = min((depth for depth, _ in rows), default=0.0)
    return not any(key in held for depth, key in rows if depth == level)


def _inside(splices: Iterable[Splice], window: LineRange) -> bool:
    return all(window.first - 1 <= one.start and one.end <= window.last for one in splices)


def _narrowed(proposal: Proposal, window: LineRange) -> Proposal:
    """An open merge with the candidates that change nothing but these lines."""
    questions = tuple(
        replace(
            question,
            candidates=tuple(
                one for one in question.candidates if one.splices and _inside(one.splices, window)
            ),
            id="",
        )
        for question in proposal.questions
    )
    return replace(proposal, questions=questions)


def _masked(source: SourceText, window: LineRange) -> SourceText:
    """A file that ends with some lines, and is blank above them but for the heads of what they stand in."""
    from fastapply.merge.places import enclosing_lines

    shown = {*range(window.first - 1, window.last), *enclosing_lines(source.lines, window.first - 1)}
    lines = tuple(line if number in shown else "" for number, line in enumerate(source.lines[: window.last]))
    return replace(source, lines=lines, endings=source.endings[: window.last])
