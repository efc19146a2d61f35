"""Reading a chat reply, or any text whose blocks and patches are already taken out.

What is left are fences with words between them, diffs outside of fences, or bare code. A fence
holds a diff, a tool call, a file name alone (a label for the next fence), or code that is shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fastapply.errors import EditError
from fastapply.formats import udiff
from fastapply.formats.choose import Candidate, choose, evidence
from fastapply.formats.markers import find_markers, is_marker
from fastapply.formats.names import label_of, mentions, read_info
from fastapply.formats.prose import is_sentence, says_whole
from fastapply.formats.reading import moved
from fastapply.formats.snippet import Shown, make_piece, take_label, trim, without_chat

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapply.formats.fences import Fence
    from fastapply.formats.reading import Piece
    from fastapply.formats.target import Target
    from fastapply.types import FormatName

_DIFFS = frozenset({"diff", "patch", "udiff", "git"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which readers may try; all of them unless a format was asked for."""

    format: FormatName | None = None

    def __contains__(self, name: FormatName) -> bool:
        return self.format in {None, "mixed", name}

    @property
    def snippets(self) -> bool:
        """Whether code that is merely shown may be read."""
        return self.format in {None, "mixed", "lazy", "whole"}


@dataclass(slots=True)
class Reply:
    """A text with the parts that other readers own masked; reads what is left."""

    lines: tuple[str, ...]
    masked: list[bool]
    fences: tuple[Fence, ...]
    target: Target
    wanted: Wanted
    read_calls: Callable[[str], tuple[Piece, ...] | None]

    def pieces(self, others: list[Piece], *, ends: bool) -> tuple[Piece, ...]:
        """All pieces of the text: `others` were read before, `ends` says that the text ends a line."""
        pieces = list(others)
        candidates: list[Candidate] = []
        if "udiff" in self.wanted:
            pieces += self._bare_diffs()
        pending: str | None = None
        for number, fence in enumerate(self.fences):
            body = fence.body(self.lines)
            if any(self.masked[fence.open + 1 : fence.close]):
                continue
            label = _only_name(body)
            if label and number + 1 < len(self.fences):
                pending = label
                continue
            read = self._explicit(fence, body)
            if read is not None:
                pieces += self._named(read, number, pending)
            else:
                candidates.append(self._candidate(number, body, pending))
            pending = None
        if self.wanted.snippets:
            if self.fences:
                pieces += self._chosen(candidates, beside=bool(pieces))
            elif not pieces:
                pieces.append(self._bare(ends=ends))
        if not pieces:
            what = (
                f"nothing in the format {self.wanted.format}" if self.wanted.format else "no code to put in"
            )
            raise EditError(
                f"the edit holds {what}", reason="no_edit", hint="send the changed code in a fence"
            )
        if others and not self.fences:
            self._refuse_loose_code()
        return tuple(pieces)

    def _bare_diffs(self) -> list[Piece]:
        """Diffs that stand outside of fences."""
        found: list[Piece] = []
        covered = list(self.masked)
        for fence in self.fences:
            covered[fence.open : fence.close + 1] = [True] * (fence.close + 1 - fence.open)
        at = 0
        while at < len(self.lines):
            if covered[at] or not udiff.starts_diff(self.lines, at):
                at += 1
                continue
            stop = at
            while stop < len(self.lines) and not covered[stop]:
                stop += 1
            if self._is_own(at):
                at += 1
                continue
            read, end = udiff.read_diff(self.lines[:stop], at, self.target, fenced=False)
            found += read
            self.masked[at:end] = [True] * (end - at)
            at = max(end, at + 1)
        return found

    def _is_own(self, at: int) -> bool:
        """Whether the line that looks like a diff's is one of the file's own."""
        return self.target.has_line(self.lines[at])

    def _explicit(self, fence: Fence, body: tuple[str, ...]) -> list[Piece] | None:
        """Read a fence that holds a diff or a tool call; None where it holds code."""
        language = read_info(fence.info)[0]
        if "udiff" in self.wanted and _is_diff(body, language, self.target):
            read, _ = udiff.read_diff(body, 0, self.target, fenced=True)
            return list(moved(read, fence.open + 1))
        if language in {"", "json", "json5", "jsonc"} and "str_replace" in self.wanted:
            called = self.read_calls("\n".join(body))
            if called:
                return list(moved(called, fence.open + 1))
        return None

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
            label = label_of(told[-1])
        named = mentions("\n".join(_last_paragraph(lead)))
        return label, named[-1] if named else None, "\n".join(lead)

    def _candidate(self, number: int, body: tuple[str, ...], pending: str | None) -> Candidate:
        fence = self.fences[number]
        label, mention, lead = self._names(number)
        language = read_info(fence.info)[0]
        shown = take_label(body, fence.open + 1, self.target)
        behind = self.lines[fence.close + 1 : fence.close + 6] if len(self.fences) == 1 else ()
        words = "\n".join([lead, *behind])
        return Candidate(
            shown.lines, shown.first, language, pending or label or shown.name, mention, lead, words
        )

    def _chosen(self, candidates: list[Candidate], *, beside: bool) -> list[Piece]:
        picked = choose(candidates, self.target, beside=beside)
        if not picked and not beside:
            raise EditError(
                "the fences of the reply hold commands or nothing, and no code to put in",
                reason="no_edit",
                hint="send the changed code in a fence, with the file's name on the line before it",
            )
        return [
            make_piece(
                Shown(one.lines, one.first),
                name=one.name,
                language=one.language,
                whole=self.wanted.format == "whole" or says_whole(one.words),
            )
            for one in picked
        ]

    def _bare(self, *, ends: bool) -> Piece:
        """Read a text without fences as code, unless it is words."""
        forced = self.wanted.format in {"lazy", "whole"}
        shown = trim(self.lines)
        if not forced:
            shown, unclear = without_chat(shown, self.target)
            held = evidence(shown.lines, self.target) > 0
            words = all(is_sentence(line) for line in shown.lines if line.strip())
            marked = bool(find_markers(shown.lines))
            if (
                words
                and not held
                and not marked
                and (unclear or not self.target.is_prose)
                and not self._plain()
            ):
                raise EditError(
                    "the edit is words and holds no code",
                    reason="no_edit",
                    hint="send the changed code, in a fence or alone",
                )
            if unclear:
                raise EditError(
                    "the edit begins with a sentence of a chat, and it is not clear where its code begins",
                    reason="ambiguous_edit",
                    hint="put the code into a fence",
                )
        shown = take_label(shown.lines, shown.first, self.target)
        last = shown.first + len(shown.lines) >= len(self.lines)
        return make_piece(
            shown, name=shown.name, whole=self.wanted.format == "whole", final_newline=ends or not last
        )

    def _plain(self) -> bool:
        """Whether the file is of no language, so that words may well be its content."""
        return self.target.path is not None and self.target.language is None

    def _refuse_loose_code(self) -> None:
        """Refuse code between blocks that no reader took: it would be lost."""
        for number, line in enumerate(self.lines):
            if not self.masked[number] and is_marker(line) and line.strip().strip(".…"):
                raise EditError(
                    f"line {number + 1} of the edit is a marker outside of any block",
                    reason="ambiguous_edit",
                    hint="put the lazy part of the edit into a fence of its own",
                )


def _is_diff(body: Sequence[str], language: str, target: Target) -> bool:
    """Whether a fence's lines are a diff: by its language, by headers, or by signs before lines."""
    told = [line for line in body if line.strip()]
    signed = [line for line in told if line[0] in "+-"]
    if language in _DIFFS:
        return bool(signed) or any(line.startswith("diff --git ") for line in told)
    for at, line in enumerate(body):
        if udiff.starts_diff(body, at) and not target.has_line(line):
            return bool(signed)
    if not signed or not target.known or find_markers(signed):
        return False
    removed = [line for line in signed if line[0] == "-"]
    rest = [line for line in told if line[0] not in "+-"]
    plain = language not in {"yaml", "yml", "md", "markdown"} and target.language not in {
        "yaml",
        "markdown",
        "diff",
    }
    return (
        plain
        and not any(target.has_line(line) for line in signed)
        and all(target.has_like(line[1:]) for line in removed)
        and (bool(removed) or any(target.has_like(line) for line in rest))
    )


def _only_name(body: Sequence[str]) -> str | None:
    told = [line for line in body if line.strip()]
    return label_of(told[0]) if len(told) == 1 else None


def _last_paragraph(lines: Sequence[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    begin = end
    while begin and lines[begin - 1].strip():
        begin -= 1
    return list(lines[begin:end])
