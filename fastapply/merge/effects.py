"""What each of several merges does that not all of them do, in lines that go and lines that come.

    splices of each merge ─ `refined` ─▶ changes, at the same place whoever found them
    changes of all        ─ `compare` ─▶ `Effect` of each, and the changes that all make

Blank lines are no effect. A line that comes again with other white space or another comma at its end has not
gone: it is `touched`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fastapply.merge.indentation import indent_of
from fastapply.merge.rewrite import changed_runs
from fastapply.types import Splice
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from fastapply.merge.lines import LineTable

_LARGE = 1_000_000
"""Product of lines from which on two blocks are not compared line by line."""
_NEAR = 40
"""Lines between which one that goes and one that comes may be the same one, indented anew."""
_SPECIFIC = 4
"""Characters from which on a line is not found again by chance."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What one merge does that not all do: file lines, 0-based, and new ones with the line they come before.

    `kept` are lines that stay here and go in another merge; `touched` change in white space or a comma.
    """

    changes: tuple[Splice, ...]
    gone: tuple[int, ...]
    kept: tuple[int, ...]
    new: tuple[tuple[int, str], ...]
    touched: tuple[tuple[int, str], ...]

    @property
    def texts(self) -> list[str]:
        """The new lines without their indentation."""
        return [text.strip() for _, text in self.new]


def refined(lines: Sequence[str], splices: Sequence[Splice]) -> tuple[Splice, ...]:
    """The changes of a merge without the lines that come again as they were, each where any merge has it."""
    found: list[Splice] = []
    for one in splices:
        old = lines[one.start : one.end]
        if len(old) * len(one.lines) > _LARGE:
            found.append(one)
            continue
        for a, b, c, d in changed_runs(old, one.lines):
            found.append(_slid(lines, Splice(one.start + a, one.start + b, tuple(one.lines[c:d])), found))
    return tuple(found)


def _slid(lines: Sequence[str], one: Splice, before: Sequence[Splice]) -> Splice:
    """Lines that only come, or only go, at the one of their equal places that begins least indented."""
    if one.lines and one.start < one.end:
        return one
    least = before[-1].end if before else 0
    places = [one]
    at = one
    while at.start > least and (moved := _above(lines, at)) is not None:
        at = moved
        places.append(at)
    at = one
    while at.end < len(lines) and (moved := _below(lines, at)) is not None:
        at = moved
        places.append(at)
    return min(places, key=lambda each: (_first_indent(lines, each), -each.start))


def _above(lines: Sequence[str], one: Splice) -> Splice | None:
    block = one.lines or lines[one.start : one.end]
    if block[-1] != lines[one.start - 1]:
        return None
    return Splice(one.start - 1, one.end - 1, (block[-1], *block[:-1]) if one.lines else ())


def _below(lines: Sequence[str], one: Splice) -> Splice | None:
    block = one.lines or lines[one.start : one.end]
    if block[0] != lines[one.end]:
        return None
    return Splice(one.start + 1, one.end + 1, (*block[1:], block[0]) if one.lines else ())


def _first_indent(lines: Sequence[str], one: Splice) -> int:
    block = one.lines or lines[one.start : one.end]
    first = next((line for line in block if line.strip()), "")
    closes = first.strip()[:1] in {"}", ")", "]"} or first.strip().startswith("end")
    return len(first) - len(first.lstrip()) + 1000 * (closes or not block[0].strip())


def compare(file: LineTable, merges: Sequence[Sequence[Splice]]) -> tuple[list[Effect], tuple[Splice, ...]]:
    """The effect of each merge, and the changes that all make where there are several."""
    changes = [refined(file.lines, splices) for splices in merges]
    went = [{f for one in made for f in lines_of(one) if file.keys[f]} for made in changes]
    came = [[(one.start, text) for one in made for text in one.lines if text.strip()] for made in changes]
    texts: list[dict[str, set[str]]] = [{} for _ in changes]
    for found, lines in zip(texts, came, strict=True):
        for _, text in lines:
            found.setdefault(_plain(text), set()).add(text)
    gone, new, touched, again = [], [], [], []
    for n in range(len(merges)):
        both = {
            (f, text)
            for m, lines in enumerate(went)
            if m != n
            for f in went[n] - lines
            for text in texts[m].get(_plain(file.lines[f]), ())
        }
        same = touched_lines(file, went[n], came[n], both)
        again.append({f: came[n][number][1] for number, f in same.items()})
        gone.append(went[n] - again[n].keys())
        new.append(_placed(came[n], same))
        touched.append(set(again[n].items()))
    if len(merges) == 1:
        alone = Effect(changes[0], tuple(sorted(gone[0])), (), tuple(new[0]), tuple(sorted(touched[0])))
        return [alone], ()
    common, everything = set.intersection(*gone), set.union(*gone)
    alike = set.intersection(*touched)
    shared = [_by_all(counts, len(merges)) for counts in shares(new, gone, file)]
    effects = [
        Effect(
            changes[n],
            tuple(sorted(gone[n] - common)),
            tuple(sorted(everything - gone[n])),
            tuple(one for m, one in enumerate(new[n]) if m not in shared[n]),
            tuple(sorted(touched[n] - alike)),
        )
        for n in range(len(merges))
    ]
    return effects, _always(file, changes, again)


def touched_lines(
    file: LineTable,
    gone: Collection[int],
    new: Sequence[tuple[int, str]],
    both: Collection[tuple[int, str]],
) -> dict[int, int]:
    """New lines, by number, that are file lines near by with other white space or another comma at the end.

    Not where another merge has `both`: the line as it is, and the new one, indented otherwise.
    """
    by_text: dict[str, list[int]] = {}
    for f in sorted(gone):
        by_text.setdefault(_plain(file.lines[f]), []).append(f)
    found: dict[int, int] = {}
    for number, (at, text) in enumerate(new):
        places = by_text.get(_plain(text), [])
        near = _NEAR if len(_plain(text)) >= _SPECIFIC else 2
        for f in places:
            indented = indent_of(text) != indent_of(file.lines[f])
            if abs(f - at) < near and not (indented and (f, text) in both):
                places.remove(f)
                found[number] = f
                break
    return found


def _placed(new: Sequence[tuple[int, str]], same: dict[int, int]) -> list[tuple[int, str]]:
    """The other new lines, each behind the lines that come again above it in the same change."""
    found = []
    last, behind = -1, 0
    for number, (at, text) in enumerate(new):
        behind = at if at != last else behind
        last = at
        if number in same:
            behind = max(behind, same[number] + 1)
        else:
            found.append((behind, text))
    return found


def _plain(text: str) -> str:
    return "".join(text.split()).rstrip(",;")


def shares(
    new: Sequence[Sequence[tuple[int, str]]], gone: Sequence[Collection[int]], file: LineTable
) -> list[list[int]]:
    """Of each new line of each merge how many of the other ones put it at the same place.

    A place is the line above it that both keep.
    """
    found = [[0] * len(came) for came in new]
    for i, came in enumerate(new):
        for j, other in enumerate(new):
            if i == j:
                continue
            out = {*gone[i], *gone[j]}
            places = {at: _kept_above(file, at, out) for at in {at for at, _ in (*came, *other)}}
            left = Counter((places[at], text) for at, text in other)
            for n, (at, text) in enumerate(came):
                if left[places[at], text] > 0:
                    left[places[at], text] -= 1
                    found[i][n] += 1
    return found


def _by_all(counts: Sequence[int], merges: int) -> set[int]:
    """The numbers of new lines that every other merge puts at the same place."""
    return {n for n, others in enumerate(counts) if others == merges - 1}


def _kept_above(file: LineTable, at: int, out: Collection[int]) -> int:
    return next((f for f in range(at - 1, -1, -1) if file.keys[f] and f not in out), -1)


def _always(
    file: LineTable, changes: Sequence[Sequence[Splice]], again: Sequence[Mapping[int, str]]
) -> tuple[Splice, ...]:
    """The changes that all merges make, whole ones and parts of them; `again` are lines that come again."""
    gone = [{f for one in made for f in lines_of(one) if file.keys[f]} for made in changes]
    new = [[(one.start, text) for one in made for text in one.lines if text.strip()] for made in changes]
    common = {f for f in set.intersection(*gone) if len({texts.get(f) for texts in again}) == 1}
    shared = _by_all(shares(new, gone, file)[0], len(changes))
    found: list[Splice] = []
    number = 0
    for one in changes[0]:
        texts = [text for text in one.lines if text.strip()]
        mine = tuple(text for n, text in enumerate(texts, number) if n in shared)
        number += len(texts)
        lines = [f for f in lines_of(one) if f in common]
        whole = len(mine) == len(texts) and all(not file.keys[f] or f in common for f in lines_of(one))
        if whole and (mine or lines):
            found.append(one)
        elif mine or lines:
            first, *rest = runs(file, lines) or [(one.start, one.start)]
            found += [Splice(*first, mine), *(Splice(*run, ()) for run in rest)]
    return tuple(found)


def lines_of(one: Splice) -> range:
    """The file lines that a change takes away."""
    return range(one.start, one.end)


def runs(file: LineTable, lines: Sequence[int]) -> list[tuple[int, int]]:
    """Lines in rows, blank ones between them left aside, as half-open ranges."""
    found: list[tuple[int, int]] = []
    for f in lines:
        if found and not any(file.keys[found[-1][1] : f]):
            found[-1] = (found[-1][0], f + 1)
        else:
            found.append((f, f + 1))
    return found
