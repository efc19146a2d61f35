"""Which changes make samples, and which are left out."""

from __future__ import annotations

import random

import pytest
from histories import change_of, changed, module

from fastapply_lab.data.filters import KEPT_SHORT, Seen, is_repeated, why_not

TEA = module("tea")
AFTER = changed(TEA, 3, "tea")
SHORT = module("salt", functions=4)


def reason(before, after, path="a.py", seed=1):
    """Why a change alone is left out."""
    return why_not(change_of(before, after, path), Seen(1 << 16), random.Random(seed))


def test_ordinary_change_is_kept():
    """A file of more than a hundred lines that parses, and one function of it."""
    assert TEA.count("\n") >= 100
    assert reason(TEA, AFTER) == ""


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("X = [" + "1," * 200 + "]\n", "minified"),
        ("KEY = '-----BEGIN RSA PRIVATE KEY-----'\n", "secret"),
        ("KEY = 'AKIA" + "ABCDEFGHIJKLMNOP'\n", "secret"),
        ("TOKEN = 'ghp_" + "a1" * 18 + "'\n", "secret"),
        ("api_key = 'Zm9vYmFyYmF6cXV4" + "Zm9vYmFy'\n", "secret"),
        ("def half(:\n", "broken"),
    ],
    ids=["long line", "private key", "access key", "token", "named secret", "syntax error"],
)
def test_change_with_such_a_line_is_left_out(line, why):
    """Whether the line comes or goes; what does not parse may not come."""
    assert reason(TEA, AFTER + line) == why
    if why == "secret":
        assert reason(TEA + line, AFTER) == why


@pytest.mark.parametrize(
    "line",
    [
        "X = [" + "1," * 40 + "]\n",
        "KEY = '-----BEGIN PUBLIC KEY-----'\n",
        "password = os.environ['SHOP_PASSWORD']\n",
        "api_key = 'your-api-key'\n",
        "def half():\n    return '('\n",
    ],
    ids=["shorter line", "public key", "no password", "placeholder", "no error"],
)
def test_change_with_a_harmless_line_is_kept(line):
    """The twins of those above."""
    assert reason(TEA, AFTER + line) == ""


def test_before_that_does_not_parse_is_left_out():
    """Also where the after does: both sides must."""
    assert reason(TEA.replace("(tea", "((tea", 1).replace("def ", "def def ", 3), AFTER) == "broken"


def test_language_without_a_grammar_is_believed():
    """A change of Markdown cannot be broken."""
    text = "".join(f"line {number} of the text (\n" for number in range(120))
    assert reason(text, text.replace("line 60 of", "line sixty, of"), "a.md") == ""


def test_most_short_files_are_left_out_and_some_are_kept():
    """About three in ten stay; with the same chance the same ones."""
    assert SHORT.count("\n") < 100
    after = changed(SHORT, 2, "salt")
    reasons = [reason(SHORT, after, seed=seed) for seed in range(400)]
    assert set(reasons) == {"", "short"}
    assert abs(reasons.count("") / 400 - KEPT_SHORT) < 0.07
    assert reasons == [reason(SHORT, after, seed=seed) for seed in range(400)]


def test_same_change_of_another_file_is_a_duplicate():
    """What else is in the file does not count; taking the change back is the same one too."""
    seen = Seen(1 << 20)
    assert not is_repeated(TEA, AFTER, seen)
    assert is_repeated("import os\n" + TEA, "import os\n" + AFTER, seen)
    assert is_repeated(AFTER, TEA, seen)
    assert not is_repeated(TEA, changed(TEA, 5, "tea"), seen)


def long_change(words):
    """A change that adds these words, eight a line."""
    lines = [" ".join(words[at : at + 8]) for at in range(0, len(words), 8)]
    return "start\n", "start\n" + "".join(f"{line}\n" for line in lines)


def shared(one, other):
    """The share of four-word runs that two lists of words have in common."""
    runs = [{tuple(words[at : at + 4]) for at in range(len(words) - 3)} for words in (one, other)]
    return len(runs[0] & runs[1]) / len(runs[0] | runs[1])


def test_nearly_the_same_change_is_a_duplicate_and_a_similar_one_is_not():
    """Of pairs that share nine tenths nearly all are found, of those that share a third hardly any."""
    rng = random.Random(5)
    found = {"near": 0, "similar": 0}
    for number in range(60):
        words = [f"a{number:03d}x{at:04d}" for at in range(200)]  # one change's words, already in order
        near, similar = list(words), list(words)
        near[90] = "other"
        for at in rng.sample(range(25), 12):
            similar[8 * at] = f"b{number:03d}x{at:04d}"
        assert shared(words, near) > 0.9
        assert shared(words, similar) < 0.7
        for kind, others in (("near", near), ("similar", similar)):
            seen = Seen(1 << 16)
            (before, after), (_, other) = long_change(words), long_change(others)
            assert not is_repeated(before, after, seen)
            found[kind] += is_repeated(before, other, seen)
    assert found["near"] >= 55
    assert found["similar"] <= 25


def test_seen_tells_what_it_was_given():
    """And hardly anything else."""
    seen = Seen(1 << 16)
    keys = [f"key {number}".encode() for number in range(1000)]
    assert sum(seen.add(key) for key in keys) == 0
    assert all(seen.add(key) for key in keys)
    assert sum(seen.add(f"other {number}".encode()) for number in range(500)) <= 2


def test_seen_takes_the_memory_it_was_made_with():
    """A hundred thousand keys do not make it grow."""
    seen = Seen(1 << 16)
    before = len(seen._field)
    for number in range(100_000):
        seen.add(number.to_bytes(4, "big"))
    assert len(seen._field) == before == (1 << 16) // 8
