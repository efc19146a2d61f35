"""Which names the import statements of a file bind."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from fastapply.syntax.trees import regions
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_STATEMENTS = frozenset(
    {
        "import_statement",  # Python, JavaScript, TypeScript
        "import_from_statement",
        "future_import_statement",
        "import_declaration",  # Java, Go, Swift, Scala
        "import_header",  # Kotlin
        "import",
        "use_declaration",  # Rust
        "namespace_use_declaration",  # PHP
        "using_directive",  # C#
        "import_list",
        "import_or_export",  # Dart
    }
)
_IDENTIFIER = r"[A-Za-z_$][\w$]*"


@dataclass(frozen=True, slots=True)
class Import:
    """One import statement: its 0-based lines, and the names that it binds."""

    first_line: int
    last_line: int
    names: tuple[str, ...]


@lru_cache(maxsize=12)
def import_names(text: str, language: str | None) -> tuple[Import, ...]:
    """Import statements at the top level of a file with the names that each binds.

    A statement whose names cannot be told (a star, a C# namespace, an include) has none.
    """
    found: list[Import] = []
    for tree, data, row in regions(text, language):
        for node in _statements(tree.root_node):
            said = data[node.start_byte : node.end_byte].decode("utf-8", "replace")
            first, last = row + node.start_point.row, row + node.end_point.row
            last -= node.end_point.column == 0 and last > first
            found.append(Import(first, last, _bound(said, language or "")))
    return tuple(found)


def _statements(root: Node) -> Iterator[Node]:
    for node in root.named_children:
        if node.type in {"import_list", "import_declaration_list"}:
            yield from node.named_children
        elif node.type == "import_declaration" and any(
            child.type == "import_spec_list" for child in node.named_children
        ):  # Go: import ( ... )
            for specs in node.named_children:
                yield from (spec for spec in specs.named_children if spec.type == "import_spec")
        elif node.type in _STATEMENTS:
            yield node


def _bound(said: str, language: str) -> tuple[str, ...]:
    """Names bound by one import statement: ``from a import b as c, d`` binds c and d."""
    said = re.sub(r"/\*.*?\*/", " ", said, flags=re.DOTALL)
    said = re.sub(r"(?m)(?<![:'\"])//.*$" if language != "python" else r"(?m)#.*$", "", said)
    if language == "python":
        return _bound_python(said)
    if language in {"javascript", "typescript", "tsx", "svelte", "vue", "html", "astro"}:
        return _bound_javascript(said)
    if language == "go":
        return _bound_go(said)
    if language in {"rust", "php"}:
        return _bound_tree(re.sub(r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+(?:function\s+|const\s+)?", "", said))
    if language in {"java", "kotlin", "scala", "groovy"}:
        found = re.search(rf"(?:\bas\s+|=>\s*)({_IDENTIFIER})\s*;?\s*$", said) or re.search(
            rf"\.({_IDENTIFIER})\s*;?\s*$", said
        )
        return (found[1],) if found and "*" not in said else ()
    if language == "csharp":
        found = re.search(rf"using\s+({_IDENTIFIER})\s*=", said)
        return (found[1],) if found else ()
    return ()


def _bound_python(said: str) -> tuple[str, ...]:
    is_from = said.lstrip().startswith("from")
    if said.lstrip().startswith("from __future__"):
        return ()
    listed = said.split("import", 1)[-1] if not is_from else re.split(r"\bimport\b", said, maxsplit=1)[-1]
    names = []
    for item in listed.strip(" ()\n\r\t\\").split(","):
        words = item.replace("\\", " ").split()
        if not words or words[-1] == "*":
            continue
        names.append(words[-1] if is_from or len(words) > 1 else words[0].split(".")[0])
    return tuple(names)


def _bound_javascript(said: str) -> tuple[str, ...]:
    clause = re.match(r"\s*import\s+(?:type\s+)?(.*?)\s*\bfrom\b", said, re.DOTALL)
    if not clause:
        return ()
    names = []
    for item in re.split(r"[{},]", clause[1]):
        words = item.split()
        if words and re.fullmatch(_IDENTIFIER, words[-1]):
            names.append(words[-1])
    return tuple(names)


def _bound_go(said: str) -> tuple[str, ...]:
    found = re.search(r'(?:import\s+)?(?:([\w.]+)\s+)?"([^"]+)"', said)
    if not found or found[1] in {"_", "."}:
        return ()
    if found[1] and found[1] != "import":
        return (found[1],)
    parts = found[2].split("/")
    last = parts[-2] if re.fullmatch(r"v\d+", parts[-1]) and len(parts) > 1 else parts[-1]
    last = re.sub(r"\.v\d+$", "", last)
    # go-yaml is imported as yaml, and nobody can tell from the path what package foo.go has
    return (last,) if re.fullmatch(r"\w+", last) else ()


def _bound_tree(said: str) -> tuple[str, ...]:
    r"""Rust and PHP: ``a::b::{self, c as d, e::f}`` binds b, d and f."""
    names: list[str] = []
    stack: list[str] = []
    last = ""
    words = re.findall(rf"{_IDENTIFIER}|[{{}},;*]", said)
    for position, word in enumerate(words):
        following = words[position + 1] if position + 1 < len(words) else ";"
        if word == "{":
            stack.append(last)
        elif word == "}":
            del stack[-1:]
        elif word not in ",;*" and word != "as":
            last = word
            if following in ",;}":
                names.append((stack[-1] if stack else word) if word == "self" else word)
    return tuple(name for name in names if name != "_")
