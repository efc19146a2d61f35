"""Reading a chat reply, or any text whose blocks and patches are already taken out.

What is left are fences with words between them, diffs outside of fences, or bare code. A fence
holds a diff, a tool call, a file name alone (a label for the next fence), or code that is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.edits.gather import moved
from fastapply.edits.markers import find_markers, is_marker
from fastapply.edits.names import aimed_at, fits, label_of, mentions, read_info
from fastapply.edits.prose import is_entry, is_sentence, says_whole
from fastapply.edits.snippet import Shown, make_piece, take_label, trim, without_chat
from fastapply.edits.target import language_of
from fastapply.errors import EditError
from fastapply.types import Snippet
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapply.edits.choose import Candidate
    from fastapply.edits.fences import Fence
    from fastapply.edits.gather import Piece
    from fastapply.edits.target import Target
    from fastapply.types import FormatName


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which readers may try; all of them unless a format was asked for."""

    format: FormatName | None = None

    def __contains__(self, name: FormatName) -> bool:
        return self.format in {None, "mixed", name}


@dataclass(slots=True)
class Reply:
    """A text with the parts that other readers own masked; reads what is left."""

    lines: tuple[str, ...]
    masked: list[bool]
    fences: tuple[Fence, ...]
    content: tuple[Fence, ...]  # those that are lines of the file, as what they hold is
    target: Target
    wanted: Wanted
    read_calls: Callable[[str], tuple[Piece, ...] | None]

    def pieces(self, others: list[Piece], *, ends: bool) -> tuple[Piece, ...]:
        """All pieces of the text: `others` were read before, `ends` says that the text ends a line."""
        pieces = list(others)
        if "udiff" in self.wanted:
            pieces += self._bare_diffs()
        candidates = self._fenced(pieces)
        if self.wanted.format in {None, "mixed", "lazy", "whole"}:
            if self.fences:
                pieces += self._chosen(candidates, beside=bool(pieces))
            elif not pieces:
                pieces += self._bare(ends=ends)
        if not pieces:
            form = self.wanted.format
            what = f"no edit in format {form}" if form else "no code to apply"
            raise EditError(
                f"the edit contains {what}", reason="no_edit", hint="send the changed code in a fence"
            )
        if any(self.masked):
            self._refuse_loose_code()
        self._refuse_conflicts(pieces)
        return tuple(pieces)

    def _fenced(self, pieces: list[Piece]) -> list[Candidate]:
        """Read all fences: diffs and calls become pieces, code that is shown a candidate."""
        candidates: list[Candidate] = []
        pending: str | None = None
        for number, fence in enumerate(self.fences):
            if any(self.masked[fence.open + 1 : fence.close]):
                continue
            body = fence.body(self.lines)
            told = [line for line in body if line.strip()]
            label = label_of(told[0]) if len(told) == 1 else None
            if label and number + 1 < len(self.fences):
                pending = label
                continue
            read = self._explicit(fence, body)
            if read is None:
                candidates.append(self._candidate(number, body, pending))
            else:
                pieces += self._named(read, number, pending)
            pending = None
        return candidates

    def _bare_diffs(self) -> list[Piece]:
        """Diffs that stand outside of fences."""
        covered = list(self.masked)
        for fence in self.fences:
            covered[fence.open : fence.close + 1] = [True] * (fence.close + 1 - fence.open)
        shown = {at for fence in self.content for at in range(fence.open, fence.close + 1)}
        if not any(line.startswith(("@@", "--- ", "+++ ", "diff ")) for line in self.lines):
            return []
        from fastapply.edits import udiff

        found: list[Piece] = []
        begin = 0
        for stop in [*(at for at, one in enumerate(covered) if one), len(self.lines)]:
            run = self.lines[begin:stop]
            at = 0
            while at < len(run):
                is_line = begin + at in shown or self.target.has_line(run[at])
                if is_line or not udiff.starts_diff(run, at):
                    at += 1
                    continue
                read, end = udiff.read_diff(run, at, self.target, fenced=False)
                found += moved(read, begin)
                self.masked[begin + at : begin + end] = [True] * (end - at)
                at = max(end, at + 1)
            begin = stop + 1
        return found

    def _explicit(self, fence: Fence, body: tuple[str, ...]) -> list[Piece] | None:
        """Read a fence that holds a diff or a tool call; None where it holds code."""
        language = read_info(fence.info)[0]
        read = self._diff(body, language)
        if read is None and language in {"", "json", "json5", "jsonc"} and "str_replace" in self.wanted:
            read = self.read_calls("\n".join(body))
        return list(moved(read, fence.open + 1)) if read else None

    def _diff(self, body: Sequence[str], language: str) -> tuple[Piece, ...] | None:
        """Read lines as a diff whose header may be missing; None where they are none."""
        if "udiff" not in self.wanted or not any(line[:1] in {"+", "-", "@", "d"} for line in body):
            return None
        from fastapply.edits import udiff

        if not udiff.is_diff(body, language, self.target):
            return None
        return udiff.read_diff(body, 0, self.target, fenced=True)[0]

    def _named(self, pieces: list[Piece], number: int, pending: str | None) -> list[Piece]:
        label, mention, _ = self._names(number)
        name = pending or label or (None if self.target.single else mention)
        if name is None:
            return pieces
        return [
            piece if piece.file.path else replace(piece, file=replace(piece.file, path=name))
            for piece in pieces
        ]

    def _names(self, number: int) -> tuple[str | None, str | None, str]:
        """Label and mention of a fence, and the words before it."""
        fence = self.fences[number]
        floor = self.fences[number - 1].close + 1 if number else 0
        lead: list[str] = []
        at = fence.open - 1
        while at >= floor and not self.masked[at] and len(lead) < 40:
            lead.append(self.lines[at])
            at -= 1
        lead.reverse()
        told = [line for line in lead if line.strip()]
        label = read_info(fence.info)[1]
        if label is None and told:
            label = label_of(told[-1]) or aimed_at(told[-1])
        named = mentions("\n".join(_last_paragraph(lead)))
        return label, named[-1] if named else None, "\n".join(lead)

    def _candidate(self, number: int, body: tuple[str, ...], pending: str | None) -> Candidate:
        from fastapply.edits.choose import Candidate

        fence = self.fences[number]
        label, mention, lead = self._names(number)
        language = read_info(fence.info)[0]
        shown = take_label(body, fence.open + 1, self.target)
        behind = self.lines[fence.close + 1 : fence.close + 4] if len(self.fences) == 1 else ()
        words = "\n".join([*_last_paragraph(lead.split("\n")), *behind])
        return Candidate(
            shown.lines, shown.first, language, pending or label or shown.name, mention, lead, words
        )

    def _chosen(self, candidates: list[Candidate], *, beside: bool) -> list[Piece]:
        if not candidates:
            return []
        from fastapply.edits.choose import choose

        pairs: tuple[Piece, ...] = ()
        others: Sequence[Candidate] = candidates
        if self.target.known and len(candidates) > 1 and self.wanted.format in {None, "mixed"}:
            from fastapply.edits.choose import take_pairs

            pairs, others = take_pairs(candidates, self.target)
        picked = choose(others, self.target, beside=beside or bool(pairs))
        if not picked and not beside and not pairs:
            raise EditError(
                "the fences in the reply contain no code to apply",
                reason="no_edit",
                hint="send the changed code in a fence, with the file name on the line before it",
            )
        path = self.target.path
        dropped = [
            replace(make_piece(Shown(one.lines, one.first), name=one.label), other=True)
            for one in candidates
            if one not in picked and any(line.strip() for line in one.lines)
            # its label says that it is for another file than the one that is given
            if path is not None and one.label is not None and not fits(one.label, path)
        ]
        shown = [
            make_piece(
                Shown(one.lines, one.first),
                name=self._name_of(one, alone=len(picked) == 1),
                language=one.language,
                whole=self.wanted.format == "whole" or says_whole(one.words),
            )
            for one in picked
        ]
        return [*pairs, *shown, *dropped]

    def _name_of(self, one: Candidate, *, alone: bool) -> str | None:
        """Return the name that a fence bears; where the file is given, words may be about another one."""
        path = self.target.path
        if path is None or fits(one.mention, path):
            return one.name if alone or not self.target.single or path is not None else one.label
        if alone and one.label and language_of(one.label) != self.target.language:
            return None  # a word or a comment about another file
        return one.label

    def _bare(self, *, ends: bool) -> list[Piece]:
        """Read a text without fences as code, unless it is words."""
        shown = trim(self.lines)
        if self.wanted.format not in {"lazy", "whole"}:
            shown, unclear = without_chat(shown, self.target)
            read = self._diff(shown.lines, "") if self._has_diff_outside() else None
            if read is None and "str_replace" in self.wanted and shown.first:
                read = self.read_calls("\n".join(shown.lines))
            if read:
                return list(moved(read, shown.first))
            self._refuse_words(shown, unclear=unclear)
        shown = take_label(shown.lines, shown.first, self.target)
        last = shown.first + len(shown.lines) >= len(self.lines)
        whole = self.wanted.format == "whole"
        newline = ends or not last
        return [make_piece(shown, name=shown.name, whole=whole, final_newline=newline, ended=False)]

    def _has_diff_outside(self) -> bool:
        """Whether a text may be a diff without what stands in fences of the file."""
        if not self.content:
            return True
        from fastapply.edits import udiff

        lines = list(self.lines)
        for fence in self.content:
            lines[fence.open : fence.close + 1] = [""] * (fence.close + 1 - fence.open)
        return udiff.is_diff(lines, "", self.target)

    def _refuse_words(self, shown: Shown, *, unclear: bool) -> None:
        """Refuse text that is no code, and code that begins with words of a chat."""
        told = [line for line in shown.lines if line.strip()]
        indented = all(line.startswith(("  ", "	")) for line in told)  # which words of a chat are not
        words = not indented and all(is_sentence(line) and not is_entry(line) for line in told)
        plain = self.target.path is not None and self.target.language is None
        possible = plain or (self.target.is_prose and not unclear)
        if words and not possible and not self.target.evidence(told) and not find_markers(told):
            raise EditError(
                "the edit is text without code",
                reason="no_edit",
                hint="send the changed code, in a fence or alone",
            )
        if unclear:
            raise EditError(
                "the edit starts with chat text, and it is unclear where the code begins",
                reason="ambiguous_edit",
                hint="put the code in a fence",
            )

    def _refuse_conflicts(self, pieces: Sequence[Piece]) -> None:
        """Refuse code with the markers of a merge conflict, unless the file has them."""
        if self.wanted.format in {"lazy", "whole"}:
            return
        for piece in pieces:
            for part in piece.file.parts:
                for number, line in enumerate(part.lines if isinstance(part, Snippet) else ()):
                    sign = line[:7] in {"<<<<<<<", ">>>>>>>"} and line[7:8] in {"", " "}
                    if sign and not self.target.has_like(line):
                        raise EditError(
                            f"line {piece.line + number} of the edit is a conflict marker",
                            hint="send the resolved code, or SEARCH/REPLACE blocks",
                        )

    def _refuse_loose_code(self) -> None:
        """Refuse markers and removed lines that stand in no block, diff or fence: they would be lost."""
        own = set[int]()
        for fence in self.fences:
            inside = range(fence.open, fence.close + 1)
            if not any(self.masked[at] for at in inside if at < len(self.masked)):
                own.update(inside)
        for number, line in enumerate(self.lines):
            if self.masked[number] or number in own or not line.strip().strip(".…"):
                continue
            removes = line.startswith("-") and self.target.has_line(line[1:]) and len(line.strip()) > 8
            if is_marker(line) or removes:
                raise EditError(
                    f"line {number + 1} of the edit is a marker or removal note outside of any block",
                    reason="ambiguous_edit",
                    hint="put the lazy part of the edit in its own fence",
                )


def _last_paragraph(lines: Sequence[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    begin = end
    while begin and lines[begin - 1].strip():
        begin -= 1
    return list(lines[begin:end])
