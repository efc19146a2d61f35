"""Our decoding against the limit: the same output, pushed through the model in batches of 256 rows.

The limit is taken with flash attention and without, and the faster one counts; ours decodes as ever. Its
time begins behind the prompt: making the sources of drafts, drafting and all else in between counts.

A *replay* lets the benchmark decide what the model writes: at each place the known right token counts,
whatever the logits say. So acceptance is that of a model that is right, while every matrix product is real.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from fastapply.models.draft import Drafter, Written
from fastapply.models.llama.decode import Limits, decode
from fastapply.models.llama.library import Context
from fastapply.models.prompts import expected_answer
from fastapply.models.rewrite import prepare_task
from fastapply.pipeline import read_edit
from fastapply.pipeline.parts import propose
from fastapply.syntax import language_of
from fastapply.text import from_text
from fastapply.types import Options
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from fastapply.bench.cases import BenchCase
    from fastapply.models.engine import Task
    from fastapply.models.llama.decode import Decoded
    from fastapply.models.llama.model import LlamaModel

_LIMIT_ROWS = 256
_UNENDED = {"length", "endless"}
_SLOW_SECONDS = 10.0  # of a decode that is not done again
_SLOW_TOKENS = 128  # of an answer, one at a time; the rest is taken to be as fast


@dataclass(frozen=True, slots=True)
class Bench:
    """A case made ready for a model: its task, its prompt's tokens, and what a replay is to write."""

    case: BenchCase
    task: Task
    prompt: tuple[int, ...]
    target: tuple[int, ...] | None  # with the token that ends it; None where the model decides


def prepare(case: BenchCase, model: LlamaModel, *, replay: bool, full_file: bool) -> Bench:
    """Read the edit, make the closed form's best guess, and the prompt."""
    source = from_text(case.original)
    options = Options(full_file=full_file)
    edit = read_edit(case.edit, path=case.path, original=source, options=options)
    part = edit.files[0].parts[0]
    language = language_of(case.path, source.lines[0] if source.lines else "")
    proposal = propose(source, part, language=language, options=options)
    focus, task = prepare_task(source, part, proposal, model, language=language, options=options)
    prompt = tuple(model.prompt_tokens(task.prompt))
    target: tuple[int, ...] | None = None
    if replay:
        text = task.drafts.predicted
        if case.merged is not None and len(focus.region.lines) == len(source.lines):
            text = expected_answer(model.style, case.merged)
        end = next(token for token in range(model.model.vocab_size) if model.model.ends(token))
        target = (*model.model.tokenise(text.encode()), end)
    return Bench(case, task, prompt, target)


def measure_case(bench: Bench, model: LlamaModel, *, rounds: int) -> dict[str, Any]:
    """Times of one case, the best of some rounds, in seconds, and what was drafted and accepted."""
    schedule = model.schedule()
    known = bench.target or model.model.tokenise(bench.task.drafts.predicted.encode())
    model.fit(len(bench.prompt) + len(known) + 64)
    started = time.perf_counter()
    first, _ = model.prefill(bench.prompt)
    prefill = time.perf_counter() - started
    first = bench.target[0] if bench.target else first
    ours, limits, alone = list[float](), list[float](), list[float]()
    flash = Context(model.model, model.context.size, model.settings, flash_attention=True)
    for at in range(0, len(bench.prompt), flash.rows):
        flash.evaluate(bench.prompt[at : at + flash.rows], at, 1)
    plain = list[float]()
    for number in range(1 + rounds):
        model.prompt_tokens(bench.task.prompt)  # which leaves its texts' tokens, as in `complete`
        began = time.perf_counter()
        done = _decode(bench, model, first, model.make_drafter(bench.task, schedule))
        taken = time.perf_counter() - began
        if number == 0 and rounds and taken < _SLOW_SECONDS:
            continue  # the first one warms up
        ours.append(taken)
        plain.append(_push(bench, model.context, done.tokens))
        limits += [plain[-1], _push(bench, flash, done.tokens)]
        if not alone:
            one = _decode(bench, model, first, _no_drafter(), most=_SLOW_TOKENS)
            alone.append(one.seconds / max(1, one.steps))
        if taken >= _SLOW_SECONDS:
            break
    flash.close()
    whole = _decode(bench, model, first, _no_drafter()) if bench.target is None else done
    count = len(done.tokens)
    merged = bench.case.merged
    expected = None if merged is None else expected_answer(model.style, merged)
    as_predicted = done.text.decode(errors="replace") == bench.task.drafts.predicted
    return {
        "case": bench.case.name,
        "lines": len(bench.case.original.splitlines()),
        "prompt_tokens": len(bench.prompt),
        "output_tokens": count,
        "predicted_is_output": as_predicted,
        "as_expected": done.text.decode(errors="replace") == expected,
        "finish": done.finish,
        "group": "endless" if done.finish in _UNENDED else "predicted" if as_predicted else "not_predicted",
        "drafted": done.drafted,
        "accepted": done.accepted,
        "steps": done.steps,
        "seconds": min(ours),
        "limit_seconds": min(limits),
        "share_of_limit": min(limits) / min(ours),
        "limit_as_decoded_seconds": min(plain),
        "one_at_a_time_seconds": min(alone) * count,
        "prefill_tokens_per_second": len(bench.prompt) / prefill,
        "same_as_one_at_a_time": None if bench.target is not None else _alike(done, whole),
        "fork_margin": None
        if bench.target is not None or _alike(done, whole)
        else _fork_margin(bench, model, done, whole),
        "tokens": list(done.tokens),
    }


def _decode(
    bench: Bench, model: LlamaModel, first: int, drafter: Drafter, *, most: int | None = None
) -> Decoded:
    """Decode behind the prompt, which stays in the cache."""
    context = model.context
    context.forget(len(bench.prompt))
    drafter.record(0, 0, [first])
    room = context.size - len(bench.prompt) - 1
    return decode(
        context,
        first,
        len(bench.prompt),
        drafter,
        piece=model.model.piece,
        ends=model.model.ends,
        refuses=model.model.refuses,
        limits=Limits(bench.task.prompt.end.encode(), bench.task.longest + 64, min(room, most or room)),
        choose=None if bench.target is None else _replay(bench.target),
    )


def _replay(target: tuple[int, ...]) -> Callable[[npt.NDArray[np.float32], int], list[int]]:
    def choose(logits: npt.NDArray[np.float32], place: int) -> list[int]:
        wanted = list(target[place : place + logits.argmax(axis=1).shape[0]])
        return wanted + [target[-1]] * (logits.shape[0] - len(wanted))

    return choose


def _no_drafter() -> Drafter:
    def piece(_token: int) -> bytes:
        return b""

    return Drafter((), Written(lambda _text: [], piece), piece, lambda _width: 1.0, widths=())


def _push(bench: Bench, context: Context, tokens: tuple[int, ...]) -> float:
    """Seconds to evaluate an output whose tokens are all known, with logits for each."""
    start = len(bench.prompt)
    context.forget(start)
    rows = min(_LIMIT_ROWS, context.widest)
    began = time.perf_counter()
    for at in range(0, len(tokens), rows):
        chunk = tokens[at : at + rows]
        context.evaluate(chunk, start + at, len(chunk))
    taken = time.perf_counter() - began
    context.forget(start)
    return taken


def _alike(one: Decoded, other: Decoded) -> bool:
    """Whether two answers are the same; of those that came to no end, as far as both go."""
    if one.finish in _UNENDED and other.finish in _UNENDED:
        shorter = min(len(one.tokens), len(other.tokens))
        return one.tokens[:shorter] == other.tokens[:shorter]
    return one.tokens == other.tokens


def _fork_margin(bench: Bench, model: LlamaModel, one: Decoded, other: Decoded) -> float:
    """By how much the best logit leads the second best, where two answers part."""
    pairs = zip(one.tokens, other.tokens, strict=False)
    at = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one.tokens), len(other.tokens)))
    context = model.context
    context.forget(len(bench.prompt))
    logits = None
    for number, token in enumerate(one.tokens[:at]):
        logits = context.evaluate([token], len(bench.prompt) + number, 1)
    if logits is None:
        return 0.0
    ranked = sorted(logits[0].tolist(), reverse=True)
    return float(ranked[0] - ranked[1])
