"""Only the changed part is shown: a header names its block, and the rest of the file stays."""

from __future__ import annotations

import pytest
from editing import changed

from fastapply import apply_edit

PYTHON = '''\
import json

from shop.errors import Missing


class Cart:
    """What a customer wants to buy."""

    def __init__(self, owner):
        self.owner = owner
        self.items = []

    def add(self, item):
        self.items.append(item)
        return self

    def total(self):
        return sum(item.price for item in self.items)

    def to_json(self):
        return json.dumps([item.name for item in self.items])


class Order:
    """What a customer has bought."""

    def __init__(self, cart):
        self.items = tuple(cart.items)
        self.paid = False

    def total(self):
        return sum(item.price for item in self.items)

    def pay(self, amount):
        if amount < self.total():
            raise Missing(self.total() - amount)
        self.paid = True
        return self


def find(orders, owner):
    for order in orders:
        if order.owner == owner:
            return order
    raise Missing(owner)
'''
GO = """\
package shop

import "errors"

var ErrEmpty = errors.New("empty")

type Cart struct {
	Owner string
	Items []Item
}

func (c *Cart) Add(item Item) {
	c.Items = append(c.Items, item)
}

func (c *Cart) Total() int {
	total := 0
	for _, item := range c.Items {
		total += item.Price
	}
	return total
}

func Pay(c *Cart, amount int) error {
	if len(c.Items) == 0 {
		return ErrEmpty
	}
	return charge(c.Owner, amount)
}
"""

FIND = """\
    for order in orders:
        if order.owner == owner:
            return order
    raise Missing(owner)
"""
FIND_ANEW = """\
    owned = [order for order in orders if order.owner == owner]
    if not owned:
        raise Missing(owner)
    return owned[-1]
"""
GO_TOTAL = """\
	total := 0
	for _, item := range c.Items {
		total += item.Price
	}
	return total
"""
GO_SUM = """\
	var sum int
	for i := range c.Items {
		sum += c.Items[i].Price * c.Items[i].Count
	}
	return sum
"""
ORDER_TOTAL = """\
        self.paid = False

    def total(self):
        return sum(item.price for item in self.items)
"""
ORDER_TOTAL_ANEW = """\
        self.paid = False

    def total(self):
        return round(sum(item.price for item in self.items), 2)
"""

REWRITES = [
    pytest.param(
        "a.py",
        PYTHON,
        "def find(orders, owner):\n" + FIND_ANEW,
        changed(PYTHON, (FIND, FIND_ANEW)),
        id="a function alone, its body written anew",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "# ... existing code ...\n\n\ndef find(orders, owner):\n" + FIND_ANEW,
        changed(PYTHON, (FIND, FIND_ANEW)),
        id="a rewritten body behind a marker",
    ),
    pytest.param(
        "a.go",
        GO,
        "func (c *Cart) Total() int {\n" + GO_SUM + "}\n",
        changed(GO, (GO_TOTAL, GO_SUM)),
        id="a method alone, its braces shown",
    ),
    pytest.param(
        "a.go",
        GO,
        "// ... existing code ...\n\nfunc (c *Cart) Total() int {\n"
        + GO_SUM
        + "}\n\n// ... existing code ...\n",
        changed(GO, (GO_TOTAL, GO_SUM)),
        id="a method between two markers, its body written anew",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "class Order:\n    # ...\n    def total(self):\n"
        "        return round(sum(item.price for item in self.items), 2)\n    # ...\n",
        changed(PYTHON, (ORDER_TOTAL, ORDER_TOTAL_ANEW)),
        id="a class line names the scope of a method that two classes have",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "class Order:\n    def total(self):\n"
        "        return round(sum(item.price for item in self.items), 2)\n",
        changed(PYTHON, (ORDER_TOTAL, ORDER_TOTAL_ANEW)),
        id="a class line names the scope without any marker",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "class Cart:\n    # ... existing code ...\n\n    def add(self, item):\n"
        "        self.items.append(item)\n        self.touched = True\n        return self\n",
        changed(PYTHON, ("append(item)\n", "append(item)\n        self.touched = True\n")),
        id="the last marker is missing and the rest of the class stays",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "    def pay(self, amount):\n        if amount < self.total():\n"
        "            raise Missing(self.total() - amount)\n        self.paid = True\n"
        "        self.change = amount - self.total()\n        return self\n\n# ... existing code ...\n",
        changed(PYTHON, ("paid = True\n", "paid = True\n        self.change = amount - self.total()\n")),
        id="the first marker is missing and the head of the file stays",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "        self.paid = True\n        self.change = amount - self.total()\n        return self\n",
        changed(PYTHON, ("paid = True\n", "paid = True\n        self.change = amount - self.total()\n")),
        id="a new line between two neighbours of the file",
    ),
    pytest.param(
        "a.go",
        GO,
        "// ...\nfunc Pay(c *Cart, amount int) error {\n\t// ...\n"
        "\treturn charge(c.Owner, amount, time.Now())\n}\n",
        changed(GO, ("c.Owner, amount)", "c.Owner, amount, time.Now())")),
        id="a marker inside a block is a gap of that block",
    ),
    pytest.param(
        "a.go",
        GO,
        "type Cart struct {\n\tOwner string\n\tItems []Item\n\tPaid  bool\n}\n\n// ...\n\n"
        "func Pay(c *Cart, amount int) error {\n\tif c.Paid || len(c.Items) == 0 {\n\t\treturn ErrEmpty\n"
        "\t}\n"
        "\t// ...\n}\n",
        changed(GO, ("\tItems []Item\n", "\tItems []Item\n\tPaid  bool\n"), ("if len(", "if c.Paid || len(")),
        id="two parts far from each other",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_lazy_edit_changes_only_the_block_that_it_shows(path, original, edit, merged):
    """A shown block is consumed to its end, and nothing beside it."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged)


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_block_that_is_already_as_shown_is_left_alone(path, original, edit, merged):
    """The same edit a second time is unchanged."""
    assert original != merged
    result = apply_edit(merged, edit, path=path)
    assert (result.status, result.text) == ("unchanged", merged)


@pytest.mark.parametrize(
    ("path", "original", "edit"),
    [
        pytest.param(
            "a.py",
            PYTHON,
            "    def total(self):\n        return round(sum(item.price for item in self.items), 2)\n",
            id="a method that two classes have, without its class",
        ),
        pytest.param(
            "a.py",
            PYTHON,
            "# ...\n    def total(self):\n"
            "        return round(sum(item.price for item in self.items), 2)\n# ...\n",
            id="the same between markers",
        ),
        pytest.param(
            "a.py",
            PYTHON,
            "class Invoice:\n    # ...\n    def send(self):\n        self.sent = True\n    # ...\n",
            id="a class that is not in the file, with markers in it",
        ),
        pytest.param(
            "a.go",
            GO,
            "// ...\nfunc (o *Order) Ship() error {\n\t// ...\n\to.Shipped = true\n\treturn nil\n}\n",
            id="a method of another file, with a marker in it",
        ),
        pytest.param(
            "a.py",
            PYTHON,
            "value = compute(first, second)\nprint(value)\n",
            id="lines that stand nowhere in the file",
        ),
    ],
)
def test_block_that_is_not_there_or_there_twice_is_refused(path, original, edit):
    """Nothing tells where it goes, and the text stays."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("refused", original)
    assert result.message


COLOURS = """\
package demo

func run() {
\texample("first")

\t// set one colour
\tcolour(warn, 45)
\texample("second")

\t// set all colours
\tcolours = map[level]int{
\t\tdebug: 34,
\t}
\texample("third")

\tbroken()
}

func other() {
\trun()
}
"""
FEED = """\
class FeedTest < Test
  TEXT = <<-XML
<feed>
  <entry>one</entry>
  <entry>two</entry>
</feed>
  XML

  def test_entries
    feed = Feed.new(TEXT)
    assert_equal(2, feed.entries.size)
  end

  def test_first
    feed = Feed.new(TEXT)
    assert_equal("one", feed.entries.first)
  end
end
"""


def test_function_shown_to_its_end_loses_what_it_does_not_show() -> None:
    """A call is no definition that could be left out in between."""
    shown = COLOURS[COLOURS.index("func run") : COLOURS.index("func other")]
    gone = shown[shown.index("\t// set all") : shown.index("\tbroken")]
    edit = shown.replace(gone, "").replace("\tcolour(warn", "\tcolour(debug, 36)\n\tcolour(warn")
    result = apply_edit(COLOURS, edit, path="demo.go")
    expected = COLOURS.replace(gone, "").replace("\tcolour(warn", "\tcolour(debug, 36)\n\tcolour(warn")
    assert result.text == expected


def test_function_shown_to_its_end_without_most_of_it_is_asked_about() -> None:
    """So much is not removed without a word, and never kept without a question."""
    shown = COLOURS[COLOURS.index("func run") : COLOURS.index("func other")]
    long = "".join(f"\tcolours[{name}] = {name}.of(palette, {name})\n" for name in "abcdefghijklm")
    before = COLOURS.replace("\tbroken", f"{long}\tbroken")
    edit = shown.replace("\tcolour(warn", "\tcolour(debug, 36)\n\tcolour(warn")
    result = apply_edit(before, edit, path="demo.go")
    assert (result.status, result.reason) == ("refused", "unmarked_gap")


def test_class_that_seems_to_end_before_the_rest_of_it_is_asked_about() -> None:
    """A text at the margin hides where the class ends; its members must not come to stand behind it."""
    edit = (
        "class FeedTest < Test\n  TEXT = <<-XML\n<feed>\n  <entry>none</entry>\n</feed>\n  XML\n\n"
        "  # ... existing code ...\n  end\nend\n"
    )
    result = apply_edit(FEED, edit, path="feed_test.rb")
    assert result.status == "refused"


def test_excerpt_from_the_top_without_a_marker_may_be_the_whole_file() -> None:
    """Half of the file and more, from its first line on: the rest may be kept or gone."""
    before = (
        "try:\n    from names import load\nexcept ImportError:\n    load = None\n\n__all__ = [\n"
        '    "load",\n    "store",\n]\n\nfrom shop import first\nfrom shop import (\n    third,\n)\n'
    )
    edit = before[: before.index("from shop import (")].replace('    "store",\n', "")
    result = apply_edit(before, edit, path="names.py")
    assert (result.status, result.reason) == ("refused", "uncertain")
