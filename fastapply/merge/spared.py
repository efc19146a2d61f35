"""Import lines that an edit leaves out and that stay all the same, because something still needs them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.merge.fill import Op
from fastapply.merge.lines import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.elements import Scene

_IMPORT = re.compile(
    r"\s*(?:import\b|from\s+[\w.]+\s+import\b|#\s*include\b|use\s+[\w:]|using\s+[\w.]+;|export\s.*\bfrom\b|"
    r"(?:const|let|var)\s.*=\s*require\()"
)
_PART = re.compile(r"\s*(?:import|use)\s+(?:static\s+)?([\w.:]+?)(?:\.|::)(\w+|\*);?\s*$")
_IMPORT_WORDS = frozenset(
    ["import", "from", "as", "use", "using", "static", "const", "let", "var", "require", "type"]
)


def is_import(line: str) -> bool:
    """Whether a line imports or includes something, in any of many languages."""
    return _IMPORT.match(line) is not None


def spare_imports(scene: Scene, ops: Sequence[Op]) -> list[Op]:
    """Keep deleted import lines whose names are still used: import blocks are shown as excerpts."""
    lines = scene.file.lines
    gone = [op.f for op in ops if op.kind == "delete" and _IMPORT.match(lines[op.f])]
    if not gone:
        return list(ops)
    merged = [
        lines[op.f] if op.kind in {"keep", "match"} else scene.table.lines[op.e]
        for op in ops
        if op.kind != "delete" and (op.f >= 0 or op.e >= 0)
    ]
    here: set[str] = set()
    rest: list[str] = []
    inside = False
    for line in merged:
        if inside or _IMPORT.match(line):
            here.update(words(line))
            inside = line.rstrip().endswith(("{", "(", ",")) or (
                inside and not line.lstrip().startswith(("}", ")"))
            )
        else:
            rest.append(line)
    body = "\n".join(rest)
    parts = [match.groups() for line in merged if (match := _PART.match(line))]
    wholes = {name for name, part in parts if part == "*"}
    gone = [f for f in gone if not ((match := _PART.match(lines[f])) and match.group(1) in wholes)]
    spared = {f for f in gone if _import_used(lines[f], body, here)}
    return [Op("keep", -1, op.f) if op.f in spared else op for op in ops]


def _import_used(line: str, body: str, imported: set[str]) -> bool:
    """Whether a name that an import line binds stands in a text and is not imported otherwise."""
    stripped = line.strip()
    if stripped.startswith("#") or stripped.endswith(("{", "(", ",")):
        return False  # what a header or a part of an import binds, its line doesn't say
    if stripped.startswith("from"):
        bound = stripped.partition(" import ")[2]
    elif "require" in stripped or " from " in stripped:
        bound = stripped.partition(" from " if " from " in stripped else "=")[0]
    elif stripped.endswith(";") or stripped.rpartition(".")[2][:1].isupper():
        bound = re.split(r"[.:\\/]+", stripped.rstrip(";"))[-1]
    else:
        bound = re.split(r"[.]", stripped)[0]
    names = {word for word in words(bound) if word[0].isalpha() or word[0] == "_"} - _IMPORT_WORDS - imported
    return any(re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", body) for name in names)
