"""From a `Result` to the bodies of answers: OpenAI's, Relace's, and the one form of all errors.

Token counts are estimates, characters divided by four: no tokenizer is at work here.
"""

from __future__ import annotations

import json
import time
import uuid
from typing import TYPE_CHECKING, Any

from fastapply.jobs.objects import always_rows, candidate_objects, finding_objects
from fastapply.jobs.texts import plain_hints

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fastapply.api import Result
    from fastapply.server.http.bodies import ApplyRequest

MODEL = "fastapply"
_PIECE = 4096  # characters in a chunk of a stream
_TYPES = {401: "authentication_error", 403: "permission_error", 422: "refused"}


def completion(wanted: ApplyRequest, result: Result) -> dict[str, Any]:
    """The answer to a chat completion: the bare merged file is the message."""
    message = {"role": "assistant", "content": result.text, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return {**_head("chat.completion"), "choices": [choice], "usage": usage(wanted, result), **_how(result)}


def chunks(wanted: ApplyRequest, result: Result) -> Iterator[bytes]:
    """The same as server-sent events, ended by ``[DONE]``."""
    head = _head("chat.completion.chunk")

    def event(
        delta: dict[str, str], finish: str | None = None, more: Mapping[str, object] | None = None
    ) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        counts = {"usage": None} if wanted.usage_wanted else {}
        return _event({**head, "choices": [choice], **counts, **(more or {})})

    yield event({"role": "assistant", "content": ""})
    for start in range(0, len(result.text), _PIECE):
        yield event({"content": result.text[start : start + _PIECE]})
    yield event({}, "stop", _how(result))
    if wanted.usage_wanted:
        yield _event({**head, "choices": [], "usage": usage(wanted, result)})
    yield b"data: [DONE]\n\n"


def applied(wanted: ApplyRequest, result: Result) -> dict[str, Any]:
    """The answer in Relace's form."""
    return {"mergedCode": result.text, "usage": usage(wanted, result), **_how(result)}


def models() -> dict[str, Any]:
    """The list of models; whatever name a client sends, this is what answers."""
    model = {"id": MODEL, "object": "model", "created": 0, "owned_by": "fastapply"}
    return {"object": "list", "data": [model]}


def usage(wanted: ApplyRequest, result: Result) -> dict[str, int]:
    """Estimate the tokens."""
    prompt = _tokens(len(wanted.original) + len(wanted.edit) + len(wanted.instructions))
    answer = _tokens(len(result.text))
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}


def refusal(result: Result) -> dict[str, Any]:
    """Say why there is no merge, and what to send instead; the keys are those of `--json`."""
    return error_body(
        422,
        result.message,
        result.reason or "refused",
        hint="\n".join(plain_hints([result.hint])),
        candidates=candidate_objects(result.questions),
        always=always_rows(result.questions),
        findings=finding_objects(result.findings),
        certainty=result.certainty,
        needed=result.needed,
        decision=result.decision,
    )


def error_body(status: int, message: str, code: str, **details: object) -> dict[str, Any]:
    """An error in OpenAI's form; the hint is in the message as well, as some clients show nothing else."""
    if details.get("hint"):
        message = f"{message}\nhint: {details['hint']}"
    kind = _TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": code, **details}}


def _how(result: Result) -> dict[str, Any]:
    """What the services whose forms these are do not say.

    How likely a lazy merge is right, 0 to 1; what was mended, where that was asked for; and answers that were
    not needed.
    """
    mended = [one.message for one in result.smoothed]
    return {
        "certainty": result.certainty,
        **({"smoothed": mended} if mended else {}),
        **({"warnings": list(result.warnings)} if result.warnings else {}),
    }


def _head(kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{uuid.uuid4().hex}", "object": kind, "created": int(time.time()), "model": MODEL}


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value, separators=(",", ":")).encode() + b"\n\n"


def _tokens(characters: int) -> int:
    return -(-characters // 4)
