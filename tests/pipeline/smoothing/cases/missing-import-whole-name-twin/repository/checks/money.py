from bank.money import Money

assert Money(1)
