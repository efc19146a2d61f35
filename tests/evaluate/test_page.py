"""The page as text, and as it is served: what is in it, and who may ask."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from making import BLOCK, CASE, FILE, WANTED, case, make_run, record, some_records
from starlette.testclient import TestClient

from fastapply.evaluate.annotations import annotate, read_annotations
from fastapply.evaluate.page.colours import coloured_lines
from fastapply.evaluate.page.detail import case_detail
from fastapply.evaluate.page.diffs import diff_lines
from fastapply.evaluate.page.overview import ShownRun
from fastapply.evaluate.page.serve import make_app
from fastapply.evaluate.page.write import write_report

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


@pytest.fixture
def client(tmp_path):
    """A page that is served, as in a browser that has its address."""
    run = make_run(tmp_path / "run", some_records())
    app = make_app([run], [shown(*some_records())], token="open", who="ann")  # noqa: S106 - of a test
    with TestClient(app, base_url="http://127.0.0.1:8000", headers={"X-Token": "open"}) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/case/0", "/annotations"])
def test_nothing_is_answered_without_the_token(path, client):
    """Nor with a wrong one, nor to another host or origin."""
    assert client.get(path).status_code == 200
    assert client.get(path, headers={"X-Token": ""}).status_code == 403
    assert client.get(f"{path}?token=open", headers={"X-Token": ""}).status_code == 200
    assert client.get(f"{path}?token=\u00e4", headers={"X-Token": ""}).status_code == 403
    assert client.get(path, headers={"Host": "evil.example"}).status_code == 403
    assert client.get(path, headers={"Origin": "http://evil.example"}).status_code == 403


def test_an_annotation_is_on_the_disk_when_it_is_answered(client, tmp_path):
    """And comes with what others say."""
    annotate(tmp_path / "run", "store/2", "bob", "correct")
    sent = {"run": 0, "case": "store/1", "who": "ann", "class": "correct", "note": "fine"}
    answer = client.post("/annotations", json=sent)
    assert [one["who"] for one in answer.json()["annotations"][0]] == ["bob", "ann"]
    assert [one.note for one in read_annotations(tmp_path / "run")] == ["", "fine"]
    assert client.get("/annotations").json() == answer.json()


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"case": "nothing"}, 404),
        ({"class": "good"}, 422),
        ({"run": 7}, 400),
        ({"run": "x"}, 400),
        ({"who": ""}, 422),
        ({"note": "x" * 70_000}, 413),
    ],
)
def test_what_is_no_annotation_is_turned_away(change, status, client, tmp_path):
    """And nothing is written."""
    sent = {"run": 0, "case": "store/1", "who": "ann", "class": "correct", "note": "", **change}
    assert client.post("/annotations", json=sent).status_code == status
    assert read_annotations(tmp_path / "run") == ()


def test_details_are_given_on_demand(client):
    """The same as are packed into a report."""
    first = some_records()[0]
    served = client.get("/case/0").json()
    assert served == json.loads(json.dumps(case_detail(first.case, [first.attempt.merged])))
    assert client.get("/case/99").status_code == 404
