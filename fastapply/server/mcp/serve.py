"""The MCP server itself: tools for the SDK, the client's roots, standard input and output.

Annotations are not kept as text here: the SDK reads them, and some name what only a call of
`make_server` knows.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import ListRoots, Resolve
from mcp.types import CallToolResult, ListRootsResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from fastapply import __version__
from fastapply.errors import FastapplyError
from fastapply.models.engine import ApplyModel
from fastapply.server.mcp import tools
from fastapply.server.mcp.tools import error_answer, folders_of, working_folder

_INSTRUCTIONS = """\
Edits files without rewriting them: send only what changes, with `... existing code ...` for the rest. \
An ambiguous edit is refused with the reason, and the file stays unchanged.
"""
_MOST_EDITS = 100


Target = Annotated[str, Field(description=tools.TARGET)]
Instructions = Annotated[str, Field(description=tools.INSTRUCTIONS)]
CodeEdit = Annotated[str, Field(description=tools.CODE_EDIT)]
AtLines = Annotated[str, Field(description=tools.AT_LINES)]
Where = Annotated[str, Field(description=tools.WHERE)]
Pick = Annotated[int | str, Field(description=tools.PICK)]
CreateFile = Annotated[bool, Field(description=tools.CREATE_FILE)]


class FileEdit(BaseModel):
    """One edit of `edit_files`."""

    target_file: Target
    code_edit: CodeEdit
    instructions: Instructions = ""
    at_lines: AtLines = ""
    where: Where = ""
    pick: Pick = ""
    create_file: CreateFile = False


def make_server(root: Path | None, open_model: Callable[[], ApplyModel | None] | None = None) -> MCPServer:
    """Make the server; `root` is the only folder it edits, None leaves that to the client.

    `open_model` opens the model that is asked about ambiguous edits.
    """

    async def ask_for_roots(context: Context) -> ListRoots | ListRootsResult | None:
        able = context.client_capabilities
        return ListRoots() if root is None and able is not None and able.roots is not None else None

    Roots = Annotated[ListRootsResult | None, Resolve(ask_for_roots)]  # noqa: N806 - a type

    async def run(
        requests: list[tools.Request], named: ListRootsResult | None, *, write: bool
    ) -> CallToolResult:
        try:
            if root is not None:
                folders: tuple[Path, ...] = (root,)
            else:
                uris = None if named is None else [str(one.uri) for one in named.roots]
                folders = working_folder() if uris is None else folders_of(uris)
        except FastapplyError as error:
            answer = tools.Answer(error_answer(error), failed=True)
        else:
            answer = await tools.run_edits(folders, requests, write=write, open_model=open_model)
        return CallToolResult(content=[TextContent(type="text", text=answer.text)], is_error=answer.failed)

    def for_one_file(*, write: bool) -> Callable[..., Awaitable[CallToolResult]]:
        async def edit(
            target_file: Target,
            instructions: Instructions,
            code_edit: CodeEdit,
            named: Roots,
            *,
            at_lines: AtLines = "",
            where: Where = "",
            pick: Pick = "",
            create_file: CreateFile = False,
        ) -> CallToolResult:
            request = tools.Request(target_file, instructions, code_edit, at_lines, create_file, pick, where)
            return await run([request], named, write=write)

        return edit

    async def edit_files(
        edits: Annotated[list[FileEdit], Field(min_length=1, max_length=_MOST_EDITS)], named: Roots
    ) -> CallToolResult:
        return await run([tools.Request(**one.model_dump()) for one in edits], named, write=True)

    server = MCPServer(
        "fastapply", version=__version__, instructions=_INSTRUCTIONS, log_level="ERROR", subscriptions=False
    )
    writes = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    for name, edit, said, kind in (
        ("edit_file", for_one_file(write=True), tools.EDIT_FILE, writes),
        ("edit_files", edit_files, tools.EDIT_FILES, writes),
        ("preview_edit", for_one_file(write=False), tools.PREVIEW_EDIT, reads),
    ):
        server.add_tool(edit, name=name, description=said, annotations=kind, structured_output=False)
    return server


def serve(root: Path | None, open_model: Callable[[], ApplyModel | None] | None) -> None:
    """Serve one client on standard input and output until it goes away."""
    make_server(root, open_model).run("stdio")
