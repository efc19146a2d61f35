"""The Python API: text in, `Result` out. Nothing here opens a file or raises for a refusal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from fastapply.errors import FastapplyError, Refused
from fastapply.pipeline import merge_edit, read_edit
from fastapply.pipeline.picks import notes_on, read_picks, read_where
from fastapply.text import SourceText, from_text
from fastapply.types import (
    Candidate,
    Engine,
    Finding,
    FormatName,
    LineRange,
    Merged,
    Method,
    Options,
    Question,
)
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fastapply.models.engine import ApplyModel
    from fastapply.types import ModelRun, Pick

Status = Literal["applied", "unchanged", "refused", "error"]
_BYTE_ORDER_MARK = "\ufeff"
"""What a text begins with that was read as UTF-8 and written with a mark; no part of its first line."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of an edit.

    `text` is the merged text; the original where `status` is not ``applied``. `reason`, `message`
    and `hint` say why an edit was refused and what to send instead; `questions` and `findings`
    hold the details; `smoothed` are mistakes of the edit that were mended, where that was asked for.
    `certainty` is how likely the merge of a lazy edit is right, 0 to 1; in a refusal that of the
    likeliest one, and `needed` what it would have to be. `warnings` say which answers were not needed.
    `exit_status` is what the command line would exit with. `models` is what apply models did, one entry for
    each part of the edit that one was asked about.
    """

    status: Status
    text: str
    format: FormatName | None = None
    method: Method | None = None
    reason: str | None = None
    message: str = ""
    hint: str = ""
    questions: tuple[Question, ...] = ()
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0
    exit_status: int = 0
    models: tuple[ModelRun, ...] = ()
    certainty: float | None = None
    smoothed: tuple[Finding, ...] = ()
    needed: float | None = None
    warnings: tuple[str, ...] = ()

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All places that the open questions name, in their order."""
        return tuple(candidate for question in self.questions for candidate in question.candidates)

    @property
    def decision(self) -> str | None:
        """The id of the question that is to be answered: `pick` takes "ID:N"; None where it has none."""
        return next((question.id for question in self.questions if question.id), None)


def apply_edit(
    original: str | None,
    edit: str,
    *,
    path: str | None = None,
    instructions: str = "",
    format: FormatName | None = None,  # noqa: A002 - the word that users know it by
    engine: Engine = "auto",
    allow: Iterable[str] = (),
    at: tuple[int, int] | None = None,
    where: str = "",
    pick: int | str | Iterable[int | str | Pick] = (),
    create: bool = False,
    only: bool = False,
    model: ApplyModel | str | None = None,
    open_model: Callable[[], ApplyModel | None] | None = None,
    full_file: bool = False,
    min_certainty: float | None = None,
    smooth: bool = False,
) -> Result:
    """Put an edit into a text; `original` is None where there is no file yet.

    `path` is only a name: it tells the language. An edit of several files is refused (``several_files``);
    with `only` the part for `path` is put in, and `warnings` name the other files. `at` (first and last line,
    1-based) and `pick` (1-based candidates, or "ID:N" with the id of the question, which is then refused for
    any other one) answer a refusal; `where` names the function, class, method, key or section that the edit
    is for: ``"in Store.get"``, ``"after get"``, ``"before get"``, ``"replace get"``;
    `allow` accepts findings of the verifier by their codes. `model` is asked where the deterministic merge is
    not certain (or always, with `engine` ``model``): an `ApplyModel`, or a name or path as `--model` takes
    it; `open_model`, in its place, gives one when it is needed; without either none is asked. With
    `full_file` it rewrites all of the text. `min_certainty`, 0 to 1, takes the place of the default threshold
    of lazy edits. With `smooth` small mistakes of the edit itself are mended; no repository is asked how a
    name is imported, since a text is in none.
    A refusal or unusable edit is a `Result`, not an exception.
    """
    started = time.perf_counter()
    try:
        picks = read_picks(pick)
        place = read_where(where) if where else None
    except FastapplyError as error:
        return _failed(error, original, started)
    options = Options(
        instructions=instructions,
        format_name=format,
        engine=engine,
        allow=frozenset(allow),
        at=LineRange(*at) if at else None,
        where=place,
        picks=picks,
        create=create,
        only=only,
        open_model=open_model if model is None else lambda: _opened(model, engine),
        full_file=full_file,
        min_certainty=min_certainty,
        smooth=(lambda _: None) if smooth else None,
    )
    mark = _BYTE_ORDER_MARK if (original or "").startswith(_BYTE_ORDER_MARK) else ""
    source = None if original is None else from_text(original.removeprefix(mark))
    try:
        merged = apply_to_text(source, edit, path=path, options=options)
        warnings = (*merged.notes, *notes_on([merged.spare]))
    except FastapplyError as error:
        return _failed(error, original, started)
    return Result(
        "unchanged" if merged.unchanged else "applied",
        mark + merged.text.text,
        merged.format,
        merged.method,
        findings=merged.accepted,
        seconds=time.perf_counter() - started,
        models=merged.models,
        certainty=merged.certainty,
        smoothed=merged.smoothed,
        warnings=warnings,
    )


def _failed(error: FastapplyError, original: str | None, started: float) -> Result:
    """What an error comes to."""
    refused = error if isinstance(error, Refused) else None
    return Result(
        "error" if refused is None else "refused",
        original or "",
        reason=error.reason,
        message=error.message,
        hint=error.hint,
        questions=refused.questions if refused else (),
        findings=refused.findings if refused else (),
        seconds=time.perf_counter() - started,
        exit_status=error.exit_status,
        models=(refused.model,) if refused and refused.model else (),
        certainty=refused.certainty if refused else None,
        needed=refused.needed if refused else None,
    )


def _opened(model: ApplyModel | str, engine: Engine) -> ApplyModel | None:
    if not isinstance(model, str):
        return model
    from fastapply.models.opening import open_model

    return open_model(model, engine=engine)


def apply_to_text(source: SourceText | None, edit: str, *, path: str | None, options: Options) -> Merged:
    """Parse an edit for one file and merge it. Raises what `merge_edit` and `read_edit` raise."""
    parsed = read_edit(edit, path=path, original=source, options=options)
    if len(parsed.files) != 1:
        raise Refused(
            f"the edit is for {len(parsed.files)} files", reason="several_files", hint="use `fastapply patch`"
        )
    file_edit = parsed.files[0]
    if file_edit.action == "delete" or file_edit.new_path is not None:
        does = "deletes" if file_edit.action == "delete" else "moves"
        raise Refused(
            f"the edit {does} the file", reason="needs_patch", hint="use `fastapply patch`, which may do that"
        )
    return merge_edit(source, parsed, file_edit, path=path or file_edit.path, options=options)
