"""Every case folder through the Python API: exact, refused with a reason, or never wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from fastapply import apply_edit

ROOT = Path(__file__).parent / "cases"

KNOWN_REFUSED: dict[str, str] = {
    "046-php-clock-import": "the new first `use` line could stand for all above the second",
    "054-tsx-textarea-counter": "one line of JSX that the edit writes over several",
    "074-yaml-job-at-the-end": "the new job's last lines also end the job before it",
    "083-php-guard-with-the-same-tail": "the new guard could as well replace the one under the marker",
}
"""Cases that have a right result and are refused, with the reason; each is a debt."""
UNCERTAIN = frozenset(
    {
        "003-py-orders-charge-retry",
        "005-py-inventory-needs-reorder",
        "008-py-tests-stacking-removed",
        "011-py-sql-renewals",
        "066-json-drop-patch-package",
        "009-py-tests-mixed-nested",
        "018-sys-c-includes-and-case-insensitive",
        "019-sys-c-remove-exists-command",
        "021-sys-c-no-eof-newline-trailing-ws",
        "048-yaml-test-report",
        "076-sh-cron-service",
        "077-go-insert-above-doc-comment",
        "079-py-arm-with-the-same-body",
        "078-rust-insert-above-attributes",
        "082-ts-guard-with-the-same-tail",
    }
)
"""Cases whose right merge is a candidate and not certain enough: debts as well."""


@dataclass(frozen=True, slots=True)
class Case:
    """One folder of `tests/cases`."""

    name: str
    file_name: str
    original: str
    edit: str
    right: tuple[str, ...]  # the expected text and others that are as good; empty: must be refused
    instructions: str


def read(path: Path) -> str:
    """A file's text with its own line ends."""
    return path.read_bytes().decode("utf-8")


def read_case(folder: Path) -> Case:
    """Read a case folder: `original.*`, `edit.txt`, `expected.*`, `accept-N.*`, `case.json`."""
    about = json.loads(read(folder / "case.json"))
    original = next(folder.glob("original*"))
    right = [*sorted(folder.glob("expected*")), *sorted(folder.glob("accept-*"))]
    assert bool(right) != about["must_refuse"]
    return Case(
        folder.name,
        about.get("filename") or "file" + original.name.removeprefix("original"),
        read(original),
        read(folder / "edit.txt"),
        tuple(read(path) for path in right),
        about["instructions"],
    )


CASES = [read_case(path.parent) for path in sorted(ROOT.glob("*/case.json"))]
MUST_REFUSE = [pytest.param(case, id=case.name) for case in CASES if not case.right]
MUST_MERGE = [pytest.param(case, id=case.name) for case in CASES if case.right]


def applied(case):
    """What comes of a case, which is about one file whatever else its edit changes."""
    return apply_edit(
        case.original, case.edit, path=case.file_name, instructions=case.instructions, only=True
    )


@pytest.mark.parametrize("case", MUST_MERGE)
def test_case_comes_out_byte_for_byte(case):
    """The result is one of the right ones; a case that is known to be refused says why, and is."""
    result = applied(case)
    if case.name in KNOWN_REFUSED or case.name in UNCERTAIN:
        assert (result.status, result.text) == ("refused", case.original), "take it off the list"
        return
    assert result.status in {"applied", "unchanged"}, f"{result.reason}: {result.message}"
    assert result.text in case.right


@pytest.mark.parametrize("case", MUST_MERGE)
def test_case_is_never_wrong_without_the_instructions(case):
    """Without the coding model's one line the result is right as well, or there is none."""
    result = apply_edit(case.original, case.edit, path=case.file_name, only=True)
    assert result.text in (case.original, *case.right)
    assert result.status == "refused" or result.text in case.right


@pytest.mark.parametrize("case", MUST_REFUSE)
def test_case_that_nobody_could_decide_is_refused(case):
    """The text stays, and the refusal says why and what to do."""
    result = applied(case)
    assert (result.status, result.text, result.exit_status) == ("refused", case.original, 1)
    assert result.reason
    assert result.message
    assert result.hint


@pytest.mark.parametrize("case", MUST_MERGE)
def test_case_put_in_again_changes_nothing_or_is_refused(case):
    """An edit that is in the file already is never put in a second time."""
    for right in case.right:
        result = apply_edit(right, case.edit, path=case.file_name, instructions=case.instructions, only=True)
        assert result.text in case.right


def test_known_refusals_are_cases():
    """Nothing stays on the list after its folder is gone."""
    assert set(KNOWN_REFUSED) <= {case.name for case in CASES if case.right}
