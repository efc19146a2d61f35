"""Changes as the formats that quote what stands in the file: SEARCH/REPLACE, V4A, str_replace.

Every quoted before-side stands exactly once in the file at the moment that its hunk comes up;
context is added until it does, or the edit is not written.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.dataset.by_rule.change import indent_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from fastapply.dataset.by_rule.change import Change
    from fastapply.dataset.by_rule.lookup import View


@dataclass(frozen=True, slots=True)
class Group:
    """Before lines `[b0, b1)` become after lines `[a0, a1)`, context included."""

    b0: int
    b1: int
    a0: int
    a1: int


def make_groups(
    change: Change, context: int, *, unique: bool = True, gap: int = 0
) -> tuple[Group, ...] | None:
    """Replacements with `context` lines around, or as many more as make them unique.

    Groups that touch, or have at most `gap` lines between them, become one.
    """
    extra = dict.fromkeys(change.replaced, 0)
    for _ in range(10):
        groups: list[Group] = []
        members: list[list[object]] = []
        for r in change.replaced:
            n = context + extra[r]
            up, down = min(n, r.b0), min(n, len(change.before) - r.b1)
            group = Group(r.b0 - up, r.b1 + down, r.a0 - up, r.a1 + down)
            if groups and group.b0 - groups[-1].b1 <= gap:
                groups[-1] = Group(groups[-1].b0, group.b1, groups[-1].a0, group.a1)
                members[-1].append(r)
            else:
                groups.append(group)
                members.append([r])
        if not unique:
            return tuple(groups)
        bad = _repeated(change, groups)
        if not bad:
            return tuple(groups)
        for r in change.replaced:
            if any(r in members[i] for i in bad):
                extra[r] += 1
    return None


def _repeated(change: Change, groups: Sequence[Group]) -> list[int]:
    """Groups whose before-side, white space aside, is not the only one when its turn comes."""
    now = [_plain(line) for line in change.before]
    bad = []
    for at, g in enumerate(groups):
        side = [_plain(line) for line in change.before[g.b0 : g.b1]]
        solid = [line for line in side if line]
        here = _count([line for line in now if line], solid) if solid else 2
        if here != 1 or (at and _count([x for x in map(_plain, change.before) if x], solid) != 1):
            bad.append(at)
        shift = len(now) - len(change.before)
        start = g.b0 + shift
        now[start : start + g.b1 - g.b0] = [_plain(line) for line in change.after[g.a0 : g.a1]]
    return bad


def _plain(line: str) -> str:
    return " ".join(line.split())


def _count(lines: list[str], part: list[str]) -> int:
    return sum(lines[i : i + len(part)] == part for i in range(len(lines) - len(part) + 1))


@dataclass(frozen=True, slots=True)
class SearchStyle:
    """Markers and habits of one writer of SEARCH/REPLACE blocks."""

    context: int = 2
    marks: tuple[str, str, str] = ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE")
    named: bool = True
    fenced: bool = False
    drift: int = 0  # so many columns of indentation are lost, in both halves
    elide: bool = False  # `...` for context in the middle
    strip: bool = False  # white space at line ends of context is lost


def write_search_replace(view: View, path: str, fence: str, style: SearchStyle) -> str | None:
    """Blocks in the file's order, or None where this style cannot say the change."""
    change = view.change
    groups = make_groups(change, style.context, gap=12 if style.elide else 0)
    if groups is None:
        return None
    out: list[str] = []
    elided = False
    for g in groups:
        search, new = list(change.before[g.b0 : g.b1]), list(change.after[g.a0 : g.a1])
        if any(
            line.startswith(("<<<<<<<", "=======", ">>>>>>>", "-------", "+++++++")) for line in search + new
        ):
            return None
        if any(line.strip() in {"...", "…"} for line in search + new):
            return None
        if style.elide:
            pair = _elide(view, g)
            if pair is not None:
                search, new = pair
                elided = True
        if style.drift:
            both = [line for line in search + new if line.strip()]
            if min(indent_of(line) for line in both) < style.drift or any("\t" in line for line in both):
                return None
            search, new = ([line[style.drift :] for line in half] for half in (search, new))
        if style.strip:
            search = [line.rstrip() for line in search]
        block = [style.marks[0], *search, style.marks[1], *new, style.marks[2]]
        if style.fenced:
            block = [f"```{fence}", *block, "```"]
        out += [path, *block, ""] if style.named else [*block, ""]
    if style.elide and not elided:
        return None
    return "\n".join(out)


def _elide(view: View, g: Group) -> tuple[list[str], list[str]] | None:
    """Leave out a stretch of kept lines of a group, the same in both halves."""
    change = view.change
    inside = [r for r in change.replaced if g.b0 <= r.b0 and r.b1 <= g.b1]
    for left, right in pairwise(inside):
        keep = 2
        if right.b0 - left.b1 < 2 * keep + 3:
            continue
        cut0, cut1 = left.b1 + keep, right.b0 - keep
        a0, a1 = left.a1 + keep, right.a0 - keep
        upper, lower = change.before[g.b0 : cut0], change.before[cut1 : g.b1]
        if not _only_once(view, upper, g.b0) or not _only_once(view, lower, cut1):
            return None
        search = [*upper, "...", *lower]
        return search, [*change.after[g.a0 : a0], "...", *change.after[a1 : g.a1]]
    return None


def _only_once(view: View, lines: Sequence[str], at: int) -> bool:
    solid = [line for line in lines if line.strip()]
    first = next((at + i for i, line in enumerate(lines) if line.strip()), -1)
    return bool(solid) and view.lookup.find(solid, 0, len(view.change.before) - 1) == [first]


def write_v4a(view: View, path: str, *, scoped: bool, heredoc: bool, context: int) -> str | None:
    """`*** Begin Patch` with one Update File; `@@ scope` lines where `scoped`."""
    change = view.change
    groups = make_groups(change, context)
    if groups is None:
        return None
    out = ["*** Begin Patch", f"*** Update File: {path}"]
    used = 0
    for g in groups:
        if any(line.startswith(("***", "@@")) for line in change.before[g.b0 : g.b1]):
            return None
        scope = _scope(view, g) if scoped else None
        used += scope is not None
        out.append(f"@@ {scope}" if scope else "@@")
        out += body_of(change, g)
    if scoped and not used:
        return None
    out.append("*** End Patch")
    if heredoc:
        out = ["apply_patch <<'EOF'", *out, "EOF"]
    return "\n".join(out) + "\n"


def _scope(view: View, g: Group) -> str | None:
    for block in reversed(view.old.enclosing(g.b0, g.b1 - 1)):
        header = view.change.before[block.start]
        if block.defines and block.body - block.start == 1 and _only_once(view, [header], block.start):
            return header.strip()
    return None


def body_of(change: Change, g: Group) -> list[str]:
    """Lines of a hunk with their ` `, `-` and `+`."""
    out: list[str] = []
    b = g.b0
    for r in change.replaced:
        if not (g.b0 <= r.b0 and r.b1 <= g.b1 and g.a0 <= r.a0 and r.a1 <= g.a1):
            continue
        out += [f" {line}" for line in change.before[b : r.b0]]
        out += [f"-{line}" for line in change.before[r.b0 : r.b1]]
        out += [f"+{line}" for line in change.after[r.a0 : r.a1]]
        b = r.b1
    return out + [f" {line}" for line in change.before[b : g.b1]]


def write_str_replace(view: View, rng: Random, *, within_line: bool) -> str | None:
    """One `{"old_string", "new_string"}` or a list of them; each old string stands once."""
    change = view.change
    groups = make_groups(
        change, rng.choice((0, 1, 2)) if change.replaced[0].b0 < change.replaced[0].b1 else 1
    )
    if groups is None or any(g.b0 == g.b1 for g in groups):
        return None
    calls = []
    now = "\n".join(change.before) + "\n"
    for g in groups:
        old, new = "\n".join(change.before[g.b0 : g.b1]), "\n".join(change.after[g.a0 : g.a1])
        if g.b1 == len(change.before) and g.a0 == g.a1:
            return None
        if g.a0 == g.a1:
            old += "\n"
        if within_line:
            old, new = _narrow(old, new)
        if not old.strip() or now.count(old) != 1:
            return None
        now = now.replace(old, new)
        calls.append({"old_string": old, "new_string": new})
    if now != "\n".join(change.after) + "\n":
        return None
    one = len(calls) == 1 and rng.random() < 0.7
    return json.dumps(calls[0] if one else calls, indent=rng.choice((None, 2)), ensure_ascii=False)


def _narrow(old: str, new: str) -> tuple[str, str]:
    """Drop white space at the ends that both strings share, as a model does that quotes a part."""
    lead = len(old) - len(old.lstrip())
    if lead and old[:lead] == new[:lead]:
        old, new = old[lead:], new[lead:]
    return old, new
