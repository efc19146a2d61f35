"""Blocks of a file: those that removal notes name, and lines that change theirs or lose its head."""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING

from fastapply.merge.likeness import definition, is_attachment
from fastapply.merge.lines import is_closer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.elements import MergeContext
    from fastapply.merge.fill import ScriptLine


def find_noted(context: MergeContext, notes: Sequence[int], start: int, end: int) -> list[tuple[int, int]]:
    """File ranges of the definitions, headings or lines that removal notes name."""
    file = context.file
    found: list[tuple[int, int]] = []
    for note in notes:
        for name in context.edit.removed.get(note, ()):
            held = [
                f
                for f in range(start, min(end, start + 4000))
                if name in file.lines[f] and file.keys[f] and not is_closer(file.keys[f])
            ]
            named = [f for f in held if definition(file.lines[f]) == name or file.lines[f].startswith("#")]
            for f in (named or held)[:2]:
                stop = max(file.ends[f], f + 1)
                if file.lines[f].startswith("#") and _is_heading(file.lines[f]):
                    stop = next(
                        (g for g in range(f + 1, end) if _is_heading(file.lines[g], file.lines[f])), end
                    )
                while stop < end and is_closer(file.keys[stop]) and file.depths[stop] >= file.depths[f] - 0.3:
                    stop += 1
                first = f
                while first > start and file.keys[first - 1] and is_attachment(file.lines[first - 1]):
                    first -= 1
                found.append((first, min(stop, end)))
    return list(dict.fromkeys(found))


def _is_heading(line: str, like: str = "") -> bool:
    """Whether a line is a heading of Markdown, no deeper than another one."""
    level = len(line) - len(line.lstrip("#"))
    wanted = len(like) - len(like.lstrip("#")) if like else 6
    return 0 < level <= wanted and line[level : level + 1] == " "


def structure_features(context: MergeContext, ops: Sequence[ScriptLine]) -> dict[str, float]:
    """Features of blocks: shared lines that change their block, and lines that lose their header."""
    table, file, parents = context.table, context.file, context.edit.parents
    as_file = {op.e: op.f for op in ops if op.kind in {"match", "near"}}
    as_edit = {f: e for e, f in as_file.items()}
    gone = {op.f for op in ops if op.kind == "delete"}
    adopted = wrapped = orphaned = 0
    for op in ops:
        if op.kind == "match" and table.keys[op.e] and not is_closer(table.keys[op.e]):
            ours, theirs = parents[op.e], file.parents[op.f]
            if ours >= 0 and context.edit.kinds[ours] == "text" and as_file.get(ours) != theirs:
                if ours not in as_file and theirs not in gone:
                    adopted += 1
                elif ours in as_file:
                    wrapped += 1
        elif op.kind == "keep" and (theirs := file.parents[op.f]) in gone and theirs not in as_edit:
            orphaned += bool(file.keys[op.f]) and not is_closer(file.keys[op.f])
    found = {"adopted": adopted, "moved_block": wrapped, "headless": orphaned}
    return {f"block.{name}": log1p(count) for name, count in found.items() if count}
