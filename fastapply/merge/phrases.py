"""The question about an edit that is not certain, and its answers, in words of the code.

    effects ─┬ the same new lines, nothing goes  ─▶ "Where does `get` go?"   "after `put` (line 40)"
             ├ the same new lines, and some goes ─▶ "What does `get` replace?"  "`put` (line 40)"
             ├ nothing new                       ─▶ "Does `x = 1` (line 9) go?"  "yes, it goes"
             ├ one does nothing more than all    ─▶ "Is `x = 1` added after `y` (line 8)?"  "no"
             └ else                              ─▶ "Which change is meant?", each in a few words

A name is quoted as the code has it; lines are numbered as in the file before the edit.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fastapply.edits.markers import comment_body
from fastapply.merge.effects import compare, lines_of, runs
from fastapply.merge.likeness import definition
from fastapply.merge.lines import is_closer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.effects import Effect
    from fastapply.merge.lines import LineTable

_WHICH = "Which change is meant?"
_NOTHING = "nothing else"
_WIDTH = 60
"""Characters of a line that is quoted."""
_NAMED = 2
"""Runs of lines that are named."""


def word(file: LineTable, effects: Sequence[Effect]) -> tuple[str, list[str]]:
    """The question, and what each answer says; no two say the same."""
    question, says = _worded(file, effects)
    says = _indented(effects, says)
    if len(set(says)) < len(says):
        question, says = _WHICH, [_summary(file, one) for one in effects]
    for said in dict.fromkeys(says):
        alike = [n for n, one in enumerate(says) if one == said]
        if len(alike) > 1:
            apart, _ = compare(file, [effects[n].changes for n in alike])
            for n, words in zip(alike, _indented(apart, [_summary(file, one) for one in apart]), strict=True):
                says[n] = f"{said}, {'and ' if words == _NOTHING else ''}{words}" if said != words else said
    count = Counter(says)
    return question, [
        f"{said}, as below ({'ABC'[n % 3]})" if count[said] > 1 else said for n, said in enumerate(says)
    ]


def _indented(effects: Sequence[Effect], says: Sequence[str]) -> list[str]:
    """What answers say, with the indentation of new lines where nothing else tells some of them apart."""
    count = Counter(says)
    depths = [_indentation(one.new[0][1]) if one.new else 0 for one in effects]
    told = []
    for said, depth in zip(says, depths, strict=True):
        others = [other for also, other in zip(says, depths, strict=True) if also == said]
        if count[said] < 2 or len(set(others)) < len(others):
            told.append(said)
        else:
            told.append(f"{said}, indented by {depth}" if depth else f"{said}, not indented")
    return told


def _worded(file: LineTable, effects: Sequence[Effect]) -> tuple[str, list[str]]:
    if len(effects) == 1:
        return _alone(file, effects[0])
    if not any(one.new or one.gone for one in effects):
        return _spacing(file, effects)
    if not any(one.new for one in effects):
        return _which_go(file, effects)
    name = _subject(effects)
    if name is not None and not any(one.gone for one in effects):
        return f"Where does {name} go?", [_place(file, one) for one in effects]
    if name is not None:
        return _replaces(file, effects, name)
    empty = [n for n, one in enumerate(effects) if not (one.new or one.gone)]
    if len(effects) == 2 and empty:
        return _whether(file, effects, effects[1 - empty[0]])
    return ("What else changes?" if empty else _WHICH), [_summary(file, one) for one in effects]


def _alone(file: LineTable, effect: Effect) -> tuple[str, list[str]]:
    places = len({at for at, _ in effect.new})
    if (effect.gone or effect.new) and len(runs(file, effect.gone)) < 2 and places < 2:
        return _whether(file, (effect,), effect)
    added = sum(len(one.lines) for one in effect.changes)
    removed = sum(one.end - one.start for one in effect.changes)
    return "Is this change meant?", [f"yes (+{added} -{removed})"]


def _whether(file: LineTable, effects: Sequence[Effect], full: Effect) -> tuple[str, list[str]]:
    """The question where one merge does something, and the other one, if there is one, does not."""
    yes, no = "yes", "no"
    if not full.new:
        what, one = _lines_named(file, full.gone), len(full.gone) == 1
        instead = _instead(file, full)
        question = f"Does {instead} replace {what}?" if instead else f"{'Does' if one else 'Do'} {what} go?"
        yes, no = ("yes, it goes", "no, it stays") if one else ("yes, all of them go", "no, they stay")
    elif full.gone:
        question = f"Does {_added(full.texts)} replace {_lines_named(file, full.gone)}?"
    else:
        question = f"Is {_added(full.texts)} added {_place(file, full)}?"
    return question, [yes if one is full else no for one in effects]


def _instead(file: LineTable, full: Effect) -> str:
    """What all merges put where lines go in one of them; "" where that is nothing, or at several places."""
    gone = set(full.gone)
    places = [one for one in full.changes if gone & set(lines_of(one))]
    texts = [text.strip() for one in places for text in one.lines if text.strip()]
    odd = not texts or all(map(is_closer, texts)) or _is_odd(file, full.gone)
    if len(places) != 1 or odd or full.touched:
        return ""
    return _added(texts)


def _is_odd(file: LineTable, gone: Sequence[int]) -> bool:
    """Whether lines are closers, or at several places: nobody would say that another line replaces them."""
    return len(runs(file, gone)) > 1 or all(is_closer(file.keys[f]) for f in gone)


def _spacing(file: LineTable, effects: Sequence[Effect]) -> tuple[str, list[str]]:
    """The question where answers differ in white space alone, or in commas."""
    full = effects[0] if effects[0].touched else effects[-1]
    if len(effects) == 2 and any(not one.touched for one in effects) and full.touched:
        words = _summary(file, full).split(" ", 1)
        question = f"Does the edit {words[0]} {words[1]}?"
        return question, ["yes" if one is full else "no, it stays as it is" for one in effects]
    return "Which white space is meant?", [_summary(file, one) for one in effects]


def _which_go(file: LineTable, effects: Sequence[Effect]) -> tuple[str, list[str]]:
    """The question where answers differ in the lines that go."""
    shown = sorted({f for one in effects for f in one.gone})
    full = next((one for one in effects if len(one.gone) == len(shown)), None)
    if len(effects) == 2 and full is not None:
        return _whether(file, effects, full)
    instead = {_instead(file, one) for one in effects if one.gone}
    if len(instead) == 1 and "" not in instead:
        says = [_lines_named(file, one.gone) if one.gone else "nothing" for one in effects]
        return f"What does {instead.pop()} replace?", says
    says = []
    for one in effects:
        if one is full:
            says.append("all of them")
        elif not one.gone:
            says.append("none of them")
        else:
            says.append(f"only {_lines_named(file, one.gone)}" if full else _lines_named(file, one.gone))
    return f"Which lines go: {_lines_named(file, shown)}?", says


def _replaces(file: LineTable, effects: Sequence[Effect], name: str) -> tuple[str, list[str]]:
    """The question where the same new lines come in all answers, in some of them for others that go."""
    going = {one.gone for one in effects if one.gone}
    if len(effects) == 2 and len(going) == 1:
        full = next(one for one in effects if one.gone)
        what, lone = _lines_named(file, full.gone), len(full.gone) == 1
        no = "no, it stays" if lone else "no, they stay"
        yes = "yes, it goes" if lone else "yes, all of them go"
        go = f"{'Does' if lone else 'Do'} {what} go?"
        question = go if _is_odd(file, full.gone) else f"Does {name} replace {what}?"
        return question, [yes if one is full else no for one in effects]
    texts = [file.lines[one.gone[0]].strip() for one in effects if one.gone]
    says = []
    for one in effects:
        if not one.gone:
            says.append(f"nothing, it goes {_place(file, one)}" if one.new else "nothing")
            continue
        same = texts.count(file.lines[one.gone[0]].strip()) > 1
        says.append(_lines_named(file, one.gone) + (_around(file, one.gone[0]) if same else ""))
    return f"What does {name} replace?", says


def _subject(effects: Sequence[Effect]) -> str | None:
    """What new lines of every merge are called: by what the first of them defines, or as it is."""
    common = set.intersection(*({text.rstrip(",;") for text in one.texts} for one in effects))
    texts = [text for text in effects[0].texts if text.rstrip(",;") in common and not is_closer(text)]
    heads = [_head(one.texts) for one in effects]
    if not texts:
        names = [definition(text) for text in heads]
        return f"`{names[0]}`" if names[0] and names == names[:1] * len(effects) else None
    head = _head(texts)
    name = definition(head)
    return f"`{name}`" if name else _quoted(head)


def _head(texts: Sequence[str]) -> str:
    """The first line that is neither a comment nor a decorator, if there is one."""
    skipped = ("@", "#[", "[")
    said = (text for text in texts if comment_body(text) is None and not text.startswith(skipped))
    return next(said, texts[0] if texts else "")


def _place(file: LineTable, effect: Effect) -> str:
    """Where the new lines of an answer come: behind which line, or at the end of what."""
    at, text = effect.new[0]
    above = next((f for f in range(at - 1, -1, -1) if file.keys[f]), -1)
    below = next((f for f in range(at, len(file.keys)) if file.keys[f]), -1)
    if above < 0:
        return "at the top of the file"
    if below < 0:
        return "at the end of the file"
    if is_closer(file.keys[below]) or file.depths[below] < file.depths[above] - 0.6:
        around = file.parents[above]
        while around >= 0 and file.ends[around] < at:
            around = file.parents[around]
        goes_on = below < file.ends[around] and not is_closer(file.keys[below])
        if around >= 0 and not goes_on and _indentation(text) > _indentation(file.lines[around]):
            around = _named_above(file, around)
            return f"at the end of {_quoted(file.lines[around])} (line {around + 1})"
    head = above
    if is_closer(file.keys[above]):
        head = next(
            (
                f
                for f in range(above - 1, -1, -1)
                if file.keys[f] and file.depths[f] <= file.depths[above] + 0.6 and not is_closer(file.keys[f])
            ),
            above,
        )
    elif file.depths[above] > file.depths[below]:
        while file.parents[head] >= 0 and file.depths[file.parents[head]] >= file.depths[below]:
            head = file.parents[head]
    head = _named_above(file, head)
    lines = f"line {head + 1}" if head == above else f"lines {head + 1}-{above + 1}"
    return f"after {_quoted(file.lines[head])} ({lines})"


def _named_above(file: LineTable, line: int) -> int:
    """The line above a brace that stands alone, which says what the block is."""
    if file.keys[line] != "{":
        return line
    return next((f for f in range(line - 1, -1, -1) if file.keys[f]), line)


def _summary(file: LineTable, effect: Effect) -> str:
    """What an answer does, in a few words."""
    slight = all(map(is_closer, effect.texts)) and all(is_closer(file.keys[f]) for f in effect.gone)
    if effect.touched and slight:
        f, text = effect.touched[0]
        more = len(effect.touched) - 1
        what = f"{_quoted(file.lines[f])} (line {f + 1})" + (f" and {more} more" if more else "")
        deeper = _indentation(text) - _indentation(file.lines[f])
        way = "indent" if deeper > 0 else "unindent" if deeper < 0 else "change the end of"
        return f"{way} {what}"
    if effect.gone and effect.new:
        return f"replace {_lines_named(file, effect.gone)} with {_added(effect.texts)}"
    if effect.gone:
        return f"remove {_lines_named(file, effect.gone)}"
    if effect.new:
        return f"add {_added(effect.texts)} {_place(file, effect)}"
    return f"keep {_lines_named(file, effect.kept)}" if effect.kept else _NOTHING


def _added(texts: Sequence[str]) -> str:
    """New lines by the first that says something, and how many more there are."""
    first = next((text for text in texts if not is_closer(text)), texts[0])
    more = len(texts) - 1
    return _quoted(first) + (f" and {more} more line{'s' if more > 1 else ''}" if more else "")


def _lines_named(file: LineTable, lines: Sequence[int]) -> str:
    """``"`x = 1` (line 9)"``, ``"`def f():` (lines 9-14)"``; of several runs the first two and a number."""
    found = runs(file, lines)
    named = []
    for first, end in found[:_NAMED]:
        last = max((f for f in lines if f < end), default=first)
        others = sum(first < f <= last for f in lines)
        where = f"line {first + 1}" if last == first else f"lines {first + 1}-{last + 1}"
        block = not others or file.ends[first] > last or is_closer(file.keys[last])
        more = "" if block else f" and {others} more line{'s' if others > 1 else ''}"
        named.append(f"{_quoted(file.lines[first])}{more} ({where})")
    left = sum(sum(1 for f in lines if first <= f < end) for first, end in found[_NAMED:])
    if left:
        return f"{', '.join(named)} and {left} more line{'s' if left > 1 else ''}"
    return " and ".join(named)


def _around(file: LineTable, line: int) -> str:
    """What a line is in, where its own text does not tell it from another one."""
    around = file.parents[line]
    if around < 0:
        around = next((f for f in range(line, -1, -1) if file.lines[f].startswith("[")), -1)
    return f" in {_quoted(file.lines[around])}" if around >= 0 else ""


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip())


def _quoted(text: str) -> str:
    stripped = text.strip()
    return f"`{stripped if len(stripped) <= _WIDTH else stripped[: _WIDTH - 3] + '...'}`"
