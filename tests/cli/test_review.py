"""`--review` on a real terminal: what is asked, what is written, and what the check says of the rest."""

from __future__ import annotations

import subprocess
import sys

import pytest

pexpect = pytest.importorskip("pexpect")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pexpect has no terminal there")

from reviewing import BEFORE, EDIT, answer, end, wanted  # noqa: E402 - it needs pexpect

from fastapply import apply_edit  # noqa: E402
from fastapply.pipeline.differences import answer_rows  # noqa: E402
from fastapply.text import from_text, splice  # noqa: E402

TWO_PLACES = "<<<<<<< SEARCH\n    second = 2\n=======\n    second = 3\n>>>>>>> REPLACE\n"


def test_hunks_that_are_taken_are_written_and_no_other(terminal, place):
    """Yes, no, yes, no, yes."""
    child = terminal("fastapply apply --review say.py edit.txt")
    answer(child, "y", "n", "y", "n", "y")
    status, said = end(child)
    assert (status, said.splitlines()[-1]) == (0, "say.py: applied (+3 -3), 2 of 5 hunks skipped")
    assert (place / "say.py").read_text(encoding="utf-8") == wanted("one", "three", "five")


@pytest.mark.parametrize(
    ("answers", "names"),
    [
        (["n", "a"], ["two", "three", "four", "five"]),
        (["y", "d"], ["one"]),
        (["y", "y", "q"], ["one", "two"]),
        (["?", "what", "yes", "q"], ["one"]),
    ],
    ids=["all that follow", "none that follow", "quit", "help"],
)
def test_all_none_and_quit_are_about_what_follows(answers, names, terminal, place):
    """As `git add -p` has it."""
    child = terminal("fastapply apply --review say.py edit.txt")
    answer(child, *answers)
    assert end(child)[0] == 0
    assert (place / "say.py").read_text(encoding="utf-8") == wanted(*names)


def test_a_hunk_is_shown_as_the_diff_has_it(terminal):
    """Header, context, old and new line; then the question."""
    child = terminal("fastapply apply --review say.py edit.txt")
    child.expect_exact("(1/5) take this hunk [y,n,a,d,e,q,?]? ")
    assert child.before.replace("\r\n", "\n") == (
        "diff --git a/say.py b/say.py\n--- a/say.py\n+++ b/say.py\n"
        '@@ -2,7 +2,7 @@\n \n \n def one():\n-    """Say one."""\n+    """Say one, loudly."""\n'
        "     first = 1\n     second = 2\n     third = 3\n"
    )
    child.sendline("?")
    child.expect_exact("e - edit this hunk in $EDITOR, then take it\r\n")


def test_hunks_come_in_colour_on_a_terminal_that_shows_it(terminal):
    """Rich writes them, as for --dry-run."""
    child = terminal("fastapply apply --review say.py edit.txt", NO_COLOR="")
    child.expect_exact("\x1b[36m@@ -2,7 +2,7 @@\x1b[0m")


def test_nothing_is_written_before_the_last_answer(terminal, place):
    """Nor where the run is interrupted."""
    child = terminal("fastapply apply --review say.py edit.txt")
    answer(child, "y", "y", "y", "y")
    child.expect(r"\]\? ")
    assert (place / "say.py").read_text(encoding="utf-8") == BEFORE
    child.sendintr()
    assert end(child)[0] == 130
    assert (place / "say.py").read_text(encoding="utf-8") == BEFORE


def test_the_end_of_the_input_writes_nothing(terminal, place):
    """Ctrl-D."""
    child = terminal("fastapply apply --review say.py edit.txt")
    answer(child, "y")
    child.expect(r"\]\? ")
    child.sendeof()
    assert end(child)[0] == 130
    assert (place / "say.py").read_text(encoding="utf-8") == BEFORE


def test_a_file_that_changed_meanwhile_is_left_alone(terminal, place):
    """Others may write while somebody thinks."""
    child = terminal("fastapply apply --review say.py edit.txt")
    answer(child, "y")
    child.expect(r"\]\? ")
    (place / "say.py").write_text(BEFORE + "# mine\n", encoding="utf-8")
    child.sendline("q")
    status, said = end(child)
    assert (status, "[changed]" in said) == (4, True)
    assert (place / "say.py").read_text(encoding="utf-8") == BEFORE + "# mine\n"


def test_another_run_need_not_wait_for_the_answers(terminal, place, environment):
    """The file is locked when it is written, not while somebody is asked."""
    child = terminal("fastapply apply --review say.py edit.txt")
    child.expect(r"\]\? ")
    edit = "<<<<<<< SEARCH\nimport os\n=======\nimport sys\n>>>>>>> REPLACE\n"
    done = subprocess.run(
        ["fastapply", "apply", "say.py"], cwd=place, env=environment, input=edit, text=True, check=False
    )
    assert done.returncode == 0
    child.sendline("a")
    assert end(child)[0] == 4


def test_nothing_taken_changes_nothing(terminal, place):
    """And says so."""
    child = terminal("fastapply apply --review say.py edit.txt")
    answer(child, "d")
    status, said = end(child)
    assert (status, said) == (0, "d\nsay.py: unchanged, no hunks taken\n")
    assert (place / "say.py").read_text(encoding="utf-8") == BEFORE


def test_a_hunk_is_changed_in_the_editor(terminal, place):
    """What the editor leaves is what is written; it need not be what the edit says."""
    editor = place / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/one, loudly/one, softly/' \"$1\"\n", encoding="utf-8")
    editor.chmod(0o755)
    child = terminal("fastapply apply --review say.py edit.txt", EDITOR=str(editor), VISUAL="")
    answer(child, "e", "d")
    status, said = end(child)
    assert (status, said.splitlines()[-1]) == (0, "say.py: applied (+1 -1), 4 of 5 hunks skipped")
    assert (place / "say.py").read_text(encoding="utf-8") == BEFORE.replace("Say one.", "Say one, softly.")


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("sed -i 's/def one/def eins/' \"$1\"", "the edited hunk does not apply"),
        (': >"$1"', "take this hunk"),
        ("exit 3", "exited with status 3"),
    ],
    ids=["a context line changed", "emptied", "failed"],
)
def test_a_hunk_that_the_editor_spoils_is_asked_about_again(script, says, terminal, place):
    """The twin: nothing of it is taken."""
    editor = place / "editor"
    editor.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    editor.chmod(0o755)
    child = terminal("fastapply apply --review say.py edit.txt", EDITOR=str(editor), VISUAL="")
    answer(child, "e")
    child.expect_exact(says)
    answer(child, "d")
    assert end(child)[0] == 0
    assert (place / "say.py").read_text(encoding="utf-8") == BEFORE


def test_a_refusal_offers_its_candidates_and_applies_the_one_chosen(terminal, place):
    """Each with what it would change; the hunks of the one chosen are asked about as ever."""
    (place / "edit.txt").write_text(TWO_PLACES, encoding="utf-8")
    child = terminal("fastapply apply --review say.py edit.txt")
    child.expect_exact("which one [1,2,3,4,5,q]? ")
    assert child.before.count("+    second = 3") == 5
    child.sendline("4")
    answer(child, "y")
    assert end(child)[0] == 0
    head, _, tail = BEFORE.partition("def four")
    assert (place / "say.py").read_text(
        encoding="utf-8"
    ) == f"{head}def four{tail.replace('second = 2', 'second = 3', 1)}"


def test_no_candidate_chosen_is_the_refusal(terminal, place):
    """With its reason and its exit status."""
    (place / "edit.txt").write_text(TWO_PLACES, encoding="utf-8")
    child = terminal("fastapply apply --review say.py edit.txt")
    answer(child, "q")
    status, said = end(child)
    assert (status, "[ambiguous]" in said) == (1, True)
    assert (place / "say.py").read_text(encoding="utf-8") == BEFORE


LAZY = """\
# ...
def two():
    \"\"\"Say two.\"\"\"
    first = 1
    second = 4
    third = 3
    return first + second
# ...
"""


def test_the_answers_to_a_question_are_shown_and_one_is_chosen(terminal, place):
    """Each in words, with its diff; the hunks of the one chosen are asked about as ever."""
    (place / "edit.txt").write_text(LAZY, encoding="utf-8")
    asked = apply_edit(BEFORE, LAZY, path="say.py", min_certainty=1.0)
    child = terminal("fastapply apply --review --min-certainty 1 say.py edit.txt")
    child.expect(r"which one \[1[,2-3]*,q\]\? ")
    said = child.before.replace("\r\n", "\n").splitlines()
    (question,) = asked.questions
    assert said == [question.message, *answer_rows(question)]
    child.sendline("1")
    answer(child, "y")
    assert end(child)[0] == 0
    wanted = splice(from_text(BEFORE), question.candidates[0].splices).text
    assert (place / "say.py").read_text(encoding="utf-8") == wanted != BEFORE


USE = BEFORE.replace("return first + second", "return os.path.join(first, second)", 1)


def test_what_is_left_out_is_not_held_against_the_rest(terminal, place):
    """A lazy edit whose check would miss every line that was declined."""
    (place / "edit.txt").write_text(
        '```python\n# ... existing code ...\n\ndef two():\n    """Say two, loudly."""\n    first = 1\n'
        "    second = 2\n    third = 3\n    return first + second\n\n# ... existing code ...\n\ndef five():\n"
        '    """Say five, loudly."""\n    first = 1\n    second = 2\n    third = 3\n'
        "    return first + second\n```\n",
        encoding="utf-8",
    )
    child = terminal("fastapply apply --review say.py edit.txt")
    answer(child, "n", "y")
    assert end(child)[0] == 0
    assert (place / "say.py").read_text(encoding="utf-8") == wanted("five")


def test_a_line_that_also_stands_elsewhere_may_be_left_out(terminal, place):
    """Where it goes is not taken for the other place, at which it stays anyway."""
    before = "class Cart:\n    def __init__(self):\n        self.lines = []\n\n"
    middle = "".join(f"    def part{n}(self):\n        return {n}\n\n" for n in range(4))
    after = "    def clear(self):\n        self.lines = []\n"
    edit = (
        "<<<<<<< SEARCH\nclass Cart:\n=======\nclass Basket:\n>>>>>>> REPLACE\n"
        "<<<<<<< SEARCH\n    def clear(self):\n        self.lines = []\n=======\n"
        "    def clear(self):\n        self.lines.clear()\n>>>>>>> REPLACE\n"
    )
    (place / "say.py").write_text(before + middle + after, encoding="utf-8")
    (place / "edit.txt").write_text(edit, encoding="utf-8")
    child = terminal("fastapply apply --review say.py edit.txt")
    answer(child, "y", "n")
    status, said = end(child)
    assert (status, said.splitlines()[-1]) == (0, "say.py: applied (+1 -1), 1 of 2 hunks skipped")
    written = (place / "say.py").read_text(encoding="utf-8")
    assert written == before.replace("Cart", "Basket") + middle + after


def test_what_is_taken_is_held_against_the_text(terminal, place):
    """The import goes, its use stays: the other hunk would have taken that away."""
    (place / "say.py").write_text(USE, encoding="utf-8")
    (place / "edit.txt").write_text(
        "<<<<<<< SEARCH\nimport os\n=======\n>>>>>>> REPLACE\n"
        "<<<<<<< SEARCH\n    return os.path.join(first, second)\n=======\n"
        "    return first\n>>>>>>> REPLACE\n",
        encoding="utf-8",
    )
    child = terminal("fastapply apply --review say.py edit.txt")
    answer(child, "y", "n")
    status, said = end(child)
    assert (status, "[lost_import]" in said) == (1, True)
    assert (place / "say.py").read_text(encoding="utf-8") == USE


def test_what_is_rewritten_is_held_against_the_text(terminal, place):
    """An editor may write what does not parse."""
    editor = place / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/^+.*/+    first = (/' \"$1\"\n", encoding="utf-8")
    editor.chmod(0o755)
    child = terminal("fastapply apply --review say.py edit.txt", EDITOR=str(editor), VISUAL="")
    answer(child, "e", "d")
    status, said = end(child)
    assert (status, "[parse_error]" in said) == (1, True)
    assert (place / "say.py").read_text(encoding="utf-8") == BEFORE


def test_answers_come_from_the_terminal_where_the_edit_is_piped(terminal, place):
    """Standard input is the edit's then."""
    child = terminal("cat edit.txt | fastapply apply --review say.py -")
    answer(child, "y", "q")
    assert end(child)[0] == 0
    assert (place / "say.py").read_text(encoding="utf-8") == wanted("one")


def test_a_dry_review_shows_the_diff_of_what_was_taken(terminal, place):
    """And writes nothing."""
    child = terminal("fastapply apply --review --dry-run say.py edit.txt")
    answer(child, "n", "y", "q")
    status, said = end(child)
    assert (status, said.count("\n+    "), '+    """Say two, loudly."""' in said) == (0, 1, True)
    assert said.endswith("say.py: would apply (+1 -1), 4 of 5 hunks skipped\n")
    assert (place / "say.py").read_text(encoding="utf-8") == BEFORE


def test_line_ends_stay_where_a_part_is_taken(terminal, place):
    """Those of a file with CRLF, and a last line without an end."""
    data = BEFORE.removesuffix("\n").replace("\n", "\r\n").encode()
    (place / "say.py").write_bytes(data)
    child = terminal("fastapply apply --review say.py edit.txt")
    answer(child, "n", "n", "n", "n", "y")
    assert end(child)[0] == 0
    assert (place / "say.py").read_bytes() == wanted("five").removesuffix("\n").replace("\n", "\r\n").encode()


@pytest.mark.parametrize(
    "command",
    [
        "fastapply apply --review say.py edit.txt </dev/null",
        "fastapply apply --review say.py edit.txt 2>said",
        "fastapply apply --review --json say.py edit.txt",
        "fastapply patch --review --check edit.txt",
    ],
)
def test_review_without_a_terminal_or_with_json_makes_no_sense(command, terminal, place):
    """Exit status 2."""
    assert end(terminal(command))[0] == 2
    assert (place / "say.py").read_text(encoding="utf-8") == BEFORE


def test_review_in_a_session_without_terminal_makes_no_sense(place, environment):
    """There is nothing to ask, not even the terminal behind standard input."""
    done = subprocess.run(
        ["fastapply", "apply", "--review", "say.py", "-"],
        cwd=place,
        env=environment,
        input=EDIT,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == ("say.py: --review needs a terminal [usage]\nhint: use --dry-run to see the diff\n")


def test_undo_takes_a_reviewed_write_back(terminal, place, fastapply):
    """It is a write like any other."""
    child = terminal("fastapply apply --review say.py edit.txt")
    answer(child, "y", "q")
    assert end(child)[0] == 0
    assert fastapply("undo").status == 0
    assert (place / "say.py").read_text(encoding="utf-8") == BEFORE
