import pytest

from shop.cart import total
from shop.money import Money


@pytest.fixture
def prices():
    return [Money(1), Money(2)]
