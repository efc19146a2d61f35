"""An import that would stand twice: the edit brings what the file imports already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.pipeline.smoothing.draft import Mend, change_lines, find_ref
from fastapply.pipeline.smoothing.ways import statements

if TYPE_CHECKING:
    from fastapply.pipeline.smoothing.draft import MendDraft, Ref


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
