"""What the reader of a language says itself: a file that could be read stays one."""

from __future__ import annotations

import pytest

from fastapply import apply_edit
from fastapply.text import from_text
from fastapply.verify import check_readers

CHANGES = [
    ("python", "def a():\n    ...\n\n\nx = 1\n", "def a():\n\n\nx = 1\n", 4),
    ("python", "a = [\n    1,\n]\n", "a = [\n    1,\n", 1),
    ("json", '{"a": 1,\n "b": 2}\n', '{"a": 1\n "b": 2}\n', 2),
    ("toml", 'a = 1\nb = "x"\n', 'a = 1\nb = "x\n', 2),
    ("yaml", "a:\n  b: 1\n  c: 2\n", "a:\n  b: 1\n c: 2\n", 3),
]


@pytest.mark.parametrize(("language", "before", "after", "line"), CHANGES)
def test_a_file_that_could_be_read_and_no_longer_can_is_wrong(language, before, after, line):
    """With the line where its reader stops; what could not be read before may stay so."""
    (found,) = check_readers(from_text(before), from_text(after), language)
    assert (found.code, found.line) == ("syntax_error", line)
    assert check_readers(from_text(after), from_text(after + after), language) == []
    assert check_readers(from_text(before), from_text(before.replace("1", "3")), language) == []


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("yaml", "a: 1\n", "a: 1\n{{- if .Values.b }}\nb: 2\n{{- end }}\n"),
        ("yaml", "a: 1\n", "{% if b %}\nb: [\n{% endif %}\n"),
        ("json", '{"a": 1}\n', '{\n  // one\n  "a": 1\n}\n'),
        ("go", "package a\n", "package a\n}\n"),
        (None, "a\n", "b: [\n"),
    ],
)
def test_what_only_looks_like_the_language_is_not_judged(language, before, after):
    """A template becomes one with the edit; so does JSON with comments."""
    assert check_readers(from_text(before), from_text(after), language) == []


def test_syntax_that_is_newer_than_the_running_python_is_left_to_the_grammar(monkeypatch):
    """Where its own parser alone sees an error, it may be too old."""
    from fastapply.verify import readers

    before, after = from_text("x = 1\n"), from_text("x = 2\n")
    answers = {before.text: None, after.text: (1, False)}
    monkeypatch.setattr(readers, "python_error", answers.__getitem__)
    assert check_readers(before, after, "python") == []
    answers[after.text] = (1, True)
    assert [one.code for one in check_readers(before, after, "python")] == ["syntax_error"]


def test_such_a_merge_is_refused_unless_it_is_allowed():
    """Where the grammar says the same, that is said once."""
    edit = '<<<<<<< SEARCH\na = 1\n=======\na = "1\n>>>>>>> REPLACE\n'
    file = 'a = 1\nb = "2"\n'
    refused = apply_edit(file, edit, path="a.toml")
    assert (refused.status, refused.text) == ("refused", file)
    codes = {one.code for one in refused.findings}
    assert codes & {"syntax_error", "parse_error"}
    assert not codes >= {"syntax_error", "parse_error"}
    assert apply_edit(file, edit, path="a.toml", allow=tuple(codes)).text == 'a = "1\nb = "2"\n'


def test_a_lazy_edit_that_is_certain_is_judged_as_well(monkeypatch):
    """Its certainty has weighed what the grammar finds, and nothing weighs this."""
    from fastapply.verify import readers

    file = "def a():\n    x = 1\n    return x\n\n\ndef b():\n    return 2\n"
    edit = "# ...\ndef a():\n    x = 3\n    return x\n# ...\n"
    assert apply_edit(file, edit, path="a.py", min_certainty=0.5).status == "applied"
    monkeypatch.setattr(readers, "python_error", lambda text: (2, True) if "x = 3" in text else None)
    refused = apply_edit(file, edit, path="a.py", min_certainty=0.5)
    assert (refused.status, refused.reason, refused.text) == ("refused", "syntax_error", file)
