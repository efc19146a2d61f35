"""`fastapply init` in real repositories, with the real pre-commit and real merges."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

CODE = "import os\n\n\ndef main():\n    return os.getcwd()\n"
CONFIG = "# ours\nrepos:\n  - repo: meta\n    hooks:\n      - id: check-hooks-apply # always\n"
CONFIG_LINE = "git config merge.fastapply.driver 'fastapply git merge-driver %O %A %B %P'"


@pytest.fixture
def call(tmp_path, environment):
    """Run a command in a repository with a tracked source file; its status and what it said."""
    folder = tmp_path / "repository"
    folder.mkdir()

    def run(*arguments: str, where: str = ".", answer: str = "") -> tuple[int, str, str]:
        done = subprocess.run(
            arguments,
            cwd=folder / where,
            env=environment,
            input=answer,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    run("git", "init", "-q", "-b", "main")
    (folder / "main.py").write_text(CODE, encoding="utf-8")
    (folder / "deep").mkdir()
    run("git", "add", ".")
    run("git", "commit", "-q", "-m", "first")
    return run


@pytest.fixture
def repository(tmp_path, call):
    """The folder of the repository."""
    assert call("git", "status", "--porcelain")[1] == ""
    return tmp_path / "repository"


def names(folder: Path) -> set[str]:
    """Files and folders of a folder, git's own left out."""
    return {path.name for path in folder.iterdir()} - {".git"}


def test_init_writes_at_the_top_of_the_repository_and_a_second_run_changes_nothing(call, repository):
    """From a subfolder too."""
    status, out, said = call("fastapply", "init", "--yes", where="deep")
    assert (status, out) == (0, "")
    assert said.splitlines() == [
        ".pre-commit-config.yaml: does not exist; create it with fastapply init pre-commit",
        "fastapply.toml: written",
        "AGENTS.md: written",
        ".gitattributes: written",
        f"to enable the merge driver in each clone, run: {CONFIG_LINE}",
    ]
    assert names(repository) == {"main.py", "deep", "fastapply.toml", "AGENTS.md", ".gitattributes"}
    texts = {name: (repository / name).read_bytes() for name in names(repository) - {"deep"}}
    status, out, said = call("fastapply", "init", "--yes")
    assert (status, out, said.count("is already up to date")) == (0, "", 2)
    assert {name: (repository / name).read_bytes() for name in names(repository) - {"deep"}} == texts


def test_init_shows_a_diff_that_git_takes_and_writes_nothing_without_a_yes(call, repository):
    """Without a terminal to ask on, that is a usage error."""
    status, diff, said = call("fastapply", "init", answer="y\n")
    assert (status, "[usage]" in said, names(repository)) == (2, True, {"main.py", "deep"})
    assert call("fastapply", "init", "--dry-run")[:2] == (0, diff)
    assert call("git", "apply", "-", answer=diff)[0] == 0
    assert call("fastapply", "init", "--yes")[2].count("already") == 3


def test_undo_takes_all_of_it_back(call, repository):
    """It is one write."""
    (repository / ".gitattributes").write_text("*.bin binary\n", encoding="utf-8")
    assert call("fastapply", "init", "--yes")[0] == 0
    assert call("fastapply", "undo")[0] == 0
    assert names(repository) == {"main.py", "deep", ".gitattributes"}
    assert (repository / ".gitattributes").read_text(encoding="utf-8") == "*.bin binary\n"


def test_a_newer_prompt_replaces_the_old_one_in_agents_md(call, repository):
    """Lines of other people around it, and line ends, stay as they are."""
    assert call("fastapply", "init", "--yes", "agents")[0] == 0
    agents = repository / "AGENTS.md"
    written = agents.read_text(encoding="utf-8")
    lines = written.splitlines()
    old = "\r\n".join(["# Ours", "", lines[0], "an older text", lines[-1], "", "More of ours", ""])
    agents.write_bytes(old.encode())
    assert call("fastapply", "init", "--yes", "agents")[0] == 0
    wanted = f"# Ours\n\n{written}\nMore of ours\n".replace("\n", "\r\n")
    assert agents.read_bytes() == wanted.encode()
    prompt = call("fastapply", "prompt")[1]
    assert ("\n".join(lines[1:-1]) + "\n").endswith(prompt)


def test_agents_md_names_the_tools_and_how_to_answer_them(call, repository):
    """What it tells an agent to do works: the first call asks, the second answers."""
    assert call("fastapply", "init", "--yes", "agents")[0] == 0
    told = (repository / "AGENTS.md").read_text(encoding="utf-8")
    named = ("fastapply", "`edit_file`", "`edit_files`", "`preview_edit`", "`pick`", "`at_lines`", "--pick 1")
    assert [word for word in named if word not in told] == []
    (repository / "main.py").write_text("def f():\n    a()\n    b()\n    c()\n", encoding="utf-8")
    edit = "def f():\n    a()\n    d()\n"
    command = ("fastapply", "apply", "main.py", "-", "-i", "call d in f", "--min-certainty", "1")
    status, _, asked = call(*command, answer=edit)
    assert (status, "\n  1  " in asked) == (1, True)
    assert call(*command, "--pick", "1", answer=edit)[0] == 0


def test_nothing_is_written_where_one_file_cannot_be(call, repository):
    """All or none; what to do is in the hint."""
    (repository / ".pre-commit-config.yaml").write_text(
        "repos: [{repo: meta, hooks: []}]\n", encoding="utf-8"
    )
    status, _, said = call("fastapply", "init", "--yes")
    assert (status, "[pre_commit]" in said, "- id: fastapply-markers" in said) == (2, True, True)
    assert names(repository) == {"main.py", "deep", ".pre-commit-config.yaml"}


def test_settings_in_pyproject_toml_are_settings(call, repository):
    """The twin: a second file would shadow them."""
    (repository / "pyproject.toml").write_text("[tool.fastapply]\nbackup = true\n", encoding="utf-8")
    status, _, said = call("fastapply", "init", "--yes", "settings")
    assert (status, said) == (0, "fastapply.toml: already exists\n")


def test_a_piece_that_there_is_not_is_a_usage_error(call):
    """The others are named."""
    status, _, said = call("fastapply", "init", "all")
    assert (status, "hint: there are: settings, pre-commit, agents, merge-driver" in said) == (2, True)


def test_outside_of_a_repository_there_is_no_merge_driver(tmp_path, environment):
    """The rest is written into the present folder."""
    folder = tmp_path / "plain"
    folder.mkdir()
    done = subprocess.run(
        ["fastapply", "init", "--yes"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, names(folder)) == (0, {"fastapply.toml", "AGENTS.md"})
    assert ".gitattributes: needs a git repository" in done.stderr


@pytest.mark.skipif(shutil.which("pre-commit") is None, reason="pre-commit is not installed")
def test_the_real_pre_commit_runs_the_hook(call, repository, environment, tmp_path):
    """It passes over what `init` wrote itself, and fails on a marker that was left."""
    environment["PRE_COMMIT_HOME"] = str(tmp_path / "pre-commit")
    (repository / ".pre-commit-config.yaml").write_text(CONFIG, encoding="utf-8")
    assert call("fastapply", "init", "--yes")[0] == 0
    text = (repository / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert text.startswith(CONFIG)
    call("git", "add", ".")
    assert call("pre-commit", "install")[0] == 0
    status, out, said = call("git", "commit", "-m", "prepared")
    assert status == 0, out + said
    (repository / "main.py").write_text(f"{CODE}\n\n# ... existing code ...\n", encoding="utf-8")
    status, out, said = call("git", "commit", "-a", "-m", "lazy")
    assert (status, "main.py:8: lazy marker: " in out + said) == (1, True)


def test_the_line_that_init_prints_turns_the_merge_driver_on(call, repository):
    """A change of a function that the other side moved: a conflict for git alone."""
    body = (
        "check(r)",
        "unit = 'm2'",
        "log(unit)",
        "total = r * r",
        "print(total)",
        "log(total)",
        "return total",
    )
    area = "def area(r):\n" + "".join(f"    {line}\n" for line in body)
    rest = "".join(
        f"def f{n}(a{n}):\n" + "".join(f"    x{n}{m} = a{n} - {m}\n" for m in range(9)) for n in range(3)
    )
    file = repository / "main.py"
    file.write_text(area + rest, encoding="utf-8")
    _, _, said = call("fastapply", "init", "--yes", "merge-driver")
    assert call("sh", "-c", said.strip().splitlines()[-1].partition("run: ")[2])[0] == 0
    call("git", "add", ".")
    call("git", "commit", "-q", "-m", "shapes")
    call("git", "switch", "-q", "-c", "theirs")
    changed = area.replace("total = r * r", "total = 3 * r * r")
    file.write_text(changed + rest, encoding="utf-8")
    call("git", "commit", "-q", "-a", "-m", "theirs")
    call("git", "switch", "-q", "main")
    file.write_text(rest + area, encoding="utf-8")
    call("git", "commit", "-q", "-a", "-m", "ours")
    status, out, said = call("git", "merge", "-q", "theirs", "-m", "both")
    assert status == 0, out + said
    assert file.read_text(encoding="utf-8") == rest + changed


@pytest.mark.skipif(sys.platform == "win32", reason="pexpect has no terminal there")
@pytest.mark.parametrize(("answer", "written"), [("y", True), ("n", False), ("", False)])
def test_init_asks_on_a_terminal(answer, written, repository, environment):
    """Only a yes writes."""
    pexpect = pytest.importorskip("pexpect")
    child = pexpect.spawn("fastapply init", cwd=repository, env=environment, encoding="utf-8", timeout=60)
    child.expect(r"write these 3 files \[y,n\]\? ")
    assert "fastapply.toml" in child.before
    assert names(repository) == {"main.py", "deep"}
    child.sendline(answer)
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, "fastapply.toml" in names(repository)) == (0, written)
