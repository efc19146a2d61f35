"""What is known of llama.cpp on this machine: what it can do, and whether it may use repacked weights.

What it can do is found out in a process of its own, since loading it may be what crashes. As a script this
writes one JSON object: `gpu` (whether it can offload layers) and `system` (llama.cpp's own words on the
processor).

Some processors, and more virtual ones, claim instructions that they then die of. The first worker on a
machine finds out by dying; the next one goes without, and that is remembered for this version of llama.cpp.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from fastapply.errors import ModelTrouble
from fastapply.folders import cache_folder

_SECONDS = 60.0
_FILE = "probe.json"


def uses_extra_buffers() -> bool | None:
    """What was found out; None where nothing was."""
    known = _read().get(_machine())
    return known if isinstance(known, bool) else None


def remember_extra_buffers(works: bool) -> None:
    """Keep what was found out; where that cannot be, it is found out anew."""
    path = cache_folder() / _FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**_read(), _machine(): works}), encoding="utf-8")
    except OSError:
        return


def _read() -> dict[str, object]:
    try:
        kept = json.loads((cache_folder() / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _machine() -> str:
    """The processor and the version of llama.cpp."""
    name = platform.processor() or platform.machine()
    try:
        rows = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        name = next((row.partition(":")[2].strip() for row in rows if row.startswith("model name")), name)
    except OSError:
        pass
    try:
        version = metadata.version("llama-cpp-python")
    except metadata.PackageNotFoundError:
        version = ""
    return f"{name} | llama-cpp-python {version}"


def ask_backend() -> dict[str, Any]:
    """What this writes as a script. Raises `ModelTrouble` (``crashed``) where llama.cpp cannot be loaded."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "fastapply.models.worker.probe"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelTrouble(f"llama.cpp cannot be tried: {error}", reason="crashed") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"it ended with status {done.returncode}"])[-1]
        raise ModelTrouble(
            f"llama.cpp cannot be loaded: {last}",
            reason="crashed",
            hint="pip install --force-reinstall --no-binary llama-cpp-python llama-cpp-python builds it here",
        )
    told = json.loads(done.stdout)
    return told if isinstance(told, dict) else {}


def _tell() -> dict[str, Any]:
    import llama_cpp as llama

    from fastapply.models.llama.library import silence

    silence()
    return {
        "gpu": bool(llama.llama_supports_gpu_offload()),
        "system": llama.llama_print_system_info().decode(errors="replace").strip(),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_tell()))
