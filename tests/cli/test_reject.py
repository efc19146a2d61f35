"""`--reject`: the hunks that fit go in, the others to `FILE.rej`, and the exit status is 3."""

from __future__ import annotations

import pytest

BEFORE = "one\ntwo\nthree\nsame\nfour\nsame\nfive\n"


def block(before: str, after: str) -> str:
    """A SEARCH/REPLACE block."""
    return f"<<<<<<< SEARCH\n{before}\n=======\n{after}\n>>>>>>> REPLACE\n"


EDIT = block("one", "1") + block("same", "equal") + block("gone", "here") + block("five", "5")
LEFT_OUT = (
    "list.txt: hunk 2 (edit line 6): 'same' fits at 2 places: line 4; line 6 [ambiguous]\n\n```\n"
    + block("same", "equal")
    + "```\n\nlist.txt: hunk 3 (edit line 11): its SEARCH ('gone') is not in the file; "
    + "did you mean line 1? [not_found]\n\n```\n"
    + block("gone", "here")
    + "```\n"
)


@pytest.fixture
def place(folder):
    """A folder with the file."""
    (folder / "list.txt").write_text(BEFORE, encoding="utf-8")
    return folder


def texts(folder):
    """All files of a folder."""
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_hunks_that_fit_go_in_and_the_others_are_kept(place, fastapply):
    """With the reason of each."""
    run = fastapply("apply", "--reject", "list.txt", edit=EDIT)
    assert run.status == 3
    assert texts(place) == {"list.txt": "1\ntwo\nthree\nsame\nfour\nsame\n5\n", "list.txt.rej": LEFT_OUT}
    said = run.err.splitlines()
    assert said[0] == "list.txt: applied (+2 -2)"
    assert [line.rpartition(" ")[2] for line in said[1:3]] == ["[ambiguous]", "[not_found]"]
    assert said[3] == "the rejected hunks are in list.txt.rej"


def test_what_was_left_out_can_be_applied_later(place, fastapply):
    """Once the file is as it says, or the place is named."""
    assert fastapply("apply", "--reject", "list.txt", edit=EDIT).status == 3
    (place / "list.txt").write_text("1\ntwo\nsame\ngone\n5\n", encoding="utf-8")
    assert fastapply("apply", "list.txt", "list.txt.rej").status == 0
    assert texts(place)["list.txt"] == "1\ntwo\nequal\nhere\n5\n"


def test_json_names_the_hunks_that_were_left_out(place, fastapply):
    """Where one of them begins in the edit, and why."""
    run = fastapply("apply", "--reject", "--json", "--dry-run", "list.txt", edit=EDIT)
    found = run.object
    assert (run.status, found["status"], found["written"]) == (3, "partial", False)
    assert [(one["edit_line"], one["reason"]) for one in found["rejected"]] == [
        (6, "ambiguous"),
        (11, "not_found"),
    ]
    assert texts(place) == {"list.txt": BEFORE}


def test_an_edit_that_fits_is_applied_as_ever(place, fastapply):
    """No `FILE.rej`, status 0."""
    assert fastapply("apply", "--reject", "list.txt", edit=block("one", "1")).status == 0
    assert texts(place) == {"list.txt": BEFORE.replace("one", "1")}


@pytest.mark.parametrize(
    "edit",
    [
        block("same", "equal"),
        block("same", "equal") + block("gone", "here"),
        "```\n# ... existing code ...\nsame\nnew\n# ... existing code ...\n```\n",
    ],
    ids=["its only hunk", "all hunks", "a lazy edit"],
)
def test_an_edit_of_which_nothing_fits_is_refused_as_ever(edit, place, fastapply):
    """Status 1, with the first reason; nothing is written."""
    plain = fastapply("apply", "list.txt", edit=edit)
    run = fastapply("apply", "--reject", "list.txt", edit=edit)
    assert (run.status, run.err.splitlines()[0]) == (plain.status, plain.err.splitlines()[0])
    assert (run.status, texts(place)) == (1, {"list.txt": BEFORE})


def test_hunks_that_the_check_refuses_do_not_go_in(folder, fastapply):
    """What is left has to pass the check as an edit of its own."""
    text = "import os\n\n\ndef f():\n    return os.getcwd()\n"
    (folder / "f.py").write_text(text, encoding="utf-8")
    edit = block("    return os.getcwd()", "    return os.getcwd(") + block("gone", "here")
    run = fastapply("apply", "--reject", "f.py", edit=edit)
    assert run.status == 1
    assert texts(folder) == {"f.py": text}


@pytest.mark.parametrize("options", [["-o", "other.txt"], ["--review"]])
def test_reject_goes_with_the_file_alone(options, place, fastapply):
    """Status 2."""
    assert fastapply("apply", "--reject", *options, "list.txt", edit=EDIT).status == 2
    assert texts(place) == {"list.txt": BEFORE}
