"""Which commits make good samples: what others found to matter, each as a reason to leave one out.

=============== =============================================================================
duplicate       the same change was seen, or one nearly like it
minified        long lines, or hardly any white space
secret          it holds what looks like a key, a token or a password
broken          one of its sides does not parse, but for a line in a hundred
short           the file has fewer than 100 lines (most of these are left out, not all)
=============== =============================================================================

`fastapply_lab.data.history` leaves out what is generated, vendored, merged, renamed or too large, and
changes of nothing but white space make no edit. A change and the one that takes it back are the same here,
and so are all that add and remove no word (lines that move, brackets).
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from fastapply.syntax.trees import error_count
from fastapply_lab.data.languages import language_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from fastapply_lab.data.history import FileChange

SHORT_LINES = 100
KEPT_SHORT = 0.3
_LONG_LINE, _MOST_MEAN = 300, 90
_SECRET = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}\b"
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[0-9A-Za-z_-]{35}\b|\bsk-[A-Za-z0-9]{32,}\b"
    r"|\bey[A-Za-z0-9_-]{15,}\.ey[A-Za-z0-9_-]{15,}\.[A-Za-z0-9_-]{10,}"
    r"|(?i:password|passwd|secret|api_?key|token)\W{1,4}[\"'][A-Za-z0-9+/_=-]{24,}[\"']"
)
_WORD = re.compile(r"\w+")
_SHINGLE, _HASHES, _BANDS = 4, 12, 4


class Seen:
    """Remembers samples in a Bloom filter: its memory does not grow, a few are forgotten as seen.

    With the 64 MiB of `bits` one new key in 30,000 is taken for an old one after ten million keys, and one
    in a hundred after fifty million.
    """

    def __init__(self, bits: int = 1 << 29) -> None:
        self._bits = bits
        self._field = bytearray(bits // 8)

    def add(self, key: bytes) -> bool:
        """Remember a key; says whether it was there already."""
        digest = hashlib.blake2b(key, digest_size=32).digest()
        known = True
        for at in range(0, 32, 8):
            spot = int.from_bytes(digest[at : at + 8], "big") % self._bits
            if not self._field[spot >> 3] >> (spot & 7) & 1:
                known = False
                self._field[spot >> 3] |= 1 << (spot & 7)
        return known


def why_not(change: FileChange, seen: Seen, rng: Random) -> str:
    """The reason to leave a change out, or ""."""
    if _is_minified(change.after):
        return "minified"
    if _SECRET.search(change.before) or _SECRET.search(change.after):
        return "secret"
    if change.before.count("\n") < SHORT_LINES and rng.random() >= KEPT_SHORT:
        return "short"
    if is_repeated(change.before, change.after, seen):
        return "duplicate"
    if not _parses(change.path, change.before, change.after):
        return "broken"
    return ""


def is_repeated(before: str, after: str, seen: Seen) -> bool:
    """Whether a change, or one nearly like it, was seen: MinHash over the words of the changed lines.

    Of `_BANDS` groups of hashes one that is equal makes two changes alike; that finds nearly all pairs
    that share nine tenths of their four-word runs, and few that share half. Source: Broder 1997, and
    the banding of Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, chapter 3.
    """
    words = _changed_words(before, after)
    keys = [b"exact" + hashlib.blake2b("\0".join(words).encode(), digest_size=16).digest()]
    keys += _bands(words)
    known = [seen.add(key) for key in keys]
    return any(known)


def _changed_words(before: str, after: str) -> list[str]:
    old, new = set(before.splitlines()), set(after.splitlines())
    return [word for line in sorted(old ^ new) for word in _WORD.findall(line)]


def _bands(words: list[str]) -> Iterator[bytes]:
    if len(words) < 2 * _SHINGLE:
        return
    shingles = {"\0".join(words[at : at + _SHINGLE]).encode() for at in range(len(words) - _SHINGLE + 1)}
    least = [b"\xff" * 8] * _HASHES
    for shingle in shingles:
        digest = hashlib.shake_128(shingle).digest(8 * _HASHES)
        for at in range(_HASHES):
            least[at] = min(least[at], digest[8 * at : 8 * at + 8])
    rows = _HASHES // _BANDS
    for band in range(_BANDS):
        yield bytes([band]) + b"".join(least[band * rows : (band + 1) * rows])


def _is_minified(text: str) -> bool:
    lines = text.splitlines() or [""]
    return max(map(len, lines)) > _LONG_LINE or len(text) / len(lines) > _MOST_MEAN


def _parses(path: str, before: str, after: str) -> bool:
    """Whether both sides parse: grammars stumble over macros, so a line in a hundred may be wrong.

    A change must not add errors, and a language without a grammar is believed.
    """
    language = language_of(path)
    if language is None or not language.grammar:
        return True
    old, new = error_count(before, language.grammar), error_count(after, language.grammar)
    return new <= old <= before.count("\n") // 100
