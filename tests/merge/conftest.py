"""The tests of lazy edits in this folder are about the rules alone, whatever the ranking makes of them."""

from __future__ import annotations

import pytest

from fastapply.merge.lines import line_table
from fastapply.merge.rules import merge_by_rules


def _by_rules(source, snippet, *, language, instructions="", around="", min_certainty=None):  # noqa: ARG001
    file = line_table(source.lines, language)
    return merge_by_rules(source, snippet, file, language=language, instructions=instructions)


@pytest.fixture(autouse=True)
def rules_alone(request, monkeypatch):
    """Merge by rules in the modules that specify them."""
    if request.module.__name__.rpartition(".")[2].startswith(("test_lazy_", "test_whole", "test_effort")):
        monkeypatch.setattr("fastapply.merge.lazy.merge_snippet", _by_rules)
