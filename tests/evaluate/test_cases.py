"""Cases out of files and folders."""

from __future__ import annotations

import gzip
import json
import lzma
from dataclasses import replace
from pathlib import Path

import pytest
from making import BLOCK, CASE, FILE, WANTED, write_cases

from fastapply.errors import FileTrouble
from fastapply.evaluate.cases import case_line, read_cases

FOLDERS = Path(__file__).parents[1] / "cases"


def test_cases_survive_the_file_that_keeps_them(tmp_path):
    """Written and read again they are equal, plain and compressed."""
    path = tmp_path / "cases.jsonl"
    write_cases([CASE], path)
    (tmp_path / "cases.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert list(read_cases([path])) == [CASE]
    assert list(read_cases([tmp_path / "cases.jsonl.gz"])) == [CASE]
    (tmp_path / "cases.jsonl.xz").write_bytes(lzma.compress(path.read_bytes()))
    assert list(read_cases([tmp_path / "cases.jsonl.xz"])) == [CASE]


def test_empty_texts_are_texts(tmp_path):
    """An empty file that an edit fills, and one that it empties."""
    empty = replace(CASE, original="", expected="", merged="")
    write_cases([empty], tmp_path / "cases.jsonl")
    assert list(read_cases([tmp_path / "cases.jsonl"])) == [empty]


def test_only_original_and_edit_must_be_there(tmp_path):
    """What is not said is empty; the id is the file's name and the line's number."""
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"original": FILE, "edit": BLOCK}) + "\n\n", encoding="utf-8")
    (case,) = read_cases([path])
    assert (case.id, case.path, case.expected, case.answers) == ("mine/0", "", None, ())


def test_a_case_without_a_file_is_left_out(tmp_path):
    """An edit that creates a file has nothing to be merged into."""
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"original": None, "edit": BLOCK}) + "\n" + case_line(CASE), encoding="utf-8")
    assert [case.id for case in read_cases([path])] == ["store/1"]


def test_ids_that_come_again_get_a_number(tmp_path):
    """The same case in two files is two cases."""
    path = tmp_path / "cases.jsonl"
    write_cases([CASE], path)
    assert [case.id for case in read_cases([path, path])] == ["store/1", "store/1#2"]


def test_bytes_that_are_no_text_stay(tmp_path):
    """A Latin-1 file in a case folder comes through a file of lines to the byte."""
    folder = tmp_path / "001"
    folder.mkdir()
    (folder / "original.py").write_bytes(b"# caf\xe9\n")
    (folder / "expected.py").write_bytes(b"# caf\xe9!\n")
    (folder / "edit.txt").write_bytes(b"x")
    (folder / "case.json").write_text("{}", encoding="utf-8")
    cases = list(read_cases([tmp_path]))
    write_cases(cases, tmp_path / "cases.jsonl")
    assert list(read_cases([tmp_path / "cases.jsonl"])) == cases
    assert cases[0].original.encode("utf-8", "surrogateescape") == b"# caf\xe9\n"


def test_case_folders_are_read_with_all_that_is_right():
    """Accepted results, the file's name, and cases that must be refused."""
    cases = {case.id: case for case in read_cases([FOLDERS])}
    assert len(cases) == len(list(FOLDERS.glob("*/case.json")))
    assert any(len(case.accept) == 1 and case.expected for case in cases.values())
    assert any(case.must_refuse and not case.answers for case in cases.values())


@pytest.mark.parametrize("line", ["{", "[]", '{"original": "a"}', '{"original": 1, "edit": "x"}'])
def test_a_line_that_is_no_case_is_named(line, tmp_path):
    """File and line are in the message."""
    path = tmp_path / "cases.jsonl"
    path.write_text(case_line(CASE) + line + "\n", encoding="utf-8")
    with pytest.raises(FileTrouble, match=r"cases\.jsonl:2 is not a case"):
        list(read_cases([path]))


@pytest.mark.parametrize("name", ["nothing.jsonl", "empty"])
def test_what_is_not_there_is_trouble(name, tmp_path):
    """A file that is missing, and a folder without case folders."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileTrouble):
        list(read_cases([tmp_path / name]))


def test_known_answers_are_the_expected_text_and_what_is_as_right():
    """`answers` begins with the expected text."""
    assert CASE.answers == (WANTED,)
