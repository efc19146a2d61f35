"""What the tests of undo share: an edit, and what is found of it."""

from __future__ import annotations

import json
import os
import stat

import pytest

from fastapply.errors import Refused
from fastapply.types import Options
from fastapply.workspace.changes import Job
from fastapply.workspace.undo import undo_last

JOB = Job(Options())


posix = pytest.mark.skipif(os.name == "nt", reason="Windows has neither mode bits nor links for all")


def edit(old, new):
    """A tool call that replaces one text by another."""
    return json.dumps({"old_string": old, "new_string": new}).encode()


def state_of(path):
    """A file's bytes and mode; None where there is none."""
    return (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) if os.path.lexists(path) else None


def reason_of(place):
    """Why an undo is refused."""
    with pytest.raises(Refused) as caught:
        undo_last(str(place))
    return caught.value.reason
