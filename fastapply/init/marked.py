"""Text between two marks in somebody else's file: put there once, and replaced by every later run."""

from __future__ import annotations

from fastapply.errors import UsageError


def with_marked(text: str, part: str, marks: tuple[str, str], name: str) -> str:
    """Give `text` with `part` between lines that hold the marks, at its end where they are not there yet.

    Raises `UsageError` (``marks``) where the marks in the file `name` are not one pair in order.
    """
    begin, end = marks
    part = f"{begin}\n{part.strip(chr(10))}\n{end}\n"
    lines = text.splitlines(keepends=True)
    begins = [number for number, line in enumerate(lines) if line.strip() == begin]
    ends = [number for number, line in enumerate(lines) if line.strip() == end]
    if not begins and not ends:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}{part}"
    if len(begins) != 1 or len(ends) != 1 or begins[0] > ends[0]:
        raise UsageError(
            f"{name}: the fastapply begin and end marks do not match",
            reason="marks",
            hint=f"fix or remove the lines {begin!r} and {end!r}",
        )
    return "".join([*lines[: begins[0]], part, *lines[ends[0] + 1 :]])
