"""`python -m fastapply.evaluate`: make edits from git history, apply them, count what came of them."""

from __future__ import annotations

import sys

from fastapply.evaluate.command import main

if __name__ == "__main__":
    sys.exit(main())
