"""The file that a repository belongs to."""

from __future__ import annotations

from fastapply_lab.data.recipe import Recipe, split_of


def test_split_goes_by_the_name_of_a_repository():
    """Named ones where they are named; else about one in twenty is for validation, always the same ones."""
    names = [f"owner+name{number}" for number in range(2000)]
    held = [name for name in names if split_of(name, Recipe()) == "valid"]
    assert 60 < len(held) < 140
    assert [name for name in names if split_of(name, Recipe()) == "valid"] == held
    assert {split_of(name, Recipe(train=tuple(held))) for name in held} == {"train"}
    assert {split_of(name, Recipe(valid=("other",))) for name in names} == {"train"}
    assert split_of(held[0], Recipe(test=(held[0],))) == "test"
