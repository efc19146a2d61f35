"""Lines go where the edit shows what stood around them, or says that they went; otherwise they stay."""

from __future__ import annotations

import pytest
from editing import changed

from fastapply import apply_edit

PYTHON = '''\
import os

RETRIES = 3


def fetch(url):
    """Get a page."""
    print("fetching", url)
    page = os.fsencode(url)
    return page


def fetch_old(url):
    """Get a page the old way."""
    return url


def parse(page):
    """Read a page."""
    words = page.split()
    return words


def parse_fast(page):
    """Read a page quickly."""
    return list(page)


def main(url):
    page = fetch(url)
    print(parse(page))
'''
JAVA = """\
class Counter {
    private int value;
    private int limit;

    Counter(int limit) {
        this.limit = limit;
        this.value = 0;
        System.out.println("made");
    }

    int next() {
        if (value >= limit) {
            throw new IllegalStateException();
        }
        return ++value;
    }

    int last() {
        return value;
    }

    void reset() {
        value = 0;
    }
}
"""
FETCH_OLD = '''\
def fetch_old(url):
    """Get a page the old way."""
    return url


'''
LAST = """\
    int last() {
        return value;
    }

"""

REWRITES = [
    pytest.param(
        "a.py",
        PYTHON,
        '# ...\n\ndef fetch(url):\n    """Get a page."""\n    page = os.fsencode(url)\n    return page\n'
        "\n# ...\n",
        changed(PYTHON, ('    print("fetching", url)\n', "")),
        id="one line between two shown ones",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "# ...\n\ndef fetch(url):\n    # ...\n    page = os.fsencode(url)\n    return page\n\n\n"
        "# (removed fetch_old)\n\n\ndef parse(page):\n    # ...\n",
        changed(PYTHON, (FETCH_OLD, "")),
        id="a function between two shown ones, with a note",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "# ...\n\ndef fetch(url):\n    # ...\n    return page\n\n\n# fetch_old removed\n\n\n"
        "def parse(page):\n    # ...\n",
        changed(PYTHON, (FETCH_OLD, "")),
        id="a note in other words",
    ),
    pytest.param(
        "a.java",
        JAVA,
        "class Counter {\n    // ...\n\n    int next() {\n        // ...\n        return ++value;\n    }\n\n"
        "    // last() removed\n\n    void reset() {\n        value = 0;\n    }\n}\n",
        changed(JAVA, (LAST, "")),
        id="a method between two shown ones, with a note",
    ),
    pytest.param(
        "a.java",
        JAVA,
        "class Counter {\n    // ...\n\n    Counter(int limit) {\n        this.limit = limit;\n"
        "        this.value = 0;\n    }\n\n    // ...\n}\n",
        changed(JAVA, ('        System.out.println("made");\n', "")),
        id="the last line of a block that is shown closed",
    ),
    pytest.param(
        "a.java",
        JAVA,
        "class Counter {\n    // ...\n\n    int next() {\n        return ++value;\n    }\n\n    // ...\n}\n",
        changed(
            JAVA,
            (
                "        if (value >= limit) {\n            throw new IllegalStateException();\n        }\n",
                "",
            ),
        ),
        id="a block inside a function that is shown whole",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_lines_that_the_edit_shows_to_be_gone_are_removed(path, original, edit, merged):
    """Nothing else goes, and no note is written."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged)


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_lines_that_are_gone_already_need_no_change(path, original, edit, merged):
    """The same removal a second time is unchanged."""
    assert original != merged
    result = apply_edit(merged, edit, path=path)
    assert (result.status, result.text) == ("unchanged", merged)


NOTES = [
    pytest.param("# ...\n# (removed fetch_old)\n# ...\n", id="between two markers"),
    pytest.param("# ...\n\n# fetch_old was removed\n", id="at the end of the edit"),
    pytest.param(
        "    return page\n\n\n# (removed fetch_old)\n\n\ndef parse(page):\n", id="between its neighbours"
    ),
    pytest.param("# ...\n\n# (removed fetch_old)\n\ndef parse(page):\n    # ...\n", id="above its neighbour"),
]


@pytest.mark.parametrize("edit", NOTES)
def test_note_alone_removes_what_it_names(edit):
    """The edit says it: nothing is weighed."""
    result = apply_edit(PYTHON, edit, path="a.py")
    assert (result.status, result.text) == ("applied", changed(PYTHON, (FETCH_OLD, "")))


def test_last_one_of_a_block_goes_with_the_blank_line_above_it():
    """No block begins or ends with a blank line that it did not have."""
    reset = "\n    void reset() {\n        value = 0;\n    }\n"
    result = apply_edit(JAVA, "class Counter {\n    // ...\n    // (removed reset)\n}\n", path="a.java")
    assert (result.status, result.text) == ("applied", changed(JAVA, (reset, "")))


def test_all_that_notes_name_goes():
    """One beside the other, at the end of the block."""
    gone = JAVA[JAVA.index("\n    int last()") : JAVA.rindex("}")]
    edit = "class Counter {\n    // ...\n    // (removed last)\n\n    // (removed reset)\n}\n"
    result = apply_edit(JAVA, edit, path="a.java")
    assert (result.status, result.text) == ("applied", changed(JAVA, (gone, "")))


UNCLEAR = [
    pytest.param(PYTHON, "# ...\n# (removed fetch_new)\n# ...\n", "", id="a name that the file lacks"),
    pytest.param(
        PYTHON + "\n\ndef fetch_old(page):\n    pass\n",
        "# ...\n# (removed fetch_old)\n# ...\n",
        "",
        id="a name of two",
    ),
    pytest.param(PYTHON, "# ...\n# (fetch_old moved to the end)\n# ...\n", "", id="what moves"),
    pytest.param(
        PYTHON, "# ...\n# (removed fetch_old)\n# ...\n", "rename fetch_old to fetch_all", id="what is renamed"
    ),
    pytest.param(
        PYTHON,
        "def fetch(url):\n    # ...\n\n\n# (removed fetch_old)\n\n\ndef main(url):\n    # ...\n",
        "",
        id="more between its neighbours",
    ),
]


@pytest.mark.parametrize(("original", "edit", "said"), UNCLEAR)
def test_note_that_may_mean_something_else_is_asked_about(original, edit, said):
    """Nothing goes unasked."""
    result = apply_edit(original, edit, path="a.py", instructions=said)
    assert (result.status, result.text) == ("refused", original)


NOTED = [
    pytest.param(
        "a.py",
        PYTHON,
        '# ...\n\ndef parse(page):\n    """Read a page."""\n    # empty words are removed\n'
        "    words = page.split()\n    return words\n\n# ...\n",
        changed(PYTHON, ("    words =", "    # empty words are removed\n    words =")),
        id="a new comment that speaks of a removal",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        '# ...\n\ndef parse(page):\n    """Read a page."""\n    words = page.split()\n'
        "    # the old parser was removed in 2.0\n    return words\n\n# ...\n",
        changed(PYTHON, ("    return words", "    # the old parser was removed in 2.0\n    return words")),
        id="a new comment about the history",
    ),
    pytest.param(
        "a.py",
        changed(PYTHON, ("RETRIES = 3", "# removed TIMEOUT\nRETRIES = 3")),
        "# ...\n# removed TIMEOUT\nRETRIES = 5\n# ...\n",
        changed(PYTHON, ("RETRIES = 3", "# removed TIMEOUT\nRETRIES = 5")),
        id="a comment of the file that looks like a note",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit", "merged"), NOTED)
def test_comment_that_only_looks_like_a_removal_note_is_a_comment(path, original, edit, merged):
    """It is written, and nothing is removed."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged)


@pytest.mark.parametrize(
    ("path", "original", "edit"),
    [
        pytest.param(
            "a.py",
            PYTHON,
            "# ...\n\ndef fetch(url):\n    # ...\n    page = os.fsencode(url)\n    return page\n\n\n"
            "def parse(page):\n    # ...\n    return tuple(words)\n\n\n# ...\n",
            id="a function between two shown ones, without a note",
        ),
        pytest.param(
            "a.java",
            JAVA,
            "class Counter {\n    // ...\n\n    int next() {\n        // ...\n        return value++;\n"
            "    }\n\n"
            "    void reset() {\n        value = 0;\n    }\n}\n",
            id="a method between two shown ones, without a note",
        ),
    ],
)
def test_definition_left_out_without_a_note_is_refused(path, original, edit):
    """It may be forgotten or meant to go."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("refused", original)
    assert result.reason == "uncertain"


def test_doc_comment_that_says_what_to_remove_one_day_is_text():
    """Only a note of the edit removes, not a line of the new comment."""
    before = "class A {\n  int one() {\n    return 1;\n  }\n\n  int two() {\n    return 2;\n  }\n}\n"
    comment = "  /**\n   * remove this when {@link Other} is deleted.\n   */\n"
    edit = f"class A {{\n  // ...\n    return 1;\n  }}\n\n{comment}  int two() {{\n    return 2;\n  }}\n}}\n"
    result = apply_edit(before, edit, path="A.java")
    assert (result.status, result.text) == ("applied", before.replace("  int two()", comment + "  int two()"))
