"""The classes of values behave as those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from fastapply.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Place:
    """A frozen value with a default."""

    name: str
    line: int = 3

    @property
    def shown(self) -> str:
        """Both in one."""
        return f"{self.name}:{self.line}"


@dataclass(slots=True)
class Notes:
    """A value that can be changed."""

    lines: list[str]


def test_frozen_value_keeps_its_fields_defaults_and_properties():
    """Positional and named arguments, defaults, and what the class itself defines."""
    place = Place("a", line=7)
    assert (place.name, place.line, place.shown, Place("a").line) == ("a", 7, "a:7", 3)
    assert repr(place) == "Place(name='a', line=7)"


def test_wrong_arguments_raise_type_error():
    """Missing, unknown and too many arguments are errors of the caller."""
    with pytest.raises(TypeError):
        Place()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Place("a", colour=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Place("a", 1, 2)  # type: ignore[call-arg]


def test_equal_values_are_equal_and_hash_alike():
    """Equality is by class and fields."""
    assert Place("a") == Place("a", 3)
    assert hash(Place("a")) == hash(Place("a", 3))
    assert Place("a") != Place("b")
    assert Place("a") != ("a", 3)  # type: ignore[comparison-overlap]


def test_frozen_value_cannot_be_changed():
    """Setting, deleting and adding attributes fails with the standard library's error."""
    place = Place("a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        place.name = "b"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del place.line
    with pytest.raises(AttributeError):
        place.colour = 1  # type: ignore[attr-defined]


def test_mutable_value_can_be_changed_and_has_no_hash():
    """In its fields, which are slots."""
    one = Notes([])
    one.lines = ["x"]
    assert one == Notes(["x"])
    with pytest.raises(TypeError):
        hash(one)


def test_both_replaces_copy_with_changes():
    """Ours and the standard library's do the same."""
    assert replace(Place("a"), line=9) == dataclasses.replace(Place("a"), line=9) == Place("a", 9)


def test_standard_functions_know_the_fields():
    """`asdict`, `fields` and `is_dataclass` work."""
    assert dataclasses.is_dataclass(Place)
    assert dataclasses.asdict(Place("a")) == {"name": "a", "line": 3}
    assert [one.name for one in dataclasses.fields(Notes)] == ["lines"]
    assert dataclasses.replace(Notes(["x"])) == Notes(["x"])


def test_values_can_be_copied_and_pickled():
    """Copies are equal, in every way to make them."""
    place = Place("a", 9)
    assert copy.copy(place) == copy.deepcopy(place) == place
    assert pickle.loads(pickle.dumps(place)) == place  # noqa: S301 - our own


def test_match_takes_fields_by_position():
    """`match` knows the order of the fields."""
    match Place("a", 9):
        case Place(name, line):
            assert (name, line) == ("a", 9)
