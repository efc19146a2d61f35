"""`fastapply models`: apply models, which ones there are, and which one is asked."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastapply.cli import options as opt  # noqa: TC001 - Typer reads the annotations
from fastapply.errors import ModelTrouble
from fastapply.models.gguf_header import read_header
from fastapply.models.opening import INSTALL
from fastapply.models.store import (
    Chosen,
    KnownModel,
    choose_model,
    choose_none,
    chosen_model,
    entries,
    entry_file,
    find_entry,
    known_entry,
    remove_model,
    resolve,
)
from fastapply.terminal.colours import is_terminal
from fastapply.terminal.output import say, say_row, show_json, tell
from fastapply.values import fields_of

if TYPE_CHECKING:
    from collections.abc import Callable


def _names(incomplete: str) -> list[tuple[str, str]]:
    """The registry's names, for a shell that completes them."""
    return [(entry.name, entry.title) for entry in entries() if entry.name.startswith(incomplete)]


def _names_to_use(incomplete: str) -> list[tuple[str, str]]:
    said = "use no model"
    return [*_names(incomplete), *([("none", said)] if "none".startswith(incomplete) else [])]


_NAME = Annotated[str, typer.Argument(metavar="NAME", help="A model name.", autocompletion=_names)]
_NAME_OR_PATH = Annotated[str, typer.Argument(metavar="NAME|PATH", help="A model name or a GGUF file.")]

_OWN = "Made for fastapply:"
_OTHERS = "Made by others (Kortix's FastApply models are not part of this project):"


def list_models(json: opt.AsJson = False) -> int:
    """List known models and their state."""
    try:
        chosen = chosen_model()
    except ModelTrouble as trouble:
        tell(f"{trouble.message} [{trouble.reason}]")
        chosen = None
    rows = [
        {
            **_object(entry),
            "pulled": bool(entry.file) and entry_file(entry).exists(),
            "chosen": chosen is not None and chosen.name == entry.name,
        }
        for entry in entries()
    ]
    if json:
        show_json({"schema": 1, "models": rows, "chosen": chosen and _chosen_object(chosen)})
        return 0
    width = max(len(entry.name) for entry in entries())
    own = [row for row in rows if row["adapter"]]
    others = [row for row in rows if not row["adapter"]]
    for title, group in ((_OWN, own), (_OTHERS, others)):
        say(title)
        for row in group:
            state = (
                "chosen" if row["chosen"] else "here" if row["pulled"] else "" if row["file"] else "no file"
            )
            what = f"{_size(row['bytes']):>8}  {row['licence']:<10}  {row['title']}"
            say_row(f"{state:<8} {row['name']:<{width}}  {what}", hang=width + 33, style="name")
    if chosen is not None and all(not row["chosen"] for row in rows):
        say(f"{'chosen':<8} {chosen.name}  {chosen.path}")
    if chosen is None:
        tell(
            "hint: download with `fastapply models pull apply-1.5b`, "
            "enable with `fastapply models use apply-1.5b`"
        )
    return 0


def pull(
    name: _NAME,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing on success.")] = False,
) -> int:
    """Download a model and verify it."""
    from fastapply.models.pull import pull_model

    entry = known_entry(name)
    if quiet or not is_terminal(sys.stderr):
        path = pull_model(entry)
    else:
        from fastapply.terminal.view import show_download

        watch, stop = show_download(name)
        try:
            path = pull_model(entry, watch)
        finally:
            stop()
    if not quiet:
        say(f"{name}: {path}")
    return 0


def use(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|PATH",
            help="A model name, a GGUF file, or none.",
            autocompletion=_names_to_use,
        ),
    ],
    style: Annotated[
        str | None,
        typer.Option("--style", metavar="STYLE", help="The prompt style, if the file does not name it."),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option("--base", metavar="PATH", help="Use this local file as NAME's base model."),
    ] = None,
    adapter: Annotated[
        str | None, typer.Option("--adapter", metavar="PATH", help="A GGUF LoRA adapter for PATH.")
    ] = None,
) -> int:
    """Use this model for ambiguous edits; `none` disables models."""
    if name == "none":
        say("models disabled" if choose_none() else "models are already disabled")
        return 0
    chosen = resolve(
        name, style, base=Path(base) if base else None, adapter=Path(adapter) if adapter else None
    )
    choose_model(chosen)
    say(f"{chosen.name} is now used for ambiguous edits (prompt style {chosen.style})")
    if find_spec("llama_cpp") is None:
        tell(f"hint: llama-cpp-python is not installed; run {INSTALL}")
    return 0


def show(name: _NAME_OR_PATH, json: opt.AsJson = False) -> int:
    """Show details of a model."""
    entry = find_entry(name)
    if entry is None:
        chosen = resolve(name)
        told: dict[str, Any] = {**_chosen_object(chosen), **_header(read_header(chosen.path))}
    else:
        path = entry_file(entry)
        here = bool(entry.file) and path.exists()
        told = {**_object(entry), "pulled": here, "path": str(path) if here else None}
        if here:
            told.update(_header(read_header(path)))
    if json:
        show_json({"schema": 1, **told})
        return 0
    width = max(len(key) for key in told)
    for key, value in told.items():
        if value not in ("", None):
            say(f"{key:<{width}}  {value}")
    return 0


def remove(name: _NAME) -> int:
    """Delete a downloaded model."""
    if not remove_model(known_entry(name)):
        raise ModelTrouble(f"the model {name} is not downloaded", reason="not_pulled")
    say(f"{name}: removed")
    return 0


def path(name: _NAME_OR_PATH) -> int:
    """Print the path of a model file."""
    say(str(resolve(name).path))
    return 0


COMMANDS: dict[str, Callable[..., int]] = {
    "list": list_models,
    "pull": pull,
    "use": use,
    "show": show,
    "remove": remove,
    "path": path,
}


def _object(entry: KnownModel | Chosen) -> dict[str, Any]:
    told = fields_of(entry)
    if entry.trust is not None:
        told["trust"] = fields_of(entry.trust)
    return told


def _chosen_object(chosen: Chosen) -> dict[str, Any]:
    adapter = str(chosen.adapter) if chosen.adapter else None
    return {**_object(chosen), "path": str(chosen.path), "adapter": adapter}


def _header(header: dict[str, Any]) -> dict[str, Any]:
    """What a GGUF file says of itself."""
    architecture = header.get("general.architecture")
    return {
        "architecture": architecture,
        "trained_context": header.get(f"{architecture}.context_length"),
        "layers": header.get(f"{architecture}.block_count"),
        "tokenizer": header.get("tokenizer.ggml.model"),
    }


def _size(count: int) -> str:
    if not count:
        return "?"
    return f"{count / 1e9:.2f} GB" if count >= 1e8 else f"{count / 1e6:.1f} MB"
