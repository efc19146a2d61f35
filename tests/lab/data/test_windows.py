"""Windows: what is shown of a file, an edit, and what must come back."""

from __future__ import annotations

import difflib
import json
import random
from collections import Counter
from dataclasses import replace

import pytest
from histories import changed, module
from hypothesis import given, settings
from hypothesis import strategies as st

from fastapply.evaluate.cases import Case
from fastapply.models.region import find_splices
from fastapply.text import from_text
from fastapply.types import Finding
from fastapply_lab.data.windows import (
    Window,
    joined,
    make_window,
    read_part,
    read_windows,
    region_around,
    splices_between,
    to_json,
)

TEA = module("tea")


def edits_of(before, after):
    """The same change as an edit of each format."""
    old, new = before.splitlines(), after.splitlines()
    (first, *_), *_ = groups = list(difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(3))
    (_, *_, last) = groups[-1]
    shown, made = old[first[1] : last[2]], new[first[3] : last[4]]
    diff = list(difflib.unified_diff(old, new, "a/a.py", "b/a.py", lineterm=""))
    both = f"<<<<<<< SEARCH\n{joined(shown)}=======\n{joined(made)}>>>>>>> REPLACE\n"
    signed = [line if line[0] != "@" else "@@" for line in diff[2:]]
    replaced = {"path": "a.py", "old_str": joined(shown), "new_str": joined(made)}
    texts = {
        "lazy": f"# ... existing code ...\n{joined(made)}# ... existing code ...\n",
        "search_replace": both,
        "udiff": joined(diff),
        "v4a": f"*** Begin Patch\n*** Update File: a.py\n{joined(signed)}*** End Patch\n",
        "str_replace": json.dumps(replaced),
        "whole": after,
    }
    one = Case("", "a.py", before, "", after, language="python", repository="some", commit="0" * 40)
    return [replace(one, id=name, edit=edit, format=name, style=f"{name}-1") for name, edit in texts.items()]


@pytest.fixture(scope="module")
def edits():
    """Edits of all formats, of a file longer than what a window shows."""
    return [edit for number in range(8) for edit in edits_of(TEA, changed(TEA, number, "tea"))]


def put_back(edit, window, seed):
    """The file with the window's merged lines in the place of those shown; None where that cannot be said."""
    file, part = from_text(edit.original).lines, read_part(edit.edit, edit.path)
    assert part is not None
    splices = splices_between(file, from_text(edit.expected).lines)
    region = region_around(file, part, splices, random.Random(seed))
    assert "".join(f"{line}\n" for line in region.texts(file)) == window.original
    found = find_splices(file, region, window.merged.splitlines())
    if isinstance(found, Finding):
        return None
    lines = list(file)
    for one in reversed(found):
        lines[one.start : one.end] = one.lines
    return lines


def test_merged_lines_put_back_give_the_file_after_the_edit(edits):
    """For edits of all formats: what region mode makes of the window's answer is the file that is right."""
    formats, smaller = Counter[str](), 0
    for seed, edit in enumerate(edits):
        window = make_window(edit, "MIT", random.Random(seed))
        if window is None:
            continue
        after = put_back(edit, window, seed)
        assert after == list(from_text(edit.expected).lines)
        formats[window.format] += 1
        smaller += len(window.original) < len(edit.original)
    assert set(formats) >= {"lazy", "search_replace", "udiff", "v4a", "str_replace", "whole"}
    assert smaller > 20


@settings(max_examples=40, deadline=None)
@given(numbers=st.sets(st.integers(0, 11), min_size=1, max_size=3), seed=st.integers(0, 1000))
def test_window_of_several_changes_holds_all_of_them(numbers, seed):
    """However many functions of a file change, and whichever other place is shown."""
    after = TEA
    for number in sorted(numbers):
        after = changed(after, number, "tea")
    for edit in edits_of(TEA, after):
        window = make_window(edit, "MIT", random.Random(seed))
        if window is not None:
            assert put_back(edit, window, seed) == after.splitlines()


def test_window_says_where_it_is_from(edits):
    """Repository, commit, path and licence, and how its edit was written."""
    edit = next(one for one in edits if one.format == "lazy")
    window = make_window(edit, "MIT", random.Random(1))
    assert window is not None
    assert window.merged
    assert window == Window(
        *(edit.id, edit.repository, edit.commit, edit.path, "MIT", "python", "lazy", edit.style),
        *(window.original, window.edit, window.merged),
    )
    assert window.characters == len(window.original) + len(window.edit) + len(window.merged)
    assert replace(window, merged=None).characters == len(window.original) + len(window.edit)


def test_edit_of_several_parts_has_no_window(edits):
    """Each is a task of its own on a file that the one before has changed; one part alone has one."""
    edit = next(one for one in edits if one.format == "search_replace")
    assert make_window(edit, "MIT", random.Random(1)) is not None
    mixed = "```python\n# ...\nlog = None\n# ...\n```\n\nAnd then:\n\n" + edit.edit
    assert make_window(replace(edit, edit=mixed), "MIT", random.Random(1)) is None


def test_edit_that_changes_nothing_has_no_window(edits):
    """There would be nothing to learn but a copy."""
    edit = edits[0]
    assert make_window(replace(edit, expected=edit.original), "MIT", random.Random(1)) is None


def test_edit_that_is_prose_has_no_window(edits):
    """It is not read as an edit at all."""
    assert (
        make_window(replace(edits[0], edit="I would not change a thing.\n"), "MIT", random.Random(1)) is None
    )


def test_windows_come_back_from_a_file_as_they_went(tmp_path, edits):
    """Those that must be refused too, and text of all kinds."""
    window = make_window(edits[0], "MIT", random.Random(1))
    assert window is not None
    odd = replace(window, original="caf\u00e9 \u2028 \x00\n", edit='"\\n"\n', merged=None)
    path = tmp_path / "windows.jsonl"
    path.write_text(f"{to_json(window)}\n{to_json(odd)}\n", encoding="utf-8")
    assert list(read_windows(path)) == [window, odd]
