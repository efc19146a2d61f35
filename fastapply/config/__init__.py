"""Settings, from the weakest to the strongest: default, user file, project file, environment.

    place ─▶ `load` ─▶ Configuration (each value, and where it comes from); options come on top in `cli`

The user file is ``config.toml`` in the platform's folder, or the file that ``FASTAPPLY_CONFIG`` names.
The project file is the first ``fastapply.toml``, or ``pyproject.toml`` with a table ``[tool.fastapply]``,
in the folder of the edited file or above it, as far up as the repository goes. What it may not set (see
`keys`) is ignored with a warning: a project that was cloned must neither do harm nor break the tool.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapply.config.keys import KEYS, PROJECT_FILE, Setting
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fastapply.workspace.files import Keep

FILE_VARIABLE = "FASTAPPLY_CONFIG"
_PYPROJECT = "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Configuration:
    """All settings by name. `project_file` is None where there is none; the user file need not exist."""

    settings: Mapping[str, Setting]
    user_file: Path
    project_file: Path | None = None
    warnings: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - of the type that its `Key` says
        """Give the value of a setting."""
        return self.settings[name].value


def load(place: str | os.PathLike[str] = ".") -> Configuration:
    """Read the settings for a file, or for a folder, which need not exist.

    Raises `UsageError` (exit status 2) for an unknown key, a value of the wrong type, and a file that is
    no TOML; the file or variable and the key are named.
    """
    settings = {name: Setting(key.default) for name, key in KEYS.items()}
    warnings: list[str] = []
    named = os.environ.get(FILE_VARIABLE)
    if named:
        user_file = Path(named)
    else:
        import platformdirs

        user_file = platformdirs.user_config_path("fastapply", appauthor=False) / "config.toml"
    if named or user_file.exists():
        from fastapply.config.read import read_user_file

        settings |= read_user_file(user_file)
    project_file: Path | None = None
    for file in _project_files(place):
        from fastapply.config.read import read_project_file

        found = read_project_file(file, settings, warnings)
        if found is not None:
            settings |= found
            project_file = file
            break
    said = {key.name: os.environ[key.variable] for key in KEYS.values() if os.environ.get(key.variable)}
    if said:
        from fastapply.config.read import read_environment

        settings |= read_environment(said)
    return Configuration(settings, user_file, project_file, tuple(warnings))


def keep_of(found: Configuration) -> Keep | None:
    """How much `fastapply undo` may put back by these settings; None where nothing is to be kept."""
    return limits_of(found) if found["undo"] else None


def limits_of(found: Configuration) -> Keep:
    """How much of what is kept at all is kept, for undo and in the usage log."""
    from fastapply.workspace.files import Keep

    return Keep(found["undo_entries"], found["undo_megabytes"], found["undo_days"])


def _project_files(place: str | os.PathLike[str]) -> Iterator[Path]:
    """What may be the project's file, the nearest first."""
    try:
        start = Path(os.path.realpath(place))
    except ValueError:  # no name of a file; whoever reads it will say so
        return
    for folder in (start, *start.parents):
        for name in (PROJECT_FILE, _PYPROJECT):
            file = folder / name
            # Path.is_file would raise where a folder may not be looked into
            if os.path.isfile(file) and (name == PROJECT_FILE or _may_have_table(file)):  # noqa: PTH113
                yield file
        if os.path.lexists(folder / ".git"):
            return


def _may_have_table(pyproject: Path) -> bool:
    """Look whether it is worth the time to load a parser and parse the file."""
    try:
        return b"fastapply" in pyproject.read_bytes()
    except OSError:
        return False
