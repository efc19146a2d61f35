"""A model on a server as an `ApplyModel`: one chat completion an answer, and what it came to.

Tried again are connections that failed, and 408, 425, 429 and 5xx but 501; the pause doubles, varies, and
is at least what ``Retry-After`` asks for. Redirects are not followed: code and key go where the user said.
"""

from __future__ import annotations

import atexit
import json
import random
import threading
import time
from functools import cached_property
from typing import TYPE_CHECKING, Any

import httpx2

from fastapply.errors import ModelTrouble, Refused
from fastapply.models.engine import Completion
from fastapply.models.remote.endpoint import style_of
from fastapply.types import Usage
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapply.models.engine import Task
    from fastapply.models.prompts import StyleName
    from fastapply.models.remote.endpoint import Endpoint
    from fastapply.types import Finish


_opened: dict[Endpoint, RemoteModel] = {}
_opening = threading.Lock()
_ATTEMPTS = 5
_FIRST_PAUSE = 0.25  # seconds
_LONGEST_PAUSE = 20.0
_CONNECT = 10.0
_MOST = 32 * 1024 * 1024  # bytes of an answer
_SHOWN = 300  # characters of an error of the server's
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 529})


def open_remote(endpoint: Endpoint) -> RemoteModel:
    """The model of an endpoint; one for all merges of a process, so that its connections are used again."""
    with _opening:
        if endpoint not in _opened:
            _opened[endpoint] = RemoteModel(endpoint)
        return _opened[endpoint]


@atexit.register
def close_remotes() -> None:
    """Give the connections of all models up."""
    with _opening:
        while _opened:
            _opened.popitem()[1].close()


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """A status and the bytes that came with it."""

    status: int
    data: bytes
    retry_after: float = 0.0  # seconds

    @property
    def text(self) -> str:
        """The bytes as text for people, whatever they are."""
        return self.data.decode("utf-8", "replace")


class Transport:
    """Asks one endpoint; may be used by several threads."""

    def __init__(self, endpoint: Endpoint, *, pause: Callable[[float], object] = time.sleep) -> None:
        self._endpoint = endpoint
        self._pause = pause
        headers = {"Accept": "application/json", "User-Agent": "fastapply"}
        if endpoint.key.reveal():
            headers["Authorization"] = f"Bearer {endpoint.key.reveal()}"
        self._client = httpx2.Client(headers=headers, follow_redirects=False)

    def close(self) -> None:
        """Give the connections up."""
        self._client.close()

    def get(self, path: str) -> dict[str, Any]:
        """Ask for an object. Raises `ModelTrouble` as `post` does."""
        return self._ask("GET", path, None)

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send an object and give the one that comes back.

        Raises `ModelTrouble`: ``endpoint_unreachable``, ``endpoint_slow``, ``endpoint_busy`` (after all
        attempts), ``endpoint_denied`` (the key), ``endpoint_refused`` (the request), ``endpoint_broken`` (an
        answer that makes no sense). Raises `Refused` (``answer_cannot``) where the server is another
        fastapply that refuses the edit.
        """
        return self._ask("POST", path, json.dumps(body).encode())

    def _ask(self, method: str, path: str, data: bytes | None) -> dict[str, Any]:
        deadline = time.monotonic() + self._endpoint.timeout
        pause = _FIRST_PAUSE
        for attempt in range(1, _ATTEMPTS + 1):
            answer, trouble = self._try(method, path, data, deadline)
            if answer is not None and answer.status not in _AGAIN:
                return self._read(answer)
            if answer is not None:
                trouble = self._trouble(
                    "endpoint_busy", f"answers with {answer.status}: {self._said(answer)}"
                )
            assert trouble is not None  # noqa: S101 - there is an answer or a trouble
            wait = max(random.uniform(pause / 2, pause), answer.retry_after if answer else 0.0)  # noqa: S311
            if attempt == _ATTEMPTS or wait > _LONGEST_PAUSE or time.monotonic() + wait >= deadline:
                raise trouble
            self._pause(wait)
            pause *= 2
        raise AssertionError  # the last attempt returns or raises

    def _try(
        self, method: str, path: str, data: bytes | None, deadline: float
    ) -> tuple[ServerAnswer | None, ModelTrouble | None]:
        """One attempt: an answer, or why there is none."""
        left = max(deadline - time.monotonic(), 0.01)
        timeout = httpx2.Timeout(left, connect=min(left, _CONNECT))
        headers = {"Content-Type": "application/json"} if data is not None else {}
        address = f"{self._endpoint.url}{path}"
        received = bytearray()
        try:
            with self._client.stream(
                method, address, content=data, headers=headers, timeout=timeout
            ) as response:
                for piece in response.iter_bytes():
                    received += piece
                    if len(received) > _MOST:
                        raise self._trouble("endpoint_broken", f"answers with more than {_MOST} bytes")
                    if time.monotonic() > deadline:
                        raise self._slow()
        except httpx2.ConnectTimeout:
            return None, self._trouble("endpoint_unreachable", "refused the connection")
        except httpx2.TimeoutException:
            raise self._slow() from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            return None, self._trouble("endpoint_unreachable", f"cannot be asked: {_one_line(str(error))}")
        after = response.headers.get("retry-after", "")
        seconds = float(after) if after.isdecimal() and len(after) < 9 else 0.0
        return ServerAnswer(response.status_code, bytes(received), seconds), None

    def _read(self, answer: ServerAnswer) -> dict[str, Any]:
        if answer.status in {401, 403}:
            raise self._trouble(
                "endpoint_denied",
                f"rejected the key: {self._said(answer)}",
                hint="set FASTAPPLY_ENDPOINT_KEY",
            )
        if answer.status == 422 and _refuses(answer.text):
            raise Refused(
                f"the server {self._endpoint.host} refused: {self._said(answer)}", reason="answer_cannot"
            )
        if not 200 <= answer.status < 300:
            raise self._trouble("endpoint_refused", f"answers with {answer.status}: {self._said(answer)}")
        try:
            value = json.loads(answer.data.decode("utf-8"))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise self._trouble("endpoint_broken", f"answers with no JSON object: {self._said(answer)}")
        return value

    def _said(self, answer: ServerAnswer) -> str:
        """What the server says about an error, on one line and without the key."""
        text = answer.text
        try:
            error = json.loads(text).get("error")
            text = error["message"] if isinstance(error, dict) else error if isinstance(error, str) else text
        except (ValueError, RecursionError, AttributeError, KeyError):
            pass
        return _one_line(self._endpoint.key.hidden_in(str(text))) or "nothing"

    def _slow(self) -> ModelTrouble:
        return self._trouble(
            "endpoint_slow",
            f"gave no answer in {self._endpoint.timeout:g} seconds",
            hint="raise --model-timeout or FASTAPPLY_ENDPOINT_TIMEOUT",
        )

    def _trouble(self, reason: str, what: str, *, hint: str = "") -> ModelTrouble:
        return ModelTrouble(f"the server {self._endpoint.host} {what}", reason=reason, hint=hint)


def _refuses(text: str) -> bool:
    """Whether it is the error of another `fastapply serve` that is not certain."""
    try:
        return bool(json.loads(text)["error"]["type"] == "refused")
    except (ValueError, RecursionError, LookupError, TypeError):
        return False


def _one_line(text: str) -> str:
    shown = "".join(character if character.isprintable() else " " for character in text[: 4 * _SHOWN])
    line = " ".join(shown.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."


class RemoteModel:
    """The model that an endpoint names, or the only one that its server has.

    No stop text is sent: servers cut it off the answer, which then cannot be told from one that was cut
    within. Raises `ModelTrouble` as `Transport.post` does, and ``no_model`` where it is not clear which
    model is meant.
    """

    context_length = 0  # the server knows, and says so

    def __init__(self, endpoint: Endpoint, *, pause: Callable[[float], object] = time.sleep) -> None:
        self._endpoint = endpoint
        self._transport = Transport(endpoint, pause=pause)

    @property
    def name(self) -> str:
        """The model and where it is."""
        return f"{self._model} at {self._endpoint.host}"

    @property
    def style(self) -> StyleName:
        """The prompt that was chosen, or the one that goes with the model's name."""
        return self._endpoint.style or style_of(self._model)

    @cached_property
    def _model(self) -> str:
        """The model's name on the server, which is asked for it once where it has to be."""
        return self._endpoint.model or _only_model(self._transport, self._endpoint)

    def close(self) -> None:
        """Give the connections up."""
        self._transport.close()

    def complete(self, task: Task) -> Completion:
        """Write the answer to a prompt."""
        messages = [{"role": message.role, "content": message.text} for message in task.prompt.messages]
        body = {"temperature": 0, **self._endpoint.options, "model": self._model, "messages": messages}
        started = time.perf_counter()
        answer = self._transport.post("/chat/completions", {**body, "stream": False})
        text, finish = self._read(answer)
        seconds = time.perf_counter() - started
        usage = answer.get("usage")
        tokens = usage if isinstance(usage, dict) else {}
        return Completion(
            text,
            "endless" if len(text) > task.longest else finish,
            Usage(
                prompt_tokens=_count(tokens.get("prompt_tokens")),
                output_tokens=_count(tokens.get("completion_tokens")),
                seconds=seconds,
            ),
        )

    def _read(self, answer: dict[str, Any]) -> tuple[str, Finish]:
        """The text of the one choice, and why it ended."""
        choices = answer.get("choices")
        choice = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
        message = choice.get("message") if isinstance(choice, dict) else None
        text = message.get("content") if isinstance(message, dict) else None
        if not isinstance(choice, dict) or not isinstance(text, str):
            raise self._broken("its answer holds no text")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise self._broken("its answer contains half a surrogate pair") from None
        finish = choice.get("finish_reason")
        if finish == "length":
            return text, "length"
        if finish != "stop":
            raise self._broken(f"it stopped for {str(finish)[:40]!r}")
        return text, "eos"

    def _broken(self, why: str) -> ModelTrouble:
        return ModelTrouble(f"{self.name}: {why}", reason="endpoint_broken")


def _only_model(transport: Transport, endpoint: Endpoint) -> str:
    listed = transport.get("/models").get("data")
    names = [one.get("id") for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    known = [name for name in names if isinstance(name, str) and name.isprintable()]
    if len(known) != 1:
        shown = ", ".join(known[:8]) or "none"
        raise ModelTrouble(
            f"the server {endpoint.host} does not list exactly one model: {shown}",
            reason="no_model",
            hint="name one with --model or FASTAPPLY_ENDPOINT_MODEL",
        )
    return known[0]


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
