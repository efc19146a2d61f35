"""What kind of edit a text is, and reading it: bare, in a fence, or out of a chat reply.

The order of the questions: is it JSON of a tool call; is it a patch, blocks, or a diff, anywhere;
which fences does it have, and are they markdown around an edit or lines of the file; which of the
fences are the edit. Blocks and patches are found before fences, so that fences inside them are
content; fences that the file itself has are content too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.edits.gather import gather
from fastapply.edits.markers import is_marker
from fastapply.edits.reply import Reply, Wanted
from fastapply.edits.target import Target, edit_lines, make_target
from fastapply.errors import EditError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.edits.fences import Fence
    from fastapply.edits.gather import Piece
    from fastapply.text import SourceText
    from fastapply.types import Edit, FormatName

_MARKDOWN = frozenset({"md", "markdown", "mdx"})
_FIRST_OF_MARKDOWN = ("# ", "## ", "---", "<!--", "<h1", "<p ", "<div", "[![")
"""How the first line of a Markdown file begins, and hardly ever that of a reply."""
_UNDERLINE = re.compile(r"={3,}|-{3,}")
"""Below a title."""
_DEPTH = 3
_MOST_FENCES = 1000


def parse_edit(
    text: str,
    *,
    path: str | None = None,
    original: SourceText | None = None,
    format_name: FormatName | None = None,
    only: bool = False,
) -> Edit:
    """Read an edit in any of the formats.

    `path` and `original` are the one file that the edit is for; without them the edit has to name
    its files. `format_name` forces a format. The edit then has exactly one file when `path` is
    given, whatever name it bears; the other files are an error, or with `only` left out and named in
    `others`. Raises `EditError`, and nothing else, with a stable reason: ``empty_edit``,
    ``no_edit`` (prose without code), ``truncated``, ``several_files``, ``other_file``, ``ambiguous_edit``,
    ``binary``, ``bad_edit``.
    """
    target = make_target(path, original)
    pieces = _read(text.removeprefix("\ufeff"), target, Wanted(format_name), 0)
    edit = gather(pieces, target, text, only=only)
    if format_name not in {None, "mixed", "lazy", "whole", edit.format}:
        raise EditError(f"cannot read the edit as {format_name}")
    if not target.single and any(file.path is None for file in edit.files):
        raise EditError(
            "the edit does not name its file",
            hint="write the file name on its own line before the code, or use fastapply apply FILE",
        )
    return edit


def _read(text: str, target: Target, wanted: Wanted, depth: int) -> tuple[Piece, ...]:
    if not text.strip():
        raise EditError("the edit is empty", reason="empty_edit", hint="send the code to apply")
    if depth > _DEPTH:
        raise EditError("the edit is nested too deeply")
    text = _unwrapped(text, target)
    called = _calls(text, target, wanted, depth)
    if called:
        return called
    lines = edit_lines(text)
    masked = [False] * len(lines)
    pieces = _patches(text, lines, masked, target, wanted) + _blocks(text, lines, masked, target, wanted)
    fences = _fences(text, lines, masked, target)
    if wanted.format in {"v4a", "search_replace", "str_replace"}:
        _refuse_open_fence(fences)
        if pieces:
            return tuple(pieces)
        raise EditError(f"the edit contains no {wanted.format} edit")
    content: tuple[Fence, ...] = ()
    if not pieces and fences and _is_bare(lines, fences, target):
        fences, content = (), fences
    _refuse_open_fence(fences)
    if len(fences) > _MOST_FENCES:
        raise EditError(f"the edit has {len(fences)} fences, which is too many")

    def calls(inner: str) -> tuple[Piece, ...] | None:
        return _calls(inner, target, wanted, depth + 1)

    reply = Reply(lines, masked, fences, content, target, wanted, calls)
    return reply.pieces(pieces, ends=text.endswith(("\n", "\r")))


def _patches(
    text: str, lines: Sequence[str], masked: list[bool], target: Target, wanted: Wanted
) -> list[Piece]:
    """Read the patches of a text and mask their lines; refuse lines of a patch that stand in none."""
    if "v4a" not in wanted or "*** " not in text:
        return []
    from fastapply.edits import v4a

    pieces: list[Piece] = []
    for begin, end in v4a.find_patches(lines):
        masked[begin:end] = [True] * (end - begin)
        pieces += v4a.read_patch(lines, begin, end, target)
    stray = v4a.stray_line(lines, masked, target)
    if stray is not None:
        raise EditError(
            f"line {stray + 1} of the edit belongs to a patch, but is outside of one",
            reason="truncated" if stray == len(lines) - 1 else "bad_edit",
            hint="put it between *** Begin Patch and *** End Patch",
        )
    return pieces


def _blocks(
    text: str, lines: Sequence[str], masked: list[bool], target: Target, wanted: Wanted
) -> list[Piece]:
    """Read the SEARCH/REPLACE blocks of a text and mask their lines; refuse halves of one."""
    if "search_replace" not in wanted or not any(
        mark in text for mark in ("<<<<<", "-----", ">>>>>", "+++++")
    ):
        return []
    from fastapply.edits import search_replace

    blocks = [block for block in search_replace.find_blocks(lines, target) if not masked[block.open]]
    for block in blocks:
        if block.close is not None:
            masked[block.open : block.end] = [True] * (block.end - block.open)
    pieces = search_replace.read_blocks(lines, blocks, target)
    stray = search_replace.stray_line(lines, masked, target)
    if stray is not None:
        raise EditError(
            f"line {stray + 1} of the edit closes a SEARCH/REPLACE block that was never opened",
            hint="start the block with <<<<<<< SEARCH",
        )
    if not masked[-1] and search_replace.is_cut_marker(lines[-1]):
        raise EditError(f"the edit is truncated at line {len(lines)}, inside a marker", reason="truncated")
    return list(pieces)


def _fences(text: str, lines: Sequence[str], masked: Sequence[bool], target: Target) -> tuple[Fence, ...]:
    if "```" not in text and "~~~" not in text:
        return ()
    from fastapply.edits.fences import find_fences, is_fence_line

    head = [line for line in lines[:12] if line.strip()][:2]
    names = len(head) > 1 and head[0].startswith("--- ") and head[1].startswith("+++ ")
    if names or (head and head[0].startswith(("diff --git ", "@@ "))):
        # a unified diff from its first line on: a fence behind a sign is a line of the file
        masked = [
            mask or (line[:1] in {" ", "+", "-"} and is_fence_line(line[1:]))
            for line, mask in zip(lines, masked, strict=True)
        ]
    return find_fences(lines, masked, markdown=target.language == "markdown")


def _unwrapped(text: str, target: Target) -> str:
    """Blank out a leading block of a model's thoughts and tags around the edit, keeping line numbers."""
    head = text.lstrip()
    if not head.startswith("<"):
        return text
    for tag in ("think", "thinking", "reasoning"):
        if head.startswith(f"<{tag}>"):
            thought, closing, rest = text.partition(f"</{tag}>")
            if closing and rest.strip():
                return _unwrapped("\n" * thought.count("\n") + rest, target)
    for tag in (
        "code_edit",
        "edit_snippet",
        "edit",
        "update",
        "updated_code",
        "code",
        "answer",
        "file_content",
    ):
        opening, closing = f"<{tag}>", f"</{tag}>"
        inner = head.rstrip().removeprefix(opening).removesuffix(closing)
        whole = len(inner) == len(head.rstrip()) - len(opening) - len(closing)
        if whole and inner.strip() and not target.has_like(opening):
            return "\n" * text[: len(text) - len(head)].count("\n") + inner
    return text


def _calls(text: str, target: Target, wanted: Wanted, depth: int) -> tuple[Piece, ...] | None:
    if "str_replace" not in wanted or text.lstrip()[:1] not in {"{", "["}:
        return None
    from fastapply.edits import str_replace

    if target.language == "json" and not str_replace.names_call(text):
        return None

    def recurse(inner: str) -> tuple[Piece, ...]:
        return _read(inner, target, Wanted(), depth + 1)

    return str_replace.read_calls(text, target, recurse)


def _refuse_open_fence(fences: Sequence[Fence]) -> None:
    if fences and not fences[-1].closed:
        raise EditError(
            f"the fence that opens at line {fences[-1].open + 1} of the edit is never closed; "
            "the edit is probably truncated",
            reason="truncated",
            hint="send the whole edit again, with the closing fence",
        )


def _is_bare(lines: Sequence[str], fences: Sequence[Fence], target: Target) -> bool:
    """Whether the fences are lines of the file, as in a bare edit of a Markdown file."""
    from fastapply.edits.choose import same_language
    from fastapply.edits.names import label_of, read_info
    from fastapply.edits.prose import looks_like_code, opens_chat

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
    if in_markdown and any(line.strip() in {"...", "…"} for line in (outside[0], outside[-1])):
        return True
    wrapped = any(read_info(fence.info)[0] in _MARKDOWN or fence.info == "" for fence in fences)
    held = [line for line in said if target.has_like(line) and len(line.strip()) >= 4]
    labelled = any(read_info(fence.info)[0] in _MARKDOWN for fence in fences)
    if (
        in_markdown and not held and not labelled
    ):  # a heading with another number, a sentence with another word
        held = [line for line in said if not opens_chat(line) and target.count_near(line)]
    if held:
        one_wrap = in_markdown and len(fences) == 1 and wrapped and opens_chat(outside[0])
        return not one_wrap and (len(held) >= 2 or len(held) >= 0.3 * len(outside))
    if in_markdown:
        # a rule between a sentence and what it is about has a blank line above it
        below = lines[lines.index(outside[0]) + 1 :][:1]
        titled = any(_UNDERLINE.fullmatch(line.strip()) for line in below) and not opens_chat(outside[0])
        as_file = titled or outside[0].startswith(_FIRST_OF_MARKDOWN)
        return as_file and not labelled
    at_margin = [fence for fence in fences if not lines[fence.open][:1].isspace()]
    if any('"""' in line or "'''" in line for line in outside):
        if not at_margin:
            return True  # an example in a docstring
    elif any(same_language(read_info(fence.info)[0], target) for fence in at_margin):
        return False  # nothing around a fence in the file's language is known: words with code in them
    return sum(looks_like_code(line) for line in said) > 0.5 * len(outside)
