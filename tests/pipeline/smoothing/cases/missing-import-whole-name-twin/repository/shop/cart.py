from .money import Money


def total(prices):
    return Money(sum(prices))
