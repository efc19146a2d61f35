"""Imports that an edit forgets, or brings along though the file has them.

A name that new lines use and nobody imports, where the repository imports it in exactly one way: requires
Python, JavaScript or TypeScript, a text that parses, a name that the file neither binds nor used before, and
other files of its repository that all import that name from the same place.
"""

from __future__ import annotations

import builtins
import re
import symtable
import warnings
from typing import TYPE_CHECKING

from fastapply.pipeline.smoothing.draft import Mend, broken_text, change_lines, find_ref
from fastapply.pipeline.smoothing.ways import (
    SUFFIXES,
    Way,
    is_one_module,
    relative,
    resolve,
    statements,
    ways_of,
    written,
)
from fastapply.syntax import error_count, parse
from fastapply.types import Hunk, HunkList, Segment
from fastapply.values import replace

if TYPE_CHECKING:
    from tree_sitter import Node

    from fastapply.pipeline.smoothing.draft import MendDraft, Ref
    from fastapply.pipeline.smoothing.ways import Statement
    from fastapply.types import Repository

_ALWAYS = frozenset(dir(builtins)) | {
    "__file__",
    "__name__",
    "__doc__",
    "__path__",
    "__package__",
    "__spec__",
}
_USES = frozenset({"identifier", "type_identifier", "shorthand_property_identifier"})
_BINDS = frozenset(
    {
        "variable_declarator",
        "function_declaration",
        "generator_function_declaration",
        "function_expression",
        "function_signature",
        "class_declaration",
        "class",
        "abstract_class_declaration",
        "formal_parameters",
        "required_parameter",
        "optional_parameter",
        "rest_pattern",
        "array_pattern",
        "object_pattern",
        "pair_pattern",
        "assignment_pattern",
        "object_assignment_pattern",
        "catch_clause",
        "import_specifier",
        "import_clause",
        "namespace_import",
        "enum_declaration",
        "interface_declaration",
        "type_alias_declaration",
        "type_parameter",
        "module",
        "internal_module",
        "labeled_statement",
    }
)


def mend_missing_import(draft: MendDraft) -> Mend | None:
    """Give the edit with a part that adds one import."""
    language, repository = draft.language, draft.repository
    if language not in SUFFIXES or repository is None or language is None:
        return None
    if broken_text(draft.original.text, draft.text.text, language):
        return None
    for name in _missing(draft, language):
        way = _only_way(draft, name, repository, language)
        if way is None:
            continue
        hunk = _place(draft, way, language)
        if hunk is None:
            continue
        file_edit = replace(draft.file_edit, parts=(*draft.file_edit.parts, HunkList("udiff", (hunk,))))
        line = hunk.segments[0].after[-1] if hunk.segments[0].after[-1] not in draft.text.lines else ""
        line = line or next(text for text in hunk.segments[0].after if text not in draft.text.lines)
        said = f"the edit uses {name} without importing it: {line.strip()}"
        return Mend(file_edit, said, line, (hunk.old_start or 1) - 1)
    return None


def mend_doubled_import(draft: MendDraft) -> Mend | None:
    """Give the edit without an import whose every name the text imports the same way elsewhere."""
    new = set(draft.new_lines())
    found = statements(draft.text.text, draft.language)
    for one in found:
        numbers = range(one.first_line, one.last_line + 1)
        others = {way for other in found if other is not one for way in other.ways}
        if not one.ways or not one.ways <= others or not new.issuperset(numbers):
            continue
        changes: dict[Ref, tuple[str, ...]] = {}
        for number in numbers:
            ref = find_ref(draft, number)
            if ref is None:
                return None
            changes[ref] = ()
        stays = next(other for other in found if other is not one and other.ways & one.ways)
        said = " ".join(draft.text.lines[one.first_line].split())
        return Mend(
            change_lines(draft.file_edit, changes),
            f"the edit repeats imports of the file: {said}",
            draft.text.lines[stays.first_line],
            stays.first_line,
        )
    return None


def _only_way(draft: MendDraft, name: str, repository: Repository, language: str) -> Way | None:
    """How the other files of a repository import a name, if all do it in the same way.

    A module of Python may be called by its whole name in some files and by a relative one in others: the
    file gets a relative one where it has others.
    """
    ways: set[Way] = set()
    package = repository.package() if language != "python" else ""
    for file, text in repository.others_with(name, SUFFIXES[language]):
        if not file.startswith(package):
            continue  # another package of the repository, with dependencies of its own
        ways.update(resolve(way, file, language) for way in ways_of(text, language, name))
        if len(ways) > 1 and (language != "python" or len(ways) > 2 or not is_one_module(*ways)):
            return None
    if len(ways) > 1:
        near = any(line.startswith("from .") for line in draft.original.lines)
        ways = {way for way in ways if way.module.startswith("/") == near}
    return relative(ways.pop(), repository.name, language) if ways else None


# --- which names ------------------------------------------------------------------------------------


def _missing(draft: MendDraft, language: str) -> list[str]:
    """Names that the text uses and does not bind, and that the file did not use; in order."""
    words = set(
        re.findall(r"[^\W\d]\w*", "\n".join(draft.text.lines[number] for number in draft.new_lines()))
    )
    if language == "python":
        after, before = _unbound_python(draft.text.text), _unbound_python(draft.original.text)
        found = set() if after is None or before is None else after - before
    else:
        found = _unbound_javascript(draft.text.text, language, words)
        found -= set(re.findall(r"[^\W\d]\w*", draft.original.text))
    return sorted(found & words)


def _unbound_python(text: str) -> set[str] | None:
    """Names that a module uses and never binds; None where that cannot be told (a star is imported)."""
    if re.search(r"^\s*from\s+\S+\s+import\s+\*", text, re.MULTILINE):
        return None
    # with this import, names in annotations do not count as used
    text = re.sub(r"(?m)^from __future__ import annotations\b", "pass", text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            top = symtable.symtable(text, "file", "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    bound, used = set[str](), set[str]()
    todo = [top]
    while todo:
        table = todo.pop()
        todo += table.get_children()
        for symbol in table.get_symbols():
            binds = symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
            if binds and (table is top or symbol.is_declared_global()):
                bound.add(symbol.get_name())
            if symbol.is_referenced() and (table is top or symbol.is_global()):
                used.add(symbol.get_name())
    return used - bound - _ALWAYS


def _unbound_javascript(text: str, language: str, words: set[str]) -> set[str]:
    """Of some words those that are used as names, and bound nowhere in the text."""
    tree = parse(text, language)
    if tree is None or error_count(text, language):
        return set()
    used, bound = set[str](), set[str]()
    todo: list[Node] = [tree.root_node]
    while todo:
        node = todo.pop()
        todo += node.named_children
        if node.type not in _USES and node.type != "shorthand_property_identifier_pattern":
            continue
        name = (node.text or b"").decode("utf-8", "replace")
        if name in words:
            (bound if _is_bound(node) else used).add(name)
    return used - bound


def _is_bound(node: Node) -> bool:
    """Whether a name stands where it gets its meaning."""
    parent = node.parent
    if node.type == "shorthand_property_identifier_pattern" or parent is None:
        return True
    if parent.type == "arrow_function":
        return parent.child_by_field_name("parameter") == node
    if parent.type == "for_in_statement":
        return parent.child_by_field_name("left") == node
    if parent.type in {
        "variable_declarator",
        "required_parameter",
        "optional_parameter",
        "assignment_pattern",
    }:
        fields = ("name", "pattern", "left")
        return any(parent.child_by_field_name(field) == node for field in fields)
    if parent.type in {"class_declaration", "class", "abstract_class_declaration", "type_alias_declaration"}:
        return parent.child_by_field_name("name") == node
    return parent.type in _BINDS


# --- where it goes ----------------------------------------------------------------------------------


def _place(draft: MendDraft, way: Way, language: str) -> Hunk | None:
    """The change of the text that imports a name: in a statement for its module, or in a line of its own."""
    found = [one for one in statements(draft.text.text, language) if one.ways]
    for one in found:
        longer = _longer(draft, one, way, language)
        if longer is not None:
            return _hunk(draft, one.first_line, (draft.text.lines[one.first_line],), (longer,))
    line = written(way, language, quote=_quote(draft, found), end=_end(draft, found))
    if not found:
        return _first(draft, line)
    same = [one for one in found if _sort(one, draft)[0] == _form(line)]
    above = [one for one in same if _sort(one, draft) <= (_form(line), line)] if same else found
    anchor = above[-1] if above else same[0]
    shown = draft.text.lines[anchor.first_line : anchor.last_line + 1]
    after = (*shown, line) if above else (line, *shown)
    return _hunk(draft, anchor.first_line, shown, after)


def _longer(draft: MendDraft, one: Statement, way: Way, language: str) -> str | None:
    """The one-line statement for the same module with the name in it as well."""
    line = draft.text.lines[one.first_line]
    alike = {(other.module, other.kind) for other in one.ways} == {(way.module, way.kind)}
    if (
        not alike
        or one.first_line != one.last_line
        or way.name in {"", "*", "default"}
        or way.kind == "require"
    ):
        return None
    item = way.name if way.name == way.bound else f"{way.name} as {way.bound}"
    if language == "python":
        return (
            f"{line.rstrip()}, {item}"
            if re.search(r"import\s+\w[\w, ]*$", line) and "(" not in line
            else None
        )
    return re.sub(r"\s*,?(\s*)\}", rf", {item}\1}}", line, count=1) if "}" in line else None


def _first(draft: MendDraft, line: str) -> Hunk | None:
    """The first import of a file: above its first statement, below what is said of the file as a whole."""
    tree = parse(draft.text.text, draft.language)
    if tree is None:
        return None
    for node in tree.root_node.named_children:
        row = node.start_point.row
        said = node.type in {"comment", "hash_bang_line"} or (
            node.type == "expression_statement"
            and node.named_child_count == 1
            and node.named_children[0].type == "string"
        )
        if not said:
            shown = (draft.text.lines[row],)
            return _hunk(draft, row, shown, (line, "", *shown))
    return None


def _hunk(draft: MendDraft, number: int, before: tuple[str, ...], after: tuple[str, ...]) -> Hunk:
    """A hunk with the lines around it, so that it fits nowhere else."""
    lines = draft.text.lines
    above, below = lines[max(0, number - 3) : number], lines[number + len(before) : number + len(before) + 3]
    segment = Segment((*above, *before, *below), (*above, *after, *below))
    return Hunk(1, 1, (segment,), old_start=max(0, number - 3) + 1)


def _sort(one: Statement, draft: MendDraft) -> tuple[str, str]:
    line = draft.text.lines[one.first_line]
    return _form(line), line


def _form(line: str) -> str:
    """Statements of one form stand together: `import a` and `from a import b`, or modules and paths."""
    found = re.search(r"""['"](\.*)""", line)
    if found and not line.startswith("from "):
        return "path" if found[1] else "module"
    return "from ." if line.startswith("from .") else line.split(" ", 1)[0]


def _quote(draft: MendDraft, found: list[Statement]) -> str:
    text = "\n".join(draft.text.lines[one.last_line] for one in found) or draft.text.text
    return "'" if text.count("'") > text.count('"') else '"'


def _end(draft: MendDraft, found: list[Statement]) -> str:
    lines = [draft.text.lines[one.last_line].rstrip() for one in found]
    lines = lines or [line.rstrip() for line in draft.text.lines if line.strip()]
    return ";" if 2 * sum(line.endswith(";") for line in lines) > len(lines) / 2 else ""
