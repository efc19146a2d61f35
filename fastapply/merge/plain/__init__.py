"""Plain readings of an edit: its new units put in by words, by name and by kind, where no lines say it.

Each reading is a candidate beside those of the alignment (see `rank`), with features of its own; none is
written because a rule says so.
"""
