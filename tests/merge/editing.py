"""Whole expected texts, written as what differs from the original."""

from __future__ import annotations


def changed(text: str, *swaps: tuple[str, str]) -> str:
    """Replace each old part, which must stand exactly once, by its new one."""
    for old, new in swaps:
        assert text.count(old) == 1, (text.count(old), old)
        text = text.replace(old, new)
    return text
