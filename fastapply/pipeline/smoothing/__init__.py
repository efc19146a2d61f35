"""Smoothing, where the user asks for it: small mistakes of an edit itself are mended, and each is said.

    edit ─▶ what would come of it ─▶ a mend of the edit ─▶ the whole way of `pipeline` with the mended edit

The menders look at the text that the edit would give, and mend the edit, so that the merge and its check are
as strict as ever. Each is a function that is named in `_MENDERS` and gives one mend or none; where the mended
edit is refused, it is as if nothing had been mended. What was mended is a finding ``smoothed`` with its line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.errors import FastapplyError
from fastapply.pipeline.parts import Manner, put_in
from fastapply.pipeline.smoothing.draft import MendDraft, broken
from fastapply.pipeline.smoothing.missing import mend_doubled_import, mend_missing_import
from fastapply.pipeline.smoothing.punctuation import mend_punctuation
from fastapply.pipeline.smoothing.shift import mend_indentation
from fastapply.pipeline.written import around, merge_as_written, started
from fastapply.syntax import language_of
from fastapply.text.align import align
from fastapply.types import Finding
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from fastapply.pipeline.smoothing.draft import Mend
    from fastapply.text import SourceText
    from fastapply.types import Edit, FileEdit, Merged, Options, Repository


_MENDERS = (mend_punctuation, mend_indentation, mend_doubled_import, mend_missing_import)
_MOST = 6  # mends of one edit: one that needs more is no small mistake
_MOST_CHANGED = 3  # lines that one mend changes or adds, white space aside: an import with blank lines around


def merge_smoothed(
    original: SourceText, edit: Edit, file_edit: FileEdit, *, path: str | None, options: Options
) -> Merged:
    """Merge an edit with its small mistakes mended. Raises what `pipeline.merge_edit` raises."""
    repository = options.smooth(path) if options.smooth is not None else None
    asked = _Asked(original, edit, path, replace(options, smooth=None))
    mended, mends = asked.mended(file_edit, repository)
    if mends:
        try:
            merged = asked.merge(mended, tried=True)
        except FastapplyError:
            mends = []
        else:
            if options.review is not None or options.engine == "model":
                merged = asked.merge(mended)
            return replace(merged, smoothed=tuple(_finding(one, merged.text) for one in mends))
    return asked.merge(file_edit)


def mends_of(
    original: SourceText, edit: Edit, file_edit: FileEdit, *, path: str | None, options: Options
) -> tuple[str, ...]:
    """What smoothing would mend, in words; nothing where the mended edit is refused as well.

    No repository is asked how a name is imported. Raises nothing.
    """
    options = replace(options, smooth=lambda _: None)
    try:
        merged = merge_smoothed(original, edit, file_edit, path=path, options=_trial(options))
    except FastapplyError:
        return ()
    return tuple(one.message for one in merged.smoothed)


def _trial(options: Options) -> Options:
    """Options of a merge that is tried: nobody is asked, neither a model nor a person."""
    return replace(options, engine="deterministic", open_model=None, review=None, choose=None)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked for of an edit, however it is mended."""

    original: SourceText
    edit: Edit
    path: str | None
    options: Options

    def merge(self, file_edit: FileEdit, *, tried: bool = False) -> Merged:
        """The merge of the edit as it is written; where it is `tried` nobody is asked."""
        options = _trial(self.options) if tried else self.options
        return merge_as_written(self.original, self.edit, file_edit, path=self.path, options=options)

    def mended(self, file_edit: FileEdit, repository: Repository | None) -> tuple[FileEdit, list[Mend]]:
        """The edit with its mistakes mended, and the mends."""
        mends: list[Mend] = []
        original, path = self.original, self.path
        text, certain = self._guess(file_edit)
        for mender in _MENDERS:
            while text is not None and len(mends) < _MOST:
                if not certain and not broken(original, text, path):
                    return file_edit, mends  # where it goes is the question, and no small mistake
                mend = mender(MendDraft(path, original, file_edit, text, repository))
                if mend is None:
                    break
                after, certain_now = self._guess(mend.file_edit)
                if after is None or after == text:
                    break
                if broken(original, after, path) > broken(original, text, path):
                    break
                if _lines_changed(text, after) > _MOST_CHANGED:
                    break  # it is another merge now, not the same one with its mistake mended
                file_edit, text, certain = mend.file_edit, after, certain_now
                mends.append(mend)
        return file_edit, mends

    def _guess(self, file_edit: FileEdit) -> tuple[SourceText | None, bool]:
        """What would come of an edit, and whether that is certain; None where there is no telling."""
        options, certain = _trial(self.options), True
        try:
            text, parts = started(self.original, file_edit, self.path, options)
            language = language_of(self.path, text.lines[0] if text.lines else "")
            manner = Manner(language, options, around(self.edit))
            for part in parts:
                proposal = manner.propose(text, part)
                certain = certain and proposal.certain
                if not proposal.certain and not proposal.splices:
                    return None, False
                text = put_in(text, proposal)
        except FastapplyError:
            return None, False
        return text, certain


def _lines_changed(before: SourceText, after: SourceText) -> int:
    """Lines of two texts that differ in more than white space."""
    one, other = (["".join(line.split()) for line in text.lines] for text in (before, after))
    found = align(one, other)
    return max(found.count(-1), len(other) - sum(partner >= 0 for partner in found))


def _finding(mend: Mend, text: SourceText) -> Finding:
    """A mend with the 1-based line of the text that it is about: other mends may have moved it a little."""
    found = [number for number, line in enumerate(text.lines) if line.strip() == mend.line.strip()]
    line = min(found, key=lambda number: abs(number - mend.number)) + 1 if found else None
    return Finding("smoothed", mend.message, line, "functional_error")
