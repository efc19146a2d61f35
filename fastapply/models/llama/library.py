"""llama.cpp as the decoding loop needs it: a model, a context, and the tokens of a text.

The only module of the program that imports llama_cpp, and the one to look at when its functions change.
Times are in seconds, positions in tokens, texts in UTF-8 bytes.
"""

from __future__ import annotations

import ctypes
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import llama_cpp as llama
import numpy as np

from fastapply.errors import ModelTrouble
from fastapply.models.memory import available_bytes, gigabytes
from fastapply.models.prompts import CANNOT
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

_ROWS, _ROWS_ON_GPU = 256, 512  # of one batch; on a processor wider ones take memory and no less time
_LOGIT_BYTES = 192 << 20  # of one batch of output rows, at most
_ALL_LAYERS = 999
_KEPT_TEXTS = 16
_BESIDE_WEIGHTS, _BESIDE = 1.15, 128 << 20  # of memory: a cache for prompts and buffers, by size and in bytes


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is to run."""

    gpu_layers: int | None = None  # None: all of them, where the build can
    threads: int | None = None  # None: one for each core
    ctx_size: int | None = None  # None: what a task needs, up to what the model was trained on
    extra_buffers: bool = True  # weights repacked for the processor; some of those kernels crash on some


_silent: list[Any] = []  # keeps the callback alive: llama.cpp holds only its address


def silence() -> None:
    """Stop llama.cpp from writing its log to standard error."""
    if not _silent:
        _silent.append(llama.llama_log_callback(lambda _level, _text, _data: None))
        llama.llama_log_set(_silent[0], ctypes.c_void_p(0))


def _check_memory(*files: str | None) -> None:
    """Raise `ModelTrouble` (``no_memory``) where a model would not fit, rather than be killed for it."""
    paths = [Path(one) for one in files if one is not None]
    size = sum(path.stat().st_size for path in paths if path.exists())
    need, free = int(size * _BESIDE_WEIGHTS) + _BESIDE, available_bytes()
    if free is not None and free < need:
        raise ModelTrouble(
            f"the model needs about {gigabytes(need)} of memory, but only {gigabytes(free)} are free",
            reason="no_memory",
            hint="run fastapply worker stop to free idle models, or use a smaller model",
        )


class Model:
    """A GGUF file, loaded, with a LoRA adapter where one is named.

    Raises `ModelTrouble`: ``bad_model``, ``bad_adapter`` where llama.cpp does not take one of them,
    ``no_memory`` where it would not fit.
    """

    def __init__(self, path: str, settings: Settings, *, adapter: str | None = None) -> None:
        silence()
        started = time.perf_counter()
        llama.llama_backend_init()
        params = llama.llama_model_default_params()
        wanted = _ALL_LAYERS if settings.gpu_layers is None else settings.gpu_layers
        params.n_gpu_layers = wanted if llama.llama_supports_gpu_offload() else 0
        params.use_extra_bufts = settings.extra_buffers
        self.on_gpu = bool(params.n_gpu_layers)
        if not self.on_gpu:
            _check_memory(path, adapter)
        self.pointer = llama.llama_model_load_from_file(os.fsencode(path), params)
        if not self.pointer:
            raise ModelTrouble(
                f"llama.cpp cannot load {path}",
                reason="bad_model",
                hint="the file may be damaged or of a kind that this version does not know: "
                "fastapply models pull fetches it anew",
            )
        if llama.llama_model_is_recurrent(self.pointer) or llama.llama_model_is_hybrid(self.pointer):
            raise ModelTrouble(
                f"{path} is a recurrent model, which is not supported",
                reason="bad_model",
                hint="use a plain transformer: fastapply models list",
            )
        # freed with the model
        self.adapter = llama.llama_adapter_lora_init(self.pointer, os.fsencode(adapter)) if adapter else None
        if adapter and not self.adapter:
            self.close()
            raise ModelTrouble(
                f"llama.cpp cannot use the adapter {adapter} with {path}",
                reason="bad_adapter",
                hint="it may be damaged or made for another base model",
            )
        self.vocab = llama.llama_model_get_vocab(self.pointer)
        self.vocab_size: int = llama.llama_vocab_n_tokens(self.vocab)
        self.trained_context: int = llama.llama_model_n_ctx_train(self.pointer)
        self.load_seconds = time.perf_counter() - started
        turn, sequence = llama.llama_vocab_eot(self.vocab), llama.llama_vocab_eos(self.vocab)
        self.end: int = turn if turn >= 0 else sequence  # what an answer ends with
        self._pieces: dict[int, bytes] = {}
        self._tokenised: dict[tuple[bytes, bool], list[int]] = {}
        self._buffer = ctypes.create_string_buffer(512)

    def close(self) -> None:
        """Free the model; its contexts must be closed."""
        if self.pointer:
            llama.llama_model_free(self.pointer)
            self.pointer = None

    def tokenise(self, text: bytes, *, special: bool = False) -> list[int]:
        """The tokens of a text; `special` where names of special tokens in it are meant as such.

        Those of the last few texts are kept: a file in a prompt is drafted from as well.
        """
        known = self._tokenised.get((text, special))
        if known is None:
            known = self._tokenise(text, special=special)
            if len(self._tokenised) == _KEPT_TEXTS:
                self._tokenised.pop(next(iter(self._tokenised)))
            self._tokenised[text, special] = known
        return list(known)

    def _tokenise(self, text: bytes, *, special: bool) -> list[int]:
        room = len(text) + 8
        tokens = (llama.llama_token * room)()
        count = llama.llama_tokenize(self.vocab, text, len(text), tokens, room, False, special)
        if count < 0:
            msg = f"{len(text)} bytes gave {-count} tokens"
            raise ValueError(msg)
        return list(tokens[:count])

    def piece(self, token: int) -> bytes:
        """The bytes that a token stands for; none for a special one."""
        known = self._pieces.get(token)
        if known is None:
            size = llama.llama_token_to_piece(self.vocab, token, self._buffer, 512, 0, False)
            known = self._buffer.raw[: max(0, size)]
            self._pieces[token] = known
        return known

    def ends(self, token: int) -> bool:
        """Whether a token ends the sequence."""
        return bool(llama.llama_vocab_is_eog(self.vocab, token))

    def refuses(self, token: int) -> bool:
        """Whether a token is the one by which a model says that it cannot answer."""
        return bytes(llama.llama_vocab_get_text(self.vocab, token)) == CANNOT.encode()

    def first_tokens(self) -> list[int]:
        """What every sequence begins with: the model's beginning-of-sequence token, if it wants one."""
        return [llama.llama_vocab_bos(self.vocab)] if llama.llama_vocab_get_add_bos(self.vocab) else []


class Context:
    """A KV cache of one sequence, and its evaluation. Raises `ModelTrouble` (``no_memory``).

    `size` is in tokens, `rows` the most tokens of one evaluation, `widest` the most that may ask for logits.
    """

    def __init__(
        self, model: Model, size: int, settings: Settings, *, flash_attention: bool | None = None
    ) -> None:
        self.model, self.size = model, size
        self.rows: int = _ROWS_ON_GPU if model.on_gpu else _ROWS
        self.widest = max(1, min(self.rows, _LOGIT_BYTES // (4 * model.vocab_size)))
        params = llama.llama_context_default_params()
        params.n_ctx, params.n_seq_max = size, 1
        params.n_batch = params.n_ubatch = self.rows
        params.n_outputs_max = self.widest
        # on a processor it is made for wide steps: those of 2 to 63 rows took three times as long
        flash = flash_attention if flash_attention is not None else model.on_gpu
        params.flash_attn_type = (
            llama.LLAMA_FLASH_ATTN_TYPE_AUTO if flash else llama.LLAMA_FLASH_ATTN_TYPE_DISABLED
        )
        threads = settings.threads or os.cpu_count() or 1
        params.n_threads = params.n_threads_batch = threads
        params.no_perf = True
        self.pointer = llama.llama_init_from_model(model.pointer, params)
        if not self.pointer:
            raise ModelTrouble(
                f"there is not enough memory for a context of {size} tokens",
                reason="no_memory",
                hint="use a smaller --ctx-size",
            )
        if model.adapter:
            adapters = (llama.llama_adapter_lora_p_ctypes * 1)(model.adapter)
            if llama.llama_set_adapters_lora(self.pointer, adapters, 1, (ctypes.c_float * 1)(1.0)):
                llama.llama_free(self.pointer)
                raise ModelTrouble("llama.cpp cannot use the adapter", reason="bad_adapter")
        self._memory = llama.llama_get_memory(self.pointer)
        self._batch = llama.llama_batch_init(self.rows, 0, 1)
        self._tokens = np.ctypeslib.as_array(self._batch.token, (self.rows,))
        self._places = np.ctypeslib.as_array(self._batch.pos, (self.rows,))
        self._wanted = np.ctypeslib.as_array(self._batch.logits, (self.rows,))
        self._count: npt.NDArray[np.int32] = np.arange(self.rows, dtype=np.int32)
        for row in range(self.rows):
            self._batch.n_seq_id[row] = 1
            self._batch.seq_id[row][0] = 0

    def close(self) -> None:
        """Free the cache."""
        if self.pointer:
            llama.llama_batch_free(self._batch)
            llama.llama_free(self.pointer)
            self.pointer = None

    def evaluate(self, tokens: Sequence[int], start: int, outputs: int) -> npt.NDArray[np.float32]:
        """Put tokens at positions `start` on and give the logits of the last `outputs` of them.

        The array has the shape (outputs, vocabulary) and is valid until the next call.
        """
        count = len(tokens)
        self._tokens[:count] = tokens
        self._places[:count] = self._count[:count] + start
        self._wanted[: count - outputs] = 0
        self._wanted[count - outputs : count] = 1
        self._batch.n_tokens = count
        status = llama.llama_decode(self.pointer, self._batch)
        if status:
            raise ModelTrouble(
                f"llama.cpp could not evaluate {count} tokens at {start} (status {status})",
                reason="no_memory" if status == 1 else "model",
            )
        vocab = self.model.vocab_size
        address = ctypes.cast(llama.llama_get_logits(self.pointer), ctypes.c_void_p).value or 0
        rows = (ctypes.c_float * (outputs * vocab)).from_address(address)
        return np.frombuffer(rows, dtype=np.float32).reshape(outputs, vocab)

    def forget(self, start: int) -> bool:
        """Take the tokens at `start` and behind out of the cache; false where that cannot be."""
        return bool(llama.llama_memory_seq_rm(self._memory, 0, start, -1))

    def state(self) -> bytes:
        """What the cache holds, for `restore`."""
        size = llama.llama_state_seq_get_size(self.pointer, 0)
        held = (ctypes.c_uint8 * size)()
        count = llama.llama_state_seq_get_data(self.pointer, held, size, 0)
        return bytes(held[:count])

    def restore(self, state: bytes) -> bool:
        """Take the state of a cache of the same model; false, with an empty cache, where that cannot be."""
        self.forget(0)
        held = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        if llama.llama_state_seq_set_data(self.pointer, held, len(state), 0):
            return True
        self.forget(0)
        return False
