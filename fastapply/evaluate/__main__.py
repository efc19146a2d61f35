"""`python -m fastapply.evaluate`: the same as `fastapply evaluate`."""

from __future__ import annotations

import sys

from fastapply.cli import main

if __name__ == "__main__":
    sys.exit(main(["evaluate", *sys.argv[1:]]))
