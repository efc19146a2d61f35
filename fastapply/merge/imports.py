"""Lines that import something, in any of many languages."""

from __future__ import annotations

import re

_IMPORT = re.compile(
    r"\s*(?:import\b|from\s+[\w.]+\s+import\b|#\s*include\b|use\s+[\w:]|using\s+[\w.]+;|export\s.*\bfrom\b|"
    r"(?:const|let|var)\s.*=\s*require\()"
)


def is_import(line: str) -> bool:
    """Whether a line imports or includes something, in any of many languages."""
    return _IMPORT.match(line) is not None
