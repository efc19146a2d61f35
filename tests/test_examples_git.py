"""In real repositories: the merge driver, and an example that pipes an edit into the index."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent / "examples"
BASE = """\
import os


def load(path):
    with open(path) as file:
        return file.read()


def area(r):
    check(r)
    unit = "m2"
    log(unit)
    total = 3.14 * r * r
    print(total)
    log(total)
    total = round(total)
    return total


def ring(r, s):
    if r < s:
        r, s = s, r
    outer = area(r)
    inner = area(s)
    log(outer)
    log(inner)
    parts = [outer, inner]
    for part in parts:
        print(part)
    width = r - s
    print(width)
    return area(r) - area(s)
"""
AREA = BASE[BASE.index("def area") : BASE.index("def ring")]

pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell here")


@pytest.fixture
def git(tmp_path, environment):
    """Run git in a repository with a committed file whose name has a blank in it."""
    folder = tmp_path / "repository"
    (folder / "a folder").mkdir(parents=True)

    def run(*arguments, status=0):
        done = subprocess.run(
            ["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    run("init", "-q", "-b", "main")
    (folder / ".gitattributes").write_text("*.py merge=fastapply\n", encoding="utf-8")
    (folder / "a folder/shapes.py").write_text(BASE, encoding="utf-8")
    run("config", "merge.fastapply.driver", "fastapply git merge-driver %O %A %B %P")
    run("add", ".")
    run("commit", "-q", "-m", "base")
    return run


def conflicts(folder, ours, theirs):
    """Whether git alone finds a conflict."""
    texts = {"ours": ours, "base": BASE, "theirs": theirs}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return (
        subprocess.run(
            ["git", "merge-file", "-q", "-p", *texts], cwd=folder, check=False, capture_output=True
        ).returncode
        > 0
    )


def merge(git, folder, ours, theirs, status, *, for_git=True):
    """Commit both sides on branches of their own and merge them; the file as it is then.

    `for_git` says whether git alone finds a conflict in them.
    """
    assert conflicts(folder, ours, theirs) == for_git
    path = folder / "repository/a folder/shapes.py"
    git("switch", "-q", "-c", "theirs")
    path.write_text(theirs, encoding="utf-8")
    git("commit", "-q", "-a", "-m", "theirs")
    git("switch", "-q", "main")
    path.write_text(ours, encoding="utf-8")
    git("commit", "-q", "-a", "-m", "ours")
    git("merge", "-q", "theirs", "-m", "merged", status=status)
    return path.read_text(encoding="utf-8")


CHANGED = BASE.replace("3.14 * r * r", "math.pi * r ** 2")


def test_merge_driver_takes_a_change_of_a_function_that_moved(git, tmp_path):
    """A conflict for git alone."""
    moved = BASE.replace(AREA, "") + "\n\n" + AREA.rstrip() + "\n"
    merged = merge(git, tmp_path, moved, CHANGED, 0)
    assert merged == moved.replace("3.14 * r * r", "math.pi * r ** 2")
    assert git("status", "--porcelain") == ""


def test_merge_driver_takes_a_change_of_lines_that_were_indented(git, tmp_path):
    """The other side put them into a block."""
    body = AREA[AREA.index("\n") + 1 :].rstrip() + "\n"
    ours = BASE.replace(body, f"    if r > 0:\n{body.replace('    ', '        ')}    return 0\n")
    assert merge(git, tmp_path, ours, CHANGED, 0) == ours.replace("3.14 * r * r", "math.pi * r ** 2")


def test_merge_driver_leaves_what_git_merges_to_git(git, tmp_path):
    """Changes at two ends of the file."""
    ours = BASE.replace("import os", "import os\nimport sys")
    theirs = BASE.replace("return area(r) - area(s)", "return abs(area(r) - area(s))")
    merged = merge(git, tmp_path, ours, theirs, 0, for_git=False)
    assert merged == ours.replace("return area(r) - area(s)", "return abs(area(r) - area(s))")


@pytest.mark.parametrize(
    "ours",
    [
        BASE.replace("3.14 * r * r", "3.1416 * r * r"),
        BASE.replace("    total = 3.14 * r * r\n", ""),
        BASE.replace(AREA, ""),
        BASE.replace("total", "result"),
    ],
    ids=["the same line", "the line is gone", "the function is gone", "renamed"],
)
def test_merge_driver_leaves_a_true_conflict_as_git_shows_it(git, tmp_path, ours):
    """With the markers that git writes, and unmerged in the index."""
    merged = merge(git, tmp_path, ours, CHANGED, 1)
    assert merged.count("<<<<<<< ") == merged.count("=======\n") == merged.count(">>>>>>> ") == 1
    assert "math.pi * r ** 2" in merged
    assert git("status", "--porcelain").startswith("UU ")


def test_merge_driver_leaves_a_function_that_was_copied_alone(git, tmp_path):
    """Two places fit: nobody knows which is meant."""
    copies = [AREA.rstrip().replace("area", name) + "\n" for name in ("disc", "circle")]
    ours = BASE.replace(AREA, "") + "\n\n" + "\n\n".join(copies)
    assert "<<<<<<< " in merge(git, tmp_path, ours, CHANGED, 1)


def test_merge_driver_leaves_binary_files_to_git(git, tmp_path):
    """Ours stays, and the conflict is in the index."""
    folder = tmp_path / "repository"
    (folder / ".gitattributes").write_text("* merge=fastapply\n", encoding="utf-8")
    for branch, data in (("main", b"\0base"), ("theirs", b"\0theirs"), ("main", b"\0ours")):
        git("switch", "-q", branch) if data != b"\0theirs" else git("switch", "-q", "-c", branch)
        (folder / "data.bin").write_bytes(data)
        git("add", ".")
        git("commit", "-q", "-m", "data")
    git("merge", "-q", "theirs", status=1)
    assert (folder / "data.bin").read_bytes() == b"\0ours"
    assert git("status", "--porcelain").startswith("UU ")


def test_merge_driver_writes_markers_as_long_as_git_asks(git, tmp_path):
    """With `%L`, as an attribute of the file has it."""
    git("config", "merge.fastapply.driver", "fastapply git merge-driver --marker-size %L %O %A %B %P")
    attributes = "*.py merge=fastapply conflict-marker-size=20\n"
    (tmp_path / "repository/.gitattributes").write_text(attributes, encoding="utf-8")
    git("commit", "-q", "-a", "-m", "attributes")
    merged = merge(git, tmp_path, BASE.replace("3.14 * r", "3.1416 * r"), CHANGED, 1)
    assert f"\n{'<' * 20} ours\n" in merged


def mend(folder, environment, reply):
    """Let a model mend the last commit; the status, what was said, and the prompt it got."""
    (folder / "../reply").write_text(reply, encoding="utf-8")
    done = subprocess.run(
        [str(EXAMPLES / "mend-last-commit.sh"), "a folder/shapes.py", "use math.pi"],
        cwd=folder,
        env=environment | {"AGENT": "cat > ../prompt; cat ../reply"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr, (folder / "../prompt").read_text(encoding="utf-8")


def test_pipe_from_the_last_commit_stages_the_models_edit(git, tmp_path, environment):
    """The model sees commit and file; the index has what it wrote."""
    folder = tmp_path / "repository"
    edit = "<<<<<<< SEARCH\n    total = 3.14 * r * r\n=======\n    total = math.pi * r * r\n>>>>>>> REPLACE\n"
    status, said, prompt = mend(folder, environment, edit)
    assert (status, said) == (0, "a folder/shapes.py: applied (+1 -1)\n")
    wanted = BASE.replace("3.14", "math.pi")
    assert git("show", ":a folder/shapes.py") == wanted
    assert (folder / "a folder/shapes.py").read_text(encoding="utf-8") == wanted
    assert "+    total = 3.14 * r * r\n" in prompt
    assert prompt.endswith(f"is now:\n\n{BASE}\nYour task: use math.pi\n")


@pytest.mark.parametrize("reply", ["", "I see nothing to mend.\n", "```python\nreturn volume(r)\n```\n"])
def test_pipe_stages_nothing_where_the_edit_is_refused(git, tmp_path, environment, reply):
    """Nor where the model says nothing."""
    status, said, _ = mend(tmp_path / "repository", environment, reply)
    assert (status, git("status", "--porcelain")) == (1, ""), said


def test_pipe_leaves_a_file_with_uncommitted_changes_alone(git, tmp_path, environment):
    """They would go into the index together with the edit."""
    path = tmp_path / "repository/a folder/shapes.py"
    path.write_text(BASE + "# mine\n", encoding="utf-8")
    edit = "<<<<<<< SEARCH\n    print(total)\n=======\n>>>>>>> REPLACE\n"
    status, said, _ = mend(tmp_path / "repository", environment, edit)
    assert (status, "[dirty]" in said, path.read_text(encoding="utf-8")) == (1, True, BASE + "# mine\n")
    assert git("diff", "--cached") == ""
