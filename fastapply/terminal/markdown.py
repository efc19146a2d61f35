"""A text of Markdown for a terminal: a topic of `fastapply help`."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, ClassVar

from fastapply.terminal.view import make_console, theme

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


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
