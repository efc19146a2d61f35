"""How a file imports its names: Python, and JavaScript with TypeScript.

    from a.b import c as d     Way("a.b", "c", "d")
    import a.b                 Way("a.b", "", "a")
    import d, { e } from "m"   Way("m", "default", "d"), Way("m", "e", "e")

A relative module is one and the same wherever it is imported from: `resolve` gives its path from the top of
the repository, behind a slash, and `relative` what another file calls it.
"""

from __future__ import annotations

import ast
import posixpath
import re
import warnings
from typing import TYPE_CHECKING

from fastapply.syntax import import_names
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIXES = {
    "python": (".py", ".pyi"),
    "javascript": (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts"),
    "typescript": (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx"),
    "tsx": (".ts", ".tsx", ".js", ".jsx"),
}
_CLAUSE = re.compile(r"import\s+(type\s+)?(?!['\"])(.*?)\s*\bfrom\s*(['\"])(.+?)\3", re.DOTALL)
_REQUIRE = re.compile(
    r"^(?:const|let|var)\s+(\w+|\{[^}]*\})\s*=\s*require\(\s*(['\"])(.+?)\2\s*\)\s*;?\s*$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Way:
    """How one name is imported: from which module, what it is called there, and what it is called here."""

    module: str
    name: str  # "" for a module of Python as a whole, "*" for one of JavaScript
    bound: str
    kind: str = ""  # "type", "require"


@dataclass(frozen=True, slots=True)
class Statement:
    """An import statement at the top level: its 0-based lines, and what it imports."""

    first_line: int
    last_line: int
    ways: frozenset[Way]


def statements(text: str, language: str | None) -> tuple[Statement, ...]:
    """Import statements at the top level of a text; none for other languages."""
    if language not in SUFFIXES:
        return ()
    lines = text.splitlines()
    found = []
    for one in import_names(text, language):
        said = "\n".join(lines[one.first_line : one.last_line + 1])
        ways = _python(said) if language == "python" else _javascript(said)
        found.append(Statement(one.first_line, one.last_line, frozenset(ways)))
    return tuple(found)


def ways_of(text: str, language: str, name: str) -> Iterator[Way]:
    """All ways in which a text binds a name by importing it, also inside of functions."""
    if language == "python":
        yield from (way for way in _python(text) if way.bound == name)
        return
    yield from (way for one in statements(text, language) for way in one.ways if way.bound == name)
    for match in _REQUIRE.finditer(text):
        yield from (way for way in _required(match) if way.bound == name)


def resolve(way: Way, file: str, language: str) -> Way:
    """Name a relative module by its path from the top of the repository, behind a slash."""
    folder = posixpath.dirname(file)
    if not way.module.startswith("."):
        return way
    if language != "python":
        return replace(way, module=posixpath.normpath(posixpath.join("/", folder, way.module)))
    bare = way.module.lstrip(".")
    up = len(way.module) - len(bare) - 1
    base = posixpath.normpath(posixpath.join("/", folder, *[".."] * up))
    return replace(way, module=posixpath.join(base, *bare.split(".")) if bare else base)


def is_one_module(one: Way, other: Way) -> bool:
    """Whether two resolved ways import the same of one module, by its whole name and by a relative one.

    A whole name of one word is that of a module at the top: ``money`` is no ``shop/money``.
    """
    near, far = sorted((one, other), key=lambda way: not way.module.startswith("/"))
    whole = far.module.replace(".", "/")
    same = (near.name, near.bound, near.kind) == (far.name, far.bound, far.kind)
    is_it = near.module.endswith(f"/{whole}") if "/" in whole else near.module == f"/{whole}"
    return same and near.module.startswith("/") and is_it


def relative(way: Way, file: str, language: str) -> Way | None:
    """Name a module as another file does; None where that cannot be, or where the file is the module."""
    if not way.module.startswith("/"):
        return way
    folder = posixpath.join("/", posixpath.dirname(file))
    own = posixpath.join("/", file)
    if own.rpartition(".")[0] == way.module.rpartition(".")[0] or own.rpartition(".")[0] == way.module:
        return None
    if language != "python":
        found = posixpath.relpath(way.module, folder)
        return replace(way, module=found if found.startswith(".") else f"./{found}")
    steps = posixpath.relpath(way.module, folder).split("/")
    up = steps.count("..")
    if up and folder.count("/") <= up:  # out of the outermost package
        return None
    rest = [step for step in steps if step not in {"..", "."}]
    return replace(way, module="." * (up + 1) + ".".join(rest))


def written(way: Way, language: str, *, quote: str = '"', end: str = "") -> str:
    """The statement that imports a name in this way alone."""
    if language == "python":
        other = "" if way.bound == (way.name or way.module.split(".", 1)[0]) else f" as {way.bound}"
        return f"from {way.module} import {way.name}{other}" if way.name else f"import {way.module}{other}"
    module = f"{quote}{way.module}{quote}"
    if way.kind == "require":
        bound = way.bound if way.name == "*" else f"{{ {_listed(way, ': ')} }}"
        return f"const {bound} = require({module}){end}"
    kind = "type " if way.kind == "type" else ""
    whole = {"default": way.bound, "*": f"* as {way.bound}"}
    clause = whole.get(way.name) or f"{{ {_listed(way, ' as ')} }}"
    return f"import {kind}{clause} from {module}{end}"


def _listed(way: Way, joined: str) -> str:
    return way.name if way.name == way.bound else f"{way.name}{joined}{way.bound}"


def _python(said: str) -> list[Way]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(said)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []
    ways = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            ways += [Way(one.name, "", one.asname or one.name.split(".", 1)[0]) for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            ways += [Way(module, one.name, one.asname or one.name) for one in node.names if one.name != "*"]
    return ways


def _javascript(said: str) -> list[Way]:
    match = _CLAUSE.search(said)
    if not match:
        return []
    kind, clause, module = "type" if match[1] else "", match[2], match[4]
    ways = []
    head, brace, listed = clause.partition("{")
    for item in head.split(","):
        words = item.split()
        if words[:2] == ["*", "as"] and len(words) == 3:
            ways.append(Way(module, "*", words[2], kind))
        elif len(words) == 1:
            ways.append(Way(module, "default", words[0], kind))
    for item in listed.rpartition("}")[0].split(",") if brace else ():
        words = item.split()
        of_kind = "type" if words[:1] == ["type"] and len(words) in {2, 4} else kind
        words = words[1:] if of_kind != kind else words
        if len(words) == 1 or (len(words) == 3 and words[1] == "as"):
            ways.append(Way(module, words[0], words[-1], of_kind))
    return ways


def _required(match: re.Match[str]) -> list[Way]:
    if not match[1].startswith("{"):
        return [Way(match[3], "*", match[1], "require")]
    ways = []
    for item in match[1].strip("{}").split(","):
        name, _, bound = (word.strip() for word in item.partition(":"))
        if re.fullmatch(r"\w+", name):
            ways.append(Way(match[3], name, bound or name, "require"))
    return ways
