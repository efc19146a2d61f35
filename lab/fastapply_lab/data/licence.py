"""The licence of a repository, read from its own files, and which licences data may be made under.

Names are SPDX names. A text is known by `identify`, which compares it with the licences themselves, or by
sentences that no other licence has. What neither knows is no licence here, and what is known and asks for
more than to be named (the GPL, say) keeps the repository out even beside another one: nothing tells which
files are under which.
"""

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
"""Licences that ask for no more than to be named."""
_MORE = re.compile(
    r"(?i)General Public License|Commons Clause|used for Good, not Evil|materials mentioning features"
    r"|non-?commercial|Server Side Public|Business Source License|Mozilla Public|Eclipse Public"
)
"""What asks for more, also where it stands beside the words of a permissive licence."""
_OTHER = "LicenseRef-other"  # one that asks for more, whichever it is
_SPEAKS_OF_GPL = frozenset({"Python-2.0"})  # and asks for no more all the same
_NAMES = re.compile(r"(?i)^(?:mit-)?(?:licen[cs]e|copying|unlicense)(?:[-.](?!docs)[\w.-]+)?$")


def licences_of(repo: Path) -> tuple[str, ...]:
    """The licences at the root of a repository's HEAD, sorted; "" for a text that is not known.

    A repository without a commit has none.
    """
    from identify.identify import license_id

    names = _git(repo, "ls-tree", "-z", "--name-only", "HEAD").decode("utf-8", "surrogateescape").split("\0")
    found = set[str]()
    with tempfile.TemporaryDirectory() as folder:
        for name in filter(_NAMES.match, names):
            text = Path(folder, "LICENSE")
            text.write_bytes(_git(repo, "show", f"HEAD:{name}"))
            found.add(_name(license_id(str(text)), text.read_text("utf-8", "replace")))
    return tuple(sorted(found))


def permissive_licence(repo: Path, also: frozenset[str] = frozenset()) -> str | None:
    """The first of a repository's licences; None unless all that are known are permissive, or in `also`."""
    known = [name for name in licences_of(repo) if name]
    return known[0] if known and set(known) <= PERMISSIVE | also else None


def _name(known: str | None, text: str) -> str:
    """The name of a text that `identify` knows as such, or not; ones nearly alike are the same to it."""
    said = " ".join(text.split())
    if known is not None and (known not in PERMISSIVE or known in _SPEAKS_OF_GPL):
        return known
    return _OTHER if _MORE.search(said) else known or _by_sentence(said)


def _by_sentence(said: str) -> str:
    """Licences with names, years or clauses of their own in them, by their unmistakable sentences."""
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
    """What git prints; nothing where it fails, as it does without a commit."""
    return subprocess.run(["git", "-C", str(repo), *command], check=False, capture_output=True).stdout
