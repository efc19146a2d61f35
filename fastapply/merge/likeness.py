"""What a line says: what it defines, what it is about, and how much two lines are alike.

All by the words of the line alone, for any language: wrong now and then, so that nothing here
decides a merge by itself.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from fastapply.edits.markers import comment_body
from fastapply.merge.lines import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.lines import LineTable

LINES = 1 << 14
"""Lines of which is remembered what they say: each is asked about many times in one merge."""

_DEFINES = re.compile(
    r"(?:@?\w+(?:\((?:crate|self|super|in [\w:]+)\))?\s+)*?"
    r"(?:def(?:p|macrop?|module|protocol)?|class|function\*?|func|fn|fun|interface|type|struct|enum|trait|impl|module|namespace|"
    r"const|let|var|val|object|record|protocol|extension|union|macro_rules!|sub|package|table|view|index|resource|data|"
    r"TABLE|VIEW|INDEX|FUNCTION|PROCEDURE|TRIGGER|SCHEMA|TYPE|describe|it|test|context|scope)\b"
    r"(?:\s+(?:mut|ref|static|async|unsafe|inline|constexpr|fn|fun|func|function|class|struct|enum|interface)\b)*\s*(?:\([\w\s*&.,\[\]]*\)\s*)?\(?\s*(?P<name>[\w$][\w$.:!?=-]*|'[^']*'|\"[^\"]*\"|`[^`]*`)",
)
# blocks of Terraform, whose names are texts: ``resource "aws_vpc" "main" {``
_LABELLED = re.compile(
    r"(?:output|variable|provider|resource|data|module)\s+(?P<name>\"[^\"]*\"(?:\s+\"[^\"]*\")?)\s*\{"
)
# of Kotlin: ``inline fun <reified T> List<T>.second(``
_GENERIC = re.compile(
    r"(?:\w+\s+)*fun\s+<[^()<>]*(?:<[^()<>]*>[^()<>]*)*>\s*(?P<name>(?:[\w.]+<[^()<>]*(?:<[^()<>]*>[^()<>]*)*>\??\.)?[\w.]+)"
)
_SIGNATURE = re.compile(r"[{(,)]$|\)\s*(?:throws\s+[\w.,\s]+|const|noexcept|override|async)$")
_ANNOTATIONS = re.compile(r"(?:@[\w.]+(?:\([^)]*\))?\s+)+(?=\w)")
_METHOD = re.compile(
    r"(?:(?:public|private|protected|internal|static|final|async|override|abstract|virtual|export|inline|extern|"
    r"unsafe|get|set|readonly|synchronized|native)\s+)*"
    r"(?:[\w$<>\[\],.?*&:]+\s+[*&]*)??(?P<name>[A-Za-z_$~][\w$:~]*)\s*\([^;]*$"
)
_PROTOTYPE = re.compile(
    r"(?!(?:return|await|throw|new|delete|else|yield|case|goto)\b)(?:[\w:<>,]+[\s*&]+)+(?P<name>[A-Za-z_]\w*)\s*\([^;]*\)[\w\s]*;$"
)
_FUNCTION_VALUE = re.compile(
    r"(?P<name>[A-Za-z_$][\w$.]*)\s*(?:[=:]|<-)\s*(?:async\s+)?(?:function\b|\([^()]*\)\s*=>|[\w$]+\s*=>).*(?:[{(]|\{\}[,;]?)$"
)
# a call that names what its callback is for: ``app.get("/users", (req, res) => {``
_NAMED_CALL = re.compile(
    r"(?P<name>[A-Za-z_$][\w$.]*)\(\s*(?P<what>'[^']*'|\"[^\"]*\"|`[^`]*`)\s*,.*(?:=>|\bfunction\b.*\))\s*[{(]$"
)
_TESTING = re.compile(r"(?:test|it|tape|describe|context|spec)$", re.IGNORECASE)
# an arm of a match: no arrow function, whose parameter is one small word
_MATCHED = re.compile(
    r"(?![a-z_]\w*\s*(?:=>|->))(?P<name>[\w:.'\"|*&$-]+(?:\([^()]*\)|\{[^{}]*\})?)\s*(?:=>|->)(?:\s|$)"
)
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_$@][\w$.-]*\??|'[^']+'|\"[^\"]+\")\s*(?::=|=(?![=>])|:(?!:))")
_CONTROL = re.compile(
    r"[}\s]*(?:if|elif|elsif|else|unless|while|until|for|foreach|switch|match|return|await|throw|raise|yield|assert|not|with|"
    r"try|catch|except|new|print|puts|echo|require|include|delete|del|in|and|or)\b"
)
_BRANCH = re.compile(r"[}\s]*(?:if|elif|elsif|else\s+if|unless|while|until|for|foreach|switch|match)\b")
_NO_NAMES = frozenset(
    [
        "if",
        "for",
        "while",
        "switch",
        "return",
        "catch",
        "with",
        "elif",
        "else",
        "await",
        "throw",
        "raise",
        "assert",
    ]
)
_MODULE = re.compile(r"(?:import|from|use|using|#\s*include|require|package|export\s.*from)\b")
_QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'|`([^`]*)`|<([^<>\s]*)>")
_CASE = re.compile(
    r"(?:case|when|elif|elsif|\}?\s*else\s+if)\b\s*(?P<name>.+?)\s*(?::|=>|\bthen\b|\)|$)|(?P<arm>[\w\"'./*|-]+)\)(?:\s|$)"
)
_PLACED = re.compile(
    r"(?:export\s+)?(?:const|let|var|val|auto)\s*(?:mut\s*)?[\[(]\s*(?P<name>[A-Za-z_$][\w$]*)\s*[,\])]"
)
"""``const [open, setOpen] = useState(false)``: the first name says which one it is."""
_TESTED = re.compile(
    r"(?:assert\s+(?P<what>.+?)\s*(?:[=!]=|<=?|>=?|\bis\b|\bin\b|\bnot\b|,|$)|(?:await\s+)?expect\((?P<expected>.+?)\)\s*\.)"
)
_CALL = re.compile(
    r"(?:(?:await|return|yield|defer|go|new|throw|raise)\s+)*(?P<name>[\w$.:?!@-]+?)[!?]?\s*[({]"
)
_DECORATED = re.compile(r"(?P<name>@\w[\w.]*)(?:\(|$)")
# a call without parentheses that opens a block, and a macro that defines what its first word names
_SAID = re.compile(
    r"(?P<name>[a-z_][\w.]*)\s+(?P<what>'[^']*'|\"[^\"]*\")[^=]*\bdo\b|(?P<macro>[a-z_]\w*!)\(\s*(?P<first>[A-Za-z_]\w*)\s*,.*[{(|]$"
)
_DECORATOR = re.compile(r"\s*(?:@\w[\w.]*(?:\(.*)?\s*(?:(?://|#).*)?$|#!?\[|\[\w[^\]]*\]\s*$)")
_PASSING = frozenset(["err", "error", "_", "ok", "ret", "rc"])
"""Names that many statements set in turn: what such a line is about is what it calls."""
_DIRECTIVE = re.compile(r"\s*#\s*(?:if|ifdef|ifndef|else|elif|endif|define|undef|include|pragma)\b")
_STARRED = re.compile(r"\s*(?:\*(?:\s|/|$)|/\*\*|///)")
# definitions whose members may stand in any order, and so beside each other
_HOLDER = re.compile(
    r"\b(?:class|interface|struct|enum|trait|impl|mod|module|namespace|object|extension|protocol|union|record"
    r"|package|describe|context|defmodule|defprotocol)\b"
)
_KIND = re.compile(r"\b(?:class|interface|struct|enum|trait|impl|def|function|func|fn|fun|type|module)\b")


QUOTES = "\"'`"


@lru_cache(maxsize=LINES)
def definition(line: str) -> str | None:
    """Name of the function, type, test or variable that a line declares; None where it declares none."""
    stripped = _ANNOTATIONS.sub("", line.strip())
    called = _NAMED_CALL.match(stripped)
    if called and not _DEFINES.match(stripped):
        tests = _TESTING.search(called.group("name"))
        return called.group("what") if tests else f"{called.group('name')} {called.group('what')}"
    match = _LABELLED.match(stripped) or _GENERIC.match(stripped) or _DEFINES.match(stripped)
    match = match or _FUNCTION_VALUE.match(stripped)
    arm = _MATCHED.match(stripped)
    if arm and not match:
        return arm.group("name") if stripped.endswith("{") else None
    if match is None and _SIGNATURE.search(stripped) and "=" not in stripped.partition("(")[0]:
        match = _METHOD.match(stripped)
    if match is None and stripped.endswith(";"):
        match = _PROTOTYPE.match(stripped)
    name = match.group("name").strip(":") if match else ""
    if _CONTROL.match(stripped):
        return None
    return name if name and name not in _NO_NAMES else None


def defined_name(line: str) -> str | None:
    """Name that a line declares or sets: ``"def f(x):"`` gives ``"f"``; None where it does neither."""
    name = definition(line)
    if name is not None:
        return name
    match = _ASSIGNED.match(line.strip())
    return match.group("name") if match and match.group("name") not in _NO_NAMES else None


def subject(line: str) -> str | None:
    """What a line declares, imports, or matches as a case; None where it does nothing of these."""
    stripped = line.strip()
    if _MODULE.match(stripped):
        quoted = _QUOTED.search(stripped)
        if quoted:
            return _text(quoted)
        found = words(stripped)
        if found[0] == "from" and "import" in found:
            return "".join(found[1 : found.index("import")])
        return "".join(word for word in found[1:] if word not in "{};") or None
    match = _CASE.match(stripped)
    if match:
        return match.group("name") or match.group("arm") or None
    return definition(line)


@lru_cache(maxsize=LINES)
def identity(line: str) -> str | None:
    """What a line is about, without the quotes around a text (see `_identity`)."""
    name = _identity(line)
    return name.strip("\"'`") if name else name


def _identity(line: str) -> str | None:
    """What a line is about, so that two lines about different things are never versions of one.

    Its `subject`, the name it sets, or the function it calls with its first text; None where none
    of these shows.
    """
    stripped = line.strip()
    name = subject(line)
    if name is not None:
        return name
    match = _DECORATED.match(stripped) or _MATCHED.match(stripped)
    if match:
        return match.group("name")
    name = defined_name(line)
    if name in _PASSING:
        called = _CALL.match(stripped.partition("=")[2].strip())
        return f"{name} {called.group('name')}" if called else name
    if name is not None:
        return name
    match = _PLACED.match(stripped)
    if match:
        return match.group("name")
    match = _TESTED.match(stripped)
    if match:
        return "assert " + "".join((match.group("what") or match.group("expected")).split())
    match = _SAID.match(stripped)
    if match:
        name, what = match.group("name") or match.group("macro"), match.group("what") or match.group("first")
        return f"{name} {what.strip(QUOTES)}"
    match = _CALL.match(stripped)
    if match and match.group("name") not in _NO_NAMES:
        quoted = _QUOTED.match(stripped[match.end() :])
        return match.group("name").replace("?.", ".") + (" " + (_text(quoted) or "") if quoted else "")
    if stripped[:1] in "\"'`":
        quoted = _QUOTED.match(stripped)
        if quoted:
            return _text(quoted)
    return None


def _text(quoted: re.Match[str]) -> str | None:
    return next((group for group in quoted.groups() if group), None)


def is_decorator(line: str) -> bool:
    """Whether a line only decorates what follows: ``@dataclass``, ``#[test]``, ``[Fact]``."""
    return _DECORATOR.match(line) is not None


@lru_cache(maxsize=LINES)
def is_attachment(line: str) -> bool:
    """Whether a line belongs to the definition below it: a decorator or a comment."""
    if _DIRECTIVE.match(line):
        return False
    return is_decorator(line) or comment_body(line) is not None or _STARRED.match(line) is not None


def is_function(line: str) -> bool:
    """Whether a line defines what runs from its first statement to its last: ``def f(x):``, no class."""
    if "(" not in line or is_attachment(line) or _HOLDER.search(line):
        return False
    return definition(line) is not None


def holds_members(line: str) -> bool:
    """Whether a line opens a class, a module or the like, whose members may stand in any order."""
    return _HOLDER.search(line) is not None and not is_attachment(line)


def is_control(line: str) -> bool:
    """Whether a line opens a branch or a loop: ``if``, ``for``, ``switch``."""
    return _BRANCH.match(line) is not None


def same_name(score: float) -> float:
    """Similarity of two lines about the same thing: raised, but the more alike one stays ahead."""
    score = max(score, 0.5)
    return score + 0.5 * (1 - score)


def same_kind(left: str, right: str) -> bool:
    """Whether two lines that define one name define the same kind of thing, as far as keywords say."""
    a, b = _KIND.search(left), _KIND.search(right)
    return (a.group() if a else "") == (b.group() if b else "")


@lru_cache(maxsize=8 * LINES)
def similarity(left: str, right: str) -> float:
    """Share of words that two lines have in common, order counted: 0 to 1."""
    a, b = words(left), words(right)
    if not a or not b:
        return 0.0
    counted = Counter(a)
    counted.subtract(b)
    shared = (len(a) + len(b) - sum(abs(count) for count in counted.values())) / 2
    if 2 * shared / (len(a) + len(b)) < 0.4:
        return 0.0
    return 2 * _common(a, b) / (len(a) + len(b))


def _common(a: Sequence[str], b: Sequence[str]) -> float:
    """Length of the longest common subsequence of words, each counted by its letters' worth."""
    row = [0.0] * (len(b) + 1)
    for word in a:
        previous = 0.0
        for column, other in enumerate(b, 1):
            keep = row[column]
            row[column] = previous + 1.0 if word == other else max(keep, row[column - 1])
            previous = keep
    return row[-1]


def renamed(edit: LineTable, file: LineTable, i: int, j: int) -> bool:
    """Whether edit line `i` defines what file line `j` defined under another name.

    So it is where the edit no longer knows the old name, and shows at least as many lines outside of
    the definition with the new one as the file has with the old one, and there is at least one.
    """
    new, old = defined_name(edit.lines[i]), defined_name(file.lines[j])
    if (
        new is None
        or old is None
        or not re.fullmatch(r"[\w$]{3,}", old)
        or not re.fullmatch(r"[\w$]{3,}", new)
    ):
        return False
    whole_old, whole_new = (
        re.compile(rf"(?<![\w$]){re.escape(old)}(?![\w$])"),
        re.compile(rf"(?<![\w$]){re.escape(new)}(?![\w$])"),
    )
    if any(old in line and whole_old.search(line) for line in edit.lines):
        return False
    if any(new in line and whole_new.search(line) for line in file.lines):
        return False
    used = sum(
        not j <= n < file.ends[j] and old in line and whole_old.search(line) is not None
        for n, line in enumerate(file.lines)
    )
    shown = sum(
        not i <= n < edit.ends[i] and new in line and whole_new.search(line) is not None
        for n, line in enumerate(edit.lines)
    )
    return 0 < used <= shown
