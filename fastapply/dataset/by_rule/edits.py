"""Cases with known answers, made of git history: drawn in fixed shares of styles."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

from fastapply.dataset.by_rule.change import changes_unit, make_change, normalise
from fastapply.dataset.by_rule.history import FileChange, read_changes
from fastapply.dataset.by_rule.languages import language_of
from fastapply.dataset.by_rule.write_edit import STYLES, Style, Task, make_view, write_edit
from fastapply.evaluate.cases import Case
from fastapply.text import split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_PER_CHANGE = 2  # edits made of one change, in different styles
_MAX_REPLACED = 8


def make_edits(repos: Sequence[Path], *, count: int, seed: int) -> Iterator[Case]:
    """At most `count` edits, taken from the repositories in turn; the same for the same seed."""
    rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
    streams = [read_changes(repo, seed=seed) for repo in repos]
    made: Counter[str] = Counter()
    number = 0
    while streams and number < count:
        for stream in tuple(streams):
            change = next(stream, None)
            if change is None:
                streams.remove(stream)
                continue
            for edit in edits_of(change, made, count, rng, number):
                made[edit.style] += 1
                number += 1
                yield edit
                if number >= count:
                    return


def edits_of(
    change: FileChange, made: Counter[str], count: int, rng: random.Random, number: int
) -> list[Case]:
    """At most two edits of one change, in styles that `made` lacks most; their ids begin at `number`."""
    language = language_of(change.path)
    pair = normalise(change.before, change.after)
    if language is None or pair is None:
        return []
    before, _ = split_lines(pair[0])
    after, _ = split_lines(pair[1])
    aligned = make_change(before, after)
    if not aligned.replaced or len(aligned.replaced) > _MAX_REPLACED:
        return []
    if any(_has_loose_ends(before[max(0, r.b0 - 1) : r.b1 + 1]) for r in aligned.replaced):
        return []  # an edit cannot say which white space at line ends should go
    if any(_has_loose_ends(before[max(0, r.b0 - 30) : r.b1 + 30], blank=True) for r in aligned.replaced):
        return []  # nor which of two blank lines is the old one
    if any(changes_unit(aligned, r) for r in aligned.replaced):
        return []  # nor that all of a block is indented in another way, when snippets are so at times
    view = make_view(before, aligned, language)
    if view.new.errors and not view.old.errors:
        return []
    newline = "\r\n" if "\r\n" in pair[0] else "\n"
    final = pair[0].endswith("\n")
    out: list[Case] = []
    for style in _order(made, count, rng):
        if len(out) >= _PER_CHANGE:
            break
        if not final and style.format == "udiff":
            continue
        answer = write_edit(Task(change.path, language, view, rng), style)
        if answer is None or any(e.edit == answer.text for e in out):
            continue
        texts = [newline.join(lines) + (newline if final else "") for lines in answer.afters]
        if texts[0] == change.before:
            continue
        name = f"{number + len(out):05d}-{style.name}"
        case = Case(
            name,
            change.path,
            change.before,
            answer.text,
            texts[0],
            tuple(texts[1:]),
            format=style.format,
            style=style.name,
            language=language.name,
            repository=change.repo,
            commit=change.commit,
        )
        out.append(case)
    return out


def _has_loose_ends(lines: Sequence[str], *, blank: bool = False) -> bool:
    """Whether a line (a blank one, if `blank`) has white space at its end."""
    return any(line != line.rstrip() and not (blank and line.strip()) for line in lines)


def _order(made: Counter[str], count: int, rng: random.Random) -> list[Style]:
    """Styles that lack most of their share first, with some chance in it."""
    total = sum(style.share for style in STYLES)
    wanted = {s.name: count * s.share / total for s in STYLES}
    open_styles = [s for s in STYLES if made[s.name] < wanted[s.name]]
    return sorted(open_styles, key=lambda s: made[s.name] / wanted[s.name] + rng.random() * 0.15)[:24]
