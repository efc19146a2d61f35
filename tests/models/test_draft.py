"""Drafting: where the next tokens come from, and how many are worth it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fastapply.models.draft import GUESSED, Drafter, Source, Written
from fastapply.models.llama.decode import Limits, decode
from fastapply.models.widths import Schedule, guess_schedule

WORDS = [b"def", b"return", b"    ", b"\n    ", b"\n\n", b"alpha", b"beta", b" =", b"ab", b"abc", b"bc"]
VOCABULARY = [bytes([byte]) for byte in range(256)] + WORDS
ENDS = len(VOCABULARY)
CANNOT = ENDS + 1


def tokenise(text):
    """The longest token first, from left to right."""
    tokens, at = [], 0
    while at < len(text):
        best = max((word for word in WORDS if text.startswith(word, at)), key=len, default=text[at : at + 1])
        tokens.append(VOCABULARY.index(best))
        at += len(best)
    return tokens


def piece(token):
    """The bytes of a token."""
    return b"" if token in {ENDS, CANNOT} else VOCABULARY[token]


def make(*texts, schedule=None):
    """A drafter over texts."""
    schedule = schedule or guess_schedule()
    sources = [Source(text.encode(), tokenise, piece, end=ENDS) for text in texts]
    return Drafter(sources, Written(tokenise, piece), piece, schedule.step_seconds, widths=schedule.widths)


def say(drafter, text, drafted=0, accepted=0):
    """Let the model have written a text."""
    drafter.record(drafted, accepted, tokenise(text.encode()))


def drafted(drafter):
    """The draft, as text."""
    return b"".join(piece(token) for token in drafter.draft()).decode()


class Oracle:
    """A model that writes one text whatever it is given, and notes the widths of its steps."""

    widest = 64

    def __init__(self, answer, last=ENDS):
        self.answer = [*tokenise(answer.encode()), last]
        self.steps = []
        self.cache = []

    def evaluate(self, tokens, start, outputs):
        """Logits whose highest one is the next token of the text."""
        assert start == len(self.cache), "the cache holds just what was accepted"
        self.cache += tokens
        self.steps.append(outputs)
        logits = np.zeros((outputs, len(VOCABULARY) + 2), np.float32)
        for row in range(outputs):
            logits[row, self.answer[min(start + row + 1, len(self.answer) - 1)]] = 1
        return logits

    def forget(self, start):
        """Drop what was rejected."""
        del self.cache[start:]
        return True


def run(answer, *texts, end=b"", most=10_000, last=ENDS):
    """Decode an answer with drafts from texts; gives what came of it, and the oracle."""
    oracle = Oracle(answer, last)
    drafter = make(*texts)
    drafter.record(0, 0, oracle.answer[:1])
    done = decode(
        oracle,
        oracle.answer[0],
        0,
        drafter,
        piece=piece,
        ends={ENDS, CANNOT}.__contains__,
        refuses=CANNOT.__eq__,
        limits=Limits(end, most, most),
    )
    return done, oracle


CODE = "".join(f"def f{number}(a):\n    beta = {number}\n    return alpha\n\n" for number in range(9))


def test_first_draft_is_the_predicted_merge():
    """From its first byte on."""
    assert CODE.startswith(drafted(make(CODE, "x", "y")))


def test_draft_goes_on_behind_what_was_written():
    """As long as the model agrees."""
    drafter = make(CODE)
    say(drafter, CODE[:40])
    assert CODE[40:].startswith(drafted(drafter))
    assert drafted(drafter)


def test_draft_follows_the_edit_where_the_model_leaves_the_prediction():
    """The end of what was written stands in the edit."""
    drafter = make("alpha = 1\nbeta = 2\n", "alpha = 1\nbeta = 2\n", "alpha = 1\n    log(alpha, 7)\n")
    say(drafter, "alpha = 1\n    log")
    assert "(alpha, 7)\n".startswith(drafted(drafter))
    assert drafted(drafter)


def test_draft_returns_to_the_file_behind_an_insertion():
    """To where it left, and not to an equal line far away."""
    drafter = make(CODE)
    at = CODE.index("    return", 100)
    say(drafter, CODE[:at])
    say(drafter, "    log(7)\n    return")
    assert CODE[at + len("    return") :].startswith(drafted(drafter))
    assert drafted(drafter)


def test_draft_skips_what_the_model_leaves_out():
    """Lines of the prediction that the model does not write are passed over."""
    drafter = make(CODE)
    first, second = CODE.index("def f1"), CODE.index("def f3")
    say(drafter, CODE[:first])
    say(drafter, "def f3(a)")
    assert CODE[second + len("def f3(a)") :].startswith(drafted(drafter))


def test_tokens_are_made_anew_behind_a_pointer_within_a_token():
    """Behind ``a`` the tokens of ``bcabc`` are ``bc`` and ``abc``, not the second half of ``abc``."""
    drafter = make("abcabc\n" * 9)
    say(drafter, "a")
    assert [piece(token) for token in drafter.draft()[:3]] == [b"bc", b"abc", b"\n"]


def test_draft_repeats_what_the_model_repeats():
    """Text that no source has is drafted from the answer itself, again and again."""
    drafter = make("alpha\n", "beta\n")
    say(drafter, "zyx, zyx, zyx, zyx, zyx, ")
    assert drafted(drafter).startswith("zyx, z")


def test_draft_ends_in_front_of_a_doubtful_place():
    """Where a longer one would promise more without the doubt."""
    schedule = Schedule({1: 1.0, 8: 2.0, 64: 12.0})
    whole = drafted(make(CODE, schedule=schedule))
    source = Source(CODE.encode(), tokenise, piece)
    source.kinds[3] = GUESSED
    drafter = Drafter((source,), Written(tokenise, piece), piece, schedule.step_seconds, widths=(1, 8, 64))
    assert len(drafter.draft()) == 3
    assert len(whole) > 20


def test_nothing_is_drafted_where_nothing_is_known():
    """A step of one token then."""
    drafter = make("alpha", "beta")
    say(drafter, "zzz")
    assert drafter.draft() == []


def test_steps_are_narrow_where_wide_ones_cost_too_much():
    """The width is what promises the most tokens a second."""
    steep = Schedule({1: 1.0, 8: 8.0, 64: 64.0})
    flat = Schedule({1: 1.0, 8: 1.1, 64: 1.5})
    assert len(make(CODE, schedule=steep).draft()) == 0
    assert len(make(CODE, schedule=flat).draft()) == 63


def test_width_behind_a_slow_one_is_seen():
    """On a processor a step of 16 may take less time than one of 8: the times of a real base, in seconds."""
    odd = Schedule({1: 0.071, 2: 0.102, 4: 0.267, 8: 0.342, 16: 0.296, 32: 0.504, 64: 1.13})
    assert len(make(CODE, schedule=odd).draft()) == 31
    even = Schedule({1: 0.071, 2: 0.102, 4: 0.267, 8: 0.6, 16: 1.2, 32: 2.4, 64: 4.8})
    assert len(make(CODE, schedule=even).draft()) == 1


def test_one_time_that_cannot_be_does_not_stop_wider_steps():
    """As 3.2 s for four tokens, measured while something else had the processor."""
    bad = Schedule({1: 0.071, 2: 0.102, 4: 3.2, 8: 0.342, 16: 0.296, 32: 0.504, 64: 1.13})
    assert len(make(CODE, schedule=bad).draft()) == 31


@given(
    st.lists(st.floats(0.01, 1.0), min_size=8, max_size=8),
    st.integers(0, 400),
)
@settings(max_examples=100, deadline=None)
def test_no_width_promises_more_than_the_one_taken(times, written):
    """Whatever the times are, as if every width had been looked at."""
    schedule = Schedule(dict(zip((1, 2, 4, 8, 16, 32, 64, 128), times, strict=True)))
    drafter = make(CODE * 8, schedule=schedule)
    say(drafter, CODE * 8 if written > len(CODE * 8) else (CODE * 8)[:written])
    drafter._least = [0.0] * len(drafter._least)  # nothing ends the search
    whole = len(drafter.draft())
    again = make(CODE * 8, schedule=schedule)
    say(again, CODE * 8 if written > len(CODE * 8) else (CODE * 8)[:written])
    assert len(again.draft()) == whole


def test_steps_grow_narrower_with_rejections():
    """What was rejected in a situation is thought less likely in the next one alike."""
    drafter = make("alpha = beta\n" * 200)
    before = len(drafter.draft())
    for _ in range(8):
        drafter.draft()
        say(drafter, "zz", drafted=40)
        say(drafter, "alpha = beta\n" * 50)
    assert 0 < len(drafter.draft()) < before


@given(st.text("ab c\nd", max_size=80), st.lists(st.text("ab c\nd", max_size=80), min_size=1, max_size=3))
@settings(max_examples=200, deadline=None)
def test_answer_does_not_depend_on_the_drafts(answer, texts):
    """Whatever they are: what the model would write by itself."""
    done, _ = run(answer, *texts)
    assert (done.text, done.finish) == (answer.encode(), "eos")


def test_right_prediction_takes_few_steps():
    """And one that is wrong at one place takes a few more."""
    right, _ = run(CODE, CODE)
    other, _ = run(CODE.replace("beta = 4", "gamma = 44"), CODE)
    assert right.accepted == right.drafted
    assert right.steps < other.steps < right.steps + 16
    one, _ = run(CODE)
    assert one.steps == len(one.tokens)


def test_answer_ends_behind_its_end_tag():
    """What the drafts held behind it is dropped, also where a token goes beyond the tag."""
    done, _ = run("abc</x>abcabc" * 3, "abc</x>abcabc" * 3, end=b"</x>")
    assert (done.text, done.finish) == (b"abc</x>", "end_tag")


def test_token_of_refusal_ends_the_answer_and_tells():
    """Also behind an answer that was begun; another end does not tell so."""
    assert run("alpha\n", "alpha\nbeta", last=CANNOT)[0].finish == "cannot"
    assert run("alpha\n", "alpha\nbeta")[0].finish == "eos"


def test_endless_answer_is_cut_at_its_length():
    """In bytes, to within a step."""
    done, _ = run("alpha\n" * 1000, "alpha\n" * 50, most=300)
    assert done.finish == "endless"
    assert 300 <= len(done.text) < 300 + 64 * 6
