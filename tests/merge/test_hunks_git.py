"""Diffs that git makes: they always give the after-side, to the last line end."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fastapply.edits.detect import parse_edit
from fastapply.merge.hunks import merge_hunks
from fastapply.text import decode, encode, splice
from fastapply.types import HunkList

LINE = st.sampled_from(["", "a", "    a", "-- b", "++ c", "}", "...", "@@ d", "é"])
END = st.sampled_from(["\n", "\r\n"])


@st.composite
def texts(draw):
    """Bytes of a file: one kind of line end, with one at the end or without."""
    lines, end, last = draw(st.lists(LINE, max_size=14)), draw(END), draw(st.booleans())
    text = end.join(lines) + (end if lines and last else "")
    return text.encode(), end if end in text else "\n"  # a text without line ends shows no kind


def git_diff(folder, before, after, context):
    """What git says about two texts, as text."""
    old, new = folder / "old.txt", folder / "new.txt"
    old.write_bytes(before)
    new.write_bytes(after)
    command = ["git", "-c", "core.autocrlf=false", "diff", "--no-index", "--no-color", f"-U{context}"]
    done = subprocess.run([*command, "old.txt", "new.txt"], cwd=folder, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.decode()


def merged_bytes(before, diff):
    """The file that the diff makes of it; None where it is refused."""
    source = decode(before)
    (file,) = parse_edit(diff, path="old.txt", original=source).files
    (part,) = file.parts
    assert isinstance(part, HunkList)
    proposal = merge_hunks(source, part)
    if not proposal.certain:
        return None
    merged = splice(source, proposal.splices)
    if proposal.final_newline is not None and merged.lines:
        last = source.newline if proposal.final_newline else ""
        merged = replace(merged, endings=(*merged.endings[:-1], last))
    return encode(merged)


@given(texts(), st.lists(LINE, max_size=14), st.booleans(), st.integers(1, 3))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_git_diff_gives_after(tmp_path, old, lines, ends, context):
    """Blank lines, repeated ones and ones that look like a diff; with a final line end or without."""
    before, end = old
    after = (end.join(lines) + (end if lines and ends else "")).encode()
    if not before or not after or before == after:
        return  # files that are created or emptied are no merge
    assert merged_bytes(before, git_diff(tmp_path, before, after, context)) == after


@pytest.mark.parametrize(
    ("before", "after"), [(b"a\nb", b"a\nb\n"), (b"a\nb\n", b"a\nb")], ids=["added", "dropped"]
)
def test_final_line_end_changes_where_the_diff_says_so(tmp_path, before, after):
    """Nothing else differs between the two sides."""
    diff = git_diff(tmp_path, before, after, 3)
    assert merged_bytes(before, diff) == after
    assert merged_bytes(after, diff) == after


def test_final_line_end_stays_where_the_diff_says_nothing(tmp_path):
    """A model leaves the backslash line out; the file keeps its end."""
    diff = git_diff(tmp_path, b"a\nb\n", b"a\nc\n", 3)
    assert merged_bytes(b"a\nb", diff) == b"a\nc"
