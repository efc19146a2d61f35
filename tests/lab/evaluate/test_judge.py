"""The judge: what it is shown, how its answers are read, and that it goes on where it was."""

from __future__ import annotations

import json

import pytest
from making import CASE, FILE, WANTED, case, make_run, record, some_records, verdict_json

from fastapply.cli import main
from fastapply.errors import ModelTrouble
from fastapply.evaluate.records import read_records
from fastapply.models.remote.endpoint import find_endpoint
from fastapply_lab.chat import Chat
from fastapply_lab.evaluate.align import class_table, compare, kappa, ratings_of, sentence
from fastapply_lab.evaluate.annotations import annotate, read_annotations
from fastapply_lab.evaluate.judge.ask import PROMPT, judge_merge, judge_run, question_of
from fastapply_lab.evaluate.judgements import read_judgements


@pytest.fixture
def chat(server):
    """The judge of the scripted server, without pauses."""
    endpoint = find_endpoint(server.url)
    assert endpoint is not None
    chat = Chat(endpoint, pause=lambda _seconds: None)
    yield chat
    chat.close()


def test_the_judge_sees_file_edit_instruction_and_merge_and_not_the_answer():
    """The merge as a diff; what was expected is nowhere."""
    secret = CASE.expected.replace("saving to", "SECRET ANSWER") if CASE.expected else ""
    system, question = question_of(case(1, expected=secret, accept=(secret,)), WANTED)
    assert "SECRET" not in system + question
    assert CASE.instructions in question
    assert FILE.rstrip("\n") in question
    assert CASE.edit.rstrip("\n") in question
    assert '-    log.info("saving %s", path)\n+    log.info("saving to %s", path)' in question
    assert "truncation:" in system


def test_dollars_in_code_are_code():
    """The prompt is a template, and what is put into it is not."""
    _, question = question_of(case(1, original="$edit ${file}\n", edit="$diff", expected=None), "$path\n")
    assert "$edit ${file}" in question
    assert "+$path" in question


def test_the_answer_is_a_class_the_line_and_a_sentence(server, chat):
    """Asked for as JSON with a schema, at temperature 0."""
    server.enqueue(verdict_json("hallucination", "+    audit()", "Nobody asked for it."))
    found = judge_merge(chat, CASE, WANTED)
    assert (found.choice, found.line, found.sentence) == (
        "hallucination",
        "+    audit()",
        "Nobody asked for it.",
    )
    assert (found.judge, found.prompt, found.prompt_tokens) == ("critic", PROMPT, 11)
    _, _, body = server.requests[-1]
    assert (body["temperature"], body["model"]) == (0, "critic")
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["line", "sentence", "class"]


@pytest.mark.parametrize(
    "text",
    [
        "```json\n" + verdict_json("correct") + "\n```",
        "<think>{hm}</think>\nSo: " + verdict_json("correct"),
        "{not it} " + verdict_json("correct") + " I am sure.",
    ],
)
def test_an_answer_with_words_around_it_is_read(text, server, chat):
    """Small models talk."""
    server.enqueue(text)
    assert judge_merge(chat, CASE, WANTED).choice == "correct"


@pytest.mark.parametrize("text", ["It is fine.", '{"class": "good"}', '{"class": 3}', "", "[1]"])
def test_an_answer_without_a_class_is_trouble_and_no_verdict(text, server, chat):
    """It is kept, and asked about again another time."""
    server.enqueue(text)
    found = judge_merge(chat, CASE, WANTED)
    assert found.choice is None
    assert found.trouble


def test_a_server_without_schemas_is_asked_without(server, chat):
    """Once it has refused one."""
    for _ in range(2):
        server.enqueue_raw(400, b'{"error": "no response_format here"}')
    server.enqueue(verdict_json("correct"))
    assert judge_merge(chat, CASE, WANTED).choice == "correct"
    assert judge_merge(chat, CASE, WANTED).choice == "correct"
    asked = [body.get("response_format", {}).get("type") for _, _, body in server.requests if body]
    assert asked == ["json_schema", "json_object", None, None]


def test_a_server_that_knows_schemas_in_another_form_is_asked_in_that(server, chat):
    """As llama-cpp-python's, which answers the usual one with 500."""
    said = b'{"error": "validation error: response_format"}'
    for _ in range(5):
        server.enqueue_raw(500, said)
    server.enqueue(verdict_json("correct"))
    assert judge_merge(chat, CASE, WANTED).choice == "correct"
    assert judge_merge(chat, CASE, WANTED).choice == "correct"
    asked = [body["response_format"]["type"] for _, _, body in server.requests if body]
    assert asked == ["json_schema"] * 5 + ["json_object"] * 2


def test_a_run_is_judged_within_a_budget_and_goes_on(server, chat, tmp_path):
    """Refused cases have no merge to judge; what is answered is not asked about again."""
    run = make_run(tmp_path / "run", some_records())
    server.enqueue(verdict_json("correct"))
    records = list(read_records(run))
    first = list(judge_run(run, records, chat, most=2, jobs=1))
    assert [one.case for one in first] == ["store/1", "store/2"]
    rest = list(judge_run(run, records, chat, jobs=2))
    assert [one.case for one in rest] == ["store/3", "store/4", "store/5"]
    assert list(judge_run(run, records, chat)) == []
    assert len(read_judgements(run)) == 5


def test_trouble_is_asked_about_again(server, chat, tmp_path):
    """The answer then takes its place."""
    run = make_run(tmp_path / "run", [record(WANTED)])
    server.enqueue("I cannot say.")
    list(judge_run(run, read_records(run), chat))
    assert [one.choice for one in read_judgements(run)] == [None]
    server.answers.clear()
    server.enqueue(verdict_json("correct"))
    list(judge_run(run, read_records(run), chat))
    assert [one.choice for one in read_judgements(run)] == ["correct"]


def test_a_server_that_only_makes_trouble_ends_the_run(server, chat, tmp_path):
    """After five in a row, each of them kept."""
    run = make_run(tmp_path / "run", [record(WANTED, case(n)) for n in range(9)])
    server.enqueue_raw(400, b'{"error": "too long"}')
    with pytest.raises(ModelTrouble, match="5 times in a row"):
        list(judge_run(run, read_records(run), chat, jobs=1))
    assert len(read_judgements(run)) == 5


def judged_run(tmp_path):
    """Five merges, annotated by ann and by bob."""
    run = make_run(tmp_path / "run", some_records())
    said = ("correct", "non_functional", "functional_error", "hallucination", "truncation")
    for number, choice in enumerate(said, 1):
        annotate(run, f"store/{number}", "ann", choice)
        annotate(run, f"store/{number}", "bob", "correct")
    return run


def test_two_raters_are_held_against_each_other(tmp_path):
    """A six-by-six table, kappa, and what one calls right and the other wrong."""
    run = judged_run(tmp_path)
    ratings = ratings_of(list(read_records(run)), read_annotations(run), ())
    assert list(ratings) == ["person ann", "person bob", "answer", "suggestion"]
    one = compare("person ann", "person bob", ratings)
    assert (one.cases, one.same, one.kappa) == (5, 1, 0)
    assert (one.false_positives, one.false_negatives) == ((3, 3), (0, 2))
    assert [differs[0] for differs in one.differ] == ["store/2", "store/3", "store/4", "store/5"]
    head, rows = class_table(one)
    assert head[0] == "person ann \\ person bob"
    assert [row[1] for row in rows] == ["1", "1", ".", "1", "1", "1"]
    assert "false positives (called right, and wrong by person ann): 3 of 3, 100.0 %" in sentence(one)


def test_annotators_agree_with_known_answers(tmp_path):
    """The answer's class is the suggested one where the bytes differ."""
    run = judged_run(tmp_path)
    ratings = ratings_of(list(read_records(run)), read_annotations(run), ())
    assert compare("person ann", "answer", ratings).kappa == 1


def test_judge_and_align_from_the_command_line(server, tmp_path, capsys):
    """The judge's name and prompt are in what is printed, and in the run."""
    run = judged_run(tmp_path)
    server.enqueue(verdict_json("correct"))
    assert main(["evaluate", "judge", str(run), "--endpoint", server.url, "--most", "3"]) == 0
    assert capsys.readouterr().out.startswith(f"critic ({PROMPT}): 3 merges judged, 54 tokens")
    assert (
        main(["evaluate", "align", str(run), "--rater", "answer", "--rater", "judge critic", "--show"]) == 0
    )
    said = capsys.readouterr().out
    assert "3 merges: the same class in 1 of 3, 33.3 % (6.1 to 79.2)" in said
    assert "store/3: functional error by answer, correct by judge critic" in said
    assert main(["evaluate", "align", str(run), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["pairs"]) == 9


def test_align_needs_two_who_rate(tmp_path, capsys):
    """Else it says who there is."""
    run = make_run(tmp_path / "run", [record(WANTED)])
    assert main(["evaluate", "align", str(run)]) == 2
    assert "needs two raters for the same merges; found answer" in capsys.readouterr().err


def test_kappa_is_that_of_the_literature():
    """Cohen's own example of two raters, and none where all say one thing."""
    assert kappa([[20, 5], [10, 15]]) == 0.4
    assert kappa([[7, 0], [0, 0]]) is None
    assert kappa([]) is None
