r"""fastapply: applies LLM-written edits to files.

>>> from fastapply import apply_edit
>>> result = apply_edit("one\ntwo\n", "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n")
>>> result.status, result.text
('applied', 'one\n2\n')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapply.api import Result, apply_edit

__version__ = "0.1.0"
__all__ = ["Result", "__version__", "apply_edit"]


def __getattr__(name: str) -> object:
    """Import the library's parts when they are first asked for: start-up is part of the product."""
    if name in {"Result", "apply_edit"}:
        from fastapply import api

        return getattr(api, name)
    raise AttributeError(name)
