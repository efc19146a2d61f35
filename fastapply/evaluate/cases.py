"""A case: a file, an edit, and where it is known what must come of it; the project's one format for them.

Read from files of JSON lines, plain or compressed, or from folders of case folders. A line is an object::

    {"id": ..., "path": ..., "original": "...", "edit": "...", "expected": "...", "instructions": "...",
     "format": ..., "repository": ..., "licence": ...}

Only `original` and `edit` must be there. `accept` lists other results that are as right as `expected`,
`merged` is what a tool has made of it already; `must_refuse` (or ``expect_failure``) says that the edit is
to be refused. A case folder holds ``original.EXT``, ``edit.txt``, ``expected.EXT``, ``accept-N.EXT`` and
``case.json``. Bytes that are no UTF-8 are kept as surrogates, so that a text written out again is the same.
Cases without a file (`original` null) are left out.
"""

from __future__ import annotations

import gzip
import json
import lzma
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from fastapply.errors import FileTrouble
from fastapply.syntax import language_of
from fastapply.workspace.files.calls import Call, read_calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_TEXTS = frozenset({"original", "edit", "expected", "merged"})  # which may be empty, and mean it
_GZIP, _XZ = b"\x1f\x8b", b"\xfd7zXZ\x00"


@dataclass(frozen=True, slots=True)
class Case:
    """One edit of one file. An empty string says that something is not known."""

    id: str
    path: str
    original: str
    edit: str
    expected: str | None = None
    accept: tuple[str, ...] = ()
    must_refuse: bool = False
    instructions: str = ""
    format: str = ""
    style: str = ""
    language: str = ""
    repository: str = ""
    commit: str = ""
    licence: str = ""
    merged: str | None = None  # what somebody has made of it already

    @property
    def answers(self) -> tuple[str, ...]:
        """The results that are right; () where none is known, and where the edit must be refused."""
        return () if self.expected is None else (self.expected, *self.accept)

    @property
    def file_name(self) -> str:
        """The last part of the path, under which a tool is shown the file."""
        return PurePosixPath(self.path).name or "file.txt"


def read_cases(sources: Iterable[Path]) -> Iterator[Case]:
    """The cases of files and folders in their order; ids that come again get a number.

    Raises `FileTrouble` for what is not there, and for lines and folders that hold no case.
    """
    used: dict[str, int] = {}
    for source in sources:
        for case in _read_folder(source) if source.is_dir() else read_case_lines(source):
            number = used[case.id] = used.get(case.id, 0) + 1
            yield case if number == 1 else replace(case, id=f"{case.id}#{number}")


def case_from(values: dict[str, Any], name: str) -> Case | None:
    """The case that an object says; `name` is its id where it has none. None without an original.

    Raises `KeyError` or `TypeError` where it is no case.
    """
    if values["original"] is None:
        return None
    path = values.get("path") or ""
    original = _text(values["original"])
    expected, merged = values.get("expected"), values.get("merged")
    must_refuse = bool(values.get("must_refuse") or values.get("expect_failure"))
    return Case(
        str(values.get("id") or name),
        path,
        original,
        _text(values["edit"]),
        None if expected is None or must_refuse else _text(expected),
        tuple(_text(text) for text in values.get("accept") or ()),
        must_refuse,
        values.get("instructions") or "",
        values.get("format") or "",
        values.get("style") or values.get("category") or "",
        language_of(path, original.partition("\n")[0]) or values.get("language") or "",
        values.get("repository") or values.get("repo") or "",
        values.get("commit") or "",
        values.get("licence") or "",
        None if merged is None else _text(merged),
    )


def case_line(case: Case) -> str:
    """A case as a line of JSON, with its end; what is not known is left out."""
    values = {
        name: value for name, value in asdict(case).items() if value or (name in _TEXTS and value is not None)
    }
    return json.dumps(values, ensure_ascii=False) + "\n"


def open_text(path: Path, mode: str) -> IO[str]:
    """Open a file of JSON lines as text that keeps every byte."""
    return path.open(mode, encoding="utf-8", errors="surrogateescape", newline="\n")


def open_lines(source: Path) -> IO[bytes] | gzip.GzipFile | lzma.LZMAFile:
    """Open a file of JSON lines to be read, plain, or compressed by gzip or xz."""
    with source.open("rb") as opened:
        head = opened.read(len(_XZ))
    if head.startswith(_GZIP):
        return gzip.open(source, "rb")
    return lzma.open(source, "rb") if head == _XZ else source.open("rb")


def read_case_lines(source: Path) -> Iterator[Case]:
    """The cases of one file under the ids that it gives. Raises `FileTrouble` as `read_cases` does."""
    try:
        with open_lines(source) as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    values = json.loads(line.decode("utf-8", "surrogateescape"))
                    case = case_from(values, f"{source.name.partition('.')[0]}/{number - 1}")
                except (ValueError, KeyError, TypeError, AttributeError):
                    raise FileTrouble(
                        f"{source}:{number} is not a case",
                        reason="unreadable",
                        hint='a line is a JSON object with "original" and "edit"',
                    ) from None
                if case is not None:
                    yield case
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise FileTrouble(f"cannot read the cases {source}: {error}", reason="unreadable") from None


def _read_folder(folder: Path) -> Iterator[Case]:
    found = sorted(folder.glob("**/case.json"))
    if not found:
        raise FileTrouble(f"{folder} has no case folders", reason="missing", hint="they have a case.json")
    for meta in found:
        try:
            case = _read_case_folder(meta)
        except (OSError, ValueError, KeyError, TypeError, StopIteration):
            raise FileTrouble(f"{meta.parent} is not a case folder", reason="unreadable") from None
        if case is not None:
            yield case


def _read_case_folder(meta: Path) -> Case | None:
    folder, about = meta.parent, json.loads(meta.read_text(encoding="utf-8"))
    original = next(folder.glob("original*"), None)
    if original is None:
        return None
    ending = original.name.removeprefix("original")
    expected = sorted(folder.glob("expected*"))[:1]
    return case_from(
        {
            **about,
            "path": about.get("path") or about.get("filename") or f"file{ending}",
            "original": _read(original),
            "edit": _read(folder / "edit.txt"),
            "expected": _read(expected[0]) if expected else None,
            "accept": [_read(path) for path in sorted(folder.glob("accept-*"))],
        },
        folder.name,
    )


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def logged_cases(place: str | None = None) -> Iterator[Case]:
    """The calls for one file each, the oldest first; what was made of them then is in `merged`."""
    for call in reversed(list(read_calls(place))):
        values = _values(call)
        case = case_from(values, call.name) if values is not None else None
        if case is not None:
            yield case


def line_of(call: Call) -> str | None:
    """A call as a line of a file of cases, with what came of it; None for one without a single file."""
    values = _values(call)
    return None if values is None else json.dumps(values, ensure_ascii=False) + "\n"


def _values(call: Call) -> dict[str, Any] | None:
    if call.original is None or call.files != 1:
        return None
    time = datetime.fromtimestamp(call.nanoseconds / 10**9, UTC)
    values = {
        "id": call.name,
        "path": call.path,
        "original": call.original,
        "edit": call.edit,
        "instructions": call.instructions,
        "format": call.format,
        "merged": call.merged,
        "outcome": call.outcome,
        "reason": call.reason,
        "message": call.message,
        "method": call.method,
        "certainty": call.certainty,
        "model": call.model,
        "seconds": call.seconds,
        "time": time.isoformat(timespec="seconds"),
    }
    always = {"original", "edit"}
    return {name: value for name, value in values.items() if name in always or value not in {None, ""}}
