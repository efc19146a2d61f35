"""Which lines stand for something else: elision markers and removal notes, judged by the line alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastapply.edits.markers import (
    comment_body,
    continues_comment,
    find_markers,
    is_marker,
    note_over_lines,
    removed_names,
    string_interior,
)

MARKERS = [
    "// ... existing code ...", "# ... rest of the file unchanged", "/* ... other methods ... */",
    "{/* ... */}",
    "<!-- ... -->", "-- ...", "...", "// (keep the imports)", "// unchanged", "#...", "…", "    # ...",
    "\t// ...", "# [...]", "# …", "# ... existing code", "; ...", "% ...", "(* ... *)", "{- ... -}",
    "{# ... #}",
    "<%# ... %>", "{{!-- ... --}}", "--[[ ... ]]", "<# ... #>", "' ...", "REM ...",
    "// ... (lines 10-20) ...",
    "# rest of the code remains the same", "// rest of function", "/* existing styles */",
    "# existing imports",
    "// ... keep existing code ...", "<!-- rest of the page unchanged -->", "# (other tests stay)",
    "// remaining methods unchanged", "// ... snip ...", "# same as before", "[...]", "... existing code ...",
    "# keep existing imports", "//...", "/*...*/", "// .....", "# ... other imports",
    "{/* existing content */}", "{{/* ... the rest until the role ... */}}", "{{- /* ... */ -}}",
    "{{! ... existing rows }}", "@* ... existing markup ... *@", "dnl ...",
    "... rest of the README", "... the remainder of the table",
    ".. ... existing text ...", ".. … rest unchanged", ":: ... existing lines ...", "@rem ... rest unchanged",
    "! ... existing code ...", "-# ... existing markup ...", "/ ... existing ...",
    "\\ ... existing words ...",
    "|| ... existing ...", '.\\" ... existing sections ...', "{{-- ... existing markup ... --}}",
    "{* ... existing ... *}", "<#-- ... existing ... -->", "{#- ... -#}", "#= ... existing code ... =#",
    "/+ ... +/", "(; ... ;)", "[//]: # (... existing content ...)",
]  # fmt: skip
CODE = [
    "", "   ", "...args", "    ...base,", "{ ...state }", "call(...)", "x = ...", "def f(): ...",
    "return [...items]",
    "# Loads the existing code", "// Returns the rest of the list to the caller", "# Why? Because",
    "# TODO: keep",
    "# the same list is used by the other thread", "// see above for more", "# -----", "// ======",
    "#!/bin/sh",
    "#include <stdio.h>", "#if A", "#region", "--verbose", "-- name: find_user", "/* eslint-disable */",
    "# noqa", "<!-- header -->", "1...10", "a...b", "for (i in 0...9) {", "..", ". . .",
    "...rest of", "...other,", "... and then some", "... existing users keep it",
    "print('...')", "# an ellipsis, which was before it...s",
    "/**", " */", "{{! a heading }}", "{{/* image of the job */}}", "{{ ...args }}",
    ".. code-block:: python", ".. name .. '...'", ":: Int -> Int", "|| other", "! empty", "/ 2", "\\x -> ...",
    "{{-- the menu --}}", "[//]: # (a note)", "#= why =#", "/+ why +/",
    "@* the menu *@", "// existing users are kept in the cache for an hour after they log out",
]  # fmt: skip


@pytest.mark.parametrize("line", MARKERS)
def test_comment_that_says_what_is_left_out_is_a_marker(line):
    """In any comment style, with an ellipsis or with words."""
    assert is_marker(line)


@pytest.mark.parametrize("line", CODE)
def test_code_and_comments_that_say_something_are_no_markers(line):
    """Spreads, directives, rulers and sentences."""
    assert not is_marker(line)


@pytest.mark.parametrize("line", MARKERS)
def test_marker_is_no_removal_note(line):
    """What stays does not go."""
    assert removed_names(line) is None


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("# (removed foo and bar)", ("foo", "bar")),
        ("// removed: oldName", ("oldName",)),
        ("# (remove: from a.b import PyPI)", ("a.b", "PyPI")),
        ("# (remove the import of PyPI)", ("PyPI",)),
        ("/* deleted the function parse_all */", ("parse_all",)),
        ("-- dropped users.age", ("users.age",)),
        ("# load_old is gone", ("load_old",)),
        ("// last() removed", ("last",)),
        ("<!-- removed -->", ()),
        ("# ... removed helper ...", ("helper",)[:0]),
        ("# removed Cart.empty! and full?", ("Cart.empty!", "full?")),
    ],
)
def test_removal_note_gives_the_names_of_what_went(line, names):
    """Words that are no names are left out."""
    assert removed_names(line) == names


@pytest.mark.parametrize(
    "line",
    [
        "removed = 1",
        "# existing tests are not removed",
        "# drops the table when it was removed by the admin of the site before",
        "",
        "// nothing",
        "# remove trailing blanks",
        "# rows that were deleted are kept here until the next night",
    ],
)
def test_line_that_is_no_removal_note_gives_nothing(line):
    """Code, and comments that only speak of a removal."""
    assert removed_names(line) is None
    assert not is_marker(line)


@pytest.mark.parametrize(
    ("line", "body"),
    [
        ("  # a b", "a b"), ("/* a */", "a"), ("{/* a */}", "a"), ("<!-- a -->", "a"), ("-- a", "a"),
        ("#", ""),
        ("a # b", None), ("a", None), ("", None), ("/* a */ b", None),
        ("' of Basic, don't ask", "of Basic, don't ask"), ("'x'", None),
        ("'a': 1,", None), ("  'host' => 'x',", None),
        ("#busy = false;", None), ("#drain() {", None), ("#gzip on;", "gzip on;"), ("#x = 1", "x = 1"),
        ("--gap: 4px;", None), ("--gap in pixels", "gap in pixels"),
    ],
)  # fmt: skip
def test_body_of_a_comment_is_its_text_without_delimiters(line, body):
    """Only where the line is one comment and nothing else."""
    assert comment_body(line) == body


@pytest.mark.parametrize(
    ("lines", "language", "found"),
    [
        pytest.param(["# ...", "x = 1", "    # ..."], "python", {0, 2}, id="code"),
        pytest.param(['x = """', "# ...", '"""', "# ..."], "python", {3}, id="inside a string"),
        pytest.param(["x = `", "// ...", "`;", "// ..."], "javascript", {3}, id="inside a template"),
        pytest.param(
            ["x = 'it`s'", "// ...", "y = `a`"], "javascript", {1}, id="behind a quote inside a string"
        ),
        pytest.param(["# say `", "# ...", "# say `"], "bash", {1}, id="between quotes of comments"),
        pytest.param(["x = `", "// ..."], "javascript", {1}, id="behind a quote that never closes"),
        pytest.param(["a", "b"], None, set(), id="none"),
    ],
)
def test_markers_of_a_snippet_are_found_outside_of_its_strings(lines, language, found):
    """A quote that never closes opens nothing."""
    assert find_markers(lines, language) == found


@given(
    st.lists(
        st.one_of(
            st.sampled_from([*MARKERS, *CODE, '"""', "'''", "`", "x = `a", 'b"""']), st.text(max_size=20)
        ),
        max_size=20,
    ),
    st.sampled_from([None, "python", "javascript", "c"]),
)
@settings(deadline=None, max_examples=150)
def test_found_markers_are_markers_outside_of_strings(lines, language):
    """Just those lines that are markers alone and stand in no string."""
    alone = {number for number, line in enumerate(lines) if is_marker(line)}
    assert find_markers(lines, language) == alone - string_interior(lines, language)


@given(st.text(max_size=220))
@settings(deadline=None, max_examples=200)
def test_line_is_never_a_marker_and_a_removal_note(line):
    """What is left out and what went are two things."""
    assert not (is_marker(line) and removed_names(line) is not None)


@pytest.mark.parametrize(
    ("lines", "note"),
    [
        (
            ["// (sink, the timer,", "// watchTimeout and the listen call removed)", "x"],
            (2, ("sink", "timer", "watchTimeout", "listen", "call")),
        ),
        (
            ["# (removed first_one,", "#  second_one", "#  and third_one)"],
            (3, ("first_one", "second_one", "third_one")),
        ),
    ],
)
def test_a_removal_note_in_brackets_may_go_over_several_lines(lines, note):
    """Brackets set it apart."""
    """It ends where its bracket closes."""
    assert note_over_lines(lines, 0) == note


@pytest.mark.parametrize(
    "lines",
    [
        ["// (in particular, all of this", "// can take long.)"],
        ["// (removed one,", "call()", "// and another)"],
        ["// (removed one)", "// (removed another)"],
        ["// (removed one,", "// and another"],
        ["x = 1", "// (removed one,", "// and another)"],
    ],
    ids=["no word of removal", "code between", "one line each", "never closed", "begins further down"],
)
def test_other_comments_over_several_lines_are_no_note(lines):
    """Those that only explain, and those that are no one comment."""
    assert note_over_lines(lines, 0) is None


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        (["// so try to find it in an", "// existing import."], 1),
        (["// It listens once more,", "// using the same listen address as before."], 1),
        (["// if this is no production build", "// (in which case the rest is replaced)"], 1),
        (['/// <param name="a">An argument.</param>', "/// <returns>The same one.</returns>"], 1),
        (['// "Unset" any props that no longer exist.', "// Setting to `undefined` seems right"], 0),
        (["# Once the patch is there this can be", "# removed from I18n."], 1),
    ],
)  # fmt: skip
def test_line_of_a_comment_of_several_lines_is_no_marker(lines, number):
    """It ends a sentence, or begins one."""
    assert continues_comment(lines, number)
    assert not find_markers(lines)


@pytest.mark.parametrize(
    "lines",
    [
        ["// Handle the request", "// rest of the function unchanged"],
        ["# HEADS UP! this job runs every night.", "# (unchanged)"],
        ["## Usage of this", "<!-- rest of the README -->"],
        ["// Handle the request of", "// ... existing code ..."],
        ["// Handle all the requests", "/* existing code of this function unchanged */"],
    ],
)
def test_marker_below_a_comment_is_one(lines):
    """It is a sentence of its own."""
    assert not continues_comment(lines, 1)
    assert find_markers(lines) == {1}


def test_note_in_brackets_below_a_comment_is_one():
    """Brackets set it apart."""
    assert not continues_comment(
        ["# sys.path.insert(0, os.path.abspath('.'))", "# (removed the import of it)"], 1
    )


def test_comment_below_a_marker_that_only_says_where_is_one():
    """So is one of HTML that speaks of the rest of something."""
    assert find_markers(["// ... other methods ...", "", "// in ResetAsync", "x = 1;"]) == {0, 2}
    assert find_markers(["x = 1;", "// in ResetAsync", "y = 2;"]) == frozenset()
    assert find_markers(["// ...", "// in time", "x = 1;"]) == {0}
    assert find_markers(["<!-- rest of the README, from the example on -->"]) == {0}


@pytest.mark.parametrize(
    ("line", "marks"),
    [
        ("# (as is)", True),
        ("# the imports stay", True),
        ("# name, version: no change", True),
        ("// rest as is", True),
        ("// clear() stays", True),
        ("// .. counting as before ..", True),
        ("# --- snip ---", True),
        ("# rest of the manifest stays", True),
        ("# rest of the arguments", False),
        ("# the rest of the queue stays", False),
        ("# ---- existing routes ----", False),
        ("# === Remaining fields ===", False),
        ("// .. see the manual ..", False),
        ("// treat the value as is", False),
        ("# the connection stays open", False),
        ("# only the total remains", False),
        ("# the newest entry stays", False),
        ("// (passed as is)", False),
        ("# TODO: stays", False),
    ],
)
def test_few_words_for_what_stays_are_a_marker(line, marks):
    """Those at the end of a sentence about something else are not."""
    assert is_marker(line) is marks
