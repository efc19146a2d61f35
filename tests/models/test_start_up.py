"""What is imported for a merge: nothing of the model path, unless a model is asked."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
from fastapply import apply_edit
assert apply_edit("a = 1\\nb = 2\\n", "a = 1\\nb = 3\\n", path="x.py").status == "applied"
open_edit = "<<<<<<< SEARCH\\na\\n=======\\nb\\n>>>>>>> REPLACE\\n"
assert apply_edit("a\\na\\n", open_edit, engine=ENGINE).status == "refused"
print(sorted(name for name in sys.modules if name.startswith(("llama_cpp", "numpy", "fastapply.models"))))
"""


def imported(engine):
    """Names of modules of the model path."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.replace("ENGINE", repr(engine))],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_merge_without_a_model_imports_nothing_of_the_model_path():
    """Neither for a certain merge nor for a refusal."""
    assert imported("auto") == "[]"
    assert imported("deterministic") == "[]"
