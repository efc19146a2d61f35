"""Whether what is written is in colours, and which ones; asked here and nowhere else.

`--color` decides, then ``NO_COLOR``, then ``FORCE_COLOR`` and ``CLICOLOR_FORCE``, then whether the stream is
a terminal that shows them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_STYLES: Mapping[str, str] = {
    "title": "1",
    "name": "1",
    "good": "32",
    "bad": "1;31",
    "open": "33",
    "hint": "36",
    "added": "32",
    "removed": "31",
    "code": "2",
}
_chosen = {"color": "auto"}  # of this run; `main` begins with this


def choose_colour(choice: str) -> None:
    """Have colours ``auto``, ``always`` or ``never`` in this run."""
    _chosen["color"] = choice


def is_terminal(stream: object) -> bool:
    """Whether somebody looks at a stream as it is written."""
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty())


def wants_colour(stream: object) -> bool:
    """Whether what is written to a stream is coloured.

    The variables are those of no-color.org, force-color.org and bixense.com/clicolors.
    """
    if _chosen["color"] != "auto":
        return _chosen["color"] == "always"
    if os.environ.get("NO_COLOR"):
        return False
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        if os.environ.get(name, "0") not in {"", "0"}:
            return True
    if "0" in {os.environ.get("FORCE_COLOR"), os.environ.get("CLICOLOR")}:
        return False
    # old consoles of Windows show escape sequences as text
    reads_escapes = os.name != "nt" or any(map(os.environ.get, ("WT_SESSION", "ANSICON", "TERM")))
    return is_terminal(stream) and os.environ.get("TERM", "") != "dumb" and reads_escapes


def painted(text: str, style: str, *, wanted: bool = True) -> str:
    """The text in a style of the table above, where colours are wanted."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if wanted and text else text
