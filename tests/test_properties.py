"""What holds for every text and edit: no crash, no silent second change, a diff gives its after-side."""

from __future__ import annotations

from difflib import unified_diff

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from fastapply import apply_edit

BOUNDED = settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])

PIECES = [
    "", "import os", "x = 1", "def f(a):", "    return a", "    # ... existing code ...", "# ...", "...",
    "class A:", "    def f(self):", "        return self.x", "        ...", "}", "function g() {", "  go();",
    "// ... rest unchanged", "/* ... */", "<div>", "</div>", "<!-- ... -->", "# (removed f)", '"""', "```",
    "```python", "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "@@ -1,2 +1,2 @@", "-x = 1", "+x = 2",
    "--- a/a.py", "+++ b/a.py", "*** Begin Patch", "*** Update File: a.py", "*** End Patch", "\tgo()",
    "    if a:", "    else:", "end", "case 1:", "x = 1\r", "é\u2028…", "\x0c", "#if A", "#endif", "`",
]  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=25).map("\n".join),
    st.lists(st.sampled_from(PIECES), max_size=25).map(lambda lines: "".join(f"{line}\n" for line in lines)),
)
PATHS = st.sampled_from([None, "a.py", "a.ts", "a.c", "a.rb", "a.html", "a.md", "a.yaml", "a.sql", "a.txt"])
ENDINGS = st.sampled_from(["\n", "\r\n"])

NAMES = ["load", "store", "parse", "send", "close", "count"]
BODIES = [
    ["total = 0", "for item in items:", "    total += item", "return total"],
    ["if items:", "    return items[0]", "return None"],
    ["log('start')", "items.sort()", "return items"],
    ["return len(items)"],
]


@st.composite
def programs(draw, least=1):
    """Draw a small program: functions by name, each with a body that others may have as well."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=least, max_size=5, unique=True))
    return [(name, list(draw(st.sampled_from(BODIES)))) for name in names]


def written(functions, gap=2):
    """A program as text, `gap` blank lines between its functions."""
    blocks = [
        "".join([f"def {name}(items):\n", *(f"    {line}\n" for line in body)]) for name, body in functions
    ]
    return "import os\n\n\n" + ("\n" * gap).join(blocks)


@st.composite
def lazy_edits(draw):
    """Draw a program and a lazy edit of it, with markers left out and lines added or changed by chance."""
    functions = draw(programs())
    shown = []
    for name, body in functions:
        kind = draw(st.sampled_from(["hide", "show", "add", "change", "drop", "elide"]))
        if kind == "hide":
            shown.append(draw(st.sampled_from(["# ... existing code ...\n", ""])))
            continue
        lines = list(body)
        at = draw(st.integers(0, len(lines) - 1))
        if kind == "add":
            lines.insert(at, draw(st.sampled_from(["check(items)", "return total", "items = list(items)"])))
        elif kind == "change":
            lines[at] = lines[at] + "  # changed"
        elif kind == "drop" and len(lines) > 1:
            del lines[at]
        elif kind == "elide":
            lines[at] = "# ..."
        shown.append("".join([f"def {name}(items):\n", *(f"    {line}\n" for line in lines)]))
    return written(functions), "\n\n".join(shown)


@given(st.one_of(st.none(), TEXTS), TEXTS, PATHS)
@example("", "'..\n0", None)
@BOUNDED
def test_any_text_as_an_edit_of_any_text_ends_in_a_result(original, edit, path):
    """Nothing is raised, and a text that is not changed on purpose comes back as it was."""
    result = apply_edit(original, edit, path=path)
    assert result.status in {"applied", "unchanged", "refused", "error"}
    if result.status != "applied":
        assert result.text == (original or "")
    if result.status in {"refused", "error"}:
        assert result.reason
        assert result.message
        assert result.exit_status != 0


@given(st.binary(max_size=200), st.binary(max_size=200), PATHS)
@BOUNDED
def test_random_bytes_as_file_or_edit_end_in_a_result(data, edit, path):
    """Bytes read as Latin-1 hold every control character there is."""
    original = data.decode("latin-1")
    result = apply_edit(original, edit.decode("latin-1"), path=path)
    assert result.status == "applied" or result.text == original


@given(lazy_edits())
@BOUNDED
def test_lazy_edit_never_changes_the_file_a_second_time(case):
    """Once it is applied it is unchanged, or refused."""
    original, edit = case
    first = apply_edit(original, edit, path="a.py")
    if first.status != "applied":
        assert first.text == original
        return
    second = apply_edit(first.text, edit, path="a.py")
    assert (second.status in {"unchanged", "refused"}, second.text) == (True, first.text)


@given(lazy_edits())
@BOUNDED
def test_lazy_edit_writes_no_line_of_its_own_making(case):
    """Every line of the result stands in the file or in the edit, and no marker gets in."""
    original, edit = case
    result = apply_edit(original, edit, path="a.py")
    known = {"".join(line.split()) for line in (original + "\n" + edit).split("\n")}
    written_lines = result.text.split("\n")
    assert {"".join(line.split()) for line in written_lines} <= known
    assert not any("..." in line for line in written_lines)


@given(programs(), st.data())
@BOUNDED
def test_function_shown_alone_takes_the_place_of_the_one_that_is_there(functions, data):
    """Its body is written anew and every other function keeps its bytes, or that was not certain."""
    at = data.draw(st.integers(0, len(functions) - 1))
    name = functions[at][0]
    body = ["value = compute(items)", "return value"]
    after = [*functions[:at], (name, body), *functions[at + 1 :]]
    edit = f"def {name}(items):\n    value = compute(items)\n    return value\n"
    result = apply_edit(written(functions), edit, path="a.py")
    assert (result.status, result.text) in {
        ("applied", written(after)),
        ("refused", written(functions)),
    }


@st.composite
def shown_changes(draw):
    """Draw a program, what becomes of one of its functions, and the edit that shows just that."""
    functions = draw(programs(least=2))
    at = draw(st.integers(0, len(functions) - 1))
    name, body = functions[at]
    line = draw(st.integers(0, len(body) - 1))
    kind = draw(st.sampled_from(["add", "change", "drop"] if len(body) > 2 else ["add", "change"]))
    new = list(body)
    if kind == "add":
        blanks = " " * (len(body[line]) - len(body[line].lstrip()))
        new.insert(
            line, blanks + draw(st.sampled_from(["check(items)", "seen = set(items)", "log('again')"]))
        )
    elif kind == "change":
        new[line] = body[line].replace("items", "values").replace("total", "result") + "  # now"
    else:
        del new[line]
    assume(kind != "drop" or not body[line].endswith(":"))
    shown = [f"    {text}\n" for text in new]
    if draw(st.booleans()):  # hide what stands two lines or more below the change
        hidden = line + (1 if kind == "drop" else 2)
        if len(shown) - hidden >= 2:
            shown[hidden:] = ["    # ...\n"]
    edit = [f"def {name}(items):\n", *shown]
    if at > 0 or draw(st.booleans()):
        edit[:0] = ["# ... existing code ...\n", "\n", "\n"]
    if at < len(functions) - 1 or draw(st.booleans()):
        edit += ["\n", "\n", "# ... existing code ...\n"]
    return written(functions), "".join(edit), written([*functions[:at], (name, new), *functions[at + 1 :]])


@given(shown_changes())
@BOUNDED
def test_lazy_edit_that_shows_a_change_makes_it_or_is_refused(case):
    """The result is the text that the edit was written from, or the original."""
    before, edit, after = case
    result = apply_edit(before, edit, path="a.py")
    assert result.text == (after if result.status == "applied" else before)
    assert result.status != "unchanged"


@given(programs(), st.data())
@BOUNDED
def test_whole_file_written_out_is_the_file(functions, data):
    """A snippet that shows everything, one line changed, gives just that text."""
    after = [(name, list(body)) for name, body in functions]
    number = data.draw(st.integers(0, len(after) - 1))
    after[number][1].insert(0, "check(items)")
    result = apply_edit(written(functions), written(after), path="a.py")
    assert result.text == (written(after) if result.status == "applied" else written(functions))


def diff_of(before, after, context=3):
    """A unified diff as git writes it, from lines with their ends."""
    lines = unified_diff(before, after, "a/a.txt", "b/a.txt", n=context)
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines
    )


LINES = st.lists(
    st.sampled_from(["", "a", "    a", "b = 1", "}", "else:", "- a", "+ b", "-- c", "++ d", "# ...", "@@ x"]),
    max_size=20,
)


@given(LINES, LINES, ENDINGS, st.booleans(), st.booleans())
@BOUNDED
def test_diff_of_two_texts_always_gives_the_second(before, after, newline, cut_before, cut_after):
    """Also with CRLF, and with or without a newline at the end of either."""
    old = [line + newline for line in before]
    new = [line + newline for line in after]
    if old and old[-1] != newline and cut_before:
        old[-1] = old[-1].removesuffix(newline)
    if new and new[-1] != newline and cut_after:
        new[-1] = new[-1].removesuffix(newline)
    edit = diff_of(old, new)
    if not edit or not any(before) or not any(after):  # texts of blank lines have a test of their own
        return
    assume(newline == "\n" or not cut_before)  # a final CRLF that comes new is another matter
    result = apply_edit("".join(old), edit, path="a.txt")
    assert (result.status, result.message, result.text) == ("applied", "", "".join(new))


@given(LINES, LINES, ENDINGS)
@BOUNDED
def test_diff_put_in_twice_never_breaks_the_file(before, after, newline):
    """The second time its before-side stands there again, or it is unchanged or refused."""
    old, new = [line + newline for line in before], [line + newline for line in after]
    edit = diff_of(old, new)
    if not edit or not old:
        return
    first = apply_edit("".join(old), edit, path="a.txt")
    second = apply_edit(first.text, edit, path="a.txt")
    if second.status != "applied":
        assert second.text == first.text


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        pytest.param(
            "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n \n+\n",
            "\n\n",
            id="one more",
        ),
        pytest.param("--- a/a.txt\n+++ b/a.txt\n@@ -1 +0,0 @@\n-\n", "", id="none left"),
    ],
)
def test_diff_changes_a_text_that_is_one_blank_line(edit, after):
    """A blank line is a line."""
    result = apply_edit("\n", edit, path="a.txt")
    assert (result.status, result.text) == ("applied", after)
