"""New code goes beside the file line that the edit shows next to it, or nowhere."""

from __future__ import annotations

import pytest
from editing import changed

from fastapply import apply_edit

SCRIPT = """\
import { open } from './files';
import { log } from './log';

class Queue {
  constructor(size) {
    this.size = size;
    this.jobs = [];
  }

  push(job) {
    if (this.jobs.length >= this.size) {
      throw new Error('full');
    }
    this.jobs.push(job);
  }

  pop() {
    return this.jobs.shift();
  }
}

function start(queue) {
  const job = queue.pop();
  log(job.name);
  job.run();
  log('done');
}

export { Queue, start };
"""

PYTHON = '''\
"""Jobs."""

import time

DELAY = 5


def wait(seconds):
    """Sleep a while."""
    time.sleep(seconds)


def run(job):
    """Run a job, then wait."""
    job.start()
    job.join()
    wait(DELAY)


def report(jobs):
    """Tell what was done."""
    for job in jobs:
        print(job.name)
'''

STOP = '''\
def stop(job):
    """Stop a job."""
    job.kill()
'''

REWRITES = [
    pytest.param(
        "a.js",
        SCRIPT,
        "// ...\nfunction start(queue) {\n  queue.lock();\n  const job = queue.pop();\n  // ...\n}\n// ...\n",
        changed(SCRIPT, ("  const job", "  queue.lock();\n  const job")),
        id="at the start of a block",
    ),
    pytest.param(
        "a.js",
        SCRIPT,
        "// ...\nfunction start(queue) {\n  // ...\n  log('done');\n  queue.unlock();\n}\n// ...\n",
        changed(SCRIPT, ("log('done');\n", "log('done');\n  queue.unlock();\n")),
        id="at the end of a block",
    ),
    pytest.param(
        "a.js",
        SCRIPT,
        "// ...\nfunction start(queue) {\n  // ...\n  job.run();\n  job.close();\n  // ...\n}\n// ...\n",
        changed(SCRIPT, ("job.run();\n", "job.run();\n  job.close();\n")),
        id="behind a shown line",
    ),
    pytest.param(
        "a.js",
        SCRIPT,
        "// ...\nfunction start(queue) {\n  // ...\n  job.prepare();\n  job.run();\n  // ...\n}\n// ...\n",
        changed(SCRIPT, ("  job.run();\n", "  job.prepare();\n  job.run();\n")),
        id="before a shown line",
    ),
    pytest.param(
        "a.js",
        SCRIPT,
        "class Queue {\n  // ...\n\n  pop() {\n    return this.jobs.shift();\n  }\n\n"
        "  clear() {\n    this.jobs = [];\n  }\n}\n\n// ...\n",
        changed(SCRIPT, ("shift();\n  }\n", "shift();\n  }\n\n  clear() {\n    this.jobs = [];\n  }\n")),
        id="a method behind the last one",
    ),
    pytest.param(
        "a.js",
        SCRIPT,
        "class Queue {\n  // ... existing methods ...\n\n  clear() {\n    this.jobs = [];\n  }\n}\n\n"
        "// ...\n",
        changed(SCRIPT, ("shift();\n  }\n", "shift();\n  }\n\n  clear() {\n    this.jobs = [];\n  }\n")),
        id="a method between a marker and the end of its class",
    ),
    pytest.param(
        "a.js",
        SCRIPT,
        "import { open } from './files';\nimport { log } from './log';\nimport { now } from './time';\n\n"
        "// ...\n",
        changed(SCRIPT, ("'./log';\n", "'./log';\nimport { now } from './time';\n")),
        id="an import behind the last one",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "# ...\n\ndef run(job):\n    # ...\n    wait(DELAY)\n\n\n" + STOP + "\n\n# ...\n",
        changed(PYTHON, ("    wait(DELAY)\n", "    wait(DELAY)\n\n\n" + STOP)),
        id="a function behind a shown one",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "# ...\n\n" + STOP + "\n\ndef report(jobs):\n    # ...\n",
        changed(PYTHON, ("def report", STOP + "\n\ndef report")),
        id="a function before a shown header",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "# ... existing code ...\n\n\ndef report(jobs):\n    # ... existing code ...\n\n\n" + STOP,
        PYTHON + "\n\n" + STOP,
        id="a function at the end of the file",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "# ...\nDELAY = 5\nTRIES = 3\n# ...\n",
        changed(PYTHON, ("DELAY = 5\n", "DELAY = 5\nTRIES = 3\n")),
        id="a constant behind another",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        '"""Jobs."""\n\nfrom __future__ import annotations\n\nimport time\n\n# ...\n',
        changed(PYTHON, ("import time\n", "from __future__ import annotations\n\nimport time\n")),
        id="an import before the first",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_new_lines_go_beside_the_line_that_is_shown_next_to_them(path, original, edit, merged):
    """All other lines keep their order and their bytes."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged)


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_new_lines_are_not_put_in_a_second_time(path, original, edit, merged):
    """An insertion that is in place is unchanged."""
    assert original != merged
    result = apply_edit(merged, edit, path=path)
    assert (result.status, result.text) == ("unchanged", merged)


@pytest.mark.parametrize(
    ("path", "original", "edit"),
    [
        pytest.param(
            "a.py",
            PYTHON,
            "# ...\n\n" + STOP + "\n# ...\n",
            id="a function between two markers at top level",
        ),
        pytest.param("a.py", PYTHON, "# ...\nTRIES = 3\n# ...\n", id="a constant between two markers"),
        pytest.param(
            "a.js",
            SCRIPT,
            "// ...\nfunction start(queue) {\n  // ...\n  job.close();\n  // ...\n}\n// ...\n",
            id="a statement between two markers of a function",
        ),
        pytest.param("a.py", PYTHON, "    job.notify()\n", id="a statement alone"),
        pytest.param(
            "a.js",
            SCRIPT,
            "// ...\n    if (job.late) {\n      log('late');\n    }\n// ...\n",
            id="a block of statements between two markers",
        ),
    ],
)
def test_new_lines_with_nothing_beside_them_are_refused(path, original, edit):
    """Where they belong is not said, and the text stays."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("refused", original)
    assert result.hint
