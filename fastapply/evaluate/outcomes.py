"""The classes of outcome, and which of them a result falls into as far as a program can tell.

The first six are those by which Relace counts what its apply models do; the others say why there is no merge.

They are explained in `help/evaluation.md`.

Whether two texts are the same code is told by their syntax trees.
A tree is compared by its kinds of nodes and the texts of its leaves, so that white space between tokens does
not count and white space in strings does. A docstring of Python is a comment here; a comment that steers a
tool (``//go:build``, ``# noqa``) is not. Definitions that follow one another may change places, where no two
of them have one name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args

from fastapply.syntax import error_count, parse

if TYPE_CHECKING:
    from tree_sitter import Node

    from fastapply.evaluate.cases import Case
    from fastapply.evaluate.engines import Attempt

MergeClass = Literal[
    "correct", "non_functional", "smoothing", "functional_error", "hallucination", "truncation"
]
Outcome = Literal[MergeClass, "refused", "crashed", "timed_out", "not_applicable"]
CLASSES: tuple[MergeClass, ...] = get_args(MergeClass)
OUTCOMES: tuple[Outcome, ...] = (*CLASSES, "refused", "crashed", "timed_out", "not_applicable")
RIGHT_CLASSES = frozenset(CLASSES[:3])

Decided = Literal["bytes", "blank", "tree", "answer", "suggested", "end"]
"""How an outcome is known.

`bytes` and `blank` (but for blank lines and white space at line ends) compare with the known answer, `tree`
says that both are the same code, `answer` that the edit had to be refused and was not, or was;
`suggested` is a guess of the lab that a person or a judge confirms; `end` is a run without a merge.
"""
_STEERS = re.compile(
    r"^(?:#!|//go:|//\s*\+build|#\s*-\*-|#\s*(?:type|noqa|pragma|rubocop|frozen_string_literal|mypy|ruff)\b"
    r"|/\*\*[\s\S]*@(?:expectedException|dataProvider|depends|test\b|ORM|Route|Annotation)"
    r"|//\s*(?:@ts-|eslint|nolint|swiftlint|NOLINT)|/\*\s*(?:eslint|istanbul|@ts-))"
)
_DEFINES = re.compile(
    r"(?:function|method|class|struct|interface|trait|enum|module|constructor)(?:_\w+)?"
    r"_(?:definition|declaration|item|statement)$|^(?:class|method|singleton_method|module)$"
    r"|^decorated_definition$|_definition$"
)
_EXACT = re.compile(r"string|template|heredoc|raw|text|char|regex|scalar|content|inline|paragraph")
_BY_INDENTATION = frozenset({"python", "yaml", "haskell", "fsharp", "nim", "make", "markdown", "pug", "sass"})
"""Where a stretch that does not parse may differ in its indentation alone, and mean something else."""
_IN_ORDER = frozenset({"c", "cpp", "cuda", "objc"})
"""Where a definition is not known above itself."""
_DEEPEST = 400  # nodes within nodes; what is deeper is not compared


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome, how it is known, and the line of the merge (1-based) that shows it."""

    outcome: Outcome
    decided: Decided
    why: str = ""
    line: int | None = None

    @property
    def right(self) -> bool:
        """Whether the outcome is one that a user wants."""
        if self.decided == "answer":
            return self.outcome == "refused"
        return self.outcome in RIGHT_CLASSES


def decide(case: Case, attempt: Attempt) -> Verdict:
    """The verdict on what was done with a case."""
    merged = attempt.merged
    if attempt.status == "refused":
        return Verdict("refused", "answer" if case.must_refuse else "end", attempt.reason)
    if attempt.status in {"timed_out", "not_applicable"}:
        return Verdict(attempt.status, "end", attempt.reason)
    if attempt.status == "crashed" or merged is None:
        return Verdict("crashed", "end", attempt.reason)
    if case.must_refuse:
        return Verdict("functional_error", "answer", "the edit had to be refused")
    if not case.answers:
        return _suggested(case, merged)
    if merged in case.answers:
        return Verdict("correct", "bytes")
    if any(squash(merged) == squash(answer) for answer in case.answers):
        return Verdict("non_functional", "blank", "blank lines or white space at line ends")
    if any(same_code(merged, answer, case.language) for answer in case.answers):
        return Verdict("non_functional", "tree", "the same code but for comments, formatting or order")
    return _suggested(case, merged)


def _suggested(case: Case, merged: str) -> Verdict:
    """What the lab takes a merge for that nothing decides; without the lab only whether it is as expected."""
    if find_spec("fastapply_lab") is None:
        if case.answers:
            return Verdict("functional_error", "suggested", "it is not the expected text")
        return Verdict("correct", "suggested", "the expected text is not known")
    lab = import_module("fastapply_lab.evaluate.suggest")
    if case.answers:
        guess = lab.suggest(case.original, case.edit, merged, case.answers[0], case.language)
    else:
        guess = lab.suggest_unknown(case.original, case.edit, merged, case.language)
    return Verdict(guess.outcome, "suggested", guess.why, guess.line)


def squash(text: str) -> list[str]:
    """The lines that say something, without white space at their ends."""
    return [line.rstrip() for line in text.replace("\r\n", "\n").split("\n") if line.strip()]


def same_code(one: str, other: str, language: str) -> bool:
    """Whether two texts are the same code; false where that cannot be told."""
    trees = parse(one, language), parse(other, language)
    if trees[0] is None or trees[1] is None:
        return False
    errors = [error_count(text, language) for text in (one, other)]
    if errors[0] != errors[1] or (errors[0] and language in _BY_INDENTATION):
        return False
    try:
        first, second = (_shape(tree.root_node, language, 0) for tree in trees if tree is not None)
    except RecursionError:
        return False
    return bool(first == second)


def _shape(node: Node, language: str, depth: int) -> Any:  # noqa: ANN401 - nested tuples of text
    """A node as nested tuples that are equal for the same code."""
    if depth > _DEEPEST:
        raise RecursionError
    if not node.children:
        text = _text(node)
        is_exact = _EXACT.search(node.type) and text.strip()
        return (node.type, text.rstrip("\n") if is_exact else " ".join(text.split()))
    parts: list[Any] = []
    run: list[Any] = []
    steers: list[Any] = []
    at = node.start_byte
    for child in node.children:
        between = _between(node, at, child.start_byte)
        at = max(at, child.end_byte)
        if is_comment(child) or (language == "python" and _is_docstring(child)):
            continue
        if between:
            parts += [*_in_any_order(run), between]
            run = []
        shape = _shape(child, language, depth + 1)
        if "comment" in child.type:  # one that steers: it belongs to what stands below it
            steers.append(shape)
            continue
        if steers:
            shape, steers = (*steers, shape), []
        if _DEFINES.search(child.type) and language not in _IN_ORDER:
            run.append((_name(child), shape))
        elif shape != ("newline", ""):
            parts += [*_in_any_order(run), shape]
            run = []
    last = _between(node, at, node.end_byte)
    return (node.type, *parts, *_in_any_order(run), *steers, *([last] if last else []))


def _in_any_order(run: list[Any]) -> list[Any]:
    names = [name for name, _ in run]
    if len(set(names)) == len(names) and all(names):
        return [shape for _, shape in sorted(run, key=lambda one: str(one[0]))]
    return [shape for _, shape in run]


def _name(node: Node) -> str:
    for field in ("name", "declarator", "definition"):
        found = node.child_by_field_name(field)
        if found is not None:
            return _name(found) if field == "definition" else _text(found)
    return ""


def _between(node: Node, start: int, end: int) -> str:
    """Text of a node that none of its children has: that of strings in some grammars."""
    if end <= start or node.text is None:
        return ""
    text = node.text[start - node.start_byte : end - node.start_byte].decode("utf-8", "replace")
    if text.strip():
        return text
    return text if _EXACT.search(node.type) else ""


def is_comment(node: Node) -> bool:
    """Whether a node is a comment that steers no tool."""
    return "comment" in node.type and not _STEERS.match(_text(node))


def _is_docstring(node: Node) -> bool:
    inner = node.children[0] if node.type == "expression_statement" and node.child_count == 1 else node
    if inner.type != "string":
        return False
    parent = node.parent
    if parent is None or parent.type not in {"block", "module"}:
        return False
    first = next((child for child in parent.named_children if "comment" not in child.type), None)
    return first is not None and first.id == node.id


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
