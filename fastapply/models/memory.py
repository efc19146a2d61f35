"""How much memory a process may still take here, as far as the system says."""

from __future__ import annotations

from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")


def available_bytes(meminfo: Path = _MEMINFO, group: Path = _GROUP) -> int | None:
    """Bytes that can be had without swapping, within the limit of a container; None where nothing says so.

    What the page cache holds counts as free, in a container as well.
    """
    free = _meminfo(meminfo)
    limit, used = _number(group / "memory.max"), _number(group / "memory.current")
    if limit is None or used is None:
        return free
    left = max(0, limit - used + _file_cache(group / "memory.stat"))
    return left if free is None else min(free, left)


def gigabytes(size: float) -> str:
    """Bytes for people."""
    return f"{size / 1e9:.1f} GB"


def _meminfo(path: Path) -> int | None:
    try:
        lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    row = next((line for line in lines if line.startswith("MemAvailable:")), None)
    return int(row.split()[1]) * 1024 if row is not None else None


def _number(path: Path) -> int | None:
    """The number in a file; None where it is ``max``, or there is no such file."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _file_cache(path: Path) -> int:
    try:
        rows = dict(line.split() for line in path.read_text(encoding="ascii").splitlines())
        return int(rows["inactive_file"])
    except (OSError, ValueError, KeyError):
        return 0
