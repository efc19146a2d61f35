"""What the tests of the HTTP server share: its addresses, its limit, a message."""

from __future__ import annotations

from cart import CART, TOTAL

CHAT = "/v1/chat/completions"
APPLY = "/v1/code/apply"
BODY = 200_000  # bytes
MESSAGE = f"<instruction>Mark it.</instruction>\n<code>{CART}</code>\n<update>{TOTAL}</update>"
