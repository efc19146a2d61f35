"""Diffs, tables, Markdown, and how far something is, for eyes.

The only place that imports Rich, which is slow.

In a diff the words are marked that changed inside of a line, so that a long one need not be read twice:
``total = a + b`` and ``total = a - b`` differ in ``+`` and ``-``. Lines that have little in common are two
different lines, in which nothing is marked.
"""

from __future__ import annotations

import io
import os
import re
import time
from contextlib import contextmanager
from difflib import SequenceMatcher
from typing import IO, TYPE_CHECKING, Any, ClassVar

from rich.console import Console
from rich.text import Text

from fastapply.text.diff import render_diff

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import ConsoleOptions, RenderResult

    from fastapply.models.engine import Progress
    from fastapply.text.diff import Sides

_PICTURES = {code: 0x2400 + code for code in range(32) if code not in {9, 10}} | {127: 0x2421}
_LONGEST = 20_000  # lines of a file up to which its syntax is highlighted
_MOST_ABOUT = 60  # characters of the decision that a model is asked
_THEMES = {
    "dark": {
        "syntax": "ansi_dark",
        "+": "#e4e4e4 on #12341c",
        "-": "#e4e4e4 on #3f1518",
        "word +": "bold on #1f6b32",
        "word -": "bold on #86242b",
    },
    "light": {
        "syntax": "ansi_light",
        "+": "#1f2328 on #dafbe1",
        "-": "#1f2328 on #ffebe9",
        "word +": "bold on #97e6ac",
        "word -": "bold on #ffb3ae",
    },
}
Spans = tuple[tuple[int, int], ...]  # columns, 0-based, the second one exclusive

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
_IN_COMMON = 0.5  # of the characters that are no white space: below, a pair is of two different lines
_LONGEST_LINE = 2000  # characters of a line up to which its words are compared
_MOST = 60  # lines of a run up to which those of unequal runs are paired by likeness


def show_changes(changes: Sequence[Sides], console: Console | None = None) -> None:
    """Print changes with the syntax of their languages highlighted, and the words that changed marked."""
    console = console or make_console()
    for change in changes:
        for row in rows_of(change):
            console.print(row, soft_wrap=True)


def render_changes(changes: Sequence[Sides]) -> str:
    """Make the text of `show_changes`, for a terminal or a pager."""
    file = io.StringIO()
    show_changes(changes, make_console(file))
    return file.getvalue()


def make_console(file: IO[str] | None = None, *, colour: bool = True) -> Console:
    """A console whose colours were decided already, whatever it writes to."""
    known = os.environ.get("TERM", "") not in {"", "dumb", "unknown"} or os.environ.get("COLORTERM")
    return Console(
        file=file,
        highlight=False,
        force_terminal=colour,
        no_color=not colour,
        color_system=("auto" if known else "standard") if colour else None,
    )


def theme() -> dict[str, str]:
    """The colours for the terminal's background, where it tells; for a dark one else.

    ``COLORFGBG`` is what rxvt, Konsole and others set: ``15;0`` is white on black.
    """
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return _THEMES["light" if background in {"7", *map(str, range(9, 16))} else "dark"]


@contextmanager
def show_progress() -> Iterator[Callable[[int, int], None]]:
    """Show on standard error how many of the edits that were read are done; gone when it ends."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("edits"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True, force_terminal=True)  # the caller has looked
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as progress:
        bar = progress.add_task("edits", total=None)
        yield lambda done, read: progress.update(bar, completed=done, total=read)


def show_table(titles: Sequence[str], rows: Sequence[Sequence[str]], console: Console | None = None) -> None:
    """Print a table; the text in it is shown as it is, and never steers the terminal."""
    from rich.table import Table

    table = Table(*titles, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(Text(cell.translate(_PICTURES)) for cell in row))
    (console or Console(highlight=False)).print(table)


def rows_of(change: Sides) -> list[Text]:
    """Render the rows of a diff, coloured; control characters of the file are shown as pictures."""
    old, new = _highlighted(change, old=True), _highlighted(change, old=False)
    rows: list[Text] = []
    run: list[tuple[str, Text]] = []  # removed and added lines that stand together
    at = other = 0
    in_hunk = False
    for row in render_diff(change).split("\n")[:-1]:
        if not (in_hunk and row.startswith(("+", "-"))):
            rows += _run_of_rows(run)
            run = []
        if row.startswith("@@ "):
            in_hunk = True
            at, other = _starts(row)
            rows.append(Text(row, style="cyan"))
        elif not in_hunk:
            rows.append(Text(row, style="bold"))
        elif row.startswith("\\"):
            rows.append(Text(row, style="dim"))
        else:
            sign = row[0]
            lines, number = (old, at) if sign == "-" else (new, other)
            shown = row[1:].removesuffix("\r").translate(_PICTURES)
            code = lines[number].copy() if number < len(lines) else Text(shown)
            if code.plain != shown:
                code = Text(shown)
            if sign == " ":
                rows.append(Text(sign).append_text(code))
            else:
                run.append((sign, code))
            at += sign != "+"
            other += sign != "-"
    return rows + _run_of_rows(run)


def _run_of_rows(run: Sequence[tuple[str, Text]]) -> list[Text]:
    """Rows of lines that were removed and added in one place, with the words marked that changed."""
    styles = theme()
    sides = {sign: [code for each, code in run if each == sign] for sign in "-+"}
    plain = {sign: [code.plain for code in codes] for sign, codes in sides.items()}
    for number, other in pair_lines(plain["-"], plain["+"]) if plain["-"] and plain["+"] else ():
        marked = changed_words(plain["-"][number], plain["+"][other])
        for sign, code, spans in zip("-+", (sides["-"][number], sides["+"][other]), marked, strict=True):
            for first, last in spans:
                code.stylize(styles[f"word {sign}"], first, last)
    rows = []
    for sign, code in run:
        row = Text().append(sign, "bold green" if sign == "+" else "bold red").append_text(code)
        row.stylize_before(styles[sign])
        rows.append(row)
    return rows


def _starts(header: str) -> tuple[int, int]:
    """0-based first lines of a hunk, from its header: ``@@ -3,2 +4 @@`` gives (2, 3)."""
    old, new = header.split(" ")[1:3]
    first, second = (int(part[1:].partition(",")[0]) for part in (old, new))
    return max(first - 1, 0), max(second - 1, 0)


def _highlighted(change: Sides, *, old: bool) -> list[Text]:
    from rich.syntax import Syntax

    source = change.before if old else change.after
    if source is None:
        return []
    # Lines as git sees them; the highlighter must not see other line ends than its own
    text = "\n".join(line.removesuffix("\r") for line in source.text.split("\n")).translate(_PICTURES)
    if text.count("\n") > _LONGEST:
        return [Text(line) for line in text.split("\n")]
    name = change.path if old else change.new_path or change.path
    lexer = Syntax.guess_lexer(name, text)
    return list(Syntax("", lexer, theme=theme()["syntax"]).highlight(text).split("\n", allow_blank=True))


# --- progress -----------------------------------------------------------------------------------------


def show_answer(console: Console | None = None) -> Callable[[Progress | None], None]:
    """What draws what a model does and how far its answer is, on standard error; None takes that away."""
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("model {task.fields[doing]}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %  {task.fields[speed]}"),
    )
    bars = Bars(*columns, console=console or Console(stderr=True), transient=True)
    task = bars.add_task("model", total=None, speed="", doing="")
    wrote: list[float] = []  # when it began to write

    def show(progress: Progress | None) -> None:
        if progress is None:
            bars.stop()
            return
        bars.start()
        doing = f"{progress.stage}: {progress.about[:_MOST_ABOUT]}" if progress.about else progress.stage
        if progress.stage != "writing":
            wrote.clear()
            bars.update(task, completed=0, total=None, speed="", doing=doing, refresh=True)
            return
        wrote[:] = wrote or [time.monotonic()]
        seconds, speed = time.monotonic() - wrote[0], ""
        if seconds > 0:
            speed = (
                f"{progress.written / seconds:,.0f} characters/s, {progress.tokens / seconds:,.0f} tokens/s"
            )
        done = min(progress.written, progress.expected)
        bars.update(task, completed=done, total=max(1, progress.expected), speed=speed, doing=doing)

    return show


def show_download(name: str) -> tuple[Callable[[int, int], None], Callable[[], None]]:
    """What draws how much of a file has come, on standard error, and what takes that away."""
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    bars = Bars(*columns, console=Console(stderr=True), transient=True)
    task = bars.add_task(name, total=None)
    bars.start()

    def show(had: int, whole: int) -> None:
        bars.update(task, completed=had, total=whole or None)

    return show, bars.stop


# --- benchmarks -----------------------------------------------------------------------------------------


def show_bench(rows: Sequence[dict[str, Any]], summary: dict[str, Any]) -> None:
    """Print the tables of `fastapply bench`."""
    from rich.table import Table

    console = Console(highlight=False)
    titles = ("case", "lines", "tokens", "drafted", "accepted", "steps")
    table = Table(*titles, "tok/s", "limit", "share", "as predicted", title=summary["model"])
    for row in rows:
        table.add_row(
            *(str(row[key]) for key in ("case", "lines", "output_tokens", "drafted", "accepted", "steps")),
            f"{row['output_tokens'] / row['seconds']:.0f}",
            f"{row['output_tokens'] / row['limit_seconds']:.0f}",
            f"{row['share_of_limit']:.2f}",
            "yes" if row["predicted_is_output"] else "no",
        )
    console.print(table)
    groups = {"predicted": "as predicted", "not_predicted": "not as predicted", "endless": "without an end"}
    for name, words in {**groups, "all": "all"}.items():
        if name in summary:
            one = summary[name]
            console.print(
                f"{words}: {one['cases']} cases, {one['tokens_per_second']:.0f} tokens/s, "
                f"{one['share_of_limit']:.2f} of the limit ({one['limit_tokens_per_second']:.0f}), "
                f"one at a time {one['one_at_a_time_tokens_per_second']:.0f}"
            )
    if "compared" in summary:
        console.print(
            f"same as one token at a time: {summary['same_as_one_at_a_time']} of {summary['compared']}; "
            f"margins of the logits at the forks: "
            + (", ".join(f"{margin:.3f}" for margin in summary["fork_margins"]) or "none")
        )
    if "region" in summary:
        console.print(f"region mode, 10,000 lines over 250: {summary['region']['ratio']:.2f} times the time")
    worker = summary.get("worker")
    if worker is None:  # it was interrupted
        return
    console.print(
        f"worker: {worker['cold_seconds']:.2f} s cold, then {worker['warm_overhead_seconds'] * 1e3:.1f} ms "
        "beyond the model's own time"
    )
    console.print(
        f"peak memory of the worker {worker['peak_memory_mb']:.0f} MB, of it {summary['model_mb']:.0f} MB "
        "the model's file"
    )


# --- words and Markdown --------------------------------------------------------------------------------


def pair_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pair the removed lines of a run with the added ones that stand in their place, by number.

    Runs of equal length are paired in order; else each line with the next one that is like it.
    """
    if len(old) == len(new):
        yield from zip(range(len(old)), range(len(new)), strict=True)
        return
    if max(len(old), len(new)) > _MOST:
        return
    free = 0
    for number, line in enumerate(old):
        for other in range(free, len(new)):
            if changed_words(line, new[other]) != ((), ()):
                yield number, other
                free = other + 1
                break


def changed_words(old: str, new: str) -> tuple[Spans, Spans]:
    """The spans of both lines that differ; none where they are equal, or have little in common."""
    if old == new or max(len(old), len(new)) > _LONGEST_LINE:
        return (), ()
    words, others = _WORD.findall(old), _WORD.findall(new)
    blocks = SequenceMatcher(None, words, others, autojunk=False).get_opcodes()
    same = sum(len("".join(words[a:b]).replace(" ", "")) for tag, a, b, _, _ in blocks if tag == "equal")
    most = max(len(old.replace(" ", "")), len(new.replace(" ", "")))
    if same < most * _IN_COMMON:
        return (), ()
    changed = [block[1:] for block in blocks if block[0] != "equal"]
    return _spans(words, [(a, b) for a, b, _, _ in changed]), _spans(
        others, [(c, d) for _, _, c, d in changed]
    )


def _spans(words: Sequence[str], ranges: Sequence[tuple[int, int]]) -> Spans:
    """Columns of ranges of words; ranges that only a space parts are one."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    spans: list[tuple[int, int]] = []
    for first, last in ranges:
        if first == last:
            continue
        if spans and not "".join(words)[spans[-1][1] : starts[first]].strip():
            spans[-1] = (spans[-1][0], starts[last])
        else:
            spans.append((starts[first], starts[last]))
    return tuple(spans)


def render_markdown(text: str, *, colour: bool) -> str:
    """Make a text of Markdown one for a terminal: as wide as that is, and 100 columns at most."""
    from rich.markdown import CodeBlock, Heading, Markdown, TableElement
    from rich.syntax import Syntax
    from rich.theme import Theme

    class Title(Heading):
        """A heading that stands at the left, without a box."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            self.text.justify = "left"
            yield self.text

    class Code(CodeBlock):
        """A block of code that is moved in, without rows of padding."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            yield Syntax(
                str(self.text).rstrip(), self.lexer_name, theme=self.theme, word_wrap=True, padding=(0, 2)
            )

    class Rows(TableElement):
        """A table whose cells break long words, and cut none."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for table in super().__rich_console__(console, options):
                for column in getattr(table, "columns", ()):
                    column.overflow = "fold"
                yield table

    own = {"heading_open": Title, "fence": Code, "code_block": Code, "table_open": Rows}

    class Page(Markdown):
        elements: ClassVar[dict[str, Any]] = {**Markdown.elements, **own}

    file = io.StringIO()
    console = make_console(file, colour=colour)
    console.width = min(console.width, 100)
    console.push_theme(Theme({"markdown.code": "cyan", "markdown.h1": "bold", "markdown.h2": "bold"}))
    console.print(Page(text, code_theme=theme()["syntax"], hyperlinks=False))
    return "\n".join(row.rstrip() for row in file.getvalue().split("\n"))
