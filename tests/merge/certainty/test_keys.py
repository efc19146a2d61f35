"""Keys that stand twice in one mapping."""

from __future__ import annotations

import pytest

from fastapply.merge.certainty.keys import doubled_keys

CASES = [
    ("yaml", "on:\n  push:\n  pull_request: {}\n  pull_request:\n    branches: [main]\n", 1),
    ("yaml", "on:\n  push:\njobs:\n  push:\n", 0),
    ("yaml", "steps:\n  - name: a\n    run: b\n  - name: c\n    run: d\n", 0),
    ("yaml", "steps:\n  - name: a\n    run: b\n    run: d\n", 1),
    ("yaml", "run: |\n  a: 1\n  a: 1\nb: 2\n", 0),
    ("yaml", "a: 1\n---\na: 1\n", 0),
    ("yaml", "test:vm:\n  run: a\ntest:web:\n  run: b\n", 0),
    ("yaml", "{{- if x }}\na: 1\n{{- else }}\na: 2\n{{- end }}\n", 0),
    ("json", '{\n  "a": 1,\n  "b": {\n    "a": 2\n  },\n  "a": 3\n}\n', 1),
    ("json", '[\n  {\n    "a": 1\n  },\n  {\n    "a": 1\n  }\n]\n', 0),
    ("toml", "[a]\nx = 1\n[b]\nx = 1\n", 0),
    ("toml", "[a]\nx = 1\n[b]\n[a]\ny = 1\n", 1),
    ("toml", "[[a]]\nx = 1\n[[a]]\nx = 1\n", 0),
    ("python", "a = 1\na = 1\n", 0),
]


@pytest.mark.parametrize(("language", "text", "count"), CASES)
def test_keys_are_counted_that_their_mapping_has_already(language, text, count):
    """Other mappings, documents, items of a list and texts of several lines have keys of their own."""
    assert doubled_keys(text.splitlines(), language) == count
