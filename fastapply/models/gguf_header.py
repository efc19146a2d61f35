"""The metadata at the head of a GGUF file, read without llama.cpp: a damaged file must do no harm here.

    "GGUF" version(u32) tensors(u64) values(u64) { key, type(u32), value } ...

Strings are a length (u64) and UTF-8. Version 1, big-endian files and arrays are not read: arrays are
skipped. Source: the GGUF specification of ggml.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from fastapply.errors import ModelTrouble

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

Value = str | int | float | bool
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MOST_KEYS, _MOST_TEXT, _MOST_ITEMS = 4096, 1 << 24, 1 << 24


def read_header(path: Path) -> dict[str, Value]:
    """The single values of a GGUF file's metadata by their keys.

    Raises `ModelTrouble`: ``missing_model`` where there is no such file, ``bad_model`` for one that is no
    GGUF file, or is cut off within its head.
    """
    try:
        with path.open("rb") as file:
            return _read(file)
    except FileNotFoundError:
        raise ModelTrouble(f"no model file at {path}", reason="missing_model") from None
    except OSError as error:
        raise ModelTrouble(f"cannot read {path}: {error.strerror or error}", reason="missing_model") from None
    except (struct.error, ValueError, EOFError):
        raise ModelTrouble(
            f"{path} is not a valid GGUF file", reason="bad_model", hint="download it again"
        ) from None


def _read(file: BinaryIO) -> dict[str, Value]:
    if file.read(4) != b"GGUF":
        raise ValueError
    version, _tensors, keys = _unpack(file, "IQQ")
    if not 2 <= version < 100 or keys > _MOST_KEYS:
        raise ValueError
    found: dict[str, Value] = {}
    for _ in range(keys):
        key = _text(file)
        (kind,) = _unpack(file, "I")
        if kind == _ARRAY:
            _skip_array(file)
        else:
            found[key] = _text(file) if kind == _STRING else _unpack(file, _scalar(kind))[0]
    return found


def _scalar(kind: int) -> str:
    if kind not in _SCALARS:
        raise ValueError
    return _SCALARS[kind]


def _unpack(file: BinaryIO, layout: str) -> tuple[int, ...]:
    size = struct.calcsize("<" + layout)
    return struct.unpack("<" + layout, file.read(size))


def _text(file: BinaryIO) -> str:
    (length,) = _unpack(file, "Q")
    if length > _MOST_TEXT:
        raise ValueError
    data = file.read(length)
    if len(data) < length:
        raise EOFError
    return data.decode("utf-8", "replace")


def _skip_array(file: BinaryIO) -> None:
    kind, count = _unpack(file, "IQ")
    if count > _MOST_ITEMS:
        raise ValueError
    if kind == _STRING:
        for _ in range(count):
            _text(file)
    else:
        size = struct.calcsize("<" + _scalar(kind)) * count
        if len(file.read(size)) < size:
            raise EOFError
