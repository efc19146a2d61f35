"""Lines that import something, in any of many languages."""

from __future__ import annotations

import re

_IMPORT = re.compile(
    r"\s*(?:import\b|from\s+[\w.]+\s+import\b|#\s*include\b|use\s+[\w:]|using\s+[\w.]+;|export\s.*\bfrom\b|"
    r"(?:const|let|var)\s.*=\s*require\()"
)

_FROM = re.compile(r"from\s+[\w.]+\s+import\s+\(?(.*)")
_NAMED = re.compile(r"(?:import|export|const|let|var)\s+(.*?)(?:\s+from\b|\s*=\s*require\().*")
_LISTED = re.compile(r"([A-Za-z_$][\w$]*)(?:\s+as\s+([A-Za-z_$][\w$]*)|\s*:\s*([A-Za-z_$][\w$]*))?")


def is_import(line: str) -> bool:
    """Whether a line imports or includes something, in any of many languages."""
    return _IMPORT.match(line) is not None


def imported_names(line: str) -> list[str]:
    """Names that an import makes known: ``from a import b, c as d`` gives ``["b", "d"]``; of headers none."""
    text = line.split("#", 1)[0].split("//", 1)[0].strip().rstrip(";")
    if (match := _FROM.match(text)) or (match := _NAMED.match(text)):
        listed = match[1]
    else:
        path = text.partition(" ")[2].strip("()\"' ")
        last = re.split(r"::|[.\\/]", path)[-1]
        listed = (
            last if line.rstrip().endswith(";") or "::" in path or last[:1].isupper() else path.split(".")[0]
        )
    return [found[2] or found[1] for found in _LISTED.finditer(listed) if found[1] not in {"type", "static"}]
