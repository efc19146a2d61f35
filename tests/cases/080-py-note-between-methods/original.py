"""A small reader of key presses for the list view."""

from __future__ import annotations

from dataclasses import dataclass, field

PAGE = 10


@dataclass
class Cursor:
    """Where the reader stands in a list."""

    rows: list[str]
    top: int = 0
    index: int = 0
    marked: set[int] = field(default_factory=set)

    def move(self, key: str) -> bool:
        """Carry out one key; False where the list is left."""
        if key in {"j", "down"}:
            if self.index + 1 == len(self.rows):
                return True
            self.index += 1
            self._scroll()
        elif key in {"k", "up"}:
            if self.index == 0:
                return True
            self.index -= 1
            self._scroll()
        elif key == "home":
            self.index = 0
            self._scroll()
        elif key == "end":
            self.index = len(self.rows) - 1
            self._scroll()
        elif key == "space":
            self.marked ^= {self.index}
        elif key == "q":
            return False
        return True

    def visible(self) -> list[str]:
        """The rows that are on the screen."""
        return self.rows[self.top : self.top + PAGE]

    def chosen(self) -> list[str]:
        """The marked rows, or the one under the cursor."""
        if not self.marked:
            return [self.rows[self.index]]
        return [self.rows[number] for number in sorted(self.marked)]

    def search(self, text: str) -> bool:
        """Go to the next row that holds a text."""
        for number in range(self.index + 1, len(self.rows)):
            if text in self.rows[number]:
                self.index = number
                self._scroll()
                return True
        return False

    def _scroll(self) -> None:
        if self.index < self.top:
            self.top = self.index
        elif self.index >= self.top + PAGE:
            self.top = self.index - PAGE + 1
