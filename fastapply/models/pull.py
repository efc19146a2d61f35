"""Fetching a model from the hub: whole and checked, or not at all.

huggingface_hub fetches; that the body is what its hash says is checked here, because it takes a body that
does not match its ETag. A file gets its name in the models folder once its size and hash are right.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapply.errors import ModelTrouble
from fastapply.folders import models_folder
from fastapply.models.store import entry_file, is_right

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapply.models.store import KnownModel

_CRITICAL = 50  # of the standard library's logging levels
_SPARE = 64 << 20  # bytes of disk that are left alone


def pull_model(entry: KnownModel, watch: Callable[[int, int], None] | None = None) -> Path:
    """Fetch the file of a registry model and give its path; one that is here and right is kept.

    Of a model with an adapter that is its base: the adapter came with the program.

    `watch` is told the bytes fetched and all bytes. Raises `ModelTrouble`: ``no_file``, ``offline``,
    ``gated``, ``not_on_hub``, ``disk_full``, ``bad_download``.
    """
    if not entry.file:
        raise ModelTrouble(f"no download is known for {entry.name}", reason="no_file", hint=entry.notes)
    target = entry_file(entry)
    size, digest = _ask_hub(entry)
    digest = entry.sha256 or digest
    if target.exists() and is_right(target, size, digest):
        return target
    models_folder().mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(models_folder()).free < size + _SPARE:
        raise ModelTrouble(
            f"{entry.name} needs {size / 1e9:.2f} GB, but {models_folder()} has less",
            reason="disk_full",
            hint="delete a model with fastapply models remove NAME",
        )
    partial = models_folder() / f".partial-{entry.name}"
    try:
        fetched = _fetch(entry, partial, watch)
        if not is_right(fetched, size, digest):
            raise ModelTrouble(
                f"what came for {entry.name} is not what the hub says it is: "
                f"{fetched.stat().st_size} bytes of {size}, or another hash",
                reason="bad_download",
                hint="try again; a proxy in between may change files",
            )
        fetched.replace(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target


def _ask_hub(entry: KnownModel) -> tuple[int, str]:
    """Size in bytes, and the hash that the hub names: a sha256, or the hash of a git blob."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    def ask() -> Any:  # noqa: ANN401 - huggingface_hub's own class
        return get_hf_file_metadata(hf_hub_url(entry.repo, entry.file, revision=entry.revision))

    told = _asked(entry, ask)
    return int(told.size or 0), str(told.etag or "").strip('"').lower()


def _fetch(entry: KnownModel, folder: Path, watch: Callable[[int, int], None] | None) -> Path:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.utils import logging
    from huggingface_hub.utils.tqdm import tqdm

    class Bar(tqdm):
        """Tells how much has come, in place of drawing a bar of its own."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - tqdm's own
            super().__init__(*args, **{**kwargs, "disable": True})  # type: ignore[no-untyped-call]
            self.had, self.whole = int(kwargs.get("initial") or 0), int(kwargs.get("total") or 0)

        def update(self, n: float | None = 1) -> bool | None:
            self.had += int(n or 0)
            if watch is not None:
                watch(self.had, self.whole)
            return None

    logging.set_verbosity(_CRITICAL)  # what goes wrong is told once, by us

    def fetch() -> str:
        return hf_hub_download(
            entry.repo, entry.file, revision=entry.revision, local_dir=folder, tqdm_class=Bar
        )

    return Path(_asked(entry, fetch))


def _asked(entry: KnownModel, ask: Callable[[], Any]) -> Any:  # noqa: ANN401 - what `ask` gives
    """Ask the hub, and say its errors as ours."""
    from huggingface_hub import errors

    try:
        return ask()
    except errors.GatedRepoError:
        raise ModelTrouble(
            f"{entry.repo} requires that you accept its terms on the hub",
            reason="gated",
            hint=f"agree at https://huggingface.co/{entry.repo}, then `hf auth login`, and pull again",
        ) from None
    except (errors.RepositoryNotFoundError, errors.EntryNotFoundError, errors.RevisionNotFoundError) as error:
        if isinstance(error, errors.LocalEntryNotFoundError):
            raise _offline(entry) from None
        raise ModelTrouble(
            f"the hub has no {entry.file} in {entry.repo}",
            reason="not_on_hub",
            hint="download a GGUF file yourself, then fastapply models use PATH",
        ) from None
    except OSError as error:  # what is wrong with a connection, and what is not a file's own trouble
        if error.errno is not None and error.filename is not None:
            raise ModelTrouble(
                f"cannot write {entry.name} to {models_folder()}: {error.strerror or error}",
                reason="disk_full",
            ) from None
        raise _offline(entry) from None
    except Exception as error:  # noqa: BLE001 - its HTTP library's errors are none of its own
        raise _offline(entry, error) from None


def _offline(entry: KnownModel, error: Exception | None = None) -> ModelTrouble:
    why = f": {type(error).__name__}" if error is not None else ""
    return ModelTrouble(
        f"cannot download from the hub{why}",
        reason="offline",
        hint=f"pull again when there is a network; or copy {entry.file} here by other means, then "
        "fastapply models use PATH",
    )
