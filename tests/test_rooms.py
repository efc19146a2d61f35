"""The rooms of the house: imports go one way, and the lab is nobody's floor."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = {
    ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
    for root in (ROOT, ROOT / "lab")
    for path in root.glob("fastapply*/**/*.py")
}


def imports(node):
    """Modules that are imported when code runs, in functions as well; not those for annotations alone."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names)
    elif isinstance(node, ast.ImportFrom):
        names = [f"{node.module}.{one.name}" for one in node.names]
        yield from (name if name in MODULES else node.module for name in names)
    for child in ast.iter_child_nodes(node):
        yield from imports(child)


@pytest.fixture(scope="module")
def found():
    """Each module with all that it imports."""
    return {name: set(imports(ast.parse(path.read_bytes()))) for name, path in MODULES.items()}


@pytest.fixture(scope="module")
def graph(found):
    """Each module with those of ours that it imports."""
    return {name: (used & MODULES.keys()) - {name} for name, used in found.items()}


def test_all_modules_that_are_imported_are_there(found):
    """In this checkout, whichever other one is installed."""
    used = {name for names in found.values() for name in names if name.startswith("fastapply")}
    assert used - MODULES.keys() == set()


def test_no_modules_import_each_other_in_a_circle(graph):
    """An import inside a function is one too."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(reversed(error.args[1])))


FLOORS = (
    "__main__",
    "cli",
    "server batch init evaluate bench",
    "jobs",
    "config",
    "workspace terminal",
    "api",
    "pipeline",
    "models",
    "merge",
    "verify",
    "edits",
    "text syntax",
    "folders",
    "errors types",
    "values",
)
"""The rooms of the program from above to below; those of one floor know nothing of each other."""


def test_imports_go_down_the_floors(graph):
    """Never up, and never to another room of the same floor."""
    floor = {room: number for number, rooms in enumerate(FLOORS) for room in rooms.split()}
    up = []
    for name, used in graph.items():
        for other in used if name.startswith("fastapply.") else ():
            one, two = ([*path.split("."), "api"][1] for path in (name, other))
            if one != two and floor[one] >= floor[two]:
                up.append(f"{name} -> {other}")
    assert up == []


def test_only_the_api_and_its_values_lie_at_the_top():
    """All else is in a room."""
    top = {path.stem for path in (ROOT / "fastapply").glob("*.py")}
    assert top == {"__init__", "__main__", "api", "errors", "types"}


def test_the_program_imports_nothing_of_the_lab(graph):
    """The wheel is without it; `cli.commands` finds it by its name."""
    assert not {
        name for name, used in graph.items() if name.startswith("fastapply.") and "fastapply_lab" in str(used)
    }
