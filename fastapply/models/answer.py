"""From what a model wrote to the text that it means, strictly: anything beside that is an error.

Each error is a `Finding` whose class is that of the merge failure that it would have become:

================= ================ ===========================================================
code              class            meaning
================= ================ ===========================================================
answer_length     truncation       a limit of its context or its server cut it off
answer_endless    truncation       it wrote more than any right answer has, and did not come to an end
answer_cut        truncation       it stopped before the end tag of its answer
answer_around     functional_error there is text before or behind the answer, thoughts or fences
answer_cannot     functional_error it says that it cannot tell what the edit means
answer_unchanged  functional_error it wrote the code back as it was
answer_other      functional_error it put the edit where it does not fit
answer_beyond     functional_error it changed what it was only shown
answer_unsure     functional_error it is less sure of its merge than it has to be (`Trust`)
================= ================ ===========================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.models.prompts import answer_form
from fastapply.types import Finding

if TYPE_CHECKING:
    from fastapply.models.engine import Completion
    from fastapply.models.prompts import StyleName

_THOUGHTS = ("<think>", "</think>")


def read_answer(completion: Completion, style: StyleName, *, code: str) -> str | Finding:
    r"""Give the text of an answer, or what is wrong with it.

    `code` is what the model was shown; where it begins and ends with no line end between it and its
    tags, the model may still put one there: ``<updated-code>\na\n</updated-code>`` is ``a\n``.
    """
    form = answer_form(style)
    text, finish = completion.text, completion.finish
    if finish == "cannot":
        return _cannot()
    if finish == "length":
        return Finding(
            "answer_length",
            f"the model's answer was truncated by a limit after {len(text)} characters",
            None,
            "truncation",
        )
    if finish == "endless":
        return Finding(
            "answer_endless",
            f"the model wrote {len(text)} characters, more than file and edit have, without finishing",
            None,
            "truncation",
        )
    if not form.start:
        return _bare(text, code, may_refuse=form.may_refuse)
    inside = text.strip()
    if not inside.startswith(form.start):
        return _around(f"the model's answer does not start with {form.start}", inside, form.start)
    if form.end not in inside:
        return Finding("answer_cut", f"the model's answer does not end with {form.end}", None, "truncation")
    if not inside.endswith(form.end):
        return _around("the model wrote text after its answer", inside.rpartition(form.end)[2], "")
    body = inside[len(form.start) : -len(form.end)]
    if form.end in body and form.end not in code:
        return _around("the model wrote several answers", body, "")
    if body.startswith("\n") and not code.startswith("\n"):
        body = body[1:]
    if form.may_refuse and not body.strip():
        return _cannot()
    return body


def _bare(text: str, code: str, *, may_refuse: bool) -> str | Finding:
    """An answer without tags: all of what the model wrote, unless it shows that it is something else."""
    if may_refuse and not text.strip() and code.strip():
        return _cannot()
    first = text.lstrip().split("\n", 1)[0]
    if any(thought in text and thought not in code for thought in _THOUGHTS):
        return _around("the model wrote its reasoning", first, "")
    if first.startswith("```") and not code.lstrip().startswith("```"):
        return _around("the model put its answer in a fence", first, "")
    return text


def _around(message: str, shown: str, until: str) -> Finding:
    before = shown.partition(until)[0] if until else shown
    quoted = " ".join(before.split())[:60]
    return Finding("answer_around", f"{message}: {quoted!r}", None, "functional_error")


def _cannot() -> Finding:
    return Finding("answer_cannot", "the model says that the edit is unclear", None, "functional_error")
