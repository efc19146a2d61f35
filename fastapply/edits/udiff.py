r"""Unified diffs: as git and diff write them, and as models do.

Grammar::

    diff --git a/src/a.py b/src/a.py      git's header and its extended lines: new file mode,
    rename from src/a.py                  deleted file mode, old/new mode, rename, similarity, index
    --- a/src/a.py                        `/dev/null` where the file is created or deleted
    +++ b/src/a.py
    @@ -1,3 +1,4 @@ def f():              counts may be wrong; also `@@ ... @@`, `@@ def f @@`, `@@`
     context                              its blank may be missing
    -old
    +new
    \ No newline at end of file

A hunk whose header counts equal its body is read by them, so that a removed line `-- x` is no
file header; any other ends where the next hunk or file begins. Headers may be missing altogether.
A marker line (`...`) between lines of a body cuts the hunk in two.

File names in headers have prefixes, time stamps and git's quoting:
``--- a/src/x.py<TAB>2024-01-01``, ``"b/na\303\257ve.txt"``, ``diff --git a/x b/x``.

In the bodies of hunks models forget the blank in front of context lines, so that ``    x`` may mean three
blanks or four. The file decides line by line where it is known; otherwise the hunk's other lines do.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.edits.gather import Piece
from fastapply.edits.markers import find_markers, is_marker
from fastapply.edits.names import comment_label, label_of
from fastapply.edits.prose import is_statement
from fastapply.edits.target import flat
from fastapply.errors import EditError
from fastapply.types import FileEdit, Hunk, HunkList, Segment, Snippet
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.edits.target import Target


_HUNK = re.compile(r"^@@(?=\s|$|-\d)")
_RANGES = re.compile(r"^@@\s*-(\d{1,9})(?:,(\d{1,9}))?\s+\+(\d{1,9})(?:,(\d{1,9}))?\s*@@ ?(.*)$")
_START = re.compile(r"^(?:lines?\s+)?-?(\d{1,9})\b")
_EXTENDED = re.compile(
    r"^(?:index |(?:dis)?similarity index |(?:old|new) mode |(?:new|deleted) file mode |"
    r"rename (?:from|to) |copy (?:from|to) |Binary files? |GIT binary patch)"
)
_DIFFS = frozenset({"diff", "patch", "udiff", "git"})
_TRAILER = re.compile(r"^-- ?$")
_STAMP = re.compile(
    r"\s+(?:\d{4}-\d\d-\d\d[ T]\d|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3}\b|\((?:revision|working)).*$"
)
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_QUOTED = re.compile(r'^"((?:[^"\\]|\\.)*)"')


def header_name(text: str) -> str:
    """Return the name behind `---` or `+++`, without time stamp and quoting."""
    text = text.strip(" ")
    quoted = _QUOTED.match(text)
    if quoted:
        return unquote(quoted[1])
    return _STAMP.sub("", text.split("\t")[0]).strip()


def plain_name(text: str) -> bool:
    """Whether what follows `---` can be a file name and not a comment's words."""
    name = header_name(text)
    return name == "/dev/null" or bool(re.fullmatch(r"\S+", name) and re.search(r"[./\\]", name))


def unquote(text: str) -> str:
    r"""Undo git's quoting: ``na\303\257ve`` gives ``naïve``."""

    def byte(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "01234567":
            return chr(int(code, 8) & 0xFF)
        return _LETTERS.get(code, code)

    if "\\" not in text:
        return text
    raw = _ESCAPE.sub(byte, text)
    try:
        return raw.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return raw


def git_names(text: str) -> tuple[str | None, str | None]:
    """Both names of a `diff --git` line: ``a/x y b/x y`` gives ``("a/x y", "b/x y")``."""
    quoted = _QUOTED.match(text)
    if quoted:
        rest = text[quoted.end() :].strip()
        return unquote(quoted[1]), header_name(rest) or None
    second = re.search(r' ("(?:[^"\\]|\\.)*")$', text)
    if second:
        return text[: second.start()], header_name(second[1])
    middle = len(text) // 2
    if (
        len(text) % 2
        and text[middle] == " "
        and text[:middle].partition("/")[2] == text[middle + 1 :].partition("/")[2]
    ):
        return text[:middle], text[middle + 1 :]
    old, space, new = text.partition(" b/")
    if space:
        return old, "b/" + new
    first, _, last = text.partition(" ")
    return first or None, last or None


def same_file(old: str | None, new: str | None, *, git: bool) -> tuple[str | None, str | None]:
    """Take the prefixes off: those of git, and any pair that only differs in its first component."""
    if old is None or new is None:
        only = old if new is None else new
        if only is not None and git and only[:2] in {"a/", "b/"}:
            only = only[2:]
        return (only, None) if new is None else (None, only)
    if "/dev/null" in (old, new):
        return tuple(name[2:] if name[:2] in {"a/", "b/"} else name for name in (old, new))  # type: ignore[return-value]
    if old[:2] == "a/" and new[:2] == "b/":
        return old[2:], new[2:]
    left, _, old_rest = old.partition("/")
    right, _, new_rest = new.partition("/")
    if left != right and old_rest and old_rest == new_rest:
        return old_rest, new_rest
    return old, new


def read_body(body: Sequence[str], target: Target, *, counted: bool = False) -> Segment:
    r"""Both sides of a hunk's body: ``[" a", "-b", "+c"]`` gives before ``a b`` and after ``a c``.

    `counted` says that a header's counts are right, which only whole context lines can make them.
    """
    context = [line for line in body if line[:1] not in {"+", "-", "\\"}]
    bare = _lacks_blanks(context, body, target) if target.known or not counted else False
    before: list[str] = []
    after: list[str] = []
    for line in body:
        sign = line[:1]
        if sign == "\\":
            continue
        # a list item of the file may be shown as context without its blank
        is_item = bare and target.known and target.has_line(line) and not target.has_like(line[1:])
        if sign in {"+", "-"} and not is_item:
            (after if sign == "+" else before).append(line[1:])
            continue
        shown = _context(line, target, bare=bare)
        before.append(shown)
        after.append(shown)
    return Segment(flat(before), flat(after))


def has_change(body: Sequence[str]) -> bool:
    """Whether any line of a body is removed or added."""
    return any(line[:1] in {"+", "-"} for line in body)


def _lacks_blanks(context: Sequence[str], body: Sequence[str], target: Target) -> bool:
    told = [line for line in context if line.strip()]
    unprefixed = any(line[0] != " " for line in told)
    if target.known:
        cut = sum(target.has_line(line.removeprefix(" ")) for line in told)
        raw = sum(target.has_line(line) for line in told)
        if cut != raw:
            return raw > cut
    if unprefixed:
        return True
    indented = [_indent(line[1:]) for line in told if line.startswith("  ")]
    signed = [_indent(line[1:]) for line in body if line[:1] in {"+", "-"} and line[1:].strip()]
    return (
        bool(indented)
        and len(indented) == len(told)
        and bool(signed)
        and all(width % 2 for width in indented)
        and not any(width % 2 for width in signed)
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _context(line: str, target: Target, *, bare: bool) -> str:
    cut = line.removeprefix(" ")
    if cut == line or not line.strip():
        return cut
    if target.known:
        in_cut, in_raw = target.has_line(cut), target.has_line(line)
        if in_cut != in_raw:
            return cut if in_cut else line
    return line if bare else cut


@dataclass(slots=True)
class _File:
    """One file's section while it is read."""

    line: int
    hunks: list[Hunk]
    old: str | None = None
    new: str | None = None
    git: bool = False
    created: bool = False
    deleted: bool = False
    mode: int | None = None
    renamed: tuple[str, str] | None = None


def is_hunk_header(line: str) -> bool:
    """Whether a line begins a hunk: ``@@ -1,2 +1,2 @@``, ``@@ ... @@``, ``@@``."""
    return _HUNK.match(line) is not None


def starts_diff(lines: Sequence[str], at: int) -> bool:
    """Whether a diff can begin at this line."""
    line = lines[at]
    if line.startswith(("diff --git ", "diff --cc ", "diff --combined ")) or is_hunk_header(line):
        return True
    following = lines[at + 1] if at + 1 < len(lines) else ""
    if line.startswith("--- "):
        return following.startswith("+++ ") or (is_hunk_header(following) and plain_name(line[4:]))
    return line.startswith("+++ ") and is_hunk_header(following) and plain_name(line[4:])


def is_diff(body: Sequence[str], language: str, target: Target) -> bool:
    """Whether lines of a fence or a whole edit are a diff: by language, headers, or signs before lines."""
    told = [line for line in body if line.strip()]
    signed = [line for line in told if line[0] in "+-"]
    if language in _DIFFS:
        return bool(signed) or any(line.startswith("diff --git ") for line in told)
    for at, line in enumerate(body):
        if starts_diff(body, at) and not target.has_line(line):
            own = is_hunk_header(line) and all(target.has_line(sign) for sign in signed)
            return bool(signed) and not own  # signs that the file's own lines have, beside its `@@` lines
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


def read_diff(
    lines: Sequence[str], start: int, target: Target, *, fenced: bool
) -> tuple[tuple[Piece, ...], int]:
    """Read a diff from a line on; gives its pieces and the first line behind it.

    `fenced` says that the text ends with the diff: lines that no rule knows then belong to it.
    """
    reader = _Reader(lines, target, fenced=fenced)
    end = reader.read(start)
    pieces = tuple(_piece(section) for section in reader.files)
    if not pieces:
        raise EditError(f"no hunk of the diff at line {start + 1} of the edit removes or adds a line")
    return pieces, end


class _Reader:
    """Walks over the lines of one diff; the state is the section being read."""

    def __init__(self, lines: Sequence[str], target: Target, *, fenced: bool) -> None:
        self.lines = lines
        self.target = target
        self.fenced = fenced
        self.files: list[_File] = []

    def _new(self, at: int) -> _File:
        self.files.append(_File(at + 1, []))
        return self.files[-1]

    def read(self, at: int) -> int:
        end = at
        while at < len(self.lines):
            line = self.lines[at]
            if line.startswith(("diff --cc ", "diff --combined ", "@@@ ")):
                raise EditError(
                    f"line {at + 1} of the edit starts a merge diff with two old sides",
                    hint="send the diff against one side",
                )
            if line.startswith("diff --git "):
                end = at = self._git_header(at)
            elif starts_diff(self.lines, at) and not is_hunk_header(line):
                end = at = self._names(at)
            elif is_hunk_header(line):
                end = at = self._hunk(at + 1, line)
            elif self._may_begin_body(at, end):
                stop = self._boundary(at)
                if has_change(self.lines[at:stop]):
                    end = at = self._hunk(at, "")
                else:
                    at = max(stop, at + 1)
            elif self.fenced or not line.strip():
                at += 1
            else:
                break
        self.files = [section for section in self.files if _says_something(section)]
        return len(self.lines) if self.fenced else end

    def _git_header(self, at: int) -> int:
        section = self._new(at)
        section.git = True
        section.old, section.new = git_names(self.lines[at][11:])
        at += 1
        while at < len(self.lines) and _EXTENDED.match(self.lines[at]):
            word, _, rest = self.lines[at].partition(" ")
            if word in {"Binary", "GIT"}:
                raise EditError(
                    f"line {at + 1} of the edit is a binary patch; fastapply edits text only",
                    reason="binary",
                )
            if word == "copy":
                raise EditError(
                    f"line {at + 1} of the edit copies a file, which is not supported",
                    hint="create the new file with its full content",
                )
            if rest.startswith(("from ", "to ")):
                name = header_name(rest.partition(" ")[2])
                old, new = section.renamed or ("", "")
                section.renamed = (name, new) if rest.startswith("from ") else (old, name)
            elif word in {"new", "deleted"}:
                section.created = section.created or (word == "new" and rest.startswith("file"))
                section.deleted = section.deleted or word == "deleted"
                digits = rest.rpartition(" ")[2]
                if word == "new" and re.fullmatch(r"[0-7]{3,6}", digits):
                    section.mode = int(digits, 8) & 0o7777
            at += 1
        return at

    def _names(self, at: int) -> int:
        last = self.files[-1] if self.files else None
        section = last if last and last.git and not last.hunks else self._new(at)
        for sign in ("--- ", "+++ "):
            if at < len(self.lines) and self.lines[at].startswith(sign):
                name = header_name(self.lines[at][4:])
                if sign == "--- ":
                    section.old = name
                    section.created = section.created or name == "/dev/null"
                else:
                    section.new = name
                    section.deleted = section.deleted or name == "/dev/null"
                at += 1
        return at

    def _may_begin_body(self, at: int, end: int) -> bool:
        """Whether a hunk without a header can begin: right behind file names, or anywhere in a fence."""
        if self.files and (self.files[-1].hunks or self.files[-1].renamed):
            return False
        if self.fenced:
            return not (label_of(self.lines[at]) or comment_label(self.lines[at]))
        return bool(self.files) and at == end

    def _hunk(self, at: int, header: str) -> int:
        section = self.files[-1] if self.files else self._new(at)
        begin = at if not header else at - 1
        ranges = _RANGES.match(header)
        old_start = int(ranges[1]) if ranges else None
        heading = ranges[5].strip() if ranges else ""
        if ranges:
            counts = tuple(1 if ranges[group] is None else int(ranges[group]) for group in (2, 4))
            stop = self._counted(at, counts[0], counts[1])
            if stop is not None:
                self._add(section, begin, self.lines[at:stop], old_start, heading, counted=True)
                return stop
        elif header:
            old_start, heading = _loose(header)
        stop = self._boundary(at)
        body = list(self.lines[at:stop])
        while body and not body[-1].strip() and not body[-1].startswith(" "):
            body.pop()
        if body and _TRAILER.match(body[-1]):
            body.pop()
        elif len(body) > 1 and _TRAILER.match(body[-2]) and re.match(r"^\d+\.\d", body[-1]):
            del body[-2:]
        for first, piece in _between_markers(body, self.target):
            where = begin if first == 0 else at + first
            self._add(section, where, piece, old_start if first == 0 else None, heading, counted=False)
        return stop

    def _counted(self, at: int, old: int, new: int) -> int | None:
        """Return the line behind a body that is as long as its header says; None where it's not."""
        while at < len(self.lines) and (old > 0 or new > 0):
            sign = self.lines[at][:1]
            if sign == "-":
                old -= 1
            elif sign == "+":
                new -= 1
            elif sign in {" ", ""}:
                old -= 1
                new -= 1
            elif sign != "\\":
                return None
            at += 1
        if old or new:
            return None
        if at < len(self.lines) and self.lines[at].startswith("\\ "):
            at += 1
        behind = at
        while behind < len(self.lines) and not self.lines[behind].strip():
            behind += 1
        return at if behind == len(self.lines) or self._ends_hunk(behind, counted=True) else None

    def _boundary(self, at: int) -> int:
        """Return the line where a body ends that no count bounds."""
        blank = False
        while at < len(self.lines):
            if self._ends_hunk(at, counted=False):
                return at
            line = self.lines[at]
            if blank and not self.fenced and is_statement(line) and not self.target.has_line(line):
                return at
            blank = not line.strip()
            at += 1
        return at

    def _ends_hunk(self, at: int, *, counted: bool) -> bool:
        line = self.lines[at]
        if line.startswith(("diff --", "*** End Patch", "GIT binary patch")) or is_hunk_header(line):
            return True
        if line.startswith("--- "):
            return starts_diff(self.lines, at)
        if line.startswith(("Index: ", "From ")) or _TRAILER.match(line):
            return counted or line.startswith("Index: ")
        return counted and not self.fenced and is_statement(line)

    def _add(
        self,
        section: _File,
        begin: int,
        body: Sequence[str],
        old_start: int | None,
        heading: str,
        *,
        counted: bool,
    ) -> None:
        if not has_change(body):
            return
        hunk = Hunk(
            number=len(section.hunks) + 1,
            edit_line=begin + 1,
            segments=(read_body(body, self.target, counted=counted),),
            heading=heading,
            old_start=old_start,
            counts_right=counted,
            no_newline_after=_no_newline(body),
        )
        section.hunks.append(hunk)


def _loose(header: str) -> tuple[int | None, str]:
    """Read a header that states no ranges: ``@@ def f @@`` gives ``(None, "def f")``."""
    text = header[2:].strip()
    inner, closing, behind = text.partition("@@")
    said = behind.strip() if closing and behind.strip() else inner.strip()
    start = _START.match(inner.strip())
    if said.strip(".… -+,0123456789") == "" or is_marker(said):
        said = ""
    return (int(start[1]) if start else None), said


def _between_markers(body: Sequence[str], target: Target) -> list[tuple[int, list[str]]]:
    """Cut a body at elision markers: pieces with their first line's place in the body."""
    pieces: list[tuple[int, list[str]]] = [(0, [])]
    for number, line in enumerate(body):
        sign = line[:1]
        shown = line.removeprefix(" ")
        if sign not in {"+", "-", "\\"} and is_marker(shown):
            dots = not shown.strip().strip(".…")
            if not (target.has_line(shown) or target.has_line(line)) and not (dots and shown[:1].isspace()):
                pieces.append((number + 1, []))
                continue
        pieces[-1][1].append(line)
    return [piece for piece in pieces if has_change(piece[1])]


def _no_newline(body: Sequence[str]) -> bool | None:
    """Whether the new side ends without a line end; None where the body does not say."""
    says = [number for number, line in enumerate(body) if line.startswith("\\")]
    if not says:
        return None
    new = [number for number, line in enumerate(body) if line[:1] not in {"-", "\\"}]
    return bool(new) and new[-1] + 1 in says


def _says_something(section: _File) -> bool:
    return bool(
        section.hunks or section.renamed or section.mode is not None or section.created or section.deleted
    )


def _piece(section: _File) -> Piece:
    old, new = same_file(section.old, section.new, git=section.git)
    if section.renamed:
        old, new = section.renamed
    hunks = tuple(section.hunks)
    shows_old = any(segment.before for hunk in hunks for segment in hunk.segments)
    moved_to = new if section.renamed and old != new else None
    if section.created and not shows_old:
        lines = tuple(line for hunk in hunks for segment in hunk.segments for line in segment.after)
        ends = not (hunks and hunks[-1].no_newline_after)
        at = hunks[0].edit_line + 1 if hunks else section.line
        snippet = Snippet(lines, at, said_whole=True, final_newline=ends)
        made = FileEdit(new or old, "create", (snippet,), new_mode=section.mode)
        return Piece(section.line, "udiff", made)
    parts = (HunkList("udiff", hunks),) if hunks else ()
    if section.deleted and not any(segment.after for hunk in hunks for segment in hunk.segments):
        return Piece(section.line, "udiff", FileEdit(old or new, "delete", parts))
    path = new if old == "/dev/null" else old or new
    return Piece(section.line, "udiff", FileEdit(path, "update", parts, moved_to, section.mode))
