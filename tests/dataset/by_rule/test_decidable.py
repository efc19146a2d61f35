"""Edits that a careful reader could not put in are not written."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from fastapply.dataset.by_rule.change import make_change
from fastapply.dataset.by_rule.decidable import open_hunks
from fastapply.dataset.by_rule.doubts import slides
from fastapply.dataset.by_rule.languages import language_of
from fastapply.dataset.by_rule.lazy import Plan, choose_shown
from fastapply.dataset.by_rule.write_edit import STYLES, Task, make_view, write_edit

if TYPE_CHECKING:
    from fastapply.dataset.by_rule.lookup import View


def _view(before: str, after: str) -> View:
    language = language_of("shop.py")
    assert language is not None
    lines = tuple(before.splitlines())
    return make_view(lines, make_change(lines, tuple(after.splitlines())), language)


def test_a_removal_between_two_shown_lines_is_decidable(shop_text: str) -> None:
    """Both neighbours are shown side by side, so what stood between them is gone."""
    line = "        self.lines.append(line)\n"
    view = _view(shop_text, shop_text.replace(line, ""))
    at = view.change.replaced[0].a0
    assert open_hunks(view, frozenset(range(at - 2, at + 2))) == []


@pytest.mark.parametrize("side", [(-2, 0), (0, 2)], ids=["at the end of a run", "at the start of a run"])
def test_a_removal_at_the_edge_of_a_run_is_not(side: tuple[int, int], shop_text: str) -> None:
    """Beside a marker nobody can see that something went."""
    line = "        self.lines.append(line)\n"
    view = _view(shop_text, shop_text.replace(line, ""))
    at = view.change.replaced[0].a0
    assert open_hunks(view, frozenset(range(at + side[0], at + side[1]))) == list(view.change.replaced)


def test_context_that_stands_twice_is_not_enough_and_more_is_added() -> None:
    """The plan asks for one line each side; the generator shows as many as it takes."""
    twice = "".join(
        f"def {name}(item):\n    value = load(item)\n    check(value)\n    store(value)\n"
        f"    return {name}_of(value)\n\n\n"
        for name in ("first", "second", "third")
    )
    before = twice + "# end of the file\n" * 3
    after = before.replace(
        "    check(value)\n    store(value)\n    return second",
        "    check(value, strict=True)\n    store(value)\n    return second",
    )
    view = _view(before, after)
    shown = choose_shown(view, Plan(context=1))
    assert shown is not None
    assert any("second" in view.change.after[i] for i in shown)


def test_a_line_that_stands_everywhere_gives_no_lazy_edit() -> None:
    """Where no shown line is unique and no header can help, nothing is written."""
    before = "call_it(1)\n" * 30
    view = _view(before, before + "call_it(1)\n")
    assert choose_shown(view, Plan(context=2)) is None


def test_an_insertion_that_looks_like_its_hidden_neighbour_is_not_shown_one_sided() -> None:
    """It could be a new version of that neighbour."""
    before = "import os\n\n" + "".join(f"register_handler('{n}', handler_{n})\n" for n in "abcdefghij")
    after = before.replace("register_handler('e'", "register_handler('dd', handler_dd)\nregister_handler('e'")
    view = _view(before, after)
    assert choose_shown(view, Plan(context=2, sides="above")) is None
    assert choose_shown(view, Plan(context=2, sides="both")) is not None


def test_an_insertion_that_begins_like_what_follows_it_is_not_shown_from_above_alone() -> None:
    """Its first line would be read as the one below, and the rest as new behind that."""
    before = "import os\n\nrun(\n    first,\n)\nbar()\nprint(os.name)\nleave(os.name, 'nothing')\n"
    after = before.replace("bar()\n", "bar()\nprint(os.getcwd())\nwait_for(os.getpid(), 'child')\nbar()\n", 1)
    new = "bar()\nprint(os.getcwd())\nwait_for(os.getpid(), 'child')\n"
    view = _view(before, after)
    hunk = view.change.replaced[0]
    assert "\n".join(view.change.after[hunk.a0 : hunk.a1]) + "\n" in {new, new[6:] + "bar()\n"}
    assert slides(view, hunk, top=False) == (view.change.after[hunk.a0] == "bar()")
    assert slides(view, hunk, top=True) == (view.change.after[hunk.a1 - 1] == "bar()")


def test_a_function_that_ends_like_the_one_above_it_does_not_slide() -> None:
    """The closing line belongs to the block that opens in the new lines."""
    before = "func one() {\n\tcall(1)\n}\n\nfunc three() {\n\tanswer(3)\n}\n"
    after = before.replace("func three", "func two() {\n\treply(2)\n}\n\nfunc three")
    view = _view(before, after)
    assert not slides(view, view.change.replaced[0], top=True)


@pytest.mark.parametrize("left", ["so that nobody", "nobody orders again"], ids=["at its end", "in between"])
def test_a_comment_that_only_lost_words_is_not_shown(left: str, shop_text: str) -> None:
    """A shortened comment may be careless context."""
    view = _view(shop_text, shop_text.replace("so that nobody orders under it again", left))
    assert choose_shown(view, Plan(context=3)) is None


def test_a_change_that_is_none_gives_no_edit_in_any_style(shop_text: str) -> None:
    """Nothing to say, nothing written."""
    language = language_of("shop.py")
    assert language is not None
    task = Task("shop.py", language, _view(shop_text, shop_text), Random(1))
    assert [style.name for style in STYLES if write_edit(task, style) is not None] == []
