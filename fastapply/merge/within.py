"""Replacement of text that may begin and end within a line, as string-replacing tools do it.

The file's lines are joined by line feeds, so that line ends don't matter to the search.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from fastapply.merge.indentation import indent_of, width
from fastapply.merge.rewrite import Placement, tidy
from fastapply.types import Splice

if TYPE_CHECKING:
    from fastapply.text import SourceText

_DIRECTIVE = re.compile(r"#\s*(?:if|ifdef|ifndef|elif|else|endif|define|undef|include|pragma|error)\b")


def text_places(source: SourceText, old: str, new: str) -> list[Placement]:
    """All places where the old text stands exactly, also overlapping ones, each with the new text."""
    text = _joined(source)
    starts = [match.start() for match in re.finditer(f"(?={re.escape(old)})", text)]
    return [_placement(source, text, [start], old, new) for start in starts]


def replace_everywhere(source: SourceText, old: str, new: str) -> Placement | None:
    """One placement that changes every occurrence of the old text; None where it does not occur."""
    text = _joined(source)
    starts = [match.start() for match in re.finditer(re.escape(old), text)]
    return _placement(source, text, starts, old, new) if starts else None


def hanging_lines(source: SourceText, old: str, new: str, place: Placement) -> bool:
    r"""Whether it is unclear how deep the new text's further lines go.

    That is so where the old text is one whole line without its indentation and the new text has
    more lines, written less deep than the file's line: meant as they stand, or shifted with it?
    Lines of the C preprocessor stand at the edge anyhow, and a definition behind a blank line may
    be a sibling of the one around the place.

        file ``"    x = 1"``   old ``"x = 1"``   new ``"x = 1\ny = 2"``
    """
    line = source.lines[place.start] if place.start < len(source.lines) else ""
    if "\n" in old or not old or line.strip() != old or line == old:
        return False
    further = [other for other in new.split("\n")[1:] if other.strip()]
    depth = width(indent_of(line))
    shallow = [other for other in further if width(indent_of(other)) < depth and not _DIRECTIVE.match(other)]
    if not shallow:
        return False
    from fastapply.merge.places import definition_name, enclosing_lines

    around = {indent_of(source.lines[at]) for at in enclosing_lines(source.lines, place.start)}
    pieces = new.split("\n")
    apart = not pieces[pieces.index(shallow[0]) - 1].strip()
    defines = shallow[0].lstrip().startswith("@") or definition_name(shallow[0]) is not None
    return not (apart and defines and indent_of(shallow[0]) in around)


def _joined(source: SourceText) -> str:
    return "\n".join(source.lines) + ("\n" if source.lines and source.final_newline else "")


def _placement(source: SourceText, text: str, starts: list[int], old: str, new: str) -> Placement:
    """Turn occurrences, given by their offsets, into changes of whole lines."""
    lines = source.lines
    offsets = list(accumulate((len(line) + 1 for line in lines), initial=0))[:-1]
    last_line = len(lines) - 1
    whole_lines = not new and _covers_lines(text, starts, len(old))
    changes: list[Splice] = []
    k = 0
    while k < len(starts):
        first = last = min(bisect_right(offsets, starts[k]) - 1, last_line)
        written = [text[offsets[first] : starts[k]]]
        while True:
            end = starts[k] + len(old)
            written.append(new)
            last = bisect_right(offsets, end) - 1 if end < len(text) else len(lines)
            stop = offsets[last + 1] - 1 if last < last_line else len(text)
            if k + 1 < len(starts) and starts[k + 1] <= stop and last < len(lines):
                written.append(text[end : starts[k + 1]])
                k += 1
                continue
            break
        whole = "".join(written) + (text[end:stop] if last < len(lines) else "")
        pieces = whole.split("\n")
        if whole_lines:
            pieces = []
        elif last >= last_line and pieces[-1] == "" and source.final_newline:
            pieces.pop()
        changes.append(Splice(first, min(last + 1, len(lines)), tuple(pieces)))
        k += 1
    end_line = min(max(change.end for change in changes), len(lines))
    return Placement(changes[0].start, end_line, tidy(lines, changes), "exact")


def _covers_lines(text: str, starts: list[int], size: int) -> bool:
    """Whether each occurrence is all that its lines hold, but for indentation.

    Then nothing in its place means no line, rather than a blank one.
    """
    for start in starts:
        line = text.rfind("\n", 0, start) + 1
        if text[line:start].strip() or text[start + size - 1] == "\n":
            return False
        if start + size < len(text) and text[start + size] != "\n":
            return False
    return True
