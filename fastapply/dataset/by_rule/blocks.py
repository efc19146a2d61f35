"""Blocks of a file: where a definition's header stands, where its body ends.

Read from tree-sitter, by the `body` of a node; without a grammar a file has no blocks. Also tells
which lines lie inside a string or a comment of several lines, where no marker may stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from fastapply.syntax import parse

if TYPE_CHECKING:
    from tree_sitter import Node

_DEFINES = re.compile(
    r"func|method|class|impl_item|struct|interface|trait|mod_item|module|enum|object|namespace|constructor|singleton"
)
_BODY = re.compile(
    r"_body$|^block$|declaration_list$|^field_declaration_list$|^statement_block$|^do_block$|^struct_type$"
)
_LONG_TOKEN = re.compile(r"string|comment|heredoc|template|char_literal|raw_text|regex")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a block, 0-based: header `[start, body)`, body, and the last line, `end`.

    `closed` is true where the last line is only a closing word or bracket. A body on the header's
    last line makes `body` the line after it.
    """

    start: int
    body: int
    end: int
    closed: bool
    defines: bool
    name: str


@dataclass(frozen=True, slots=True)
class Structure:
    """Blocks of a file, outer before inner, and the lines that no marker may part."""

    blocks: tuple[Block, ...]
    tokens: tuple[tuple[int, int], ...]  # first and last line of each token of several lines
    errors: bool

    def enclosing(self, first: int, last: int) -> tuple[Block, ...]:
        """Blocks whose body holds lines `first` to `last`, outer first."""
        return tuple(b for b in self.blocks if b.body <= first and last <= b.end - int(b.closed))


@lru_cache(maxsize=4)
def read_structure(lines: tuple[str, ...], grammar: str) -> Structure:
    """Parse lines; `grammar` "" gives a file without blocks."""
    tree = parse("\n".join(lines), grammar) if grammar else None
    if tree is None:
        return Structure((), (), errors=False)
    root = tree.root_node
    blocks: dict[tuple[int, int], Block] = {}
    tokens: list[tuple[int, int]] = []
    stack = [root]
    while stack:
        node = stack.pop()
        first, last = node.start_point[0], node.end_point[0]
        if node.end_point[1] == 0 and last > first:
            last -= 1
        if first == last:
            continue
        if _LONG_TOKEN.search(node.type):
            tokens.append((first, last))
        block = _read_block(node, first, last, lines)
        if block is not None:
            known = blocks.get((block.body, block.end))
            if known is None or (block.defines and not known.defines):
                blocks[block.body, block.end] = block
        stack.extend(node.named_children)
    ordered = sorted(blocks.values(), key=lambda b: (b.start, -b.end))
    return Structure(tuple(ordered), tuple(sorted(tokens)), root.has_error)


def _read_block(node: Node, first: int, last: int, lines: tuple[str, ...]) -> Block | None:
    body = node.child_by_field_name("body") or node.child_by_field_name("consequence")
    if body is None:
        body = next((child for child in node.named_children if _BODY.search(child.type)), None)
    if body is None or (body.start_point[0] == body.end_point[0] and body.start_point[0] == first):
        return None
    inside = body.start_point[0]
    opens_inside = lines[inside].encode()[body.start_point[1] :].strip() in {b"{", b"{|", b"do"} or lines[
        inside
    ].rstrip().endswith(("{", "(", "[", "do", "|"))
    start_body = inside + 1 if opens_inside or inside == first else inside
    closed = bool(re.fullmatch(r"[\s)\]};,]*(?:end)?[\s)\]};,]*", lines[last])) and last >= start_body
    if last < start_body or start_body - first > 8:
        return None
    name = node.child_by_field_name("name")
    if name is None:
        name = next((c for c in node.named_children if c.type.endswith("identifier")), None)
    text = name.text.decode("utf-8", "replace") if name is not None and name.text else ""
    named = bool(_DEFINES.search(node.type)) and bool(text or node.type == "impl_item")
    return Block(first, start_body, last, closed, named, text)
