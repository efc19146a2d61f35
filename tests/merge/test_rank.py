"""Candidates of a lazy edit, their ranking, and what the certainty decides."""

from __future__ import annotations

import pytest
from editing import changed

from fastapply import apply_edit
from fastapply.merge.candidates import told
from fastapply.merge.certainty.weights import load_weights
from fastapply.merge.effort import Effort
from fastapply.merge.elements import lone_comments, read_lazy
from fastapply.merge.lines import line_table
from fastapply.merge.listing import Request, list_candidates
from fastapply.merge.rank import rank
from fastapply.syntax import language_of
from fastapply.text import from_text
from fastapply.types import Snippet

SHOP = '''\
class Shop:
    def __init__(self, stock):
        self.stock = stock
        self.sold = []

    def sell(self, item):
        if item not in self.stock:
            raise KeyError(item)
        self.stock.remove(item)
        self.sold.append(item)
        return item

    def count(self):
        """Count what is left.

        Sold items are not counted.
        """
        return len(self.stock)
'''
BAR = """\
package main

func width(full int) int {
	bar := full - 2 // room for < and >
	if bar < 0 {
		return 0
	}
	return bar
}

func height(full int) int {
	return full - 1
}
"""
SURE = """\
# ...
    def sell(self, item):
        if item not in self.stock:
            return None
        self.stock.remove(item)
# ...
"""
OPEN = """\
# ...
    def sell(self, item):
        self.stock.remove(item)
        self.sold.append((item, 1))
# ...
"""
WHERE = """\
# ...
# in sell
        self.stock.remove(item)
        self.sold.append((item, 1))
# ...
"""
DOCS = '''\
# ...
    def count(self):
        """Count what is left in stock.

        ...
        """
# ...
'''


def texts_of(original: str, edit: str, language: str) -> list[tuple[str, ...]]:
    """What the candidates of an edit make of a file, the best first."""
    source = from_text(original)
    snippet = Snippet(tuple(edit.splitlines()), 1)
    request = Request(source, snippet, line_table(source.lines, language), language, "")
    return [told(one.lines) for one in list_candidates(request, Effort(), load_weights().local)]


def as_told(text: str) -> tuple[str, ...]:
    """A text as candidates are compared."""
    return told(text.splitlines())


GIVE_BACK = """\
class Shop:
    # ...

    def give_back(self, item):
        if item not in self.sold:
            raise KeyError(item)
        self.sold.remove(item)
        return item

    def count(self):
        # ...
"""
NEW = GIVE_BACK.partition("# ...\n\n")[2].partition("    def count")[0]


@pytest.mark.parametrize(
    ("original", "edit", "language", "wanted"),
    [
        pytest.param(
            SHOP, GIVE_BACK, "python", changed(SHOP, ("    def count", NEW + "    def count")), id="put in"
        ),
        pytest.param(
            SHOP,
            GIVE_BACK,
            "python",
            SHOP.partition("    def sell")[0] + NEW + "    def count" + SHOP.partition("    def count")[2],
            id="in place of the method before",
        ),
        pytest.param(
            SHOP,
            OPEN,
            "python",
            changed(
                SHOP,
                ("        if item not in self.stock:\n            raise KeyError(item)\n", ""),
                ("sold.append(item)", "sold.append((item, 1))"),
            ),
            id="what stands between two shown lines goes",
        ),
        pytest.param(
            SHOP,
            WHERE,
            "python",
            changed(SHOP, ("sold.append(item)", "sold.append((item, 1))")),
            id="a comment that only says where the shown lines are",
        ),
        pytest.param(
            SHOP,
            DOCS,
            "python",
            changed(SHOP, ("what is left.", "what is left in stock.")),
            id="a marker inside a string",
        ),
        pytest.param(
            BAR,
            "// ...\n\tbar := full - 2\n\tif bar < 1 {\n// ...\n",
            "go",
            changed(BAR, ("bar < 0", "bar < 1"), (" // room for < and >", "")),
            id="a comment behind code that the edit leaves out goes",
        ),
    ],
)
def test_each_reading_of_an_edit_is_a_candidate(original, edit, language, wanted):
    """Candidates say what can happen; which of them is meant is for the features to say."""
    assert as_told(wanted) in texts_of(original, edit, language)


def test_candidates_differ_in_more_than_blank_lines():
    """No text comes twice."""
    found = texts_of(SHOP, GIVE_BACK, "python")
    assert len(found) == len(set(found)) > 1


def test_a_merge_that_is_certain_says_how_certain():
    """The certainty is a chance, at or above the threshold."""
    applied = apply_edit(BAR, "// ...\nfunc height(full int) int {\n\treturn full - 2\n}\n", path="a.go")
    assert (applied.status, applied.text) == ("applied", changed(BAR, ("full - 1", "full - 2")))
    assert applied.certainty is not None
    assert load_weights().threshold <= applied.certainty <= 1


def test_a_higher_threshold_refuses_what_was_certain():
    """The twin of the merge above, with the same candidates to pick from."""
    refused = apply_edit(SHOP, SURE, path="a.py", min_certainty=1.0)
    assert (refused.status, refused.reason, refused.text) == ("refused", "uncertain", SHOP)
    picked = apply_edit(SHOP, SURE, path="a.py", min_certainty=1.0, pick=[1])
    assert (picked.status, picked.text) == ("applied", changed(SHOP, ("raise KeyError(item)", "return None")))


def test_a_refusal_ranks_its_candidates():
    """At most five, the likeliest first."""
    refused = apply_edit(SHOP, OPEN, path="a.py", min_certainty=1.0)
    shares = [one.share or 0.0 for one in refused.candidates]
    assert 2 <= len(shares) <= 5
    assert shares == sorted(shares, reverse=True)
    assert 0.5 < sum(shares) <= 1.001


def test_every_ranked_candidate_can_be_picked():
    """What the verifier has against one was among the reasons that were shown."""
    refused = apply_edit(SHOP, OPEN, path="a.py", min_certainty=1.0)
    texts = set()
    for number in range(1, len(refused.candidates) + 1):
        picked = apply_edit(SHOP, OPEN, path="a.py", min_certainty=1.0, pick=[number])
        assert picked.status == "applied", picked.message
        texts.add(picked.text)
    assert len(texts) == len(refused.candidates)


def test_what_the_verifier_refuses_in_any_case_comes_last():
    """Of the merges of a cut docstring some can be read as Python no longer; the others are ranked."""
    source = from_text(SHOP)
    request = Request(source, Snippet(tuple(DOCS.splitlines()), 1), line_table(source.lines), "python", "")
    ranking = rank(request, Effort())
    broken = [one.broken for one in ranking.candidates]
    assert any(broken)
    assert broken == sorted(broken)
    assert list(ranking.scores) == sorted(ranking.scores, reverse=True)
    assert [not _parses("\n".join(one.lines)) for one in ranking.candidates] == broken


def _parses(text: str) -> bool:
    try:
        compile(text, "shop.py", "exec")
    except SyntaxError:
        return False
    return True


def test_the_hint_shows_lines_to_search_for():
    """They stand in the file as they are shown, side by side."""
    refused = apply_edit(SHOP, OPEN, path="a.py", min_certainty=1.0)
    block = refused.hint.partition(":\n")[2].rpartition("\nor let an apply model")[0]
    assert block
    assert block in SHOP


def test_an_edit_that_fits_nowhere_is_never_written():
    """However low the threshold."""
    edit = "# ...\nwith canvas as paint:\n    paint(3)\n# ...\n"
    refused = apply_edit(SHOP, edit, path="a.py", min_certainty=0.0)
    assert (refused.status, refused.reason, refused.text) == ("refused", "not_found", SHOP)


RESTOCK = """\
def restock(shop, item):
    shop.stock.append(item)
    shop.sold.remove(item)
    return shop.count()
"""


@pytest.mark.parametrize("first", [True, False])
def test_new_code_at_an_end_of_the_file_needs_no_line_of_it(first):
    """A marker stands for all above it, or below, and the code speaks of what the file speaks of."""
    edit = f"{RESTOCK}\n# ... existing code ...\n" if first else f"# ... existing code ...\n\n\n{RESTOCK}"
    said = f"I will add restock at the {'top' if first else 'end'} of the file."
    merged = apply_edit(SHOP, edit, path="a.py", instructions=said, min_certainty=0.5)
    assert merged.status == "applied", merged.message
    wanted = RESTOCK + SHOP if first else SHOP + RESTOCK
    assert merged.text.replace("\n", "") == wanted.replace("\n", "")


def test_new_code_for_another_file_is_not_put_at_an_end():
    """However low the threshold: its words are not those of the file."""
    edit = "# ... existing code ...\n\n\ndef render(page, theme):\n    paint(theme)\n    return draw(page)\n"
    refused = apply_edit(SHOP, edit, path="a.py", instructions="Add render.", min_certainty=0.0)
    assert (refused.status, refused.reason, refused.text) == ("refused", "not_found", SHOP)


TEMPLATE = "export const query = `\n  select id\n  from users\n`;\nexport const page = 20;\n"


@pytest.mark.parametrize(
    "edit",
    [
        "export const query = `\n  select name\n  // ... existing code ...\n`;\nexport const page = 30;\n",
        "export const query = `\n  // ... rest of the query ...\n`;\nexport const page = 30;\n",
    ],
)
@pytest.mark.parametrize("least", [0.0, None])
def test_a_marker_in_a_string_is_never_written(edit, least):
    """Nor where such an edit is taken for the whole file; however low the threshold."""
    result = apply_edit(TEMPLATE, edit, path="a.ts", min_certainty=least)
    assert "..." not in result.text
    assert result.status == "refused" or "from users" in result.text


def test_the_threshold_is_a_chance():
    """More likely right than wrong, and never sure."""
    assert 0.5 < load_weights().threshold < 1


@pytest.mark.parametrize(
    ("line", "language", "lone"),
    [
        ("// in the loop", "c", True),
        ("# in the loop", "python", True),
        ("-- in the loop", "lua", True),
        ("#include <a.h>", "c", False),
        ("#[test]", "rust", False),
        ("# New part", "markdown", False),
        ("## New part", "markdown", False),
        ("* one more", "markdown", False),
        ("'use strict';", "javascript", False),
    ],
)
def test_only_comments_may_say_where_shown_lines_are(line, language, lone):
    """Headings, includes and attributes look like comments of other languages, and are code here."""
    file = line_table(("first();", "second();", "third();"), language)
    assert lone_comments(["...", line, "second();", "..."], file, language) == ({1} if lone else set())
    assert lone_comments(["...", line, "new();", "..."], file, language) == set()


@pytest.mark.parametrize(
    ("path", "new", "remark"),
    [
        ("a.c", "// counts", True),
        ("a.c", "#include <b.h>", False),
        ("a.md", "# Counts", False),
        ("a.py", "# counts", True),
    ],
)
def test_nothing_but_a_comment_put_in_is_a_feature_of_comments_alone(path, new, remark):
    """Headings and includes look like comments of other languages."""
    file = line_table(("first", "second", "third"), language_of(path))
    edit = read_lazy(("first", new, "..."), file, language_of(path))
    assert edit.remarks == ({1} if remark else set())


def test_a_docstring_that_is_shown_in_part_is_not_replaced_from_its_start():
    """Its end stands behind lines that the edit shows: that was no merge, and a bug that a user saw."""
    file = """\
    \"""
    \"""
    ) -> tuple[Frame, dict[str, str | None]]:
        \"""
        ------
        ValueError
        \"""
"""
    edit = """\
    \"""
    ) -> tuple[Frame, dict[str, str | None], dict[str, str | int]]:
        \"""
        # ... existing docstring ...
        ------
        \"""
"""
    result = apply_edit(file, edit, path="a.py")
    assert (result.status, result.text) == ("refused", file)


def test_an_edit_that_changes_nothing_is_not_in_place_while_what_is_to_go_stands():
    """It shows only what stays; where the name is gone from the file it is in place."""
    kept = "# Shop\n\nOrders and payments are documented here.\n"
    file = kept + "\n## Quotes\n\n> The best shop that there is.\n"
    edit = "<!-- ... everything before stays ... -->\n\nOrders and payments are documented here.\n"
    said = "I will remove the Quotes section at the end."
    refused = apply_edit(file, edit, path="a.md", instructions=said)
    assert (refused.status, refused.text) == ("refused", file)
    assert apply_edit(kept, edit, path="a.md", instructions=said).status == "unchanged"


def test_a_removal_note_over_several_lines_is_a_note_to_its_end():
    """The lines of a doc comment, and those that the file has, are none."""
    note = ["# (removed first,", "#  second and third)", "last = 1"]
    file = line_table(["first = 1", "last = 0"])
    assert read_lazy(note, file, "python").kinds == ("note", "note", "text")
    assert read_lazy(note, line_table([*note, "last = 0"]), "python").kinds == ("text",) * 3
    starred = ["/**", " * (first,", " * second removed)", " */"]
    assert "note" not in read_lazy(starred, file, "java").kinds
