"""Which models are on this machine, and which one the user chose.

A model is named by its registry name or by the path of a GGUF file. The choice is kept in the state folder,
since `auto` asks a model only where the user has chosen one.

Those that are known by name stand in `models/registry.toml`, which lies in the wheel as well.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from fastapply.errors import ModelTrouble, UsageError
from fastapply.folders import models_folder, state_folder
from fastapply.models.engine import Trust
from fastapply.models.gguf_header import read_header
from fastapply.models.prompts import STYLES, StyleName
from fastapply.values import dataclass, fields_of

if TYPE_CHECKING:
    from fastapply.models.gguf_header import Value

STYLE_KEY = "fastapply.prompt_style"
"""The key of a GGUF file's metadata that names its prompt."""
_TOLD_BY_NAME = (
    ("fastapply", "kortix"),
    ("fastedit", "fastedit"),
    ("osmosis", "osmosis"),
    ("aixapply", "aixapply"),
)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_GIT_SHA1 = re.compile(r"[0-9a-f]{40}")
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Chosen:
    """A model that can be opened: where it is, and how to talk to it."""

    name: str
    path: Path
    style: StyleName
    context_length: int  # tokens; 0 where it is not known
    adapter: Path | None = None  # a LoRA adapter that `path` is the base of
    trust: Trust | None = None  # where the registry says how far it may be believed


@dataclass(frozen=True, slots=True)
class KnownModel:
    """One model of the registry; `file` is "" where no GGUF file is known."""

    name: str
    title: str
    repo: str
    file: str
    quantisation: str
    bytes: int  # about
    sha256: str  # "" where it is not known
    licence: str
    context: int  # tokens; 0 where it is not known
    style: StyleName
    end_tag: str
    base: str
    notes: str
    measured: str  # whether its answers were, by this project; "no", or what is known
    source: str
    revision: str = "main"
    adapter: str = ""  # a GGUF LoRA adapter beside the registry; `file` is then its base
    adapter_bytes: int = 0
    adapter_sha256: str = ""
    trust: Trust | None = None  # when what it writes is believed; None where that was not measured


@cache
def entries() -> tuple[KnownModel, ...]:
    """All models of the registry, in its order."""
    import tomllib

    rows = tomllib.loads(registry_file().read_text(encoding="utf-8"))["model"]
    found = tuple(
        KnownModel(**{**row, "trust": Trust(**row["trust"]) if "trust" in row else None}) for row in rows
    )
    for entry in found:
        if entry.style not in STYLES:
            msg = f"{entry.name} has an unknown style, {entry.style}"
            raise ValueError(msg)
    return found


def registry_file() -> Path:
    """Where the registry lies: in an installed package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "models" / "registry.toml"
    return inside if inside.exists() else package.parent / "models" / "registry.toml"


def adapter_file(entry: KnownModel) -> Path | None:
    """The adapter of a model, which comes with the program; None where it has none.

    Raises `ModelTrouble` (``missing_model``) where the installation lost it, or holds another one.
    """
    if not entry.adapter:
        return None
    path = registry_file().parent / entry.adapter
    if not path.exists() or (entry.adapter_bytes and path.stat().st_size != entry.adapter_bytes):
        raise ModelTrouble(
            f"the adapter of {entry.name} is damaged: {path}",
            reason="missing_model",
            hint="reinstall fastapply",
        )
    return path


def find_entry(name: str) -> KnownModel | None:
    """The model of a name; None where the registry has none."""
    return next((entry for entry in entries() if entry.name == name), None)


def known_entry(name: str) -> KnownModel:
    """The model of a name. Raises `ModelTrouble` (``unknown_model``), with the names that there are."""
    entry = find_entry(name)
    if entry is None:
        raise ModelTrouble(
            f"unknown model {name!r}",
            reason="unknown_model",
            hint=f"known are {', '.join(one.name for one in entries())}; or name a GGUF file by its path",
        )
    return entry


def chosen_model() -> Chosen | None:
    """The user's choice; None where there is none. Raises `ModelTrouble` where its file has gone."""
    try:
        kept = json.loads(_choice_file().read_text(encoding="utf-8"))
        trust = kept.get("trust")
        chosen = Chosen(
            str(kept["name"]),
            Path(kept["path"]),
            _known_style(kept["style"]),
            int(kept["context_length"]),
            Path(kept["adapter"]) if kept.get("adapter") else None,
            Trust(**trust) if trust else None,
        )
    except (OSError, ValueError, KeyError, TypeError, UsageError):
        return None
    for path in (chosen.path, chosen.adapter):
        if path is not None and not path.exists():
            raise ModelTrouble(
                f"the selected model {chosen.name} is missing: {path}",
                reason="missing_model",
                hint=f"fastapply models pull {chosen.name}, or choose another one: fastapply models use NAME",
            )
    return chosen


def choose_model(chosen: Chosen) -> None:
    """Make a model the one that is asked where a merge is not certain."""
    kept = {
        **fields_of(chosen),
        "path": str(chosen.path),
        "adapter": str(chosen.adapter) if chosen.adapter else None,
        "trust": chosen.trust and fields_of(chosen.trust),
    }
    _choice_file().write_text(json.dumps(kept), encoding="utf-8")


def choose_none() -> bool:
    """Take the choice back; false where there was none."""
    there = _choice_file().exists()
    _choice_file().unlink(missing_ok=True)
    return there


def resolve(
    name: str, style: str | None = None, *, base: Path | None = None, adapter: Path | None = None
) -> Chosen:
    """The model of a registry name or of a path.

    `base` is a file on this machine that the model of a registry name is to take in place of a pulled one;
    `adapter` a LoRA adapter for the model of a path.

    Raises `ModelTrouble`: ``unknown_model``, ``not_pulled``, ``missing_model``, ``bad_model``,
    ``bad_adapter``, ``wrong_base`` where `base` is another file, ``no_style`` where nothing tells what prompt
    a file was trained on; `UsageError` for a `base` or an `adapter` where it makes no sense.
    """
    entry = find_entry(name)
    if entry is not None:
        if adapter is not None:
            raise UsageError(f"{name} is a known model; --adapter requires a PATH")
        return _resolve_entry(entry, style, base)
    path = Path(name).expanduser()
    if not path.exists() and path.suffix != ".gguf" and len(path.parts) == 1:
        known_entry(name)  # raises, with the names
    if base is not None:
        raise UsageError(f"{name} is not a known model; --base requires a NAME")
    return _resolve_file(path.absolute(), style, adapter and adapter.expanduser().absolute())


def _resolve_entry(entry: KnownModel, style: str | None, base: Path | None) -> Chosen:
    path = entry_file(entry)
    if base is not None:
        path = _checked_base(entry, base.expanduser().absolute())
    elif not entry.file or not path.exists():
        kept = chosen_model()
        if kept is None or kept.name != entry.name:
            raise ModelTrouble(
                f"the model {entry.name} is not downloaded",
                reason="not_pulled",
                hint=f"fastapply models pull {entry.name}; or, if you already have the file: "
                f"fastapply models use {entry.name} --base PATH"
                if entry.file
                else entry.notes,
            )
        path = kept.path
    adapter = adapter_file(entry)
    if adapter is not None and base is not None and not is_right(adapter, 0, entry.adapter_sha256):
        raise ModelTrouble(
            f"the adapter of {entry.name} is damaged: {adapter}",
            reason="bad_adapter",
            hint="reinstall fastapply",
        )
    header = read_header(path)
    if adapter is not None:
        read_adapter(adapter, header)
    context = entry.context or _context(header)
    trust = entry.trust if style in {None, entry.style} else None
    return Chosen(entry.name, path, _known_style(style or entry.style), context, adapter, trust)


def _checked_base(entry: KnownModel, path: Path) -> Path:
    """A file that was named as the base of a model, if it is that."""
    if not path.exists():
        raise ModelTrouble(f"no model file at {path}", reason="missing_model")
    if not is_right(path, 0, entry.sha256):
        raise ModelTrouble(
            f"{path} is not the file that {entry.name} needs: the sha256 differs",
            reason="wrong_base",
            hint=f"{entry.name} needs {entry.file} of {entry.repo}: fastapply models pull {entry.name}",
        )
    return path


def read_adapter(path: Path, base: dict[str, Value]) -> dict[str, Value]:
    """The header of an adapter for a base with this header. Raises `ModelTrouble` (``bad_adapter``)."""
    header = read_header(path)
    why = ""
    if (header.get("general.type"), header.get("adapter.type")) != ("adapter", "lora"):
        why = "it is not a LoRA adapter"
    elif header.get("general.architecture") != base.get("general.architecture"):
        why = (
            f"it is for {header.get('general.architecture')}, the base is {base.get('general.architecture')}"
        )
    if why:
        raise ModelTrouble(f"{path} cannot be used: {why}", reason="bad_adapter")
    return header


def entry_file(entry: KnownModel) -> Path:
    """Where the file of a registry model is, once it is pulled."""
    return models_folder() / (entry.file or f"{entry.name}.gguf")


def is_right(path: Path, size: int, digest: str) -> bool:
    """Whether a file has this size (0: any) and this hash, a sha256 or that of a git blob.

    A hash of no known kind is passed over.
    """
    import hashlib

    if size and path.stat().st_size != size:
        return False
    if _SHA256.fullmatch(digest):
        hashed = hashlib.sha256()
    elif _GIT_SHA1.fullmatch(digest):
        hashed = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    else:
        return True
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            hashed.update(chunk)
    return hashed.hexdigest() == digest


def remove_model(entry: KnownModel) -> bool:
    """Delete the file of a registry model; false where there was none."""
    path = entry_file(entry)
    there = path.exists()
    path.unlink(missing_ok=True)
    kept = _read_choice_path()
    if kept == path:
        choose_none()
    return there


def _read_choice_path() -> Path | None:
    try:
        return Path(json.loads(_choice_file().read_text(encoding="utf-8"))["path"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _choice_file() -> Path:
    return state_folder() / "model.json"


def _resolve_file(path: Path, style: str | None, adapter: Path | None) -> Chosen:
    header = read_header(path)
    own = header if adapter is None else read_adapter(adapter, header)
    names = f"{path.name} {header.get('general.name', '')}".lower().replace("-", "")
    by_name = next((style for part, style in _TOLD_BY_NAME if part in names), None)
    told = style or own.get(STYLE_KEY) or header.get(STYLE_KEY) or by_name
    if told is None:
        kept = _read_choice_path()
        if kept == path:
            found = chosen_model()
            told = found.style if found else None
    if told is None:
        raise ModelTrouble(
            f"nothing in {adapter or path} names its prompt style",
            reason="no_style",
            hint=f"fastapply models use {path} --style, one of {', '.join(get_args(StyleName))}",
        )
    name, style_name = (adapter or path).stem, _known_style(str(told))
    return Chosen(name, path, style_name, _context(header), adapter)


def _context(header: dict[str, Value]) -> int:
    length = header.get(f"{header.get('general.architecture')}.context_length", 0)
    return int(length)


def _known_style(style: str) -> StyleName:
    for known in get_args(StyleName):
        if known == style:
            return known  # type: ignore[no-any-return]
    raise UsageError(
        f"unknown prompt style {style!r}", hint=f"the styles are: {', '.join(get_args(StyleName))}"
    )
