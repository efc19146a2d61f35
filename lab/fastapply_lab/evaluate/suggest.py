"""A guess at the class of a merge that nothing decides; a person or a judge confirms it.

With a known answer the differences from it tell: the end is missing, there is code that neither file nor edit
has, only punctuation or an import differs. Without one, the merge is held against the file and the edit. The
verifier has no part in this: it let the merge pass.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

from fastapply.evaluate.outcomes import is_comment
from fastapply.syntax import error_count, parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Guessed = Literal["correct", "non_functional", "smoothing", "functional_error", "hallucination", "truncation"]

_MARKER = re.compile(
    r"(?:\.\.\.|…).*\b(?:rest|existing|remaining|previous|unchanged|same|omitted|keep|other)\b"
    r"|\b(?:rest|existing|remaining|previous|unchanged|omitted)\b.*(?:\.\.\.|…)\W*$",
    re.IGNORECASE,
)
_LONGEST_MARKER = 100  # characters
_IMPORT = re.compile(
    r"^\s*(?:import\b|from\s+\S+\s+import\b|use\s+\S|using\s+\S|#\s*include\b|require\b|const\s+.*require\()"
)
_NAME = re.compile(r"[^\W\d]\w+")
_OFFSIDE = frozenset({"python", "yaml"})
_HIDDEN = re.compile(r"\s*<!--.*-->\s*$")
_PUNCTUATION = re.compile(r"[\s,;:(){}\[\]\"'`]+")
_SHORT_END = 2  # lines: a missing end of so few is a truncation only where the rest does not parse


@dataclass(frozen=True, slots=True)
class Guess:
    """A class, why, and the line of the merge (1-based) that shows it."""

    outcome: Guessed
    why: str
    line: int | None = None


def suggest(original: str, edit: str, merged: str, expected: str, language: str) -> Guess:
    """The class of a merge that is not the known answer."""
    got, want = _lines(merged), _lines(expected)
    blocks = _differences([key for _, key in got], [key for _, key in want])
    extra = [got[i] for a, b, _, _ in blocks for i in range(a, b)]
    missing = [want[i] for _, _, c, d in blocks for i in range(c, d)]
    if not extra and not missing:
        return _only_space(merged, expected, language)
    if _only_comments(extra, merged, language) and _only_comments(missing, expected, language):
        return Guess("non_functional", "only comments differ", _first(extra))
    worse = error_count(merged, language) > error_count(expected, language)
    cut = _cut_end(blocks[-1], got, want, worse=worse) if blocks else None
    if cut is not None:
        return cut
    marker = _marker_left(merged, original, expected)
    if marker is not None:
        return Guess("truncation", "a marker of the edit is in the text", marker)
    known = _known(original, edit)
    made_up = [number for number, key in extra if key not in known]
    if sorted(key for _, key in extra) == sorted(key for _, key in missing):
        return Guess("functional_error", "lines are in another place", _first(extra))
    if extra and not missing and made_up and _needed_imports(extra, merged):
        return Guess("smoothing", "an import that the edit left out", made_up[0])
    if made_up and not _mended(extra, missing):
        return Guess("hallucination", "code that neither file nor edit has", made_up[0])
    if extra and _mended(extra, missing):
        return Guess("smoothing", "only punctuation differs", _first(extra))
    if missing and not extra:
        return Guess("functional_error", f"{_count(missing)} missing", _before(blocks, got))
    if extra and not missing:
        return Guess("functional_error", f"{_count(extra)} too many", _first(extra))
    return Guess("functional_error", f"{_count(extra)} in place of {_count(missing)}", _first(extra))


def suggest_unknown(original: str, edit: str, merged: str, language: str) -> Guess:
    """The class of a merge whose right answer nobody has said."""
    marker = _marker_left(merged, original)
    if marker is not None:
        return Guess("truncation", "a marker of the edit is in the text", marker)
    got, file = _lines(merged), _lines(original)
    keys = {key for _, key in got}
    last = [key for _, key in file[-3:]]
    if len(file) > 3 and got and not any(key in keys for key in last) and last[-1] not in _known("", edit):
        return Guess("truncation", "the end of the file is gone", got[-1][0])
    known = _known(original, edit)
    made_up = [(number, key) for number, key in got if key not in known]
    if made_up:
        if _needed_imports(made_up, merged):
            return Guess("smoothing", "an import that neither file nor edit has", made_up[0][0])
        return Guess("hallucination", "code that neither file nor edit has", made_up[0][0])
    if error_count(merged, language) > error_count(original, language):
        return Guess("functional_error", "it does not parse, and the file did")
    was = "".join(key for _, key in file)
    now = "".join(key for _, key in got)
    lost = [text for text in _new_lines(edit) if text not in now and text not in was]
    if lost:
        return Guess("functional_error", "lines of the edit are not in it")
    return Guess("correct", "nothing was found against it")


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines that say something: 1-based number, and the text without white space."""
    keyed = ((number, "".join(line.split())) for number, line in enumerate(text.split("\n"), 1))
    return [(number, key) for number, key in keyed if key]


def _differences(got: Sequence[str], want: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Stretches of `got` and `want` that differ; equal ends are set aside first, for speed."""
    start = 0
    while start < min(len(got), len(want)) and got[start] == want[start]:
        start += 1
    end = 0
    while end < min(len(got), len(want)) - start and got[-1 - end] == want[-1 - end]:
        end += 1
    matcher = SequenceMatcher(
        None, got[start : len(got) - end], want[start : len(want) - end], autojunk=False
    )
    return [
        (start + a, start + b, start + c, start + d)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def _cut_end(
    block: tuple[int, int, int, int], got: list[tuple[int, str]], want: list[tuple[int, str]], *, worse: bool
) -> Guess | None:
    """Whether the last thing that is missing is the end itself, or the rest of a line and all behind it."""
    a, b, c, d = block
    if d != len(want) or b != len(got) or b - a > 1 or d == c:
        return None
    if b > a and not want[c][1].startswith(got[a][1]):
        return None
    gone = d - c - (b - a)
    if gone > _SHORT_END or b > a or worse:
        why = f"the last {gone} lines are missing" if gone else "the last line is cut off"
        return Guess("truncation", why, got[-1][0] if got else 1)
    return None


def _known(original: str, edit: str) -> str:
    """All that file and edit say, without white space; a JSON object's strings are read as what they say."""
    texts = [original, *_edit_lines(edit)]
    return "\0".join("".join(text.split()) for text in texts)


def _edit_lines(edit: str) -> Iterator[str]:
    """The edit as it is, without the signs of a diff, and the strings in it where it is JSON."""
    yield edit
    yield "\n".join(line[1:] for line in edit.split("\n") if line[:1] in {"+", " "})
    start = min((at for at in (edit.find("{"), edit.find("[")) if at >= 0), default=-1)
    if start >= 0:
        try:
            value, _ = json.JSONDecoder().raw_decode(edit[start:])
        except (ValueError, RecursionError):
            return
        yield from _strings(value)


def _strings(value: object) -> Iterator[str]:
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            todo += one.values()
        elif isinstance(one, list):
            todo += one


def _new_lines(edit: str) -> list[str]:
    """Lines inside of an edit that are surely code to put in: those that a diff or a block marks so."""
    lines = edit.split("\n")
    if any(line.startswith("@@") for line in lines):
        return ["".join(line[1:].split()) for line in lines if re.match(r"\+(?!\+\+ )\s*\S", line)]
    new, inside = list[str](), False
    for line in lines:
        if re.match(r"^={5,}\s*$", line):
            inside = True
        elif re.match(r"^(?:>{5,}|\+{5,} ?REPLACE)", line):
            inside = False
        elif inside and line.strip():
            new.append("".join(line.split()))
    return new


def _marker_left(merged: str, *others: str) -> int | None:
    """The line of a lazy marker that no other text has."""
    known = {line.strip() for text in others for line in text.split("\n")}
    for number, line in enumerate(merged.split("\n"), 1):
        text = line.strip()
        if len(text) <= _LONGEST_MARKER and text not in known and _MARKER.search(text):
            return number
    return None


def _only_space(merged: str, expected: str, language: str) -> Guess:
    """The class where nothing but white space differs: of consequence where indentation is."""
    got, want = ([line for line in text.split("\n") if line.strip()] for text in (merged, expected))
    for number, (one, other) in enumerate(zip(got, want, strict=True)):
        leads = [line[: len(line) - len(line.lstrip())] for line in (one, other)]
        if language in _OFFSIDE and leads[0] != leads[1]:
            at = [n for n, line in enumerate(merged.split("\n"), 1) if line.strip()][number]
            return Guess("functional_error", "the indentation differs", at)
    return Guess("non_functional", "only white space differs")


def _only_comments(lines: list[tuple[int, str]], text: str, language: str) -> bool:
    if not lines:
        return True
    all_lines = text.split("\n")
    if language == "markdown":
        return all(_HIDDEN.match(all_lines[number - 1]) for number, _ in lines)
    code = _code_lines(text, language)
    return code is not None and not any(number - 1 in code for number, _ in lines)


def _code_lines(text: str, language: str) -> frozenset[int] | None:
    """The lines (0-based) of a text on which something else than a comment stands; None without a grammar."""
    tree = parse(text, language)
    if tree is None:
        return None
    found: set[int] = set()
    todo = [tree.root_node]
    while todo:
        node = todo.pop()
        if is_comment(node):
            continue
        if not node.children:
            found.update(range(node.start_point[0], node.end_point[0] + 1))
        todo += node.children
    return frozenset(found)


def _needed_imports(lines: list[tuple[int, str]], text: str) -> bool:
    """Whether all of some lines are imports of something that the other lines use."""
    all_lines = text.split("\n")
    mine = {number - 1 for number, _ in lines}
    used = set(_NAME.findall("\n".join(line for at, line in enumerate(all_lines) if at not in mine)))
    imports = [all_lines[at] for at in mine]
    return all(_IMPORT.match(line) and _imported(line) & used for line in imports)


def _imported(line: str) -> set[str]:
    """The names that an import brings: in braces, behind the last ``import``, else the last one."""
    braces = re.search(r"\{(.*)\}", line)
    if braces:
        return set(_NAME.findall(braces[1]))
    before, said, behind = line.rpartition("import")
    names = _NAME.findall(behind)
    return set(names) if said and "from" in before else set(names[-1:])


def _mended(extra: list[tuple[int, str]], missing: list[tuple[int, str]]) -> bool:
    """Whether nothing but punctuation differs."""
    words = [_PUNCTUATION.sub("", "".join(key for _, key in side)) for side in (extra, missing)]
    return words[0] == words[1]


def _first(lines: list[tuple[int, str]]) -> int | None:
    return lines[0][0] if lines else None


def _before(blocks: list[tuple[int, int, int, int]], got: list[tuple[int, str]]) -> int | None:
    return got[max(0, blocks[0][0] - 1)][0] if blocks and got else None


def _count(lines: list[tuple[int, str]]) -> str:
    return "1 line" if len(lines) == 1 else f"{len(lines)} lines"
