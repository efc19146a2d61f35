"""`fastapply check-markers`: what counts as left in, and which files are looked at."""

from __future__ import annotations

import pytest

LEFT = {
    "python": ("a.py", "import os\n# ... existing code ...\nx = 1\n", 2),
    "script": ("a.ts", "a();\n// ... rest of the file unchanged\n", 2),
    "markup": ("a.html", "<p>\n<!-- ... existing markup ... -->\n</p>\n", 2),
    "jsx": ("a.tsx", "<p>\n  {/* ... existing code ... */}\n</p>\n", 2),
    "sql": ("a.sql", "select 1;\n-- ... other code unchanged ...\n", 2),
    "string of several lines": ("a.py", 's = """\n-- ... existing columns ...\n"""\n', 2),
    "template string": ("a.js", "const page = `\n<!-- ... rest of the page ... -->\n`;\n", 2),
    "ellipsis": ("a.go", "x := 1\n// … remaining methods …\n", 2),
}
FINE = {
    "python's ellipsis": ("a.py", "def f():\n    ...\n"),
    "remark": ("a.js", "// unchanged\nconst keep = 1; // keep the imports\n"),
    "spread": ("a.js", "f(...existing);\nconst a = { ...rest };\n"),
    "loading": ("a.py", "# Waiting for the server ...\nprint('Loading ...')\n"),
    "example in a string": ("a.py", 's = """\nThe output is cut:\n# ...omitted\n"""\n'),
    "sentence that trails off": ("a.rs", "// All the other tests use the same kind of server ...\n"),
    "note to oneself": ("a.dart", '// TODO add other methods, such as "remove", ...\n'),
    "line of a documented comment": ("A.java", "/**\n *  ..... (rest of trace)\n */\n"),
    "in a fence": ("a.md", "Write\n\n```python\n# ... existing code ...\n```\n"),
    "binary": ("a.bin", "\0# ... existing code ...\n"),
    "empty": ("a.txt", ""),
}


@pytest.mark.parametrize("case", LEFT)
def test_marker_that_was_left_in_fails_the_hook(fastapply, folder, case):
    """The file and the line are named."""
    name, text, line = LEFT[case]
    (folder / name).write_text(text, encoding="utf-8")
    run = fastapply("check-markers", name)
    assert run.status == 1
    assert run.out.decode().startswith(f"{name}:{line}: ")
    assert len(run.out.splitlines()) == 1


@pytest.mark.parametrize("case", FINE)
def test_line_that_may_be_code_passes_the_hook(fastapply, folder, case):
    """What is not surely a marker is none."""
    name, text = FINE[case]
    (folder / name).write_text(text, encoding="utf-8")
    run = fastapply("check-markers", name)
    assert (run.status, run.out) == (0, b"")


MARKED = "# ... existing code ...\nx = 1\n"


def fill(folder, *names):
    """Make files with a marker in each."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(MARKED, encoding="utf-8")


def found(run):
    """The names of the files in which markers were found."""
    return [line.partition(":")[0] for line in run.out.decode().splitlines()]


def test_hook_looks_at_all_files_and_says_how_many(fastapply, folder):
    """Also behind one that fails; files that are no text do not count."""
    fill(folder, "a.py", "c.py")
    (folder / "b.py").write_bytes(b"")
    (folder / "d.bin").write_bytes(b"\0")
    run = fastapply("check-markers", "a.py", "b.py", "c.py", "d.bin")
    assert (run.status, found(run), run.err) == (1, ["a.py", "c.py"], "checked 3 files: 2 lazy markers\n")
    run = fastapply("check-markers", "b.py")
    assert (run.status, run.err) == (0, "checked 1 file: no lazy markers\n")


def test_hook_without_files_looks_at_the_current_directory(fastapply, folder):
    """As git and ruff do."""
    fill(folder, "a.py", "sub/b.py")
    run = fastapply("check-markers")
    assert (run.status, found(run), run.err) == (1, ["a.py", "sub/b.py"], "checked 2 files: 2 lazy markers\n")


def test_file_that_is_not_there_fails_the_hook(fastapply, folder):
    """The others are looked at."""
    fill(folder, "a.py")
    run = fastapply("check-markers", "no.py", "a.py")
    assert (run.status, found(run)) == (4, ["a.py"])
    assert run.err == "no.py does not exist [missing]\nchecked 1 file: 1 lazy marker\n"


@pytest.mark.parametrize("name", [".", "sub", "sub/"])
def test_folder_is_searched_with_all_below_it(fastapply, folder, name):
    """Under the names that the folder was given with; not what belongs to version control."""
    fill(folder, "sub/a.py", "sub/deep/b.py", "sub/.hidden.py", "sub/.hg/c.py")
    run = fastapply("check-markers", name)
    assert (run.status, found(run)) == (1, ["sub/.hidden.py", "sub/a.py", "sub/deep/b.py"])
    assert run.err == "checked 3 files: 3 lazy markers\n"


def test_folder_of_a_repository_is_searched_by_its_ignore_rules(fastapply, folder, git, monkeypatch):
    """Tracked and new files count, ignored, deleted and linked ones do not."""
    fill(folder, "tracked.py", "gone.py", "sub/b.py", "new.py", "build/out.py", "sub/c.log", "sub/kept.log")
    (folder / ".gitignore").write_text("build/\n*.log\n", encoding="utf-8")
    git("add", "-f", ".gitignore", "tracked.py", "gone.py", "sub/b.py", "sub/kept.log")
    git("commit", "-qm", "before")
    (folder / "gone.py").unlink()
    (folder / "link.py").symlink_to(folder / "build/out.py")
    run = fastapply("check-markers", ".")
    assert (run.status, found(run)) == (1, ["new.py", "sub/b.py", "sub/kept.log", "tracked.py"])
    assert run.err == "checked 5 files: 4 lazy markers\n"
    monkeypatch.chdir(folder / "sub")
    assert found(fastapply("check-markers", ".")) == ["b.py", "kept.log"]
    assert found(fastapply("check-markers", "..", "b.py"))[1:] == [
        "../sub/b.py",
        "../sub/kept.log",
        "../tracked.py",
        "b.py",
    ]
    assert found(fastapply("check-markers", "c.log")) == ["c.log"]


def test_repository_inside_of_a_folder_goes_by_its_own_rules(fastapply, folder, git):
    """Whether or not the folder around it is one, and also as a submodule."""
    fill(folder, "inner/a.py", "inner/skipped.py", "b.py")
    (folder / "inner/.gitignore").write_text("skipped.py\n", encoding="utf-8")
    git("init", "-q", "inner")
    assert found(fastapply("check-markers", ".")) == ["b.py", "inner/a.py"]
    git("-C", "inner", "add", ".")
    git("-C", "inner", "commit", "-qm", "inner")
    git("add", "inner")
    assert found(fastapply("check-markers", ".")) == ["b.py", "inner/a.py"]
    (folder / ".git").rename(folder / ".no-git")
    assert found(fastapply("check-markers", "inner", "b.py")) == ["inner/a.py", "b.py"]


def test_excluded_files_are_passed_over(fastapply, folder):
    """A project that writes prompts has markers of its own."""
    fill(folder, "a.py", "prompts/b.py")
    run = fastapply("check-markers", "--exclude", "prompts/*", ".")
    assert (found(run), run.err) == (["a.py"], "checked 1 file: 1 lazy marker\n")


def test_folder_that_may_not_be_looked_into_is_an_error(fastapply, folder, monkeypatch):
    """Nothing passes unseen."""

    def refuse(_folder):
        raise PermissionError(13, "Permission denied")

    (folder / "sub").mkdir()
    monkeypatch.setattr("os.scandir", refuse)
    run = fastapply("check-markers", "sub")
    assert (run.status, run.err) == (
        4,
        "fastapply: cannot read the folder sub: Permission denied [unreadable]\n",
    )
