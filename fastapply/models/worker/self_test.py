"""A short answer, to see that a model runs at all; whether it is any good this does not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.models.engine import Drafts, Task
from fastapply.models.prompts import ShownToModel, render_prompt
from fastapply.values import replace

if TYPE_CHECKING:
    from fastapply.models.engine import ApplyModel
    from fastapply.types import Usage

_CODE = "def greet(name):\n    return name\n"
_EDIT = 'def greet(name):\n    return "hello " + name\n'
_CHARACTERS = 60


def self_test(model: ApplyModel) -> Usage:
    """Ask for the merge of two lines, twice; gives what the second answer took. Raises `ModelTrouble`.

    The first one waits until the model's pages come from the disk, and measures that; what loading took is
    told all the same.
    """
    prompt = render_prompt(model.style, ShownToModel(_CODE, _EDIT, "python"))
    task = Task(prompt, Drafts("", "", ""), _CHARACTERS)
    first = model.complete(task).usage
    return replace(model.complete(task).usage, load_seconds=first.load_seconds)
