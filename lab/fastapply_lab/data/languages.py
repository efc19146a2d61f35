"""What an edit needs to know of a language: its name, its fence tag and its comments.

Only languages of which public history has plenty are here. A file with another ending is no
source of edits.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class Language:
    """How edits to files of one language look.

    `comments` are (open, close) pairs, the usual one first; empty where the language has none, so
    that only a bare `...` can stand for what is left out. `grammar` is a tree-sitter name.
    """

    name: str
    grammar: str
    fences: tuple[str, ...]
    comments: tuple[tuple[str, str], ...]
    offside: bool = False  # blocks end where the indentation does, not at a closing word


_SLASH = (("// ", ""), ("/* ", " */"))
_HASH = (("# ", ""),)
_MARKUP = (("<!-- ", " -->"),)

_LANGUAGES: dict[str, Language] = {
    ".py": Language("python", "python", ("python", "py"), _HASH, offside=True),
    ".go": Language("go", "go", ("go",), _SLASH),
    ".js": Language("javascript", "javascript", ("javascript", "js"), _SLASH),
    ".mjs": Language("javascript", "javascript", ("javascript", "js"), _SLASH),
    ".jsx": Language("javascript", "javascript", ("jsx",), _SLASH),
    ".ts": Language("typescript", "typescript", ("typescript", "ts"), _SLASH),
    ".tsx": Language("tsx", "tsx", ("tsx",), _SLASH),
    ".java": Language("java", "java", ("java",), _SLASH),
    ".kt": Language("kotlin", "kotlin", ("kotlin", "kt"), _SLASH),
    ".rs": Language("rust", "rust", ("rust", "rs"), _SLASH),
    ".c": Language("c", "c", ("c",), (("/* ", " */"), ("// ", ""))),
    ".h": Language("c", "c", ("c",), (("/* ", " */"), ("// ", ""))),
    ".cpp": Language("cpp", "cpp", ("cpp", "c++"), _SLASH),
    ".hpp": Language("cpp", "cpp", ("cpp",), _SLASH),
    ".cs": Language("csharp", "csharp", ("csharp", "cs"), _SLASH),
    ".php": Language("php", "php", ("php",), _SLASH),
    ".rb": Language("ruby", "ruby", ("ruby", "rb"), _HASH),
    ".sh": Language("bash", "bash", ("bash", "sh"), _HASH),
    ".css": Language("css", "css", ("css",), (("/* ", " */"),)),
    ".scss": Language("scss", "scss", ("scss",), (("// ", ""), ("/* ", " */"))),
    ".html": Language("html", "html", ("html",), _MARKUP),
    ".md": Language("markdown", "", ("markdown", "md"), _MARKUP),
    ".yml": Language("yaml", "", ("yaml", "yml"), _HASH, offside=True),
    ".yaml": Language("yaml", "", ("yaml",), _HASH, offside=True),
    ".toml": Language("toml", "toml", ("toml",), _HASH),
    ".sql": Language("sql", "", ("sql",), (("-- ", ""),)),
    ".lua": Language("lua", "lua", ("lua",), (("-- ", ""),)),
}


def language_of(path: str) -> Language | None:
    """Language of a file by its ending; None where there is no entry."""
    return _LANGUAGES.get(PurePosixPath(path).suffix.lower())
