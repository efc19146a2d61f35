"""How certain a lazy merge has to be, and is: over MCP, over HTTP and of `patch`; and their log of use."""

from __future__ import annotations

import json
import re

import pytest
from cart import CART, TOTAL, TOTALLED

from fastapply import apply_edit
from fastapply.jobs.texts import plain_hints
from fastapply.pipeline.picks import way_to_a_model
from fastapply.server.mcp.serve import make_server
from fastapply.workspace.files import Keep
from fastapply.workspace.files.calls import read_calls

CHAT, APPLY = "/v1/chat/completions", "/v1/code/apply"
CERTAINTY = apply_edit(CART, TOTAL, path="cart.py").certainty
REFUSED = apply_edit(CART, TOTAL, path="cart.py", min_certainty=1.0)
EDIT = {"target_file": "cart.py", "instructions": "mark it", "code_edit": TOTAL}
MARKED = apply_edit(CART, TOTAL, path="cart.py", instructions="mark it")
MARKED_AND_REFUSED = apply_edit(CART, TOTAL, path="cart.py", instructions="mark it", min_certainty=1.0)


@pytest.fixture
def merges():
    """Make clients of HTTP servers with a manner of their own."""
    from starlette.testclient import TestClient

    from fastapply.server.http.app import LOOPBACK, ServerLimits, make_app
    from fastapply.server.http.work import Manner

    def make(**manner):
        limits = ServerLimits(jobs=1, queue=4, body=100_000, seconds=20)
        app = make_app(limits, hosts=LOOPBACK, token=None, manner=Manner(**manner))
        return TestClient(app, base_url="http://127.0.0.1:8765")

    return make


def test_the_edit_of_these_tests_is_certain_and_not_wholly():
    """Else they would show nothing."""
    assert CERTAINTY is not None
    assert 0.5 < CERTAINTY < 1
    assert (REFUSED.status, len(REFUSED.candidates) > 0) == ("refused", True)
    assert all(place.share is not None and place.says for place in REFUSED.candidates)


def test_answers_over_http_say_how_certain_a_merge_is(client):
    """Each form of answer; of other formats than lazy edits nothing is known."""
    body = {"initial_code": CART, "edit_snippet": TOTAL, "filename": "cart.py"}
    assert client.post(APPLY, json=body).json()["certainty"] == CERTAINTY
    sure = {**body, "edit_snippet": "<<<<<<< SEARCH\nclass Cart:\n=======\nclass Bag:\n>>>>>>> REPLACE\n"}
    assert client.post(APPLY, json=sure).json()["certainty"] is None
    message = f"<code>{CART}</code><update>{TOTAL}</update>"
    chat = {"messages": [{"role": "user", "content": message}], "path": "cart.py"}
    assert client.post(CHAT, json=chat).json()["certainty"] == CERTAINTY
    lines = client.post(CHAT, json={**chat, "stream": True}).text.split("\n\n")
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
    assert [event["certainty"] for event in events if "certainty" in event] == [CERTAINTY]
    assert events[-1]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize(
    ("manner", "body", "status"),
    [
        ({}, {}, 200),
        ({"min_certainty": 0.9999}, {}, 422),
        ({}, {"min_certainty": 0.9999}, 422),
        ({}, {"minCertainty": 1}, 422),
        ({"min_certainty": 0.9999}, {"min_certainty": 0.1}, 422),
        ({"min_certainty": 0.1}, {"min_certainty": 0.2}, 200),
        ({}, {"min_certainty": 1.1}, 400),
        ({}, {"min_certainty": True}, 400),
        ({}, {"min_certainty": "much"}, 400),
    ],
    ids=str,
)
def test_server_and_client_ask_for_certainty_and_the_higher_one_counts(merges, manner, body, status):
    """A refusal has the candidates as `apply --json` has them."""
    with merges(**manner) as client:
        wanted = {"initial_code": CART, "edit_snippet": TOTAL, "filename": "cart.py", **body}
        answer = client.post(APPLY, json=wanted)
    assert answer.status_code == status, answer.text
    if status == 422:
        shown = answer.json()["error"]["candidates"]
        assert [(each["share"], each["says"], each["diff"]) for each in shown] == [
            (place.share, place.says, list(place.diff)) for place in REFUSED.candidates
        ]


def test_tools_say_how_certain_a_merge_is(project, calls):
    """Behind the diff."""
    ((failed, text),) = calls(make_server(project), ("edit_file", EDIT))
    assert (failed, text.splitlines()[-1]) == (False, f"certainty {MARKED.certainty:.1%}")
    assert (project / "cart.py").read_text(encoding="utf-8") == TOTALLED


def test_tools_refuse_what_is_less_certain_than_the_configuration_asks_for(project, calls):
    """The project's own file may ask for more; the answers are listed, each with its diff."""
    (project / "fastapply.toml").write_text("min_certainty = 1\n", encoding="utf-8")
    ((failed, text),) = calls(make_server(project), ("edit_file", EDIT))
    assert (failed, (project / "cart.py").read_text(encoding="utf-8")) == (True, CART)
    assert text.startswith(f"refused [{MARKED_AND_REFUSED.reason}], nothing was written: cart.py: ")
    rows = text.splitlines()
    assert rows[0].endswith(" % certain, 100 % needed)")
    assert [row for row in rows if re.match(r"  \d  ", row)] == [
        f"  {number}  {place.says}" for number, place in enumerate(MARKED_AND_REFUSED.candidates, 1)
    ]
    diffs = [line for place in MARKED_AND_REFUSED.candidates for line in place.diff]
    assert diffs
    shown = rows[: next(number for number, row in enumerate(rows) if row.startswith("hint: "))]
    assert [row for row in shown if row.startswith("       ")] == [f"       {line}" for line in diffs]
    first = next(row for row in rows if row.startswith("hint: "))
    one = f'"{MARKED_AND_REFUSED.decision}:1"'
    assert first == f"hint: if this is right, make the same call again with pick {one}"


def test_tools_put_in_the_merge_that_is_picked(project, calls, user_config):
    """The same call once more, with the number of a candidate."""
    user_config.write_text("min_certainty = 1.0\n", encoding="utf-8")
    server = make_server(project)
    for wrong, said in (("one", "is not a number"), ("0", "counts from 1"), ("1;2", "is not a number")):
        ((failed, text),) = calls(server, ("edit_file", {**EDIT, "pick": wrong}))
        assert failed
        assert said in text
    for pick in (1, "1", f"{MARKED_AND_REFUSED.decision}:1"):
        (project / "cart.py").write_text(CART, encoding="utf-8")
        ((failed, text),) = calls(server, ("edit_file", {**EDIT, "pick": pick}))
        assert not failed, text
        assert (project / "cart.py").read_text(encoding="utf-8") == TOTALLED


def test_tools_take_picks_for_several_parts(project, calls):
    """Hunks are answered in their order; a tool that edits several files and the preview take them too."""
    block = "<<<<<<< SEARCH\n        return self\n=======\n        return None\n>>>>>>> REPLACE\n"
    one = {**EDIT, "code_edit": block, "pick": 2}
    wanted = [
        ("preview_edit", {**one, "pick": "1, 2"}),
        ("preview_edit", {**one, "pick": 9}),
        ("edit_files", {"edits": [one]}),
    ]
    answers = calls(make_server(project), *wanted)
    assert [failed for failed, _ in answers] == [False, True, False]
    assert "warning: pick 2 was not needed: nothing else was open" in answers[0][1]
    assert (project / "cart.py").read_text(encoding="utf-8") == CART.removesuffix("self\n") + "None\n"


def test_tools_refuse_a_pick_for_a_file_that_has_changed(project, calls, user_config):
    """The id in it is that of another question."""
    user_config.write_text("min_certainty = 1.0\n", encoding="utf-8")
    changed = CART.replace("append", "add")
    (project / "cart.py").write_text(changed, encoding="utf-8")
    arguments = {**EDIT, "pick": f"{MARKED_AND_REFUSED.decision}:1"}
    ((failed, text),) = calls(make_server(project), ("edit_file", arguments))
    assert (failed, (project / "cart.py").read_text(encoding="utf-8")) == (True, changed)
    assert text.startswith(
        "refused [changed_meanwhile], nothing was written: cart.py: the question has changed"
    )


def test_tools_say_that_a_pick_was_not_needed(project, calls):
    """Behind the diff."""
    clear = "<<<<<<< SEARCH\nclass Cart:\n=======\nclass Bag:\n>>>>>>> REPLACE\n"
    ((failed, text),) = calls(make_server(project), ("edit_file", {**EDIT, "code_edit": clear, "pick": 1}))
    assert not failed
    assert text.splitlines()[-1] == "warning: pick 1 was not needed: the edit is clear without it"


@pytest.mark.parametrize(
    ("pick", "status"),
    [
        (1, 200),
        ("1", 200),
        ([1], 200),
        ("ID:1", 200),
        ("00000000:1", 422),
        (9, 422),
        (0, 400),
        (True, 400),
        ("one", 400),
        (1.5, 400),
        ([True], 400),
        ({}, 400),
    ],
    ids=str,
)
def test_http_takes_the_answer_to_a_refusal(client, pick, status):
    """With the id that the refusal had, or without; in both forms of request."""
    body = {"initial_code": CART, "edit_snippet": TOTAL, "filename": "cart.py", "min_certainty": 1}
    refused = client.post(APPLY, json=body).json()["error"]
    assert (refused["decision"], refused["needed"], refused["certainty"]) == (
        REFUSED.decision,
        1.0,
        CERTAINTY,
    )
    if isinstance(pick, str):
        pick = pick.replace("ID", refused["decision"])
    answer = client.post(APPLY, json={**body, "pick": pick})
    assert answer.status_code == status, answer.text
    message = f"<code>{CART}</code><update>{TOTAL}</update>"
    chat = {"messages": [{"role": "user", "content": message}], "path": "cart.py", "min_certainty": 1}
    assert client.post(CHAT, json={**chat, "pick": pick}).status_code == status
    if status == 200:
        assert answer.json()["mergedCode"] == TOTALLED
    if pick == "00000000:1":
        assert answer.json()["error"]["code"] == "changed_meanwhile"


def test_http_says_that_a_pick_was_not_needed(client):
    """As a warning in the answer, which has none otherwise."""
    edit = "<<<<<<< SEARCH\nclass Cart:\n=======\nclass Bag:\n>>>>>>> REPLACE\n"
    body = {"initial_code": CART, "edit_snippet": edit}
    assert "warnings" not in client.post(APPLY, json=body).json()
    told = client.post(APPLY, json={**body, "pick": 1}).json()["warnings"]
    assert told == ["pick 1 was not needed: the edit is clear without it"]


def test_lines_to_search_for_are_told_as_they_stand():
    """Blank and equal lines too: a block copied from there has to fit."""
    step = f"or let an apply model decide: {way_to_a_model()}"
    hint = "send a block; the lines to search for, where the first one is:\n    }\n\n    }"
    assert plain_hints([f"{hint}\n{step}", hint]) == (hint,)
    assert plain_hints(["name it, or accept this with --allow lost_lines\n\ntwo"]) == ("name it", "two")


def test_patch_takes_the_least_certainty(tmp_path, monkeypatch, capsys):
    """From its option, or from the configuration, which the option overrides."""
    from fastapply.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "cart.py").write_text(CART, encoding="utf-8")
    (tmp_path / "edit.md").write_text(f"**cart.py**\n```python\n{TOTAL}```\n", encoding="utf-8")
    arguments = ["patch", "--json", "--check", "edit.md"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["certainty"] == pytest.approx(CERTAINTY, abs=0.01)
    assert main([*arguments, "--min-certainty", "1"]) == 1
    refused = json.loads(capsys.readouterr().out)
    assert [each["share"] for each in refused["candidates"]] == pytest.approx(
        [each.share for each in MARKED_AND_REFUSED.candidates], abs=0.01
    )
    monkeypatch.setenv("FASTAPPLY_MIN_CERTAINTY", "1.0")
    assert main(arguments) == 1
    assert main([*arguments, "--min-certainty", "0.1"]) == 0


def test_calls_of_tools_are_kept_where_the_user_wants_that(project, calls, user_config):
    """Written and refused; previews are tries."""
    unclear = {**EDIT, "code_edit": "<<<<<<< SEARCH\nno line\n=======\nx\n>>>>>>> REPLACE\n"}
    wanted = [("edit_file", unclear), ("preview_edit", EDIT), ("edit_file", EDIT)]
    calls(make_server(project), wanted[0])
    assert list(read_calls()) == []
    user_config.write_text("keep_log = true\n", encoding="utf-8")
    calls(make_server(project), *wanted)
    applied, refused = read_calls(str(project))
    assert (applied.command, applied.outcome, applied.original, applied.merged) == (
        "mcp",
        "applied",
        CART,
        TOTALLED,
    )
    assert (applied.instructions, applied.written) == ("mark it", True)
    assert applied.certainty == pytest.approx(CERTAINTY, abs=0.01)
    assert (refused.outcome, refused.reason, refused.original) == ("refused", "not_found", CART)


def test_calls_over_http_are_kept_where_the_user_wants_that(merges):
    """Without a path of this machine; what warms the server up is none."""
    with merges(log=Keep()) as client:
        body = {"initial_code": CART, "edit_snippet": TOTAL, "filename": "cart.py", "instruction": "mark it"}
        assert client.post(APPLY, json=body).status_code == 200
        assert client.post(APPLY, json={**body, "min_certainty": 1}).status_code == 422
    refused, applied = read_calls()
    assert (applied.command, applied.path, applied.original, applied.merged) == (
        "serve",
        "cart.py",
        CART,
        TOTALLED,
    )
    assert (refused.outcome, refused.reason, refused.merged) == ("refused", MARKED_AND_REFUSED.reason, None)
    assert list(read_calls(".")) == []


OPEN = "def total(prices):\n    return sum(prices)\n"
LACKS = (
    "<<<<<<< SEARCH\n    return sum(prices)\n=======\n    return sum(max(0, one) for one in prices\n"
    ">>>>>>> REPLACE\n"
)
CLOSED = OPEN.replace("sum(prices)", "sum(max(0, one) for one in prices)")
SAID = "the edit is missing a closing )"


def test_small_mistakes_are_mended_over_http_where_that_is_asked_for(client):
    """And each is said; else the edit is refused."""
    body = {"initial_code": OPEN, "edit_snippet": LACKS, "filename": "total.py"}
    assert client.post(APPLY, json=body).status_code == 422
    answer = client.post(APPLY, json={**body, "smooth": True}).json()
    assert (answer["mergedCode"], answer["smoothed"]) == (CLOSED, [SAID])
    message = f"<code>{OPEN}</code><update>{LACKS}</update>"
    chat = {"messages": [{"role": "user", "content": message}], "path": "total.py", "smooth": True}
    assert client.post(CHAT, json=chat).json()["smoothed"] == [SAID]
    assert client.post(APPLY, json={**body, "smooth": "yes"}).status_code == 400
    sound = {**body, "edit_snippet": LACKS.replace("in prices\n", "in prices)\n"), "smooth": True}
    assert "smoothed" not in client.post(APPLY, json=sound).json()


@pytest.mark.parametrize("wanted", [False, True])
def test_small_mistakes_are_mended_over_mcp_where_the_user_configured_it(wanted, project, calls, monkeypatch):
    """With the file's own repository asked, as on the command line."""
    monkeypatch.setenv("FASTAPPLY_SMOOTH", str(int(wanted)))
    (project / "total.py").write_text(OPEN, encoding="utf-8")
    request = {"target_file": "total.py", "instructions": "no negative prices", "code_edit": LACKS}
    ((failed, text),) = calls(make_server(project), ("edit_file", request))
    assert failed is not wanted
    assert (f"{SAID} [smoothed" in text) == wanted
    assert (project / "total.py").read_text(encoding="utf-8") == (CLOSED if wanted else OPEN)


def test_http_takes_the_name_of_a_place(client):
    """`where`, in both forms of a request; one that names no place is an error of the request."""
    new = "def clear(self):\n    self.lines = []\n"
    body = {"initial_code": CART, "edit_snippet": new, "path": "cart.py", "where": "before remove"}
    merged = CART.replace("    def remove", "    def clear(self):\n        self.lines = []\n\n    def remove")
    assert client.post(APPLY, json=body).json()["mergedCode"] == merged
    message = {"role": "user", "content": f"<code>{CART}</code><update>{new}</update>"}
    chat = {"messages": [message], "path": "cart.py", "where": "before remove"}
    assert client.post(CHAT, json=chat).json()["choices"][0]["message"]["content"] == merged
    wrong = client.post(APPLY, json={**body, "where": "near remove"})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "bad_value")
    unknown = client.post(APPLY, json={**body, "where": "before removed"})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (422, "no_such_name")


MAIL = "def send(to):\n    check(to)\n    post(to)\n\n\ndef close():\n    stop()\n"
LOG = "def send(to):\n    # ...\n    log(to)\n    # ...\n"


def test_each_answer_of_a_question_has_its_pick(tmp_path, calls):
    """The call that takes one of them is written out, and it is all that the next call needs."""
    file = tmp_path / "mail.py"
    file.write_text(MAIL, encoding="utf-8")
    arguments = {"target_file": "mail.py", "instructions": "", "code_edit": LOG}
    asked = apply_edit(MAIL, LOG, path="mail.py")
    ((failed, text),) = calls(make_server(tmp_path), ("edit_file", arguments))
    assert (failed, len(asked.candidates)) == (True, 3)
    rows = text.splitlines()
    hints = [row for row in rows if row.startswith("hint: ")]
    name = asked.decision
    assert hints[0] == f'hint: make the same call again with pick "{name}:1", "{name}:2" or "{name}:3"'
    assert hints[1].startswith("hint: or send a SEARCH/REPLACE block")
    ((failed, _),) = calls(make_server(tmp_path), ("edit_file", {**arguments, "pick": f"{name}:2"}))
    assert not failed
    assert file.read_text(encoding="utf-8") == apply_edit(MAIL, LOG, path="mail.py", pick=2).text


def test_lines_that_match_nothing_are_named_as_the_tool_names_them(project, calls):
    """There is no command line here."""
    block = "<<<<<<< SEARCH\n        return self\n=======\n        return None\n>>>>>>> REPLACE\n"
    ((failed, text),) = calls(
        make_server(project), ("edit_file", {**EDIT, "code_edit": block, "at_lines": "1"})
    )
    assert failed
    assert "at_lines 1 matches no candidate" in text


def test_a_pick_for_one_part_is_sent_again_with_the_next(tmp_path, calls):
    """Of two open parts the second one is asked about once the first is answered; the hint names both."""
    file = tmp_path / "mail.py"
    file.write_text(MAIL, encoding="utf-8")
    then = LOG.replace("send(to)", "close()").replace("log(to)", "log(2)")
    code = f"First:\n\n```python\n{LOG}```\n\nThen:\n\n```python\n{then}```\n"
    arguments = {"target_file": "mail.py", "instructions": "", "code_edit": code}
    (tmp_path / "fastapply.toml").write_text("min_certainty = 1\n", encoding="utf-8")
    ((_, text),) = calls(make_server(tmp_path), ("edit_file", arguments))
    first = re.findall(r'"([0-9a-f]{8}:1)"', text)[0]
    ((failed, text),) = calls(make_server(tmp_path), ("edit_file", {**arguments, "pick": first}))
    assert failed
    both = re.findall(rf'"({first}, [0-9a-f]{{8}}:1)"', text)[0]
    ((failed, text),) = calls(make_server(tmp_path), ("edit_file", {**arguments, "pick": both}))
    assert not failed, text
    assert file.read_text(encoding="utf-8").count("log(") == 2
