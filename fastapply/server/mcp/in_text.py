"""fastapply's entry in settings that are more than JSON: put in and taken out as text, so that comments stay.

    jsonc   JSON with comments and trailing commas, as Zed has it
    toml    a table of its own, as Codex has it: ``[mcp_servers.fastapply]``

The result is parsed again: it must differ in the entry alone.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from fastapply.text import from_text
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapply.server.mcp.install import Place

_STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_STRING_OR_COMMA = re.compile(r'"(?:\\.|[^"\\\n])*"|,(?=\s*[}\]])')
_INDENT = 2


def changed_text(text: str, place: Place, name: str, entry: dict[str, object] | None) -> str:
    """Settings with the entry, or without it where it is None; raises `ValueError`."""
    settings = _parse(text, place)
    servers = settings.get(place.key, {})
    if not isinstance(servers, dict):
        msg = f"its {place.key!r} is not an object"
        raise ValueError(msg)  # noqa: TRY004 - of the file's content, not of an argument
    if servers.get(name) == entry:
        return text
    others = {key: server for key, server in servers.items() if key != name}
    wanted = {**settings, place.key: others if entry is None else {**others, name: entry}}
    change = _with_table if place.kind == "toml" else _with_member
    after = change(text.replace("\r\n", "\n"), place.key, name, entry)
    after = after.replace("\n", from_text(text).newline)
    found = _parse(after, place)
    if {**found, place.key: found.get(place.key, {})} != wanted:
        msg = "its layout is not understood"
        raise ValueError(msg)
    return after


def _parse(text: str, place: Place) -> dict[str, Any]:
    if place.kind == "toml":
        return tomllib.loads(text)
    found = json.loads(_plain(text)) if text.strip() else {}
    if not isinstance(found, dict):
        msg = "it is not an object"
        raise ValueError(msg)  # noqa: TRY004 - of the file's content, not of an argument
    return found


# --- TOML ------------------------------------------------------------------------------------------


def _with_table(text: str, key: str, name: str, entry: dict[str, object] | None) -> str:
    own = re.compile(rf"^\[{key}\.{name}(?:\.[^\]\n]*)?\][^\n]*\n?.*?(?=^\s*\[|\Z)", re.MULTILINE | re.DOTALL)
    rest = own.sub("", text)
    above = rest.rstrip() + "\n" if rest.strip() else ""
    if entry is None:
        return above
    return (f"{above}\n" if above else "") + table_of(key, name, entry)


def table_of(key: str, name: str, entry: dict[str, object]) -> str:
    """The entry as a table of TOML."""
    rows = (f"{what} = {json.dumps(value)}\n" for what, value in entry.items())
    return f"[{key}.{name}]\n{''.join(rows)}"


# --- JSON with comments ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object: where its name begins, where its value does, and where that ends."""

    name: str
    start: int
    value: int
    end: int


def _plain(text: str) -> str:
    """The text with blanks for comments and trailing commas: all else is where it was."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])

    return _STRING_OR_COMMA.sub(blank, _STRING_OR_COMMENT.sub(blank, text))


def _members(plain: str, at: int) -> Iterator[_Member]:
    """The members of the object whose brace is at a place."""
    decoder = json.JSONDecoder()
    at += 1
    while (at := _behind(plain, at, ",")) < len(plain) and plain[at] != "}":
        name, end = decoder.raw_decode(plain, at)
        value = _behind(plain, end, ":")
        _, end = decoder.raw_decode(plain, value)
        yield _Member(name, at, value, end)
        at = end


def _behind(text: str, at: int, mark: str) -> int:
    """Behind white space and a mark."""
    while at < len(text) and (text[at].isspace() or text[at] == mark):
        at += 1
    return at


def _with_member(text: str, key: str, name: str, entry: dict[str, object] | None) -> str:
    text = text if text.strip() else "{}\n"
    plain = _plain(text)
    root = plain.index("{")
    servers = next((one for one in _members(plain, root) if one.name == key), None)
    if servers is None:
        return _put_in(text, root, key, {name: entry}, 1)
    own = next((one for one in _members(plain, servers.value) if one.name == name), None)
    if own is None:
        return _put_in(text, servers.value, name, entry, 2)
    if entry is not None:
        return text[: own.value] + _dumped(entry, 2) + text[own.end :]
    comma = _behind(text, own.end, "") if text[own.end :].lstrip().startswith(",") else -1
    above, below = text[: own.start].rstrip(), text[comma + 1 if comma >= 0 else own.end :]
    return (above if comma >= 0 else above.removesuffix(",")) + below


def _put_in(text: str, brace: int, name: str, value: object, depth: int) -> str:
    """The text with a member right behind an opening brace."""
    empty = not any(_members(_plain(text), brace))
    member = f"\n{' ' * _INDENT * depth}{json.dumps(name)}: {_dumped(value, depth)}"
    end = f"\n{' ' * _INDENT * (depth - 1)}" if empty and text[brace + 1] == "}" else "" if empty else ","
    return text[: brace + 1] + member + end + text[brace + 1 :]


def _dumped(value: object, depth: int) -> str:
    return json.dumps(value, indent=_INDENT, ensure_ascii=False).replace("\n", f"\n{' ' * _INDENT * depth}")
