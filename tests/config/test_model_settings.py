"""The model and the endpoint as settings: the user's own, never a project's, and never against an option."""

from __future__ import annotations

import pytest

from fastapply.jobs.request import ModelRequest, Request, configured

SETTINGS = 'model = "kortix-1.5b"\nendpoint = "http://box:8000/v1"\n'


def test_model_and_endpoint_come_from_the_users_file(user_config, tmp_path):
    """So that they need not be said each time."""
    user_config.write_text(SETTINGS, encoding="utf-8")
    model = configured(Request(), str(tmp_path)).model
    assert (model.name, model.endpoint) == ("kortix-1.5b", "http://box:8000/v1")


@pytest.mark.parametrize("file", ["fastapply.toml", "pyproject.toml"])
def test_project_can_name_neither(file, tmp_path, capsys):
    """A cloned project must not be able to send code anywhere or load a model."""
    head = "[tool.fastapply]\n" if file == "pyproject.toml" else ""
    (tmp_path / file).write_text(head + SETTINGS, encoding="utf-8")
    assert configured(Request(), str(tmp_path)).model == ModelRequest()
    said = capsys.readouterr().err
    assert "model is ignored" in said
    assert "endpoint is ignored" in said


def test_options_win_and_a_deterministic_run_asks_none(user_config, tmp_path):
    """An empty --endpoint is none, and --engine deterministic contradicts no setting."""
    user_config.write_text(SETTINGS, encoding="utf-8")
    said = configured(Request(model=ModelRequest("own", endpoint="")), str(tmp_path)).model
    assert (said.name, said.endpoint) == ("own", "")
    assert configured(Request(engine="deterministic"), str(tmp_path)).model == ModelRequest()


def test_environment_is_above_the_users_file(user_config, tmp_path, monkeypatch):
    """As for every setting."""
    user_config.write_text(SETTINGS, encoding="utf-8")
    monkeypatch.setenv("FASTAPPLY_ENDPOINT", "http://other:1/v1")
    monkeypatch.setenv("FASTAPPLY_MODEL", "other")
    model = configured(Request(), str(tmp_path)).model
    assert (model.name, model.endpoint) == ("other", "http://other:1/v1")
