"""`llama-server` of llama.cpp with its n-gram speculation, as it is started and asked over HTTP.

Times are those that the server tells: from its first token to its last, without the way there and back.
"""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import time
from typing import TYPE_CHECKING

from fastapply.errors import ModelTrouble

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fastapply.bench.measure import Bench


def _simple(n: int, m: int) -> tuple[str, tuple[str, ...]]:
    options = ("ngram-simple", "--spec-ngram-simple-size-n", str(n), "--spec-ngram-simple-size-m", str(m))
    return f"ngram-simple, {n} and {m} tokens", ("--spec-type", *options)


SERVER_SETTINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("no speculation", ()),
    _simple(12, 48),  # its own default
    _simple(6, 64),
    _simple(3, 16),
    _simple(3, 10),
    (
        "ngram-mod, 6 and 4 to 32 tokens",
        (
            *("--spec-type", "ngram-mod", "--spec-ngram-mod-n-match", "6"),
            *("--spec-ngram-mod-n-min", "4", "--spec-ngram-mod-n-max", "32"),
        ),
    ),
)
"""What to call a setting, and its options."""
_START_SECONDS = 60.0
_ANSWER_SECONDS = 600.0


class LlamaServer:
    """A server that was started for one benchmark. Raises `ModelTrouble` where it does not come up."""

    def __init__(
        self,
        program: str,
        path: Path,
        size: int,
        setting: tuple[str, Sequence[str]],
        threads: int | None,
        *,
        adapter: Path | None = None,
    ) -> None:
        self.name, options = f"llama-server, {setting[0]}", setting[1]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port: int = free.getsockname()[1]
        lora = [] if adapter is None else ["--lora", str(adapter)]
        both = [] if threads is None else ["-t", str(threads), "-tb", str(threads)]
        self._process = subprocess.Popen(
            [
                *(program, "-m", str(path), "--host", "127.0.0.1", "--port", str(self._port)),
                *("-c", str(size), "-np", "1", *both, *lora, *options),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        began = time.monotonic()
        while not self._ready():
            if self._process.poll() is not None or time.monotonic() - began > _START_SECONDS:
                self.close()
                raise ModelTrouble(f"{program} does not start with {' '.join(options)}", reason="model")
            time.sleep(0.05)

    def seconds(self, bench: Bench, tokens: Sequence[int]) -> tuple[float, bool]:
        """See `Peer`."""
        asked = {
            "prompt": list(bench.prompt),
            "n_predict": len(tokens),
            "temperature": 0,
            "return_tokens": True,
        }
        told = json.loads(self._ask("POST", "/completion", json.dumps(asked)))
        taken = float(told["timings"]["predicted_ms"]) / 1e3
        return taken, told["tokens"][: len(tokens)] == list(tokens)

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ready(self) -> bool:
        try:
            self._ask("GET", "/health")
        except OSError:
            return False
        return True

    def _ask(self, method: str, where: str, body: str | None = None) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_ANSWER_SECONDS)
        try:
            connection.request(method, where, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            data: bytes = answer.read()
        finally:
            connection.close()
        if answer.status != 200:
            raise ConnectionError(data[:200])
        return data
