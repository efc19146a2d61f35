"""What the edit did not mean to change keeps its bytes: line ends, comments in full, white space."""

from __future__ import annotations

import pytest
from editing import changed

from fastapply import apply_edit

PYTHON = '''\
import os

# The limit that the operators of the big site asked for in 2019, see the wiki
LIMIT = 10


def load(path):
    """Read a file and give its text, without the byte order mark that Windows programs write.

    Raises OSError.
    """
    # Windows programs write a byte order mark, which nobody wants to see in the text
    text = open(path, encoding="utf-8-sig").read()
    return text[:LIMIT]


def store(path, text):
    """Write a file."""
    with open(path, "w") as stream:
        stream.write(text)
'''
STORE = '''\
# ...

def store(path, text):
    """Write a file."""
    with open(path, "wb") as stream:
        # ...
'''


def crlf(text):
    """Give the same text CRLF line ends."""
    return text.replace("\n", "\r\n")


ENDS = [
    pytest.param(PYTHON, STORE, changed(PYTHON, ('"w"', '"wb"')), id="LF in both"),
    pytest.param(crlf(PYTHON), STORE, crlf(changed(PYTHON, ('"w"', '"wb"'))), id="CRLF in the file"),
    pytest.param(PYTHON, crlf(STORE), changed(PYTHON, ('"w"', '"wb"')), id="CRLF in the edit"),
    pytest.param(
        PYTHON.removesuffix("\n"),
        STORE,
        changed(PYTHON, ('"w"', '"wb"')).removesuffix("\n"),
        id="no newline at the end of the file",
    ),
    pytest.param(
        PYTHON,
        STORE.removesuffix("\n"),
        changed(PYTHON, ('"w"', '"wb"')),
        id="no newline at the end of the edit",
    ),
    pytest.param(
        crlf(PYTHON).removesuffix("\r\n"),
        STORE,
        crlf(changed(PYTHON, ('"w"', '"wb"'))).removesuffix("\r\n"),
        id="CRLF and no newline at the end of the file",
    ),
    pytest.param(
        PYTHON.replace("LIMIT = 10\n", "LIMIT = 10\r\n"),
        STORE,
        changed(PYTHON, ('"w"', '"wb"')).replace("LIMIT = 10\n", "LIMIT = 10\r\n"),
        id="one line with another end",
    ),
    pytest.param(
        PYTHON.replace("import os\n", "import os  \n"),
        STORE,
        changed(PYTHON, ('"w"', '"wb"')).replace("import os\n", "import os  \n"),
        id="white space at the end of a line",
    ),
]


@pytest.mark.parametrize(("original", "edit", "merged"), ENDS)
def test_lines_that_are_not_changed_keep_their_ends(original, edit, merged):
    """New lines get the end that most lines have; the last line keeps its own."""
    result = apply_edit(original, edit, path="a.py")
    assert (result.status, result.text) == ("applied", merged)


@pytest.mark.parametrize(("original", "edit", "merged"), ENDS)
def test_other_line_ends_alone_are_no_change(original, edit, merged):
    """The same edit a second time is unchanged."""
    assert original != merged
    result = apply_edit(merged, edit, path="a.py")
    assert (result.status, result.text) == ("unchanged", merged)


SHORT = [
    pytest.param(
        "# ...\n# The limit that the operators asked for\nLIMIT = 20\n# ...\n",
        changed(PYTHON, ("LIMIT = 10", "LIMIT = 20")),
        id="a comment with words left out",
    ),
    pytest.param(
        "# ...\n    # Windows programs write a byte order mark, ...\n"
        '    text = open(path, encoding="utf-8-sig").read()\n    check(text)\n    return text[:LIMIT]\n'
        "# ...\n",
        changed(PYTHON, ("    return text", "    check(text)\n    return text")),
        id="a comment cut off",
    ),
]


@pytest.mark.parametrize(("edit", "merged"), SHORT)
def test_abbreviated_comment_keeps_the_words_of_the_file(edit, merged):
    """It is context that the edit did not mean to change."""
    result = apply_edit(PYTHON, edit, path="a.py")
    assert (result.status, result.text) == ("applied", merged)


def test_comment_with_other_words_is_never_there_twice():
    """What says something new takes the place of the file's comment, or the edit is refused."""
    edit = "import os\n\n# Asked for by nobody, kept for old clients only\nLIMIT = 20\n\n# ...\n"
    old = "# The limit that the operators of the big site asked for in 2019, see the wiki\nLIMIT = 10\n"
    merged = changed(PYTHON, (old, "# Asked for by nobody, kept for old clients only\nLIMIT = 20\n"))
    result = apply_edit(PYTHON, edit, path="a.py")
    assert (result.status, result.text) in {("applied", merged), ("refused", PYTHON)}


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(
            '# ...\n\ndef store(path, text):\n    """Write a file."""\n'
            '    with open(path, "wb") as stream:\n        stream.wri',
            id="in the middle of a word",
        ),
        pytest.param(
            '# ...\n\ndef store(path, text):\n    """Write a file."""\n    with open(path, ', id="in a call"
        ),
        pytest.param('# ...\n\ndef store(path, text):\n    """Write a', id="in a docstring"),
        pytest.param("# ...\n\ndef store(path, text, mode=", id="in a signature"),
        pytest.param(
            '```python\n# ...\n\ndef store(path, text):\n    """Write a file."""\n'
            '    with open(path, "wb") as stre',
            id="in an open fence",
        ),
    ],
)
def test_edit_whose_last_line_is_cut_off_is_refused(edit):
    """Half a line is never written, and the text stays."""
    result = apply_edit(PYTHON, edit, path="a.py")
    assert (result.status, result.text) == ("refused", PYTHON)


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param('def store(path, text):\n    """Write a file."""\n', id="the head of a function"),
        pytest.param("# ...\nLIMIT = 10\n# ...\n", id="one line of the file"),
        pytest.param(PYTHON, id="the whole file"),
        pytest.param(
            "import os\n\n# ...\n\ndef store(path, text):\n    # ...\n        stream.write(text)\n",
            id="lines of the file and markers",
        ),
    ],
)
def test_edit_that_shows_only_what_is_there_never_changes_anything(edit):
    """It is unchanged, or refused where it may have left something out."""
    result = apply_edit(PYTHON, edit, path="a.py")
    assert (result.status in {"unchanged", "refused"}, result.text) == (True, PYTHON)


def test_docstring_cut_to_its_first_line_with_dots_never_loses_the_rest():
    """Whether the dots stand for the other lines can't be told: refused, and nothing is lost."""
    edit = (
        '# ...\ndef load(path):\n    """Read a file and give its text..."""\n'
        "    # Windows programs write a byte order mark...\n"
        '    text = open(path, encoding="utf-8-sig").read()\n    return text[: LIMIT + 1]\n\n\n# ...\n'
    )
    result = apply_edit(PYTHON, edit, path="a.py")
    assert (result.status, result.reason, result.text) == ("refused", "uncertain", PYTHON)


CLASS = """\

class Copier:
    def copy(self, one, other):
        for name in one.names:
            other.set(name, one.get(name))

    def values(self, one):
        return list(one.names)

    def close(self):
        self.open = False


def main():
    return Copier()

"""


@pytest.mark.parametrize(
    ("edit", "merged"),
    [
        pytest.param(
            "import sys\n\nclass Copier:\n    # ...\n",
            "\nimport sys\n" + CLASS,
            id="a blank first line stays above what goes in first",
        ),
        pytest.param(
            "# ...\n    def values(self, one):\n        return list(one.names)\n    # removed: close\n\n\n"
            "def main():\n    return Copier()\n",
            changed(CLASS, ("    def close(self):\n        self.open = False\n\n\n", "\n")),
            id="the larger blank stretch goes with the last definition of a class",
        ),
        pytest.param(
            "class Copier:\n    # copy removed\n\n    def values(self, one):\n        # ...\n",
            changed(
                CLASS,
                (
                    (
                        "    def copy(self, one, other):\n        for name in one.names:\n"
                        "            other.set(name, one.get(name))\n\n"
                    ),
                    "",
                ),
            ),
            id="no blank line stays where a class began with what is removed",
        ),
        pytest.param(
            "# ...\n    def close(self):\n        self.open = False\n\n\n# Makes the one that is used.\n"
            "# ...\n",
            changed(CLASS, ("def main():", "# Makes the one that is used.\ndef main():")),
            id="a new comment right above a marker stands right above the code",
        ),
        pytest.param(
            "# ...\n    def close(self):\n        self.flush()\n\n        self.open = False\n"
            "        self.log()\n\n# ...\n",
            changed(
                CLASS,
                (
                    "        self.open = False\n",
                    "        self.flush()\n\n        self.open = False\n        self.log()\n",
                ),
            ),
            id="a blank line inside new code is not one of those behind it",
        ),
        pytest.param(
            CLASS.strip("\n").replace("list(", "sorted(") + "\n",
            CLASS.replace("list(", "sorted("),
            id="a whole file keeps the blank lines around its text",
        ),
    ],
)
def test_blank_lines_that_an_edit_cannot_show_are_the_files(edit, merged):
    """Whole results, blank lines and all."""
    result = apply_edit(CLASS, edit, path="a.py")
    assert (result.status, result.text) == ("applied", merged), result.message


def cut_off(file: str, edit: str, path: str = "a.py") -> bool:
    """Whether a refusal says, among other things, that an edit ends in the middle of something."""
    result = apply_edit(file, edit, path=path, min_certainty=1.0)
    return "truncated" in {question.reason for question in result.questions}


GUIDE = "# Shop\n\nA shop keeps stock.\n\n## Orders\n\nOrders are not counted.\n"


def test_a_full_stop_ends_a_sentence():
    """Of a text, and of a comment in code; behind a name in code it does not."""
    assert not cut_off(GUIDE, "<!-- ... -->\n\n## Orders\n\nOrders are counted once a day.\n", "guide.md")
    comment = "# ...\n        return stream.read()\n# The end of the store module.\n"
    assert not cut_off(PYTHON, comment)
    head = "# ...\n    with open(path) as stream:\n        return"
    for end in ("stream.", "first+", "first -", "first&&", "first *"):
        assert cut_off(PYTHON, f"{head} {end}\n"), end
    assert cut_off(GUIDE, "<!-- ... -->\n\n## Orders\n\nOrders are counted in\n", "guide.md")


def test_a_fence_that_ends_is_not_cut_off():
    """Whatever its last line ends in: the next fence, or the file, goes on."""
    head = "def store(path, text, mode=None):\n    with open(\n"
    assert not cut_off(PYTHON, f"```python\n# ...\n{head}```\n")
    assert cut_off(PYTHON, f"# ...\n{head}")


def test_a_byte_order_mark_in_a_text_stays_and_hides_no_line():
    """A caller who read a file as UTF-8 has it before the first line, which no edit shows with it."""
    head = PYTHON[: PYTHON.index("LIMIT")].replace("import os\n", "import os\nimport re\n")
    edit = f"{head}# ...\n"
    marked = apply_edit("\ufeff" + PYTHON, edit, path="a.py", min_certainty=0.5)
    plain = apply_edit(PYTHON, edit, path="a.py", min_certainty=0.5)
    assert plain.text == PYTHON.replace("import os\n", "import os\nimport re\n")
    assert (marked.status, marked.text) == (plain.status, "\ufeff" + plain.text)
    refused = apply_edit("\ufeff" + PYTHON, "nothing of it\n", path="a.py")
    assert (refused.status, refused.text) == ("refused", "\ufeff" + PYTHON)
