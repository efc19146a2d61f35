"""Reading edits: which format an edit is in, and what it says."""

from __future__ import annotations

from fastapply.edits.detect import parse_edit

__all__ = ["parse_edit"]
