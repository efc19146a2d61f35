from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows can neither fork nor send SIGKILL")
def test_a_kill_at_any_moment_leaves_all_old_or_all_new(tmp_path):
    """Hundreds of runs and of runs that undo are killed; no file is ever broken or lost."""
    script = Path(__file__).with_name("killed_runs.py")
    ran = subprocess.run(
        [sys.executable, script, tmp_path, "70"], capture_output=True, text=True, check=False
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    outcomes = json.loads(ran.stdout)
    assert outcomes["journals"] == []
    for kind in ("one", "all"):
        assert set(outcomes[kind]) - {"killed while undoing"} == {"old", "new"}
    assert sum(outcomes["one"].values()) + sum(outcomes["all"].values()) > 240
    assert outcomes["all"]["killed while undoing"] > 50
    assert set(outcomes["undo"]) == {"write old", "write new", "undo old", "undo new"}
