from shop.money import Money

assert Money(1)
