"""The wheel: what is in it, and the README's examples run from a clean environment that has only it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from test_readme import README, render, same

ROOT = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "cases", "dist", "build")

pytestmark = pytest.mark.slow


def run(arguments, **options):
    """Run a command that must go well; its standard output."""
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel as it is built from a copy of the project, so that nothing built lies about."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT, folder / "project", ignore=LEFT_OUT)
    run([sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(folder / "project")])
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def commands(wheel, tmp_path_factory):
    """The folder of a clean environment's commands, with the wheel installed in it."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=True)
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    run(
        [
            str(commands / "python"),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            str(wheel),
        ]
    )
    return commands


def test_wheel_holds_the_package_its_types_its_examples_and_its_licence(wheel):
    """All files of the package that are no caches, and the licence; nothing of the tests."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (about,) = (archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA"))
    package = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "fastapply").rglob("*")
        if path.is_file() and path.suffix != ".pyc" and ".mypy_cache" not in path.parts
    }
    assert {name for name in names if ".dist-info/" not in name} == package | {
        "fastapply/completions/_fastapply",
        "fastapply/completions/fastapply.bash",
        "fastapply/completions/fastapply.fish",
        "fastapply/models/apply-1.5b.gguf",
        "fastapply/models/registry.toml",
    }
    assert {"fastapply/py.typed", "fastapply/examples/cart.ts"} <= package
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert "Provides-Extra: model" in about
    assert "filelock" not in about
    assert not re.search(r"^Requires-Dist: llama-cpp-python[^;]*$", about, re.MULTILINE)


def test_readme_examples_run_from_the_installed_wheel(commands, tmp_path):
    """The same outputs as the README shows, with the examples that are in the wheel."""
    site = run(
        [str(commands / "python"), "-c", "import fastapply; print(fastapply.__path__[0])"], cwd=tmp_path
    )
    examples = Path(site.strip()) / "examples"
    assert ROOT not in examples.parents
    text = README.read_text(encoding="utf-8")
    assert same(render(text, commands, tmp_path, examples)) == same(text)


def test_installed_command_says_its_version_and_that_all_is_well(commands, tmp_path):
    """`--version` and `doctor` go well where only the wheel and what it needs are installed."""
    environment = {**os.environ, "FASTAPPLY_STATE_DIR": str(tmp_path)}
    version = run([str(commands / "fastapply"), "--version"], cwd=tmp_path, env=environment)
    assert re.fullmatch(r"fastapply \d+\.\d+\.\d+\n", version)
    doctor = run([str(commands / "fastapply"), "doctor"], cwd=tmp_path, env=environment)
    assert "llama-cpp-python" in doctor


def test_first_command_of_the_readme_sets_up_and_shows_a_merge(tmp_path):
    """Word for word, in a copy of the project: from nothing to the diff of an example."""
    (first, *_) = re.findall(
        r"^```sh\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    project = tmp_path / "project"
    shutil.copytree(ROOT, project, ignore=LEFT_OUT)
    environment = {**os.environ, "FASTAPPLY_STATE_DIR": str(tmp_path / "state")}
    shown = run(["bash", "-c", first], cwd=project, env=environment)
    assert "\n+  private discount = 0;\n" in shown
    assert shown.endswith("   label(): string {\n")
