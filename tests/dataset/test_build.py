"""From repositories to three files of windows."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from histories import MIT, changed, commit, git, history_of, make_repo, module

from fastapply.dataset.build import SPLITS, Recipe, build, split_of
from fastapply.dataset.statistics import render_statistics
from fastapply.dataset.windows import read_windows

pytestmark = pytest.mark.usefixtures("licences")

RECIPE = Recipe(negatives=0.3, per_path=20, valid=("second",), test=("third",))


def files_of(folder):
    """What lies in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def windows_of(folder):
    """The windows of each file."""
    return {split: list(read_windows(folder / f"{split}.jsonl")) for split in SPLITS}


@pytest.fixture(scope="module")
def built(repos, tmp_path_factory):
    """The folder of the three repositories, and its tally."""
    out = tmp_path_factory.mktemp("built")
    return out, build(list(repos.values()), out, RECIPE, jobs=2)


def test_a_repository_is_in_one_file_only(built):
    """Each in the one that the recipe names, the rest in that to train on, and nothing else lies there."""
    out, _ = built
    found = {split: {window.repo for window in windows} for split, windows in windows_of(out).items()}
    assert found == {"train": {"first"}, "valid": {"second"}, "test": {"third"}}
    assert set(files_of(out)) == {"train.jsonl", "valid.jsonl", "test.jsonl"}


def test_the_same_recipe_gives_the_same_bytes(built, repos, tmp_path):
    """With one process as with two, whenever it is called; another seed gives others."""
    out, _ = built
    build(list(repos.values()), tmp_path / "one", RECIPE, jobs=1)
    assert files_of(tmp_path / "one") == files_of(out)
    build(list(repos.values()), tmp_path / "other", replace(RECIPE, seed=2), jobs=2)
    assert files_of(tmp_path / "other") != files_of(out)


def test_windows_tell_commits_that_are_there(built, repos):
    """Repository, commit, path and licence lead back to where a window is from."""
    out, _ = built
    for windows in windows_of(out).values():
        assert len(windows) > 20
        for window in windows:
            listed = git(repos[window.repo], "show", "--format=", "--name-only", window.commit)
            assert window.path in listed.splitlines()
            assert window.licence == "MIT"


def test_some_windows_must_be_refused(built, repos, tmp_path):
    """At most the share that is asked for, since some cannot be made; with a share of nothing none."""
    windows = [one for some in windows_of(built[0]).values() for one in some]
    assert 0 < sum(one.merged is None for one in windows) / len(windows) < 0.3
    build([repos["first"]], tmp_path, replace(RECIPE, negatives=0.0))
    assert all(one.merged is not None for one in read_windows(tmp_path / "train.jsonl"))


@pytest.mark.parametrize("most", [1, 2, 7])
def test_a_repository_gives_at_most_so_many_windows(repos, tmp_path, most):
    """Those that must be refused are counted too."""
    tally = build([repos["first"]], tmp_path, replace(RECIPE, per_repo=most, negatives=1.0))
    assert tally.windows == Counter(train=len(list(read_windows(tmp_path / "train.jsonl"))))
    assert 0 < tally.windows.total() <= most


def test_smaller_data_are_the_first_of_larger_ones(repos, tmp_path):
    """Of a repository that is held out as many as are asked for, of the others all."""
    order = list(repos.values())
    build(order, tmp_path / "all", RECIPE)
    build(order, tmp_path / "some", replace(RECIPE, per_held_out=5))
    every, some = windows_of(tmp_path / "all"), windows_of(tmp_path / "some")
    assert some["train"] == every["train"]
    assert [some[split] for split in ("valid", "test")] == [every[split][:5] for split in ("valid", "test")]


def test_a_file_gives_at_most_so_many_changes(repos, tmp_path):
    """However often it was changed."""
    build([repos["first"]], tmp_path, replace(RECIPE, per_path=2))
    changes = {(window.path, window.commit) for window in read_windows(tmp_path / "train.jsonl")}
    assert Counter(path for path, _ in changes) == {"tea.py": 2, "salt.py": 2}


def test_what_was_trained_on_is_not_held_out(repos, tmp_path):
    """A fork has nothing of its own; what it adds to its history is new."""
    fork = tmp_path / "second"
    git(tmp_path, "clone", "--quiet", str(repos["first"]), str(fork))
    tally = build([fork, repos["first"]], tmp_path / "out", RECIPE)
    assert tally.repos["second"] == ("valid", "MIT", 0)
    assert tally.repos["first"][2] == tally.windows["train"] > 0
    assert tally.left_out["in another repository"] > 0
    commit(fork, {"tea.py": changed((fork / "tea.py").read_text(), 10, "tea")})
    newest = git(fork, "rev-parse", "HEAD").strip()
    build([fork, repos["first"]], tmp_path / "out", RECIPE)
    held_out = list(read_windows(tmp_path / "out" / "valid.jsonl"))
    assert {window.commit for window in held_out} == {newest}


def test_repository_under_no_permissive_licence_is_left_out_and_named(repos, tmp_path):
    """The others are made all the same."""
    closed = history_of(tmp_path / "closed", ("lead",), licence="All rights reserved.\n", steps=2)
    tally = build([closed, repos["first"]], tmp_path / "out", RECIPE)
    assert tally.refused_repos == {"closed": "no permissive licence"}
    assert set(tally.repos) == {"first"}


def test_build_that_fails_leaves_the_older_files_alone(repos, tmp_path, monkeypatch):
    """Half a file would look like a whole one."""
    out = tmp_path / "out"
    build([repos["first"]], out, RECIPE)
    before = files_of(out)

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("fastapply.dataset.build.to_json", fail)
    with pytest.raises(KeyboardInterrupt):
        build([repos["second"]], out, replace(RECIPE, valid=()))
    assert files_of(out) == before


def test_split_goes_by_the_name_of_a_repository():
    """Named ones where they are named; else about one in twenty is for validation, always the same ones."""
    names = [f"owner+name{number}" for number in range(2000)]
    held = [name for name in names if split_of(name, Recipe()) == "valid"]
    assert 60 < len(held) < 140
    assert [name for name in names if split_of(name, Recipe()) == "valid"] == held
    assert {split_of(name, Recipe(train=tuple(held))) for name in held} == {"train"}
    assert {split_of(name, Recipe(valid=("other",))) for name in names} == {"train"}
    assert split_of(held[0], Recipe(test=(held[0],))) == "test"


def test_statistics_add_up(built):
    """Windows, characters, repositories and shares are those of the files."""
    out, tally = built
    windows = windows_of(out)
    page = render_statistics(tally, RECIPE)
    assert page == render_statistics(tally, RECIPE)
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    for split, some in windows.items():
        size = sum(len(one.original) + len(one.edit) + len(one.merged or "") for one in some)
        assert [split, str(len(some)), str(size // len(some))] in rows
        repo = some[0].repo
        assert [repo, split, "MIT", str(len(some))] in rows
    every = [one for some in windows.values() for one in some]
    assert page.splitlines()[2].startswith(f"{len(every)} windows of 3 repositories, seed 1: ")
    refusals = sum(one.merged is None for one in every)
    assert f". {refusals} of them ({refusals / len(every):.1%}) must be refused." in page
    for kind in ("language", "format", "style"):
        counts = Counter(getattr(one, kind) for one in every)
        for name, count in counts.items():
            assert [name, str(count), f"{count / len(every):.1%}"] in rows
    left_out = {row[0]: int(row[1]) for row in rows if row[0] in tally.left_out}
    assert left_out == dict(tally.left_out)


def test_the_same_change_of_two_files_is_taken_once(tmp_path):
    """The other one is counted as a duplicate."""
    text = module("tea")
    twin = make_repo(tmp_path / "twin", {"LICENSE": MIT, "a.py": text, "b.py": f"import os\n{text}"})
    after = changed(text, 3, "tea")
    commit(twin, {"a.py": after, "b.py": f"import os\n{after}"})
    tally = build([twin], tmp_path / "out", replace(RECIPE, valid=("none",)))
    assert tally.left_out["duplicate"] == 1
    paths = {window.path for window in read_windows(tmp_path / "out" / "train.jsonl")}
    assert len(paths) == 1


def test_recipe_of_one_repository_does_not_depend_on_others(repos, tmp_path):
    """Its windows are drawn by its name and the seed alone."""
    alone, both = tmp_path / "alone", tmp_path / "both"
    build([repos["third"]], alone, RECIPE)
    order = list(repos.values())
    random.Random(1).shuffle(order)
    build(order, both, RECIPE)
    assert (alone / "test.jsonl").read_bytes() == (both / "test.jsonl").read_bytes()
