"""An apply model that runs in this process: a GGUF file, a KV cache, and the decoding loop."""

from __future__ import annotations

import hashlib
import os
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.errors import Refused
from fastapply.models.draft import Drafter, Written, draft_sources
from fastapply.models.engine import Completion, Drafts, Scored
from fastapply.models.llama.decode import Limits, decode, score_answers, spans
from fastapply.models.llama.library import Context, Model, Settings
from fastapply.models.prompts import fixed_part
from fastapply.models.widths import (
    ROUNDS,
    Schedule,
    guess_schedule,
    load_schedule,
    measure_round,
    save_schedule,
)
from fastapply.types import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    import numpy.typing as npt

    from fastapply.models.draft import Source
    from fastapply.models.engine import Task, Trust
    from fastapply.models.prompts import Prompt, StyleName

_STEP = 2048  # contexts come in multiples of so many tokens, so that most tasks share one
_SLACK = 64
_WARM = 32  # tokens, from which on llama.cpp takes the kernels of wide steps
_DIGEST = hashlib.sha256().digest_size
_LEAST_KEPT = 16  # tokens that are read from a file sooner than evaluated


class LlamaModel:
    """A GGUF model by its path, with an adapter or without, loaded at once; an `ApplyModel`.

    It keeps the cache of its last prompt: a prompt that begins alike is evaluated from where they part. What
    all prompts of a style begin with is kept in a file in `cache`.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        style: StyleName,
        settings: Settings,
        adapter: Path | None = None,
        cache: Path | None = None,
        watch: Callable[[int, int], None] | None = None,
    ) -> None:
        self.name, self.style = name, style
        self.watch = watch
        self.trust: Trust | None = None  # for a caller that knows it
        self.settings, self._cache = settings, cache
        self._files = [one for one in (path, adapter) if one is not None]
        self.model = Model(str(path), settings, adapter=str(adapter) if adapter else None)
        self.context_length = settings.ctx_size or self.model.trained_context
        self._context: Context | None = None
        self._schedule: Schedule | None = None
        self._kept: list[int] = []
        self._load_seconds = self.model.load_seconds
        self.written: tuple[int, ...] = ()  # the tokens of the last answer, without the one that ended it

    def close(self) -> None:
        """Free what llama.cpp holds."""
        if self._context is not None:
            self._context.close()
            self._context = None
        self.model.close()

    def complete(self, task: Task) -> Completion:
        """Write the answer to a task. Raises `Refused` (``too_long``), `ModelTrouble`."""
        began = time.perf_counter()
        prompt = self.prompt_tokens(task.prompt)
        answer = len(self.model.tokenise(task.drafts.predicted.encode()))
        context = self._fit(
            len(prompt) + answer + len(task.drafts.edit.encode()) // 2 + _SLACK, len(prompt) + answer
        )
        schedule = self.schedule()
        started = time.perf_counter()
        self._recall(task.prompt)
        first, cached = self.prefill(prompt)
        prefilled = time.perf_counter()
        drafter = self.make_drafter(task, schedule)
        drafter.record(0, 0, [first])
        end = task.prompt.end.encode()
        texts = (task.drafts.predicted, task.drafts.original, task.drafts.edit)
        wide = sum(len(text.encode()) - len(text) for text in texts)  # bytes beyond one a character
        done = decode(
            context,
            first,
            len(prompt),
            drafter,
            piece=self.model.piece,
            ends=self.model.ends,
            refuses=self.model.refuses,
            limits=Limits(end, task.longest + wide, context.size - len(prompt) - 1),
            watch=self.watch,
        )
        finish = done.finish
        if finish == "length" and context.size < self.context_length:
            finish = "endless"  # there was room for the longest right answer and more
        # what the cache holds: the last token was never evaluated
        self.written, self._kept = done.tokens, [*prompt, *done.tokens[:-1]]
        if self._schedule is not None and self._schedule.learn(done.times):
            self._save_schedule()
        usage = Usage(
            prompt_tokens=len(prompt),
            cached_tokens=cached,
            output_tokens=len(done.tokens),
            drafted=done.drafted,
            accepted=done.accepted,
            steps=done.steps,
            load_seconds=self._load_seconds,
            prefill_seconds=prefilled - started,
            decode_seconds=time.perf_counter() - prefilled,
            seconds=time.perf_counter() - began,
        )
        self._load_seconds = 0.0
        return Completion(done.text.decode("utf-8", "replace"), finish, usage)

    def score(self, prompt: Prompt, texts: Sequence[str], leads: Sequence[float]) -> Scored:
        """Score answers where they differ (`ChoosingModel`). Raises `Refused` (``too_long``), `ModelTrouble`.

        An answer ends with the token that ends the model's turn, so that one that goes on further than
        another can be told from it.
        """
        began = time.perf_counter()
        asked = self.prompt_tokens(prompt)
        answers = [[*self.model.tokenise(text.encode()), self.model.end] for text in texts]
        parted, ends = spans(answers)
        self._fit(len(asked) + max(ends), len(asked) + max(ends))
        shared = [*asked, *answers[0][:parted]]
        place, started = len(shared) - 1, time.perf_counter()
        self._recall(prompt)
        _, cached = self.prefill(shared[:place])
        read = time.perf_counter()
        differing = [tuple(answer[parted:end]) for answer, end in zip(answers, ends, strict=True)]
        scores, last = score_answers(self.context, shared[place], place, differing, leads)
        self._kept = [*shared, *last[:-1]] if last else shared[:place]
        usage = Usage(
            prompt_tokens=place,
            cached_tokens=cached,
            output_tokens=sum(one.tokens for one in scores),
            load_seconds=self._load_seconds,
            prefill_seconds=read - started,
            decode_seconds=time.perf_counter() - read,
            seconds=time.perf_counter() - began,
        )
        self._load_seconds = 0.0
        return Scored(scores, usage)

    def warm_up(self) -> None:
        """Take a step as wide as those that read, so that what crashes does it now."""
        self.context.evaluate([1] * min(_WARM, self.context.rows), 0, 1)
        self.context.forget(0)
        self._kept = []

    def forget(self) -> None:
        """Drop the prompt that is kept."""
        self._kept = []

    # --- the parts of it, which the benchmark calls one by one ------------------------------------

    def prompt_tokens(self, prompt: Prompt) -> list[int]:
        """The tokens of a prompt, each piece made into tokens by itself."""
        tokens = self.model.first_tokens()
        for piece in prompt.pieces:
            tokens += self.model.tokenise(piece.text.encode(), special=piece.special)
        return tokens

    def _recall(self, prompt: Prompt) -> None:
        """See that the cache holds what all such prompts begin with; from a file where a run has left one."""
        start = self.prompt_tokens(fixed_part(prompt))
        file = self._kept_file("states", f"{start}|{version('llama-cpp-python')}", "bin")
        if file is None or len(start) < _LEAST_KEPT or self._kept[: len(start)] == start:
            return
        state = load_state(file)
        if state is None or not self.context.restore(state):
            self.prefill(start)
            save_state(file, self.context.state())
        self._kept = start

    def make_drafter(self, task: Task, schedule: Schedule) -> Drafter:
        """A drafter over the predicted answer, the code, the edit, and what is written; or none."""
        tokenise, piece = self.model.tokenise, self.model.piece
        sources: tuple[Source, ...] = ()
        if task.drafts != Drafts("", "", ""):
            sources = draft_sources(task.drafts, task.prompt.style, tokenise, piece, self.model.end)
        return Drafter(
            sources, Written(tokenise, piece), piece, schedule.step_seconds, widths=schedule.widths
        )

    def prefill(self, prompt: Sequence[int]) -> tuple[int, int]:
        """Evaluate a prompt; gives the first token of the answer, and how many tokens were kept."""
        context = self.context
        cached = 0
        while cached < min(len(self._kept), len(prompt) - 1) and self._kept[cached] == prompt[cached]:
            cached += 1
        if not context.forget(cached):
            context.forget(0)
            cached = 0
        self._kept = list(prompt[:cached])
        logits: npt.NDArray[np.float32] | None = None
        for start in range(cached, len(prompt), context.rows):
            if self.watch is not None:  # who asked may have gone away
                self.watch(0, 0)
            logits = context.evaluate(prompt[start : start + context.rows], start, 1)
        self._kept = list(prompt)
        return int(logits.argmax()) if logits is not None else 0, cached

    @property
    def context(self) -> Context:
        """The context, which `fit` has made."""
        if self._context is None:
            return self.fit(_STEP)
        return self._context

    def fit(self, tokens: int) -> Context:
        """A context for at least so many tokens, up to what the model takes."""
        size = min(-(-tokens // _STEP) * _STEP, self.context_length)
        if self.settings.ctx_size:
            size = self.settings.ctx_size
        if self._context is None or self._context.size < size:
            started = time.perf_counter()
            if self._context is not None:
                self._context.close()
            self._context = None
            self._kept = []
            self._context = Context(self.model, size, self.settings)
            self._load_seconds += time.perf_counter() - started
        return self._context

    def schedule(self) -> Schedule:
        """How long steps take, measured in a short round when that is not known yet."""
        if self._schedule is None:
            kept = self._kept_file("widths")
            self._schedule = load_schedule(kept) if kept is not None else None
            if self._schedule is None:
                started = time.perf_counter()
                self.context.forget(0)
                self._kept = []
                self._schedule = Schedule({})
                self._measure(None, lambda: False)
                if not self._schedule.seconds:
                    self._schedule = guess_schedule()
                self._load_seconds += time.perf_counter() - started
        return self._schedule

    def measure_more(self, busy: Callable[[], bool]) -> None:
        """Measure steps for another round, if so many have not been; `busy` ends it early.

        For a time when nobody waits. The prompt that is kept stays so.
        """
        if self._schedule is not None and self._schedule.rounds < ROUNDS:
            self._measure(self._schedule, busy)

    def _measure(self, known: Schedule | None, busy: Callable[[], bool]) -> None:
        context, held = self.context, len(self._kept)
        if not context.forget(held):
            return
        found = measure_round(
            context.evaluate,
            context.forget,
            known,
            held=held,
            widest=context.widest,
            room=context.size,
            busy=busy,
        )
        self.schedule().add_round(found, today=date.today().isoformat())  # noqa: DTZ011 - the user's own day
        self._save_schedule()

    def _save_schedule(self) -> None:
        kept = self._kept_file("widths")
        if kept is not None and self._schedule is not None:
            save_schedule(kept, self._schedule)

    def _fit(self, tokens: int, fewest: int) -> Context:
        if fewest > self.context_length:
            raise Refused(
                f"{fewest} tokens of prompt and answer do not fit the {self.context_length} of {self.name}",
                reason="too_long",
                hint="split the edit, or use a model with a longer context",
            )
        return self.fit(tokens)

    def _kept_file(self, folder: str, more: str = "", suffix: str = "json") -> Path | None:
        """Where something is kept that is of these files, these settings, and `more`."""
        if self._cache is None:
            return None
        known = [(path.resolve(), path.stat()) for path in map(Path, self._files)]
        files = [(str(path), found.st_size, found.st_mtime_ns) for path, found in known]
        described = f"{files!r}|{self.settings!r}|{more}"
        digest = hashlib.sha256(described.encode()).hexdigest()[:16]
        return self._cache / folder / f"{digest}.{suffix}"


def load_state(path: Path) -> bytes | None:
    """The state of a cache in a file: its sha256, then its bytes. None where there is none, or it is damaged.

    llama.cpp ends the process at a damaged one.
    """
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, state = data[:_DIGEST], data[_DIGEST:]
    return state if state and hashlib.sha256(state).digest() == digest else None


def save_state(path: Path, state: bytes) -> None:
    """Keep a state; where that cannot be, it is made again next time."""
    partial = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(hashlib.sha256(state).digest() + state)
        partial.replace(path)
    except OSError:
        return
