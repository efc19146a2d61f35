"""A small git repository with changes of several kinds, and what is read of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from fastapply_lab.data.history import read_changes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SHOP = '''"""Orders of a shop."""

import logging
from dataclasses import dataclass, field

log = logging.getLogger(__name__)


@dataclass
class Order:
    """One order of one customer."""

    number: int
    customer: str
    lines: list[str] = field(default_factory=list)
    discount: int = 0

    def add(self, line: str) -> None:
        """Append one line to the order."""
        if not line:
            raise ValueError("an empty line cannot be ordered")
        self.lines.append(line)
        log.info("order %s has %s lines", self.number, len(self.lines))

    def total(self, prices: dict[str, int]) -> int:
        """Sum of the prices of all lines, without the discount."""
        result = 0
        for line in self.lines:
            result += prices[line]
        return result - self.discount

    def cancel(self) -> None:
        """Forget every line of the order."""
        # the number stays, so that nobody orders under it again
        self.lines.clear()
        log.info("order %s was cancelled", self.number)


class Customer:
    """Somebody who orders."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.orders: list[Order] = []

    def open_order(self, number: int) -> Order:
        """Make a new order and keep it."""
        order = Order(number, self.name)
        self.orders.append(order)
        return order

    def greet(self) -> str:
        """What the shop says first."""
        return f"Good morning, {self.name}"
'''

SERVER = """package main

import (
\t"fmt"
\t"net/http"
)

type server struct {
\tname  string
\tcount int
}

func (s *server) handleIndex(w http.ResponseWriter, r *http.Request) {
\ts.count++
\tfmt.Fprintf(w, "hello from %s", s.name)
}

func (s *server) handleCount(w http.ResponseWriter, r *http.Request) {
\tif r.Method != http.MethodGet {
\t\thttp.Error(w, "only GET is allowed", http.StatusMethodNotAllowed)
\t\treturn
\t}
\tfmt.Fprintf(w, "%d visits so far", s.count)
}

func describe() {
\tfmt.Println("address: localhost")
\tfmt.Println("port: 8080")
\tfmt.Println("index: /")
\tfmt.Println("visits at: /count")
\tfmt.Println("method: GET")
\tfmt.Println("licence: Apache")
\tfmt.Println("author: somebody")
\tfmt.Println("since: yesterday")
\tfmt.Println("until: tomorrow")
\tfmt.Println("language: Go")
\tfmt.Println("that is all")
}

func main() {
\ts := &server{name: "first"}
\thttp.HandleFunc("/", s.handleIndex)
\thttp.HandleFunc("/count", s.handleCount)
\tif err := http.ListenAndServe(":8080", nil); err != nil {
\t\tfmt.Println("cannot listen:", err)
\t}
}
"""

_TOTAL = """        result = 0
        for line in self.lines:
            result += prices[line]
"""
_IS_EMPTY = """    def is_empty(self) -> bool:
        '''Whether nothing was ordered.'''
        return not self.lines

"""
_FAREWELL = """
    def farewell(self) -> str:
        '''What the shop says last.'''
        return f"Goodbye, {self.name}"
"""
_LOGGED = """        log.info("order %s has %s lines", self.number, len(self.lines))
"""
_ONLY_GET = """\tif r.Method != http.MethodGet {
\t\thttp.Error(w, "only GET is allowed", http.StatusMethodNotAllowed)
\t\treturn
\t}
"""
_GREET = SHOP[SHOP.index("    def greet") :]
_CANCEL = SHOP[SHOP.index("    def cancel") : SHOP.index("\nclass Customer")]

STEPS: tuple[tuple[str, str, str], ...] = (
    ("shop.py", "return result - self.discount", "return max(0, result - self.discount)"),
    ("shop.py", "import logging\n", "import logging\nimport time\n"),
    (
        "shop.py",
        "    discount: int = 0\n",
        "    discount: int = 0\n    made: float = field(default_factory=time.time)\n",
    ),
    (
        "shop.py",
        "(order)\n        return order\n",
        "(order)\n        log.info('opened %s', number)\n        return order\n",
    ),
    ("shop.py", "    def cancel(self) -> None:\n", _IS_EMPTY + "    def cancel(self) -> None:\n"),
    ("shop.py", _TOTAL, "        result = sum(prices[line] for line in self.lines)\n"),
    ("shop.py", _LOGGED, ""),
    ("shop.py", "\n" + _GREET, _FAREWELL),
    ("shop.py", "\n" + _CANCEL, ""),
    (
        "server.go",
        's.count++\n\tfmt.Fprintf(w, "hello from %s"',
        's.count += 1\n\tfmt.Fprintf(w, "welcome to %s"',
    ),
    ("server.go", '"method: GET"', '"method: GET or HEAD"'),
    ("server.go", "\tcount int\n", "\tcount int\n\tlimit int\n"),
    ("server.go", 'name: "first"}\n', 'name: "first", limit: 10}\n\tdefer fmt.Println("bye")\n'),
    ("server.go", _ONLY_GET, ""),
)


def run_git(repo: Path, *arguments: str) -> str:
    """Run git in a repository, away from the user's own configuration."""
    who = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for role in ("AUTHOR", "COMMITTER"):
        who |= {f"GIT_{role}_NAME": "A", f"GIT_{role}_EMAIL": "a@example.org"}
        who[f"GIT_{role}_DATE"] = "2024-01-01T00:00:00Z"
    command = ["git", "-C", str(repo), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **who})
    return done.stdout


@pytest.fixture(scope="session")
def steps() -> tuple[tuple[str, str, str], ...]:
    """What each commit replaced: path, old and new text."""
    return STEPS


@pytest.fixture(scope="session")
def git() -> Callable[..., str]:
    """Git, away from the user's own configuration."""
    return run_git


@pytest.fixture(scope="session")
def shop_repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit for each of `STEPS`, and files that are no source of edits."""
    repo = tmp_path_factory.mktemp("history") / "shop"
    (repo / "vendor").mkdir(parents=True)
    run_git(repo, "init", "--quiet", "--initial-branch=main")
    run_git(repo, "config", "core.autocrlf", "false")
    texts = {"shop.py": SHOP, "server.go": SERVER}
    for name, text in texts.items():
        (repo / name).write_bytes(text.encode())
    (repo / "vendor" / "copied.py").write_bytes(SHOP.encode())
    (repo / "short.py").write_bytes(b"a = 1\n")
    (repo / "blob.py").write_bytes(b"a\0" + SHOP.encode())
    run_git(repo, "add", "--all")
    run_git(repo, "commit", "--quiet", "--message=start")
    for number, (name, old, new) in enumerate(STEPS):
        assert texts[name].count(old) == 1
        texts[name] = texts[name].replace(old, new)
        (repo / name).write_bytes(texts[name].encode())
        (repo / "vendor" / "copied.py").write_bytes(SHOP.encode() + b"# %d\n" % number)
        (repo / "short.py").write_bytes(b"a = %d\n" % number)
        (repo / "blob.py").write_bytes(b"a\0" + SHOP.encode() + b"%d\n" % number)
        run_git(repo, "commit", "--quiet", "--all", f"--message=step {number}")
    return repo


def test_every_commit_gives_the_files_that_it_changed(
    shop_repo: Path, steps: tuple[tuple[str, str, str], ...]
) -> None:
    """Before and after are the whole texts of each commit, and nothing else is read."""
    changes = list(read_changes(shop_repo, seed=1, per_path=20))
    assert len(changes) == len(steps)
    by_edit = {(old, new): name for name, old, new in steps}
    for change in changes:
        fitting = [
            name for (old, new), name in by_edit.items() if change.before.replace(old, new, 1) == change.after
        ]
        assert fitting == [change.path]


def test_vendored_short_and_binary_files_are_left_out(shop_repo: Path) -> None:
    """Copies of other projects, files of a few lines and binary files make no edits."""
    assert {c.path for c in read_changes(shop_repo, seed=1, per_path=20)} == {"shop.py", "server.go"}


def test_the_order_depends_on_the_seed_alone(shop_repo: Path) -> None:
    """The same seed gives the same changes in the same order, another seed another order."""
    first = [c.commit for c in read_changes(shop_repo, seed=1, per_path=20)]
    assert first == [c.commit for c in read_changes(shop_repo, seed=1, per_path=20)]
    others = {tuple(c.commit for c in read_changes(shop_repo, seed=s, per_path=20)) for s in range(2, 6)}
    assert others != {tuple(first)}


def test_one_path_gives_only_a_few_changes(shop_repo: Path) -> None:
    """The cap for a path holds."""
    assert len(list(read_changes(shop_repo, seed=1, per_path=1))) == 2


def test_a_bare_repository_is_read_as_well(shop_repo: Path, git: Callable[..., str], tmp_path: Path) -> None:
    """Mirrors have no work tree."""
    bare = tmp_path / "mirror+shop" / "repo"
    git(shop_repo, "clone", "--quiet", "--bare", str(shop_repo), str(bare))
    changes = list(read_changes(bare, seed=1))
    shutil.rmtree(bare)
    assert {c.repo for c in changes} == {"mirror+shop"}
