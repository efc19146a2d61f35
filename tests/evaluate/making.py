"""Cases, records and runs that tests of the evaluation share."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

from fastapply.evaluate.cases import Case, case_line, open_text
from fastapply.evaluate.engines import Attempt
from fastapply.evaluate.outcomes import decide
from fastapply.evaluate.records import RESULTS, Record, append_line, record_line, write_settings


def write_cases(cases, path):
    """Write a file of JSON lines."""
    with open_text(path, "w") as out:
        out.writelines(map(case_line, cases))


FILE = """\
import logging

log = logging.getLogger(__name__)


def load(path):
    # where it is
    with open(path) as file:
        return file.read()


def save(path, text):
    log.info("saving %s", path)
    with open(path, "w") as file:
        file.write(text)


def remove(path):
    log.info("removing %s", path)
    path.unlink()
"""
SAVING, SAVING_TO = '    log.info("saving %s", path)\n', '    log.info("saving to %s", path)\n'
BLOCK = f"<<<<<<< SEARCH\n{SAVING}=======\n{SAVING_TO}>>>>>>> REPLACE\n"
WANTED = FILE.replace(SAVING, SAVING_TO)
CASE = Case(
    "store/1",
    "src/store.py",
    FILE,
    BLOCK,
    WANTED,
    instructions="I will say where it is saved",
    format="search",
    language="python",
    repository="a/store",
    licence="MIT",
)


def case(number, **changes):
    """The case with another id."""
    return replace(CASE, id=f"store/{number}", **changes)


def record(merged, one=CASE, *, status=None, reason="", seconds=0.1):
    """What is known of a case that came to this text; None for a refusal."""
    attempt = Attempt(status or ("refused" if merged is None else "applied"), merged, seconds, reason)
    return Record(one, attempt, decide(one, attempt))


def make_run(folder, records, **settings):
    """A folder with these records."""
    write_settings(folder, {"schema": 1, "engine": "deterministic", "limit": 60.0, **settings})
    for one in records:
        append_line(folder / RESULTS, record_line(one))
    return folder


def some_records():
    """One record of many outcomes: ids from 1 on."""
    wrong = WANTED.replace('    log.info("removing %s", path)\n', "")
    made_up = WANTED.replace("    path.unlink()\n", "    audit_trail.forget(path)\n    path.unlink()\n")
    return [
        record(WANTED, case(1)),
        record(WANTED.replace("# where it is", "# the place"), case(2)),
        record(wrong, case(3)),
        record(made_up, case(4)),
        record(WANTED[: WANTED.index("def remove")], case(5)),
        record(None, case(6), reason="not_found"),
    ]


def tool(folder, script):
    """A command that runs a script with F, E and I as its file, edit and instructions."""
    program = folder / "tool.py"
    head = "import sys, time, os\nF, E, I = (*sys.argv[1:], '', '')[:3]\n"
    program.write_text(f"{head}{script}\n", encoding="utf-8")
    return f'"{sys.executable}" "{program}" {{file}} {{edit}} {{instructions}}'.replace("\\", "/")


def cases_file(path, *cases):
    """Write cases; gives the path as text."""
    write_cases(cases, path)
    return str(path)


def verdict_json(choice, line="-x", sentence="Because."):
    """What a judge answers."""
    return json.dumps({"line": line, "sentence": sentence, "class": choice})
