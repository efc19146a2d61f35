"""The one message of Morph's and Relace's clients: instruction, file and edit between tags.

    <instruction>Round the total.</instruction>
    <code>
    ...the file, to the byte...</code>
    <update>...the edit...</update>

The instruction may be missing (``<instructions>`` is understood as well). What stands between the tags
is taken as it is, a line end behind ``<code>`` included. The outermost tags decide, so that file and edit
may hold such tags themselves; where the text can be divided in two ways, neither is taken.
"""

from __future__ import annotations

import re

from fastapply.errors import UsageError
from fastapply.values import dataclass

_INSTRUCTION = re.compile(r"\s*<(instructions?)>")
_CODE = re.compile(r"\s*<code>")
_UPDATE = re.compile(r"\s*<update>")
_CODE_FOLLOWS = r"</{tag}>(?=\s*<(?:code|update)>)"
_UPDATE_FOLLOWS = re.compile(r"</code>\s*<update>")
_END = re.compile(r"</update>\s*\Z")
_BEGINS = re.compile(r"\s*<(?:instructions?|code|update)>")
_OTHER_WAY = "send the parts apart: POST /v1/code/apply, or the file as `prediction`"


@dataclass(frozen=True, slots=True)
class Parts:
    """What a message holds; `code` is None where it holds no file."""

    instruction: str
    code: str | None
    update: str


def parse_message(text: str) -> Parts | None:
    r"""Divide a message; None for one without tags.

    ``"<code>a\n</code>\n<update>b\n</update>"`` gives ``Parts("", "a\n", "b\n")``. Raises `UsageError`:
    ``bad_message`` for one that begins or ends like the form and is not, ``ambiguous_message`` for one
    that can be divided in two ways.
    """
    if not _BEGINS.match(text) and not _END.search(text):
        return None
    instruction, rest = _instruction(text)
    end = _END.search(rest)
    if end is None:
        raise _bad("does not end with </update>")
    rest = rest[: end.start()]
    begin = _UPDATE.match(rest)
    if begin is not None:
        return Parts(instruction, None, rest[begin.end() :])
    begin = _CODE.match(rest)
    if begin is None:
        raise _bad("has no <code> before its <update>")
    rest = rest[begin.end() :]
    between = list(_UPDATE_FOLLOWS.finditer(rest))
    if not between:
        raise _bad("has no </code> that <update> follows")
    if len(between) > 1:
        raise _ambiguous("the file or the edit contains </code> followed by <update>")
    return Parts(instruction, rest[: between[0].start()], rest[between[0].end() :])


def _instruction(text: str) -> tuple[str, str]:
    """Take the instruction off the front."""
    begin = _INSTRUCTION.match(text)
    if begin is None:
        return "", text
    rest = text[begin.end() :]
    ends = list(re.finditer(_CODE_FOLLOWS.format(tag=begin[1]), rest))
    if not ends:
        raise _bad(f"has no </{begin[1]}> that <code> follows")
    if len(ends) > 1:
        raise _ambiguous(f"it contains </{begin[1]}> followed by <code> more than once")
    return rest[: ends[0].start()].strip(), rest[ends[0].end() :]


def _bad(why: str) -> UsageError:
    return UsageError(
        f"the message {why}",
        reason="bad_message",
        hint="write <instruction>...</instruction><code>...</code><update>...</update>",
    )


def _ambiguous(why: str) -> UsageError:
    return UsageError(f"the message is ambiguous: {why}", reason="ambiguous_message", hint=_OTHER_WAY)
