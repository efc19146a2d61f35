"""What must hold for any text: only our error, one file where one is given, lines without line ends."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from fastapply.edits.detect import parse_edit
from fastapply.errors import EditError
from fastapply.text import from_text
from fastapply.types import HunkList

PIECES = [
    "```", "````", "```python", "~~~", "```diff", "```md", "<<<<<<< SEARCH", "=======",
    ">>>>>>> REPLACE", "------- SEARCH", "+++++++ REPLACE", "*** Begin Patch", "*** End Patch",
    "*** Update File: a.py", "*** Add File: b.py", "*** Delete File: c", "*** Move to: d",
    "*** End of File", "@@", "@@ -1,2 +1,3 @@", "@@ -0,0 +1 @@ x", "@@ ... @@", "--- a/a.py",
    "+++ b/a.py", "--- /dev/null", "+++ /dev/null", "diff --git a/a.py b/a.py", "rename from x",
    "rename to y", "new file mode 100755", "GIT binary patch", "-old", "+new", " context", "", "...",
    "# ... existing code ...", "a.py", "`a.py`:", "Here is the change:",
    '{"old_string":"a","new_string":"b"}', '{"edits":[', "]}", "\\ No newline at end of file",
    ":start_line:3", "-------", "\\=======", "x = 1\r", "def f():", "    return 1", "\x0c",
    "é…\u2028",
]  # fmt: skip
TEXTS = st.one_of(
    st.text(), st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=10)), max_size=25).map("\n".join)
)
PATHS = st.sampled_from([None, "a.py", "src/a.md", "t.txt", "a.json", "b.sh", "Makefile"])
FORMATS = st.sampled_from([None, "lazy", "whole", "search_replace", "udiff", "v4a", "str_replace", "mixed"])
VALID = [
    (
        "a.py\n<<<<<<< SEARCH\na\nb\n=======\nc\n>>>>>>> REPLACE\n\n"
        "b.py\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n"
    ),
    "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@ def f():\n a\n-b\n+c\n@@ ... @@\n-x\n+y\n```\n",
    "*** Begin Patch\n*** Update File: a.py\n@@ class A\n a\n-b\n+c\n*** Add File: n.py\n+x\n*** End Patch\n",
    '```json\n{"file_path": "a.py",\n "edits": [{"old_string": "a\\nb", "new_string": "c"}]}\n```\n',
    (
        "Change `a.py`:\n\n```python\n# ... existing code ...\ndef f():\n    return 2\n```\n\n"
        "Run it:\n\n```sh\npytest\n```\n"
    ),
]


def parsed(text, path, original, name):
    """Parse, and check what holds for every edit that can be read."""
    source = from_text(original) if original is not None and path else None
    try:
        edit = parse_edit(text, path=path, original=source, format_name=name)
    except EditError:
        return
    assert edit.text == text
    assert edit.files
    assert path is None or len(edit.files) == 1
    count = text.count("\n") + text.count("\r") + 1
    numbers = []
    for file in edit.files:
        for part in file.parts:
            if isinstance(part, HunkList):
                shown = [line for hunk in part.hunks for s in hunk.segments for line in (*s.before, *s.after)]
                numbers += [hunk.number for hunk in part.hunks]
                places = [hunk.edit_line for hunk in part.hunks]
            else:
                shown, places = list(part.lines), [part.edit_line]
            assert not any("\n" in line or "\r" in line for line in shown)
            assert all(1 <= place <= count + 1 for place in places)
    assert all(one + 1 == other for one, other in pairwise([0, *numbers]))


@given(TEXTS, PATHS, st.one_of(st.none(), TEXTS), FORMATS)
@settings(deadline=None)
def test_any_text_is_an_edit_or_our_error(text, path, original, name):
    """Nothing but EditError leaves the parser, and what it reads is well-formed."""
    parsed(text, path, original, name)


@st.composite
def damaged(draw):
    """Draw a right edit with lines lost, doubled, swapped, cut off or indented."""
    lines = draw(st.sampled_from(VALID)).split("\n")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        kind = draw(st.sampled_from(["drop", "double", "swap", "cut", "indent", "insert"]))
        if kind == "drop" and len(lines) > 1:
            del lines[at]
        elif kind == "double":
            lines.insert(at, lines[at])
        elif kind == "swap":
            other = draw(st.integers(0, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == "cut":
            lines = [*lines[:at], lines[at][: draw(st.integers(0, len(lines[at])))]]
        elif kind == "indent":
            lines[at] = "  " + lines[at]
        else:
            lines.insert(at, draw(st.sampled_from(PIECES)))
    return "\n".join(lines)


@given(damaged(), PATHS, st.sampled_from([None, "a\nb\nx\n", "def f():\n    return 1\n"]))
@settings(deadline=None)
def test_a_damaged_edit_is_an_edit_or_our_error(text, path, original):
    """A right edit with a few lines wrong never breaks the parser."""
    parsed(text, path, original, None)


@given(st.integers(0, len(VALID) - 1), st.data())
def test_a_right_edit_that_is_cut_off_is_never_half_read(number, data):
    """Up to its last line a patch, block, call or fence that ends early is refused."""
    text = VALID[number]
    last = text.rstrip("\n").rfind("\n")
    first = {0: 10, 1: 8, 2: 16, 3: 8, 4: 28}[number]
    cut = data.draw(st.integers(first, last - 4))
    cut_text = text[:cut]
    whole_units = [position for position in ends_of_units(text) if position <= cut]
    try:
        edit = parse_edit(cut_text, path="a.py", original=from_text("a\nb\nx\ndef f():\n    return 1\n"))
    except EditError:
        return
    assert whole_units
    assert edit.files[0].parts


def ends_of_units(text):
    """Offsets behind which a text may end and still be whole: closed blocks and balanced fences."""
    ends = []
    offset = 0
    fences = 0
    for line in text.splitlines(keepends=True):
        offset += len(line)
        fences += line.startswith("```")
        if line.startswith(">>>>>>> REPLACE") or (line.startswith("```") and fences % 2 == 0):
            ends.append(offset - len(line) + len(line.rstrip()))
    return ends
