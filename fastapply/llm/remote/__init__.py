"""An apply model on a server that speaks OpenAI's chat completions: vLLM, SGLang, llama-server, a service.

`endpoint` says where it is, `transport` gets an answer from there, `model` makes an `ApplyModel` of both.
What the server answers is read and verified as the answer of any other model.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapply.llm.engine import ApplyModel
    from fastapply.llm.remote.endpoint import Endpoint


ENDPOINT_VARIABLE = "FASTAPPLY_ENDPOINT"


def opener_of(endpoint: Endpoint | None) -> Callable[[], ApplyModel] | None:
    """What opens the model of an endpoint when a merge needs it (`Options.open_model`).

    It can be pickled: the processes of `fastapply serve` open the model themselves.
    """
    return None if endpoint is None else partial(_open_model, endpoint)


def _open_model(endpoint: Endpoint) -> ApplyModel:
    from fastapply.llm.remote.model import open_remote

    return open_remote(endpoint)
