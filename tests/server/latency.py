"""What the servers add to a merge: medians of one run, in milliseconds.

    python tests/server/latency.py

The same deterministic edit of one file, warm, in turn: text to text in this process; through HTTP; a file
changed in this process; and through MCP over standard input and output. Last, an open edit whose answer a
scripted model has ready: text to text with the model in this process, and with it behind a server.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import openai

from fastapply import apply_edit
from fastapply.models.remote.endpoint import Endpoint
from fastapply.models.remote.model import RemoteModel
from fastapply.types import Options
from fastapply.workspace.patches import NamedEdit, change_named_files

if TYPE_CHECKING:
    from fastapply.models.engine import ApplyModel

ROUNDS = 60
CASE = Path(__file__).parents[1] / "cases" / "001-py-orders-windows"


def main() -> None:
    """Measure and print."""
    original = (CASE / "original.py").read_text(encoding="utf-8")
    edit = (CASE / "edit.txt").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FASTAPPLY_STATE_DIR"] = f"{folder}/state"
        measure_http(original, edit)
        anyio.run(measure_mcp, Path(folder), original, edit)
    measure_remote()


def measure_http(original: str, edit: str) -> None:
    """The pipeline against `POST /v1/chat/completions`, by the real `openai` client."""
    serve = [sys.executable, "-m", "fastapply", "serve", "--port", "0"]
    with subprocess.Popen(serve, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        url = server.stderr.readline().split()[-1]
        message = f"<code>{original}</code>\n<update>{edit}</update>"
        here, there = [], []
        with openai.OpenAI(base_url=f"{url}/v1", api_key="none") as client:
            for _ in range(ROUNDS):
                started = time.perf_counter()
                merged = apply_edit(original, edit).text
                between = time.perf_counter()
                answer = client.chat.completions.create(
                    model="any", messages=[{"role": "user", "content": message}]
                )
                there.append(time.perf_counter() - between)
                here.append(between - started)
                assert answer.choices[0].message.content == merged != original
        server.terminate()
    show("HTTP", here, there)


async def measure_mcp(folder: Path, original: str, edit: str) -> None:
    """A file changed and written, against `edit_file`, by the SDK's own client."""
    from mcp import Client, StdioServerParameters

    project = folder / "project"
    project.mkdir()
    file = project / "orders.py"
    arguments = {"target_file": file.name, "instructions": "", "code_edit": edit}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "fastapply", "mcp", "--root", str(project)],
        env=dict(os.environ),
    )
    here, there = [], []
    async with Client(server) as client:
        for _ in range(ROUNDS):
            file.write_text(original, encoding="utf-8")
            started = time.perf_counter()
            change_named_files(project, [NamedEdit(file.name, edit.encode(), Options())])
            here.append(time.perf_counter() - started)
            changed = file.read_bytes()
            file.write_text(original, encoding="utf-8")
            started = time.perf_counter()
            result = await client.call_tool("edit_file", arguments)
            there.append(time.perf_counter() - started)
            assert not result.is_error
            assert file.read_bytes() == changed != original.encode()
    show("MCP", here, there)


def measure_remote() -> None:
    """A model in this process against the same one behind a server on this machine."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from scripted import ScriptedModel
    from scripted_server import scripted_server

    block = "def f{0}():\n    x = 0\n    return x\n\n\n"
    original = "".join(block.format(number) for number in range(100))
    edit = "<<<<<<< SEARCH\n    return x\n=======\n    return x + 1\n>>>>>>> REPLACE\n"
    merged = original.replace(
        "def f41():\n    x = 0\n    return x\n", "def f41():\n    x = 0\n    return x + 1\n"
    )
    answer = f"<updated-code>{merged}</updated-code>"
    here: list[float] = []
    there: list[float] = []
    with scripted_server() as server:
        server.enqueue(answer)
        away = RemoteModel(Endpoint(server.url, "FastApply-1.5B"))
        models: tuple[tuple[list[float], ApplyModel], ...]
        for _ in range(ROUNDS):
            near = ScriptedModel()
            near.enqueue(answer)
            models = ((here, near), (there, away))
            for times, model in models:
                started = time.perf_counter()
                result = apply_edit(original, edit, path="a.py", model=model, full_file=True)
                times.append(time.perf_counter() - started)
                assert result.text == merged
        away.close()
    show("remote model", here, there)


def show(name: str, here: list[float], there: list[float]) -> None:
    """One line."""
    skipped = 5  # the first ones warm up
    plain, served = (statistics.median(times[skipped:]) * 1000 for times in (here, there))
    sys.stdout.write(f"{name}: {plain:.1f} ms here, {served:.1f} ms there, {served - plain:+.1f} ms\n")


if __name__ == "__main__":
    main()
