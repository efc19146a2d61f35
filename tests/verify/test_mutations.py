"""Right merges have no findings; wrong ones made of them have some, nearly always."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fastapply.edits.detect import parse_edit
from fastapply.syntax import language_of
from fastapply.text import SourceText, decode
from fastapply.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapply.types import FileEdit

CASES = sorted(path.parent for path in (Path(__file__).parent.parent / "cases").glob("*/case.json"))
LEAST = {"old_beside_new": 0.85, "moved_block": 0.9}
"""The share of wrong merges of a kind that must be found; 0.97 where nothing is said."""


def read_case(folder: Path) -> tuple[SourceText, FileEdit, tuple[SourceText, ...], str | None] | None:
    """The file, the edit and all right results of a case; None for one that must be refused."""
    right = [*sorted(folder.glob("expected*")), *sorted(folder.glob("accept-*"))]
    about = json.loads((folder / "case.json").read_bytes())
    if not right or about["must_refuse"]:
        return None
    path = next(folder.glob("original*"))
    original = decode(path.read_bytes())
    name = about.get("filename") or "file" + path.name.removeprefix("original")
    text = (folder / "edit.txt").read_bytes().decode()
    edit = parse_edit(text, path=name, original=original, only=True).files[0]
    merged = tuple(decode(one.read_bytes()) for one in right)
    return original, edit, merged, language_of(name, original.lines[0])


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_right_merge_has_no_findings(folder):
    """Every result that counts as right passes."""
    case = read_case(folder)
    if case is None:
        pytest.skip("must be refused")
    original, edit, right, language = case
    assert [verify(original, edit, merged, language=language) for merged in right] == [()] * len(right)


def mutants(original: SourceText, merged: SourceText, rng: random.Random) -> Iterator[tuple[str, list[str]]]:
    """Wrong merges, each with its kind."""
    old, new = list(original.lines), list(merged.lines)
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    kept = [j for tag, _, _, c, d in steps if tag == "equal" for j in range(c, d) if new[j].strip()]
    came = [j for tag, _, _, c, d in steps if tag != "equal" for j in range(c, d) if new[j].strip()]
    at = rng.choice(kept)
    yield "kept_line_dropped", new[:at] + new[at + 1 :]
    at = rng.choice(kept)
    yield "kept_line_changed", [*new[:at], new[at].rstrip() + "x", *new[at + 1 :]]
    one, other = rng.choice([(a, b) for a, b in pairwise(kept) if new[a] != new[b]])
    swapped = list(new)
    swapped[one], swapped[other] = new[other], new[one]
    yield "kept_lines_swapped", swapped
    size = rng.randint(3, 10)
    at = rng.randrange(max(1, len(new) - size))
    yield "block_dropped", new[:at] + new[at + size :]
    yield "block_doubled", new[: at + size] + new[at:]
    yield "tail_cut_off", new[: -rng.randint(1, max(1, len(new) // 3))]
    at = rng.randrange(len(new))
    yield "line_made_up", [*new[:at], "    invented_call(42)", *new[at:]]
    yield "marker_left", [*new[:at], "// ... existing code ...", *new[at:]]
    if came:
        at = rng.choice(came)
        yield "new_line_dropped", new[:at] + new[at + 1 :]
    went = [
        step for step in steps if step[0] != "insert" and any(line.strip() for line in old[step[1] : step[2]])
    ]
    went = [step for step in went if step[0] != "equal"]
    if went:
        _, a, b, c, d = rng.choice(went)
        yield "old_beside_new", new[:c] + old[a:b] + new[c:]
        yield "old_beside_new", new[:d] + old[a:b] + new[d:]
    blocks = [
        step for step in steps if step[0] == "insert" and any(line.strip() for line in new[step[3] : step[4]])
    ]
    if blocks:
        _, _, _, c, d = rng.choice(blocks)
        rest = new[:c] + new[d:]
        at = rng.choice([place for place in range(len(rest)) if not c - 1 <= place <= d])
        yield "moved_block", rest[:at] + new[c:d] + rest[at:]


def test_wrong_merges_are_found():
    """Of each kind of wrong merge nearly all have a finding."""
    made: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for folder in CASES:
        case = read_case(folder)
        if case is None:
            continue
        original, edit, right, language = case
        rng = random.Random(folder.name)  # noqa: S311 - repeatable, not secret
        for _ in range(2):
            for kind, lines in mutants(original, right[0], rng):
                if any(tuple(lines) == one.lines for one in right):
                    continue
                merged = replace(right[0], lines=tuple(lines), endings=("\n",) * len(lines))
                made[kind] += 1
                missed[kind] += not verify(original, edit, merged, language=language)
    shares = {kind: 1 - missed[kind] / count for kind, count in made.items()}
    assert {kind: share for kind, share in shares.items() if share < LEAST.get(kind, 0.97)} == {}
