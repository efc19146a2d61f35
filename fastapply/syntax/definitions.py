"""What a text defines and where: functions, classes, tests, rules, tables, sections.

Found in any grammar by the names of its node types, so that no language needs a list of its own;
what is particular (a name behind a chain of declarators, a test that is a call) is in `_NAMERS`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, TypeAlias

from fastapply.syntax.kinds import (
    ATTACHED,
    BODIES,
    CREATES,
    DEFINES,
    ELIXIR_DEFINES,
    FIXED_NAMES,
    FUNCTION_VALUES,
    KIND_OF_WORD,
    KINDS,
    NAME_TYPES,
    NEEDS_BODY,
    NO_DEFINITION,
    OPEN,
    TEST_CALLS,
    WRAPS,
)
from fastapply.syntax.strings import is_string
from fastapply.syntax.trees import regions
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition. Lines are 0-based, `last_line` inclusive.

    `first_line` is where its first decorator or modifier stands, `attached_line` where the comment
    or attribute above it begins (the same line where there is none), `header_line` where the name
    is. `scope` names what encloses it, outermost first; a Go method has its receiver's type there.
    `signature` is the text before the body, white space collapsed, to tell overloads apart.
    """

    name: str
    kind: str
    first_line: int
    last_line: int
    attached_line: int
    header_line: int
    scope: tuple[str, ...]
    signature: str

    def below(self, rows: int) -> Definition:
        """The same definition so many lines further down."""
        first, last = self.first_line + rows, self.last_line + rows
        attached, header = self.attached_line + rows, self.header_line + rows
        return Definition(self.name, self.kind, first, last, attached, header, self.scope, self.signature)


_Step: TypeAlias = "tuple[Node, tuple[str, ...], Node | None, int | None]"
"""A node, its scope, the wrapper whose extent counts for the definition inside, and the attached row."""
_KNOWN: dict[tuple[str, str, int | None, bytes], tuple[Definition, ...]] = {}
"""What the outermost nodes of large texts define, with lines from the node's own: most are in every merge."""
_MOST_KNOWN = 100_000
_LARGE = 500_000
"""Bytes of a large text."""


@lru_cache(maxsize=12)
def definitions(text: str, language: str | None) -> tuple[Definition, ...]:
    """All definitions of a text in the order in which they begin, nested ones too."""
    found: list[Definition] = []
    for tree, data, row in regions(text, language):
        _Walk(data, row, language or "", found).walk(tree.root_node)
    found.sort(key=lambda one: (one.first_line, -one.last_line))
    return tuple(found)


@cache
def _kind_of(node_type: str) -> str | None:
    """What a node of this type defines, if anything; grammars have a few hundred types."""
    if node_type in KINDS:
        return KINDS[node_type]
    matched = DEFINES.search(node_type)
    if matched and node_type not in NO_DEFINITION:
        return KIND_OF_WORD[matched[1]]
    created = CREATES.match(node_type)
    if created:
        return "function" if created[1] == "function" else "table"
    return None


@cache
def _is_attached(node_type: str) -> bool:
    """Whether a node of this type belongs to the definition below it: a comment, a decorator."""
    return bool(ATTACHED.search(node_type))


class _Walk:
    """One walk over a tree; holds what every step of it needs."""

    def __init__(self, data: bytes, row: int, language: str, found: list[Definition]) -> None:
        self.data = data
        self.row = row
        self.language = language
        self.found = found

    def text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def walk(self, root: Node) -> None:
        self.follow([(root, (), None, None)], root)

    def follow(self, todo: list[_Step], root: Node | None = None) -> None:
        """Walk over nodes and what is in them; the `root` of a tree is no definition."""
        while todo:
            node, scope, wrapper, attached = todo.pop()
            kind = node.type
            named = None if node is root else self.name_and_kind(node, kind)
            if named is not None:
                scope = self.add(node, named, scope, wrapper, attached)
            wraps = kind in WRAPS and named is None
            outer = (wrapper or node) if wraps and not self.lists_several(node) else None
            if not wraps and node.start_point.row == node.end_point.row and kind not in OPEN:
                continue
            if is_string(kind):
                continue
            above: int | None = attached if wraps else None
            end_of_above = -1
            batch = []
            for child in node.named_children:
                if _is_attached(child.type):
                    begins = child.start_point.row
                    if above is None or 0 <= end_of_above < begins - 1:
                        above = begins
                    end_of_above = child.end_point.row - (child.end_point.column == 0)
                    continue
                if end_of_above >= 0 and child.start_point.row > end_of_above + 1:
                    above = None
                batch.append((child, scope, outer, above))
                above = None
            if node is root and len(self.data) >= _LARGE and not node.has_error and outer is None:
                self.follow_known(batch)
            else:
                todo += reversed(batch)

    def follow_known(self, steps: Sequence[_Step]) -> None:
        """Walk over the outermost nodes of a large text; what is in one of the same text is known."""
        if len(_KNOWN) > _MOST_KNOWN:
            _KNOWN.clear()
        for step in steps:
            node, row, attached = step[0], step[0].start_point.row, step[3]
            above = None if attached is None else attached - row
            key = (self.language, node.type, above, self.data[node.start_byte : node.end_byte])
            if key not in _KNOWN:
                inner = _Walk(self.data, -row, self.language, [])
                inner.follow([step])
                _KNOWN[key] = tuple(inner.found)
            self.found += [one.below(self.row + row) for one in _KNOWN[key]]

    def lists_several(self, node: Node) -> bool:
        """Whether a wrapper holds several definitions: Go's ``type ( A int; B int )``."""
        return node.type in {"type_declaration", "lexical_declaration", "variable_declaration"} and (
            sum("comment" not in child.type for child in node.named_children) > 1
        )

    def add(
        self,
        node: Node,
        named: tuple[str, str, Node],
        scope: tuple[str, ...],
        wrapper: Node | None,
        attached: int | None,
    ) -> tuple[str, ...]:
        name, kind, at = named
        outer = wrapper or node
        first, last = outer.start_point.row, outer.end_point.row
        if kind in {"table", "section"}:  # these reach up to the next one, blank lines included
            last = first + self.text(outer).rstrip().count("\n")
        last -= outer.end_point.column == 0 and last > first and last == outer.end_point.row
        header = at.start_point.row
        if attached is None or attached > first:
            attached = first
        inner_scope = scope
        receiver = node.child_by_field_name("receiver") if node.type == "method_declaration" else None
        if receiver is not None:  # Go
            words = re.findall(r"\w+", self.text(receiver).split("[")[0])
            inner_scope = (*scope, words[-1]) if words else scope
        self.found.append(
            Definition(
                name=name,
                kind=kind,
                first_line=self.row + first,
                last_line=self.row + last,
                attached_line=self.row + attached,
                header_line=self.row + header,
                scope=inner_scope,
                signature=self.signature(node),
            )
        )
        return (*inner_scope, name)

    def signature(self, node: Node) -> str:
        end = node.end_byte
        for field in BODIES:
            body = node.child_by_field_name(field)
            if body is not None and body.start_byte > node.start_byte:
                end = min(end, body.start_byte)
                break
        return " ".join(
            self.data[node.start_byte : min(end, node.start_byte + 400)].decode("utf-8", "replace").split()
        )

    def name_and_kind(self, node: Node, node_type: str) -> tuple[str, str, Node] | None:
        kind = _kind_of(node_type)
        if kind is None:
            return None
        if kind in _NAMERS:
            return _NAMERS[kind](self, node, node_type)
        if not node.is_named or (NEEDS_BODY.search(node_type) and node.child_by_field_name("body") is None):
            return None
        found = self.name_node(node)
        if found is None:
            fixed = FIXED_NAMES.get(node_type)
            return (fixed, kind, node) if fixed else None
        name = " ".join(self.text(found).split())
        if name == "function":  # R's keyword; the name stands before the arrow
            return None
        if kind == "impl":
            trait = node.child_by_field_name("trait")
            name = f"{self.text(trait)} for {name}" if trait is not None else name
        return (name, kind, found) if name else None

    def name_node(self, node: Node) -> Node | None:
        """Where the name of a definition stands; behind C's chain of declarators if need be."""
        found = node.child_by_field_name("name")
        if found is not None:
            return found
        inner = node.child_by_field_name("declarator")
        while inner is not None:
            deeper = inner.child_by_field_name("declarator")
            if deeper is None and inner.named_children and inner.type.endswith("declarator"):
                deeper = inner.named_children[0]  # reference_declarator has no field
            if deeper is None:
                return inner
            inner = deeper
        if node.type == "impl_item":
            return node.child_by_field_name("type")
        if node.type == "type_declaration":  # Go: its type_spec has the name
            return None
        for child in node.named_children[:6]:
            if NAME_TYPES.search(child.type):
                return child
            if child.type in {"function_declarator", "function_signature", "function_header", "defun_header"}:
                return self.name_node(child)
        return None


def _name_key(walk: _Walk, node: Node, node_type: str) -> tuple[str, str, Node] | None:
    """A key over several lines, of YAML, JSON or HCL; or a function that is an object's member."""
    key = node.child_by_field_name("key")
    value = node.child_by_field_name("value")
    if key is None or value is None or node.start_point.row == node.end_point.row:
        return None
    if node_type == "pair" and walk.language not in {"json", "yaml"}:
        if not FUNCTION_VALUES.match(value.type):
            return None
        return walk.text(key).strip("\"'"), "function", key
    return walk.text(key).strip("\"'"), "key", key


def _name_value(walk: _Walk, node: Node, node_type: str) -> tuple[str, str, Node] | None:
    """``const f = () => {}``, ``exports.f = function () {}``; other values over several lines, too."""
    value = _field(node, "value", "right", "rhs")
    name = _field(node, "name", "property", "left", "lhs", "declarator")
    if value is None or name is None:
        return None
    if FUNCTION_VALUES.match(value.type):
        return walk.text(name), "class" if value.type == "class" else "function", name
    if node.start_point.row == node.end_point.row or node_type == "binary_operator":
        return None
    return " ".join(walk.text(name).split()), "variable", name


def _field(node: Node, *names: str) -> Node | None:
    """The first of these fields that the node has."""
    for name in names:
        found = node.child_by_field_name(name)
        if found is not None:
            return found
    return None


def _name_call(walk: _Walk, node: Node, _node_type: str) -> tuple[str, str, Node] | None:
    """``it('adds', () => {})``, ``describe "x" do``, Elixir's ``def f(x) do``."""
    called = _field(node, "function", "target", "method")
    if called is None or called.end_byte - called.start_byte > 200:
        return None
    words = re.match(r"\w+", walk.text(called))
    word = words[0] if words else ""
    arguments = node.child_by_field_name("arguments")
    if arguments is None:
        arguments = next((child for child in node.named_children if child.type == "arguments"), None)
    if arguments is None or not arguments.named_children:
        return None
    first = arguments.named_children[0]
    if walk.language == "elixir" and word in ELIXIR_DEFINES:
        name = re.match(r"[\w.?!]+", walk.text(first))
        return (name[0], ELIXIR_DEFINES[word], first) if name else None
    if word not in TEST_CALLS or node.start_point.row == node.end_point.row:
        return None
    said = walk.text(first)
    if "string" not in first.type and first.type not in {"constant", "scope_resolution", "identifier"}:
        return None
    return said.strip("\"'`"), "test", first


def _name_block(walk: _Walk, node: Node, node_type: str) -> tuple[str, str, Node] | None:
    """HCL's ``resource "a" "b" {`` and Prisma's ``model A {``; blocks of other languages are none."""
    if node_type == "block" and walk.language != "hcl":
        return None
    header = walk.text(node).split("{", 1)[0]
    return " ".join(header.replace('"', " ").split()), "block", node


def _name_rule(walk: _Walk, node: Node, node_type: str) -> tuple[str, str, Node] | None:
    """A rule of CSS by its selector or condition, of make by its targets."""
    if node_type == "rule":
        if walk.language != "make":
            return None
        header = walk.text(node).split(":", 1)[0]
    else:
        header = walk.text(node).split("{", 1)[0]
        if node.start_point.row == node.end_point.row and "{" not in walk.text(node):
            return None
    return " ".join(header.split()), "rule", node


def _name_table(walk: _Walk, node: Node, _node_type: str) -> tuple[str, str, Node] | None:
    if walk.language != "toml":
        return None
    return walk.text(node).split("\n", 1)[0].strip(" []\r"), "table", node


def _name_section(walk: _Walk, node: Node, _node_type: str) -> tuple[str, str, Node] | None:
    first = walk.text(node).lstrip().split("\n", 1)[0].strip()
    if walk.language == "markdown" and first.startswith("#"):
        return first.strip("# "), "section", node
    return (first.strip("[] "), "section", node) if walk.language == "ini" else None


_NAMERS: dict[str, Callable[[_Walk, Node, str], tuple[str, str, Node] | None]] = {
    "key": _name_key,
    "value": _name_value,
    "call": _name_call,
    "block": _name_block,
    "rule": _name_rule,
    "toml_table": _name_table,
    "section": _name_section,
}
