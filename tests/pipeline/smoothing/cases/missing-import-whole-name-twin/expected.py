import pytest

from shop.cart import total


@pytest.fixture
def prices():
    return [Money(1), Money(2)]
