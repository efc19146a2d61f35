"""Settings as they are written: in TOML files, and in environment variables.

    backup = true                       # fastapply.toml, and the user's config.toml
    [tool.fastapply]                    # pyproject.toml
    FASTAPPLY_ALLOW=parse_error,doubled_line

Dashes in names are underscores. Every complaint names the file or the variable, and the key.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from fastapply.config.keys import KEYS, NEVER_OF_A_PROJECT, PROJECT_FILE, Setting
from fastapply.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from fastapply.config.keys import Key, Value

_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_WANTED = {
    "switch": "true or false",
    "number": "a whole number from 1",
    "share": "a number from 0 to 1",
    "word": "a word",
    "text": "a text",
    "codes": "a list of words",
}


def read_user_file(file: Path) -> dict[str, Setting]:
    """Read the user's own file, which may set every key. Raises `UsageError`."""
    return {
        key.name: Setting(_checked(key, value, f"{file}: {name}"), "user", str(file))
        for name, key, value in _known(_parse(file), file, KEYS)
    }


def read_project_file(
    file: Path, below: Mapping[str, Setting], warnings: list[str]
) -> dict[str, Setting] | None:
    """Read what a project's file may set; None where it holds no settings. Raises `UsageError`.

    `below` are the settings so far: precautions in them stay. What the file may not set is put into
    `warnings`.
    """
    own = file.name == PROJECT_FILE
    try:
        content = _parse(file)
    except UsageError as error:
        if own:
            raise
        # Somebody else's file, and perhaps the very one that an edit is about to mend
        warnings.append(error.message)
        return None
    table = content if own else _table(content)
    if table is None:
        return None
    found: dict[str, Setting] = {}
    allowed: dict[str, Any] = {}
    for name, value in table.items():
        plain = name.replace("-", "_")
        if NEVER_OF_A_PROJECT.match(plain) or (plain in KEYS and KEYS[plain].project == "no"):
            warnings.append(
                f"{file}: {name} is ignored: only your user configuration, the environment "
                "or an option can set it"
            )
        else:
            allowed[name] = value
    for name, key, value in _known(allowed, file, KEYS):
        checked = _checked(key, value, f"{file}: {name}")
        if key.project == "only true" and not checked and below[key.name].value:
            warnings.append(f"{file}: {name} = false is ignored: your user configuration sets it to true")
        elif key.project == "only higher" and not _is_higher(checked, below[key.name].value):
            warnings.append(
                f"{file}: {name} = {checked} is ignored: a project file can only raise it, "
                f"and {that_counts(below[key.name].value)} counts"
            )
        else:
            found[key.name] = Setting(checked, "project", str(file))
    return found


def _is_higher(value: Value, below: Value) -> bool:
    """Whether a share is one that asks for no less than before."""
    least = that_counts(below)
    return isinstance(value, float) and isinstance(least, float) and value >= least


def that_counts(value: Value) -> Value:
    """The value that counts: `min_certainty` has a fitted one where none is set."""
    return fitted_certainty() if value is None else value


def fitted_certainty() -> float:
    """The certainty that every lazy edit is asked for where no other is set."""
    from fastapply.merge.certainty.weights import load_weights

    return max(load_weights().threshold, load_weights().threshold_without_instructions)


def read_environment(said: Mapping[str, str]) -> dict[str, Setting]:
    """Read the texts of environment variables, by the names of their keys. Raises `UsageError`."""
    found = {}
    for name, text in said.items():
        key = KEYS[name]
        found[name] = Setting(_checked(key, _from_text(key, text), key.variable), "environment", key.variable)
    return found


def _parse(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"cannot read the configuration {file}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:  # of TOML, or of UTF-8
        raise UsageError(f"{file} is not valid TOML: {error}") from None


def _table(content: Mapping[str, Any]) -> dict[str, Any] | None:
    tools = content.get("tool")
    table = tools.get("fastapply") if isinstance(tools, dict) else None
    return table if isinstance(table, dict) else None


def _known(table: Mapping[str, Any], file: Path, keys: Mapping[str, Key]) -> Iterable[tuple[str, Key, Any]]:
    seen = set[str]()
    for name, value in table.items():
        plain = name.replace("-", "_")
        if plain not in keys:
            raise UsageError(f"{file}: unknown setting {name}", hint=_did_you_mean(plain, keys))
        if plain in seen:
            raise UsageError(f"{file}: {plain} is set twice")
        seen.add(plain)
        yield name, keys[plain], value


def _checked(key: Key, value: object, where: str) -> Value:
    """The value, if it is one for that key; `where` names the file or variable, and the key."""
    if key.kind == "switch" and isinstance(value, bool):
        return value
    if key.kind == "number" and isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    if (
        key.kind == "share"
        and isinstance(value, int | float)
        and not isinstance(value, bool)
        and 0 <= value <= 1
    ):
        return float(value)
    if key.kind == "word" and isinstance(value, str):
        return _one_of(value, key.words, where)
    if key.kind == "text" and isinstance(value, str):
        return value
    if key.kind == "codes" and isinstance(value, list) and all(isinstance(one, str) for one in value):
        from fastapply.verify import CODES

        return tuple(_one_of(one, CODES, where) for one in value)
    raise UsageError(f"{where} must be {_WANTED[key.kind]}, not {value!r}")


def _one_of(word: str, words: Iterable[str], where: str) -> str:
    if word not in words:
        raise UsageError(f"{where} cannot be {word!r}", hint=_did_you_mean(word, words))
    return word


def _from_text(key: Key, text: str) -> object:
    if key.kind == "switch":
        word = text.strip().lower()
        return True if word in _TRUE else False if word in _FALSE else text
    if key.kind == "number":
        return int(text) if text.strip().isascii() and text.strip().isdigit() else text
    if key.kind == "share":
        return float(text) if re.fullmatch(r"\s*(?:\d+(?:\.\d*)?|\.\d+)\s*", text, re.ASCII) else text
    if key.kind == "codes":
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def _did_you_mean(word: str, words: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, list(words), n=1)
    return f"did you mean {near[0]}?" if near else f"there are: {', '.join(words)}"
