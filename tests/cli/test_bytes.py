"""Byte for byte through the command line: what an edit does not change stays as it is, in every encoding."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from fastapply.cli import main

BLOCK = "<<<<<<< SEARCH\ntwo = 2\n=======\ntwo = 22\n>>>>>>> REPLACE\n"
UTF16 = "one = 'é'\ntwo = 2\nthree = 3\n"
TEXTS = {
    "lf": (b"one = 1\ntwo = 2\nthree = 3\n", b"one = 1\ntwo = 22\nthree = 3\n"),
    "crlf": (b"one = 1\r\ntwo = 2\r\nthree = 3\r\n", b"one = 1\r\ntwo = 22\r\nthree = 3\r\n"),
    "mixed ends": (
        b"one = 1\ntwo = 2\r\nthree = 3\r\nfour\n\n",
        b"one = 1\ntwo = 22\r\nthree = 3\r\nfour\n\n",
    ),
    "no final newline": (b"one = 1\ntwo = 2", b"one = 1\ntwo = 22"),
    "crlf, no final newline": (b"one = 1\r\ntwo = 2", b"one = 1\r\ntwo = 22"),
    "byte order mark": (b"\xef\xbb\xbftwo = 2\nthree = 3\n", b"\xef\xbb\xbftwo = 22\nthree = 3\n"),
    "latin-1": (b"one = '\xe9'\ntwo = 2\n\xff\n", b"one = '\xe9'\ntwo = 22\n\xff\n"),
    "utf-16-le": (
        b"\xff\xfe" + UTF16.encode("utf-16-le"),
        b"\xff\xfe" + UTF16.replace("2\n", "22\n").encode("utf-16-le"),
    ),
    "utf-16-be": (
        b"\xfe\xff" + UTF16.encode("utf-16-be"),
        b"\xfe\xff" + UTF16.replace("2\n", "22\n").encode("utf-16-be"),
    ),
    "tabs and trailing blanks": (b"\tone = 1\t \ntwo = 2\n  \n\t\n", b"\tone = 1\t \ntwo = 22\n  \n\t\n"),
    "form feed and line separator": (
        "one\x0cone\u2028one\ntwo = 2\n".encode(),
        "one\x0cone\u2028one\ntwo = 22\n".encode(),
    ),
}
IN_GIT = {name: texts for name, texts in TEXTS.items() if not name.startswith("utf-16")}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in an empty folder that holds the edit only."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edit.txt").write_text(BLOCK, encoding="utf-8")
    return tmp_path


def git(folder, *arguments, data=None):
    """Run git in a folder, without anybody's settings."""
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return subprocess.run(
        ["git", *arguments], cwd=folder, input=data, capture_output=True, check=True, env=environment
    )


@pytest.mark.parametrize("name", TEXTS)
def test_changed_line_is_all_that_changes(name, here):
    """Encoding, mark, line ends and final newline stay the file's own."""
    before, after = TEXTS[name]
    (here / "a.py").write_bytes(before)
    assert main(["apply", "a.py", "edit.txt"]) == 0
    assert (here / "a.py").read_bytes() == after


@pytest.mark.parametrize("name", TEXTS)
def test_output_holds_the_same_bytes_and_the_file_stays(name, here, capfdbinary):
    """`-o -` writes to standard output what would have been written to the file."""
    before, after = TEXTS[name]
    (here / "a.py").write_bytes(before)
    assert main(["apply", "a.py", "edit.txt", "-o", "-"]) == 0
    assert capfdbinary.readouterr().out == after
    assert (here / "a.py").read_bytes() == before


@pytest.mark.parametrize("path", ["a.py", "my files/ü b.py", "tab\there.py"])
@pytest.mark.parametrize("name", IN_GIT)
def test_git_applies_the_diff_of_a_dry_run(name, path, here, capfdbinary):
    """A piped diff makes with `git apply` what fastapply would have written."""
    if sys.platform == "win32" and "\t" in path:
        pytest.skip("Windows has no such names")
    before, after = IN_GIT[name]
    (here / path).parent.mkdir(exist_ok=True)
    (here / path).write_bytes(before)
    assert main(["apply", path, "edit.txt", "--dry-run"]) == 0
    diff = capfdbinary.readouterr().out
    assert (here / path).read_bytes() == before
    git(here, "init", "-q")
    git(here, "apply", "--whitespace=nowarn", "-", data=diff)
    assert (here / path).read_bytes() == after


@pytest.mark.parametrize("end", ["\n", ""])
def test_git_applies_the_diff_that_makes_a_file(end, here, capfdbinary):
    """A new file comes out of `git apply` as fastapply would have made it."""
    marker = "" if end else "\n\\ No newline at end of file"
    patch = f"--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+one = 1\n+two = 2{marker}\n"
    (here / "new.diff").write_text(patch, encoding="utf-8")
    assert main(["apply", "new.py", "new.diff", "-n"]) == 0
    diff = capfdbinary.readouterr().out
    assert not (here / "new.py").exists()
    git(here, "init", "-q")
    git(here, "apply", "-", data=diff)
    made = (here / "new.py").read_bytes()
    (here / "new.py").unlink()
    assert main(["apply", "new.py", "new.diff"]) == 0
    assert (here / "new.py").read_bytes() == made == f"one = 1\ntwo = 2{end}".encode()


def test_character_that_the_encoding_lacks_is_refused(here):
    """An edit that the file's encoding cannot hold is file trouble, and nothing is written."""
    before = TEXTS["latin-1"][0]
    (here / "a.py").write_bytes(before)
    (here / "edit.txt").write_text(BLOCK.replace("22", "'→'"), encoding="utf-8")
    assert main(["apply", "a.py", "edit.txt"]) == 4
    assert main(["apply", "a.py", "edit.txt", "--check"]) == 4
    assert (here / "a.py").read_bytes() == before


@pytest.mark.parametrize("data", [b"two = 2\n\0\n", b"\0" * 100], ids=["a NUL among text", "only NULs"])
def test_binary_file_is_refused(data, here):
    """A NUL byte without a UTF-16 mark means binary."""
    (here / "a.bin").write_bytes(data)
    assert main(["apply", "a.bin", "edit.txt"]) == 4
    assert (here / "a.bin").read_bytes() == data


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no permission bits")
@pytest.mark.parametrize("mode", [0o755, 0o640, 0o600])
def test_permission_bits_stay(mode, here):
    """The new file has the old one's mode."""
    (here / "a.py").write_bytes(TEXTS["lf"][0])
    (here / "a.py").chmod(mode)
    assert main(["apply", "a.py", "edit.txt"]) == 0
    assert (here / "a.py").stat().st_mode & 0o777 == mode
    assert (here / "a.py").read_bytes() == TEXTS["lf"][1]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_symbolic_link_stays_a_link(here):
    """The file behind a link is edited."""
    (here / "real.py").write_bytes(TEXTS["lf"][0])
    (here / "a.py").symlink_to("real.py")
    assert main(["apply", "a.py", "edit.txt"]) == 0
    assert (here / "a.py").is_symlink()
    assert (here / "real.py").read_bytes() == TEXTS["lf"][1]


def test_write_protected_file_stays(here):
    """A file that its owner protected is not replaced, though the folder would allow it."""
    (here / "a.py").write_bytes(TEXTS["lf"][0])
    (here / "a.py").chmod(0o444)
    assert main(["apply", "a.py", "edit.txt"]) == 4
    assert (here / "a.py").read_bytes() == TEXTS["lf"][0]
    (here / "a.py").chmod(0o644)
