"""Two changes of a text side by side: beside `git merge-file`, on random texts."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fastapply.workspace.git import merge_bytes

BASE = b"one\ntwo\nthree\nfour\nfive\n"
TOGETHER = {
    "apart": (
        b"ONE\ntwo\nthree\nfour\nfive\n",
        b"one\ntwo\nthree\nfour\nFIVE",
        b"ONE\ntwo\nthree\nfour\nFIVE",
    ),
    "a line between": (
        b"one\nTWO\nthree\nfour\nfive\n",
        b"one\ntwo\nthree\nfive\n",
        b"one\nTWO\nthree\nfive\n",
    ),
    "insertions": (b"0\n" + BASE, BASE + b"6\n", b"0\n" + BASE + b"6\n"),
    "one of them changes nothing": (BASE, b"x\n", b"x\n"),
    "the same on both sides": (b"one\nfive\n", b"one\nfive\n", b"one\nfive\n"),
    "other line ends": (b"ONE\r\ntwo\nthree\nfour\nfive\n", BASE[:-1], b"ONE\r\ntwo\nthree\nfour\nfive"),
}
AGAINST = {
    "the same line": (b"1\ntwo\nthree\nfour\nfive\n", b"ONE\ntwo\nthree\nfour\nfive\n"),
    "lines next to each other": (b"ONE\ntwo\nthree\nfour\nfive\n", b"one\nTWO\nthree\nfour\nfive\n"),
    "a line that is gone": (b"two\nthree\nfour\nfive\n", b"ONE\ntwo\nthree\nfour\nfive\n"),
    "two insertions in one place": (b"one\na\ntwo\nthree\nfour\nfive\n", b"one\nb\ntwo\nthree\nfour\nfive\n"),
    "nothing left": (b"", b"ONE\ntwo\nthree\nfour\nfive\n"),
}


@pytest.mark.parametrize("case", TOGETHER)
def test_changes_that_do_not_meet_are_both_made(case):
    """In either order, with the bytes of every line as they were."""
    ours, theirs, both = TOGETHER[case]
    assert merge_bytes(BASE, ours, theirs) == merge_bytes(BASE, theirs, ours) == both


@pytest.mark.parametrize("case", AGAINST)
def test_changes_that_meet_are_not_merged(case):
    """In either order."""
    ours, theirs = AGAINST[case]
    assert merge_bytes(BASE, ours, theirs) is merge_bytes(BASE, theirs, ours) is None


LINES = st.lists(
    st.sampled_from([b"%d\n" % number for number in range(30)]), unique=True, min_size=4, max_size=12
)
CHANGES = st.lists(st.tuples(st.integers(0, 11), st.sampled_from(["drop", "new", "before"])), max_size=3)


def changed(lines, changes, mark):
    """A text with some lines dropped, replaced, or put before others."""
    rows = []
    for number, line in enumerate(lines):
        kinds = {kind for at, kind in changes if at == number}
        rows += [b"%s before %d\n" % (mark, number)] if "before" in kinds else []
        rows += [b"%s for %d\n" % (mark, number)] if "new" in kinds else [] if "drop" in kinds else [line]
    return b"".join(rows)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES, ours=CHANGES, theirs=CHANGES)
def test_what_is_merged_is_what_git_merges(tmp_path, lines, ours, theirs):
    """And what git cannot merge is not merged."""
    texts = [b"".join(lines), changed(lines, ours, b"ours"), changed(lines, theirs, b"theirs")]
    for name, text in zip(("base", "ours", "theirs"), texts, strict=True):
        (tmp_path / name).write_bytes(text)
    done = subprocess.run(
        ["git", "merge-file", "-p", "ours", "base", "theirs"], cwd=tmp_path, capture_output=True, check=False
    )
    assert merge_bytes(*texts) == (None if done.returncode else done.stdout)


def test_without_git_nothing_is_merged(monkeypatch, tmp_path):
    """Whoever undoes a write then has to undo the newer ones first."""
    monkeypatch.setenv("PATH", str(tmp_path))
    ours, theirs, _ = TOGETHER["apart"]
    assert merge_bytes(BASE, ours, theirs) is None
    assert merge_bytes(BASE, BASE, theirs) == theirs
