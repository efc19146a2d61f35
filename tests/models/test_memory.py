"""How much memory is free, as the system says it."""

from __future__ import annotations

import pytest

from fastapply.models.memory import available_bytes, gigabytes

GIB = 1 << 30


@pytest.fixture
def system(tmp_path):
    """Write the files of a system."""

    def write(available=None, limit=None, used=0, cache=0):
        meminfo, group = tmp_path / "meminfo", tmp_path / "group"
        group.mkdir()
        if available is not None:
            meminfo.write_text(f"MemTotal: 99 kB\nMemAvailable: {available // 1024} kB\n")
        if limit is not None:
            (group / "memory.max").write_text(f"{limit}\n")
            (group / "memory.current").write_text(f"{used}\n")
            (group / "memory.stat").write_text(f"anon 5\ninactive_file {cache}\n")
        return available_bytes(meminfo, group)

    return write


@pytest.mark.parametrize(
    ("given", "free"),
    [
        ({"available": 8 * GIB}, 8 * GIB),
        ({"available": 8 * GIB, "limit": "max"}, 8 * GIB),
        ({"available": 8 * GIB, "limit": 4 * GIB, "used": 3 * GIB, "cache": GIB}, 2 * GIB),
        ({"available": GIB, "limit": 4 * GIB}, GIB),
        ({"limit": 4 * GIB, "used": 5 * GIB}, 0),
        ({}, None),
    ],
    ids=["machine", "no-limit", "container", "machine-has-less", "container-full", "nothing-says-so"],
)
def test_free_memory_is_what_machine_and_container_leave(system, given, free):
    """The page cache of a container counts as free."""
    assert system(**given) == free


def test_bytes_for_people():
    """In units that one pays for."""
    assert gigabytes(1_117_320_768) == "1.1 GB"
