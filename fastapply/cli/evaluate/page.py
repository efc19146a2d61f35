"""`fastapply evaluate report` and `view`."""


def report() -> int:
    """Do it."""
    return 0


def view() -> int:
    """Do it."""
    return 0
