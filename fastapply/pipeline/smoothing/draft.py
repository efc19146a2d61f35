"""What a mender sees, what it gives, and how a line of a merged text is found again in the edit."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from fastapply.syntax import error_lines, language_of
from fastapply.text.align import align
from fastapply.types import Snippet
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fastapply.text import SourceText
    from fastapply.types import FileEdit, Hunk, Repository

_ONLY_PARSE = 0x400  # `ast.PyCF_ONLY_AST`


@dataclass(frozen=True, slots=True)
class MendDraft:
    """An edit and what would come of it."""

    path: str | None
    original: SourceText
    file_edit: FileEdit
    text: SourceText  # the file with the edit in it, as good as that can be told
    repository: Repository | None  # where imports are looked up; None: nowhere

    @property
    def language(self) -> str | None:
        """The language of the file, for its grammar."""
        return language_of(self.path, self.text.lines[0] if self.text.lines else "")

    def new_lines(self) -> list[int]:
        """0-based lines of the text that the file does not have."""
        kept = {partner for partner in align(self.original.lines, self.text.lines) if partner >= 0}
        return [number for number in range(len(self.text.lines)) if number not in kept]


@dataclass(frozen=True, slots=True)
class Mend:
    """An edit with one mistake mended: what was wrong, in words, and the line that tells where.

    `number` is where about that line stands in the text, 0-based.
    """

    file_edit: FileEdit
    message: str
    line: str
    number: int


@dataclass(frozen=True, slots=True)
class Ref:
    """A line that an edit puts in: of a snippet, or of a hunk's after-side."""

    part: int
    hunk: int  # 0 for a snippet
    segment: int
    line: int
    text: str


def broken(original: SourceText, text: SourceText, path: str | None) -> int:
    """How many places of a text do not parse; 0 where it parses as well as the original does."""
    language = language_of(path, text.lines[0] if text.lines else "")
    return broken_text(original.text, text.text, language)


def broken_text(original: str, text: str, language: str | None) -> int:
    """`broken`, of texts whose language is known."""
    before = len(error_lines(original, language))
    worse = max(0, len(error_lines(text, language)) - before)
    if worse == 0 and language == "python" and before == 0 and _compiles(original) and not _compiles(text):
        return 1
    return worse


def _compiles(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "file", "exec", _ONLY_PARSE, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return False
    return True


def _refs_of(file_edit: FileEdit) -> Iterator[Ref]:
    """All lines that an edit puts in or shows, in their order."""
    for number, part in enumerate(file_edit.parts):
        if isinstance(part, Snippet):
            yield from (Ref(number, 0, 0, line, text) for line, text in enumerate(part.lines))
            continue
        for at, hunk in enumerate(part.hunks):
            for index, segment in enumerate(hunk.segments):
                yield from (Ref(number, at, index, line, text) for line, text in enumerate(segment.after))


def find_ref(draft: MendDraft, number: int) -> Ref | None:
    """Find the one line of the edit that a line of the text comes from; None where that is not sure."""
    lines = draft.text.lines
    refs = list(_refs_of(draft.file_edit))
    found = [index for index, ref in enumerate(refs) if ref.text.strip() == lines[number].strip()]
    if len(found) > 1:
        score = {index: _agreement(refs, index, lines, number) for index in found}
        best = max(score.values())
        found = [index for index in found if score[index] == best]
    return refs[found[0]] if len(found) == 1 else None


def change_lines(file_edit: FileEdit, changes: Mapping[Ref, tuple[str, ...]]) -> FileEdit:
    """Give an edit in which lines are replaced by others, or by none."""
    parts = list(file_edit.parts)
    for number, part in enumerate(parts):
        here = {(ref.hunk, ref.segment, ref.line): new for ref, new in changes.items() if ref.part == number}
        if not here:
            continue
        if isinstance(part, Snippet):
            parts[number] = replace(
                part, lines=_changed(part.lines, {key[2]: new for key, new in here.items()})
            )
        else:
            hunks = tuple(_changed_hunk(hunk, index, here) for index, hunk in enumerate(part.hunks))
            parts[number] = replace(part, hunks=hunks)
    return replace(file_edit, parts=tuple(parts))


def indent(line: str) -> str:
    """The white space in front of a line."""
    return line[: len(line) - len(line.lstrip())]


def _changed_hunk(hunk: Hunk, index: int, here: Mapping[tuple[int, int, int], tuple[str, ...]]) -> Hunk:
    segments = tuple(
        replace(
            segment,
            after=_changed(
                segment.after, {key[2]: new for key, new in here.items() if key[:2] == (index, number)}
            ),
        )
        for number, segment in enumerate(hunk.segments)
    )
    return replace(hunk, segments=segments, counts_right=False) if segments != hunk.segments else hunk


def _changed(lines: tuple[str, ...], new: Mapping[int, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(text for number, line in enumerate(lines) for text in new.get(number, (line,)))


def _agreement(refs: list[Ref], index: int, lines: tuple[str, ...], number: int) -> int:
    """How far the lines above and below are the same in the edit and in the text."""
    agreed = 0
    for step in (1, -1):
        at, other = index + step, number + step
        while (
            0 <= at < len(refs) and 0 <= other < len(lines) and refs[at].text.strip() == lines[other].strip()
        ):
            at, other, agreed = at + step, other + step, agreed + 1
    return agreed
