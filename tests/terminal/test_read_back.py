"""Every diff that is printed for a program, read by unidiff."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastapply.terminal.pager import reads_back, show_diffs
from fastapply.text import from_text
from fastapply.text.diff import Sides, count_changes, render_diff

LINES = (
    *("a", "", " ", "-- x", "++ y", "--- a/a.py", "+++ b", "@@ -1 +1 @@", "\\ No newline at end of file"),
    *("\x0c", "\u2028", "diff --git a/x b/x", "index 0", "new file mode 100644", "GIT binary patch"),
)
TEXTS = st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(["\n", "\r\n", "\r"])), max_size=12).map(
    lambda rows: from_text("".join(line + end for line, end in rows))
)
NAMES = st.sampled_from(["a.py", "dir/a b.py", "\u00e9.py", 'q"uote', "tab\there", "end ", "b/a.py"])


@given(path=NAMES, before=st.none() | TEXTS, after=TEXTS, mode=st.sampled_from([None, 0o755]))
def test_what_we_write_reads_back(path, before, after, mode):
    """Whatever stands in the lines, and however the file is called."""
    sides = Sides(path, before, after, old_mode=0o644, new_mode=mode)
    assert reads_back(render_diff(sides), *count_changes(sides))


@pytest.mark.parametrize(
    ("old", "new"), [("@@ -1 +1 @@", "@@ -1 +1,2 @@"), ("@@ -1 +1 @@", "@@ @@"), ("+b\n", "")]
)
def test_a_malformed_diff_does_not(old, new):
    """Wrong counts, no counts, a line that is missing."""
    diff = render_diff(Sides("a.py", from_text("a\n"), from_text("b\n")))
    assert reads_back(diff, 1, 1)
    assert not reads_back(diff.replace(old, new), 1, 1)


def test_a_malformed_diff_is_warned_about(monkeypatch, capfd):
    """It is printed all the same: it may help to find out why."""
    monkeypatch.setattr("fastapply.terminal.pager.render_diff", lambda _: "@@ -1 +1 @@\n-a\n")
    show_diffs([Sides("a.py", from_text("a\n"), from_text("b\n"))])
    shown = capfd.readouterr()
    assert shown.out == "@@ -1 +1 @@\n-a\n"
    assert shown.err.startswith("warning: the diff of a.py is malformed")
