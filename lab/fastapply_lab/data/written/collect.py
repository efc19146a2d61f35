"""Edits of many commits into a folder, in a run that can be stopped and goes on.

::

    DIR/edits.jsonl                cases, each with `teacher`, `character` and `subject` of the commit beside
    DIR/dropped.jsonl              what was not kept, and why
    DIR/{train,valid,test}.jsonl   the kept ones as windows, by repository
    DIR/STATISTICS.md              how many, of what, under which licences, and the share kept
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from fastapply.errors import ModelTrouble
from fastapply.evaluate.cases import case_from, case_line
from fastapply.evaluate.records import append_line, read_whole_lines
from fastapply.evaluate.tables import wilson
from fastapply_lab.chat import MOST_TROUBLE, ask_ahead
from fastapply_lab.data.filters import Seen, why_not
from fastapply_lab.data.history import read_changes, repository_name
from fastapply_lab.data.licence import permissive_licence
from fastapply_lab.data.recipe import SPLITS, split_of
from fastapply_lab.data.windows import make_window, to_json
from fastapply_lab.data.written.ask import APPLY, WRITE, Dropped, Written, change_id, write_and_check

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from fastapply_lab.chat import Chat
    from fastapply_lab.data.history import FileChange
    from fastapply_lab.data.recipe import Recipe

EDITS, DROPPED, PAGE = "edits.jsonl", "dropped.jsonl", "STATISTICS.md"
_SEEN_BITS = 1 << 24


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which commits are asked about. Sizes are of one repository; `longest` is in lines of the file."""

    recipe: Recipe
    longest: int = 600
    most: int | None = None  # of all repositories together


@dataclass(slots=True)
class Counts:
    """What came of a folder so far."""

    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    refused_repos: list[str] = field(default_factory=list)


def collect(
    repos: Sequence[Path], out: Path, chat: Chat, wanted: Wanted, *, jobs: int = 4
) -> Iterator[Written | Dropped]:
    """Ask about the commits of some repositories; gives what came of each when it is on the disk.

    What the folder has an answer on is not asked about again. Raises `ModelTrouble` where the server cannot
    be asked, or makes trouble again and again.
    """
    out.mkdir(parents=True, exist_ok=True)
    known = {values.get("id") for name in (EDITS, DROPPED) for values in read_whole_lines(out / name)}
    fresh = _changes(repos, known, wanted)
    troubles = 0

    def ask(one: tuple[FileChange, str]) -> Written | Dropped:
        return write_and_check(chat, *one, wanted.recipe.seed)

    for done in ask_ahead(ask, fresh, jobs):
        if isinstance(done, Written):
            line = json.loads(case_line(done.case))
            line |= {"teacher": done.teacher, "character": done.part.character, "subject": done.subject}
            append_line(out / EDITS, json.dumps(line, ensure_ascii=False) + "\n")
        elif done.told:
            append_line(out / DROPPED, json.dumps(asdict(done), ensure_ascii=False) + "\n")
        yield done
        troubles = troubles + 1 if isinstance(done, Dropped) and not done.told else 0
        if troubles == MOST_TROUBLE and isinstance(done, Dropped):
            raise ModelTrouble(f"{done.message}, {MOST_TROUBLE} times in a row", reason=done.reason)


def finish(out: Path, wanted: Wanted, chat_name: str) -> Counts:
    """Write the windows and the page of statistics of all that a folder holds."""
    counts = Counts()
    kept = list(read_whole_lines(out / EDITS))
    dropped = list(read_whole_lines(out / DROPPED))
    counts.kept = len(kept)
    counts.dropped.update(str(one.get("reason")) for one in dropped)
    windows = Counter[str]()
    files = {split: (out / f"{split}.jsonl").open("w", encoding="utf-8") for split in SPLITS}
    try:
        for values in kept:
            case = case_from(values, "")
            rng = random.Random(str(values.get("id")))  # noqa: S311 - repeatable, not secret
            window = make_window(case, case.licence, rng) if case is not None else None
            if window is None or case is None:
                windows["of several parts, in none"] += 1
                continue
            split = split_of(case.repository, wanted.recipe)
            windows[split] += 1
            files[split].write(to_json(window) + "\n")
    finally:
        for file in files.values():
            file.close()
    page = _page(kept, dropped, windows, chat_name)
    (out / PAGE).write_text(page, encoding="utf-8")
    return counts


def _changes(repos: Sequence[Path], known: set[Any], wanted: Wanted) -> Iterator[tuple[FileChange, str]]:
    recipe, number = wanted.recipe, 0
    for repo in repos:
        licence = permissive_licence(repo, recipe.licences)
        if licence is None:
            continue
        rng = random.Random(f"{recipe.seed}:{repository_name(repo)}")  # noqa: S311 - repeatable, not secret
        seen, of_repo = Seen(_SEEN_BITS), 0
        for change in read_changes(repo, seed=recipe.seed, per_path=recipe.per_path):
            if change.before.count("\n") > wanted.longest or why_not(change, seen, rng):
                continue
            of_repo += 1
            if of_repo > recipe.per_repo:
                break
            if change_id(change) in known:
                continue
            number += 1
            if wanted.most is not None and number > wanted.most:
                return
            yield change, licence


def _page(
    kept: list[dict[str, Any]], dropped: list[dict[str, Any]], windows: Counter[str], chat_name: str
) -> str:
    """The page in Markdown: shares kept with 95 % intervals, repositories with licences, reasons."""
    total = len(kept) + len(dropped)
    low, high = wilson(len(kept), total)
    teachers = ", ".join(sorted({str(one.get("teacher")) for one in kept})) or chat_name
    lines = [
        "# Edits as models write them",
        "",
        (
            f"{len(kept)} edits of {total} commits asked about were kept: "
            f"{len(kept) / max(1, total):.1%} (95 %: {low:.1%} to {high:.1%}). Written by {teachers} "
            f"(prompt {WRITE}), applied blind by the same (prompt {APPLY}), and kept where that came to the "
            "commit's own text, blank lines aside. The texts are under the licences of their repositories, "
            "named in each line."
        ),
        "",
        f"Windows: {', '.join(f'{count} {split}' for split, count in windows.items()) or 'none'}.",
        "",
    ]
    for name, key in (("style", "style"), ("character", "character")):
        have = Counter(str(one.get(key)) for one in kept)
        lost = Counter(str(one.get("part", {}).get(key)) for one in dropped)
        rows = [
            f"| {one} | {have[one]} | {have[one] + lost[one]} | {have[one] / (have[one] + lost[one]):.1%} |"
            for one in sorted(have | lost)
        ]
        lines += [f"| {name} | kept | asked about | share |", "|---|---|---|---|", *rows, ""]
    repositories = Counter((str(one.get("repository")), str(one.get("licence"))) for one in kept)
    rows = [f"| {name} | {licence} | {count} |" for (name, licence), count in sorted(repositories.items())]
    lines += ["| repository | licence | edits |", "|---|---|---|", *rows, ""]
    reasons = Counter(str(one.get("reason")) for one in dropped)
    rows = [f"| {reason} | {count} |" for reason, count in reasons.most_common()]
    lines += ["| dropped because | times |", "|---|---|", *rows, ""]
    return "\n".join(lines)
