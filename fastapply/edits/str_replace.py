r"""Tool calls in JSON: the arguments of the editing tools that agents have.

Forms, each alone, in a list, one after another, or wrapped as ``{"name", "arguments"}``::

    {"file_path": "a.py", "old_string": "x", "new_string": "y", "replace_all": false}
    {"file_path": "a.py", "edits": [{"old_string": "x", "new_string": "y"}, …]}
    {"path": "a.py", "old_str": "x", "new_str": "y"}
    {"command": "str_replace" | "create" | "insert", "path": "a.py", …}
    {"target_file": "a.py", "instructions": "…", "code_edit": "…"}    code_edit: any other format
    {"path": "a.py", "content": "…"}                                  a whole file

The strings of a replacement may begin and end within a line. Edits of a list apply one after the
other, each to what the one before it left: each is a part of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.edits.gather import Piece, hunks_piece, snippet_piece
from fastapply.errors import EditError
from fastapply.text import split_lines
from fastapply.types import FileEdit, Hunk, HunkList, Segment, Snippet
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fastapply.edits.target import Target

_OLD_NEW = (
    ("old_string", "new_string"),
    ("old_str", "new_str"),
    ("oldString", "newString"),
    ("oldStr", "newStr"),
    ("old_text", "new_text"),
    ("oldText", "newText"),
    ("search", "replace"),
    ("find", "replace"),
    ("old", "new"),
)
_PATHS = (
    "file_path",
    "target_file",
    "path",
    "filepath",
    "filePath",
    "file",
    "filename",
    "relative_workspace_path",
)
_SNIPPETS = ("code_edit", "edit_snippet", "codeEdit", "changes")
_WHOLES = ("file_text", "content", "contents")
_TEXTS = ("diff", "patch", "input", "update")
_LISTS = ("edits", "replacements", "changes", "operations", "tool_calls", "calls")
_WRAPPERS = ("arguments", "input", "parameters", "args", "params", "function")
_HINT = r'"(?:old_string|old_str|oldString|oldText|old_text|code_edit|edit_snippet|new_string|new_str)"\s*:'
_DEPTH = 8


def names_call(text: str) -> bool:
    """Whether a text has the keys of an editing tool's arguments."""
    return bool(re.search(_HINT, text[:2_000_000]))


def read_calls(
    text: str, target: Target, recurse: Callable[[str], tuple[Piece, ...]]
) -> tuple[Piece, ...] | None:
    """Read a text that is one or several JSON values; None where they are no tool calls.

    `recurse` reads an edit of another format out of a string. Raises `EditError` where the text
    is a tool call cut off or misspelt.
    """
    import json

    try:
        values = list(_values(text))
    except json.JSONDecodeError as error:
        if not names_call(text):
            return None
        rest = text[error.pos :].strip()
        if len(rest) < 2 or "Unterminated" in error.msg:
            raise EditError(
                f"the JSON of the tool call is truncated at line {error.lineno} of the edit",
                reason="truncated",
                hint="send the whole tool call again",
            ) from None
        raise EditError(f"the JSON of the tool call is invalid: {error.msg} at line {error.lineno}") from None
    except (RecursionError, ValueError):
        return None
    pieces: list[Piece] = []
    for value, line in values:
        read = _Calls(target, recurse, line).read(value, None, 0)
        if read is None:
            return None
        pieces += read
    if len(pieces) > 1 and any(_by_line(piece) for piece in pieces):
        raise EditError(
            "a tool call that inserts by line number cannot be combined with other tool calls",
            hint="send the insertion alone, or use only replacements",
        )
    return tuple(pieces) or None


def _by_line(piece: Piece) -> bool:
    parts = piece.file.parts if piece.format == "str_replace" else ()
    return any(isinstance(part, HunkList) and part.hunks[0].counts_right for part in parts)


def _values(text: str) -> Iterator[tuple[object, int]]:
    import json

    # strict=False: models put line feeds and tabs into strings as they are
    decoder = json.JSONDecoder(strict=False)
    at = 0
    line = 1
    seen = 0
    while True:
        match = re.compile(r"[\s,;]*").match(text, at)
        at = match.end() if match else at
        if at >= len(text):
            return
        line += text.count("\n", seen, at)
        seen = at
        value, at = decoder.raw_decode(text, at)
        yield value, line


def _string(call: dict[str, object], names: tuple[str, ...]) -> str | None:
    for name in names:
        value = call.get(name)
        if isinstance(value, str):
            return value
    return None


def _unpacked(value: object) -> object:
    """Give the value that a string of JSON holds, or the string itself."""
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "["}:
        import json

        try:
            return json.loads(value, strict=False)
        except (ValueError, RecursionError):
            return value
    return value


class _Calls:
    """Reads one value; what all its calls have in common stands here."""

    def __init__(self, target: Target, recurse: Callable[[str], tuple[Piece, ...]], line: int) -> None:
        self.target = target
        self.recurse = recurse
        self.line = line

    def read(self, value: object, path: str | None, depth: int) -> list[Piece] | None:
        """Pieces of a value; None where it is no tool call."""
        if depth > _DEPTH:
            return None
        if isinstance(value, list):
            return self._list(value, path, depth)
        if not isinstance(value, dict):
            return None
        path = _string(value, _PATHS) or path
        direct = self._replacement(value, path) or self._command(value, path)
        if direct:
            return direct
        snippet = _string(value, _SNIPPETS)
        if snippet is not None:
            return self._inner(snippet, path)
        for name in _LISTS:
            inner = value.get(name)
            if isinstance(inner, list) and inner:
                return self._list(inner, path, depth)
        for name in _WRAPPERS:
            inner = _unpacked(value.get(name))
            if isinstance(inner, (dict, list)):
                read = self.read(inner, path, depth + 1)
                if read is not None:
                    return read
        text = _string(value, _TEXTS)
        if text is not None and (path is not None or "***" in text or "@@" in text):
            return self._inner(text, path)
        whole = _string(value, _WHOLES)
        if whole is not None and path is not None and len(value) <= 4:
            return [self._whole(whole, path)]
        return self._shell(value.get("command") or value.get("cmd"))

    def _list(self, values: list[object], path: str | None, depth: int) -> list[Piece] | None:
        patch = self._shell(values)
        if patch is not None:
            return patch
        pieces: list[Piece] = []
        for value in values:
            read = self.read(value, path, depth + 1)
            if read is None:
                return None
            pieces += read
        return pieces or None

    def _shell(self, value: object) -> list[Piece] | None:
        """``["bash", "-lc", "apply_patch <<'EOF' …"]``."""
        words = value if isinstance(value, list) else [value]
        for word in words:
            if isinstance(word, str) and "*** Begin Patch" in word:
                return self._inner(word, None)
        return None

    def _inner(self, text: str, path: str | None) -> list[Piece]:
        pieces = self.recurse(text)
        return [
            replace(piece, line=self.line, file=replace(piece.file, path=piece.file.path or path))
            for piece in pieces
        ]

    def _replacement(self, call: dict[str, object], path: str | None) -> list[Piece] | None:
        for old_name, new_name in _OLD_NEW:
            old, new = call.get(old_name), call.get(new_name)
            if old_name == "old_str" and isinstance(old, str) and new is None and "command" in call:
                new = ""  # the tool's own default: what stands there is removed
            if isinstance(old, str) and isinstance(new, str):
                every = any(bool(call.get(name)) for name in ("replace_all", "replaceAll", "allow_multiple"))
                return [self._replace(old, new, path, every=every)]
            if isinstance(old, str) and old_name in {"old_string", "old_str"}:
                raise EditError(
                    f"the tool call at line {self.line} of the edit has {old_name} and no {new_name}"
                )
        return None

    def _replace(self, old: str, new: str, path: str | None, *, every: bool) -> Piece:
        if not old and not self.target.count:
            return self._whole(new, path)
        hunk = Hunk(1, self.line, (Segment(_pieces(old), _pieces(new)),), replace_all=every, within_line=True)
        return hunks_piece("str_replace", (hunk,), path)

    def _whole(self, text: str, path: str | None) -> Piece:
        lines, endings = split_lines(text)
        final = not endings or endings[-1] != ""
        snippet = Snippet(lines, self.line, said_whole=True, final_newline=final)
        return snippet_piece(snippet, "str_replace", path, create=not self.target.known)

    def _command(self, call: dict[str, object], path: str | None) -> list[Piece] | None:
        if call.get("command") == "create":
            text = _string(call, _WHOLES)
            return [self._whole(text, path)] if text is not None else None
        line = call.get("insert_line")
        if call.get("command") != "insert" or not isinstance(line, int) or isinstance(line, bool):
            return None
        text = _string(call, ("insert_text", "new_str", "text"))
        if text is None:
            return None
        return [self._insert(split_lines(text)[0], line, path)]

    def _insert(self, new: tuple[str, ...], line: int, path: str | None) -> Piece:
        """Read an insertion behind a line, which is as exact as a diff whose numbers are right."""
        lines = self.target.lines
        if not self.target.known or not 0 <= line <= len(lines):
            raise EditError(
                f"the tool call inserts after line {line}, but the file "
                + (f"has {len(lines)} lines" if self.target.known else "is not known"),
                hint="replace a string instead of inserting by line number",
            )
        if not lines:
            return self._whole("\n".join(new) + "\n", path)
        first = max(line - 1, 0)
        while first > 0 and not lines[first].strip():
            first -= 1
        before = lines[first : max(line, first + 1)]
        cut = line - first  # 0 where the new lines go in front of the file's first
        hunk = Hunk(
            1,
            self.line,
            (Segment(before, (*before[:cut], *new, *before[cut:])),),
            old_start=first + 1,
            counts_right=True,
        )
        update = FileEdit(path, "update", (HunkList("udiff", (hunk,)),))
        return Piece(self.line, "str_replace", update)


def _pieces(text: str) -> tuple[str, ...]:
    r"""Split at line ends, keeping what is behind the last one: ``"a\n"`` gives ``("a", "")``."""
    return tuple(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
