"""Changes as unified diffs, the right ones of git and the ones that models write.

What goes wrong in the latter: line numbers, counts, `@@ ... @@`, no file header, context without
its leading blank, lines repeated as `-` and `+` that did not change. Where the numbers are no use
each before-side stands once in the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapply.dataset.by_rule.hunks import Group, body_of, make_groups

if TYPE_CHECKING:
    from random import Random

    from fastapply.dataset.by_rule.lookup import View


@dataclass(frozen=True, slots=True)
class DiffStyle:
    """Which habits a diff has."""

    header: bool = True
    git: bool = False
    numbers: str = "right"  # "right", "wrong", "dots" (`@@ ... @@`), "none" (`@@`)
    wrong_counts: bool = False
    bare_context: bool = False
    redundant: bool = False
    context: int = 3


def write_diff(view: View, path: str, style: DiffStyle, rng: Random) -> str | None:
    """A unified diff, or None where this style cannot say the change."""
    change = view.change
    exact = style.numbers == "right" and not style.wrong_counts and not style.bare_context
    groups = make_groups(change, style.context, unique=not exact)
    if groups is None:
        return None
    out = [f"diff --git a/{path} b/{path}"] if style.git else []
    if style.header:
        out += [f"--- a/{path}", f"+++ b/{path}"]
    for g in groups:
        body = body_of(change, g)
        if style.redundant:
            body = _repeat(body, rng)
        if style.bare_context:
            if any(
                line[1:].startswith(("-", "+", "@@", "\\", "***")) for line in body if line.startswith(" ")
            ):
                return None
            body = [line.removeprefix(" ") for line in body]
        elif rng.random() < 0.3 and not exact:
            body = [line if line.strip() else "" for line in body]
        while style.bare_context and not body[-1].strip():
            body.pop()
        out += [_heading(g, style, rng), *body]
    return "\n".join(out) + "\n"


def _heading(g: Group, style: DiffStyle, rng: Random) -> str:
    if style.numbers == "dots":
        return "@@ ... @@"
    if style.numbers == "none":
        return "@@"
    old, new, ocount, ncount = g.b0 + 1, g.a0 + 1, g.b1 - g.b0, g.a1 - g.a0
    if style.numbers == "wrong":
        old += rng.choice((-17, -6, -2, 1, 3, 9, 40))
        old = max(1, old)
        new = max(1, old + rng.choice((0, 1, 2)))
    if style.wrong_counts:
        ocount = max(1, ocount + rng.choice((-2, -1, 1, 2)))
        ncount = max(1, ncount + rng.choice((-1, 0, 1, 3)))
    return f"@@ -{old},{ocount} +{new},{ncount} @@"


def _repeat(body: list[str], rng: Random) -> list[str]:
    """Say one context line beside the change as removed and added again."""
    spots = [
        i
        for i in range(1, len(body))
        if body[i].startswith(" ") and body[i].strip() and body[i - 1].startswith("+")
    ]
    if not spots:
        return body
    at = rng.choice(spots)
    first = at
    while first and body[first - 1].startswith("+"):
        first -= 1
    line = body[at][1:]
    return [*body[:first], f"-{line}", *body[first:at], f"+{line}", *body[at + 1 :]]
