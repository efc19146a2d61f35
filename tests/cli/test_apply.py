"""`fastapply apply`: its options, its exit statuses, and what it says."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

SOURCE = """\
import os


class One:
    def size(self):
        total = 0
        return total


class Two:
    def size(self):
        total = 0
        return total
"""
LAZY = """\
class Two:
    def size(self):
        # ... existing code ...
        return total + 1
"""
MERGED = SOURCE[: SOURCE.rindex("return total")] + "return total + 1\n"
AMBIGUOUS = """\
<<<<<<< SEARCH
        return total
=======
        return total + 1
>>>>>>> REPLACE
"""
NEAR = """\
<<<<<<< SEARCH
        totals = 0
        return totals
=======
        return 1
>>>>>>> REPLACE
"""
WORDS = "alpha beta\ngamma delta\nepsilon zeta\n"
CHANGE = "<<<<<<< SEARCH\ngamma delta\n=======\ngamma DELTA\n>>>>>>> REPLACE\n"
CHANGED = "alpha beta\ngamma DELTA\nepsilon zeta\n"
DIFF = """\
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 alpha beta
-gamma delta
+gamma DELTA
 epsilon zeta
"""
KEYS = [
    "schema", "status", "written", "reason", "message", "hint", "file", "format", "method", "certainty",
    "needed", "decision", "added", "removed", "seconds", "findings", "candidates", "always",
    "warnings", "model", "diff",
]  # fmt: skip


@pytest.fixture
def words(folder):
    """A file of three lines."""
    path = folder / "a.txt"
    path.write_bytes(WORDS.encode())
    return path


@pytest.fixture
def source(folder):
    """A Python file in which two methods look alike."""
    path = folder / "s.py"
    path.write_bytes(SOURCE.encode())
    return path


def test_edit_from_a_path_is_applied(fastapply, words, folder):
    """Status 0, the file changed, one line on standard error, nothing on standard output."""
    (folder / "e.txt").write_text(CHANGE, encoding="utf-8")
    run = fastapply("apply", "a.txt", "e.txt")
    assert (run.status, run.out, run.err) == (0, b"", "a.txt: applied (+1 -1)\n")
    assert words.read_bytes() == CHANGED.encode()


@pytest.mark.parametrize("arguments", [["a.txt"], ["a.txt", "-"]], ids=["absent", "dash"])
def test_edit_comes_from_standard_input(fastapply, words, arguments):
    """Where the path is absent or a dash."""
    assert fastapply("apply", *arguments, edit=CHANGE).status == 0
    assert words.read_bytes() == CHANGED.encode()


def test_terminal_as_input_gets_a_hint_instead_of_waiting(fastapply, words):
    """Status 2, and how to call it."""
    run = fastapply("apply", "a.txt", edit=CHANGE, terminal=True)
    assert run.status == 2
    assert "fastapply apply a.txt < edit.txt" in run.err
    assert words.read_bytes() == WORDS.encode()


def test_lazy_edit_is_applied_in_the_class_it_names(fastapply, source):
    """The enclosing class decides, the rest stays."""
    assert fastapply("apply", "s.py", "-i", "Two.size returns one more", edit=LAZY).status == 0
    assert source.read_text(encoding="utf-8") == MERGED


def test_applied_edit_is_unchanged_the_second_time(fastapply, source):
    """Status 0 both times, and the file is not written again."""
    words = ("-i", "Two.size returns one more")
    fastapply("apply", "s.py", *words, edit=LAZY)
    before = source.stat().st_ino
    run = fastapply("apply", "s.py", "--json", *words, edit=LAZY)
    assert (run.status, run.object["status"], run.object["written"]) == (0, "unchanged", False)
    assert source.stat().st_ino == before


def test_dry_run_shows_a_plain_diff_and_writes_nothing(fastapply, words):
    """The diff on standard output, what would happen on standard error."""
    for flag in ("--dry-run", "-n"):
        run = fastapply("apply", "a.txt", flag, edit=CHANGE)
        assert (run.status, run.out.decode(), run.err) == (0, DIFF, "a.txt: would apply (+1 -1)\n")
    assert words.read_bytes() == WORDS.encode()


def test_check_writes_and_shows_nothing(fastapply, words):
    """Only the status and a line for people."""
    run = fastapply("apply", "a.txt", "--check", edit=CHANGE)
    assert (run.status, run.out, run.err) == (0, b"", "a.txt: would apply (+1 -1)\n")
    assert words.read_bytes() == WORDS.encode()


def test_check_of_an_unclear_edit_is_refused(fastapply, source):
    """Status 1, as without --check."""
    assert fastapply("apply", "s.py", "--check", edit=AMBIGUOUS).status == 1
    assert source.read_text(encoding="utf-8") == SOURCE


def test_output_to_a_path_leaves_the_file(fastapply, words, folder):
    """The result is there, the file as it was."""
    run = fastapply("apply", "a.txt", "-o", "b.txt", edit=CHANGE)
    assert run.status == 0
    assert (words.read_bytes(), (folder / "b.txt").read_bytes()) == (WORDS.encode(), CHANGED.encode())


def test_output_to_a_path_is_written_without_a_change_too(fastapply, words, folder):
    """What is in place already comes out as it is."""
    words.write_bytes(CHANGED.encode())
    assert fastapply("apply", "a.txt", "-o", "b.txt", edit=CHANGE).status == 0
    assert (folder / "b.txt").read_bytes() == CHANGED.encode()


def test_output_to_standard_output_is_the_merged_text(fastapply, words):
    """The bytes of the result and nothing else."""
    run = fastapply("apply", "a.txt", "-o", "-", edit=CHANGE)
    assert (run.status, run.out) == (0, CHANGED.encode())
    assert words.read_bytes() == WORDS.encode()


@pytest.mark.parametrize(
    "options",
    [
        ["--json", "-o", "-"],
        ["-n", "-o", "x"],
        ["--check", "-o", "x"],
        ["--backup", "-o", "x"],
        ["--stage", "-o", "-"],
        ["--at", "x"],
        ["--at", "0"],
        ["--at", "9-3"],
        ["--pick", "0"],
        ["--pick", "one"],
        ["--allow", "everything"],
        ["--format", "zip"],
        ["--engine", "steam"],
        ["--no-such"],
    ],
    ids=" ".join,
)
def test_senseless_options_are_a_usage_error(fastapply, words, options):
    """Status 2, nothing on standard output but JSON where that was asked for, nothing written."""
    run = fastapply("apply", "a.txt", *options, edit=CHANGE)
    assert (run.status, words.read_bytes()) == (2, WORDS.encode())
    if "--json" in options:
        assert (run.object["status"], run.object["reason"]) == ("error", "usage")
    else:
        assert run.out == b""
        assert run.err


@pytest.mark.parametrize("arguments", [["apply"], ["frobnicate"], ["apply", "a", "b", "c"]], ids=" ".join)
def test_wrong_calls_are_a_usage_error(fastapply, arguments):
    """Status 2 with a hint."""
    run = fastapply(*arguments)
    assert (run.status, run.out) == (2, b"")
    assert "--help" in run.err or "-h" in run.err


def test_usage_error_under_json_is_one_object(fastapply):
    """Also one that the reader of options finds."""
    run = fastapply("apply", "a.txt", "--json", "--no-such")
    assert (run.status, run.object["status"], run.object["reason"], run.err) == (2, "error", "usage", "")


def test_json_of_an_applied_edit(fastapply, words):
    """All keys, in their order."""
    run = fastapply("apply", "a.txt", "--json", edit=CHANGE)
    value = run.object
    assert list(value) == KEYS
    assert value.pop("seconds") > 0
    assert value == {
        "schema": 1, "status": "applied", "written": True, "reason": None, "message": "", "hint": "",
        "file": "a.txt", "format": "search_replace", "method": "exact", "certainty": None,
        "needed": None, "decision": None, "added": 1, "removed": 1,
        "findings": [], "candidates": [], "always": [], "warnings": [], "model": None, "diff": DIFF,
    }  # fmt: skip
    assert run.err == ""
    assert words.read_bytes() == CHANGED.encode()


def test_all_keys_of_the_json_are_documented():
    """In the order of the object."""
    text = (Path(__file__).parents[2] / "fastapply/help/json.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE)
    documented = re.findall(r"`(\w+)`", " ".join(cells))
    only_sometimes = {"line", "id", "rejected"}  # of `batch`; of `--reject`
    assert [key for key in documented if key not in only_sometimes] == KEYS


@pytest.mark.parametrize("flag", ["--dry-run", "--check"])
def test_json_of_a_dry_run_says_that_nothing_was_written(fastapply, words, flag):
    """Status and diff are those of the real run."""
    run = fastapply("apply", "a.txt", "--json", flag, edit=CHANGE)
    value = run.object
    assert (value["status"], value["written"], value["diff"]) == ("applied", False, DIFF)
    assert words.read_bytes() == WORDS.encode()


def test_json_of_a_refusal_names_the_places(fastapply, source):
    """Line ranges with what encloses them, and the numbers that --pick takes."""
    run = fastapply("apply", "s.py", "--json", edit=AMBIGUOUS)
    value = run.object
    assert list(value) == KEYS
    assert (run.status, value["status"], value["reason"], value["written"]) == (
        1,
        "refused",
        "ambiguous",
        False,
    )
    places = [(one["pick"], one["first"], one["last"]) for one in value["candidates"]]
    assert places == [(1, 7, 7), (2, 13, 13)]
    assert source.read_text(encoding="utf-8") == SOURCE


def test_places_where_lines_only_come_in_have_a_line(fastapply, folder):
    """The one that they come before; `--at` takes it."""
    (folder / "a.txt").write_text("a\nb\nmid\na\nb\n", encoding="utf-8")
    edit = "<<<<<<< SEARCH\na\nb\n=======\na\nnew\nb\n>>>>>>> REPLACE\n"
    places = fastapply("apply", "a.txt", "--json", edit=edit).object["candidates"]
    assert all(one["first"] <= one["last"] for one in places)
    at = str(places[1]["first"])
    assert fastapply("apply", "a.txt", "--at", at, edit=edit).status == 0
    assert (folder / "a.txt").read_text(encoding="utf-8") == "a\nb\nmid\na\nnew\nb\n"


def test_refusal_names_all_places_and_what_to_do(fastapply, source):
    """Enough to mend the edit from the message alone."""
    run = fastapply("apply", "s.py", edit=AMBIGUOUS)
    assert (run.status, run.out) == (1, b"")
    assert run.err.startswith("s.py: refused: hunk 1 (edit line 1)")
    assert "[ambiguous]" in run.err
    assert "1: line 7 in " in run.err
    assert "2: line 13 in " in run.err
    assert "hint: " in run.err
    assert "--pick" in run.err
    assert source.read_text(encoding="utf-8") == SOURCE


def test_refusal_shows_the_nearest_lines(fastapply, source):
    """Did you mean these lines, with a small diff."""
    run = fastapply("apply", "s.py", edit=NEAR)
    assert run.status == 1
    assert "[not_found]" in run.err
    assert "did you mean lines" in run.err
    assert "-         totals = 0" in run.err
    assert source.read_text(encoding="utf-8") == SOURCE


@pytest.mark.parametrize("option", [["--pick", "2"], ["--at", "13"], ["--at", "10-13"]], ids=" ".join)
def test_answered_refusal_is_applied_there(fastapply, source, option):
    """The second of two equal places, by its number or by its lines."""
    assert fastapply("apply", "s.py", *option, edit=AMBIGUOUS).status == 0
    assert source.read_text(encoding="utf-8") == MERGED


@pytest.mark.parametrize("option", [["--pick", "3"], ["--at", "1"], ["--at", "5-13"]], ids=" ".join)
def test_wrong_answer_to_a_refusal_is_refused(fastapply, source, option):
    """No such candidate, no candidate there, or two of them."""
    run = fastapply("apply", "s.py", *option, edit=AMBIGUOUS)
    assert (run.status, source.read_text(encoding="utf-8")) == (1, SOURCE)


def test_instructions_decide_between_equal_places(fastapply, folder):
    """The one function that they name; none where they name both or neither."""
    path = folder / "f.py"
    text = "def first():\n    x = 0\n    return x\n\n\ndef second():\n    x = 0\n    return x\n"
    path.write_text(text, encoding="utf-8")
    edit = "<<<<<<< SEARCH\n    return x\n=======\n    return x + 1\n>>>>>>> REPLACE\n"
    for unclear in ("count on", "count on in first and second"):
        assert fastapply("apply", "f.py", "-i", unclear, edit=edit).status == 1
    assert path.read_text(encoding="utf-8") == text
    assert fastapply("apply", "f.py", "-i", "count on in second()", edit=edit).status == 0
    assert path.read_text(encoding="utf-8") == text.removesuffix("return x\n") + "return x + 1\n"


def test_named_format_is_the_only_one_tried(fastapply, words):
    """SEARCH/REPLACE blocks are no unified diff."""
    run = fastapply("apply", "a.txt", "--format", "udiff", edit=CHANGE)
    assert (run.status, words.read_bytes()) == (1, WORDS.encode())
    assert fastapply("apply", "a.txt", "--format", "search_replace", edit=CHANGE).status == 0


def test_engine_deterministic_applies_and_engine_model_is_not_there(fastapply, words):
    """Status 5 names the step that installs it."""
    run = fastapply("apply", "a.txt", "--engine", "model", edit=CHANGE)
    assert (run.status, words.read_bytes()) == (5, WORDS.encode())
    here = importlib.util.find_spec("llama_cpp") is not None
    assert ("fastapply models pull apply-1.5b" if here else "pip install '.[model]'") in run.err
    assert fastapply("apply", "a.txt", "--engine", "deterministic", edit=CHANGE).status == 0


def test_backup_keeps_the_old_text(fastapply, words, folder):
    """Under the name with a tilde, which is told."""
    run = fastapply("apply", "a.txt", "--backup", edit=CHANGE)
    assert (run.status, (folder / "a.txt~").read_bytes()) == (0, WORDS.encode())
    assert "a.txt~" in run.err
    assert words.read_bytes() == CHANGED.encode()


def test_quiet_says_nothing_and_verbose_says_how(fastapply, words):
    """Quiet is for success only."""
    assert fastapply("apply", "a.txt", "--quiet", edit=CHANGE).err == ""
    assert fastapply("apply", "a.txt", "--quiet", edit="").err != ""
    words.write_bytes(WORDS.encode())
    assert "format search_replace, method exact" in fastapply("apply", "a.txt", "-v", edit=CHANGE).err


def test_version_is_shown(fastapply):
    """The package's version on standard output."""
    from fastapply import __version__

    run = fastapply("--version")
    assert (run.status, run.out) == (0, f"fastapply {__version__}\n".encode())


@pytest.mark.parametrize("command", [[], ["apply"], ["patch"], ["doctor"], ["prompt"], ["check-markers"]])
def test_help_is_shown(fastapply, command):
    """On standard output, with status 0."""
    run = fastapply(*command, "--help")
    assert run.status == 0
    assert b"Usage: fastapply" in run.out


def test_broken_code_is_a_finding_that_can_be_allowed(fastapply, folder):
    """The verifier refuses what parses no longer, unless told that the grammar is wrong."""
    path = folder / "t.py"
    path.write_text("a = 1\nb = 2\nc = 3\n", encoding="utf-8")
    edit = "<<<<<<< SEARCH\nb = 2\n=======\nb = (2\n>>>>>>> REPLACE\n"
    run = fastapply("apply", "t.py", "--json", edit=edit)
    codes = [one["code"] for one in run.object["findings"]]
    assert (run.status, run.object["reason"], codes) == (1, "parse_error", ["parse_error"])
    run = fastapply("apply", "t.py", "--json", "--allow", "parse_error", edit=edit)
    assert (run.status, [one["code"] for one in run.object["findings"]]) == (0, ["parse_error"])
    assert path.read_text(encoding="utf-8") == "a = 1\nb = (2\nc = 3\n"
