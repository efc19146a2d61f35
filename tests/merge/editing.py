"""Whole expected texts, written as what differs from the original; and a file that several tests edit."""

from __future__ import annotations

SWITCHES = """\
int size_of(int kind)
{
    switch (kind) {
    case SMALL:
        return 1;
    case LARGE:
        return 8;
    default:
        return 0;
    }
}

int price_of(int kind)
{
    switch (kind) {
    case SMALL:
        return 10;
    case LARGE:
        return 25;
    default:
        return 0;
    }
}
"""


def changed(text: str, *swaps: tuple[str, str]) -> str:
    """Replace each old part, which must stand exactly once, by its new one."""
    for old, new in swaps:
        assert text.count(old) == 1, (text.count(old), old)
        text = text.replace(old, new)
    return text
