"""The process in which `engines.OwnEngine` asks fastapply: a case a line in, an attempt a line out."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from fastapply import apply_edit
from fastapply.errors import FileTrouble
from fastapply.evaluate.cases import Case
from fastapply.evaluate.engines import Attempt, EngineChoice
from fastapply.jobs.objects import run_object
from fastapply.text import decode

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapply.models.engine import ApplyModel


def apply_case(
    case: Case, asked: EngineChoice, open_model: Callable[[], ApplyModel | None] | None
) -> Attempt:
    """Apply a case through the Python API; an exception is a crash.

    As for a command that is run beside the file, the name is all that is told of its path, and encoding and
    byte order mark are the file's own.
    """
    started = time.perf_counter()
    try:
        source = decode(_bytes(case.original))
        result = apply_edit(
            source.text,
            decode(_bytes(case.edit)).text,
            path=case.file_name,
            instructions=case.instructions,
            only=True,  # a case is about one file, whatever else its edit changes
            engine=asked.engine,
            open_model=open_model,
            full_file=asked.full_file,
        )
        model = run_object(result.models)
        merged = (source.bom + result.text.encode(source.encoding)).decode("utf-8", "surrogateescape")
    except (FileTrouble, UnicodeEncodeError) as error:  # it is no text, or cannot hold the result
        return Attempt("refused", None, time.perf_counter() - started, "file", str(error))
    except Exception as error:  # noqa: BLE001 - a crash is an outcome to be counted
        seconds = time.perf_counter() - started
        return Attempt("crashed", None, seconds, "crashed", f"{type(error).__name__}: {error}")
    written = result.status in {"applied", "unchanged"}
    status = result.status
    if status == "error":  # trouble with the model is no refusal: it says nothing about the edit
        status = "refused" if result.exit_status != 5 else "error"
    return Attempt(
        "crashed" if status == "error" else status,
        merged if written else None,
        time.perf_counter() - started,
        result.reason or "",
        result.message,
        result.format or "",
        result.method or "",
        model,
    )


def opener(asked: EngineChoice) -> Callable[[], ApplyModel | None] | None:
    """What opens the model that is asked; None where none is.

    Raises `UsageError` for an endpoint that is none.
    """
    if asked.engine == "deterministic":
        return None
    if asked.endpoint:
        from fastapply.models.opening import opener_of
        from fastapply.models.remote.endpoint import find_endpoint

        return opener_of(find_endpoint(asked.endpoint, asked.model or None))
    from fastapply.models.opening import open_model

    return partial(open_model, asked.model or None, engine=asked.engine)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def main(argv: list[str]) -> int:
    """Answer until the other end closes. Standard output is ours: what else is printed goes to errors."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C lets the case that runs come to its end
    asked = EngineChoice(**json.loads(argv[0]))
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    open_model = opener(asked)
    for line in sys.stdin:
        values = json.loads(line)
        case = Case(**{**values, "accept": tuple(values["accept"])})
        out.write(json.dumps(asdict(apply_case(case, asked, open_model))) + "\n")
        out.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
