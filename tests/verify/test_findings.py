"""Each code of the verifier: a merge that must get it, and its twin that must get none."""

from __future__ import annotations

import pytest

from fastapply.text import SourceText, from_text
from fastapply.types import FileEdit, Finding, Hunk, HunkList, Segment, Snippet
from fastapply.verify import CODES, CONSTRAINTS, check_imports_twice, verify

FILE = """\
import json
import logging

LIMIT = 10


class Shop:
    def price(self, item):
        return self.prices[item]

    def buy(self, item, count):
        total = self.price(item) * count
        logging.info("bought %s", item)
        return total

    def dump(self):
        return json.dumps(self.prices)
"""

SNIPPET = """\
# ... existing code ...

    def buy(self, item, count):
        if count > LIMIT:
            raise ValueError(count)
        total = self.price(item) * count
        # ... existing code ...

# ... existing code ...
"""

BUY = "    def buy(self, item, count):\n"
CHECK = "        if count > LIMIT:\n            raise ValueError(count)\n"
MERGED = FILE.replace(BUY, BUY + CHECK)


def snippet(text: str, *, said_whole: bool = False) -> FileEdit:
    """Make an edit of one snippet."""
    return FileEdit(None, "update", (Snippet(tuple(text.splitlines()), 1, said_whole=said_whole),))


def hunk(before: str, after: str, *, within_line: bool = False) -> FileEdit:
    """Make an edit of one hunk."""
    sides = (tuple(before.splitlines()), tuple(after.splitlines()))
    one = Hunk(1, 1, (Segment(*sides),), within_line=within_line)
    return FileEdit(None, "update", (HunkList("str_replace" if within_line else "search_replace", (one,)),))


def codes(merged: str, edit: FileEdit, original: str = FILE, language: str | None = "python") -> list[str]:
    """Verify and give the codes alone."""
    return [one.code for one in verify(from_text(original), edit, from_text(merged), language=language)]


@pytest.mark.parametrize("language", ["python", None])
def test_right_merge_of_a_lazy_edit_has_no_findings(language):
    """What the edit shows is in, all else is as it was."""
    assert codes(MERGED, snippet(SNIPPET), language=language) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("LIMIT = 10\n", "", "lost_lines", id="kept_line_dropped"),
        pytest.param("LIMIT = 10\n", "LIMIT = 11\n", "foreign_line", id="kept_line_changed"),
        pytest.param("LIMIT = 10\n", "LIMIT = 10\nLIMIT = 10\n", "doubled_line", id="kept_line_doubled"),
        pytest.param("LIMIT = 10\n", "LIMIT = 10\nprint(1)\n", "foreign_line", id="line_made_up"),
        pytest.param("LIMIT = 10\n", "LIMIT = 10\n# ... existing code ...\n", "marker_left", id="marker"),
        pytest.param("            raise ValueError(count)\n", "", "missing_line", id="new_line_missing"),
        pytest.param(
            "\n    def dump(self):\n        return json.dumps(self.prices)\n",
            "",
            "lost_definition",
            id="method_dropped",
        ),
        pytest.param(
            "            raise ValueError(count)\n",
            "            raise ValueError(count)\n        return 0\n",
            "foreign_line",
            id="line_inside_the_shown_run",
        ),
        pytest.param(CHECK, CHECK.replace("    ", "   "), "indentation", id="indented_otherwise"),
        pytest.param(
            "        return total\n", "        return (total\n", "parse_error", id="no_longer_parses"
        ),
    ],
)
def test_wrong_merge_of_a_lazy_edit_is_found(old, new, expected):
    """One fault made in the right merge gives the finding that names it."""
    assert old in MERGED
    assert expected in codes(MERGED.replace(old, new, 1), snippet(SNIPPET))


def test_merge_that_changes_nothing_lacks_the_new_lines():
    """An edit that was not put in at all is found by its own lines."""
    assert codes(FILE, snippet(SNIPPET)) == ["missing_line", "missing_line"]


def test_old_method_beside_the_new_one_is_a_duplicate():
    """The method is shown once, so one of the two should have been replaced."""
    new = BUY + "        return count\n\n"
    edit = snippet("# ... existing code ...\n\n" + new + "# ... existing code ...\n")
    assert "duplicate_definition" in codes(FILE.replace(BUY, new + BUY), edit)


def test_overload_that_is_added_in_java_is_no_duplicate():
    """Two methods of one name and other parameters may stand side by side."""
    file = "class A {\n  int f(int a) {\n    return a;\n  }\n}\n"
    new = "\n  int f(String a) {\n    return 1;\n  }\n"
    edit = snippet("class A {\n  // ... existing code ...\n" + new + "}\n")
    merged = file.replace("    return a;\n  }\n", "    return a;\n  }\n" + new)
    assert codes(merged, edit, file, "java") == []


def test_old_constant_beside_the_new_one_is_not_removed():
    """Two values for one name, one right below the other, are the old one and the new one."""
    edit = snippet("# ... existing code ...\n\nLIMIT = 20\n\n# ... existing code ...\n")
    assert codes(FILE.replace("LIMIT = 10\n", "LIMIT = 20\n"), edit) == []
    assert "not_removed" in codes(FILE.replace("LIMIT = 10\n", "LIMIT = 10\nLIMIT = 20\n"), edit)


def test_line_left_out_between_shown_lines_is_meant_to_go():
    """Deletion by omission: neighbours shown together, the line between them gone."""
    edit = snippet(
        "# ... existing code ...\n        total = self.price(item) * count\n"
        "        return total\n# ... existing code ...\n"
    )
    gone = FILE.replace('        logging.info("bought %s", item)\n', "").replace("import logging\n", "")
    assert codes(FILE.replace('        logging.info("bought %s", item)\n', ""), edit) == []
    assert codes(gone, edit) == ["lost_lines"]
    assert codes(FILE, edit) == ["not_removed"]


def test_method_that_a_note_removes_may_go_and_no_other():
    """A comment names what was removed; its neighbour is not meant."""
    edit = snippet("# ... existing code ...\n    # (removed dump)\n")
    dump = "\n    def dump(self):\n        return json.dumps(self.prices)\n"
    price = "    def price(self, item):\n        return self.prices[item]\n\n"
    assert codes(FILE.replace(dump, ""), edit) == []
    assert codes(FILE.replace(price, ""), edit) == ["lost_definition", "not_removed"]
    assert codes(FILE, edit) == ["not_removed"]


def test_snippet_without_markers_keeps_the_methods_it_does_not_show():
    """The class line only names the scope, so the other methods must stay."""
    text = "class Shop:\n" + BUY + CHECK + "        return 0\n"
    body = FILE[FILE.index("        total =") : FILE.index("\n    def dump")]
    right = FILE.replace(body, CHECK + "        return 0\n")
    price = "    def price(self, item):\n        return self.prices[item]\n\n"
    assert codes(right, snippet(text)) == []
    assert "lost_definition" in codes(right.replace(price, ""), snippet(text))


def test_import_that_is_still_used_must_stay_though_its_neighbours_are_shown_together():
    """Imports are often an excerpt; usage tells whether one was meant to go."""
    edit = snippet("import os\nimport logging\n\nLIMIT = 10\n# ... existing code ...\n")
    merged = FILE.replace("import json\n", "import os\n")
    assert codes(merged, edit) == ["lost_import"]
    assert codes(merged.replace("import os\n", "import os\nimport json\n"), edit) == []


def test_paraphrased_comment_stands_for_the_file_s_own():
    """A comment in other words is context, and the file's bytes win."""
    file = "# adds up all of the prices\ndef total():\n    return 1\n"
    edit = snippet("# adds all prices\ndef total():\n    return 2\n")
    assert codes("# adds up all of the prices\ndef total():\n    return 2\n", edit, file) == []
    assert codes("def total():\n    return 2\n", edit, file) != []


def test_marker_that_the_edit_shows_inside_a_string_is_text():
    """In a string a marker is content and must come in."""
    file = 'PROMPT = """\nwrite\n"""\n'
    edit = snippet('PROMPT = """\nwrite\n# ... existing code ...\n"""\n')
    assert codes('PROMPT = """\nwrite\n# ... existing code ...\n"""\n', edit, file) == []
    assert codes(file, edit, file) != []


def test_whole_file_may_drop_what_it_leaves_out():
    """A whole file that says so is the file, whatever it leaves out, if that is not most of it."""
    whole = FILE.replace("    def price(self, item):\n        return self.prices[item]\n\n", "")
    assert codes(whole, snippet(whole, said_whole=True)) == []
    assert codes("import json\n", snippet("import json\n", said_whole=True)) == ["size_drop"]


def test_piece_of_a_file_is_not_taken_for_the_whole():
    """One function as the only content of the file is a loss of all others."""
    text = "class Shop:\n" + BUY + "        return 1\n"
    assert codes(text, snippet(text))[0] == "lost_definition"


def test_hunk_replaces_what_its_before_side_names():
    """Nothing but the named lines may go, all of the after-side must come."""
    edit = hunk("        return total\n", "        return round(total)\n")
    right = FILE.replace("return total", "return round(total)")
    assert codes(right, edit) == []
    assert codes(right.replace("LIMIT = 10\n", ""), edit) == ["lost_lines"]
    assert codes(FILE, edit) == ["missing_line"]
    both = FILE.replace("        return total\n", "        return total\n        return round(total)\n")
    assert codes(both, edit) == ["not_removed"]


def test_text_replaced_within_a_line_is_told_to_the_letter():
    """A unique old text has one right result, and any other is found."""
    edit = hunk("10", "20", within_line=True)
    assert codes(FILE.replace("10", "20"), edit) == []
    assert codes(FILE.replace("10", "21"), edit) == ["missing_line"]


def test_hunks_that_swap_two_pieces_leave_the_lines_between_in_place():
    """A diff may call the middle moved; the verifier must not."""
    file = "first = 1\nsecond = 2\nmiddle = 3\nbetween = 4\nlast = 5\nend = 6\n"
    one = Hunk(1, 1, (Segment(("first = 1", "second = 2"), ("last = 5", "end = 6")),))
    two = Hunk(2, 5, (Segment(("last = 5", "end = 6"), ("first = 1", "second = 2")),))
    edit = FileEdit(None, "update", (HunkList("search_replace", (one, two)),))
    merged = "last = 5\nend = 6\nmiddle = 3\nbetween = 4\nfirst = 1\nsecond = 2\n"
    assert codes(merged, edit, file) == []


def test_changed_line_end_of_a_kept_line_is_found():
    """Kept lines are kept with their line ends."""
    original = SourceText(("a = 1", "b = 2", "c = 3"), ("\r\n", "\n", "\n"))
    merged = SourceText(("a = 1", "b = 2", "c = 4"), ("\n", "\n", "\n"))
    edit = hunk("c = 3\n", "c = 4\n")
    found = verify(original, edit, merged, language="python")
    assert found == (
        Finding("lost_lines", "the line ending of an unchanged line changed", 1, "functional_error"),
    )


def test_more_errors_where_the_file_had_errors_already_are_no_finding():
    """Macros that a grammar cannot read don't get worse by one more of their kind."""
    file = "OP(A, NONE, 1, 1)\nOP(B, NONE, 1, 1)\nOP(C, NONE, 1, 1)\n"
    edit = hunk("OP(B, NONE, 1, 1)\n", "OP(B, NONE, 1, 1)\nOP(D, NONE, 1, 1)\n")
    assert codes(file.replace("OP(C", "OP(D, NONE, 1, 1)\nOP(C"), edit, file, "c") == []


def test_findings_come_in_the_order_of_their_importance():
    """What was lost comes before what does not parse."""
    merged = MERGED.replace("LIMIT = 10\n", "").replace("        return total\n", "        return (total\n")
    found = codes(merged, snippet(SNIPPET))
    assert found == sorted(found, key=CODES.index)
    assert found[0] == "lost_lines"
    assert found[-1] == "parse_error"


def test_wrong_indentation_of_python_is_found_where_the_grammar_lets_it_pass():
    """A method that landed at the top of the file, behind the imports, still indented."""
    merged = MERGED.replace("LIMIT = 10\n", "LIMIT = 10\n    def lost(self):\n        return 1\n")
    assert merged != MERGED
    assert "parse_error" in codes(merged, snippet(SNIPPET))


def test_interface_beside_the_class_of_its_name_is_a_duplicate():
    """Java has overloads of methods, not of types."""
    file = "package a;\n\nimport b.C;\n\nclass Calls {\n  void add() {\n    n++;\n  }\n}\n"
    edit = snippet("package a;\n\nimport b.C;\n\ninterface Calls {\n  void add();\n}\n")
    both = file.replace("class Calls", "interface Calls {\n  void add();\n}\n\nclass Calls")
    assert "duplicate_definition" in codes(both, edit, file, "java")
    assert "duplicate_definition" not in codes(
        both.replace("interface Calls", "interface Other"), edit, file, "java"
    )


IMPORTS = "from a import one\nfrom b import two\n\nprint(one, two)\n"


def test_an_import_that_came_although_it_stays_is_found():
    """Moved up by the edit, and left behind at its old place."""
    edit = snippet("from b import two\nfrom c import three\nfrom a import one\n# ... existing code ...\n")
    doubled = "from b import two\nfrom c import three\n" + IMPORTS
    assert "doubled_line" in codes(doubled, edit, IMPORTS)
    assert codes(doubled.replace("one\nfrom b import two\n", "one\n"), edit, IMPORTS) == []


MANY = "".join(f"def part{n}(a):\n    if a:\n        return {n}\n    return a\n\n\n" for n in range(40))


@pytest.mark.parametrize(
    ("new", "line"),
    [
        ("        return 20\n", None),
        ("      return 20\n", None),
        ("    return 20\n", 123),
        ("        return 20\n   b = 1\n", 124),
        ("        return 20\nb = 1\n", 125),
    ],
    ids=["as it was", "less deep", "no block", "between two depths", "out of its function"],
)
def test_wrong_indentation_of_python_is_found_where_it_is(new, line):
    """Python reads the statements around a change alone; the grammar lets all of these pass."""
    old = "        return 20\n"
    found = verify(from_text(MANY), hunk(old, new), from_text(MANY.replace(old, new)), language="python")
    assert [(one.code, one.line) for one in found if one.code == "parse_error"] == (
        [] if line is None else [("parse_error", line)]
    )


@pytest.mark.parametrize(
    ("shown", "merged", "line"),
    [
        (("import sys", "import os"), "import os\nimport sys\nimport os\n", 1),
        (("import sys", "import re"), "import os\nimport sys\nimport re\n", None),
        (("import os", "import sys", "import os"), "import os\nimport sys\nimport os\n", None),
        (("import sys", "    import os"), "import sys\n\n\ndef f():\n    import os\n", None),
    ],
)
def test_import_stands_as_often_as_before_or_as_shown(shown, merged, line):
    """In the languages that import; what C includes may stand in two branches."""
    original, edit = from_text("import os\nimport sys\n"), FileEdit(None, "update", (Snippet(shown, 1),))
    found = check_imports_twice(original, edit, from_text(merged), "python")
    assert [one.line for one in found] == ([] if line is None else [line])
    assert {one.code for one in found} <= CONSTRAINTS
    assert not check_imports_twice(original, edit, from_text(merged), "c")
