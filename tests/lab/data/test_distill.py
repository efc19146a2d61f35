"""Distilling: what a teacher merges becomes a window if the verifier accepts it, and else a count."""

from __future__ import annotations

import json
import threading

import pytest
from scripted_server import scripted_server

from fastapply.cli import main
from fastapply.errors import ModelTrouble
from fastapply.evaluate.cases import Case
from fastapply.models.engine import Completion
from fastapply.models.remote.model import close_remotes
from fastapply_lab.data.distill import Rejected, distill
from fastapply_lab.data.windows import Window, read_windows

FILE = """\
def one():
    x = 0
    return x


def two():
    x = 0
    return x
"""
OPEN = "<<<<<<< SEARCH\n    return x\n=======\n    return x + 1\n>>>>>>> REPLACE\n"
SECOND = FILE[: FILE.rindex("return")] + "return x + 1\n"
FIRST = FILE.replace("return x\n", "return x + 1\n", 1)
WRONG = FILE.replace("x = 0", "x = 7", 1)


def tagged(text):
    """An answer in the form of the model whose name the tests give."""
    return f"<updated-code>{text}</updated-code>"


@pytest.fixture
def server():
    """A teacher that says what it is told to."""
    with scripted_server() as server:
        server.models = ["FastApply-7B"]
        yield server
        close_remotes()


@pytest.fixture
def edits(tmp_path):
    """Write a file of edits; gives its path."""

    def write(*ids, **more):
        path = tmp_path / "edits.jsonl"
        lines = [
            json.dumps({"id": one, "path": "a.py", "original": FILE, "edit": OPEN, **more}) + "\n"
            for one in ids
        ]
        path.write_text("".join(lines))
        return path

    return write


def run(server, path, *more):
    """Distil into out.jsonl beside the edits, one at a time; gives the exit status."""
    out = path.with_name("out.jsonl")
    arguments = ["dataset", "distill", str(path), "--out", str(out), "--endpoint", server.url, "--jobs", "1"]
    return main([*arguments, *more])


def lines(path):
    """The objects of a file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_merge_that_the_verifier_accepts_becomes_a_window(server, edits, capsys):
    """With where it comes from, and who merged it."""
    server.enqueue(tagged(SECOND))
    path = edits("e1", repo="acme/shop", commit="abc", licence="MIT")
    assert run(server, path) == 0
    (window,) = read_windows(path.with_name("out.jsonl"))
    assert (window.id, window.repo, window.commit, window.licence) == ("e1", "acme/shop", "abc", "MIT")
    assert (window.path, window.language, window.format) == ("a.py", "python", "search_replace")
    assert window.style == "teacher:FastApply-7B"
    assert window.edit == OPEN
    assert window.original in FILE
    assert window.merged is not None
    assert FILE.replace(window.original, window.merged) in {SECOND, FIRST}
    assert "1 windows by FastApply-7B at 127.0.0.1" in capsys.readouterr().out


def test_merge_that_is_none_is_thrown_out_and_counted_by_its_reason(server, edits, capsys):
    """What the pipeline refuses for users is no data either."""
    server.enqueue(tagged(WRONG))
    server.enqueue("I cannot tell.")
    server.enqueue(tagged(SECOND))
    path = edits("e1", "e2", "e3")
    assert run(server, path, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["kept"], told["known"]) == (1, 0)
    assert told["rejected"] == {"answer_other": 1, "answer_around": 1}
    assert [window.id for window in read_windows(path.with_name("out.jsonl"))] == ["e3"]
    rejected = lines(path.with_name("out.jsonl.rejected.jsonl"))
    assert [(one["id"], one["reason"]) for one in rejected] == [
        ("e1", "answer_other"),
        ("e2", "answer_around"),
    ]


def test_second_run_asks_only_about_what_is_new(server, edits, capsys):
    """Neither what was kept nor what was thrown out; half a line of a killed run is cut off."""
    server.enqueue(tagged(SECOND))
    server.enqueue(tagged(WRONG))
    server.enqueue(tagged(SECOND))
    path = edits("e1", "e2")
    assert run(server, path) == 0
    with path.with_name("out.jsonl").open("a") as file:
        file.write('{"id": "e3", "orig')
    edits("e1", "e2", "e3", "e3")
    assert run(server, path, "--json") == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (told["kept"], told["known"], told["rejected"]) == (1, 3, {})
    assert [window.id for window in read_windows(path.with_name("out.jsonl"))] == ["e1", "e3"]
    assert sum(path == "/v1/chat/completions" for path, *_ in server.requests) == 3


def test_further_samples_are_warm_and_the_first_good_one_counts(server, edits):
    """The first is greedy; nobody is asked once one is accepted."""
    server.enqueue(tagged(WRONG))
    server.enqueue(tagged(SECOND))
    path = edits("e1")
    assert run(server, path, "--samples", "4", "--temperature", "0.5") == 0
    bodies = [body for _, _, body in server.requests if body]
    assert [(body["temperature"], body.get("seed")) for body in bodies] == [(0, None), (0.5, 1)]
    assert [window.id for window in read_windows(path.with_name("out.jsonl"))] == ["e1"]


def test_samples_that_disagree_are_no_answer(server, edits):
    """Where two are to agree, one of each is not enough, and two of three are."""
    for merged in (SECOND, FIRST, SECOND, FIRST, SECOND, WRONG):
        server.enqueue(tagged(merged))
    path = edits("e1", "e2")
    assert run(server, path, "--samples", "3", "--agree", "2") == 0
    assert [window.id for window in read_windows(path.with_name("out.jsonl"))] == ["e1"]
    assert [one["reason"] for one in lines(path.with_name("out.jsonl.rejected.jsonl"))] == ["disagree"]


def test_edit_that_is_in_the_file_already_is_no_sample(server, edits):
    """There is nothing to learn from it, and nobody is asked."""
    path = edits("e1", edit="def one():\n    x = 0\n    # ... existing code ...\n")
    server.enqueue(tagged(FILE))
    assert run(server, path) == 0
    assert [one["reason"] for one in lines(path.with_name("out.jsonl.rejected.jsonl"))] == ["unchanged"]


def test_server_that_is_not_there_ends_the_run(edits, tmp_path, capsys):
    """Nothing is counted as an answer."""
    path = edits("e1")
    arguments = ["--out", str(tmp_path / "out.jsonl"), "--endpoint", "http://127.0.0.1:9/v1", "--model", "m"]
    assert main(["dataset", "distill", str(path), *arguments]) == 5
    assert "endpoint_unreachable" in capsys.readouterr().err
    assert (tmp_path / "out.jsonl").read_text() == ""
    assert (tmp_path / "out.jsonl.rejected.jsonl").read_text() == ""


def test_prompt_that_the_server_refuses_is_one_edit_lost_and_five_in_a_row_are_the_servers_fault(
    server, edits, capsys
):
    """The five are asked about again in the next run."""
    refused = (400, b'{"error": {"message": "prompt too long"}}')
    server.enqueue_raw(*refused)
    server.enqueue(tagged(SECOND))
    for _ in range(5):
        server.enqueue_raw(*refused)
    path = edits(*(f"e{number}" for number in range(7)))
    assert run(server, path) == 5
    assert "5 times in a row [endpoint_refused]" in capsys.readouterr().err
    assert [window.id for window in read_windows(path.with_name("out.jsonl"))] == ["e1"]
    assert [one["id"] for one in lines(path.with_name("out.jsonl.rejected.jsonl"))] == ["e0"]


def test_answers_are_waited_for_together_and_come_in_the_order_of_the_edits():
    """A teacher that answers nobody before four have asked is answered by four at a time."""
    from scripted import ScriptedModel

    model, together = ScriptedModel(), threading.Barrier(4, timeout=60)

    def answer(_task):
        together.wait()
        return Completion(tagged(SECOND), "end_tag")

    model.complete = answer
    edits = [Case(str(number), "a.py", FILE, OPEN) for number in range(12)]
    done = list(distill(edits, [model], jobs=4))
    assert all(isinstance(one, Window) for one in done)
    assert [one.id for one in done] == [edit.id for edit in edits]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["edits.jsonl", "--out", "o"], 2, "no teacher is set"),
        (["edits.jsonl", "--out", "o", "--agree", "2"], 2, "--agree 2 needs --samples 2 or more"),
        (
            ["none.jsonl", "--out", "o", "--endpoint", "http://127.0.0.1:9"],
            4,
            "cannot read the cases none.jsonl",
        ),
        (["bad.jsonl", "--out", "o", "--endpoint", "http://127.0.0.1:9"], 4, "bad.jsonl:1 is not a case"),
    ],
)
def test_call_without_teacher_or_edits_says_what_is_missing(  # noqa: PLR0917
    tmp_path, monkeypatch, capsys, arguments, status, said
):
    """And writes nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.jsonl").write_text('{"id": "e1"}\n')
    (tmp_path / "edits.jsonl").write_text("")
    assert main(["dataset", "distill", *arguments, *(["--model", "m"] if status == 4 else [])]) == status
    assert said in capsys.readouterr().err


def test_teacher_of_another_kind_is_asked_as_well():
    """Any apply model: the same rules hold for it."""
    from scripted import ScriptedModel

    model = ScriptedModel()
    model.enqueue(tagged(WRONG))
    (one,) = distill([Case("e1", "a.py", FILE, OPEN)], [model])
    assert isinstance(one, Rejected)
    assert (one.id, one.reason) == ("e1", "answer_other")
    assert len(model.history) == 1
    with pytest.raises(ModelTrouble):
        list(distill([Case("e1", "a.py", FILE, OPEN)], [broken()]))


def broken():
    """A model that cannot run."""
    from scripted import ScriptedModel

    def crash(_task):
        raise ModelTrouble("it crashed", reason="crashed")

    model = ScriptedModel()
    model.complete = crash
    return model
