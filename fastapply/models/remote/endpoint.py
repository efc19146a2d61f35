"""Where a remote model is: an address, a model's name, a key, and how long to wait.

From options, else from the environment, and from nowhere else: a file of a project must not be able to
send code away.

The variables, ``FASTAPPLY_ENDPOINT`` and those that begin so, are explained in `help/servers.md`.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fastapply.errors import UsageError
from fastapply.models.prompts import STYLES
from fastapply.models.remote import ENDPOINT_VARIABLE as VARIABLE
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapply.models.prompts import StyleName

_TIMEOUT = 120.0  # seconds
_OURS = ("model", "messages", "stream", "n")
_STYLE_BY_NAME: tuple[tuple[str, StyleName], ...] = (
    ("fastedit", "fastedit"),
    ("fast-apply", "kortix"),
    ("fastapply-", "kortix"),
    ("osmosis", "osmosis"),
    ("aixapply", "aixapply"),
    ("morph", "morph"),
    ("relace", "morph"),
)


class Secret:
    """A key that shows itself only where it is asked to."""

    __slots__ = ("_value",)

    def __init__(self, value: str = "") -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Secret(***)" if self._value else "Secret()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def reveal(self) -> str:
        """Give the key, for a header."""
        return self._value

    def hidden_in(self, text: str) -> str:
        """A text with the key taken out: servers like to repeat what they were sent."""
        return text.replace(self._value, "***") if self._value else text


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server and a model on it. `url` ends before ``/chat/completions``; `body` is JSON."""

    url: str
    model: str = ""
    key: Secret = Secret()
    style: StyleName | None = None
    timeout: float = _TIMEOUT
    body: str = "{}"

    @property
    def host(self) -> str:
        """The server's name, for people."""
        return urlsplit(self.url).netloc

    @property
    def options(self) -> dict[str, Any]:
        """What is added to the body of each request."""
        added: dict[str, Any] = json.loads(self.body)
        return added


def find_endpoint(
    url: str | None = None, model: str | None = None, environment: Mapping[str, str] = os.environ
) -> Endpoint | None:
    """The endpoint that options and environment name; None where there is none.

    Raises `UsageError` (``bad_endpoint``) for an address, a style or a body that is none.
    """
    address = url if url is not None else environment.get(VARIABLE)
    if not address:
        return None
    return Endpoint(
        _base(address),
        model or environment.get(f"{VARIABLE}_MODEL", ""),
        _key(environment.get(f"{VARIABLE}_KEY", "")),
        _style(environment.get(f"{VARIABLE}_STYLE", "")),
        _seconds(environment.get(f"{VARIABLE}_TIMEOUT", "")),
        _body(environment.get(f"{VARIABLE}_BODY", "")),
    )


def style_of(model: str) -> StyleName:
    """The prompt that a model of this name was trained on; ``instruct`` where the name says nothing.

    ``fastapply`` alone is another `fastapply serve`, which takes the prompt of Morph's models.
    """
    name = model.lower().rpartition("/")[2]
    if name == "fastapply":
        return "morph"
    return next((style for part, style in _STYLE_BY_NAME if part in name), "instruct")


def _base(address: str) -> str:
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        parts, usable = urlsplit(""), None
    if not usable or "@" in parts.netloc or parts.query or parts.fragment or not address.isprintable():
        raise UsageError(
            "the endpoint is not a URL",
            reason="bad_endpoint",
            hint="write it as http://gpu-box:8000/v1; set the key with FASTAPPLY_ENDPOINT_KEY",
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return f"{parts.scheme}://{parts.netloc}{path or '/v1'}"


def _key(key: str) -> Secret:
    if not key.isascii() or not key.isprintable():
        raise UsageError("the endpoint key must be printable ASCII", reason="bad_endpoint")
    return Secret(key.strip())


def _style(style: str) -> StyleName | None:
    for known in STYLES:
        if style == known and known != "nano":  # its prompt is made of tokens, not of messages
            return known
    if style:
        names = ", ".join(known for known in STYLES if known != "nano")
        raise UsageError(
            f"{VARIABLE}_STYLE does not know {style!r}",
            reason="bad_endpoint",
            hint=f"the styles are: {names}",
        )
    return None


def _seconds(text: str) -> float:
    try:
        seconds = float(text) if text else _TIMEOUT
    except ValueError:
        seconds = 0
    if not 0 < seconds < 86400:
        raise UsageError(f"{VARIABLE}_TIMEOUT must be a number of seconds", reason="bad_endpoint")
    return seconds


def _body(text: str) -> str:
    try:
        added = json.loads(text or "{}")
    except ValueError:
        added = None
    if not isinstance(added, dict) or any(key in added for key in _OURS):
        raise UsageError(
            f"{VARIABLE}_BODY must be a JSON object without {', '.join(_OURS)}", reason="bad_endpoint"
        )
    return json.dumps(added)
