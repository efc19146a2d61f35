"""What every test gets: a state folder and a configuration of its own, so that the user's play no part."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pathlib import Path

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")  # other texts each run: pytest --hypothesis-profile=default


@pytest.fixture(autouse=True)
def state_dir(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep locks and journals in a folder of this test."""
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("FASTAPPLY_STATE_DIR", str(folder))
    return folder


@pytest.fixture(autouse=True)
def user_config(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty file the user's configuration, and take all settings from the environment."""
    for name in list(os.environ):
        if name.startswith("FASTAPPLY_") and name != "FASTAPPLY_STATE_DIR":
            monkeypatch.delenv(name)
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path_factory.mktemp("config") / "config.toml"
    file.touch()
    monkeypatch.setenv("FASTAPPLY_CONFIG", str(file))
    return file


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which `fastapply` and `git` are found and keep out of the user's home."""
    commands = tmp_path / "commands"
    commands.mkdir()
    command = commands / "fastapply"
    command.write_text(
        f"#!{sys.executable}\nimport sys\nfrom fastapply.cli import main\nsys.exit(main())\n",
        encoding="utf-8",
    )
    command.chmod(0o755)
    names = {
        f"GIT_{who}_{what}": "test@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    return {
        **os.environ,
        **names,
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
