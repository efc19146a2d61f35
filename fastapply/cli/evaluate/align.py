"""`fastapply evaluate align`."""


def command() -> int:
    """Do it."""
    return 0
