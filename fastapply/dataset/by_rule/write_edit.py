"""A known change, written as an edit in one of many styles; the styles are the table `STYLES`.

`write_edit` gives the edit's text, or None where the style cannot show what the change means (see
`decidable`). What the edit must make of the file is known by construction: it is the after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapply.dataset.by_rule.alter import Manner, without_markers
from fastapply.dataset.by_rule.blocks import Structure, read_structure
from fastapply.dataset.by_rule.change import Change, Replaced
from fastapply.dataset.by_rule.diffs import DiffStyle, write_diff
from fastapply.dataset.by_rule.hunks import SearchStyle, write_search_replace, write_str_replace, write_v4a
from fastapply.dataset.by_rule.lazy import Plan, choose_shown
from fastapply.dataset.by_rule.lookup import Lookup, View
from fastapply.dataset.by_rule.render import looks_like_marker, render_lazy
from fastapply.dataset.by_rule.wrap import talk, tool_call, wrap

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from fastapply.dataset.by_rule.languages import Language

MAX_WHOLE_FILE = 260
MIN_APART = 16  # lines between what the two parts of a mixed edit change


@dataclass(frozen=True, slots=True)
class Task:
    """One change to write down."""

    path: str
    language: Language
    view: View
    rng: Random


@dataclass(frozen=True, slots=True)
class Answer:
    """An edit, and the afters that are right: the change's own first."""

    text: str
    afters: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Style:
    """A way to write edits: `share` is its part of all edits, in parts of 100."""

    name: str
    format: str
    share: float
    write: Callable[[Task], Answer | None]


_CLINE = ("------- SEARCH", "=======", "+++++++ REPLACE")


def write_edit(task: Task, style: Style) -> Answer | None:
    """Write a change in a style, or None where it cannot be said so that it is decidable."""
    if not task.view.change.replaced:
        return None
    return style.write(task)


def _fence(task: Task) -> str:
    return task.rng.choice(task.language.fences)


def _lazy(plan: Plan, manner: Manner | None = None, *, json: bool = False) -> Callable[[Task], Answer | None]:
    def write(task: Task) -> Answer | None:
        text, afters = _lazy_lines(task, plan, manner or Manner())
        if text is None:
            return None
        if json:
            return Answer(tool_call(text, task.path, task.rng), afters)
        return Answer(wrap(text, task.path, _fence(task), task.rng), afters)

    return write


def _lazy_lines(task: Task, plan: Plan, manner: Manner) -> tuple[str | None, tuple[tuple[str, ...], ...]]:
    change = task.view.change
    if plan.sides != "both" and not all(r.b0 == r.b1 for r in change.replaced):
        return None, ()
    shown = choose_shown(task.view, plan)
    if shown is None:
        return None, ()
    written = render_lazy(task.view, shown, task.language, manner, task.rng)
    if written is None:
        return None, ()
    afters = [change.after] if written.literal is None else [change.after, written.literal]
    if plan.sides != "both":
        afters += _without_seam_blanks(change, at_end=plan.sides == "above")
    return "\n".join(written.lines) + "\n", tuple(afters)


def _without_seam_blanks(change: Change, *, at_end: bool) -> list[tuple[str, ...]]:
    """Afters in which blank lines between an insertion and a marker are not taken to be new."""
    variants: list[tuple[str, ...]] = []
    lines = list(change.after)
    for r in reversed(change.replaced):
        step = -1 if at_end else 1
        at = r.a1 - 1 if at_end else r.a0
        while r.a0 <= at < r.a1 and not change.after[at].strip():
            del lines[at if at_end else r.a0]
            variants.append(tuple(lines))
            at += step
    return variants


def _only_definition(task: Task) -> Answer | None:
    """Nothing but the changed definitions, without any marker."""
    plan = Plan(whole=True)
    change = task.view.change
    shown = choose_shown(task.view, plan)
    if shown is None or len(change.replaced) > 4:
        return None
    starts = {b.start: b for b in task.view.new.blocks if b.defines}
    runs = sorted(shown)
    first = starts.get(runs[0])
    if first is None or set(runs) != set(range(first.start, first.end + 1)):
        return None
    dedent = task.rng.random() < 0.3
    written = render_lazy(task.view, shown, task.language, without_markers(Manner(dedent=dedent)), task.rng)
    if written is None:
        return None
    text = "\n".join(written.lines) + "\n"
    return Answer(wrap(text, task.path, _fence(task), task.rng), (change.after,))


def _search(style: SearchStyle) -> Callable[[Task], Answer | None]:
    def write(task: Task) -> Answer | None:
        text = write_search_replace(task.view, task.path, _fence(task), style)
        if text is None:
            return None
        if not style.fenced and task.rng.random() < 0.3:
            text = wrap(text, task.path, "", task.rng, fenced=1, prose=0.5)
        elif style.fenced and task.rng.random() < 0.3:
            text = talk(text, task.path, task.rng)
        return Answer(text, (task.view.change.after,))

    return write


def _diff(style: DiffStyle) -> Callable[[Task], Answer | None]:
    def write(task: Task) -> Answer | None:
        text = write_diff(task.view, task.path, style, task.rng)
        if text is None:
            return None
        fenced = 0.0 if style.git else 0.5
        return Answer(wrap(text, task.path, "diff", task.rng, fenced=fenced), (task.view.change.after,))

    return write


def _v4a(*, scoped: bool, heredoc: bool, context: int = 3) -> Callable[[Task], Answer | None]:
    def write(task: Task) -> Answer | None:
        text = write_v4a(task.view, task.path, scoped=scoped, heredoc=heredoc, context=context)
        return None if text is None else Answer(text, (task.view.change.after,))

    return write


def _str_replace(*, within_line: bool) -> Callable[[Task], Answer | None]:
    def write(task: Task) -> Answer | None:
        text = write_str_replace(task.view, task.rng, within_line=within_line)
        return None if text is None else Answer(text + "\n", (task.view.change.after,))

    return write


def _whole(task: Task) -> Answer | None:
    change = task.view.change
    if len(change.after) > MAX_WHOLE_FILE or any(looks_like_marker(line) for line in change.after):
        return None
    text = "\n".join(line.rstrip() if line not in change.before else line for line in change.after) + "\n"
    bare = task.rng.random() < 0.25 and "```" not in text
    if bare:
        return Answer(text, (change.after,))
    return Answer(wrap(text, task.path, _fence(task), task.rng, fenced=1, prose=0.6), (change.after,))


def _mixed(task: Task) -> Answer | None:
    """The first replacements as a lazy fence, the last as a SEARCH/REPLACE block."""
    change = task.view.change
    if len(change.replaced) < 2 or change.replaced[-1].b0 - change.replaced[-2].b1 < MIN_APART:
        return None
    head, tail = _part(change, change.replaced[:-1]), _part(change, change.replaced[-1:])
    first = Task(
        task.path,
        task.language,
        View(head, task.view.lookup, task.view.old, _structure(task, head)),
        task.rng,
    )
    lazy, _ = _lazy_lines(first, Plan(context=3, headers=task.rng.choice(("none", "inner"))), Manner())
    second = View(tail, task.view.lookup, task.view.old, _structure(task, tail))
    blocks = write_search_replace(second, task.path, "", SearchStyle(named=task.rng.random() < 0.5))
    if lazy is None or blocks is None:
        return None
    fence = _fence(task)
    text = f"Two things to change. First this:\n\n```{fence}\n{lazy}```\n\nAnd then:\n\n"
    text += f"```\n{blocks.rstrip()}\n```\n"
    return None if "```" in lazy + blocks else Answer(text, (change.after,))


def _structure(task: Task, change: Change) -> Structure:
    return read_structure(change.after, task.language.grammar)


def _part(change: Change, some: tuple[Replaced, ...]) -> Change:
    """The change with only some of its replacements made."""
    after: list[str] = []
    replaced: list[Replaced] = []
    at = 0
    for r in some:
        after += change.before[at : r.b0]
        replaced.append(Replaced(r.b0, r.b1, len(after), len(after) + r.a1 - r.a0))
        after += change.after[r.a0 : r.a1]
        at = r.b1
    return Change(change.before, (*after, *change.before[at:]), tuple(replaced))


def make_view(before: tuple[str, ...], change: Change, language: Language) -> View:
    """A change with the blocks of both sides."""
    old, new = read_structure(before, language.grammar), read_structure(change.after, language.grammar)
    return View(change, Lookup(before), old, new)


STYLES: tuple[Style, ...] = (
    Style("thin", "lazy", 9, _lazy(Plan(context=1))),
    Style("context", "lazy", 8, _lazy(Plan(context=3))),
    Style("rich", "lazy", 5, _lazy(Plan(context=7))),
    Style("header", "lazy", 7, _lazy(Plan(context=2, headers="inner"))),
    Style("headers", "lazy", 7, _lazy(Plan(context=2, headers="all"))),
    Style("headers-thin", "lazy", 4, _lazy(Plan(context=1, headers="all"))),
    Style("whole-definition", "lazy", 8, _lazy(Plan(whole=True, context=2))),
    Style("whole-in-class", "lazy", 3, _lazy(Plan(whole=True, context=2, headers="all"))),
    Style("only-definition", "lazy", 4, _only_definition),
    Style("one-sided-above", "lazy", 1.5, _lazy(Plan(context=3, sides="above"))),
    Style("one-sided-below", "lazy", 1.5, _lazy(Plan(context=3, sides="below"))),
    Style("forgot-first", "lazy", 3, _lazy(Plan(context=3), Manner(forgot_first=True))),
    Style("forgot-last", "lazy", 3, _lazy(Plan(context=3), Manner(forgot_last=True))),
    Style("forgot-both", "lazy", 2, _lazy(Plan(context=3), Manner(forgot_first=True, forgot_last=True))),
    Style("dedent", "lazy", 2, _lazy(Plan(context=3), Manner(dedent=True))),
    Style("tabs-as-4", "lazy", 1, _lazy(Plan(context=3), Manner(tab_width=4))),
    Style("tabs-as-2", "lazy", 0.5, _lazy(Plan(context=2, headers="inner"), Manner(tab_width=2))),
    Style("bare-dots", "lazy", 2, _lazy(Plan(context=3), Manner(bare_dots=True))),
    Style("removal-note", "lazy", 2, _lazy(Plan(context=3), Manner(notes=True))),
    Style("short-comment", "lazy", 1, _lazy(Plan(context=6), Manner(shorten=True))),
    Style("code-edit-json", "lazy", 1.5, _lazy(Plan(context=3, headers="inner"), json=True)),
    Style("aider", "search_replace", 3, _search(SearchStyle())),
    Style("aider-thin", "search_replace", 1.5, _search(SearchStyle(context=0, named=False))),
    Style("aider-fenced", "search_replace", 2, _search(SearchStyle(fenced=True))),
    Style("cline", "search_replace", 1.5, _search(SearchStyle(marks=_CLINE, named=False, context=1))),
    Style("aider-drift", "search_replace", 1, _search(SearchStyle(drift=2))),
    Style("aider-elided", "search_replace", 1, _search(SearchStyle(elide=True, context=3))),
    Style("git-diff", "udiff", 1.5, _diff(DiffStyle(git=True))),
    Style("diff", "udiff", 1.5, _diff(DiffStyle())),
    Style("diff-wrong-numbers", "udiff", 2, _diff(DiffStyle(numbers="wrong"))),
    Style("diff-wrong-counts", "udiff", 1.5, _diff(DiffStyle(numbers="wrong", wrong_counts=True))),
    Style("diff-dots", "udiff", 1.5, _diff(DiffStyle(numbers="dots", context=2))),
    Style("diff-no-header", "udiff", 1, _diff(DiffStyle(numbers="none", header=False))),
    Style("diff-bare-context", "udiff", 1, _diff(DiffStyle(numbers="dots", header=False, bare_context=True))),
    Style("diff-redundant", "udiff", 1, _diff(DiffStyle(numbers="wrong", redundant=True))),
    Style("v4a", "v4a", 2, _v4a(scoped=False, heredoc=False)),
    Style("v4a-scope", "v4a", 1.5, _v4a(scoped=True, heredoc=False, context=2)),
    Style("v4a-heredoc", "v4a", 0.5, _v4a(scoped=False, heredoc=True)),
    Style("str-replace", "str_replace", 1.5, _str_replace(within_line=False)),
    Style("str-replace-part", "str_replace", 1, _str_replace(within_line=True)),
    Style("whole-file", "whole", 3, _whole),
    Style("mixed", "mixed", 2, _mixed),
)
