"""What else decodes with drafts from the prompt, on the same file and the same prompts, at several settings.

llama-cpp-python's own `LlamaPromptLookupDecoding`, and `llama-server` with its n-gram speculation, where its
program is at hand (`llama_server`). A server decides by itself what it writes, so it has no part in a replay.
"""

from __future__ import annotations

import time
from itertools import product
from typing import TYPE_CHECKING, Any, Protocol

from fastapply_lab.bench.llama_server import SERVER_SETTINGS, LlamaServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from fastapply.bench.measure import Bench
    from fastapply.models.llama.library import Settings

LOOKUP_SETTINGS = ((2, 10), (3, 10), (3, 16), (4, 24))
"""Tokens that are looked for and tokens that are drafted: its own default, and what did best elsewhere."""
_ENOUGH_SECONDS = 45.0  # for one peer at one setting; cases behind that are left out


class Peer(Protocol):
    """Somebody else's decoding, ready to run."""

    name: str

    def seconds(self, bench: Bench, tokens: Sequence[int]) -> tuple[float, bool]:
        """Seconds from its first token to its last, and whether it wrote the same tokens."""
        ...

    def close(self) -> None:
        """Free it."""
        ...


class PromptLookup:
    """`Llama` with a `LlamaPromptLookupDecoding`, at one of its settings."""

    def __init__(
        self,
        path: Path,
        size: int,
        setting: tuple[int, int],
        threads: int | None,
        *,
        adapter: Path | None = None,
    ) -> None:
        from llama_cpp import Llama
        from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

        self.name = f"LlamaPromptLookupDecoding, n-gram {setting[0]}, {setting[1]} tokens"
        draft = LlamaPromptLookupDecoding(max_ngram_size=setting[0], num_pred_tokens=setting[1])
        self._llama: Any = Llama(
            str(path),
            n_ctx=size,
            n_batch=512,
            n_threads=threads,
            n_threads_batch=threads,
            lora_path=str(adapter) if adapter else None,
            draft_model=draft,
            logits_all=True,  # without it, it breaks at prompts longer than a batch
            verbose=False,
        )
        self._llama.eval([1])

    def seconds(self, bench: Bench, tokens: Sequence[int]) -> tuple[float, bool]:
        """See `Peer`."""
        import numpy as np
        from llama_cpp import LogitsProcessorList

        processors = None
        written = list[int]()
        if bench.target is not None:
            target = bench.target

            def force(_ids: Any, scores: Any) -> Any:  # noqa: ANN401 - numpy arrays
                forced = np.full_like(scores, -1e9)
                forced[target[min(len(written), len(target) - 1)]] = 1e9
                return forced

            processors = LogitsProcessorList([force])
        began = 0.0
        for token in self._llama.generate(
            list(bench.prompt), temp=0.0, repeat_penalty=1.0, logits_processor=processors
        ):
            if not written:
                began = time.perf_counter()
            written.append(token)
            if len(written) >= len(tokens):
                break
        return time.perf_counter() - began, written == list(tokens)

    def close(self) -> None:
        """Free it."""
        self._llama.close()


def measure_peers(
    path: Path,
    settings: Settings,
    adapter: Path | None,
    benches: Sequence[Bench],
    rows: Sequence[dict[str, Any]],
    *,
    server: str | None,
    note: Callable[[str], object],
) -> Iterator[dict[str, Any]]:
    """Each peer at each setting: its tokens a second and ours over it, for all cases and each kind."""
    size = max(len(one.prompt) + row["output_tokens"] for one, row in zip(benches, rows, strict=True)) + 128
    for lookup in LOOKUP_SETTINGS:
        peer = PromptLookup(path, size, lookup, settings.threads, adapter=adapter)
        note(f"comparing with {peer.name}")
        yield _measure(peer, benches, rows)
    if benches[0].target is not None:
        note("skipping llama-server: it cannot replay a given text")
    elif server is None:
        note("skipping llama-server: not on PATH and --llama-server is not set")
    else:
        for setting in SERVER_SETTINGS:
            program = LlamaServer(server, path, size, setting, settings.threads, adapter=adapter)
            note(f"comparing with {program.name}")
            yield _measure(program, benches, rows)


def _measure(peer: Peer, benches: Sequence[Bench], rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    began = time.perf_counter()
    measured: list[tuple[dict[str, Any], float, bool]] = []
    try:
        for bench, row in zip(benches, rows, strict=True):
            if time.perf_counter() - began > _ENOUGH_SECONDS:
                break
            measured.append((row, *peer.seconds(bench, row["tokens"])))
    finally:
        peer.close()
    told: dict[str, Any] = {
        "name": peer.name,
        "cases": len(measured),
        "same_output": sum(same for _, _, same in measured),
    }
    for group, kind in product(("", "predicted_", "not_predicted_"), ("tokens_per_second", "ours_over_it")):
        chosen = [
            (row, seconds)
            for row, seconds, _ in measured
            if not group or (row["group"] == group.removesuffix("_"))
        ]
        if chosen:
            theirs = sum(seconds for _, seconds in chosen)
            over = "output_tokens" if kind == "tokens_per_second" else "seconds"
            ours = sum(row[over] for row, _ in chosen)
            told[group + kind] = ours / theirs if kind == "tokens_per_second" else theirs / ours
    return told
