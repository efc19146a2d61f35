"""What stands around an edit in a chat reply: prose, a fence, a tool call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

_BEFORE = (
    "Here's the change:",
    "Here is the updated code:",
    "I've updated `{name}`:",
    "Sure! This is the edit for `{path}`:",
    "The following change does it.",
    "Let me make this change in `{path}`.\n\nFirst, what changes: the call sites stay as they are.",
    "I'll make that edit now:",
)
_AFTER = (
    "That should do it. Let me know if you want tests as well.",
    "The rest of the file stays as it is.",
    "You may want to run the tests:\n\n```sh\nmake test\n```",
    "This keeps the behaviour of the other callers.",
)


def wrap(text: str, path: str, fence: str, rng: Random, *, fenced: float = 0.6, prose: float = 0.35) -> str:
    """The edit bare, in a fence, or in a fence with prose around it; by chance."""
    body = text if text.endswith("\n") else text + "\n"
    if rng.random() >= fenced or body.startswith("```"):
        return body
    ticks = "```" if "```" not in body else "`````"
    info = fence if rng.random() < 0.9 else ""
    out = f"{ticks}{info}\n{body}{ticks}\n"
    if rng.random() < prose:
        return talk(out, path, rng)
    return out


def talk(body: str, path: str, rng: Random) -> str:
    """Prose before the fences of an edit, and now and then after them."""
    name = path.rpartition("/")[2]
    out = f"{rng.choice(_BEFORE).format(name=name, path=path)}\n\n{body}"
    if rng.random() < 0.3:
        out += f"\n{rng.choice(_AFTER)}\n"
    return out


def tool_call(text: str, path: str, rng: Random) -> str:
    """A `code_edit` call with the lazy edit as its argument."""
    call = {
        "target_file": path,
        "instructions": f"I will update {path.rpartition('/')[2]}.",
        "code_edit": text,
    }
    return json.dumps(call, indent=rng.choice((None, 2)), ensure_ascii=False) + "\n"
