"""Checks a merge by its three texts alone: the file, the edit, the merged text.

Nothing here knows how the merge was made, so that it is an independent check of the aligner as
much as of a model. Codes, each with the class of failure that it counts as:

==================== ================ ==========================================================
lost_definition      truncation       a function, class, test or table went without being removed
lost_lines           truncation       file lines went that the edit does not replace, remove or move
size_drop            truncation       a "whole file" leaves out most of the file
marker_left          truncation       an elision marker became text
syntax_error         functional_error its language can read the file and not the result (`check_readers`)
parse_error          functional_error the result parses worse than the file
missing_line         functional_error a line of the edit is not in the result
not_removed          functional_error a file line stayed between lines that the edit shows together
duplicate_definition functional_error old and new of the same thing stand side by side
doubled_line         functional_error a line stands more often than file and edit say
doubled_import       functional_error an import does, of a lazy edit (`check_imports_twice`)
unreachable          functional_error an old line stayed behind a new ``return``
indentation          functional_error a new line is indented otherwise than its neighbours in the edit
lost_import          functional_error a name is used and no longer imported
foreign_line         hallucination    a line that is neither in the file nor in the edit
==================== ================ ==========================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.types import HunkList
from fastapply.verify.additions import check_additions
from fastapply.verify.doubles import check_duplicates
from fastapply.verify.doubles import check_imports_twice as check_imports_twice
from fastapply.verify.evidence import gather
from fastapply.verify.flow import check_flow
from fastapply.verify.grammar import check_grammar
from fastapply.verify.losses import check_losses
from fastapply.verify.readers import check_readers as check_readers
from fastapply.verify.replaced import check_replaced, replace_text
from fastapply.verify.seams import check_seams
from fastapply.verify.shape import check_shape

if TYPE_CHECKING:
    from fastapply.text import SourceText
    from fastapply.types import FileEdit, Finding

CODES = (
    "lost_definition",
    "lost_lines",
    "size_drop",
    "marker_left",
    "syntax_error",
    "foreign_line",
    "duplicate_definition",
    "missing_line",
    "not_removed",
    "doubled_line",
    "doubled_import",
    "unreachable",
    "indentation",
    "lost_import",
    "parse_error",
)
"""All codes of findings, the most important first."""

CONSTRAINTS = frozenset(
    {
        "marker_left",
        "syntax_error",
        "foreign_line",
        "lost_import",
        "duplicate_definition",
        "doubled_import",
        "unreachable",
    }
)
"""Codes that hold against a merge however certain it is; what the others find is weighed as a feature.

Of 2,207 right merges of lazy edits that models wrote these reject 9 (0.4 %: eight by ``lost_import``, one by
``duplicate_definition``); ``lost_lines`` would reject 80, ``parse_error`` 21. ``indentation`` fired on none
of the merges that are certain, and on 2 of some 55 right ones that an apply model wrote.
"""

# what comes of a diff that took the wrong one of two swapped pieces for the one that stayed
_DIFF_CODES = frozenset({"lost_definition", "lost_lines", "foreign_line", "doubled_line"})


def verify(
    original: SourceText,
    edit: FileEdit,
    merged: SourceText,
    *,
    language: str | None,
    exact: bool = False,
) -> tuple[Finding, ...]:
    """Give what is wrong with a merge, the most important first; nothing for a right one.

    `language` is a tree-sitter language name (see `syntax.language_of`) or None, which leaves
    out what needs a grammar. The hunks of an `exact` edit were all found letter by letter: what is there
    twice then, the edit wants there twice.
    """
    expected = replace_text(original, edit)
    findings = _check(original, edit, merged, language, expected, unshown_first=False, exact=exact)
    said_in_hunks = all(isinstance(part, HunkList) for part in edit.parts)
    if said_in_hunks and any(finding.code in _DIFF_CODES for finding in findings):
        again = _check(original, edit, merged, language, expected, unshown_first=True, exact=exact)
        findings = min(findings, again, key=len)
    unique = {(one.code, one.line or one.message): one for one in reversed(findings)}
    return tuple(sorted(unique.values(), key=lambda one: (CODES.index(one.code), one.line or 0)))


def _check(
    original: SourceText,
    edit: FileEdit,
    merged: SourceText,
    language: str | None,
    expected: tuple[str, ...] | None,
    *,
    unshown_first: bool,
    exact: bool,
) -> list[Finding]:
    evidence = gather(original, edit, merged, language, unshown_first=unshown_first)
    if expected is not None:
        told = check_replaced(expected, merged)
    else:
        told = [
            *check_losses(evidence),
            *check_seams(evidence),
            *check_additions(evidence),
            *check_shape(evidence),
            *check_flow(evidence),
        ]
    doubles = [] if exact else check_duplicates(evidence)
    return [*told, *doubles, *check_grammar(evidence)]
