"""Words of the instructions, beside the lines that go and those that stay."""

from __future__ import annotations

from fastapply.merge.certainty.said import count_stems, read_instructions, said_of, stems
from fastapply.merge.elements import MergeContext, read_lazy
from fastapply.merge.fill import ScriptLine
from fastapply.merge.lines import line_table

FILE = "import json\nimport legacyParser\nimport os\n\nrun(json, os)\n"
EDIT = "import json\nimport os\n\n# ...\n"
HELD = count_stems(FILE.splitlines())


def context() -> MergeContext:
    """An import is left out between two shown ones."""
    file = line_table(FILE.splitlines())
    return MergeContext(read_lazy(EDIT.splitlines(), file), file)


def script(kind: str) -> list[ScriptLine]:
    """The edit script in which the second import is kept, or deleted."""
    middle = ScriptLine("keep", -1, 1) if kind == "keep" else ScriptLine("delete", -1, 1)
    return [
        ScriptLine("match", 0, 0),
        middle,
        ScriptLine("match", 1, 2),
        *(ScriptLine("keep", -1, f) for f in (3, 4)),
    ]


def test_words_lose_their_endings_and_names_are_taken_apart():
    """Words that every instruction has say nothing."""
    assert stems("I will add parsing of getUserNames") == {"pars", "user", "nam"}


def test_what_is_to_be_removed_speaks_for_the_merge_in_which_it_goes():
    """And against the one in which it stays."""
    here = context()
    instructions = read_instructions("I will drop the unused legacy parser", HELD)
    goes, stays = (said_of(here, script(kind), instructions) for kind in ("delete", "keep"))
    assert goes["told.less_removal"] > 0
    assert goes["told.omitted_removal"] > 0
    assert "told.stays" not in goes
    assert stays["told.stays"] == 1.0
    assert stays["told.skipped_removal"] > 0


def test_lines_of_which_nobody_spoke_are_told_from_those():
    """They go, and nothing says why."""
    here = context()
    instructions = read_instructions("I will run json", HELD)
    assert said_of(here, script("delete"), instructions)["told.omitted_unsaid"] == 1.0


def test_nothing_said_is_no_feature():
    """Without instructions there is nothing to weigh."""
    here = context()
    assert said_of(here, script("delete"), read_instructions("", HELD)) == {}
