"""How a teacher plays a coding model: characters, and styles in the shares in which agents use them."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """What a teacher is to be for one edit."""

    character: str
    style: str

    @property
    def words(self) -> str:
        """The part as the prompt says it."""
        return f"{CHARACTERS[self.character]}\n\nSTYLE: {STYLES[self.style][1]}"


CHARACTERS: dict[str, str] = {
    "precise": (
        "You are an agent's model with an edit_file tool: only the precise lines that change, never "
        "unchanged code, and just enough context for a smaller model to put it in."
    ),
    "careless": (
        "You are a small, cheap chat model: chatty, somewhat careless. The wording of your markers is all "
        "over the place (// ... rest of your code, # ... (previous code)), markers are missing at either "
        "end, snippets begin at column 0."
    ),
    "whole-units": (
        "You show whole units: the whole changed function, component or section, and everything around it "
        "reduced to descriptive markers. Long units are elided inside."
    ),
    "terse": (
        "You are a terse senior engineer's model: changed lines and one neighbour, a bare ..., deletions by "
        "showing the two neighbours side by side, or // (removed X)."
    ),
    "step-by-step": (
        "You explain each step of a change in a sentence and show each in a piece of code of its own, in the "
        "order in which you think of them."
    ),
    "outline": (
        "You like to keep the outline visible: class and function headers around each change, with a marker "
        "below the header for what you do not show."
    ),
}
"""The first four are those of the brief by which the project's own edits were written."""
STYLES: dict[str, tuple[float, str]] = {
    "lazy": (
        68,
        (
            "changed code with a little context, and stand-ins such as `// ... existing code ...`, in the "
            "comment syntax of the language, for what stays."
        ),
    ),
    "chat": (
        15,
        (
            "a sentence or two, then one or several fences with lazy code (markers for what stays), perhaps "
            "a sentence after."
        ),
    ),
    "nomarker": (6, "only the changed function or block, complete, without any marker."),
    "search": (
        5,
        (
            "SEARCH/REPLACE blocks (<<<<<<< SEARCH, =======, >>>>>>> REPLACE), or a JSON object with "
            "old_string and new_string; what is searched for stands in the file exactly and once."
        ),
    ),
    "udiff": (4, "a unified diff, as models write them: line numbers and counts may be missing or wrong."),
    "v4a": (2, "a patch between *** Begin Patch and *** End Patch, with @@ lines for the place."),
}


def part_for(seed: int, change: str) -> Part:
    """The character and the style for a change: by chance, and the same for the same seed."""
    rng = random.Random(f"{seed}:{change}")  # noqa: S311 - repeatable, not secret
    style = rng.choices(list(STYLES), [share for share, _ in STYLES.values()])[0]
    return Part(rng.choice(list(CHARACTERS)), style)
