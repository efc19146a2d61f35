"""What can be configured, and by whom.

A file inside a project comes along when somebody clones it, so it may only ask for what cannot hurt:
never for what loads or runs something or sends code anywhere, what weakens the verifier, what throws
away the user's undo, or what keeps a log of what the user does; and it cannot take back a precaution of the
user's. A new key is one row here.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from fastapply.types import Engine
from fastapply.values import dataclass

Value = bool | int | float | str | tuple[str, ...] | None
Kind = Literal["switch", "number", "share", "word", "text", "codes"]
Project = Literal["no", "yes", "only true", "only higher"]


@dataclass(frozen=True, slots=True)
class Key:
    """A setting: its name in files and, in capitals behind ``FASTAPPLY_``, in the environment."""

    name: str
    kind: Kind
    default: Value
    project: Project  # may a project's own file set it?
    words: tuple[str, ...] = ()  # of which a word has to be one

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"FASTAPPLY_{self.name.upper()}"


PROJECT_FILE = "fastapply.toml"


@dataclass(frozen=True, slots=True)
class Setting:
    """A value; `source` is ``default``, ``user``, ``project`` or ``environment``.

    `where` is its file or variable.
    """

    value: Value
    source: str = "default"
    where: str = ""


KEYS = {
    key.name: key
    for key in (
        Key("engine", "word", "auto", "no", get_args(Engine)),
        Key("allow", "codes", (), "no"),
        Key("model", "text", "", "no"),
        Key("endpoint", "text", "", "no"),
        Key("backup", "switch", False, "only true"),
        Key("require_clean", "switch", False, "only true"),
        Key("stage", "switch", False, "yes"),
        Key("quiet", "switch", False, "yes"),
        Key("smooth", "switch", False, "no"),
        Key("min_certainty", "share", None, "only higher"),
        Key("undo", "switch", True, "no"),
        Key("undo_entries", "number", 1000, "no"),
        Key("undo_megabytes", "number", 100, "no"),
        Key("undo_days", "number", 30, "no"),
        Key("keep_log", "switch", False, "no"),
    )
}

NEVER_OF_A_PROJECT = re.compile(
    r"(?:api|endpoint|model|models|proxy|token|url|worker)(?:_|$)|command$|ctx_size$|gpu_layers$|threads$"
)
"""Names that a project's file is warned about, not stopped for, whether or not they are keys here."""
