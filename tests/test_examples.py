"""The example of an agent loop, run as it is, and the hooks of git."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent / "examples"
FILE = "def area(r):\n    return 3.14 * r * r\n\n\ndef ring(r, s):\n    return area(r) - area(s)\n"
EDIT = """\
<<<<<<< SEARCH
def area(r):
    return 3.14 * r * r
=======
import math


def area(r):
    return math.pi * r * r
>>>>>>> REPLACE
"""
EDITED = "import math\n\n\n" + FILE.replace("3.14", "math.pi")
UNCLEAR = "<<<<<<< SEARCH\n    return volume(r)\n=======\n    return 0\n>>>>>>> REPLACE\n"

pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell here")


def run(arguments, cwd, environment):
    """Run a command; its status and what it said on standard error."""
    done = subprocess.run(
        arguments,
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stderr


def script_agent(folder, *replies):
    """A command that gives one reply after the other and keeps the prompts that it got."""
    for number, reply in enumerate(replies):
        (folder / f"reply{number}").write_text(reply, encoding="utf-8")
    agent = folder / "agent.sh"
    agent.write_text(
        "n=$(cat count 2>/dev/null || echo 0)\ncat > prompt$n\ncat reply$n\necho $((n + 1)) > count\n",
        encoding="utf-8",
    )
    return "sh agent.sh"


def test_agent_loop_sends_the_refusal_and_puts_in_the_better_edit(tmp_path, environment):
    """The second prompt holds the first edit and why it was refused; the second edit is written."""
    (tmp_path / "shapes.py").write_text(FILE, encoding="utf-8")
    agent = script_agent(tmp_path, UNCLEAR, EDIT)
    status, said = run(
        [str(EXAMPLES / "agent-loop.sh"), "shapes.py", "use math.pi"],
        tmp_path,
        environment | {"AGENT": agent},
    )
    assert (status, (tmp_path / "shapes.py").read_text(encoding="utf-8")) == (0, EDITED), said
    first, second = ((tmp_path / name).read_text(encoding="utf-8") for name in ("prompt0", "prompt1"))
    assert first.endswith("The file `shapes.py` is:\n\n" + FILE + "\nYour task: use math.pi\n")
    assert second.startswith(first + "\nYour edit number 1 was:\n\n" + UNCLEAR)
    assert "[not_found]" in second


def test_agent_loop_gives_up_after_three_refusals_and_leaves_the_file(tmp_path, environment):
    """Status 1, and not a byte is changed."""
    (tmp_path / "shapes.py").write_text(FILE, encoding="utf-8")
    agent = script_agent(tmp_path, UNCLEAR, UNCLEAR, UNCLEAR, EDIT)
    status, _ = run(
        [str(EXAMPLES / "agent-loop.sh"), "shapes.py", "use math.pi"],
        tmp_path,
        environment | {"AGENT": agent},
    )
    assert (status, (tmp_path / "shapes.py").read_text(encoding="utf-8")) == (1, FILE)


def make_repository(folder, environment, edit):
    """A repository with the hook and with a staged file; the reviewer prints `edit`."""
    for arguments in (["git", "init", "-q"], ["git", "config", "fastapply.reviewer", "sh ../reviewer.sh"]):
        assert run(arguments, folder, environment)[0] == 0
    hook = folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexec fastapply git hook\n", encoding="utf-8")
    hook.chmod(0o755)
    (folder.parent / "reviewer.sh").write_text(f"cat <<'END'\n{edit}END\n", encoding="utf-8")
    (folder / "shapes of all kinds.py").write_text(FILE, encoding="utf-8")
    assert run(["git", "add", "."], folder, environment)[0] == 0


def committed(folder, environment):
    """The file's text in the last commit."""
    return subprocess.run(
        ["git", "show", "HEAD:shapes of all kinds.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_git_hook_commits_the_file_with_the_reviewers_edit(tmp_path, environment):
    """The edit is in the commit and in the file, whose name has blanks in it."""
    folder = tmp_path / "repository"
    folder.mkdir()
    make_repository(folder, environment, EDIT)
    status, said = run(["git", "commit", "-q", "-m", "shapes"], folder, environment)
    assert status == 0, said
    assert committed(folder, environment) == EDITED
    assert (folder / "shapes of all kinds.py").read_text(encoding="utf-8") == EDITED


def test_git_hook_lets_a_commit_pass_when_the_reviewer_says_nothing(tmp_path, environment):
    """No edit, no change."""
    folder = tmp_path / "repository"
    folder.mkdir()
    make_repository(folder, environment, "")
    assert run(["git", "commit", "-q", "-m", "shapes"], folder, environment)[0] == 0
    assert committed(folder, environment) == FILE


def test_git_hook_stops_a_commit_when_the_edit_is_refused(tmp_path, environment):
    """Nothing is committed, and the file is as it was."""
    folder = tmp_path / "repository"
    folder.mkdir()
    make_repository(folder, environment, UNCLEAR)
    status, said = run(["git", "commit", "-q", "-m", "shapes"], folder, environment)
    assert status == 1
    assert "[not_found]" in said
    assert (folder / "shapes of all kinds.py").read_text(encoding="utf-8") == FILE
    assert run(["git", "rev-parse", "HEAD"], folder, environment)[0] != 0


@pytest.mark.parametrize(
    ("text", "status"),
    [
        pytest.param("def f():\n    # ... existing code ...\n    return 1\n", 1, id="a lazy marker"),
        pytest.param(
            "const all = [...first, ...second];\nconst text = '...';\n", 0, id="spreads and strings"
        ),
        pytest.param("class P(Protocol):\n    def f(self) -> int: ...\n    ...\n", 0, id="Python's Ellipsis"),
    ],
)
def test_marker_hook_fails_on_lazy_markers_only(text, status, tmp_path, environment):
    """The hook of `.pre-commit-hooks.yaml` gets file names and looks for markers that were left."""
    (tmp_path / "file.py").write_text(text, encoding="utf-8")
    hooks = (EXAMPLES.parents[1] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (entry,) = [
        line.split(":", 1)[1].split() for line in hooks.splitlines() if line.strip().startswith("entry:")
    ]
    assert run([*entry, "file.py"], tmp_path, environment)[0] == status
