from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastapply.errors import FileTrouble
from fastapply.text import SourceText, decode, encode, from_text, splice, split_lines
from fastapply.types import Splice

_CHARACTERS = st.text(st.sampled_from("ab é€😀\t\x0c\u2028\r\n"), max_size=40)
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"", SourceText((), ()), id="empty"),
        pytest.param(b"a\nb\n", SourceText(("a", "b"), ("\n", "\n")), id="lf"),
        pytest.param(b"a\r\nb", SourceText(("a", "b"), ("\r\n", "")), id="crlf_without_final_newline"),
        pytest.param(
            b"a\r\nb\nc\rd", SourceText(("a", "b", "c", "d"), ("\r\n", "\n", "\r", "")), id="mixed_ends"
        ),
        pytest.param(b"\n\n", SourceText(("", ""), ("\n", "\n")), id="blank_lines"),
        pytest.param(
            b"a\x0cb\xe2\x80\xa8c\n", SourceText(("a\x0cb\u2028c",), ("\n",)), id="other_breaks_are_text"
        ),
        pytest.param(
            b"\xef\xbb\xbfa\n", SourceText(("a",), ("\n",), "utf-8", b"\xef\xbb\xbf"), id="utf8_with_mark"
        ),
        pytest.param(
            b"\xff\xfea\x00\n\x00", SourceText(("a",), ("\n",), "utf-16-le", b"\xff\xfe"), id="utf16_little"
        ),
        pytest.param(
            b"\xfe\xff\x00a\x00\n", SourceText(("a",), ("\n",), "utf-16-be", b"\xfe\xff"), id="utf16_big"
        ),
        pytest.param(b"caf\xe9\n", SourceText(("café",), ("\n",), "latin-1"), id="latin1"),
        pytest.param(b"\x80\x9f\n", SourceText(("\x80\x9f",), ("\n",), "latin-1"), id="any_other_byte"),
    ],
)
def test_bytes_become_lines_and_the_same_bytes_again(data, expected):
    """Encoding, mark and every line's end are found, and nothing is lost on the way back."""
    source = decode(data)

    assert (source, encode(source)) == (expected, data)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x7fELF\x00\x01", id="nul"),
        pytest.param(b"\xff\xfe\x00\x00a\x00\x00\x00", id="utf32"),
        pytest.param(b"\xff\xfea\x00b", id="utf16_with_an_odd_byte"),
        pytest.param(b"\xff\xfe\x00\xd8a\x00", id="utf16_with_half_a_pair"),
        pytest.param(b"\xef\xbb\xbfa\x00", id="nul_behind_a_utf8_mark"),
    ],
)
def test_bytes_with_a_nul_are_binary(data):
    """A NUL that is not half of a UTF-16 character is no text."""
    with pytest.raises(FileTrouble) as caught:
        decode(data)

    assert caught.value.reason == "binary"


def test_a_character_that_the_encoding_has_not_is_refused_and_named():
    """A Latin-1 file cannot hold a euro sign."""
    source = splice(decode(b"caf\xe9\n"), [Splice(1, 1, ("5 €",))])

    with pytest.raises(FileTrouble) as caught:
        encode(source)

    assert (caught.value.reason, caught.value.message) == (
        "encoding",
        "the file is latin-1, which cannot encode '€' of the edit",
    )


@pytest.mark.parametrize(
    ("data", "splices", "expected"),
    [
        pytest.param(b"a\nb\nc\n", [Splice(1, 2, ("x", "y"))], b"a\nx\ny\nc\n", id="replace"),
        pytest.param(
            b"a\r\nb\r\n", [Splice(1, 1, ("x",))], b"a\r\nx\r\nb\r\n", id="new_lines_take_the_files_end"
        ),
        pytest.param(
            b"a\nb\r\nc\r\n", [Splice(2, 2, ("x",))], b"a\nb\r\nx\r\nc\r\n", id="kept_lines_keep_their_ends"
        ),
        pytest.param(b"a\nb", [Splice(1, 2, ("x",))], b"a\nx", id="no_final_newline_stays"),
        pytest.param(b"a\nb", [Splice(2, 2, ("x",))], b"a\nb\nx", id="no_final_newline_moves_down"),
        pytest.param(b"a\nb", [Splice(1, 2, ())], b"a", id="no_final_newline_moves_up"),
        pytest.param(b"a\n", [Splice(0, 1, ())], b"", id="all_removed"),
        pytest.param(b"", [Splice(0, 0, ("x",))], b"x\n", id="first_line_of_an_empty_file"),
        pytest.param(b"a\nb\n", [], b"a\nb\n", id="nothing"),
        pytest.param(
            b"\xff\xfea\x00\r\x00\n\x00",
            [Splice(1, 1, ("é",))],
            b"\xff\xfea\x00\r\x00\n\x00\xe9\x00\r\x00\n\x00",
            id="utf16",
        ),
    ],
)
def test_spliced_lines_fit_the_file(data, splices, expected):
    """New lines take the file's line end and encoding, and all else stays."""
    assert encode(splice(decode(data), splices)) == expected


@pytest.mark.parametrize(
    "splices",
    [
        pytest.param([Splice(1, 2, ()), Splice(0, 1, ())], id="backwards"),
        pytest.param([Splice(0, 2, ()), Splice(1, 2, ())], id="overlapping"),
        pytest.param([Splice(1, 3, ())], id="behind_the_end"),
        pytest.param([Splice(1, 0, ())], id="inside_out"),
    ],
)
def test_splices_out_of_order_are_a_bug_of_the_caller(splices):
    """A merge never hands over splices that overlap."""
    with pytest.raises(ValueError, match="out of order"):
        splice(from_text("a\nb\n"), splices)


@given(st.binary(max_size=200).map(lambda data: data.replace(b"\0", b"")))
def test_any_bytes_without_nul_survive(data):
    """Whatever encoding is found, the same bytes come out (a UTF-16 guess may say binary)."""
    try:
        source = decode(data)
    except FileTrouble:
        assert data.startswith(_UTF16_BOMS)
    else:
        assert encode(source) == data


@given(st.binary(max_size=200))
def test_any_bytes_survive_or_are_binary(data):
    """Random bytes are a text or a clear refusal, and only a NUL is a reason for that."""
    try:
        source = decode(data)
    except FileTrouble:
        assert b"\0" in data
    else:
        assert encode(source) == data


@given(_CHARACTERS, st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]))
def test_any_text_survives_in_any_unicode_encoding(text, encoding):
    """Lines with their ends make up the text again, in all encodings with a mark."""
    bom = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}[encoding]
    data = bom + text.encode(encoding)

    source = decode(data)

    assert (source.text, source.encoding, encode(source)) == (text, encoding, data)


@given(_CHARACTERS)
def test_only_the_last_line_may_have_no_end(text):
    """Lines hold no line end, and only the last can lack one."""
    lines, endings = split_lines(text)

    assert not any("\r" in line or "\n" in line for line in lines)
    assert all(endings[:-1])


@given(_CHARACTERS, st.data())
def test_a_splice_keeps_every_other_line_and_its_end(text, data):
    """Lines outside of the splice keep their bytes; only a missing final newline may move."""
    source = from_text(text)
    start = data.draw(st.integers(0, len(source.lines)))
    end = data.draw(st.integers(start, len(source.lines)))
    new = tuple(data.draw(st.lists(st.text("ab é", max_size=3), max_size=3)))

    result = splice(source, [Splice(start, end, new)])

    tail = len(source.lines) - end
    assert result.lines == source.lines[:start] + new + source.lines[end:]
    assert result.endings[:start][:-1] == source.endings[:start][:-1]
    assert result.endings[len(result.endings) - tail :] == source.endings[end:]
    assert not result.lines or result.final_newline == source.final_newline
    assert all(result.endings[:-1])


@pytest.mark.parametrize(
    ("splices", "after"),
    [
        ([Splice(1, 2, ("B",))], "a\r\nB\nc\r\nd"),
        ([Splice(1, 2, ("x", "b"))], "a\r\nx\r\nb\nc\r\nd"),
        ([Splice(1, 2, ("B", "x"))], "a\r\nB\nx\r\nc\r\nd"),
        ([Splice(0, 3, ("A", "c"))], "A\r\nc\r\nd"),
        ([Splice(2, 2, ("x",))], "a\r\nb\nx\r\nc\r\nd"),
        ([Splice(3, 4, ("D", "e"))], "a\r\nb\nc\r\nD\r\ne"),
    ],
    ids=["replaced", "added above", "added below", "fewer lines", "added", "at the end"],
)
def test_line_that_replaces_another_gets_its_end(splices, after):
    """In a file of mixed line ends; lines that are added get what most lines have."""
    assert splice(from_text("a\r\nb\nc\r\nd"), splices).text == after
