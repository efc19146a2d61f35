"""fastapply's entry in the list of servers of an MCP client: put in, or taken out again.

Everything else in the file stays: values and their order, its indentation, line ends and mode, and in the
files of Zed and Codex comments (`changed_text`). Another file that is not plain JSON (comments, a comma too
many, a key twice) is left alone, and the error shows the entry to put in by hand. The old text is kept as
``FILE~``.

One key of each of these files holds an object of servers by name. All are JSON objects, but for Zed's, which
has comments, and Codex's, which is TOML. Sources: the clients' own documentation, "MCP" or "Connect to local
servers", autumn 2026.

The folders of `claude-desktop`, `cline` and `vscode` lie where the system keeps applications' settings:
``~/Library/Application Support``, ``%APPDATA%``, ``~/.config`` (there is no Claude Desktop on Linux). Zed's
is in ``~/.config`` on macOS as well.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from fastapply.errors import FileTrouble, UsageError
from fastapply.server import read_once
from fastapply.text import SourceText, encode, from_text
from fastapply.text.diff import Sides, render_diff
from fastapply.values import dataclass, replace
from fastapply.workspace import files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapply.workspace.files import FileState


NAME = "fastapply"
ClientName = Literal[
    "claude", "claude-desktop", "cline", "codex", "cursor", "gemini", "vscode", "windsurf", "zed"
]
Kind = Literal["json", "jsonc", "toml"]
CLIENTS: tuple[ClientName, ...] = get_args(ClientName)

_HOME_FILES: dict[ClientName, str] = {
    "claude": ".claude.json",
    "codex": ".codex/config.toml",
    "cursor": ".cursor/mcp.json",
    "gemini": ".gemini/settings.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
}
_SETTINGS_FILES: dict[ClientName, str] = {
    "claude-desktop": "Claude/claude_desktop_config.json",
    "cline": "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    "vscode": "Code/User/mcp.json",
    "zed": "zed/settings.json",  # %APPDATA%\\Zed, where case makes no difference
}
_KEYS: dict[ClientName, str] = {"codex": "mcp_servers", "vscode": "servers", "zed": "context_servers"}
_KINDS: dict[ClientName, Kind] = {"codex": "toml", "zed": "jsonc"}
_PROJECT_FILES: dict[ClientName, str] = {
    "claude": ".mcp.json",
    "codex": ".codex/config.toml",
    "cursor": ".cursor/mcp.json",
    "gemini": ".gemini/settings.json",
    "vscode": ".vscode/mcp.json",
}
_STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_STRING_OR_COMMA = re.compile(r'"(?:\\.|[^"\\\n])*"|,(?=\s*[}\]])')
_INDENT = 2


@dataclass(frozen=True, slots=True)
class Place:
    """A client's file, the key of its object of servers, and the language of the file."""

    file: Path
    key: str
    kind: Kind = "json"


def user_place(client: ClientName, *, home: Path | None = None, system: str = sys.platform) -> Place:
    """Find the file of a user's servers. Raises `UsageError` where the client has none on this system."""
    home = home or Path.home()
    if client in _HOME_FILES:
        return _place(home / _HOME_FILES[client], client)
    if client == "claude-desktop" and system not in {"darwin", "win32"}:
        raise UsageError(
            "Claude Desktop is not available on this system", hint="--install claude is for Claude Code"
        )
    if system == "darwin" and client != "zed":
        settings = home / "Library" / "Application Support"
    elif system == "win32":
        settings = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    else:
        settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return _place(settings / _SETTINGS_FILES[client], client)


def project_place(client: ClientName, folder: Path) -> Place:
    """Find the file of a project's servers. Raises `UsageError` where the client knows none."""
    if client not in _PROJECT_FILES:
        raise UsageError(f"{client} has no project settings", hint="remove --project")
    return _place(folder / _PROJECT_FILES[client], client)


def entry(client: ClientName, command: tuple[str, ...]) -> dict[str, object]:
    """Describe a server that is started with `command`, as the client wants it."""
    described: dict[str, object] = {"command": command[0], "args": list(command[1:])}
    return {"type": "stdio", **described} if client in {"claude", "vscode"} else described


def _place(file: Path, client: ClientName) -> Place:
    return Place(file, _KEYS.get(client, "mcpServers"), _KINDS.get(client, "json"))


@dataclass(frozen=True, slots=True)
class PlannedConfig:
    """A file as it is (None: it is not there) and as it shall be."""

    file: Path
    state: FileState | None
    text: str

    @property
    def unchanged(self) -> bool:
        """Whether nothing has to be done."""
        return self.text == (self.state.source.text if self.state else "")

    @property
    def diff(self) -> str:
        """The change, to be shown before it is made."""
        before = self.state.source if self.state else None
        return render_diff(Sides(self.file.as_posix().lstrip("/"), before, from_text(self.text)))


def plan_entry(place: Place, entry: dict[str, object] | None) -> PlannedConfig:
    """Plan to put the entry in, or to take it out where it is None.

    Raises `FileTrouble`: ``not_json`` for a file that is not to be touched, and what `files.read` raises.
    """
    state = files.read(place.file) if os.path.lexists(place.file) else None
    text = state.source.text if state else ""
    try:
        return PlannedConfig(place.file, state, changed_text(text, place, NAME, entry))
    except (ValueError, RecursionError) as error:
        raise _not_plain(place, str(error), entry) from None


def carry_out(planned: PlannedConfig) -> tuple[Path, ...]:
    """Write what was planned, if the file still is what it was then; gives the backups made.

    Raises `FileTrouble` as `files.write` and `files.create` do.
    """
    place = Path(os.path.realpath(planned.file))
    source = planned.state.source if planned.state else SourceText((), ())
    text = from_text(planned.text)
    data = encode(replace(text, encoding=source.encoding, bom=source.bom))
    files.recover(place)
    with files.locked(place) as held:
        if planned.state is not None:
            return files.write(planned.state, data, held, backup=True).backups
        place.parent.mkdir(parents=True, exist_ok=True)
        return files.create(place, data, held).backups


def _render(settings: dict[str, Any], old: str) -> str:
    """Write the object with the indentation and the line ends that the file has."""
    found = re.search(r"^\{\s*?\n([ \t]+)\"", old, re.MULTILINE)
    text = json.dumps(settings, indent=found[1] if found else 2, ensure_ascii=False)
    text += "\n" if old.endswith("\n") or not old else ""
    return text.replace("\n", from_text(old).newline)


def _not_plain(place: Place, why: str, entry: dict[str, object] | None) -> FileTrouble:
    by_hand = f"the entry {NAME!r}" if entry is None else json.dumps({place.key: {NAME: entry}})
    if entry is not None and place.kind == "toml":
        by_hand = f"\n{table_of(place.key, NAME, entry)}".rstrip()
    what = "is not plain JSON and" if place.kind == "json" else "cannot be edited and"
    return FileTrouble(
        f"{place.file} {what} was not changed: {why}",
        reason="not_json",
        hint=f"{'put in' if entry is not None else 'take out'} by hand: {by_hand}",
    )


def changed_text(text: str, place: Place, name: str, entry: dict[str, object] | None) -> str:
    """Settings with the entry, or without it where it is None; raises `ValueError`."""
    settings = _settings_of(text, place)
    servers = settings.get(place.key, {})
    if not isinstance(servers, dict):
        msg = f"its {place.key!r} is not an object"
        raise ValueError(msg)  # noqa: TRY004 - of the file's content, not of an argument
    if servers.get(name) == entry if entry is not None else name not in servers:
        return text
    others = {key: server for key, server in servers.items() if key != name}
    wanted = {**settings, place.key: others if entry is None else {**servers, name: entry}}
    if place.kind == "json":
        return _render(wanted, text)
    change = _with_table if place.kind == "toml" else _with_member
    after = change(text.replace("\r\n", "\n"), place.key, name, entry)
    after = after.replace("\n", from_text(text).newline)
    found = _settings_of(after, place)
    if {**found, place.key: found.get(place.key, {})} != wanted:
        msg = "its layout is not understood"
        raise ValueError(msg)
    return after


def _settings_of(text: str, place: Place) -> dict[str, Any]:
    if place.kind == "toml":
        return tomllib.loads(text)
    read = read_once if place.kind == "json" else lambda jsonc: json.loads(_plain(jsonc))
    found = read(text) if text.strip() else {}
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
