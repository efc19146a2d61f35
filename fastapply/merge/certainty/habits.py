"""Features of how an edit hides what it does not show: whoever marks what stays does so everywhere.

A candidate under which the same writer put a marker for one hidden stretch and none for the next, or meant
two neighbours shown side by side once as a deletion and once as nothing, is less likely than another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.lines import is_closer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.elements import MergeContext
    from fastapply.merge.fill import ScriptLine


def habits_of(context: MergeContext, ops: Sequence[ScriptLine]) -> dict[str, float]:
    """Features of the stretches of the file between two shown lines: marked, left out, or gone unsaid."""
    kinds, edit_keys, file_keys = context.edit.kinds, context.table.keys, context.file.keys
    marked = skipped = omitted = 0
    last, shown = -1, False
    kept = gone = False
    for op in ops:
        if op.e < 0:
            if file_keys[op.f] and not is_closer(file_keys[op.f]):
                kept, gone = kept or op.kind == "keep", gone or op.kind == "delete"
            continue
        if not edit_keys[op.e]:
            continue
        if "marker" in kinds[last + 1 : op.e]:
            marked += kept
        elif last >= 0:
            skipped += kept
            omitted += gone and shown and op.kind == "match"
        last, shown, kept, gone = op.e, op.kind == "match", False, False
    features = {
        "habit.skips": skipped and marked / (marked + skipped),
        "habit.omits": omitted and marked / (marked + omitted),
        "habit.mixed": float(skipped > 0 and omitted > 0),
    }
    return {name: float(value) for name, value in features.items() if value}
