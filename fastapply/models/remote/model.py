"""A model on a server as an `ApplyModel`: one chat completion an answer, and what it came to."""

from __future__ import annotations

import atexit
import threading
import time
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fastapply.errors import ModelTrouble
from fastapply.models.engine import Completion
from fastapply.models.remote.endpoint import style_of
from fastapply.models.remote.transport import Transport
from fastapply.types import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapply.models.engine import Task
    from fastapply.models.prompts import StyleName
    from fastapply.models.remote.endpoint import Endpoint
    from fastapply.types import Finish


_opened: dict[Endpoint, RemoteModel] = {}
_opening = threading.Lock()


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
