"""The whole way of an edit, text to text, and the Python API over it."""

from __future__ import annotations

import pytest
from scripted import ScriptedModel

from fastapply import apply_edit
from fastapply.errors import FileTrouble, ModelTrouble, Refused
from fastapply.pipeline import merge_edit, read_edit
from fastapply.text import from_text
from fastapply.types import Options, Pick

TWICE = "def one():\n    x = 0\n    return x\n\n\ndef two():\n    x = 0\n    return x\n"
RETURN = "<<<<<<< SEARCH\n    return x\n=======\n    return x + 1\n>>>>>>> REPLACE\n"
ZERO = "<<<<<<< SEARCH\n    x = 0\n=======\n    x = 5\n>>>>>>> REPLACE\n"


def merge(original, edit, *, path="a.py", **options):
    """Read an edit and merge it."""
    source = None if original is None else from_text(original)
    chosen = Options(**options)
    parsed = read_edit(edit, path=path, original=source, options=chosen)
    return merge_edit(source, parsed, parsed.files[0], path=path, options=chosen)


def test_lazy_edit_is_merged_and_its_method_is_told():
    """Text, method, format, and that something changed."""
    edit = "# ... existing code ...\n\ndef two():\n    # ... existing code ...\n    return x + 1\n"
    merged = merge(TWICE, edit, min_certainty=0.5)
    assert merged.text.text == TWICE.removesuffix("return x\n") + "return x + 1\n"
    assert (merged.method, merged.format, merged.unchanged) == ("aligned", "lazy", False)


def test_edit_that_is_in_place_is_unchanged():
    """The very same text comes back."""
    after = TWICE.removesuffix("return x\n") + "return x + 1\n"
    merged = merge(after, "def two():\n    # ... existing code ...\n    return x + 1\n")
    assert (merged.text.text, merged.unchanged) == (after, True)


def test_unclear_edit_is_refused_with_its_questions():
    """Candidates with lines and splices."""
    with pytest.raises(Refused) as caught:
        merge(TWICE, RETURN)
    assert caught.value.reason == "ambiguous"
    assert [(one.lines.first, one.enclosing) for one in caught.value.candidates] == [
        (3, "def one():"),
        (8, "def two():"),
    ]


def test_two_unclear_hunks_are_answered_by_two_picks():
    """The first pick is for the first hunk; both go in, in whatever order they stand."""
    merged = merge(TWICE, RETURN + ZERO, picks=(Pick(2), Pick(1)))
    assert merged.text.text == (
        "def one():\n    x = 5\n    return x\n\n\ndef two():\n    x = 0\n    return x + 1\n"
    )


def test_too_few_picks_leave_the_edit_refused():
    """All open questions are answered, or none."""
    with pytest.raises(Refused):
        merge(TWICE, RETURN + ZERO, picks=(Pick(2),))


def test_findings_of_the_verifier_refuse_unless_they_are_allowed():
    """By their codes; the accepted ones are handed on."""
    edit = "<<<<<<< SEARCH\nb = 2\n=======\nb = (2\n>>>>>>> REPLACE\n"
    with pytest.raises(Refused) as caught:
        merge("a = 1\nb = 2\n", edit)
    assert [finding.code for finding in caught.value.findings] == ["parse_error"]
    merged = merge("a = 1\nb = 2\n", edit, allow=frozenset({"parse_error"}))
    assert [finding.code for finding in merged.accepted] == ["parse_error"]
    assert merged.text.text == "a = 1\nb = (2\n"


def test_model_is_asked_about_a_certain_merge_that_the_verifier_refuses():
    """Of a piece of code; what it writes is verified as well. Without a model the finding refuses."""
    file = (
        "def load(name):\n    path = join(name)\n    with open(path) as file:\n        return file.read()\n"
    )
    edit = (
        "def load(name):\n    path = find(name))\n    # ... existing code ...\n"  # no merge of it is Python
    )
    with pytest.raises(Refused) as caught:
        merge(file, edit, min_certainty=0.0)
    assert caught.value.reason == "syntax_error"
    model = ScriptedModel()
    mended = file.replace("join(name)", "find(name)")
    model.enqueue(f"<updated-code>{mended}</updated-code>")
    allowed = frozenset({"lost_lines", "missing_line", "foreign_line"})
    merged = merge(file, edit, min_certainty=0.0, allow=allowed, open_model=lambda: model)
    assert (merged.text.text, merged.methods) == (mended, ("model",))
    assert len(merged.models) == 1
    as_it_says = file.replace("join(name)", "find(name))")
    model.enqueue(f"<updated-code>{as_it_says}</updated-code>")
    with pytest.raises(Refused) as caught:
        merge(file, edit, min_certainty=0.0, open_model=lambda: model)
    assert caught.value.reason == "parse_error"
    assert "the merge by scripted was rejected" in caught.value.message


def test_model_engine_is_not_there():
    """A trouble of its own, with the way to install it."""
    with pytest.raises(ModelTrouble) as caught:
        merge(TWICE, RETURN, engine="model")
    assert "fastapply models pull apply-1.5b" in caught.value.hint


def test_missing_file_is_made_only_by_an_edit_that_says_so():
    """Add File does; a whole file does with `create`; a change does not."""
    added = "*** Begin Patch\n*** Add File: a.py\n+x = 1\n*** End Patch\n"
    assert merge(None, added).text.text == "x = 1\n"
    assert merge(None, "x = 1\ny = 2\n", create=True).text.text == "x = 1\ny = 2\n"
    with pytest.raises(FileTrouble):
        merge(None, "x = 1\ny = 2\n")
    with pytest.raises((FileTrouble, Refused)):
        merge(None, RETURN, create=True)


def test_parts_of_a_mixed_edit_are_merged_one_after_the_other():
    """A block and a lazy snippet in one reply."""
    edit = (
        "First the start:\n\n<<<<<<< SEARCH\nlimit = 10\n=======\nlimit = 20\n>>>>>>> REPLACE\n\n"
        "and then `last` returns twice the limit:\n\n```python\ndef last():\n    return limit * 2\n```\n"
    )
    original = "limit = 10\n\n\ndef first():\n    return limit\n\n\ndef last():\n    return limit + 1\n"
    merged = merge(original, edit)
    assert merged.format == "mixed"
    assert merged.text.text == original.replace("10", "20").replace("limit + 1", "limit * 2")


def test_result_of_the_library_says_the_same_without_raising():
    """Status, text and the exit status that the command line would have."""
    applied = apply_edit(TWICE, RETURN, path="a.py", pick=[2])
    assert (applied.status, applied.method, applied.exit_status) == ("applied", "exact", 0)
    refused = apply_edit(TWICE, RETURN, path="a.py")
    assert (refused.status, refused.text, refused.exit_status) == ("refused", TWICE, 1)
    assert (refused.reason, len(refused.candidates)) == ("ambiguous", 2)
    assert apply_edit(TWICE, "", path="a.py").reason == "empty_edit"
    assert apply_edit(TWICE, RETURN, path="a.py", engine="model").exit_status == 5


PAGE = ".page {\n  margin: 0;\n}\n\n.page-header {\n  color: red;\n}\n\n.footer {\n  color: blue;\n}\n"
STICKY = "\n.page-header {\n  position: sticky;\n}\n"
GO = "package a\n\nfunc one() int {\n\treturn 1\n}\n\nfunc two() int {\n\treturn 2\n}\n"
ONE = "\nfunc one() int {\n\treturn 3\n}\n"


def below(shown, new):
    """A block that puts lines below those that it shows."""
    return f"<<<<<<< SEARCH\n{shown}=======\n{shown}{new}>>>>>>> REPLACE\n"


@pytest.mark.parametrize(
    ("path", "before", "edit", "after"),
    [
        ("a.css", PAGE, below(".footer {\n  color: blue;\n}\n", STICKY), PAGE + STICKY),
        (
            "a.css",
            PAGE,
            below(".footer {\n    color: blue;\n}\n", STICKY.replace("  ", "    ")),
            PAGE + STICKY,
        ),
        ("a.go", GO, below("func two() int {\n\treturn 2\n}\n", ONE), GO + ONE),
        (
            "a.py",
            "a = 1\nb = 2\n",
            below("b = 2\n", "b = 2\n"),
            "a = 1\nb = 2\nb = 2\n",
        ),
    ],
    ids=["a selector", "a selector, by other indentation", "a function, exactly", "a line, exactly"],
)
def test_what_hunks_repeat_is_repeated(path, before, edit, after):
    """The edit shows where it goes, and the language or the edit's own letters allow it."""
    merged = merge(before, edit, path=path)
    assert (merged.text.text, merged.accepted) == (after, ())


def test_what_a_language_forbids_is_refused_where_a_hunk_was_not_found_exactly():
    """Another version of the file may have been meant."""
    with pytest.raises(Refused) as caught:
        merge(GO, below("func two() int {\n    return 2\n}\n", ONE), path="a.go")
    assert caught.value.reason == "duplicate_definition"
