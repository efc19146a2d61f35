"""Which lines lie inside a string: there a marker, a brace or a keyword is only text."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from fastapply.syntax.trees import regions

if TYPE_CHECKING:
    from tree_sitter import Node

_STRINGS = frozenset(
    {
        "string",
        "string_literal",
        "raw_string_literal",
        "verbatim_string_literal",
        "interpolated_string_expression",
        "interpreted_string_literal",
        "template_string",
        "line_string_literal",
        "multi_line_string_literal",
        "multiline_string_literal",
        "concatenated_string_literal",
        "raw_string",
        "ansi_c_string",
        "encapsed_string",
        "indented_string_expression",
        "string_expression",
        "text_block",
        "heredoc_body",
        "heredoc_template",
        "here_string",
        "expandable_here_string_literal",
        "verbatim_here_string_characters",
        "block_scalar",
        "multi_line_basic_string",
        "multi_line_literal_string",
        "sigil",
        "char_literal",
        "triple_string",
        "interpolated_string",
        "quoted_string",
    }
)
_CODE_INSIDE = frozenset(
    {
        "template_substitution",
        "interpolation",
        "string_interpolation",
        "interpolated_expression",
        "interpolation_expression",
        "command_substitution",
        "expansion",
    }
)
_SELF_CONTAINED = frozenset({"heredoc_body", "verbatim_here_string_characters"})


def is_string(node_type: str) -> bool:
    """Whether a node of this type is a whole string literal or heredoc."""
    return node_type in _STRINGS


@lru_cache(maxsize=12)
def string_lines(text: str, language: str | None) -> frozenset[int]:
    '''0-based lines that begin inside a string literal, heredoc or template.

    Of ``x = """a`` / ``b`` / ``"""`` these are lines 1 and 2. Code inside a template's
    substitution is code again.
    '''
    lines: set[int] = set()
    for tree, _data, row in regions(text, language):
        todo: list[tuple[Node, bool]] = [(tree.root_node, False)]
        while todo:
            node, inside = todo.pop()
            first, last = node.start_point.row, node.end_point.row
            if first == last:
                continue
            kind = node.type
            if kind in _STRINGS:
                starts = first if kind in _SELF_CONTAINED and node.start_point.column == 0 else first + 1
                ends = last if node.end_point.column else last - 1
                lines.update(range(row + starts, row + ends + 1))
                inside = True
            elif inside and kind in _CODE_INSIDE:
                lines.difference_update(range(row + first + 1, row + last + 1))
                inside = False
            todo += [(child, inside) for child in node.named_children]
    return frozenset(lines)
