r"""The unified diff of a change, as `git apply` accepts it. Values in, text out.

A diff is made of lines that end at a line feed and nowhere else, as git's are: a CR before it is
part of the line, and a last line without one is followed by ``\ No newline at end of file``.
Names with blanks at their end, quotes, control characters or letters beyond ASCII are quoted
as git quotes them.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapply.text import SourceText

CONTEXT = 3
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


@dataclass(frozen=True, slots=True)
class Sides:
    """A file before and after; None where there is none. `new_path` is where it is moved to."""

    path: str  # with slashes, relative where it can be
    before: SourceText | None
    after: SourceText | None
    new_path: str | None = None
    old_mode: int | None = None  # permission bits
    new_mode: int | None = None


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """A hunk of a diff: its rows, header first, and the lines that it shows, context and all.

    Lines ``[old_first, old_end)`` of the text before, 0-based, become ``[new_first, new_end)``.
    """

    rows: tuple[str, ...]
    old_first: int
    old_end: int
    new_first: int
    new_end: int


def hunks_between(old: Sequence[str], new: Sequence[str]) -> tuple[DiffHunk, ...]:
    """Give the hunks of a diff of two texts, whose lines come with their line ends."""
    return tuple(_hunk(old, new, group) for group in _groups(old, new))


def count_changes(sides: Sides) -> tuple[int, int]:
    """How many lines were added, and how many removed."""
    from fastapply.text.align import align

    old, new = _lines(sides.before), _lines(sides.after)
    kept = sum(partner >= 0 for partner in align(old, new)) if old and new else 0
    return len(new) - kept, len(old) - kept


def render_diff(sides: Sides) -> str:
    """Render a change with git's headers; "" where nothing changes."""
    old, new = _lines(sides.before), _lines(sides.after)
    header = _header(sides)
    hunks = hunks_between(old, new) if old != new else ()
    if not hunks and not header:
        return ""
    name, new_name = sides.path, sides.new_path or sides.path
    rows = [f"diff --git {quote('a/' + name)} {quote('b/' + new_name)}\n", *header]
    if hunks:
        before = "/dev/null" if sides.before is None else _name("a/" + name)
        after = "/dev/null" if sides.after is None else _name("b/" + new_name)
        rows += [f"--- {before}\n", f"+++ {after}\n"]
    return "".join([*rows, *chain.from_iterable(hunk.rows for hunk in hunks)])


def encode_diff(diff: str, encoding: str) -> bytes:
    """Bytes of a diff: those of the file itself, so that `git apply` finds its lines.

    Git has no textual diff of UTF-16; such a one comes as UTF-8, to be read by people.
    """
    if encoding == "latin-1":
        return diff.encode("latin-1", "replace")
    return diff.encode("utf-8", "surrogateescape")


def quote(name: str) -> str:
    r"""Quote a name as git does where it must be: ``a/é`` gives ``"a/\303\251"``."""
    data = name.encode("utf-8", "surrogateescape")
    if all(31 < byte < 127 and byte not in {34, 92} for byte in data):
        return name
    shown = (_ESCAPES.get(byte) or (chr(byte) if 31 < byte < 127 else f"\\{byte:03o}") for byte in data)
    return '"' + "".join(shown) + '"'


def _name(name: str) -> str:
    """Name a file in a ``---`` line, where a blank in it asks for a tab behind it."""
    quoted = quote(name)
    return quoted + "\t" if " " in quoted and not quoted.startswith('"') else quoted


def _header(sides: Sides) -> list[str]:
    if sides.before is None:
        return [f"new file mode {_mode(sides.new_mode)}\n"]
    if sides.after is None:
        return [f"deleted file mode {_mode(sides.old_mode)}\n"]
    rows = []
    old, new = _mode(sides.old_mode), _mode(sides.new_mode)
    if sides.old_mode is not None and sides.new_mode is not None and old != new:
        rows += [f"old mode {old}\n", f"new mode {new}\n"]
    if sides.new_path is not None and sides.new_path != sides.path:
        rows += [f"rename from {quote(sides.path)}\n", f"rename to {quote(sides.new_path)}\n"]
    return rows


def _mode(mode: int | None) -> str:
    return "100755" if mode is not None and mode & 0o100 else "100644"


def _lines(source: SourceText | None) -> list[str]:
    """Lines as git sees them, each with its line feed; a byte order mark is part of the first."""
    if source is None:
        return []
    text = source.text
    if source.bom and source.encoding == "utf-8":
        text = "\ufeff" + text
    return lines_of(text)


def lines_of(text: str) -> list[str]:
    """Split a text as git does, each line with its line feed."""
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Changes as ranges ``old[a:b]`` that become ``new[c:d]``, in order."""
    from fastapply.text.align import align

    changes = []
    at = other = 0
    for number, partner in enumerate([*align(old, new), len(new)]):
        if partner < 0:
            continue
        if number > at or partner > other:
            changes.append((at, number, other, partner))
        at, other = number + 1, partner + 1
    return changes


def _groups(old: Sequence[str], new: Sequence[str]) -> Iterator[list[tuple[int, int, int, int]]]:
    """Changes that are near each other stand in one hunk."""
    group: list[tuple[int, int, int, int]] = []
    for change in _opcodes(old, new):
        if group and change[0] - group[-1][1] > 2 * CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[tuple[int, int, int, int]]) -> DiffHunk:
    lead = min(CONTEXT, group[0][0])
    start, other = group[0][0] - lead, group[0][2] - lead
    trail = min(CONTEXT, len(old) - group[-1][1])
    rows = [""]
    at = start
    for a, b, c, d in group:
        rows += [_row(" ", line) for line in old[at:a]]
        rows += [_row("-", line) for line in old[a:b]]
        rows += [_row("+", line) for line in new[c:d]]
        at = b
    rows += [_row(" ", line) for line in old[at : at + trail]]
    end, new_end = at + trail, group[-1][3] + trail
    rows[0] = f"@@ -{_range(start, end - start)} +{_range(other, new_end - other)} @@\n"
    return DiffHunk(tuple(rows), start, end, other, new_end)


def _range(start: int, count: int) -> str:
    if count == 0:
        return f"{start},0"
    return f"{start + 1}" if count == 1 else f"{start + 1},{count}"


def _row(sign: str, line: str) -> str:
    return sign + line if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"
