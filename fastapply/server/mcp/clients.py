"""Where MCP clients keep the list of their servers, and what an entry looks like there.

One key of each of these files holds an object of servers by name. All are JSON objects, but for Zed's, which
has comments, and Codex's, which is TOML. Sources: the clients' own documentation, "MCP" or "Connect to local
servers", autumn 2026.

The folders of `claude-desktop`, `cline` and `vscode` lie where the system keeps applications' settings:
``~/Library/Application Support``, ``%APPDATA%``, ``~/.config`` (there is no Claude Desktop on Linux). Zed's
is in ``~/.config`` on macOS as well.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal, get_args

from fastapply.errors import UsageError
from fastapply.values import dataclass

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
