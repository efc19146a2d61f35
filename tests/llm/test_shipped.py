"""The model that comes with the program: it loads, finds the right way likelier, and knows its limits."""

from __future__ import annotations

import pytest

from fastapply import apply_edit
from fastapply.llm.engine import Thresholds
from fastapply.llm.store import resolve

SHOP = """\
package shop

func Open(name string) error {
\tlog.Print("opening", name)
\tif name == "" {
\t\treturn errMissing
\t}
\treturn shelf.Open(name)
}

func Close(name string) error {
\tlog.Print("closing", name)
\tif name == "" {
\t\treturn errMissing
\t}
\treturn shelf.Close(name)
}
"""
TRIMMED = """\
// ...
\tif name == "" {
\t\treturn errMissing
\t}
\treturn shelf.Close(strings.TrimSpace(name))
}
"""
EITHER = TRIMMED.replace("return shelf.Close(strings.TrimSpace(name))\n}", "check(name)\n// ...")


@pytest.fixture
def nano(llama):  # noqa: ARG001 - skips
    """The shipped model, in this process."""
    from fastapply.llm.llama.library import Settings
    from fastapply.llm.llama.model import LlamaModel

    shipped = resolve("nano")
    model = LlamaModel(
        shipped.path, name="nano", style=shipped.style, settings=Settings(threads=1, extra_buffers=False)
    )
    model.thresholds = shipped.thresholds
    yield model
    model.close()


def test_the_shipped_model_is_believed_only_where_it_writes_what_it_chooses():
    """Its own file says so: neither what it writes nor what it chooses is taken alone."""
    assert resolve("nano").thresholds == Thresholds(None, None, 0.0)


def test_the_shipped_model_finds_the_right_place_likelier(nano):
    """One of two functions calls what the new line calls; with a lower threshold it decides."""
    nano.thresholds = Thresholds(None, 29.0)
    assert apply_edit(SHOP, TRIMMED, path="a.go", model=nano).reason == "answer_unsure"
    nano.thresholds = Thresholds(None, 5.0)
    applied = apply_edit(SHOP, TRIMMED, path="a.go", model=nano)
    assert (applied.status, applied.method) == ("applied", "model")
    assert applied.text == SHOP.replace("shelf.Close(name)", "shelf.Close(strings.TrimSpace(name))")


def test_the_shipped_model_writes_what_it_chose_or_decides_nothing(nano):
    """As it ships, it is asked to write as well."""
    result = apply_edit(SHOP, TRIMMED, path="a.go", model=nano)
    expected = SHOP.replace("shelf.Close(name)", "shelf.Close(strings.TrimSpace(name))")
    assert result.models[0].characters > 0
    assert (result.status, result.text) in {("applied", expected), ("refused", SHOP)}


def test_the_shipped_model_does_not_decide_what_nobody_can(nano):
    """Both functions begin alike, and the new line fits either."""
    refused = apply_edit(SHOP, EITHER, path="a.go", model=nano)
    assert (refused.status, refused.text) == ("refused", SHOP)
