"""What a person is told once, and not under every refusal: that an apply model could decide."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from fastapply.pipeline.answers import is_model_step

if TYPE_CHECKING:
    from fastapply.errors import FastapplyError

_NAME = "model-step"


def leave_out_what_was_told(error: FastapplyError) -> None:
    """Take the step to a model out of an error's hint where this user has read it before."""
    lines = error.hint.splitlines()
    if any(map(is_model_step, lines)) and not _is_first_time(_NAME):
        error.hint = "\n".join(line for line in lines if not is_model_step(line))


def _is_first_time(name: str) -> bool:
    """Whether this was not told yet; it is noted in the user's state folder, where that can be written."""
    from fastapply.errors import FileTrouble
    from fastapply.folders import state_folder

    with suppress(OSError, FileTrouble):
        folder = state_folder() / "told"
        folder.mkdir(mode=0o700, exist_ok=True)
        try:
            (folder / name).touch(exist_ok=False)
        except FileExistsError:
            return False
    return True
