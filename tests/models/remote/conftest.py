"""A chat server that does what a test tells it to."""

from __future__ import annotations

import pytest
from scripted_server import scripted_server

from fastapply.models.remote.model import close_remotes


@pytest.fixture
def server():
    """A scripted server."""
    with scripted_server() as server:
        yield server
        close_remotes()
