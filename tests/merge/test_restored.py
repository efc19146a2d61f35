"""What a merge takes away and nobody names can stay: elements, members, cases, with what belongs to them."""

from __future__ import annotations

import pytest

from fastapply.merge.entries import Losses
from fastapply.merge.lines import line_table
from fastapply.merge.restored import with_lost
from fastapply.text import from_text, splice
from fastapply.types import Splice

ROUTES = """\
const routes = [
  { path: "/", view: Home },
  { path: "/login", view: Login },
  // for teams
  { path: "/teams", view: Teams },
  { path: "/:rest(.*)", view: NotFound },
];
"""
POOL = """\
pub struct Pool {
    pub url: String,
    pub min_idle: u32,
    pub timeout: u64,
}
"""
KEYS = """\
    match key {
        Key::Q => app.quit(),
        Key::Enter => {
            app.open();
        }
        _ => {}
    }
"""


def losses_of(text, new, said, language):
    """The table of a text, and what finds the losses of an edit of it."""
    file = line_table(tuple(text.splitlines()), language)
    return file, Losses(file, new, said, language)


@pytest.mark.parametrize(
    ("text", "language", "change", "said", "names"),
    [
        (
            ROUTES,
            "javascript",
            Splice(2, 6, ('  { path: "/about", view: About },', '  { path: "/:rest(.*)", view: NotFound },')),
            "I will add an /about route before the last one",
            ['{ path: "/login", view: Login },', '{ path: "/teams", view: Teams },'],
        ),
        (
            POOL,
            "rust",
            Splice(2, 4, ("    pub timeout: Duration,",)),
            "make timeout a Duration",
            ["min_idle"],
        ),
        (KEYS, "rust", Splice(1, 5, ("        Key::G => app.top(),",)), "add g", ["Key::Q", "Key::Enter"]),
    ],
    ids=["a list", "a struct", "a match"],
)
def test_elements_that_nobody_names_are_lost_and_can_stay(text, language, change, said, names):
    """They are named as lost; put back, all lines of them are in the result again, and the new ones too."""
    file, losses = losses_of(text, change.lines, said, language)
    splices = (change,)
    lost = losses.of(splices)
    assert [one.name for one in lost] == names
    back = with_lost(splices, file, losses, lost)
    assert back is not None
    assert not losses.of(back)
    merged = splice(from_text(text), back).lines
    assert set(change.lines) <= set(merged)
    assert "  // for teams" in merged or text is not ROUTES
    assert sum("app.open" in line for line in merged) == (text is KEYS)


@pytest.mark.parametrize(
    "said", ["remove /login and /teams", "drop the login and the teams route", "I rewrite the whole file"]
)
def test_elements_that_words_name_go(said):
    """By what the element says, or with all else."""
    new = ['  { path: "/:rest(.*)", view: NotFound },']
    _, losses = losses_of(ROUTES, new, said, "javascript")
    assert not losses.of((Splice(2, 6, tuple(new)),))


def test_what_something_is_removed_from_is_not_named_by_it():
    """Of ``remove debug from the defaults`` the other defaults stay."""
    text = "local defaults = {\n  slots = 20,\n  sort = false,\n  debug = true,\n}\n"
    new = ["  slots = 20,"]
    _, losses = losses_of(text, new, "remove debug from the defaults", "lua")
    assert [one.name for one in losses.of((Splice(1, 4, tuple(new)),))] == ["sort"]


def test_new_lines_come_right_behind_what_they_are_shown_behind():
    """With what stays behind them, or, the other way, before them."""
    new = ['  { path: "/", view: Home },', '  { path: "/about", view: About },']
    file, losses = losses_of(ROUTES, new, "", "javascript")
    splices = (Splice(1, 3, tuple(new)),)
    lost = losses.of(splices)
    for first, order in ((True, ["/about", "/login"]), (False, ["/login", "/about"])):
        back = with_lost(splices, file, losses, lost, new_first=first)
        assert back is not None
        text = "\n".join(splice(from_text(ROUTES), back).lines)
        assert text.index(order[0]) < text.index(order[1])


def test_a_line_that_is_changed_is_not_lost():
    """It is where the half of its words comes again under no other name."""
    new = ['  { path: "/login", view: Signin },']
    _, losses = losses_of(ROUTES, new, "", "javascript")
    assert not losses.of((Splice(2, 3, tuple(new)),))


@pytest.mark.parametrize(
    ("text", "language", "new"),
    [
        (ROUTES, "javascript", ["const routes: Route[] = [", '  { path: "/", view: Home },']),
        (KEYS, "rust", ["    match key.code {", "        Key::Q => app.quit(),"]),
    ],
)
def test_elements_are_lost_where_the_line_that_opens_them_changes(text, language, new):
    """The list or choice is the same one, with another type or another value."""
    _, losses = losses_of(text, new, "", language)
    assert losses.of((Splice(0, 4, tuple(new)),))


def test_elements_of_what_goes_are_not_lost_by_themselves():
    """Another construct is there in place of the choice."""
    new = ["    if key == Key::Q {", "        app.quit();", "    }"]
    _, losses = losses_of(KEYS, new, "", "rust")
    assert not losses.of((Splice(0, 7, tuple(new)),))
