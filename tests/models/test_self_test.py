"""The self-test of `fastapply doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.cli.doctor import self_test
from fastapply.models.engine import Completion
from fastapply.types import Usage

if TYPE_CHECKING:
    from fastapply.models.prompts import StyleName


class SlowToStart:
    """A model whose first answer waits for the disk."""

    name = "slow"
    style: StyleName = "nano"
    context_length = 4096

    def __init__(self):
        self.tasks = []

    def complete(self, task):
        """Two tokens a second, and then a thousand."""
        self.tasks.append(task)
        first = len(self.tasks) == 1
        return Completion(
            "x",
            "length",
            Usage(output_tokens=10, decode_seconds=5.0 if first else 0.01, load_seconds=7.0 * first),
        )


def test_speed_of_a_self_test_is_that_of_its_second_answer():
    """The first one is thrown away but for the time that loading took; both are of the same task."""
    model = SlowToStart()
    usage = self_test(model)
    assert (usage.output_tokens / usage.decode_seconds, usage.load_seconds) == (1000.0, 7.0)
    assert len(model.tasks) == 2
    assert model.tasks[0] == model.tasks[1]
