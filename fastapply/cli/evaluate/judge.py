"""`fastapply evaluate judge`."""


def command() -> int:
    """Do it."""
    return 0
