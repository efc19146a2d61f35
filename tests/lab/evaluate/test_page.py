"""The page as text: what is in it."""

from __future__ import annotations

import re
from html import unescape

import pytest
from making import BLOCK, CASE, FILE, WANTED, case, record, some_records

from fastapply_lab.evaluate.annotations import annotate, read_annotations
from fastapply_lab.evaluate.page.colours import coloured_lines
from fastapply_lab.evaluate.page.detail import case_detail
from fastapply_lab.evaluate.page.diffs import diff_lines
from fastapply_lab.evaluate.page.overview import ShownRun
from fastapply_lab.evaluate.page.write import write_report

EVIL = '</script><script>alert("x")</script><img src=x onerror=alert(1)>'


def shown(*records, name="run", **more):
    """A run as the page shows it."""
    return ShownRun(name, {one.case.id: one for one in records}, **more)


def apply_blocks(lines, blocks, new):
    """What the blocks make of the old lines."""
    made, at = [], 0
    for block in blocks:
        made += lines[at : block.first]
        made += new[block.start : block.end]
        at = block.first + block.deleted
    return made + lines[at:]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a b c", "a b c"),
        ("a b c", "a x c"),
        ("a b c", "b c d"),
        ("", "a"),
        ("a", ""),
        ("a a a b a a", "a a b b a"),
    ],
)
def test_blocks_make_the_new_text_of_the_old(old, new):
    """Whatever the two are."""
    old, new = old.split(), new.split()
    assert apply_blocks(old, diff_lines(old, new), new) == new


def test_words_that_changed_within_a_line_are_marked():
    """Of lines that are alike; others stand for themselves."""
    (block,) = diff_lines(["x = load(path)"], ["x = load(\U0001f600, path, mode)"])
    new = "x = load(\U0001f600, path, mode)"
    marked = [new.encode("utf-16-le")[2 * a : 2 * b].decode("utf-16-le") for a, b in block.new_marks[0]]
    assert marked == ["\U0001f600, ", ", mode"]
    assert diff_lines(["x = load(path)"], ["return None"])[0].new_marks == {}


@pytest.mark.parametrize("path", ["a.py", "a.go", "a.ts", "a.yml", "a.md", "a.html", "Makefile", "a.unknown"])
@pytest.mark.parametrize("text", [FILE, BLOCK, "\n\n a\tb\n\n", "", "x", "\x0b\x0c\u2028y\n"])
def test_colours_keep_every_character(path, text):
    """A lexer that changes the text is not believed."""
    for kind in ("", "edit"):
        lines = coloured_lines(text, path, kind)
        assert "\n".join("".join(line[1::2]) for line in lines) == text


def test_a_detail_holds_the_edit_the_file_and_the_differences():
    """The expected text is a difference as well; what is not known is null."""
    detail = case_detail(CASE, [WANTED, None, FILE])
    first, deleted, inserted, _, _ = detail["merges"][0][0]
    assert (first, deleted, "".join(inserted[0][1::2])) == (12, 1, '    log.info("saving to %s", path)')
    assert detail["merges"][1:] == [None, []]
    assert detail["expected"] == detail["merges"][0]
    assert case_detail(case(1, expected=None), [WANTED])["expected"] is None


def test_a_missing_line_end_and_other_line_ends_can_be_seen():
    """They are differences that bytes have."""
    detail = case_detail(CASE, [WANTED.rstrip("\n")])
    assert "".join(detail["merges"][0][-1][2][-1][1::2]) == "    path.unlink()\u2402"


def test_a_report_asks_for_nothing_from_elsewhere(tmp_path):
    """No address but those of names of XML, and a policy that forbids the rest."""
    out = tmp_path / "report.html"
    assert write_report([shown(*some_records())], out) == 6
    text = out.read_text(encoding="utf-8")
    assert re.findall(r"(?:src|href)=\"(?!data:)", text) == []
    assert "https://" not in text
    assert "http://" not in text
    assert "default-src 'none'" in text
    assert "connect-src 'none'" in unescape(text)


def test_texts_of_others_cannot_become_part_of_the_page(tmp_path):
    """Ids, paths, instructions, messages, notes and names are data."""
    one = case(EVIL, path=EVIL, instructions=EVIL, edit=EVIL, original=EVIL, expected=EVIL, format=EVIL)
    annotate(tmp_path, one.id, EVIL, "correct", EVIL)
    run = shown(
        record(EVIL, one), name=EVIL, annotations=read_annotations(tmp_path), settings={"model": EVIL}
    )
    write_report([run], tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<img" not in text
    assert 'alert("x")' not in text
    assert text.count("<script>") == 1
