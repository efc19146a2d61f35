"""Learning from commits what a new version of lines looks like."""

from __future__ import annotations

import json
import subprocess

import pytest

from fastapply.cli import main
from fastapply.merge.certainty.versions import load_versions
from fastapply.train.versions import Example, collect_examples, fit_versions, write_versions

BLOCK = """\
def step_{0}(value):
    # work of step {0}
    result = value + {0}
    return result


"""


def commit(folder, text: str, subject: str) -> None:
    """A commit of one file."""
    (folder / "steps.py").write_text(text)
    call = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run([*call, "add", "."], check=True, capture_output=True)
    subprocess.run([*call, "commit", "-qm", subject], check=True, capture_output=True)


@pytest.fixture
def clone(tmp_path):
    """A repository in which a function was added, and then a line of another changed."""
    folder = tmp_path / "steps"
    subprocess.run(["git", "init", "-q", str(folder)], check=True, capture_output=True)
    text = "".join(BLOCK.format(number) for number in range(1, 6))
    commit(folder, text, "begin")
    text = text.replace(BLOCK.format(3), BLOCK.format(3) + BLOCK.format(30))
    commit(folder, text, "add a step")
    commit(folder, text.replace("result = value + 2", "result = value * 2 + offset"), "change a step")
    return folder


def test_a_changed_line_was_replaced_and_the_neighbours_of_a_new_function_were_not(clone):
    """Those above and below it share what one insertion counts."""
    found = collect_examples(clone, most=10)
    replaced = [one for one in found if one.replaced]
    beside = [one for one in found if not one.replaced]
    assert len(replaced) == 1
    assert replaced[0].weight == 1.0
    assert replaced[0].facts["lines_old"] == replaced[0].facts["lines_new"]
    assert sum(one.weight for one in beside) == pytest.approx(1.0)
    assert len(beside) >= 2


def test_files_that_are_kept_back_are_not_learned_from(clone):
    """By repository and path: another repository's file of that name is no reason."""
    assert len(collect_examples(clone, most=10, without={("some/other", "steps.py")})) > 1
    assert collect_examples(clone, most=10, without={("some/steps", "steps.py")}) == []


def test_trees_tell_both_kinds_and_are_read_as_they_were_written(training, tmp_path):  # noqa: ARG001
    """New versions share more names than neighbours do."""
    examples = [
        Example({"names_shared": 0.9 - number / 1000, "lines_new": 1.0}, replaced=True, weight=1.0)
        for number in range(100)
    ]
    examples += [
        Example({"names_shared": 0.2 + number / 1000, "lines_new": 1.0}, replaced=False, weight=0.5)
        for number in range(100)
    ]
    path = tmp_path / "versions.json"
    write_versions(fit_versions(examples), path)
    found = load_versions(path)
    assert found.odds({"names_shared": 0.9}) > 2
    assert found.odds({"names_shared": 0.2}) < -2


def test_the_command_writes_trees_and_says_of_how_many_examples(training, clone, tmp_path, capsys):  # noqa: ARG001
    """Clones without both kinds of examples are refused."""
    out = tmp_path / "versions.json"
    assert main(["train", "versions", str(clone), "--out", str(out), "--jobs", "1"]) == 0
    assert "1 of lines that were replaced" in capsys.readouterr().out
    assert json.loads(out.read_text())["trees"]
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps({"repository": "some/steps", "path": "steps.py", "expected": ""}) + "\n")
    arguments = ["train", "versions", str(clone), "--out", str(out), "--jobs", "1", "--without", str(cases)]
    assert main(arguments) == 2
    assert "no examples of both kinds" in capsys.readouterr().err
