"""The unified diff of a change, and how it looks on a terminal."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from fastapply.terminal.view import rows_of, show_changes
from fastapply.text import from_text
from fastapply.text.diff import Sides, count_changes, encode_diff, quote, render_diff


def sides(old, new, path="a.py"):
    """A change from one text to another; None where there is no file."""
    before = None if old is None else from_text(old)
    return Sides(path, before, None if new is None else from_text(new))


def test_far_changes_are_hunks_of_their_own():
    """Three lines of context, and near changes together."""
    old = "".join(f"{n}\n" for n in range(1, 31))
    new = old.replace("\n5\n", "\nfive\n").replace("\n9\n", "\n").replace("\n25\n", "\n25\nnew\n")
    assert render_diff(sides(old, new)) == (
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n"
        "@@ -2,11 +2,10 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n-9\n 10\n 11\n 12\n"
        "@@ -23,6 +22,7 @@\n 23\n 24\n 25\n+new\n 26\n 27\n 28\n"
    )
    assert count_changes(sides(old, new)) == (2, 2)


def test_no_change_has_no_diff():
    """Nothing at all, and nothing counted."""
    assert render_diff(sides("a\n", "a\n")) == ""
    assert count_changes(sides("a\n", "a\n")) == (0, 0)


def test_missing_final_newline_is_said_on_its_side():
    """On the old side, the new one, or both."""
    head = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n"
    note = "\\ No newline at end of file\n"
    assert render_diff(sides("a", "a\n")) == f"{head}-a\n{note}+a\n"
    assert render_diff(sides("a\n", "a")) == f"{head}-a\n+a\n{note}"
    assert render_diff(sides("a", "b")) == f"{head}-a\n{note}+b\n{note}"


def test_new_deleted_and_moved_files_have_git_headers():
    """As git writes them."""
    assert render_diff(sides(None, "a\n")) == (
        "diff --git a/a.py b/a.py\nnew file mode 100644\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+a\n"
    )
    assert render_diff(sides("a\n", None)) == (
        "diff --git a/a.py b/a.py\ndeleted file mode 100644\n--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    )
    moved = replace(sides("a\n", "a\n"), new_path="b.py", old_mode=0o644, new_mode=0o755)
    assert render_diff(moved) == (
        "diff --git a/a.py b/b.py\nold mode 100644\nnew mode 100755\nrename from a.py\nrename to b.py\n"
    )


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        ("a b.py", "a b.py"),
        ("\u00e9.py", '"\\303\\251.py"'),
        ('q"\\.py', '"q\\"\\\\.py"'),
        ("t\tn\n.py", '"t\\tn\\n.py"'),
    ],
)
def test_names_are_quoted_as_git_quotes_them(name, quoted):
    """Only where it must be."""
    assert quote(name) == quoted


def test_diff_comes_in_the_encoding_of_the_file():
    """Git compares bytes."""
    assert encode_diff("+\u00e9\n", "latin-1") == b"+\xe9\n"
    assert encode_diff("+\u00e9\n", "utf-8") == encode_diff("+\u00e9\n", "utf-16-le") == b"+\xc3\xa9\n"


_TEXTS = st.lists(
    st.sampled_from(["a", "b", "c", "", " x", "-y", "+z", "a\r", "\r", "\u2028", "\x0c"]), max_size=12
)


@given(_TEXTS, _TEXTS, st.booleans(), st.booleans())
def test_git_gets_the_new_text_from_every_diff(old_lines, new_lines, old_ends, new_ends):
    """Whatever the lines and their ends are."""
    import tempfile
    from pathlib import Path

    old = "\n".join(old_lines) + ("\n" if old_ends and old_lines else "")
    new = "\n".join(new_lines) + ("\n" if new_ends and new_lines else "")
    diff = render_diff(sides(old, new))
    added, removed = count_changes(sides(old, new))
    body = diff.partition("@@")[2].split("\n")[1:]
    assert (added, removed) == (sum(r.startswith("+") for r in body), sum(r.startswith("-") for r in body))
    if not diff:
        assert old == new
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.py")
        path.write_bytes(old.encode())
        subprocess.run(
            ["git", "apply", "-"], cwd=folder, input=diff.encode(), check=True, capture_output=True
        )
        assert path.read_bytes() == new.encode()


# --- on a terminal --------------------------------------------------------------------------------


def shown(*changes):
    """What a terminal with colours gets."""
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, color_system="truecolor", width=40, no_color=False)
    show_changes(changes, console)
    return written.getvalue()


def test_rows_on_a_terminal_are_those_of_the_diff():
    """Highlighting changes no letter."""
    change = sides("import os\n\nx = 'a'\n", "import os\n\nx = 'b'  # \u4e2d\n")
    assert [row.plain for row in rows_of(change)] == render_diff(change).split("\n")[:-1]


def test_code_is_highlighted_and_changed_lines_are_marked():
    """Colours of the syntax, and a background for what was added."""
    text = shown(sides("x = 'a'\n", "x = 'b'\n"))
    assert "48;2;18;52;28m" in text
    assert "48;2;63;21;24m" in text
    assert text.count("\n") == 6


def test_long_lines_are_not_broken_and_control_characters_are_shown():
    """A file cannot steer the terminal."""
    text = shown(sides("a\n", "\x1b[2J" + "y" * 100 + "\n", "a.txt"))
    assert "\x1b[2J" not in text
    assert "\u241b[2J" + "y" * 100 in text


def test_line_ends_of_all_kinds_keep_the_rows_in_step():
    """CRLF, lone CR, and a file without a last newline."""
    change = sides("a = 1\r\nb = 2\rc = 3\nd", "a = 1\r\nb = 2\rc = 4\nd\n")
    rows = [row.plain for row in rows_of(change)]
    assert rows[4:] == [
        " a = 1",
        "-b = 2\u240dc = 3",
        "-d",
        "\\ No newline at end of file",
        "+b = 2\u240dc = 4",
        "+d",
    ]


@pytest.mark.parametrize(
    ("setting", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_dry_run_on_a_terminal_is_coloured_unless_asked_not_to_be(setting, coloured, tmp_path, monkeypatch):
    """NO_COLOR and dumb terminals get the plain diff."""
    from fastapply.cli import main

    class Terminal(io.TextIOWrapper):
        def isatty(self):
            return True

    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in setting.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("one = 1\ntwo = 2\n", encoding="utf-8")
    (tmp_path / "e").write_text(
        "<<<<<<< SEARCH\ntwo = 2\n=======\ntwo = 3\n>>>>>>> REPLACE\n", encoding="utf-8"
    )
    written = io.BytesIO()
    terminal = Terminal(written, encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["apply", "a.py", "e", "-n"]) == 0
    terminal.flush()
    text = written.getvalue().decode()
    assert ("\x1b[" in text) == coloured
    assert text.startswith("diff --git a/a.py b/a.py\n") == (not coloured)
