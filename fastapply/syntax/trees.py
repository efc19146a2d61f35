"""Loading a grammar, parsing with a bound, and counting what did not parse."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Language, Node, Tree

# Single packages that tree-sitter-language-pack depends on instead of bundling the grammar.
_ELSEWHERE = {
    "yaml": "tree_sitter_yaml",
    "csharp": "tree_sitter_c_sharp",
    "embeddedtemplate": "tree_sitter_embedded_template",
}
# tree-sitter asks about every 30 bytes of plain text whether to go on. A text that needs four
# times as many questions is one that its grammar cannot cope with. Counted in questions and not
# in seconds, so that the same text always has the same answer; about two seconds for a small one.
_PATIENCE = 100_000
_BYTES_PER_QUESTION = 8
# Bytes that the parser is given at a time. py-tree-sitter 0.26 never frees what its reader returns, and asks
# for the same place again wherever a grammar tries another way: so each place has one piece, and a small one.
# 64 KiB, made anew each time, left 100 MB behind of one file of Scala, and took four times as long.
_CHUNK = 256
# Scanners that ask isdigit() and its like of C about any character, which is undefined beyond 255 and ends
# the process far beyond: Markdown's of what follows a digit at the start of a line. Found by random texts in
# 98 grammars. Which letter it is does not matter to them.
_TABLES_OF_C = frozenset({"bash", "markdown", "v"})
_AS_ASCII = bytes(byte if byte < 128 else ord("x") for byte in range(256))
_LONE_CR = re.compile(r"\r(?!\n)")


@lru_cache(maxsize=64)
def _load_language(name: str) -> Language | None:
    """Load one grammar, or None where it is not installed.

    `tree_sitter_language_pack.get_language` is the public way, but importing that package imports
    three others with it and takes three times as long as all of a merge. The grammars are plain
    extension modules in its `bindings` folder, so the one that is wanted is loaded from there;
    a pack that is laid out in another way is asked politely.
    """
    from importlib import import_module
    from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
    from importlib.util import find_spec, module_from_spec, spec_from_file_location

    from tree_sitter import Language

    package = _ELSEWHERE.get(name, "tree_sitter_language_pack")
    stem = "_binding" if name in _ELSEWHERE else f"bindings/{name}"
    found = find_spec(package)
    if found is None or found.origin is None:
        return None
    for suffix in EXTENSION_SUFFIXES:
        path = Path(found.origin).parent / f"{stem}{suffix}"
        if not path.is_file():
            continue
        full_name = f"{package}.{stem.replace('/', '.')}"
        loader = ExtensionFileLoader(full_name, str(path))
        spec = spec_from_file_location(full_name, path, loader=loader)
        if spec is None:
            continue
        try:
            module = module_from_spec(spec)
            loader.exec_module(module)
            return Language(module.language())
        except (ImportError, AttributeError, ValueError):
            break
    try:
        language = import_module("tree_sitter_language_pack").get_language(name)
    except (ImportError, LookupError, ValueError):
        return None
    return language if isinstance(language, Language) else None


def utf8(text: str) -> bytes:
    """Bytes as they are parsed: rows as `SourceText` counts lines, a lone CR being a line end."""
    if "\r" in text:
        text = _LONE_CR.sub("\n", text)
    return text.encode("utf-8", "replace")


def parse(text: str, language: str | None) -> Tree | None:
    """Parse a text; None without a grammar, or where the grammar does not come to an end.

    Offsets in the tree are bytes of UTF-8, rows are lines, both 0-based.
    """
    return _parse(text, language) if language else None


@lru_cache(maxsize=12)
def _parse(text: str, language: str) -> Tree | None:
    grammar = _load_language(language)
    if grammar is None:
        return None
    from tree_sitter import Parser

    data = utf8(text)
    if language in _TABLES_OF_C:
        data = data.translate(_AS_ASCII)
    patience = _PATIENCE + len(data) // _BYTES_PER_QUESTION
    pieces: dict[int, bytes] = {}

    def read(offset: int, _point: object) -> bytes:
        piece = pieces.get(offset)
        if piece is None:
            piece = pieces[offset] = data[offset : offset + _CHUNK]
        return piece

    def give_up(_offset: int, _has_error: bool) -> bool:
        nonlocal patience
        patience -= 1
        return patience < 0

    try:
        return Parser(grammar).parse(read, progress_callback=give_up)
    except ValueError:  # what py-tree-sitter raises for a parse that was given up
        return None


def regions(text: str, language: str | None) -> Iterator[tuple[Tree, bytes, int]]:
    """Give the tree of a text and those of code embedded in it: ``(tree, bytes, first row)``.

    A Svelte file, for one, gives its own tree, one of TypeScript for its script and one of CSS
    for its style; rows of those two count from the region's first row.
    """
    tree = parse(text, language)
    if tree is None:
        return
    data = utf8(text)
    yield tree, data, 0
    if language not in {"svelte", "vue", "html", "astro"}:
        return
    for node in _embedded(tree.root_node):
        inner = _language_of_region(node, data)
        raw = node.start_byte
        code = data[raw : node.end_byte].decode("utf-8")
        part = parse(code, inner)
        if part is not None:
            yield part, code.encode("utf-8"), node.start_point.row


def _embedded(root: Node) -> Iterator[Node]:
    """Script and style texts, and an Astro file's front matter."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type in {"raw_text", "frontmatter_js_block"}:
            yield node
        elif node.start_point.row != node.end_point.row:
            todo += reversed(node.named_children)


def _language_of_region(node: Node, data: bytes) -> str | None:
    parent = node.parent
    if node.type == "frontmatter_js_block":
        return "typescript"
    if parent is None or parent.type not in {"script_element", "style_element"}:
        return None
    opening = data[parent.start_byte : node.start_byte].decode("utf-8", "replace").lower()
    found = re.search(r"""\b(?:lang|type)\s*=\s*["']?([\w/+-]+)""", opening)
    said = found[1].rpartition("/")[2] if found else ""
    if parent.type == "style_element":
        return {"": "css", "css": "css", "scss": "scss", "postcss": "css"}.get(said)
    return {
        "": "javascript",
        "js": "javascript",
        "javascript": "javascript",
        "module": "javascript",
        "jsx": "javascript",
        "ts": "typescript",
        "typescript": "typescript",
        "tsx": "tsx",
        "json": "json",
        "ld+json": "json",
        "importmap": "json",
    }.get(said)


def error_lines(text: str, language: str | None) -> tuple[int, ...]:
    """The 0-based line of every ERROR and MISSING node, in order, embedded code included."""
    found: list[int] = []
    for tree, _data, row in regions(text, language):
        todo = [tree.root_node] if tree.root_node.has_error else []
        while todo:
            node = todo.pop()
            if node.is_error or node.is_missing:
                found.append(row + node.start_point.row)
            todo += [child for child in node.children if child.has_error]
    return tuple(sorted(found))


def error_count(text: str, language: str | None) -> int:
    """How many ERROR and MISSING nodes a text has; 0 for a language without a grammar."""
    return len(error_lines(text, language))
