"""Request bodies: bytes of JSON to a `ApplyRequest`, for each of the forms that clients send.

Keys that mean nothing here (``temperature``, ``max_tokens``, ``user`` ...) are passed over, as OpenAI's
servers do with what they do not know. What would make the answer another one than the client expects
(``n`` above 1, two different files) is a `UsageError`.

The one message of Morph's and Relace's clients has instruction, file and edit between tags.

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
from typing import TYPE_CHECKING, Any, NoReturn

from fastapply.errors import UsageError
from fastapply.pipeline.picks import read_picks, read_where
from fastapply.server import read_once
from fastapply.values import dataclass

if TYPE_CHECKING:
    from fastapply.types import Pick

_NAMES = ("filename", "file_name", "fileName", "file_path", "filePath", "path", "target_file")
_INSTRUCTION = re.compile(r"\s*<(instructions?)>")
_CODE = re.compile(r"\s*<code>")
_UPDATE = re.compile(r"\s*<update>")
_CODE_FOLLOWS = r"</{tag}>(?=\s*<(?:code|update)>)"
_UPDATE_FOLLOWS = re.compile(r"</code>\s*<update>")
_END = re.compile(r"</update>\s*\Z")
_BEGINS = re.compile(r"\s*<(?:instructions?|code|update)>")
_OTHER_WAY = "send the parts apart: POST /v1/code/apply, or the file as `prediction`"


@dataclass(frozen=True, slots=True)
class ApplyRequest:
    """An edit to put into a text, and the form of the answer.

    `path` is only a name: it tells the language.
    """

    original: str
    edit: str
    instructions: str = ""
    path: str | None = None
    stream: bool = False
    usage_wanted: bool = False  # in a stream, a last chunk with token counts
    min_certainty: float | None = None  # a lazy merge that is less likely to be right is refused
    smooth: bool = False  # mend small mistakes of the edit itself
    is_first: bool = False  # the server's own, to warm up
    picks: tuple[Pick, ...] = ()  # answers to a refusal
    where: str = ""  # the named piece of the file that the edit is for: "after get"


def read_object(body: bytes) -> dict[str, Any]:
    """Read a JSON object. Raises `UsageError` (``bad_json``), also where a key stands twice."""
    try:
        value = read_once(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the body is not valid JSON: {error}", reason="bad_json") from None
    if not isinstance(value, dict):
        raise UsageError("the body is not a JSON object", reason="bad_json")
    return value


def read_chat(body: dict[str, Any]) -> ApplyRequest:
    """Read the body of a chat completion: one user message, and perhaps a prediction."""
    if body.get("n") not in (None, 1):
        raise UsageError("n must be 1", reason="unsupported")
    message = _user_message(body.get("messages"))
    predicted = _prediction(body.get("prediction"))
    parts = parse_message(message)
    if parts is None and predicted is None:
        raise UsageError(
            "the message has no file",
            reason="bad_message",
            hint="write <code>...</code><update>...</update>, or send the file as `prediction`",
        )
    code, edit = (None, message) if parts is None else (parts.code, parts.update)
    if code is not None and predicted is not None and code != predicted:
        raise UsageError("the message and the prediction have different files", reason="ambiguous_message")
    original = predicted if code is None else code
    if original is None:
        raise UsageError("the message has an edit but no file", reason="bad_message")
    options = body.get("stream_options")
    return ApplyRequest(
        original,
        edit,
        parts.instruction if parts is not None else "",
        _path(body),
        _flag(body, "stream"),
        isinstance(options, dict) and options.get("include_usage") is True,
        _share(body, "min_certainty"),
        _flag(body, "smooth"),
        picks=_picks(body),
        where=_where(body),
    )


def read_apply(body: dict[str, Any]) -> ApplyRequest:
    """Read Relace's body; each key in snake case or camel case."""
    original = _text(body, "initial_code", "initialCode")
    edit = _text(body, "edit_snippet", "editSnippet")
    if original is None or edit is None:
        raise UsageError(
            "the body needs initial_code and edit_snippet", reason="missing_key", hint="both are texts"
        )
    if _flag(body, "stream"):
        raise UsageError(
            "this endpoint does not stream", reason="unsupported", hint="use POST /v1/chat/completions"
        )
    instructions = _text(body, "instruction", "instructions") or ""
    share = _share(body, "min_certainty", "minCertainty")
    return ApplyRequest(
        original,
        edit,
        instructions,
        _path(body),
        min_certainty=share,
        smooth=_flag(body, "smooth"),
        picks=_picks(body),
        where=_where(body),
    )


def _user_message(messages: object) -> str:
    """The text of the one user message; what the system is told says how to answer, and is known here."""
    if not isinstance(messages, list) or not messages:
        raise UsageError("messages must be a non-empty list", reason="missing_key")
    texts: list[str] = []
    for message in messages:
        role = message.get("role") if isinstance(message, dict) else None
        if role == "user":
            texts.append(_content(message.get("content"), "a message's content"))
        elif role != "system" and role != "developer":  # noqa: PLR1714 - it may have no hash
            raise UsageError("messages have the role user, or system", reason="bad_message")
    if len(texts) != 1:
        raise UsageError(f"there must be one user message, not {len(texts)}", reason="bad_message")
    return texts[0]


def _content(content: object, what: str) -> str:
    """A text, or a list of parts that are texts."""
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else None for part in content]
        content = "".join(part if isinstance(part, str) else _no_text(what) for part in parts)
    return _sound(content, what) if isinstance(content, str) else _no_text(what)


def _prediction(prediction: object) -> str | None:
    if prediction is None:
        return None
    content = prediction.get("content") if isinstance(prediction, dict) else None
    return _content(content, "the prediction's content")


def _text(body: dict[str, Any], *names: str) -> str | None:
    """The text that stands under one of the names; the same under several is one."""
    found = {name: body[name] for name in names if body.get(name) is not None}
    for name, value in found.items():
        if not isinstance(value, str):
            _no_text(name)
        _sound(value, name)
    if len(set(found.values())) > 1:
        raise UsageError(f"{' and '.join(found)} differ", reason="ambiguous_message")
    return next(iter(found.values()), None)


def _path(body: dict[str, Any]) -> str | None:
    """A file's name, where the client sends one: its last part, which tells the language."""
    metadata = body.get("metadata")
    for place in (body, metadata if isinstance(metadata, dict) else {}):
        for name in _NAMES:
            value = place.get(name)
            if isinstance(value, str) and value.isprintable():
                return value.replace("\\", "/").rstrip("/").rpartition("/")[2][:255] or None
    return None


def _flag(body: dict[str, Any], name: str) -> bool:
    value = body.get(name)
    if value is not None and not isinstance(value, bool):
        raise UsageError(f"{name} must be true or false", reason="bad_value")
    return value is True


def _picks(body: dict[str, Any]) -> tuple[Pick, ...]:
    """Answers to a refusal: a number, a text such as ``"ID:1"``, or a list of these."""
    given = body.get("pick")
    if given is None:
        return ()
    items = given if isinstance(given, list) else [given]
    if any(isinstance(one, bool) or not isinstance(one, int | str) for one in items):
        raise UsageError('pick must be a number, "ID:N", or a list of these', reason="bad_value")
    try:
        picks = read_picks(given)
    except UsageError as error:
        raise UsageError(error.message, reason="bad_value", hint=error.hint) from None
    if any(one.number < 1 for one in picks):
        raise UsageError("pick counts from 1", reason="bad_value")
    return picks


def _where(body: dict[str, Any]) -> str:
    """Where the edit goes: ``"after Store.get"``."""
    given = _text(body, "where") or ""
    try:
        return str(read_where(given)) if given else ""
    except UsageError as error:
        raise UsageError(error.message, reason="bad_value", hint=error.hint) from None


def _share(body: dict[str, Any], *names: str) -> float | None:
    """The number from 0 to 1 that stands under one of the names."""
    value = next((body[name] for name in names if body.get(name) is not None), None)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UsageError(f"{names[0]} must be a number from 0 to 1", reason="bad_value")
    return float(value)


def _sound(text: str, what: str) -> str:
    """Refuse half a surrogate pair and NUL: no file of text holds them, and no answer could."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise UsageError(f"{what} contains half a surrogate pair", reason="bad_text") from None
    if "\0" in text:
        raise UsageError(f"{what} is binary (contains a NUL)", reason="bad_text")
    return text


def _no_text(what: str) -> NoReturn:
    raise UsageError(f"{what} must be a text", reason="bad_value")


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
