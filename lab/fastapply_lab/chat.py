"""One question to a language model on a server that speaks OpenAI's chat completions, and its answer as text.

For questions about edits, not for merging: what a model merges goes through `fastapply.models`. Retries, time
limits and keys are those of `fastapply.models.remote`.
"""

from __future__ import annotations

import json
import re
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from fastapply.errors import ModelTrouble
from fastapply.models.remote.model import Transport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fastapply.models.remote.endpoint import Endpoint

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")
_THOUGHT = re.compile(r"^\s*<think>.*?</think>\s*", re.DOTALL)
_FORMS: tuple[Callable[[Mapping[str, Any]], dict[str, Any]], ...] = (
    lambda schema: {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": schema},
    },
    lambda schema: {"type": "json_object", "schema": schema},  # llama-cpp-python's server
)
"""How servers want to be told a schema, tried in this order."""
OF_ONE_QUESTION = frozenset({"endpoint_refused", "endpoint_broken", "endpoint_slow", "answer_cannot"})
"""Trouble that may come from what is asked: a prompt that is too long, an answer that a filter stopped."""
MOST_TROUBLE = 5
"""So many troubles in a row are the server's."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered, without its thoughts."""

    text: str
    seconds: float
    prompt_tokens: int
    output_tokens: int


class Chat:
    """The model that an endpoint names, or the only one of its server; several threads may ask it."""

    def __init__(self, endpoint: Endpoint, *, pause: Callable[[float], object] = time.sleep) -> None:
        self._endpoint = endpoint
        self._transport = Transport(endpoint, pause=pause)
        self._model = endpoint.model
        self._form = 0  # of `_FORMS`, the first that the server has not refused

    @property
    def model(self) -> str:
        """The model's name on its server. Raises `ModelTrouble` (``no_model``) where it has not one."""
        if not self._model:
            listed = self._transport.get("/models").get("data")
            names = (
                [one.get("id") for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
            )
            if len(names) != 1 or not isinstance(names[0], str):
                raise ModelTrouble(
                    f"the server {self._endpoint.host} does not list exactly one model",
                    reason="no_model",
                    hint="name one with --model",
                )
            self._model = names[0]
        return self._model

    def close(self) -> None:
        """Give the connections up."""
        self._transport.close()

    def ask(
        self, system: str, question: str, *, schema: Mapping[str, Any] | None = None, temperature: float = 0
    ) -> Reply:
        """The answer to a question; with a schema, one that should be such an object.

        A server that knows no schemas is asked without. Raises `ModelTrouble` as `Transport.post` does, and
        ``endpoint_broken`` for an answer without text, or one that was cut off.
        """
        body: dict[str, Any] = {
            "temperature": temperature,
            **self._endpoint.options,
            "model": self.model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": question}],
            "stream": False,
        }
        started = time.perf_counter()
        answer = self._post(body, schema)
        usage = answer.get("usage")
        tokens = usage if isinstance(usage, dict) else {}
        return Reply(
            self._text(answer),
            time.perf_counter() - started,
            _count(tokens.get("prompt_tokens")),
            _count(tokens.get("completion_tokens")),
        )

    def _post(self, body: dict[str, Any], schema: Mapping[str, Any] | None) -> dict[str, Any]:
        """Send a body with the schema in the form that this server takes."""
        while schema is not None and self._form < len(_FORMS):
            form = self._form
            try:
                return self._transport.post(
                    "/chat/completions", {**body, "response_format": _FORMS[form](schema)}
                )
            except ModelTrouble as trouble:
                if trouble.reason != "endpoint_refused" and "response_format" not in trouble.message:
                    raise
                last = trouble
            self._form = max(self._form, form + 1)
            if self._form == len(_FORMS):
                return self._without(body, last)
        return self._transport.post("/chat/completions", body)

    def _without(self, body: dict[str, Any], last: ModelTrouble) -> dict[str, Any]:
        """Ask without a schema; a server that refuses that as well has refused the question, not the form."""
        try:
            return self._transport.post("/chat/completions", body)
        except ModelTrouble as trouble:
            if trouble.reason == "endpoint_refused":
                self._form = 0
                raise last from None
            raise

    def _text(self, answer: dict[str, Any]) -> str:
        choices = answer.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        text = message.get("content") if isinstance(message, dict) else None
        if not isinstance(choice, dict) or not isinstance(text, str):
            raise ModelTrouble(f"{self._endpoint.host}: the answer has no text", reason="endpoint_broken")
        if choice.get("finish_reason") == "length":
            raise ModelTrouble(f"{self._endpoint.host}: the answer is truncated", reason="endpoint_broken")
        return _THOUGHT.sub("", text.encode("utf-8", "replace").decode("utf-8"))


def ask_ahead(ask: Callable[[_Item], _Answer], items: Iterable[_Item], jobs: int) -> Iterator[_Answer]:
    """Ask about several things at a time; answers come in the order of the items, which are taken as needed.

    An exception of one is raised in its place, and what has not begun by then is not asked.
    """
    coming = iter(items)
    with ThreadPoolExecutor(jobs) as pool:
        waiting = deque(pool.submit(ask, item) for item in islice(coming, 2 * jobs))
        try:
            while waiting:
                answer = waiting.popleft().result()
                waiting.extend(pool.submit(ask, item) for item in islice(coming, 1))
                yield answer
        finally:
            for one in waiting:
                one.cancel()


def find_object(text: str) -> dict[str, Any] | None:
    """The first JSON object of an answer, bare, in a fence or between words; None where there is none."""
    at = text.find("{")
    while at >= 0:
        try:
            value, _ = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        at = text.find("{", at + 1)
    return None


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
