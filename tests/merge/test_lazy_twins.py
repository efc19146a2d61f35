"""What another function or class has as well is never taken from it, and never given to it."""

from __future__ import annotations

import pytest
from editing import SWITCHES, changed

from fastapply import apply_edit


def test_new_last_line_is_never_taken_for_the_same_line_of_the_next_function():
    """The header between the two stays, or the edit is refused."""
    original = (
        "def first(items):\n    return items[0]\n\n\n"
        'def sort(items):\n    log("start")\n    items.sort()\n    return items\n'
    )
    edit = 'def first(items):\n    return items[0]\n    log("start")\n\n\n# ...\n'
    merged = changed(original, ("    return items[0]\n", '    return items[0]\n    log("start")\n'))
    result = apply_edit(original, edit, path="a.py")
    assert (result.status, result.text) in {("applied", merged), ("refused", original)}


def test_case_that_is_shown_behind_its_twin_is_never_put_in_beside_it():
    """Order tells that the second switch is meant; it is changed there, or the edit is refused."""
    edit = (
        "// ...\n    case SMALL:\n        return 1;\n    // ...\n"
        "    case SMALL:\n        return 12;\n    case LARGE:\n    // ...\n"
    )
    result = apply_edit(SWITCHES, edit, path="a.c")
    merged = changed(SWITCHES, ("return 10;", "return 12;"))
    assert (result.status, result.text) in {("applied", merged), ("refused", SWITCHES)}


TWO_CLASSES = """\
class Order:
    kind = "order"

    def parse(self, items):
        total = 0
        for item in items:
            total += item
        return total

    def load(self, items):
        log("start")
        items.sort()
        return items


class Cart:
    kind = "cart"

    def store(self, items):
        return len(items)

    def parse(self, items):
        with open(items) as stream:
            text = stream.read()
        if not text:
            raise ValueError(items)
        return text
"""
PARSE = """\
        total = 0
        for item in items:
            total += item
        return total
"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            '        log("start")\n        items.sort()\n        return items\n',
            id="the body of the next method",
        ),
        pytest.param("        return len(items)\n", id="the body of a method of another class"),
        pytest.param(
            "        with open(items) as stream:\n            text = stream.read()\n        if not text:\n"
            "            raise ValueError(items)\n        return text\n",
            id="the body of the same method of another class",
        ),
    ],
)
def test_body_that_another_method_has_already_never_takes_that_method_away(body):
    """Only the method that is shown is rewritten, or the edit is refused."""
    edit = (
        "# ...\n\n\nclass Order:\n    # ...\n\n    def parse(self, items):\n"
        + body
        + "\n    # ...\n\n\n# ...\n"
    )
    result = apply_edit(TWO_CLASSES, edit, path="a.py")
    merged = changed(TWO_CLASSES, (PARSE, body))
    assert (result.status, result.text) in {("applied", merged), ("refused", TWO_CLASSES)}


def test_new_definition_with_a_marker_in_it_may_be_an_old_one_renamed():
    """The marker stands for lines of the file, which a definition that is really new has none of."""
    before = (
        "def test_one():\n    assert 1\n\n\n"
        "def test_to_many():\n    def parse(value):\n        return int(value)\n\n"
        "    assert parse('3') == 3\n"
    )
    edit = "# ...\n    assert 1\n\n\ndef test_too_many():\n    def parse(value):\n        # ...\n"
    result = apply_edit(before, edit, path="a.py")
    right = before.replace("test_to_many", "test_too_many")
    assert (result.status, result.text) in {("refused", before), ("applied", right)}


def test_definition_that_new_lines_hold_whole_may_have_been_renamed():
    """It never stays beside its longer version."""
    lines = ["    cart.add('apple', 3)\n", "    cart.add('pear', 2)\n", "    cart.remove('apple')\n"]
    body = "".join([*lines, "    assert cart.names() == ['pear']\n"])
    before = (
        f"def test_open():\n    assert cart\n\n\ndef test_remove():\n{body}\n\ndef test_end():\n    pass\n"
    )
    new = body + "".join(f"    assert cart.total(rate={n}) == {n * 7}\n" for n in range(1, 12))
    edit = f"# ...\n    assert cart\n\n\ndef test_remove_keeps_the_total():\n{new}\n\n# ...\n"
    result = apply_edit(before, edit, path="a.py")
    right = before.replace("def test_remove():\n" + body, "def test_remove_keeps_the_total():\n" + new)
    assert (result.status, result.text) in {("refused", before), ("applied", right)}


def test_spread_is_a_line_of_context_and_no_comment():
    """`**defaults` stands in several calls: it is not written a second time in one of them."""
    call = (
        "def test_{0}():\n    run(\n        env={{\n            **os.environ,\n"
        '            "OLD_{0}": "{0}",\n        }},\n    )\n'
    )
    before = call.format("one") + "\n\n" + call.format("two")
    edit = (
        "def test_two():\n    run(\n        # ...\n            **os.environ,\n"
        '            "NEW_two": "two",\n        },\n    )\n'
    )
    result = apply_edit(before, edit, path="a.py")
    assert (result.status, result.text) in {
        ("refused", before),
        ("applied", before.replace('"OLD_two"', '"NEW_two"')),
    }


CART_TESTS = """\
import pytest


class TestCart:
    def test_add(self, cart):
        cart.add("apple", 3)
        assert len(cart) == 1
        assert cart.total == 3

    def test_remove(self, cart):
        cart.add("apple", 3)
        cart.remove("apple")
        assert len(cart) == 0
        assert cart.total == 0


class TestVoucher:
    def test_percent(self, cart):
        cart.add("apple", 10)
        cart.redeem("TEN")
        assert cart.total == 9

    def test_unknown(self, cart):
        with pytest.raises(KeyError):
            cart.redeem("NOPE")
"""
ROUTES = """\
router.get('/users/:id', async (req, res) => {
  const user = await db.users.find(req.params.id);
  if (!user) {
    return res.status(404).json({ error: 'not found' });
  }
  res.json(user);
});

router.post('/users', async (req, res) => {
  const user = await db.users.create(parse(req.body));
  res.status(201).json(user);
});

export default router;
"""
ADD_TWICE = """\
    def test_add_twice(self, cart):
        cart.add("apple", 3)
        cart.add("apple", 3)
        assert len(cart) == 1
        assert cart.total == 6

"""
ROUNDS = """\

    def test_percent_rounds(self, cart):
        cart.add("apple", 5)
        cart.redeem("TEN")
        assert cart.total == 4
"""
REMOVE = """\
router.delete('/users/:id', async (req, res) => {
  const user = await db.users.find(req.params.id);
  if (!user) {
    return res.status(404).json({ error: 'not found' });
  }
  await db.users.remove(user.id);
  res.status(204).end();
});

"""
ONE_MORE = [
    pytest.param(
        "test_cart.py",
        CART_TESTS,
        "# ...\n\n"
        + CART_TESTS[CART_TESTS.index("    def test_add") : CART_TESTS.index("    def test_remove")]
        + ADD_TWICE
        + "    # ...\n",
        changed(CART_TESTS, ("    def test_remove", ADD_TWICE + "    def test_remove")),
        id="a test between two that say much the same",
    ),
    pytest.param(
        "test_cart.py",
        CART_TESTS,
        "# ...\n\nclass TestVoucher:\n    # ... existing tests ...\n" + ROUNDS,
        CART_TESTS + ROUNDS,
        id="a test at the end of a class, like one further up",
    ),
    pytest.param(
        "routes.js",
        ROUTES,
        "// ...\n\n" + REMOVE + "export default router;\n",
        changed(ROUTES, ("export default", REMOVE + "export default")),
        id="a handler that begins like another one",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit", "merged"), ONE_MORE)
def test_one_more_of_a_kind_is_put_in_beside_its_likes(path, original, edit, merged):
    """It has a name of its own, and the one it is most like is shown, or further away."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged)


def test_test_under_another_name_beside_the_hidden_one_is_asked_about():
    """Names that share a word, next to each other, and bodies that say about the same: it may be renamed."""
    new = ROUNDS.lstrip("\n")
    edit = f"# ...\n\nclass TestVoucher:\n{new}\n    # ...\n"
    result = apply_edit(CART_TESTS, edit, path="test_cart.py")
    assert (result.status, result.reason) == ("refused", "uncertain")
