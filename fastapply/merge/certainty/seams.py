"""Features of lines that a candidate makes neighbours, and of the names that it leaves without a partner.

Where two lines come to stand together that did so neither in the file nor in the edit, their ends must fit:
a deeper line needs something that opens a block, an entry of a list its comma. And what lines that go have
bound or used says whether the rest can do without them.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import log1p
from typing import TYPE_CHECKING

from fastapply.merge.elements import NAMES
from fastapply.merge.lines import columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fastapply.merge.elements import MergeContext
    from fastapply.merge.fill import ScriptLine

_UNCHANGED = frozenset({"keep", "match"})
_OPENS = re.compile(
    r"(?:[{(\[,:=\\|&+*/<>?.-]|\b(?:do|then|begin|else|in|and|or|not|return|of|where|with|try))\s*$"
)
_BRACKET = re.compile(r"[{(\[]\s*$")
_GOES_ON = re.compile(r"(?:\.|\|>|\?|:|&&|\|\||\+|-|\*|=|and\b|or\b|[)}\]]|else\b|\{|<|where\b|with\b)")
_CLOSES = re.compile(
    r"[)}\]]|end\b|</|else\b|elif\b|elsif\b|catch\b|except\b|finally\b|rescue\b|case\b|default\b|when\b|-->|\*/|fi\b|done\b|esac\b|\w+:\s*$"
)
_LEAVES = re.compile(r"(?:return|throw|raise|break|continue)\b.*[^,{(\[:=|&+\\]$|(?:return|break|continue)$")
_BINDS = re.compile(
    r"\b(?:let|const|var|val|local|def|defp|fn|func|function|fun|type|class|struct|enum|trait|interface|object|"
    r"module|set|define|my|our|auto|record|protocol|macro|mut|abstract|variable|resource|output)\s+"
    r"(?:mut\s+|\*+|&)?[\"']?(?P<one>[A-Za-z_$][\w$]{2,})"
    r"|^\s*(?:[\w<>\[\],:*&?]+\s+)?[@$*]*(?P<two>[A-Za-z_$][\w$]{2,})\s*(?::=|=(?![=>~]))"
)
_BINDS_SEVERAL = re.compile(
    r"\b(?:let|const|var|val|auto|my|local)\s*(?:mut\s+)?[\[({](?P<inside>[^=]*?)[\])}]\s*(?::[^=]+)?=(?![=>~])"
    r"|^\s*(?P<row>[A-Za-z_$][\w$]*(?:\s*,\s*[A-Za-z_$][\w$]*)+)\s*(?::=|=(?![=>~]))"
)
"""``const [open, setOpen] = ...``, ``let (a, b) = ...``, ``value, err := ...``."""
_IMPORT = re.compile(
    r"\s*(?:import|from|use|using|#\s*include|require|alias|open|(?:const|let|var)\s.*require\()"
)


def fit_of(context: MergeContext, ops: Sequence[ScriptLine], lines: Sequence[str]) -> dict[str, float]:
    """Features of the seams of a candidate, whose text is `lines`, and of its names."""
    features = _features_of_seams(context, ops, lines) | _features_of_names(context, ops)
    return {name: log1p(value) for name, value in features.items() if value}


def _features_of_seams(
    context: MergeContext, ops: Sequence[ScriptLine], lines: Sequence[str]
) -> Counter[str]:
    features: Counter[str] = Counter()
    told = [line for line in lines if line.strip()]
    held = [op for op in ops if op.kind != "delete" and _has_text(context, op)]
    if len(told) != len(held):
        return features  # written otherwise than line by line
    for at in _seams(context, held):
        _judge(features, told, at)
        features["names.twice"] += _binds_twice(told, held, at)
    return features


def _binds_twice(told: Sequence[str], held: Sequence[ScriptLine], at: int) -> bool:
    """Whether of two neighbours one is new and one is not, and both bind the same name."""
    new = [held[number].kind in {"insert", "near"} for number in (at - 1, at)]
    return new[0] != new[1] and not _bound(told[at - 1]).isdisjoint(_bound(told[at]))


def _has_text(context: MergeContext, op: ScriptLine) -> bool:
    return bool(context.table.keys[op.e] if op.e >= 0 else context.file.keys[op.f])


def _seams(context: MergeContext, held: Sequence[ScriptLine]) -> Iterator[int]:
    """Numbers of lines that have come to stand below another line than in file and edit."""
    kinds, keys, file = context.edit.kinds, context.table.keys, context.file
    for at in range(1, len(held)):
        a, b = held[at - 1], held[at]
        same = a.kind in _UNCHANGED and b.kind in _UNCHANGED
        if same and not any(file.keys[a.f + 1 : b.f]):
            continue
        if a.e >= 0 and b.e >= 0 and not any(kinds[x] == "marker" or keys[x] for x in range(a.e + 1, b.e)):
            continue
        yield at


def _judge(features: Counter[str], told: Sequence[str], at: int) -> None:
    upper, lower = told[at - 1], told[at]
    a, b = upper.strip(), lower.strip()
    step = columns(lower) - columns(upper)
    features["seam.count"] += 1
    if step > 0 and not _OPENS.search(a) and not _GOES_ON.match(b):
        features["seam.deeper"] += 1
    if step <= 0 and _BRACKET.search(a) and not _CLOSES.match(b):
        features["seam.not_deeper"] += 1
    if step == 0 and _LEAVES.match(a) and not _CLOSES.match(b):
        features["seam.unreachable"] += 1
    if b.startswith((".", "|>", "?.")) and a.endswith(";"):
        features["seam.cut_chain"] += 1
    if step == 0 and at > 1 and not a.endswith((",", "{", "(", "[")) and not _CLOSES.match(a):
        above = told[at - 2]
        listed = above.rstrip().endswith(",") and columns(above) == columns(upper)
        if listed and (b.endswith(",") or (at + 1 < len(told) and _CLOSES.match(told[at + 1].strip()))):
            features["seam.no_comma"] += 1
    if step < 0 and a.endswith(",") and _CLOSES.match(b) and b[:1] in ")}]" and not _trailing(told, at):
        features["seam.comma"] += 1


def _trailing(told: Sequence[str], at: int) -> bool:
    """Whether lists of a text end with a comma elsewhere."""
    count = plain = 0
    for number in range(1, len(told)):
        if (
            number != at
            and told[number].strip()[:1] in {")", "}", "]"}
            and columns(told[number - 1]) > columns(told[number])
        ):
            end = told[number - 1].rstrip()[-1]
            count += end == ","
            plain += end not in ",;{}"
    return count > 0 or not plain


def _names(lines: Iterable[str]) -> Counter[str]:
    return Counter(name for line in lines for name in NAMES.findall(line))


@lru_cache(maxsize=1 << 14)
def _bound(line: str) -> frozenset[str]:
    """Names that a line binds or imports."""
    if _IMPORT.match(line):
        return frozenset(NAMES.findall(line))
    found = {match.group("one") or match.group("two") for match in _BINDS.finditer(line)}
    several = _BINDS_SEVERAL.search(line)
    if several:
        found.update(NAMES.findall(several.group("inside") or several.group("row")))
    return frozenset(found)


def _features_of_names(context: MergeContext, ops: Sequence[ScriptLine]) -> dict[str, int]:
    file, table = context.file, context.table
    gone = [file.lines[op.f] for op in ops if op.kind in {"delete", "near"} and file.keys[op.f]]
    if not gone:
        return {}
    new = [
        table.lines[op.e] for op in ops if op.kind in {"insert", "near"} and op.e >= 0 and table.keys[op.e]
    ]
    lost, came = _names(gone), _names(new)
    fewer = {name for name in lost if lost[name] > came[name]}
    if not fewer:
        return {}
    before = context.names
    left = {name: before[name] - lost[name] for name in fewer}
    kept = [op.f for op in ops if op.kind in {"keep", "match"} and file.keys[op.f]]
    bound_away = {name for line in gone for name in _bound(line)}
    bound_new = {name for line in new for name in _bound(line)}
    shown = {
        name
        for i, kind in enumerate(context.edit.kinds)
        if kind == "text"
        for name in NAMES.findall(table.lines[i])
    }
    alone = {name for name in fewer if left[name] == 1 and not came[name] and name not in shown}
    partner = bound = 0
    if alone:
        for f in kept:
            names = alone.intersection(NAMES.findall(file.lines[f]))
            if names:
                partner += len(names)
                bound += len(names & _bound(file.lines[f]))
    needed = {name for name in bound_away & fewer if name not in bound_new and left[name] > 0}
    still = 0
    for name in needed:
        still += not any(name in _bound(file.lines[f]) for f in kept if name in file.lines[f])
    missing = {name for name in bound_away if came[name] and name not in bound_new and not left.get(name, 1)}
    return {
        "names.orphaned": bound,
        "names.alone": partner,
        "names.needed": still,
        "names.missing": len(missing),
    }
