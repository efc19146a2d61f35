"""fastapply's entry in the list of servers of an MCP client: put in, or taken out again.

Everything else in the file stays: values and their order, its indentation, line ends and mode, and in the
files of Zed and Codex comments (see `in_text`). Another file that is not plain JSON (comments, a comma too
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
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from fastapply.errors import FileTrouble, UsageError
from fastapply.server import read_once
from fastapply.text import SourceText, encode, from_text
from fastapply.text.diff import Sides, render_diff
from fastapply.values import dataclass, replace
from fastapply.workspace import files

if TYPE_CHECKING:
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
    if place.kind != "json":
        from fastapply.server.mcp.in_text import changed_text

        try:
            return PlannedConfig(place.file, state, changed_text(text, place, NAME, entry))
        except (ValueError, RecursionError) as error:
            raise _not_plain(place, str(error), entry) from None
    settings = _parse(place, text, entry) if text.strip() else {}
    servers = settings.get(place.key, {})
    if not isinstance(servers, dict):
        raise _not_plain(place, f"its {place.key!r} is not an object", entry)
    if servers.get(NAME) == entry if entry is not None else NAME not in servers:
        return PlannedConfig(place.file, state, text)
    others = {name: server for name, server in servers.items() if name != NAME or entry is not None}
    if entry is not None:
        others[NAME] = entry
    wanted = {**settings, place.key: others}
    return PlannedConfig(place.file, state, _render(wanted, text))


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


def _parse(place: Place, text: str, entry: dict[str, object] | None) -> dict[str, Any]:
    try:
        settings = read_once(text)
    except (ValueError, RecursionError) as error:
        raise _not_plain(place, str(error), entry) from None
    if not isinstance(settings, dict):
        raise _not_plain(place, "it is not an object", entry)
    return settings


def _render(settings: dict[str, Any], old: str) -> str:
    """Write the object with the indentation and the line ends that the file has."""
    found = re.search(r"^\{\s*?\n([ \t]+)\"", old, re.MULTILINE)
    text = json.dumps(settings, indent=found[1] if found else 2, ensure_ascii=False)
    text += "\n" if old.endswith("\n") or not old else ""
    return text.replace("\n", from_text(old).newline)


def _not_plain(place: Place, why: str, entry: dict[str, object] | None) -> FileTrouble:
    by_hand = f"the entry {NAME!r}" if entry is None else json.dumps({place.key: {NAME: entry}})
    if entry is not None and place.kind == "toml":
        from fastapply.server.mcp.in_text import table_of

        by_hand = f"\n{table_of(place.key, NAME, entry)}".rstrip()
    what = "is not plain JSON and" if place.kind == "json" else "cannot be edited and"
    return FileTrouble(
        f"{place.file} {what} was not changed: {why}",
        reason="not_json",
        hint=f"{'put in' if entry is not None else 'take out'} by hand: {by_hand}",
    )
