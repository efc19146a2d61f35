"""What a store of sessions has to do, and one that lives in memory."""

from __future__ import annotations

import time
from typing import Protocol, overload


class Clock(Protocol):
    def now(self) -> float: ...


class Store(Protocol):
    """Keeps sessions by their token."""

    def get(self, token: str) -> dict[str, str] | None: ...

    def put(self, token: str, session: dict[str, str]) -> None:
        """Keep a session, or replace it."""
        ...

    def drop(self, token: str) -> None:
        """Forget a session."""
        ...


class SystemClock:
    def now(self) -> float:
        return time.time()


@overload
def expiry(seconds: int) -> float: ...
@overload
def expiry(seconds: None) -> None: ...
def expiry(seconds: int | None) -> float | None:
    """The moment at which a session ends."""
    if seconds is None:
        return None
    return time.time() + seconds


class MemoryStore:
    """Sessions in a dictionary, with the moment at which each ends."""

    def __init__(self, clock: Clock, lifetime: float = 3600.0) -> None:
        self._clock = clock
        self._lifetime = lifetime
        self._sessions: dict[str, tuple[float, dict[str, str]]] = {}

    def get(self, token: str) -> dict[str, str] | None:
        entry = self._sessions.get(token)
        if entry is None or entry[0] < self._clock.now():
            return None
        return entry[1]

    def put(self, token: str, session: dict[str, str]) -> None:
        self._sessions[token] = (self._clock.now() + self._lifetime, session)

    def drop(self, token: str) -> None:
        self._sessions.pop(token, None)

    def sweep(self) -> int:
        old = [token for token, (end, _) in self._sessions.items() if end < self._clock.now()]
        for token in old:
            del self._sessions[token]
        return len(old)
