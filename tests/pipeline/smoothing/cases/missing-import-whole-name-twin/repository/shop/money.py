class Money(int):
    """Cents."""
