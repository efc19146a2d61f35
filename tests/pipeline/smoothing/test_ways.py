"""Whether two ways to import a name are one."""

from __future__ import annotations

import pytest

from fastapply.pipeline.smoothing.ways import Way, is_one_module


@pytest.mark.parametrize(
    ("near", "far", "one"),
    [
        ("/shop/money", "shop.money", True),
        ("/src/shop/money", "shop.money", True),
        ("/money", "money", True),
        ("/shop/money", "money", False),
        ("/shop/money", "bank.money", False),
        ("shop.money", "bank.money", False),
    ],
)
def test_relative_and_whole_name_of_a_module_are_one(near, far, one):
    """In either order, and for the same name only."""
    ways = Way(near, "Money", "Money"), Way(far, "Money", "Money")
    assert is_one_module(*ways) == is_one_module(*ways[::-1]) == one
    assert not is_one_module(ways[0], Way(far, "Coin", "Coin"))
