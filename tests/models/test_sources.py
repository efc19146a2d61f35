"""Texts to draft from: their tokens, where drafts stop, and where a model may go on otherwise."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fastapply.models.draft import GUESSED, LENGTHS, Source, draft_sources, find_forks, find_guesses
from fastapply.models.engine import Drafts

END = 256


def tokenise(text):
    """A token for each byte."""
    return list(text)


def piece(token):
    """Its byte."""
    return b"" if token == END else bytes([token])


def sources_of(predicted, original, edit, style="nano"):
    """The three sources of an answer."""
    return draft_sources(Drafts(predicted, original, edit), style, tokenise, piece, END)


def behind(source, text):
    """What is drafted behind the first place of a text, with what ends an answer as ``$``."""
    at = source.text.index(text.encode()) + len(text)
    tokens, sizes, kinds = source.tokens_from(at, 99)
    assert len(tokens) == len(sizes) == len(kinds)
    return "".join("$" if token == END else chr(token) for token in tokens)


def test_whole_answers_end_with_the_token_that_ends_them():
    """The prediction, and the original as an answer; the edit does not."""
    predicted, original, edit = sources_of("a\nx\nb", "a\nb\n", "a\nx\n")
    assert (behind(predicted, "a"), behind(original, "a")) == ("\nx\nb$", "\nb$")
    assert behind(edit, "a") == "\nx"
    assert edit.ends_at(3)
    assert not original.ends_at(3)


def test_original_is_a_source_as_the_model_would_write_it():
    """With the tags of the style."""
    _, original, _ = sources_of("<updated-code>a\n</updated-code>", "b\n", "a\n", "kortix")
    assert original.text == b"<updated-code>b\n</updated-code>"


def test_nothing_is_drafted_that_only_the_edit_has():
    """Lazy markers, and the fences of SEARCH/REPLACE blocks."""
    _, _, edit = sources_of(
        "", "", "one\n    # ... existing code ...\ntwo\n=======\nthree\n>>>>>>> REPLACE\n"
    )
    assert [behind(edit, text) for text in ("one", "two", "three")] == ["\n"] * 3
    assert edit.ends_at(edit.text.index(b"\n") + 1)


def test_place_within_a_token_is_made_into_tokens_anew():
    """Up to where the next token begins."""
    words = {1: b"abc", 2: b"bc", 3: b"d"}

    def by_words(text):
        found = []
        while text:
            token = next(token for token, word in words.items() if text.startswith(word))
            found.append(token)
            text = text.removeprefix(words[token])
        return found

    source = Source(b"abcd", by_words, words.__getitem__)
    assert source.tokens_from(0, 9) == ([1, 3], [3, 1], [0, 0])
    assert source.tokens_from(1, 9) == ([2, 3], [2, 1], [0, 0])
    assert source.tokens_from(1, 1) == ([2], [2], [0])
    assert source.tokens_from(4, 9) == ([], [], [])


def test_fork_is_where_the_same_words_go_on_otherwise():
    """Longer ones count for more; what is the same goes on without a fork."""
    assert find_forks([[1, 2, 3, 4, 5, 1, 2, 3, 4, 6]]) == [[0, 0, 0, 0, 1, 0, 0, 0, 0, 1]]
    assert find_forks([[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]]) == [[0] * 5] * 2
    assert find_forks([[1, 2, 3, 4], [1, 2, 3, 4, 5]]) == [[0] * 4, [0, 0, 0, 0, 1]]
    eight = [1, 2, 3, 4, 5, 6, 7, 8]
    assert find_forks([[*eight, 9], [*eight, 10], []]) == [[*[0] * 8, 2], [*[0] * 8, 2], []]
    assert find_forks([]) == []


@given(st.lists(st.lists(st.integers(0, 1), max_size=40), max_size=3))
def test_forks_are_those_of_looking_at_each_pair_of_places(texts):
    """Of all texts together."""
    places = [(number, at) for number, text in enumerate(texts) for at in range(len(text))]
    wanted = [[0] * len(text) for text in texts]
    for length in LENGTHS:
        seen: dict[tuple[int, ...], set[int]] = {}
        for number, text in enumerate(texts):
            for at in range(length, len(text) + 1):
                behind_it = text[at] if at < len(text) else -1 - number
                seen.setdefault(tuple(text[at - length : at]), set()).add(behind_it)
        for number, at in [(number, at) for number, at in places if at >= length]:
            wanted[number][at] += len(seen[tuple(texts[number][at - length : at])]) > 1
    assert find_forks(texts) == wanted


def test_guess_is_where_two_lines_meet_in_the_prediction_alone():
    """Not where the file or the edit shows them beside each other."""
    assert find_guesses(["a", "b", "é", "c"], ["a", "b", "c"], ["b", "é"]) == [len("a\nbé\n".encode())]


def test_first_words_behind_a_guess_are_doubtful():
    """The line feed, the indentation, and the first token of the line."""
    predicted, _, _ = sources_of("a\n  b\nc", "a\nc\n", "  b\n# ...\n")
    assert [kind == GUESSED for kind in predicted.kinds] == [
        *(False, True, True, True, True),  # a, and up to b
        *(True, True),  # the line feed and c
        False,  # the end
    ]
