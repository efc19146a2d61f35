"""What the tests of replies share: a file, an edit for it, and how one is read."""

from __future__ import annotations

import pytest

from fastapply.edits.detect import parse_edit
from fastapply.errors import EditError
from fastapply.text import from_text
from fastapply.types import Edit, FileEdit

APP = """\
import logging

log = logging.getLogger(__name__)


def load_settings(path):
    with open(path) as stream:
        return parse(stream.read())


def save_settings(path, settings):
    with open(path, "w") as stream:
        stream.write(render(settings))
"""


LAZY = """\
# ... existing code ...

def load_settings(path):
    log.info("loading %s", path)
    with open(path) as stream:
        return parse(stream.read())

# ... existing code ...
"""


LINES = tuple(LAZY.split("\n")[:-1])


README = """\
# Tool

Install it:

```sh
pip install tool
```

## Usage

Run it with a file:

```sh
tool file.txt
```

Bye.
"""


def shown(text, *snippets, path=None, form="lazy", others=()):
    """Make the edit of one file that shows these snippets, and leaves out those of others."""
    return Edit(form, (FileEdit(path, "update", snippets),), text, others)


def read(text, path="app.py", original=APP, *, only=False):
    """Parse an edit for a file."""
    return parse_edit(text, path=path, original=from_text(original), only=only)


def refusal(text, path="app.py", original=APP):
    """Give the reason why an edit can't be read."""
    with pytest.raises(EditError) as caught:
        read(text, path, original)
    return caught.value.reason
