"""A small real model, trained from nothing: llama.cpp loads it, and it writes merges and knows its limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from fastapply import apply_edit
from fastapply.models.choosing import choose
from fastapply.models.engine import Trust
from fastapply.models.rewrite import prepare_choice
from fastapply.pipeline import read_edit
from fastapply.pipeline.parts import propose
from fastapply.text import from_text, splice
from fastapply.types import Options

NANO = Path(__file__).parents[1] / "models" / "nano-4m.gguf"

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
    """The model, in this process."""
    from fastapply.models.llama.library import Settings
    from fastapply.models.llama.model import LlamaModel

    model = LlamaModel(NANO, name="nano", style="nano", settings=Settings(threads=1, extra_buffers=False))
    yield model
    model.close()


def opened():
    """Source, part and proposal of an edit whose place the engine is not to be certain of."""
    source = from_text(SHOP)
    part = read_edit(TRIMMED, path="a.go", original=source, options=Options()).files[0].parts[0]
    return source, part, propose(source, part, language="go", options=Options(min_certainty=1.0))


def test_the_model_finds_the_right_place_likelier(nano):
    """One of two functions calls what the new line calls."""
    source, part, proposal = opened()
    focus, prompt = prepare_choice(source, part, proposal, nano, language="go", options=Options())
    choice = choose(focus, prompt, nano)
    assert choice is not None
    best = proposal.questions[0].candidates[choice.number]
    assert splice(source, best.splices).text == SHOP.replace(
        "shelf.Close(name)", "shelf.Close(strings.TrimSpace(name))"
    )


def test_the_merge_is_one_of_the_candidates_or_none(nano):
    """As far as the model is believed."""
    _, _, proposal = opened()
    merges = {splice(from_text(SHOP), one.splices).text for one in proposal.questions[0].candidates}
    for bias, kept in ((9.0, False), (-9.0, True)):
        nano.trust = Trust({"behind": -0.1}, bias, 0.5)
        result = apply_edit(SHOP, TRIMMED, path="a.go", model=nano, min_certainty=0.999)
        assert result.text in ({SHOP} if kept else merges)


def test_the_model_does_not_decide_what_nobody_can(nano):
    """Both functions begin alike, and the new line fits either: it is unsure of its own choice."""
    nano.trust = Trust({"behind": -2.0}, 0.0, 0.5)
    refused = apply_edit(SHOP, EITHER, path="a.go", model=nano)
    assert (refused.status, refused.text) == ("refused", SHOP)
