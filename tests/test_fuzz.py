"""Edits that models wrote, spoilt at random: each is put in or refused, in time; nothing breaks the program.

A sample runs with the other tests. As a script it runs as many as are wanted, or as the time allows::

    python tests/test_fuzz.py 15000 [SECONDS]
"""

from __future__ import annotations

import json
import lzma
import random
import re
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import pytest

from fastapply import apply_edit

EDITS = Path(__file__).parent / "edits"
SAMPLE, PARTS = 80, 4
SLOWEST = 3.0  # seconds of the processor for one edit
BESIDE = 1.5
"""Times as much processor time that an edit may take beside other tests, which share a core's units."""
LATER = {
    "sixteenth.jsonl.xz",
    "seventeenth.jsonl.xz",
    "everyday-first.jsonl.xz",
    "everyday-second.jsonl.xz",
    "prompted-first.jsonl.xz",
    "prompted-second.jsonl.xz",
}
"""Sets that came after the sample was drawn: with them each number would be another edit."""
WORDS = ("self", "value", "return", "else", "{", "}", "...", "# ... existing code ...", "//", '"""', "-", "+")


@cache
def edits():
    """All edits, those of different files next to each other."""
    found = []
    for path in sorted(set(EDITS.glob("*.jsonl.xz")) - {EDITS / name for name in LATER}):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            found += [json.loads(line) for line in lines]
    random.Random(0).shuffle(found)  # noqa: S311 - repeatable, not secret
    return found


def drop(lines, rng):
    """Leave a few lines out."""
    at = rng.randrange(len(lines))
    return lines[:at] + lines[at + rng.randint(1, 3) :]


def double(lines, rng):
    """Write a few lines twice, the second time perhaps elsewhere."""
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines) + 1)
    return lines[:to] + lines[at : at + rng.randint(1, 5)] + lines[to:]


def swap(lines, rng):
    """Let two lines change places."""
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return lines


def cut(lines, rng):
    """End the edit early, perhaps within a line, or begin it late."""
    at = rng.randrange(len(lines))
    if rng.random() < 0.3:
        return lines[at:]
    return [*lines[:at], lines[at][: rng.randint(0, len(lines[at]))]]


def indent(lines, rng):
    """Give some lines another indentation."""
    first = rng.randrange(len(lines))
    last = min(len(lines), first + rng.randint(1, 12))
    by = rng.choice([1, 2, 4, -1, -2, -4, "tab"])
    for number in range(first, last):
        line = lines[number]
        if by == "tab":
            lines[number] = "\t" + line
        else:
            lines[number] = " " * by + line if by > 0 else re.sub(rf"^ {{1,{-by}}}", "", line)
    return lines


def reword(lines, rng):
    """Put other words into a line, or none."""
    at = rng.randrange(len(lines))
    words = lines[at].split(" ")
    words[rng.randrange(len(words))] = rng.choice([*WORDS, "", rng.choice(rng.choice(lines).split(" "))])
    lines[at] = " ".join(words)
    return lines


def put_in(lines, rng):
    """Add a line that means something to some format, or a character that is none."""
    lines.insert(
        rng.randrange(len(lines) + 1),
        rng.choice(
            [*WORDS, "```", "@@", "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "\x0c", "\u2028é", ""]
        ),
    )
    return lines


MUTATIONS = (drop, double, swap, cut, indent, reword, put_in)


def spoil(edit, rng):
    """An edit with one to three mistakes."""
    lines = edit.split("\n")
    for _ in range(rng.randint(1, 3)):
        lines = rng.choice(MUTATIONS)(lines, rng) or [""]
    return "\n".join(lines)


def complaint(number, slowest=SLOWEST):
    """What is wrong with how the program takes the edit of a number; "" where all is well."""
    rng = random.Random(number)  # noqa: S311
    case = edits()[number % len(edits())]
    spoilt = spoil(case["edit"], rng)
    name = f"edit {number} ({case['id']})"
    started = time.process_time()
    try:
        result = apply_edit(
            case["original"], spoilt, path=case["path"], instructions=case.get("instructions") or ""
        )
    except Exception:  # noqa: BLE001 - this is what is looked for
        return f"{name}: {traceback.format_exc()}"
    seconds = time.process_time() - started
    if seconds > slowest:
        return f"{name}: took {seconds:.1f} s"
    if result.status not in {"applied", "unchanged", "refused"}:
        return f"{name}: {result.status} [{result.reason}]"
    if result.status != "applied" and result.text != case["original"]:
        return f"{name}: {result.status}, and the text is another one"
    if result.status == "refused" and not (result.reason and result.message):
        return f"{name}: refused without a reason"
    return ""


@pytest.mark.parametrize("part", range(PARTS))
def test_spoilt_edits_are_put_in_or_refused(part):
    """No exception but a refusal with a reason, no text but a merge or the original, none for long."""
    edits()
    assert [
        said for number in range(part, SAMPLE, PARTS) if (said := complaint(number, BESIDE * SLOWEST))
    ] == []


def test_spoilt_edits_are_the_same_in_every_run():
    """So that a number names one of them, and most of them are others than the edit was."""
    first = [spoil(edits()[number]["edit"], random.Random(number)) for number in range(SAMPLE)]  # noqa: S311
    again = [spoil(edits()[number]["edit"], random.Random(number)) for number in range(SAMPLE)]  # noqa: S311
    assert first == again
    same = sum(edits()[number]["edit"] == spoilt for number, spoilt in enumerate(first))
    assert same < SAMPLE / 10


def run_many(first, last):
    """Run the edits of some numbers, print what is wrong as it comes, and say how many and how long."""
    slowest = 0.0
    wrong = 0
    for number in range(first, last):
        started = time.process_time()
        said = complaint(number)
        slowest = max(slowest, time.process_time() - started)
        wrong += bool(said)
        if said:
            print(said, flush=True)  # noqa: T201
    return wrong, slowest


def main(number, seconds):
    """Run many, each few hundred in a process of their own."""
    until = time.monotonic() + seconds
    wrong = done = 0
    slowest = 0.0
    with ProcessPoolExecutor(1, max_tasks_per_child=1, mp_context=get_context("spawn")) as pool:
        while done < number and time.monotonic() < until:
            last = min(number, done + 250)
            bad, slow = pool.submit(run_many, done, last).result()
            done, wrong, slowest = last, wrong + bad, max(slowest, slow)
            print(f"{done} spoilt edits, {wrong} complaints, the slowest took {slowest:.2f} s", flush=True)  # noqa: T201
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else float("inf")))
