"""The registry, GGUF files by path, and the user's choice."""

from __future__ import annotations

import contextlib
import hashlib
import json
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from fastapply.errors import ModelTrouble, UsageError
from fastapply.folders import models_folder
from fastapply.models.engine import Trust
from fastapply.models.gguf_header import read_header
from fastapply.models.opening import open_model
from fastapply.models.prompts import answer_form
from fastapply.models.store import adapter_file, choose_model, choose_none, chosen_model, entries, resolve
from fastapply.models.worker.messages import address_file


def text(value):
    """A string as GGUF has it."""
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def gguf(**values):
    """The head of a GGUF file: strings, numbers, and a list of strings."""
    rows = []
    for key, value in values.items():
        name = text(key.replace("__", "."))
        if isinstance(value, str):
            rows.append(name + struct.pack("<I", 8) + text(value))
        elif isinstance(value, list):
            rows.append(name + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(text(one) for one in value))
        else:
            rows.append(name + struct.pack("<II", 4, value))
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(rows)) + b"".join(rows)


NANO = {
    "general__architecture": "qwen2",
    "tokenizer__ggml__tokens": ["a", "b"],
    "qwen2__context_length": 4096,
    "fastapply__prompt_style": "nano",
}


@pytest.fixture
def model(tmp_path):
    """Write a GGUF file without weights."""

    def write(name="own.gguf", **values):
        path = tmp_path / name
        path.write_bytes(gguf(**(values or NANO)))
        return path

    return write


def run(*arguments):
    """The command line."""
    return subprocess.run(
        [sys.executable, "-m", "fastapply", *arguments], capture_output=True, text=True, check=False
    )


def test_registry_is_consistent():
    """Names once, end tags those of the styles, and a hash where one is given."""
    names = [entry.name for entry in entries()]
    assert len(set(names)) == len(names)
    for name in ("fastapply-1.5b", "fastapply-7b", "osmosis-1.7b", "aixapply-4b", "fastedit-1.5b"):
        assert name in names
    for entry in entries():
        assert entry.end_tag == answer_form(entry.style).end
        assert entry.notes
        assert entry.measured
        assert (entry.trust is not None) == entry.measured.startswith("yes")
        assert len(entry.sha256) in {0, 64}
        assert len(entry.adapter_sha256) == (64 if entry.adapter else 0)


def test_the_topic_says_of_each_model_what_is_known():
    """Its file, licence and prompt style, and whether it was measured, as the registry has them."""
    topic = (Path(__file__).parents[2] / "fastapply" / "help" / "models.md").read_text(encoding="utf-8")
    rows = [line for line in topic.splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{entry.name}` | {entry.file or 'none known'} | {entry.licence or 'not known'} | {entry.style} | "
        f"{entry.measured} |"
        for entry in entries()
    ]


def test_our_own_adapter_is_as_its_entry_says():
    """Its bytes by their hash; and what is believed of it is told."""
    entry = next(entry for entry in entries() if entry.name == "apply-1.5b")
    path = adapter_file(entry)
    assert path is not None
    assert hashlib.sha256(path.read_bytes()).hexdigest() == entry.adapter_sha256
    assert entry.trust is not None
    shown = run("models", "show", "apply-1.5b")
    assert shown.returncode == 0
    assert f"adapter_sha256  {entry.adapter_sha256}" in shown.stdout
    assert str(entry.trust.threshold) in shown.stdout
    listed = json.loads(run("models", "list", "--json").stdout)["models"]
    assert listed[0]["trust"]["threshold"] == entry.trust.threshold


def test_header_of_a_file_is_read_past_its_lists(model):
    """Strings and numbers; lists are skipped."""
    assert read_header(model()) == {
        "general.architecture": "qwen2",
        "qwen2.context_length": 4096,
        "fastapply.prompt_style": "nano",
    }


@pytest.mark.parametrize("cut", [0, 3, 10, 30, 60, 90])
def test_damaged_header_is_trouble(model, cut):
    """Wherever it is cut off."""
    path = model()
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ModelTrouble) as caught:
        read_header(path)
    assert caught.value.reason == "bad_model"


@pytest.mark.parametrize("at", range(4, 120, 3))
def test_scribbled_header_is_trouble_or_read_but_never_a_crash(model, at):
    """Lengths of terabytes included."""
    path = model()
    data = bytearray(path.read_bytes())
    data[at : at + 8] = b"\xff" * 8
    path.write_bytes(data)
    with contextlib.suppress(ModelTrouble):
        assert isinstance(read_header(path), dict)


def test_file_says_its_style_and_context(model):
    """In its metadata."""
    path = model()
    found = resolve(str(path))
    assert (found.name, found.path, found.style, found.context_length) == ("own", path, "nano", 4096)


def test_style_is_told_by_a_known_name(model):
    """Of the file, or in its metadata."""
    path = model("FastApply-1.5B-v1.0-Q8_0.gguf", general__architecture="qwen2")
    assert resolve(str(path)).style == "kortix"
    path = model("x.gguf", general__architecture="qwen3", general__name="Osmosis Apply 1.7B")
    assert resolve(str(path)).style == "osmosis"


def test_style_that_nothing_tells_has_to_be_given(model):
    """Once: the choice keeps it."""
    path = model("x.gguf", general__architecture="qwen2")
    with pytest.raises(ModelTrouble) as caught:
        resolve(str(path))
    assert caught.value.reason == "no_style"
    choose_model(resolve(str(path), "morph"))
    assert resolve(str(path)).style == "morph"
    with pytest.raises(UsageError):
        resolve(str(path), "prose")


def test_choice_is_kept_and_taken_back(model):
    """`models use none` asks nobody any more."""
    assert chosen_model() is None
    found = resolve(str(model()))
    choose_model(found)
    assert chosen_model() == found
    assert choose_none()
    assert chosen_model() is None
    assert not choose_none()


def test_choice_whose_file_has_gone_is_trouble(model):
    """It is not passed over in silence."""
    path = model()
    choose_model(resolve(str(path)))
    path.unlink()
    with pytest.raises(ModelTrouble) as caught:
        chosen_model()
    assert caught.value.reason == "missing_model"


@pytest.mark.parametrize(
    ("name", "reason"),
    [("nope", "unknown_model"), ("fastapply-7b", "not_pulled"), ("./no.gguf", "missing_model")],
)
def test_model_that_is_not_here_is_trouble(llama, name, reason):  # noqa: ARG001 - skips
    """Each with its own reason."""
    with pytest.raises(ModelTrouble) as caught:
        open_model(name, engine="auto")
    assert (caught.value.reason, caught.value.exit_status) == (reason, 5)


def test_nothing_is_opened_where_nothing_is_chosen(llama):  # noqa: ARG001 - skips
    """`auto` then is `deterministic`."""
    assert open_model(None, engine="auto") is None


def test_show_and_path_tell_of_a_file(model):
    """Of the registry, or any."""
    path = model()
    shown = json.loads(run("models", "show", "--json", str(path)).stdout)
    assert shown == {
        "schema": 1,
        "name": "own",
        "path": str(path),
        "style": "nano",
        "context_length": 4096,
        "architecture": "qwen2",
        "trained_context": 4096,
        "layers": None,
        "tokenizer": None,
        "trust": None,
        "adapter": None,
    }
    assert run("models", "path", str(path)).stdout == f"{path}\n"
    assert json.loads(run("models", "show", "--json", "fastapply-7b").stdout)["context"] == 8192


def test_list_names_the_chosen_model(model):
    """Also one that the registry does not have."""
    path = model()
    assert run("models", "use", str(path)).stdout == (
        "own is now used for ambiguous edits (prompt style nano)\n"
    )
    assert run("models", "list").stdout.splitlines()[-1] == f"chosen   own  {path}"
    assert run("models", "use", "none").stdout == "models disabled\n"


ADAPTER = {
    "general__architecture": "qwen2",
    "general__type": "adapter",
    "adapter__type": "lora",
    "fastapply__prompt_style": "instruct",
}
BASE = {"general__architecture": "qwen2", "qwen2__context_length": 4096}


def test_adapter_on_a_base_of_the_users_own(model):
    """It says the prompt; the base says the context; the choice keeps both."""
    pytest.importorskip("llama_cpp")  # without it the command says so as well
    base, adapter = model("base.gguf", **BASE), model("mine.gguf", **ADAPTER)
    done = run("models", "use", str(base), "--adapter", str(adapter))
    assert (done.returncode, done.stderr) == (0, "")
    found = chosen_model()
    assert found is not None
    assert (found.name, found.path, found.adapter) == ("mine", base, adapter)
    assert (found.style, found.context_length) == ("instruct", 4096)
    adapter.unlink()
    with pytest.raises(ModelTrouble) as caught:
        chosen_model()
    assert caught.value.reason == "missing_model"


@pytest.mark.parametrize(
    "values",
    [BASE, {**ADAPTER, "general__architecture": "qwen3"}, {**ADAPTER, "adapter__type": "other"}],
    ids=["a-model", "of-another-shape", "of-another-kind"],
)
def test_file_that_is_no_adapter_for_the_base_is_trouble(model, values):
    """Before llama.cpp is asked."""
    with pytest.raises(ModelTrouble) as caught:
        resolve(str(model("base.gguf", **BASE)), adapter=model("x.gguf", **values))
    assert caught.value.reason == "bad_adapter"


@pytest.fixture
def registered(model, monkeypatch):
    """A registry with one model: an adapter that is shipped, and a base with its hash."""
    base, adapter = model("there.gguf", **BASE), model("ours.gguf", **ADAPTER)
    rows = {
        "name": "ours", "title": "Ours", "repo": "someone/Base-GGUF", "file": "base.gguf",
        "style": "instruct", "bytes": base.stat().st_size,
        "sha256": hashlib.sha256(base.read_bytes()).hexdigest(),
        "adapter": adapter.name, "adapter_bytes": adapter.stat().st_size,
        "adapter_sha256": hashlib.sha256(adapter.read_bytes()).hexdigest(),
        "quantisation": "Q4_K_M", "licence": "Apache-2.0", "context": 2048, "end_tag": "</updated-code>",
        "base": "", "notes": "For tests.", "measured": "no", "source": "",
    }  # fmt: skip
    registry = base.parent / "registry.toml"
    registry.write_text(
        "[[model]]\n"
        + "".join(f"{key} = {json.dumps(value)}\n" for key, value in rows.items())
        + "trust = { bias = -1.0, threshold = 0.9, weights = { least = 2.5 } }\n"
    )
    monkeypatch.setattr("fastapply.models.store.registry_file", lambda: registry)
    entries.cache_clear()
    yield base, adapter
    entries.cache_clear()


def test_model_with_an_adapter_takes_a_base_that_is_on_the_disk(registered):
    """Once it is chosen, its name is enough."""
    base, adapter = registered
    with pytest.raises(ModelTrouble) as caught:
        resolve("ours")
    assert caught.value.reason == "not_pulled"
    found = resolve("ours", base=base)
    assert (found.path, found.adapter, found.context_length) == (base, adapter, 2048)
    assert found.trust == Trust({"least": 2.5}, -1.0, 0.9)
    assert resolve("ours", "kortix", base=base).trust is None  # it was measured with its own prompt
    choose_model(found)
    assert chosen_model() == found == resolve("ours")


def test_pulled_base_goes_with_the_shipped_adapter(registered):
    """By the model's name."""
    base, adapter = registered
    models_folder().mkdir(parents=True)
    pulled = models_folder() / "base.gguf"
    pulled.write_bytes(base.read_bytes())
    found = resolve("ours")
    assert (found.path, found.adapter) == (pulled, adapter)


def test_another_base_is_trouble(registered, model):
    """Of the same shape and size: only the hash tells."""
    base, _ = registered
    other = model("other.gguf", **{**BASE, "qwen2__context_length": 4097})
    assert other.stat().st_size == base.stat().st_size
    with pytest.raises(ModelTrouble) as caught:
        resolve("ours", base=other)
    assert caught.value.reason == "wrong_base"


def test_adapter_that_is_not_as_it_was_shipped_is_trouble(registered):
    """A damaged installation."""
    base, adapter = registered
    data = adapter.read_bytes()
    adapter.write_bytes(data[:-1] + b"X")
    with pytest.raises(ModelTrouble) as caught:
        resolve("ours", base=base)
    assert caught.value.reason == "bad_adapter"
    adapter.write_bytes(data + b"X")
    with pytest.raises(ModelTrouble) as caught:
        resolve("ours", base=base)
    assert caught.value.reason == "missing_model"


def test_base_and_adapter_where_they_make_no_sense_are_usage(registered, model):
    """A path names its base itself, and a name its adapter."""
    base, adapter = registered
    with pytest.raises(UsageError):
        resolve("ours", adapter=adapter)
    with pytest.raises(UsageError):
        resolve(str(model()), base=base)


def test_worker_is_another_one_with_another_adapter(model):
    """Its key holds base and adapter, and what versions of them."""
    base, adapter = model("base.gguf", **BASE), model("mine.gguf", **ADAPTER)
    plain, tuned = address_file(base, {}), address_file(base, {}, adapter=adapter)
    adapter.write_bytes(adapter.read_bytes() + b"X")
    assert len({plain, tuned, address_file(base, {}, adapter=adapter)}) == 3
