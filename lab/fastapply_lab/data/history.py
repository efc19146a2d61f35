"""Changed files out of local git repositories, a stream in a fixed order.

Plain `git` plumbing: one `log --raw` lists blob pairs, one `cat-file --batch` reads them, so that
a repository of ten thousand commits takes seconds. Works on bare repositories. Left out: merges,
renames, binary, vendored, generated and minified files, files below 20 or above 3,000 lines,
changes above 120 lines, all but a few changes of one path, and changes seen before.
"""

from __future__ import annotations

import hashlib
import random
import re
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapply_lab.data.languages import language_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MIN_LINES, MAX_LINES, MAX_CHANGED = 20, 3000, 120
_SKIPPED = re.compile(
    r"(^|/)(vendor|vendored|node_modules|third_party|deps|dist|build|generated|testdata|fixtures|snapshots?|"
    r"__snapshots__|\.yarn)/|\.min\.|\.lock$|-lock\.|\.snap$|\.pb\.|_pb2|\.generated\.|/locales?/",
    re.IGNORECASE,
)
_GENERATED = re.compile(r"@generated|DO NOT EDIT|automatically generated|auto-generated", re.IGNORECASE)
_PROSE = frozenset({"markdown", "yaml", "toml", "html"})


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after one commit, as text."""

    repo: str
    commit: str
    path: str
    before: str
    after: str
    subject: str = ""  # the first line of the commit's message


@dataclass(frozen=True, slots=True)
class _Pair:
    commit: str
    subject: str
    path: str
    old: str
    new: str


def repository_name(repo: Path) -> str:
    """``/x/pallets+flask/repo`` and ``/x/flask/.git`` are called `pallets+flask` and `flask`."""
    repo = repo.resolve()
    return repo.parent.name if repo.name in {"repo", ".git"} else repo.name.removesuffix(".git")


def read_changes(repo: Path, *, seed: int, per_path: int = 6, prose: float = 0.12) -> Iterator[FileChange]:
    """Changes of a repository in an order that `seed` decides.

    At most `per_path` of one path; of Markdown, YAML and the like only the share `prose` of the
    pairs listed.
    """
    name = repository_name(repo)
    rng = random.Random(f"{seed}:{name}")  # noqa: S311 - repeatable, not secret
    pairs = list(_list_pairs(repo))
    rng.shuffle(pairs)
    used: dict[str, int] = {}
    seen: set[bytes] = set()
    with _open_blobs(repo) as read:
        for pair in pairs:
            language = language_of(pair.path)
            if language is None or used.get(pair.path, 0) >= per_path:
                continue
            if language.name in _PROSE and rng.random() > prose:
                continue
            before, after = read(pair.old), read(pair.new)
            if before is None or after is None or not _is_fit(before, after):
                continue
            key = hashlib.sha256(f"{before}\0{after}".encode()).digest()
            if key in seen:
                continue
            seen.add(key)
            used[pair.path] = used.get(pair.path, 0) + 1
            yield FileChange(name, pair.commit, pair.path, before, after, pair.subject)


def _list_pairs(repo: Path) -> Iterator[_Pair]:
    command = ["git", "-C", str(repo), "log", "--all", "--no-merges", "--no-renames", "--diff-filter=M"]
    command += ["--raw", "--no-abbrev", "-z", "--format=%x01%H %s"]
    done = subprocess.run(command, check=True, capture_output=True)
    for entry in done.stdout.split(b"\x01")[1:]:
        head, _, rest = entry.partition(b"\0")
        commit, _, subject = head.decode("utf-8", "replace").strip().partition(" ")
        fields = rest.lstrip(b"\n").split(b"\0")
        for meta, path in zip(fields[::2], fields[1::2], strict=False):
            parts = meta.strip().lstrip(b":").split(b" ")
            name = path.decode("utf-8", "replace")
            if len(parts) != 5 or not parts[0].startswith(b"100") or not parts[1].startswith(b"100"):
                continue
            if language_of(name) is not None and not _SKIPPED.search(name):
                yield _Pair(commit, subject, name, parts[2].decode(), parts[3].decode())


@contextmanager
def _open_blobs(repo: Path) -> Iterator[Callable[[str], str | None]]:
    process = subprocess.Popen(
        ["git", "-C", str(repo), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    source, sink = process.stdout, process.stdin
    assert source is not None  # noqa: S101 - both were asked for
    assert sink is not None  # noqa: S101

    def read(blob: str) -> str | None:
        sink.write(f"{blob}\n".encode())
        sink.flush()
        head = source.readline().split()
        if len(head) != 3:
            return None
        data = source.read(int(head[2]) + 1)[:-1]
        try:
            return None if b"\0" in data else data.decode("utf-8")
        except UnicodeDecodeError:
            return None

    try:
        yield read
    finally:
        sink.close()
        source.close()
        process.wait()


def _is_fit(before: str, after: str) -> bool:
    old, new = before.splitlines(), after.splitlines()
    if not (MIN_LINES <= len(old) <= MAX_LINES and MIN_LINES <= len(new) <= MAX_LINES):
        return False
    if before.startswith("\ufeff") or abs(len(old) - len(new)) > MAX_CHANGED:
        return False
    if max(map(len, old)) > 400 or max(map(len, new)) > 400 or _GENERATED.search(before[:2000]):
        return False
    known = set(old)
    return sum(line not in known for line in new) <= MAX_CHANGED
