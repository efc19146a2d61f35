"""The licence of a repository, read from its own files, and which licences data may be made under."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

PERMISSIVE = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD-1-Clause",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSD-3-Clause-Clear",
        "BSL-1.0",
        "CC0-1.0",
        "ISC",
        "MIT",
        "MIT-0",
        "NCSA",
        "PostgreSQL",
        "Python-2.0",
        "Unlicense",
        "Zlib",
    }
)
"""SPDX names of licences that ask for no more than to be named."""
_NAMES = re.compile(r"(?i)^(?:mit-)?(?:licen[cs]e|copying|unlicense)(?:[-.](?!docs)[\w.-]+)?$")


def licences_of(repo: Path) -> tuple[str, ...]:
    """SPDX names of the licences at the root of a repository's HEAD, sorted; "" for a text nobody knows.

    Where a repository offers several, any of them may be taken.
    """
    from identify.identify import license_id

    names = _git(repo, "ls-tree", "--name-only", "HEAD").decode("utf-8", "replace").splitlines()
    found = set[str]()
    with tempfile.TemporaryDirectory() as folder:
        for name in filter(_NAMES.match, names):
            text = Path(folder, "LICENSE")
            text.write_bytes(_git(repo, "show", f"HEAD:{name}"))
            found.add(license_id(str(text)) or _by_head(text.read_text("utf-8", "replace")))
    return tuple(sorted(found))


def permissive_licence(repo: Path, also: frozenset[str] = frozenset()) -> str | None:
    """The first of a repository's licences that is permissive, or one of `also`; None where there is none."""
    return next((name for name in licences_of(repo) if name in PERMISSIVE | also), None)


def _by_head(text: str) -> str:
    """Licences with names, years or clauses of their own in them, by their unmistakable sentences.

    A text that also speaks of the GPL is left unknown: a part of the repository may be under it.
    """
    said = " ".join(text.split())
    if "General Public License" in said:
        return ""
    if "Permission is hereby granted, free of charge, to any person obtaining a copy" in said:
        return "MIT"
    if "Redistribution and use in source and binary forms" in said:
        return "BSD-3-Clause" if "Neither the name" in said else "BSD-2-Clause"
    if "The origin of this software must not be misrepresented" in said:
        return "Zlib"
    if "Apache License Version 2.0" in said[:200]:
        return "Apache-2.0"
    return ""


def _git(repo: Path, *command: str) -> bytes:
    return subprocess.run(["git", "-C", str(repo), *command], check=True, capture_output=True).stdout
