"""The values that the steps of a merge hand to each other.

All are frozen. Line numbers in `Splice` are 0-based and half-open, because they index
`SourceText.lines`; everywhere a person or an agent reads them (`LineRange`, `Finding`,
`edit_line`) they are 1-based and inclusive.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, get_args

from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Protocol

    class Repository(Protocol):
        """A file's own repository, asked how it imports a name: `workspace.git` has it."""

        @property
        def name(self) -> str:
            """The file's path from its top, with slashes."""

        def others_with(self, word: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
            """Give name and text of other files that hold a word, of files whose names end so."""

        def package(self) -> str:
            """The folder of the package of Node that the file belongs to; "" for the top."""

    Opener = Callable[[str | None], Repository | None]

FormatName = Literal["lazy", "search_replace", "udiff", "v4a", "str_replace", "whole", "mixed"]
"""How the edit is written. A mixed edit holds parts of several formats."""

Method = Literal[
    "exact", "trailing", "indentation", "whitespace", "unicode", "near", "aligned", "whole", "model"
]
"""How a merge was made, from the strictest tier to the least strict.

`exact` to `near` are the tiers at which a hunk's before-side was found, `aligned` is a lazy
edit put in by alignment, `whole` a file replaced, `model` a merge that an apply model wrote.
"""

METHOD_ORDER: tuple[Method, ...] = get_args(Method)


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines of a file, 1-based and inclusive; `last == first - 1` is the empty place before `first`."""

    first: int
    last: int

    def meets(self, other: LineRange) -> bool:
        """Whether they share a line; an empty place is that of its first line."""
        return self.first <= other.last and other.first <= max(self.last, self.first)


# --- a text ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text as lines without their ends, and the ends beside them.

    `endings[i]` belongs to `lines[i]`; only the last may be "". An empty text has no lines.
    """

    lines: tuple[str, ...]
    endings: tuple[str, ...]
    encoding: str = "utf-8"
    bom: bytes = b""

    @property
    def text(self) -> str:
        """The text with its own line ends, without a byte order mark."""
        both = [*self.lines, *self.endings]
        both[::2], both[1::2] = self.lines, self.endings
        return "".join(both)

    @property
    def newline(self) -> str:
        r"""The line end that most lines have; "\n" where there is none."""
        counted = Counter(self.endings)
        del counted[""]
        return counted.most_common(1)[0][0] if counted else "\n"

    @property
    def final_newline(self) -> bool:
        """Whether the last line has an end; true for an empty text."""
        return not self.endings or self.endings[-1] != ""


# --- an edit, as parsed -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines that stand in the file (`before`) and what they become (`after`), without line ends."""

    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hunk:
    """One replacement whose place is found by its before-side.

    `segments` has one entry, or several where `...` lines elide what stands between them, the
    same in both halves. An empty `before` everywhere is an insertion whose place only `scopes`,
    `old_start` or `at_end` can tell.
    """

    number: int  # 1-based in the edit
    edit_line: int  # 1-based line of the edit text where the hunk begins
    segments: tuple[Segment, ...]
    scopes: tuple[str, ...] = ()  # V4A `@@ class A` lines: must be found, in order, above the hunk
    heading: str = ""  # text behind a unified diff's second @@: a hint, never required
    old_start: int | None = None  # line number that a diff states, 1-based
    counts_right: bool = False  # a unified diff whose header counts equal its body
    at_end: bool = False  # V4A `*** End of File`: the before-side ends the file
    replace_all: bool = False  # every occurrence, not the only one
    within_line: bool = False  # a str_replace: before and after may begin and end within a line
    no_newline_after: bool | None = None  # a diff's `\ No newline at end of file` on the after-side


@dataclass(frozen=True, slots=True)
class HunkList:
    """Hunks of one of the formats that say what stands in the file."""

    format: Literal["search_replace", "udiff", "v4a", "str_replace"]
    hunks: tuple[Hunk, ...]

    @property
    def before(self) -> tuple[str, ...]:
        """All lines that they say stand in the file."""
        return tuple(line for hunk in self.hunks for segment in hunk.segments for line in segment.before)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of code: a lazy edit or a whole file; which of the two, the file decides.

    `lines` have no line ends and no surrounding fence. `said_whole` is set where the edit's own
    words or form say that this is the complete file. `ended` says that a fence around it has
    its end; of a text without one nothing but its own last line tells whether it is all.
    """

    lines: tuple[str, ...]
    edit_line: int  # 1-based line of the edit text that holds lines[0]
    language: str = ""  # a fence's info string
    said_whole: bool = False
    final_newline: bool = True
    ended: bool = True


Part = HunkList | Snippet
Action = Literal["update", "create", "delete"]


@dataclass(frozen=True, slots=True)
class FileEdit:
    """All that an edit says about one file. `path` is None where the edit names none."""

    path: str | None
    action: Action
    parts: tuple[Part, ...]  # applied one after the other
    new_path: str | None = None  # the file is moved there
    new_mode: int | None = None  # permission bits that a git header asks for


@dataclass(frozen=True, slots=True)
class Edit:
    """A parsed edit: what it says, a file at a time."""

    format: FormatName
    files: tuple[FileEdit, ...]
    text: str  # the edit as it came, for the verifier and for messages
    others: tuple[str, ...] = ()  # other files that it changes, and that are left out


# --- a merge ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Splice:
    """File lines `[start, end)`, 0-based, become `lines`; the merge of a part is a tuple of these.

    Splices are in order and do not overlap. A kept line is never part of one, so that its bytes
    and its line end stay.
    """

    start: int
    end: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One place where an open hunk or run could go, and what the file would become there."""

    lines: LineRange
    enclosing: str  # the line that opens the innermost enclosing definition, stripped; "" at top level
    splices: tuple[Splice, ...] = ()
    share: float | None = None  # of the likelihood among the candidates, 0 to 1, where they are ranked
    says: str = ""  # what it answers to its question: "no, it stays", "after `get` (line 40)"
    diff: tuple[str, ...] = ()  # what it does and not all do, as lines of a diff, at most eight


@dataclass(frozen=True, slots=True)
class Question:
    """Something that the deterministic merge could not decide, and what the caller could do."""

    reason: str  # stable code: "ambiguous", "not_found", ...
    message: str  # names the hunk or the run and says what is wrong
    hint: str = ""  # what to send instead
    edit_line: int = 1
    candidates: tuple[Candidate, ...] = ()
    nearest: LineRange | None = None  # "did you mean lines 41-47?"
    id: str = ""  # made of file, edit and instructions; an answer may name it, and is refused for another
    always: tuple[Splice, ...] = ()  # changes that every candidate makes
    always_diff: tuple[str, ...] = ()  # these changes, as a candidate's `diff`


@dataclass(frozen=True, slots=True)
class Proposal:
    """The merge of one part: its best guess, and whether it is certain.

    `certain` is false exactly when `questions` is not empty; `splices` is then the best guess
    there is, which a model may be shown but nobody writes.
    """

    splices: tuple[Splice, ...]
    method: Method
    questions: tuple[Question, ...] = ()
    already_applied: bool = False
    final_newline: bool | None = None  # set where a diff says whether the text ends with a line end
    certainty: float | None = None  # of a lazy edit: the chance, 0 to 1, that this merge is the right one
    weighed: bool = False  # what the verifier finds is part of the certainty already
    needed: float | None = None  # the certainty from which on it would be written, where that was weighed

    @property
    def certain(self) -> bool:
        """True when the merge may go on to the verifier as it is."""
        return not self.questions


NOT_FOR_A_MODEL = frozenset(
    {"truncated", "empty", "empty_search", "size_drop", "whole_or_part", "partly_applied", "overlap"}
)
"""Questions about the edit itself: a model could only guess what was meant."""


def may_answer(proposal: Proposal) -> bool:
    """Whether a model can answer what is open: more than a guess about an edit that fits nowhere.

    Nor is it asked about a merge that would be certain enough and is never written all the same: something of
    the edit is left undone by it, and a model sees less of that than the engine does.
    """
    never = (proposal.certainty or 0.0) >= (proposal.needed or 1.0)
    return not any(
        question.reason in NOT_FOR_A_MODEL
        or (question.reason == "not_found" and question.nearest is None)
        or (question.reason == "uncertain" and never)
        for question in proposal.questions
    )


# --- what a caller asks for ---------------------------------------------------------------------

Engine = Literal["auto", "deterministic", "model"]


@dataclass(frozen=True, slots=True)
class Pick:
    """The number of a candidate, 1-based, and the id of its question; "" for whichever is open."""

    number: int
    id: str = ""

    def __str__(self) -> str:
        """Give it as a caller writes it."""
        return f"{self.id}:{self.number}" if self.id else str(self.number)


Side = Literal["in", "after", "before", "replace"]


@dataclass(frozen=True, slots=True)
class Where:
    """A named piece of a file, and the side of it that is meant."""

    side: Side
    name: str

    def __str__(self) -> str:
        """Give it as a caller writes it."""
        return f"{self.side} {self.name}"


@dataclass(frozen=True, slots=True)
class Draft:
    """A merge as it is put before the reviewer; `original` is None where the file is to be created."""

    path: str | None
    file_edit: FileEdit
    original: SourceText | None
    merged: SourceText
    findings: tuple[Finding, ...]  # what the check has against all of it

    @property
    def deletes(self) -> bool:
        """Whether the file is to go."""
        return self.file_edit.action == "delete"


@dataclass(frozen=True, slots=True)
class Taken:
    """What a reviewer took of a draft.

    `text` is to be written. `others` is the file as it would be with only those hunks in it that were left
    out or rewritten, as the edit has them. `header` says whether the file is to be created, deleted or
    moved, or to have another mode, where the edit asks for that.
    """

    text: SourceText
    others: SourceText
    hunks: int  # all of the draft
    left: int  # of them, how many were left out
    rewritten: int = 0
    header: bool = True


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may ask of a merge besides the edit itself."""

    instructions: str = ""  # the one line that a coding model sends along
    format_name: FormatName | None = None  # skip detection
    engine: Engine = "auto"
    allow: frozenset[str] = frozenset()  # codes of findings to accept
    at: LineRange | None = None  # answers a refusal: the place that was meant
    where: Where | None = None  # the named piece of the file beside or in which the edit goes
    picks: tuple[Pick, ...] = ()  # answers refusals: in their order, or by the ids of the questions
    create: bool = False  # a whole file may create the file
    only: bool = False  # of an edit of several files take the part for this one
    open_model: Callable[[], Any] | None = None  # gives an `ApplyModel` when one is needed; None: not chosen
    min_certainty: float | None = None  # a lazy merge that is less likely to be right is refused
    full_file: bool = False  # a model rewrites all of the file, not only what is open
    conversation: str = ""  # what was said before the edit, for a model whose prompt has a place for it
    choose: Callable[[Question, SourceText], int | None] | None = None  # asked for the number of a candidate
    review: Callable[[Draft], Taken] | None = None  # takes hunks of a merge, or leaves them out
    smooth: Opener | None = None  # mend small mistakes of the edit; finds the file's repository
    without: frozenset[int] = frozenset()  # hunks that are left out, by the lines where they begin

    @property
    def answered(self) -> bool:
        """Whether the caller says where the edit goes, so that no model is asked."""
        return bool(self.picks) or self.at is not None or self.where is not None


# --- what came of it --------------------------------------------------------------------------

FailureClass = Literal["functional_error", "hallucination", "truncation"]
"""The classes of merge failure that Relace counts and a program can see."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the verifier has against a merge."""

    code: str  # stable
    message: str
    line: int | None  # 1-based line of the merged text, or of the original for what was lost
    failure: FailureClass


Finish = Literal["end_tag", "eos", "cannot", "choice", "length", "endless"]
"""Why a model stopped: its answer's end tag, the end of its sequence, its token that says that it cannot tell
what the edit means; that it was only to choose; or a limit that cut it off (``length``: its context, or what
its server allows), or more text than any answer to the task can have (``endless``: it repeats itself, or goes
on behind its answer)."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer took. Times are in seconds; zero where an engine does not know."""

    prompt_tokens: int = 0
    cached_tokens: int = 0  # of the prompt, kept from the request before
    output_tokens: int = 0
    drafted: int = 0  # tokens that were proposed to the model
    accepted: int = 0  # ... and that it would have written as well
    steps: int = 0  # evaluations of the model after the prompt
    load_seconds: float = 0.0
    prefill_seconds: float = 0.0
    decode_seconds: float = 0.0
    seconds: float = 0.0  # the whole request, its first token included, loading not


@dataclass(frozen=True, slots=True)
class ModelRun:
    """One answer of a model, as it is told to the user; `characters` are those that it wrote."""

    name: str
    finish: Finish
    characters: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class Spare:
    """What of a caller's answers a merge did not need; `picked` says that another pick was."""

    picks: tuple[Pick, ...] = ()
    at: LineRange | None = None
    picked: bool = False


@dataclass(frozen=True, slots=True)
class Merged:
    """A merge that may be written: the new text, and how it was made.

    `unchanged` means that the edit is in the file already. `accepted` are findings that the
    caller allowed.
    """

    text: SourceText
    method: Method
    unchanged: bool
    format: FormatName
    accepted: tuple[Finding, ...] = ()
    mode: int | None = None  # what a git header asks for
    methods: tuple[Method, ...] = ()  # one for each part of the edit
    models: tuple[ModelRun, ...] = ()  # what models did, for each part that one wrote
    certainty: float | None = None  # the least of its lazy parts, 0 to 1
    taken: Taken | None = None  # what a reviewer took of it
    smoothed: tuple[Finding, ...] = ()  # mistakes of the edit that were mended
    spare: Spare = Spare()  # what of the caller's answers was not needed: `picks.notes_on` tells it
    notes: tuple[str, ...] = ()  # on names: files that were left out, and another one than this
