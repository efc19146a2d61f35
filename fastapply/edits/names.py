"""File names in an edit: on a line of their own, in a fence's info string, in prose, in a comment.

A *label* is a name that stands where only a name can be meant::

    src/app.ts          ### src/app.ts        **src/app.ts**       `src/app.ts`
    File: src/app.ts    ```ts src/app.ts      ```ts:src/app.ts     ```ts title="src/app.ts"
    // src/app.ts  (the first line of a fence)

A *mention* is a name inside a sentence: weaker, it may be about another file.
"""

from __future__ import annotations

import re
from itertools import takewhile

from fastapply.edits.target import language_of

_KNOWN = frozenset(
    {
        "makefile",
        "gnumakefile",
        "dockerfile",
        "containerfile",
        "gemfile",
        "rakefile",
        "procfile",
        "jenkinsfile",
        "vagrantfile",
        "license",
        "readme",
        "changelog",
        "justfile",
        "caddyfile",
        "pipfile",
    }
)
_PATH = r"(?:[A-Za-z]:[\\/])?[\w.@$~+\-\[\]()/\\]{1,300}"
_EXTENSION = r"[^./\\\s]\.[A-Za-z][\w+-]{0,11}$"
_DOTFILE = r"(?:^|[/\\])\.[A-Za-z][\w.-]*$"
_WORD = (
    r"(?i)^(?:the\s+)?(?:file\s*(?:name|path)?|path|filepath|in|update|edit|modify|create|new\s+file|updated)"
    r"\s*(:?)\s+"
)
_TAG = r"^<(path|file|file_path|filename|target_file)>\s*(.*?)\s*</\1>$"
_DECORATION = r"^(?:#{1,6}\s+|[-*+]\s+|\d{1,3}[.)]\s+|>\s+)+"
_NOTE = r"(?i)\s*\((?:new|updated|modified|changed|new file|edited|full file|lines?\s[\d\s,-]+)\)$"
_COMMENT = (
    r"^\s*(?:#+|//+|--+|;+|%+|/\*+|<!--+|\{/\*+|'|\{#|<%#|\(\*)\s*(.*?)\s*(?:\*+/\}?|--+>|#\}|%>|\*\))?\s*$"
)
_SAID = r"(?i)^(?:file\s*(?:name|path)?|filepath|path|filename)\s*:\s*"
_INFO_KEY = re.compile(
    r"\b(?:path|title|file|filename|filepath|name)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s}]+))"
)
_MENTION = (
    r"`([^`\n]{1,200})`|\*\*([^*\n]{1,200})\*\*"
    r"|(?<![\w`/.])((?:[\w@.+-]+/)*[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,9})\b"
)
_NAME = r"[`*\"']{0,3}([\w.@+\-/\\]{1,200}?)[`*\"']{0,3}"
_AIMED = (
    # And in `src/a.py`:      Here is the new `src/a.py` file:
    (
        r"(?i)\b(?:in|into|inside|to|for|create|update|edit|modify|change|open|file|here(?:'s| is)|of)\s+"
        rf"(?:(?:the|new|full|complete|updated|modified|file)\s+){{0,4}}{_NAME}(?:\s+file)?\s*:\s*$"
    ),
    # Then replace `src/a.py` with this:
    (
        r"(?i)\b(?:replace|update|change|rewrite|overwrite|create|edit|modify)\s+(?:the\s+)?(?:file\s+)?"
        rf"{_NAME}\s+(?:with|by|to|as|like|so)\b[^.`]{{0,60}}:\s*$"
    ),
    # so `src/a.py` needs:
    (
        r"(?i)(?:^|\s)[`*]{1,3}([\w.@+\-/\\]{1,200}?)[`*]{1,3}\s+(?:also\s+|now\s+)*"
        r"(?:needs?|becomes?|should|must|gets?|has to|reads?|looks?|changes?|contains?)\b[^.`]{0,60}:\s*$"
    ),
)
_OTHERS = (".txt", ".mdx", ".lock", ".csv", ".env", ".adoc")
_OBJECTS = frozenset(
    [
        "this",
        "self",
        "response",
        "request",
        "req",
        "res",
        "data",
        "obj",
        "item",
        "e",
        "event",
        "window",
        "document",
        "props",
        "state",
    ]
)


def is_path(text: str, *, spaces: bool = False) -> bool:
    """Whether a text looks like a file name and like nothing else: ``src/a.py``, ``Makefile``."""
    if not text or len(text) > 300 or "://" in text or text.endswith((".", "/", "\\")) or "..." in text:
        return False
    plain = text.replace(" ", "") if spaces else text
    if not re.fullmatch(_PATH, plain) or ("(" in plain and ")" not in plain) or plain.endswith("()"):
        return False
    base = re.split(r"[\\/]", plain)[-1]
    if base.lower() in _KNOWN or re.search(_EXTENSION, base) or re.search(_DOTFILE, base):
        return bool(re.search(r"[A-Za-z]", base))
    return "/" in plain.strip("/") and not spaces and bool(re.fullmatch(r"[\w.@+\-/\[\]()]+", plain))


def base_name(path: str) -> str:
    """Return the last component, in lower case; both slashes count."""
    return re.split(r"[\\/]", path)[-1].lower()


def normal(path: str) -> str:
    r"""Give the form in which two names of one file are equal: ``.\src\a.py`` gives ``src/a.py``."""
    path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return path


def fits(name: str | None, path: str | None) -> bool:
    """Whether a name in an edit can mean this file: the base names are equal."""
    return name is not None and path is not None and base_name(name) == base_name(path)


def same_file(name: str, other: str) -> bool:
    """Whether two names can mean one file: one ends with all components of the other."""
    return agreement(name, other) == min(len(normal(one).strip("/").split("/")) for one in (name, other))


def agreement(name: str, path: str) -> int:
    """Count the path components, from the last one backwards, that both names share."""
    pairs = zip(reversed(normal(name).split("/")), reversed(normal(path).split("/")), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def label_of(line: str) -> str | None:
    """Return the name on a line that holds nothing else, undecorated; None where it's no such line."""
    text = line.strip()
    if not text or len(text) > 320:
        return None
    tag = re.match(_TAG, text)
    if tag:
        return tag[2] or None
    text = re.sub(_DECORATION, "", text).strip()
    text = re.sub(_NOTE, "", text.rstrip(":").strip()).rstrip(":").strip()
    said = False
    for _ in range(3):
        bare = text.strip("*_").strip()
        if len(bare) > 2 and bare[0] == bare[-1] and bare[0] in "`\"'":
            bare = bare[1:-1].strip()
            said = True
        match = re.match(_WORD, bare)
        if match:
            bare = bare[match.end() :]
            said = said or bool(match[1])
        bare = bare.rstrip(":").strip()
        if bare == text:
            break
        text = bare
    if is_path(text):
        return text
    return text if said and is_path(text, spaces=True) else None


def aimed_at(line: str) -> str | None:
    """Return the name at which a sentence ends that says where code goes: ``And in `src/a.py`:``."""
    for pattern in _AIMED:
        match = re.search(pattern, line[-400:])
        if match and is_path(match[1]) and _is_known(match[1]):
            return match[1]
    return None


def _is_known(name: str) -> bool:
    return language_of(name) is not None or name.lower().endswith(_OTHERS)


def mentions(text: str) -> tuple[str, ...]:
    """File names inside prose, in order, each once: only those with a known extension."""
    found: dict[str, None] = {}
    for match in re.finditer(_MENTION, text[-2000:]):
        marked = match[1] or match[2]
        name = (marked or match[3]).strip().rstrip(":")
        stem = name.partition(".")[0].lower()
        if not is_path(name) or stem in _OBJECTS:
            continue
        extension = name.rpartition(".")[2].lower()
        if _is_known(name) and (marked or "/" in name or len(extension) > 1):
            found[name] = None
    return tuple(found)


def read_info(info: str) -> tuple[str, str | None]:
    """Language and file name of a fence's info string: ``"ts:src/a.ts"`` gives ``("ts", "src/a.ts")``."""
    info = info.strip()
    if not info:
        return "", None
    key = _INFO_KEY.search(info)
    named = next((value for value in key.groups() if value), None) if key else None
    rest = _INFO_KEY.sub("", info).strip()
    first, *others = rest.replace("{", " ").replace("}", " ").split() or [""]
    if named is None:
        quoted = (token.strip("\"'()`") for token in others)
        named = next((token for token in quoted if is_path(token)), None)
    if ":" in first:
        head, _, tail = first.rpartition(":")
        if is_path(tail):
            named = named or tail
            first = "" if head.replace(":", "").isdigit() else head.partition(":")[0]
        elif re.fullmatch(r"[\d-]+", tail) and is_path(head):
            first, named = "", named or head
    if named is None and is_path(first) and ("/" in first or re.search(_EXTENSION, first)):
        first, named = "", first
    return first.strip(".,").lower(), named


def comment_label(line: str) -> tuple[str, bool] | None:
    """Return the name in a comment that holds nothing else, and whether it says ``File:`` before it."""
    match = re.match(_COMMENT, line) if len(line) < 320 else None
    if not match:
        return None
    text = match[1].strip().strip("`")
    said = re.match(_SAID, text)
    if said:
        text = text[said.end() :].strip("`")
    return (text, bool(said)) if is_path(text) and (said or re.search(_EXTENSION, text)) else None
