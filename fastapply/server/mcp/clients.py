"""Where MCP clients keep the list of their servers, and what an entry looks like there.

All of these files are JSON objects; one of their keys holds an object of servers by name. Sources: the
clients' own documentation, "MCP" or "Connect to local servers", autumn 2026. A client whose file is not
plain JSON (Zed's, Codex's) is not here.

=============== ========== ============================================== =====================
client          key        the user's file                                the project's file
=============== ========== ============================================== =====================
claude          mcpServers ~/.claude.json                                 .mcp.json
claude-desktop  mcpServers Claude/claude_desktop_config.json (see below)
cursor          mcpServers ~/.cursor/mcp.json                             .cursor/mcp.json
gemini          mcpServers ~/.gemini/settings.json                        .gemini/settings.json
vscode          servers    Code/User/mcp.json (see below)                 .vscode/mcp.json
windsurf        mcpServers ~/.codeium/windsurf/mcp_config.json
=============== ========== ============================================== =====================

The folders of `claude-desktop` and `vscode` lie where the system keeps applications' settings:
``~/Library/Application Support``, ``%APPDATA%``, ``~/.config`` (there is no Claude Desktop on Linux).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal, get_args

from fastapply.errors import UsageError
from fastapply.values import dataclass

ClientName = Literal["claude", "claude-desktop", "cursor", "gemini", "vscode", "windsurf"]
CLIENTS: tuple[ClientName, ...] = get_args(ClientName)

_HOME_FILES: dict[ClientName, str] = {
    "claude": ".claude.json",
    "cursor": ".cursor/mcp.json",
    "gemini": ".gemini/settings.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
}
_SETTINGS_FILES: dict[ClientName, str] = {
    "claude-desktop": "Claude/claude_desktop_config.json",
    "vscode": "Code/User/mcp.json",
}
_PROJECT_FILES: dict[ClientName, str] = {
    "claude": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "gemini": ".gemini/settings.json",
    "vscode": ".vscode/mcp.json",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A client's file, and the key of its object of servers."""

    file: Path
    key: str


def user_place(client: ClientName, *, home: Path | None = None, system: str = sys.platform) -> Place:
    """Find the file of a user's servers. Raises `UsageError` where the client has none on this system."""
    home = home or Path.home()
    if client in _HOME_FILES:
        return Place(home / _HOME_FILES[client], _key(client))
    if client == "claude-desktop" and system not in {"darwin", "win32"}:
        raise UsageError(
            "Claude Desktop is not available on this system", hint="--install claude is for Claude Code"
        )
    if system == "darwin":
        settings = home / "Library" / "Application Support"
    elif system == "win32":
        settings = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    else:
        settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return Place(settings / _SETTINGS_FILES[client], _key(client))


def project_place(client: ClientName, folder: Path) -> Place:
    """Find the file of a project's servers. Raises `UsageError` where the client knows none."""
    if client not in _PROJECT_FILES:
        raise UsageError(f"{client} has no project settings", hint="remove --project")
    return Place(folder / _PROJECT_FILES[client], _key(client))


def entry(client: ClientName, command: tuple[str, ...]) -> dict[str, object]:
    """Describe a server that is started with `command`, as the client wants it."""
    described: dict[str, object] = {"command": command[0], "args": list(command[1:])}
    return {"type": "stdio", **described} if client in {"claude", "vscode"} else described


def _key(client: ClientName) -> str:
    return "servers" if client == "vscode" else "mcpServers"
