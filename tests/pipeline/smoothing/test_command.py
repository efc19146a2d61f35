"""Who may ask for smoothing, what is said of it, and how it goes with the other options."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from fastapply.cli import main

STORE = "import os\n\n\ndef save(name, text):\n    with open(name, 'w') as file:\n        file.write(text)\n"
WEB = "from pkg.log import logger\n\nlogger.info('here')\n"
EDIT = (
    "<<<<<<< SEARCH\n        file.write(text)\n=======\n        file.write(text\n"
    "        logger.info(name)\n>>>>>>> REPLACE\n"
)
MENDED = (
    STORE.replace("import os\n", "import os\nfrom pkg.log import logger\n") + "        logger.info(name)\n"
)
SAID = """\
pkg/store.py: applied (+2 -0)
  the edit is missing a closing ) [smoothed, line 7]
  the edit uses logger without importing it: from pkg.log import logger [smoothed, line 2]
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Two tracked files, and the folder that they are in."""
    folder = tmp_path / "repository"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg/store.py").write_text(STORE, encoding="utf-8")
    (folder / "pkg/web.py").write_text(WEB, encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line with an edit on standard input; status and what it said."""

    def call(*arguments: str, edit: str = EDIT) -> tuple[int, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(edit.encode())))
        status = main(list(arguments))
        return status, capsys.readouterr().err

    return call


def text(repository):
    """The file as it is."""
    return (repository / "pkg/store.py").read_text(encoding="utf-8")


def test_every_mend_is_said_with_its_line(repository, run):
    """Two mistakes in one edit."""
    assert run("apply", "--smooth", "pkg/store.py") == (0, SAID)
    assert text(repository) == MENDED


def test_users_own_configuration_may_turn_it_on(repository, run, user_config):
    """And an option turns it off again."""
    user_config.write_text("smooth = true\n", encoding="utf-8")
    status, said = run("apply", "--no-smooth", "pkg/store.py")
    assert (status, "[parse_error]" in said, text(repository)) == (1, True, STORE)
    assert run("apply", "pkg/store.py") == (0, SAID)


def test_a_project_cannot_turn_it_on(repository, run):
    """It would change what an edit says without its user's wish."""
    (repository / "fastapply.toml").write_text("smooth = true\n", encoding="utf-8")
    status, said = run("apply", "pkg/store.py")
    assert (status, "smooth is ignored" in said, text(repository)) == (1, True, STORE)


def test_patch_looks_the_import_up_from_its_root(repository, run, monkeypatch):
    """File names are those of the edit."""
    monkeypatch.chdir(repository.parent)
    edit = (
        "*** Begin Patch\n*** Update File: pkg/store.py\n@@\n         file.write(text)\n"
        "+        logger.info(name)\n*** End Patch\n"
    )
    assert run("patch", "--smooth", "--root", "repository", edit=edit)[0] == 0
    assert text(repository) == MENDED


def test_outside_of_a_repository_no_import_is_looked_up(tmp_path, run, monkeypatch):
    """The twin: the other mistake is mended all the same."""
    (tmp_path / "store.py").write_text(STORE, encoding="utf-8")
    (tmp_path / "web.py").write_text(WEB, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    status, said = run("apply", "--smooth", "store.py")
    assert (status, said.count("[smoothed")) == (0, 1)
    wanted = STORE + "        logger.info(name)\n"
    assert (tmp_path / "store.py").read_text(encoding="utf-8") == wanted


def test_files_that_git_does_not_track_say_nothing_of_imports(repository, run):
    """What lies about, or was copied there by an installer, is not the repository's own."""
    (repository / "other.py").write_text("from loguru import logger\n", encoding="utf-8")
    assert run("apply", "--smooth", "pkg/store.py")[0] == 0
    assert text(repository) == MENDED


@pytest.mark.usefixtures("repository")
def test_an_edit_without_mistakes_is_applied_as_ever(run):
    """Nothing is said of smoothing."""
    edit = EDIT.replace("(text\n        logger", "(text)\n        print")
    assert run("apply", "--smooth", "pkg/store.py", edit=edit) == (0, "pkg/store.py: applied (+1 -0)\n")


def test_an_edit_that_is_refused_for_another_reason_stays_refused(repository, run):
    """With the message that it has without smoothing."""
    edit = EDIT.replace("file.write(text)\n===", "file.close()\n===")
    with_it = run("apply", "--smooth", "pkg/store.py", edit=edit)
    assert with_it == run("apply", "pkg/store.py", edit=edit)
    assert (with_it[0], text(repository)) == (1, STORE)


@pytest.mark.skipif(sys.platform == "win32", reason="pexpect has no terminal there")
def test_a_review_shows_what_was_mended_as_well(repository, environment):
    """Nothing goes in that nobody was asked about: the import is a hunk of its own where it is far away."""
    pexpect = pytest.importorskip("pexpect")
    (repository / "edit.txt").write_text(EDIT, encoding="utf-8")
    child = pexpect.spawn(
        "fastapply apply --review --smooth pkg/store.py edit.txt",
        env={**environment, "NO_COLOR": "1"},
        encoding="utf-8",
        timeout=60,
    )
    child.expect(r"\]\? ")
    assert "+from pkg.log import logger" in child.before
    child.sendline("n")
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, text(repository)) == (0, STORE)


PARENTHESIS = "<<<<<<< SEARCH\n        file.write(text)\n=======\n        file.write(text\n>>>>>>> REPLACE\n"


def test_a_parse_error_shows_its_line_and_what_smooth_would_mend(repository, run):
    """The hint names the fix, and the fix is what `--smooth` then makes."""
    edit = PARENTHESIS.replace("=======\n", "=======\n        text = text.strip()\n")
    status, said = run("apply", "pkg/store.py", edit=edit)
    assert (status, text(repository)) == (1, STORE)
    assert said == (
        "pkg/store.py: refused: the merge failed verification: the result no longer parses at line 7: "
        "`file.write(text` [parse_error]\n"
        "hint: fix that line, or accept this with --allow parse_error\n"
        "hint: or use --smooth, which fixes this: the edit is missing a closing )\n"
    )
    assert run("apply", "pkg/store.py", "--smooth", edit=edit)[0] == 0


def test_a_parse_error_that_smooth_would_not_mend_has_no_hint_about_it(repository, run):
    """Two places would do for the bracket; and where `--smooth` is given already, it is not offered."""
    edit = PARENTHESIS.replace("file.write(text\n>", "return file.write(len(text == 3\n>")
    assert run("apply", "pkg/store.py", edit=edit)[1] == (
        "pkg/store.py: refused: the merge failed verification: the result no longer parses at line 6: "
        "`return file.write(len(text == 3` [parse_error]\n"
        "hint: fix that line, or accept this with --allow parse_error\n"
    )
    assert "--smooth" not in run("apply", "pkg/store.py", "--smooth", edit=edit)[1]
    assert text(repository) == STORE


def test_a_file_that_its_reader_cannot_read_shows_the_line(repository, run):
    """`syntax_error`, which JSON's own reader finds, says the same."""
    (repository / "a.json").write_text('{\n  "a": 1,\n  "b": 2\n}\n', encoding="utf-8")
    edit = '{\n  "a": 1,\n  "b": "x\ty"\n}\n'
    assert run("apply", "a.json", "--min-certainty", "0", edit=edit)[1] == (
        "a.json: refused: the merge failed verification: the file can be read as json, and the result cannot "
        'at line 3: `"b": "x\ty"` [syntax_error]\n'
        "hint: fix that line, or accept this with --allow syntax_error\n"
    )
