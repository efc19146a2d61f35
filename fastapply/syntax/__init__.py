"""What tree-sitter knows about a text: does it parse, what does it define, which lines are strings.

Everything here takes text and a language name and works without a grammar as well: it then says
that it knows nothing (`None`, zero, an empty tuple). Lines are 0-based. tree_sitter itself is
imported when the first text is parsed, never before.
"""

from __future__ import annotations

from fastapply.syntax.definitions import Definition, definitions
from fastapply.syntax.imports import Import, import_names
from fastapply.syntax.languages import language_of
from fastapply.syntax.strings import string_lines
from fastapply.syntax.trees import error_count, error_lines, parse

__all__ = [
    "Definition",
    "Import",
    "definitions",
    "error_count",
    "error_lines",
    "import_names",
    "language_of",
    "parse",
    "string_lines",
]
