"""The sets of edits: each has its row in the table, and is what it was when that was written."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from fastapply.evaluate.cases import open_lines

HERE = Path(__file__).parent
SETS = sorted(HERE.glob("*.jsonl*"))
ROW = re.compile(r"^\| `([\w.-]+)` \| [^|]+ \| ([\d,]+) \|.*\| `(\w{12})` \|$", re.MULTILINE)


def test_each_set_has_a_row():
    """Where it comes from, and what was first scored on it."""
    rows = ROW.findall((HERE / "README.md").read_text(encoding="utf-8"))
    assert sorted(name for name, *_ in rows) == [path.name for path in SETS]


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.name.partition(".")[0])
def test_a_set_is_never_changed(path):
    """Its bytes are those of the table, its edits as many; what comes later is a set of its own."""
    rows = {name: row for name, *row in ROW.findall((HERE / "README.md").read_text(encoding="utf-8"))}
    with open_lines(path) as lines:
        count = f"{sum(1 for _ in lines):,}"
    assert rows[path.name] == [count, hashlib.sha256(path.read_bytes()).hexdigest()[:12]]


def test_no_file_of_the_repository_is_large():
    """But the adapter that ships: a checkout is fetched by everybody."""
    root = HERE.parents[1]
    large = [
        path.relative_to(root).as_posix()
        for folder in ("fastapply", "lab", "tests", "models", "completions")
        for path in (root / folder).rglob("*")
        if path.is_file() and path.stat().st_size > 8_000_000
    ]
    assert large == ["models/apply-1.5b.gguf"]
