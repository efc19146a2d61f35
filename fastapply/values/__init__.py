"""Frozen, slotted classes of values that take little time to make.

The decorator of the standard library writes, compiles and runs the source of seven methods for each
class, half a millisecond in all; with the fifty classes that one merge needs, that is a quarter of a
whole run. Here only ``__init__`` is compiled, and the other methods are shared by all classes.
What is used looks the same (``@dataclass(frozen=True, slots=True)``),
equality, hash, repr, copying, pickling and ``match`` behave alike, and `dataclasses.replace`,
`fields` and `asdict` work on such values. There is no inheritance between such classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass, replace

    __all__ = ["dataclass", "fields_of", "replace"]
else:

    def replace(value: Any, /, **changes: object) -> Any:  # noqa: ANN401 - type checkers see the real one
        """Copy a value with some of its fields changed."""
        kept = {name: getattr(value, name) for name in value.__match_args__ if name not in changes}
        return type(value)(**kept, **changes)

    def dataclass(*, frozen: bool = False, slots: bool) -> Callable[[type], type]:
        """Make a class of values, as the standard library's decorator of that name does."""
        if not slots:
            msg = "classes of values have slots"
            raise ValueError(msg)

        def make(plain: type) -> type:
            return _make(plain, frozen=frozen)

        return make


def fields_of(value: Any) -> dict[str, Any]:  # noqa: ANN401 - any class of values
    """The fields of a value by their names."""
    return {name: getattr(value, name) for name in value.__match_args__}


class _Fields:
    """The description that the standard library's functions ask for, made when they do."""

    def __init__(self, names: tuple[str, ...], defaults: dict[str, Any]) -> None:
        self._names = names
        self._defaults = defaults
        self._made: Any = None

    def __get__(self, value: object, owner: type) -> Any:  # noqa: ANN401 - a mapping of fields
        if self._made is not None:
            return self._made
        import dataclasses

        described: list[Any] = []
        for name in self._names:
            entry: Any = dataclasses.field(default=self._defaults.get(name, dataclasses.MISSING))
            described.append((name, owner.__annotations__[name], entry))
        made: Any = dataclasses.make_dataclass(owner.__name__, described)
        self._made = made.__dataclass_fields__
        return self._made


def _make(plain: type, *, frozen: bool) -> type:
    body = dict(plain.__dict__)
    names = tuple(name for name, kind in plain.__annotations__.items() if "ClassVar" not in str(kind))
    defaults = {name: body.pop(name) for name in names if name in body}
    body.pop("__dict__", None)
    body.pop("__weakref__", None)
    body.update(
        __slots__=names,
        __match_args__=names,
        __dataclass_fields__=_Fields(names, defaults),
        __init__=_initialiser(plain, names, defaults, frozen=frozen),
        __eq__=_equals,
        __hash__=_hash if frozen else None,
        __getstate__=_values,
        __setstate__=_set_state,
    )
    body.setdefault("__repr__", _represent)
    if frozen:
        body.update(__setattr__=_refuse, __delattr__=_refuse)
    return type(plain)(plain.__name__, plain.__bases__, body)


def _initialiser(
    plain: type, names: tuple[str, ...], defaults: dict[str, object], *, frozen: bool
) -> Callable[..., None]:
    """Compile ``__init__``: the one method that is called often enough to be worth it."""
    known: dict[str, Any] = {"_set": object.__setattr__}
    parameters, lines = ["self"], []
    for name in names:
        if name in defaults:
            known[f"_{name}"] = defaults[name]
            parameters.append(f"{name}=_{name}")
        else:
            parameters.append(name)
        lines.append(f"_set(self,{name!r},{name})" if frozen else f"self.{name}={name}")
    exec(f"def __init__({','.join(parameters)}):\n {';'.join(lines) or 'pass'}", known)  # noqa: S102
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{plain.__qualname__}.__init__"
    return made


def _values(value: Any) -> tuple[Any, ...]:  # noqa: ANN401 - of any such class
    return tuple([getattr(value, name) for name in value.__match_args__])


def _equals(self: object, other: object) -> Any:  # noqa: ANN401 - a truth, or NotImplemented
    if type(other) is not type(self):
        return NotImplemented
    return bool(_values(self) == _values(other))


def _hash(self: object) -> int:
    return hash(_values(self))


def _represent(self: Any) -> str:  # noqa: ANN401
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({shown})"


def _set_state(self: Any, state: tuple[Any, ...]) -> None:  # noqa: ANN401
    for name, value in zip(self.__match_args__, state, strict=True):
        object.__setattr__(self, name, value)


def _refuse(self: object, name: str, *_value: object) -> None:
    from dataclasses import FrozenInstanceError

    msg = f"{type(self).__name__}.{name} cannot be changed: make another value with replace()"
    raise FrozenInstanceError(msg)
