"""Several snippets of one reply, read as one where one of them is open by itself."""

from __future__ import annotations

import pytest
from scripted import ScriptedModel, TrustedModel

from fastapply import apply_edit
from fastapply.merge.together import MARKER, agree, in_order, join_snippets
from fastapply.models.engine import Trust
from fastapply.models.prompts import expected_answer
from fastapply.pipeline import read_edit
from fastapply.pipeline.parts import propose_together
from fastapply.text import from_text, splice
from fastapply.types import Candidate, HunkList, LineRange, Options, Proposal, Question, Snippet, Splice

FILE = """\
name: desk
dependencies:
  icons: ^0.1.3
  chooser:
    git:
      url: https://example.org/desk/embedding.git
      path: plugins/chooser
  http: ^0.12.2

msix:
  version: 1.0.0.0
  background: '#ffffff'
  architecture: x64
  # what the program may do
  capabilities: 'internet'
"""
PACKAGES = """\
  icons: ^0.1.3
  selector: ^0.7.0
  selector_linux: ^0.0.1
  selector_macos: ^0.0.1
  http: ^0.12.2
"""
QUOTES = """\
  version: 1.0.0.0
  background: "#ffffff"
  architecture: x64
  # ...
  capabilities: "internet"
"""
MERGED = (
    FILE.replace(
        FILE[FILE.index("  chooser") : FILE.index("  http")],
        PACKAGES[PACKAGES.index("  selector:") : PACKAGES.index("  http")],
    )
    .replace("'#ffffff'", '"#ffffff"')
    .replace("'internet'", '"internet"')
)


def reply(*snippets: str) -> str:
    """A chat reply with a fence for each snippet."""
    return "\n".join(f"```yaml\n{one}```\n" for one in snippets)


def snippet(*lines: str, **more) -> Snippet:
    """A snippet of these lines."""
    return Snippet(lines, 1, **more)


def test_a_part_that_is_open_alone_is_certain_beside_the_other():
    """Both go in, each told as a part that was aligned."""
    said = "I will replace chooser by selector"
    result = apply_edit(FILE, reply(PACKAGES, QUOTES), path="a.yaml", instructions=said)
    assert (result.status, result.text) == ("applied", MERGED)
    assert result.certainty is not None
    assert result.certainty > 0.95


def test_an_entry_that_nobody_names_is_not_removed():
    """Without a word about it the dependency that would go is asked about."""
    for edit in (reply(PACKAGES), reply(PACKAGES, QUOTES)):
        assert apply_edit(FILE, edit, path="a.yaml").status == "refused"


def test_parts_against_the_order_of_the_file_are_read_one_by_one():
    """What is open about one of them refuses, and its candidates are about that part alone."""
    result = apply_edit(FILE, reply(QUOTES, PACKAGES), path="a.yaml")
    assert (result.status, result.reason, result.text) == ("refused", "uncertain", FILE)
    alone = apply_edit(FILE, reply(PACKAGES), path="a.yaml")
    assert [one.lines for one in result.candidates] == [one.lines for one in alone.candidates]


def test_a_pick_answers_for_the_part_that_is_open():
    """The numbers are those of the refusal; the other part goes in besides."""
    refused = apply_edit(FILE, reply(PACKAGES, QUOTES), path="a.yaml", min_certainty=0.999)
    assert refused.status == "refused"
    number = next(
        n
        for n, one in enumerate(refused.candidates, 1)
        if any("chooser" in line for line in one.diff if line.startswith("-"))
    )
    picked = apply_edit(FILE, reply(PACKAGES, QUOTES), path="a.yaml", pick=[number])
    assert (picked.status, picked.text) == ("applied", MERGED)


@pytest.mark.parametrize(("bias", "status"), [(9.0, "applied"), (3.0, "refused")])
def test_a_measured_model_is_asked_once_about_all_parts(bias, status):
    """What it is not sure enough of is refused with the candidates of the part that is open."""
    edit, least = reply(PACKAGES, QUOTES), 0.999
    alone = apply_edit(FILE, edit, path="a.yaml", min_certainty=least)
    assert alone.status == "refused"
    source, options = from_text(FILE), Options(min_certainty=least)
    parts = read_edit(edit, path="a.yaml", original=source, options=options).files[0].parts
    joined = propose_together(source, parts, language="yaml", options=options)
    assert joined is not None
    merged = splice(source, joined[1].questions[0].candidates[0].splices).text
    model = TrustedModel(Trust({}, bias, 0.5), (0.0, *[-50.0] * 9))
    result = apply_edit(FILE, edit, path="a.yaml", model=model, min_certainty=least)
    assert (result.status, len(model.asked)) == (status, 1)
    if status == "applied":
        assert (result.text, result.method) == (merged, "model")
    else:
        assert (result.reason, result.candidates) == ("answer_unsure", alone.candidates)


def test_any_other_model_is_asked_about_the_part_that_is_open():
    """It writes all of its answer, and is shown no more than that part."""
    model = ScriptedModel()
    model.enqueue(expected_answer("kortix", MERGED))
    result = apply_edit(FILE, reply(QUOTES, PACKAGES), path="a.yaml", model=model)
    assert (result.status, result.text) == ("applied", MERGED)
    assert [task.drafts.edit for task in model.history] == [PACKAGES]


def test_snippets_are_joined_with_a_marker_between_them():
    """Their own, where they have one."""
    joined = join_snippets(["a", "b", "c"], [snippet("a", "x"), snippet("c", "y", ended=False)])
    assert joined == snippet("a", "x", MARKER, "c", "y", ended=False)
    joined = join_snippets(["a", "b", "c"], [snippet("a", "# ... the rest ..."), snippet("c", "y")])
    assert joined is not None
    assert joined.lines == ("a", "# ... the rest ...", "# ... the rest ...", "c", "y")


def test_a_snippet_that_lost_its_indentation_gets_it_back():
    """Where all that the file has of it is as far to the right; else it stays, or the two are not joined."""
    file = ["class A:", "    @test", "    def one(self):", "        pass"]
    whole, lost = snippet("class A:"), snippet("@test", "def two(self):", "    pass")
    joined = join_snippets(file, [whole, lost])
    assert joined is not None
    assert joined.lines[2:] == ("    @test", "    def two(self):", "        pass")
    kept = join_snippets(file, [whole, snippet("    @test", "pass")])
    assert kept is not None
    assert kept.lines[2:] == ("    @test", "pass")
    assert join_snippets(file, [whole, snippet("@test", "pass")]) is None
    assert join_snippets(file, [whole, snippet("            @test")]) is None


@pytest.mark.parametrize(
    "parts",
    [
        (snippet("a"),),
        (snippet("a"), snippet("b", said_whole=True)),
        (snippet("a"), HunkList("udiff", ())),
        (),
    ],
)
def test_anything_else_is_not_joined(parts):
    """One snippet, a whole file, hunks, nothing."""
    assert join_snippets(["a", "b"], parts) is None


def test_order_and_agreement_are_those_of_the_likeliest_merges():
    """Of a snippet that has no place nothing is known about its order."""
    sure = Proposal((Splice(5, 6, ("x",)),), "aligned", certainty=0.99)
    likely = Candidate(LineRange(3, 3), "", (Splice(2, 3, ("y",)),), share=0.8)
    open_ = Proposal((), "aligned", (Question("uncertain", "", "", 1, candidates=(likely,)),))
    lost = Proposal((), "aligned", (Question("not_found", "", "", 1, candidates=(likely,)),))
    assert in_order((open_, sure))
    assert not in_order((sure, open_))
    assert in_order((sure, lost))
    both = Proposal((*likely.splices, *sure.splices), "aligned", certainty=0.99)
    assert agree((open_, sure), both)
    assert not agree((open_, sure), sure)
