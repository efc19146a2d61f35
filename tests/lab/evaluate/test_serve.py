"""The page as it is served: who may ask, and what is kept of what they say."""

from __future__ import annotations

import json

import pytest
from making import make_run, some_records
from starlette.testclient import TestClient

from fastapply_lab.evaluate.annotations import annotate, read_annotations
from fastapply_lab.evaluate.page.detail import case_detail
from fastapply_lab.evaluate.page.overview import ShownRun
from fastapply_lab.evaluate.serve import make_app


@pytest.fixture
def client(tmp_path):
    """A page that is served, as in a browser that has its address."""
    run = make_run(tmp_path / "run", some_records())
    shown = ShownRun("run", {one.case.id: one for one in some_records()})
    app = make_app([run], [shown], token="open", who="ann")  # noqa: S106 - of a test
    with TestClient(app, base_url="http://127.0.0.1:8000", headers={"X-Token": "open"}) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/case/0", "/annotations"])
def test_nothing_is_answered_without_the_token(path, client):
    """Nor with a wrong one, nor to another host or origin."""
    assert client.get(path).status_code == 200
    assert client.get(path, headers={"X-Token": ""}).status_code == 403
    assert client.get(f"{path}?token=open", headers={"X-Token": ""}).status_code == 200
    assert client.get(f"{path}?token=\u00e4", headers={"X-Token": ""}).status_code == 403
    assert client.get(path, headers={"Host": "evil.example"}).status_code == 403
    assert client.get(path, headers={"Origin": "http://evil.example"}).status_code == 403


def test_an_annotation_is_on_the_disk_when_it_is_answered(client, tmp_path):
    """And comes with what others say."""
    annotate(tmp_path / "run", "store/2", "bob", "correct")
    sent = {"run": 0, "case": "store/1", "who": "ann", "class": "correct", "note": "fine"}
    answer = client.post("/annotations", json=sent)
    assert [one["who"] for one in answer.json()["annotations"][0]] == ["bob", "ann"]
    assert [one.note for one in read_annotations(tmp_path / "run")] == ["", "fine"]
    assert client.get("/annotations").json() == answer.json()


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"case": "nothing"}, 404),
        ({"class": "good"}, 422),
        ({"run": 7}, 400),
        ({"run": "x"}, 400),
        ({"who": ""}, 422),
        ({"note": "x" * 70_000}, 413),
    ],
)
def test_what_is_no_annotation_is_turned_away(change, status, client, tmp_path):
    """And nothing is written."""
    sent = {"run": 0, "case": "store/1", "who": "ann", "class": "correct", "note": "", **change}
    assert client.post("/annotations", json=sent).status_code == status
    assert read_annotations(tmp_path / "run") == ()


def test_details_are_given_on_demand(client):
    """The same as are packed into a report."""
    first = some_records()[0]
    served = client.get("/case/0").json()
    assert served == json.loads(json.dumps(case_detail(first.case, [first.attempt.merged])))
    assert client.get("/case/99").status_code == 404
