"""A small file, and edits of it."""

from __future__ import annotations

CART = """\
class Cart:
    def add(self, line):
        self.lines.append(line)
        return self

    def remove(self, line):
        self.lines.remove(line)
        return self
"""
TOTAL = """\
# ... existing code ...

    def remove(self, line):
        self.lines.remove(line)
        self.changed = True
        return self
"""
TOTALLED = CART.replace("remove(line)\n", "remove(line)\n        self.changed = True\n")
UNCLEAR = """\
<<<<<<< SEARCH
        return self
=======
        return None
>>>>>>> REPLACE
"""
