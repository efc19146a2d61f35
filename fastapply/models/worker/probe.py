"""What is known of llama.cpp on this machine: whether it may use weights repacked for the processor.

Some processors, and more virtual ones, claim instructions that they then die of. The first worker on a
machine finds out by dying; the next one goes without, and that is remembered for this version of llama.cpp.
"""

from __future__ import annotations

import json
import platform
from importlib import metadata
from pathlib import Path

from fastapply.folders import cache_folder


def uses_extra_buffers() -> bool | None:
    """What was found out; None where nothing was."""
    known = _read().get(_machine())
    return known if isinstance(known, bool) else None


def remember_extra_buffers(works: bool) -> None:
    """Keep what was found out; where that cannot be, it is found out anew."""
    path = _path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**_read(), _machine(): works}), encoding="utf-8")
    except OSError:
        return


def _path() -> Path:
    return cache_folder() / "probe.json"


def _read() -> dict[str, object]:
    try:
        kept = json.loads(_path().read_text(encoding="utf-8"))
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
