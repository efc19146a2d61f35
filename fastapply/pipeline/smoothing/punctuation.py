"""The one comma, closer or quote without which the result does not parse, and with which it does.

Requires a grammar, a text that parses worse than the file did, and exactly one place in or right above the
new lines where one character mends that; of several, the one with which a line ends as the line did that it
replaces. A closer of several lines stands where the indentation says that
its block ends, so that the text and its layout agree.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.merge.anchors import NEAR
from fastapply.merge.likeness import similarity
from fastapply.pipeline.smoothing.draft import Mend, broken_text, change_lines, find_ref, indent
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapply.pipeline.smoothing.draft import MendDraft

_PAIRS = {")": "(", "]": "[", "}": "{"}
_CLOSERS = {opener: closer for closer, opener in _PAIRS.items()}
_TEXT = re.compile(r"""'''|\"\"\"|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`""")
_REMARK = re.compile(r"(?:\s|^)(?://|#\s|#$|--\s).*$")
_BOUNDARY = re.compile(r"(?<=\S)(?:(?<!\w)|(?!\w))")  # behind a character, and not within a word
_EDGE = re.compile(r"(?=\S)(?:(?<!\w)|(?!\w))")  # in front of a character, and not within a word
_CALL = re.compile(r"\s*(?:(?:await|raise|if|elif|while|\}? ?else if)\b\s*)?\(?(?:not |!)?[\w.]+\(|.*;$")
_CALLS = re.compile(r"\w[(\[]")
_GAP = re.compile(r"(?<=[\w)\]}\"'`])\s+(?=[\w(\[{\"'`-])")
_AHEAD_OF_CLOSER = re.compile(r",(?=[)\]}])")  # one place: `1,)` and `1),`, the first of them taken
_MOST_TRIES = 400
_FURTHEST_UP = 200  # lines above a place that are read for what is open there
_MOST_LOST = 200  # lines that went, of which a new line may be a version
_LONGEST = 400_000  # characters of a text that is parsed again and again


@dataclass(frozen=True, slots=True)
class _Try:
    """A line that becomes one or two others."""

    number: int
    lines: tuple[str, ...]
    what: str


def mend_punctuation(draft: MendDraft) -> Mend | None:
    """Give the edit with the character that it lacks."""
    text, language = draft.text, draft.language
    if language is None or len(text.text) > _LONGEST:
        return None
    old = draft.original.text
    if not broken_text(old, text.text, language):
        return None
    found: dict[str, _Try] = {}
    for count, one in enumerate(_tries(draft)):
        if count >= _MOST_TRIES:
            return None
        lines = [*text.lines[: one.number], *one.lines, *text.lines[one.number + 1 :]]
        after = "\n".join([*lines, ""])
        if not broken_text(old, after, language):
            found.setdefault(_AHEAD_OF_CLOSER.sub("", "".join(after.split())), one)
    fit = list(found.values())
    if len(fit) > 1:
        fit = [one for one in fit if _ends_as_before(draft, one)]
    if len(fit) != 1:
        return None
    (one,) = fit
    ref = find_ref(draft, one.number)
    if ref is None:
        return None
    # an edit may be indented otherwise than the file
    outer = indent(text.lines[one.number]).removesuffix(indent(ref.text))
    new = tuple(indent(line).removeprefix(outer) + line.strip() for line in one.lines)
    file_edit = change_lines(draft.file_edit, {ref: (indent(ref.text) + new[0].strip(), *new[1:])})
    return Mend(file_edit, f"the edit is missing {one.what}", one.lines[-1], one.number)


def _ends_as_before(draft: MendDraft, one: _Try) -> bool:
    """Whether a line lacks one of its last signs, and with it ends as the line did that it replaces."""
    line = draft.text.lines[one.number]
    body, _ = _parted(line)
    mended, signs = _parted(one.lines[-1])
    if len(one.lines) > 1 or mended != body:
        return False  # it is put amid the line, where what is around it may be new as well
    held = set(draft.text.lines)
    lost = [other for other in draft.original.lines if other.strip() and other not in held][:_MOST_LOST]
    nearest, old = max(((similarity(line, other), other) for other in lost), default=(0.0, ""))
    return nearest >= NEAR and signs == _parted(old)[1] != ""


def _parted(line: str) -> tuple[str, str]:
    """A line without the brackets and commas at its end, and these."""
    code = _REMARK.sub("", line).rstrip()
    body = code.rstrip("()[]{},;:")
    return body, code[len(body) :]


def _tries(draft: MendDraft) -> Iterator[_Try]:
    """What may be lacking, as far as counting brackets and quotes tells."""
    lines, new = draft.text.lines, draft.new_lines()
    where = sorted({*new, *(number - 1 for number in new if number and number - 1 not in new)})
    where = [number for number in where if lines[number].strip()]
    odd = [number for number in new if _has_odd_quote(lines[number])]
    if odd:
        for number in odd:
            yield from _quotes(lines[number], number)
        return
    lacking = _lacking(draft.original.lines, lines)
    if lacking is None:
        for number in where:
            yield from _commas(lines[number], number, inside=number in new)
        return
    for number in where:
        yield from _closers(lines, number, lacking, has_blocks=draft.language != "python")


def _lacking(before: tuple[str, ...], after: tuple[str, ...]) -> str | None:
    """The closer of which there is one too few, if that is the only one; None where brackets balance."""
    balances = [
        sum(code.count(opener) - code.count(closer) for code in map(_code, after))
        - sum(code.count(opener) - code.count(closer) for code in map(_code, before))
        for closer, opener in _PAIRS.items()
    ]
    missed = [closer for closer, balance in zip(_PAIRS, balances, strict=True) if balance == 1]
    return missed[0] if len(missed) == 1 and sum(map(abs, balances)) == 1 else None


def _quotes(line: str, number: int) -> Iterator[_Try]:
    bare = _TEXT.sub("", line)
    places = sorted({match.start() for edge in (_BOUNDARY, _EDGE) for match in edge.finditer(line.rstrip())})
    for quote in (quote for quote in "\"'`" if bare.count(quote) % 2):
        for at in places:
            yield _Try(number, (line[:at] + quote + line[at:],), f"a closing {quote}")


def _commas(line: str, number: int, *, inside: bool) -> Iterator[_Try]:
    code = _REMARK.sub("", line).rstrip()
    if code and code[-1] not in ",;:({[":
        yield _Try(number, (code + "," + line[len(code) :],), "a comma")
    if inside:
        for match in _GAP.finditer(code):
            if code[: match.start()].strip():
                yield _Try(number, (line[: match.start()] + "," + line[match.start() :],), "a comma")


def _closers(lines: tuple[str, ...], number: int, closer: str, *, has_blocks: bool) -> Iterator[_Try]:
    """Places for a closer in a line, and for one in a line of its own below it.

    `has_blocks` says that braces hold statements, not only entries of a list.
    """
    line = lines[number]
    above = list(lines[max(0, number - _FURTHEST_UP) : number])
    code = _REMARK.sub("", line).rstrip()
    below = next((other for other in lines[number + 1 :] if other.strip()), "")
    holds_more = len(indent(below)) > len(indent(line))  # what opens at the end of the line
    for match in _BOUNDARY.finditer(code):
        at = match.start()
        if at == len(code) and code.endswith(_PAIRS[closer]) and holds_more:
            continue
        if _CALLS.match(code, at - 1):
            continue  # not between a name and its own bracket
        opened = _opened([*above, code[:at]])
        if not opened or opened[-1][1] != _PAIRS[closer] or _wants_own_line(lines, number, opened[-1]):
            continue
        heads = {lines[number - up] for up, _ in opened if up}
        if any(len(indent(line)) <= len(indent(head)) for head in heads) and code.lstrip()[:1] not in _PAIRS:
            continue  # the layout says that what opened above is over
        in_block = len(opened) == 1 or (opened[-2][1] == "{" and has_blocks)
        if in_block and _CALL.match(code) and _has_bare_comma(code[at:]):
            continue  # it would leave a bare list of values behind a call
        yield _Try(number, (line[:at] + closer + line[at:],), f"a closing {closer}")
    opened = _opened([*above, code])
    if opened and opened[-1][1] == _PAIRS[closer] and _wants_own_line(lines, number, opened[-1]):
        head = lines[number - opened[-1][0]]
        if len(indent(below)) <= len(indent(head)) < len(indent(line)):
            yield _Try(number, (line, indent(head) + closer), f"a closing {closer}")
        elif code.lstrip()[:1] in _PAIRS and indent(line) == indent(head):  # `};` that should be `});`
            for match in _BOUNDARY.finditer(code):
                yield _Try(
                    number, (line[: match.start()] + closer + line[match.start() :],), f"a closing {closer}"
                )


def _has_bare_comma(code: str) -> bool:
    """Whether there is a comma with something behind it, outside of brackets."""
    depth = 0
    bare = _TEXT.sub('""', code).rstrip().removesuffix(",")
    for character in bare:
        depth += (character in _CLOSERS) - (character in _PAIRS)
        if character == "," and depth <= 0:
            return True
    return False


def _wants_own_line(lines: tuple[str, ...], number: int, opened: tuple[int, str]) -> bool:
    """Whether a bracket ends the line in which it opens, so that its closer stands in a line of its own."""
    up, opener = opened
    return up > 0 and _code(lines[number - up]).rstrip().endswith(opener)


def _opened(lines: list[str]) -> list[tuple[int, str]]:
    """Brackets that are open behind the last line: how many lines up each opened, and which it is."""
    stack: list[tuple[int, str]] = []
    for up, line in zip(range(len(lines) - 1, -1, -1), lines, strict=True):
        for character in _code(line):
            if character in _CLOSERS:
                stack.append((up, character))
            elif character in _PAIRS and stack:
                if stack[-1][1] != _PAIRS[character]:
                    # the lacking closer is further up
                    return []
                stack.pop()
    return stack


def _code(line: str) -> str:
    """A line without the texts in it, and without a remark at its end."""
    return _REMARK.sub("", _TEXT.sub('""', line))


def _has_odd_quote(line: str) -> bool:
    bare = _REMARK.sub("", _TEXT.sub("", line))
    return any(bare.count(quote) % 2 for quote in '"`') or bool(re.search(r"(?<!\w)'|'(?!\w)", bare))
