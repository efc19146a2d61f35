"""All plain readings of an edit: placed by words and kinds, grafted by names, wrapped and unwrapped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.edits.markers import comment_body
from fastapply.merge.certainty.said import stems
from fastapply.merge.elements import tells_of_removal
from fastapply.merge.plain.draft import Reindent
from fastapply.merge.plain.graft import Grafter
from fastapply.merge.plain.move import moved
from fastapply.merge.plain.outline import Outline
from fastapply.merge.plain.place import Block, Placer
from fastapply.merge.plain.rewrap import Rewrapper
from fastapply.merge.plain.spoken import read_phrases

if TYPE_CHECKING:
    from fastapply.merge.elements import MergeContext
    from fastapply.merge.plain.draft import Draft

MOST_LINES = 6_000
"""Lines of a file from which on nothing is read plainly."""
MOST_PLACED = 150
"""Lines of new code that are placed where no shown line says it."""
TELLING = 0.5
"""Weight of a line from which on it says where it belongs, if it stands in the file once."""


def plain_drafts(context: MergeContext, said: str, language: str | None) -> list[Draft]:
    """The plain readings of an edit, in no order."""
    if not 0 < len(context.file.lines) <= MOST_LINES:
        return []
    kinds, table = context.edit.kinds, context.table
    texts = [e for e, kind in enumerate(kinds) if kind == "text"]
    if not texts:
        return []
    skip = frozenset(e for e, kind in enumerate(kinds) if kind in {"marker", "note", "end"})
    markers = frozenset(e for e, kind in enumerate(kinds) if kind == "marker")
    edit, file = Outline(table, language, skip), Outline(context.file, language)
    reindent = Reindent(table.lines, context.file.lines)
    placer = Placer(file, reindent)
    first, last = texts[0], texts[-1]
    phrases = read_phrases(
        said,
        [table.lines[e] for e in markers if e < first],
        [table.lines[e] for e in markers if e > last],
    )
    units = tuple(edit.children(-1))
    rewrapper = Rewrapper(context, edit, file, reindent)
    notes = [body for line in table.lines if tells_of_removal(line) and (body := comment_body(line))]
    grafter = Grafter(edit, placer, rewrapper, markers, phrases)
    drafts = grafter.drafts(units, "\n".join((said, *notes))) + rewrapper.drafts()
    inner = any(first < e < last for e in skip)
    anchored = sum(
        context.count[table.keys[e]] == 1 and table.weights[e] > TELLING for e in texts if table.keys[e]
    )
    held = {file.name(number) for number in range(len(file.units))}
    new = all(edit.name(number) not in held for number in units if edit.kind(number) != "comment")
    if not inner and units and last - first < MOST_PLACED and (new or 3 * anchored <= len(texts)):
        drafts += placer.drafts(Block(first, last, edit, units), phrases)
    drafts += moved(context, placer, phrases, said)
    shared = _shared(context)
    common = {
        "plain": 1.0,
        "plain.shared_words": shared,
        "plain.anchors": float(anchored),
        "plain.units": float(len(units)),
    }
    for draft in drafts:
        draft.features.update(common)
    return drafts


def _shared(context: MergeContext) -> float:
    """Share of the edit's words that the file has: little where it is for another file."""
    told = stems(
        "\n".join(
            line for line, kind in zip(context.table.lines, context.edit.kinds, strict=True) if kind == "text"
        )
    )
    held = stems("\n".join(context.file.lines))
    return len(told & held) / len(told) if told else 0.0
