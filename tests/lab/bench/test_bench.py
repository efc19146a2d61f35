"""The benchmark with other programs beside it, on a small model with random weights."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys

import pytest

from fastapply_lab.bench.__main__ import by_length


def test_times_of_a_token_are_told_by_length():
    """Each over that of the first length."""
    rows = [
        {"lines": lines, "output_tokens": 10, "as_expected": True, "seconds": each, "limit_seconds": 1.0}
        for lines, each in ((250, 1.0), (1000, 4.0))
    ]
    assert [(one["lines"], one["ratio"], one["limit_ratio"]) for one in by_length(rows)] == [
        (250, 1.0, 1.0),
        (1000, 4.0, 1.0),
    ]


@pytest.mark.slow
def test_peers_write_what_a_replay_writes(tmp_path):
    """A model of random weights is made, and replays the right result of an edit."""
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("llama-cpp-python is not installed: pip install -e '.[model]'")
    body = "".join(f"def f{number}(a):\n    b = {number}\n    return a + b\n\n\n" for number in range(12))
    case = {"path": "a.py", "original": body, "edit": "def f5(a):\n    b = 55\n    return a + b\n"}
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps(case) + "\n")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "fastapply_lab.bench",
            "--rounds",
            "1",
            "--threads",
            "1",
            "--cases",
            str(cases),
        ],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")},
    )
    assert (done.returncode, done.stderr) == (0, "")
    summary = json.loads(done.stdout.splitlines()[-1])["summary"]
    assert summary["replay"]
    assert summary["complete"]
    assert [peer["same_output"] for peer in summary["peers"]] == [1] * len(summary["peers"]) != []
