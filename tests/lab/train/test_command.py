"""`fastapply train`: what it prints, and how it ends."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import tiny

from fastapply.cli import main
from fastapply_lab.data.windows import to_json


def test_missing_extra_is_named_in_one_line(tmp_path, monkeypatch, capsys):
    """With the command that installs it, and the status of model trouble."""
    monkeypatch.setattr("fastapply_lab.train.find_spec", lambda name: None if name == "torch" else object())
    assert main(["train", "export", str(tmp_path), str(tmp_path / "m.gguf")]) == 5
    said = capsys.readouterr().err
    assert "torch: not installed [not_installed]" in said
    assert "hint: pip install -e '.[train]'" in said


def test_folder_that_is_no_checkpoint_ends_with_model_trouble(training, tmp_path, capsys):  # noqa: ARG001
    """And says what is missing."""
    assert main(["train", "export", str(tmp_path), str(tmp_path / "m.gguf")]) == 5
    assert "cannot read config.json" in capsys.readouterr().err


@pytest.mark.slow
def test_checkpoint_is_exported_and_the_file_checked(training, llama, tmp_path, capsys):  # noqa: ARG001
    """The numbers as a line for people, and as JSON."""
    folder, out = tiny.write_checkpoint(tmp_path / "c"), tmp_path / "m.gguf"
    assert main(["train", "export", str(folder), str(out)]) == 0
    assert capsys.readouterr().out.startswith(f"{out}: 0.")
    data = tmp_path / "data.jsonl"
    windows = [tiny.window(number, f"a = {number}\nb = 2\n", "a = 7\n", "a = 7\n") for number in range(3)]
    data.write_text("".join(to_json(window) + "\n" for window in windows))
    arguments = ["train", "check", str(folder), str(out), "--data", str(data), "--threads", "1"]
    assert main([*arguments, "--most", "2"]) == 0
    assert " of 2 answers byte-identical (" in capsys.readouterr().out
    assert main([*arguments, "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["files"]
    assert (told["path"], told["answers"], told["tokenised_otherwise"]) == (str(out), 3, [])
    assert told["equal"] + len(told["forks"]) == 3


@pytest.mark.slow
def test_base_is_tuned_and_a_second_call_goes_on(training, tmp_path, capsys):  # noqa: ARG001
    """Steps on standard error, the result on standard output, samples that are left out counted."""
    base, data = tiny.write_checkpoint(tmp_path / "base", layers=1), tmp_path / "data.jsonl"
    windows = [tiny.window(number, f"a = {number}\n", "a = 7\n", "a = 7\n") for number in range(4)]
    windows.append(tiny.window(9, tiny.CORPUS * 9, "x\n", "y\n"))
    data.write_text("".join(to_json(window) + "\n" for window in windows))
    arguments = ["train", "lora", str(base), str(data), "--out", str(tmp_path / "out"), "--style", "nano"]
    arguments += ["--batch", "2", "--rank", "4", "--max-length", "300", "--validate", str(data)]
    assert main(arguments) == 0
    said = capsys.readouterr()
    assert "step 2: loss " in said.err
    assert "1 of 5 windows (20.0%) left out: too_long" in said.err
    assert "warning: trained on and measured on: tiny" in said.err
    assert "the run needs about " in said.err
    assert "exact, 0 s left" in said.err
    assert said.out.startswith(f"{tmp_path}/out/adapter: 2 steps on 4 samples\nvalidation: ")
    assert main([*arguments, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["steps"], told["samples"], told["left_out"], told["last"]) == (2, 4, {"too_long": 1}, None)
    assert told["validation"]["bits_per_byte"] > 0
    assert main([*arguments, "--rank", "8"]) == 2
    assert "another rank" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ([], 2, "no data given"),
        (["--data", "none.jsonl"], 4, "cannot read none.jsonl"),
        (["--data", "bad.jsonl"], 4, "bad.jsonl holds no windows"),
        (["--data", "one.jsonl"], 2, "the prompt style of"),
        (["--data", "one.jsonl", "--style", "nanno"], 2, "'nanno' is not one of"),
    ],
)
def test_check_without_windows_or_style_says_what_is_missing(  # noqa: PLR0917
    tmp_path, monkeypatch, capsys, arguments, status, said
):
    """Before anything is loaded."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.jsonl").write_text('{"id": 1}\n')
    (tmp_path / "one.jsonl").write_text(to_json(tiny.window(1, "a\n", "b\n", "b\n")) + "\n")
    assert main(["train", "check", ".", "m.gguf", *arguments]) == status
    assert said in capsys.readouterr().err


def test_nothing_of_training_is_imported_for_its_help():
    """Start-up is part of the product."""
    code = (
        "import sys; from fastapply.cli import main; assert main(['train', '--help']) == 0; "
        "print([name for name in sys.modules if name.startswith(('torch', 'fastapply_lab.train'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "export" in done.stdout
    assert done.stdout.endswith("[]\n")
