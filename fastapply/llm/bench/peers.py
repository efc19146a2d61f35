"""llama-cpp-python's own speculative decoding, on the same file and the same prompts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fastapply.llm.bench.measure import Bench

SETTINGS = ((2, 10), (3, 10))
"""Tokens that are looked for and tokens that are drafted: its own default, and what did best here."""


class PromptLookup:
    """`Llama` with a `LlamaPromptLookupDecoding`, at one of its settings."""

    def __init__(self, path: Path, size: int, setting: tuple[int, int], threads: int | None) -> None:
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
            draft_model=draft,
            logits_all=True,  # without it, it breaks at prompts longer than a batch
            verbose=False,
        )
        self._llama.eval([1])

    def seconds(self, bench: Bench, tokens: Sequence[int]) -> tuple[float, bool]:
        """Seconds from its first token to its last, and whether it wrote the same tokens."""
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
