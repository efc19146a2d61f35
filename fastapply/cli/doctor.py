"""`fastapply doctor`: what is installed, what works, what to do about the rest."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import closing
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from fastapply import __version__
from fastapply.cli import options as opt  # noqa: TC001 - Typer reads the annotations
from fastapply.config import load
from fastapply.errors import FastapplyError, FileTrouble
from fastapply.folders import state_folder
from fastapply.models.remote import ENDPOINT_VARIABLE
from fastapply.server import missing_libraries
from fastapply.terminal.output import say_row, show_json
from fastapply.values import dataclass, fields_of, replace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastapply.models.engine import ApplyModel
    from fastapply.types import Usage

Status = Literal["ok", "missing", "broken"]
BROKEN = 1
_CODE = "def greet(name):\n    return name\n"
_EDIT = 'def greet(name):\n    return "hello " + name\n'
_CHARACTERS = 60
_BETWEEN = 10.0  # seconds that a worker waits for the second answer of a self-test
_GPU_STEP = (
    "for CUDA: CMAKE_ARGS=-DGGML_CUDA=on pip install --force-reinstall --no-cache-dir llama-cpp-python; "
    "on macOS a build from source has Metal by itself"
)
_NEEDED = (
    "typer",
    "rich",
    "GitPython",
    "unidiff",
    "huggingface-hub",
    "platformdirs",
    "filelock",
    "tree-sitter",
    "tree-sitter-language-pack",
)
_LANGUAGES = (
    "bash",
    "c",
    "cpp",
    "csharp",
    "css",
    "go",
    "html",
    "java",
    "javascript",
    "json",
    "kotlin",
    "php",
    "python",
    "ruby",
    "rust",
    "sql",
    "swift",
    "toml",
    "tsx",
    "typescript",
    "yaml",
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; `advice` says what to do where it is not ``ok``."""

    name: str
    status: Status
    needed: bool
    detail: str
    advice: str = ""


def command(json: opt.AsJson = False) -> int:
    """Check the installation and suggest fixes.

    The exit status is 1 if a required part is broken.
    """
    checks = tuple(_checks())
    healthy = all(check.status == "ok" for check in checks if check.needed)
    if json:
        show_json({"schema": 1, "ok": healthy, "checks": [fields_of(check) for check in checks]})
        return 0 if healthy else BROKEN
    width = max(len(check.name) for check in checks)
    for check in checks:
        style = {"ok": "good", "missing": "open", "broken": "bad"}[check.status]
        say_row(f"{check.status:<8} {check.name:<{width}}  {check.detail}", hang=width + 11, style=style)
        if check.advice:
            say_row(f"{'':8} {'':{width}}  -> {check.advice}", hang=width + 14, style="hint")
    return 0 if healthy else BROKEN


def _checks() -> Iterable[Check]:
    python = ".".join(str(part) for part in sys.version_info[:3])
    yield Check("fastapply", "ok", True, f"{__version__} on Python {python}")
    for name in _NEEDED:
        try:
            yield Check(name, "ok", True, metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Check(name, "missing", True, "not installed", f"pip install {name}")
    yield _grammars()
    yield _git()
    yield _state_folder()
    yield _configuration()
    yield from _model()
    yield _server()
    if os.environ.get(ENDPOINT_VARIABLE):
        yield _endpoint()


def _grammars() -> Check:
    """Parse one line with each of the usual grammars."""
    from fastapply.syntax import parse

    failing = [name for name in _LANGUAGES if parse("\n", name) is None]
    detail = f"{len(_LANGUAGES) - len(failing)} of {len(_LANGUAGES)} common languages"
    if not failing:
        return Check("grammars", "ok", True, detail)
    advice = "pip install --force-reinstall 'tree-sitter-language-pack>=0.13,<1'"
    return Check("grammars", "broken", True, f"{detail}; not {', '.join(failing)}", advice)


def _git() -> Check:
    advice = "install git to use --stage and --require-clean"
    found = shutil.which("git")
    if found is None:
        return Check("git", "missing", False, "not found", advice)
    try:
        said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError) as error:
        return Check("git", "broken", False, str(error), advice)
    return Check("git", "ok", False, said.stdout.strip())


def _state_folder() -> Check:
    """Write and remove a file where locks and journals are kept."""
    try:
        folder = state_folder()
        probe = folder / f"doctor-{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
    except (OSError, FastapplyError) as error:
        advice = getattr(error, "hint", "") or "set FASTAPPLY_STATE_DIR to a folder that you own"
        return Check("state folder", "broken", True, str(error), advice)
    return Check("state folder", "ok", True, str(Path(folder)))


def _configuration() -> Check:
    """Read the settings for the current directory."""
    try:
        found = load()
    except FastapplyError as error:
        return Check(
            "configuration", "broken", True, error.message, error.hint or "fix that file or variable"
        )
    files = [file for file in (found.user_file, found.project_file) if file is not None and file.exists()]
    advice = "; ".join(found.warnings)
    return Check(
        "configuration", "ok", True, ", ".join(map(str, files)) or "all settings are defaults", advice
    )


def _model() -> Iterable[Check]:
    """llama.cpp in a process of its own, and the chosen model with a short answer of its."""
    if find_spec("llama_cpp") is None:
        advice = "pip install '.[model]' in a checkout of fastapply, to let an apply model decide them"
        detail = "not installed; optional: without it, ambiguous edits are refused"
        yield Check("llama-cpp-python", "missing", False, detail, advice)
        return
    from fastapply.models.worker.probe import ask_backend

    try:
        version = metadata.version("llama-cpp-python")
    except metadata.PackageNotFoundError:
        version = "unknown version"
    try:
        told = ask_backend()
    except FastapplyError as error:
        yield Check("llama-cpp-python", "broken", False, error.message, error.hint)
        return
    kind = "offloads to the GPU" if told.get("gpu") else "on the CPU only"
    yield Check("llama-cpp-python", "ok", False, f"{version}, {kind}", "" if told.get("gpu") else _GPU_STEP)
    yield _chosen_model()


def _chosen_model() -> Check:
    """The chosen model, with a short answer of its."""
    from fastapply.models.opening import open_model
    from fastapply.models.worker.probe import uses_extra_buffers

    try:
        model = open_model(None, engine="auto", idle_seconds=_BETWEEN)
        if model is None:
            return Check(
                "model",
                "missing",
                False,
                "no model is selected",
                "run fastapply models list, then fastapply models pull NAME and fastapply models use NAME",
            )
        usage = self_test(model)
        if usage.load_seconds:  # it was started for this test
            model.stop()
    except FileTrouble as trouble:  # the state folder, which has a line of its own
        return Check("model", "missing", False, trouble.message)
    except FastapplyError as error:
        return Check("model", "broken", False, error.message, error.hint)
    speed = usage.output_tokens / usage.decode_seconds if usage.decode_seconds else 0.0
    detail = f"{model.name}, prompt {model.style}, {speed:.0f} tokens/s in a self-test"
    if uses_extra_buffers() is False:
        detail += "; without repacked weights, which crash on this CPU"
    return Check("model", "ok", False, detail)


def self_test(model: ApplyModel) -> Usage:
    """Ask for the merge of two lines, twice; gives what the second answer took. Raises `ModelTrouble`.

    The first one waits until the model's pages come from the disk, and measures that; what loading took is
    told all the same.
    """
    from fastapply.models.engine import Drafts, Task
    from fastapply.models.prompts import ShownToModel, render_prompt

    prompt = render_prompt(model.style, ShownToModel(_CODE, _EDIT, "python"))
    task = Task(prompt, Drafts("", "", ""), _CHARACTERS)
    first = model.complete(task).usage
    return replace(model.complete(task).usage, load_seconds=first.load_seconds)


def _server() -> Check:
    missing = missing_libraries()
    if missing:
        advice = "pip install '.[server]' in a checkout of fastapply, for mcp and serve"
        return Check("servers", "missing", False, f"{', '.join(missing)} not installed", advice)
    return Check(
        "servers", "ok", False, f"mcp {metadata.version('mcp')}, uvicorn {metadata.version('uvicorn')}"
    )


def _endpoint() -> Check:
    """Ask the server that the environment names for its models."""
    from fastapply.models.remote.endpoint import find_endpoint
    from fastapply.models.remote.model import Transport

    try:
        endpoint = find_endpoint()
        assert endpoint is not None  # noqa: S101 - it is named
        with closing(Transport(replace(endpoint, timeout=5.0))) as transport:
            transport.get("/models")
    except FastapplyError as error:
        return Check("endpoint", "broken", False, error.message, error.hint)
    return Check("endpoint", "ok", False, f"{endpoint.host} answers")
