"""`patch --review`: each file of a patch is asked about, and what was taken is written together."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("pexpect")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pexpect has no terminal there")

from reviewing import BEFORE, answer, end, wanted  # noqa: E402 - it needs pexpect

PATCH = """\
*** Begin Patch
*** Update File: say.py
@@
-    \"\"\"Say one.\"\"\"
+    \"\"\"Say one, loudly.\"\"\"
*** Add File: made.txt
+made here
*** Delete File: old.txt
*** Update File: names.txt
*** Move to: moved.txt
@@
-a name
+another name
*** End Patch
"""


@pytest.mark.parametrize(
    ("answers", "files"),
    [
        (
            ["y", "y", "y", "y", "y"],
            {"say.py": wanted("one"), "made.txt": "made here\n", "moved.txt": "another name\n"},
        ),
        (["y", "n", "n", "n", "n"], {"say.py": wanted("one"), "old.txt": "old\n", "names.txt": "a name\n"}),
        (["n", "n", "n", "n", "y"], {"say.py": BEFORE, "old.txt": "old\n", "names.txt": "another name\n"}),
        (["n", "n", "n", "y", "n"], {"say.py": BEFORE, "old.txt": "old\n", "moved.txt": "a name\n"}),
        (
            ["n", "y", "q"],
            {"say.py": BEFORE, "made.txt": "made here\n", "old.txt": "old\n", "names.txt": "a name\n"},
        ),
    ],
    ids=["all", "the update alone", "the text of a moved file alone", "the move alone", "quit"],
)
def test_patch_asks_for_each_file(answers, files, terminal, place):
    """Made, deleted and moved ones as well; all that was taken is written together."""
    (place / "edit.txt").write_text(PATCH, encoding="utf-8")
    (place / "old.txt").write_text("old\n", encoding="utf-8")
    (place / "names.txt").write_text("a name\n", encoding="utf-8")
    child = terminal("fastapply patch --review edit.txt")
    answer(child, *answers)
    assert end(child)[0] == 0
    (place / "edit.txt").unlink()
    found = {file.name: file.read_text(encoding="utf-8") for file in place.iterdir() if file.is_file()}
    assert found == files
