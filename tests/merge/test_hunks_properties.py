"""What holds for all edits: a diff gives its after-side, and twice is never more than once."""

from __future__ import annotations

import re
from difflib import SequenceMatcher, unified_diff

from hypothesis import given, settings
from hypothesis import strategies as st

from fastapply.merge.hunks import merge_hunks
from fastapply.text import from_text, splice
from fastapply.types import Hunk, HunkList, Segment

HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")

# few different lines, so that most contexts stand at several places
LINES = st.lists(st.sampled_from(["", "a", "    a", "b = 1", "}", "else:", "“b” = 1"]), max_size=25)
CONTEXT = st.integers(0, 3)


def diff_hunks(before, after, context):
    """The hunks of a unified diff, as a parser would hand them on."""
    hunks = []
    old: list[str] = []
    new: list[str] = []
    for line in list(unified_diff(before, after, lineterm="", n=context))[2:]:
        if match := HEADER.match(line):
            old, new = [], []
            hunks.append((int(match[1]), old, new))
            continue
        if line[0] in " -":
            old.append(line[1:])
        if line[0] in " +":
            new.append(line[1:])
    return HunkList(
        "udiff",
        tuple(
            Hunk(i, i, (Segment(tuple(old), tuple(new)),), old_start=start, counts_right=True)
            for i, (start, old, new) in enumerate(hunks, 1)
        ),
    )


def text_of(lines):
    """Lines as a text with a final line end."""
    return "".join(line + "\n" for line in lines)


@given(LINES, LINES, CONTEXT)
def test_right_diff_always_gives_after(before, after, context):
    """However often its context stands in the file; without any context it may be refused.

    Texts of blank lines alone are left out: there a blank line that came can't be told from one
    that was there.
    """
    hunks = diff_hunks(before, after, context)
    if not hunks.hunks or not any(before + after):
        return
    source = from_text(text_of(before))
    proposal = merge_hunks(source, hunks)
    if not proposal.certain:
        bare = not any(hunk.segments[0].before for hunk in hunks.hunks)
        assert bare
        assert before
        return
    assert splice(source, proposal.splices).text == text_of(after)


@given(
    LINES, LINES, st.integers(1, 3), st.integers(-30, 30), st.sampled_from(["udiff", "v4a", "search_replace"])
)
@settings(max_examples=300)
def test_hunks_without_numbers_are_the_places_of_their_lines(before, after, context, shift, form):
    """Wrong or missing numbers: each changed line stands for lines that were there exactly."""
    given_ = diff_hunks(before, after, context)
    if not given_.hunks or not before:
        return
    hunks = HunkList(
        form,
        tuple(
            Hunk(
                one.number,
                one.number,
                one.segments,
                old_start=(one.old_start or 0) + shift if form == "udiff" else None,
            )
            for one in given_.hunks
        ),
    )
    source = from_text(text_of(before))
    proposal = merge_hunks(source, hunks)
    if proposal.certain and proposal.splices and proposal.method == "exact":
        merged = splice(source, proposal.splices).lines
        kept = sum(
            block.size
            for block in SequenceMatcher(None, before, merged, autojunk=False).get_matching_blocks()
        )
        removed = sum(len(hunk.segments[0].before) for hunk in hunks.hunks)
        assert len(before) - kept <= removed


@given(LINES, LINES, st.integers(0, 3), st.sampled_from(["udiff", "v4a", "search_replace", "str_replace"]))
@settings(max_examples=300)
def test_applying_again_changes_nothing_unless_a_before_side_stands_again(before, after, context, form):
    """The second time it is done, refused, or its lines truly stand there once more."""
    given_ = diff_hunks(before, after, context)
    if not given_.hunks:
        return
    hunks = HunkList(form, tuple(Hunk(one.number, one.number, one.segments) for one in given_.hunks))
    source = from_text(text_of(before))
    first = merge_hunks(source, hunks)
    if not first.certain:
        return
    merged = splice(source, first.splices)
    second = merge_hunks(merged, hunks)
    if second.certain and second.splices:
        loose = [
            "".join(line.split()).replace("“", '"').replace("”", '"') for line in merged.lines if line.strip()
        ]
        for hunk in hunks.hunks:
            wanted = [
                "".join(line.split()).replace("“", '"').replace("”", '"')
                for line in hunk.segments[0].before
                if line.strip()
            ]
            stands = any(loose[i : i + len(wanted)] == wanted for i in range(len(loose) + 1))
            assert stands or second.method == "near" or len(hunks.hunks) > 1


@given(
    LINES,
    st.lists(st.tuples(LINES, LINES), min_size=1, max_size=3),
    st.sampled_from(["udiff", "v4a", "search_replace"]),
)
def test_any_hunks_end_in_splices_or_questions(before, pairs, form):
    """Splices are in order and inside the file; a question never comes with a certain merge."""
    hunks = tuple(Hunk(i, i, (Segment(tuple(old), tuple(new)),)) for i, (old, new) in enumerate(pairs, 1))
    source = from_text(text_of(before))
    proposal = merge_hunks(source, HunkList(form, hunks))
    splice(source, proposal.splices)
    for question in proposal.questions:
        assert question.message.startswith("hunk")
        for candidate in question.candidates:
            splice(source, candidate.splices)
