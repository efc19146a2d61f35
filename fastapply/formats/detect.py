"""What kind of edit a text is, and reading it: bare, in a fence, or out of a chat reply.

The order of the questions: is it JSON of a tool call; is it a patch, blocks, or a diff, anywhere;
which fences does it have, and are they markdown around an edit or lines of the file; which of the
fences are the edit. Blocks and patches are found before fences, so that fences inside them are
content; fences that the file itself has are content too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapply.errors import EditError
from fastapply.formats import search_replace, str_replace, udiff, v4a
from fastapply.formats.choose import Candidate, choose, evidence
from fastapply.formats.fences import Fence, find_fences
from fastapply.formats.gather import gather
from fastapply.formats.markers import find_markers, is_marker
from fastapply.formats.names import label_of, mentions, read_info
from fastapply.formats.prose import is_sentence, looks_like_code, opens_chat, says_whole
from fastapply.formats.reading import Piece, moved
from fastapply.formats.snippet import Shown, make_piece, take_label, trim, without_chat
from fastapply.formats.target import Target, edit_lines, make_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.text import SourceText
    from fastapply.types import Edit, FormatName

_DIFFS = frozenset({"diff", "patch", "udiff", "git"})
_MARKDOWN = frozenset({"md", "markdown", "mdx"})
_DEPTH = 3
_MOST_FENCES = 1000


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which readers may try; all of them unless a format was asked for."""

    format: FormatName | None = None

    def __contains__(self, name: FormatName) -> bool:
        return self.format in {None, "mixed", name}

    @property
    def snippets(self) -> bool:
        return self.format in {None, "mixed", "lazy", "whole"}


def parse_edit(
    text: str,
    *,
    path: str | None = None,
    original: SourceText | None = None,
    format_name: FormatName | None = None,
) -> Edit:
    """Read an edit in any of the formats.

    `path` and `original` are the one file that the edit is for; without them the edit has to name
    its files. `format_name` forces a format. The edit then has exactly one file when `path` is
    given, whatever name it bears. Raises `EditError`, and nothing else, with a stable reason:
    ``empty_edit``, ``no_edit`` (prose without code), ``truncated``, ``several_files``,
    ``other_file``, ``ambiguous_edit``, ``binary``, ``bad_edit``.
    """
    target = make_target(path, original)
    pieces = _read(text.removeprefix("\ufeff"), target, _Wanted(format_name), 0)
    edit = gather(pieces, target, text)
    if format_name not in {None, "mixed", "lazy", "whole", edit.format}:
        raise EditError(f"the edit can't be read as {format_name}")
    return edit


def _read(text: str, target: Target, wanted: _Wanted, depth: int) -> tuple[Piece, ...]:
    if not text.strip():
        raise EditError("the edit is empty", reason="empty_edit", hint="send the code to put in")
    if depth > _DEPTH:
        raise EditError("the edit is wrapped in too many layers")
    text = _without_thoughts(text)
    called = _calls(text, target, wanted, depth)
    if called:
        return called
    lines = edit_lines(text)
    patches = v4a.find_patches(lines) if "v4a" in wanted else ()
    masked = [False] * len(lines)
    for begin, end in patches:
        masked[begin:end] = [True] * (end - begin)
    blocks = search_replace.find_blocks(lines, target) if "search_replace" in wanted else ()
    blocks = tuple(block for block in blocks if not masked[block.open])
    for block in blocks:
        if block.close is not None:
            masked[block.open : block.end] = [True] * (block.end - block.open)
    pieces: list[Piece] = []
    for begin, end in patches:
        pieces += v4a.read_patch(lines, begin, end, target)
    pieces += search_replace.read_blocks(lines, blocks, target)
    if wanted.format in {"v4a", "search_replace", "str_replace"}:
        _refuse_open_fence(find_fences(lines, masked, markdown=target.language == "markdown"))
        if pieces:
            return tuple(pieces)
        raise EditError(f"the edit holds nothing in the format {wanted.format}")
    fences = find_fences(lines, masked, markdown=target.language == "markdown")
    if not pieces and fences and _is_bare(lines, fences, target):
        fences = ()
    _refuse_open_fence(fences)
    if len(fences) > _MOST_FENCES:
        raise EditError(f"the edit has {len(fences)} fences; no reply of one edit has so many")
    reply = _Reply(lines, masked, fences, target, wanted, depth)
    return reply.pieces(pieces, ends=text.endswith(("\n", "\r")))


def _without_thoughts(text: str) -> str:
    """Blank out a leading block of a model's thoughts, keeping the line numbers."""
    head = text.lstrip()
    for tag in ("think", "thinking", "reasoning"):
        if head.startswith(f"<{tag}>"):
            thought, closing, rest = text.partition(f"</{tag}>")
            if closing and rest.strip():
                return "\n" * thought.count("\n") + rest
    return text


def _calls(text: str, target: Target, wanted: _Wanted, depth: int) -> tuple[Piece, ...] | None:
    if "str_replace" not in wanted or not str_replace.looks_like_call(text):
        return None
    if target.language == "json" and not str_replace.names_call(text):
        return None

    def recurse(inner: str) -> tuple[Piece, ...]:
        return _read(inner, target, _Wanted(), depth + 1)

    return str_replace.read_calls(text, target, recurse)


def _refuse_open_fence(fences: Sequence[Fence]) -> None:
    if fences and not fences[-1].closed:
        raise EditError(
            f"the fence that opens at line {fences[-1].open + 1} of the edit is never closed: "
            "the edit seems to be cut off",
            reason="truncated",
            hint="send the whole edit again, with the closing fence",
        )


def _is_bare(lines: Sequence[str], fences: Sequence[Fence], target: Target) -> bool:
    """Whether the fences are lines of the file, as in a bare edit of a Markdown file."""
    inside = [False] * len(lines)
    for fence in fences:
        inside[fence.open : fence.close + 1] = [True] * (min(fence.close + 1, len(lines)) - fence.open)
    outside = [line for line, within in zip(lines, inside, strict=True) if line.strip() and not within]
    if not outside:
        return False
    said = [line for line in outside if not label_of(line)]
    if any(is_marker(line) and line.strip().strip(".…") for line in said):
        return True
    in_markdown = target.language in {"markdown", "rst"}
    wrapped = any(read_info(fence.info)[0] in _MARKDOWN or fence.info == "" for fence in fences)
    held = [line for line in said if target.has_like(line) and len(line.strip()) >= 4]
    if held:
        one_wrap = in_markdown and len(fences) == 1 and wrapped and opens_chat(outside[0])
        return not one_wrap and (len(held) >= 2 or len(held) >= 0.3 * len(outside))
    if in_markdown:
        as_file = outside[0].startswith(("# ", "## ", "---", "<!--", "<h1", "<p ", "<div", "[!["))
        return as_file and not any(read_info(fence.info)[0] in _MARKDOWN for fence in fences)
    return sum(looks_like_code(line) for line in said) > 0.5 * len(outside)


class _Reply:
    """A text with the parts that other readers own masked; reads what is left."""

    def __init__(
        self,
        lines: tuple[str, ...],
        masked: list[bool],
        fences: Sequence[Fence],
        target: Target,
        wanted: _Wanted,
        depth: int,
    ) -> None:
        self.lines = lines
        self.masked = masked
        self.fences = fences
        ends = [0, *(fence.close + 1 for fence in fences)]
        self.floors = {fence.open: end for fence, end in zip(fences, ends, strict=False)}
        self.target = target
        self.wanted = wanted
        self.depth = depth

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
                pieces += self._named(read, fence, pending)
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
            self._refuse_loose_code(pieces)
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
            called = _calls("\n".join(body), self.target, self.wanted, self.depth + 1)
            if called:
                return list(moved(called, fence.open + 1))
        return None

    def _named(self, pieces: list[Piece], fence: Fence, pending: str | None) -> list[Piece]:
        from dataclasses import replace

        label, mention, _ = self._names(fence)
        name = pending or label or (mention if self.target.path is None else None)
        if name is None:
            return pieces
        return [
            piece if piece.file.path else replace(piece, file=replace(piece.file, path=name))
            for piece in pieces
        ]

    def _names(self, fence: Fence) -> tuple[str | None, str | None, str]:
        """Label and mention of a fence, and the words before it."""
        floor = self.floors[fence.open]
        lead: list[str] = []
        number = fence.open - 1
        while number >= floor and not self.masked[number] and len(lead) < 40:
            lead.append(self.lines[number])
            number -= 1
        lead.reverse()
        told = [line for line in lead if line.strip()]
        label = read_info(fence.info)[1]
        if label is None and told:
            label = label_of(told[-1])
        named = mentions("\n".join(_last_paragraph(lead)))
        return label, named[-1] if named else None, "\n".join(lead)

    def _candidate(self, number: int, body: tuple[str, ...], pending: str | None) -> Candidate:
        fence = self.fences[number]
        label, mention, lead = self._names(fence)
        language = read_info(fence.info)[0]
        shown = take_label(body, fence.open + 1, self.target)
        behind = [line for line in self.lines[fence.close + 1 : fence.close + 6]]
        words = lead + "\n" + "\n".join(behind if len(self.fences) == 1 else [])
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

    def _refuse_loose_code(self, pieces: list[Piece]) -> None:
        """Refuse code between blocks that no reader took: it would be lost."""
        del pieces
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
