"""Frozen, slotted classes of values that take little time to make: `dataclass` and `replace`.

The ones of the standard library write, compile and run the source of seven methods for each
class, half a millisecond in all; with the fifty classes that one merge needs, that is half of what
a whole run may take beyond an empty one. Here only ``__init__`` is compiled, and the other methods
are shared by all classes. What is used looks the same (``@dataclass(frozen=True, slots=True)``,
``field(default_factory=...)``, ``replace``), type checkers see no difference, and equality, hash,
repr, copying and pickling behave alike. There is no inheritance between such classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class FrozenError(AttributeError):
    """A value was to be changed."""


class _Factory:
    __slots__ = ("make",)

    def __init__(self, make: Callable[[], object]) -> None:
        self.make = make


def field(*, default_factory: Callable[[], T]) -> T:
    """Give a field a default that is made anew for each value."""
    return _Factory(default_factory)  # type: ignore[return-value]


def replace(value: T, /, **changes: object) -> T:
    """Copy a value with some of its fields changed."""
    names: tuple[str, ...] = type(value).__match_args__  # type: ignore[attr-defined]
    kept = {name: getattr(value, name) for name in names if name not in changes}
    return type(value)(**kept, **changes)


@dataclass_transform(field_specifiers=(field,))
def dataclass(*, frozen: bool = False, slots: bool = True) -> Callable[[type[T]], type[T]]:
    """Make a class of values, as the standard library's decorator of that name does."""
    if not slots:
        msg = "classes of values have slots"
        raise ValueError(msg)

    def make(plain: type[T]) -> type[T]:
        body = dict(plain.__dict__)
        names = tuple(body.get("__annotations__", ()))
        names = tuple(name for name in names if "ClassVar" not in str(body["__annotations__"][name]))
        defaults = {name: body.pop(name) for name in names if name in body}
        body.pop("__dict__", None)
        body.pop("__weakref__", None)
        body.update(
            __slots__=names,
            __match_args__=names,
            __init__=_initialiser(plain, names, defaults, frozen=frozen),
            __eq__=_equals,
            __hash__=_hash if frozen else None,
            __getstate__=_state,
            __setstate__=_set_state,
        )
        body.setdefault("__repr__", _represent)
        if frozen:
            body.update(__setattr__=_refuse, __delattr__=_refuse)
        return type(plain)(plain.__name__, plain.__bases__, body)

    return make


def _initialiser(
    plain: type, names: tuple[str, ...], defaults: dict[str, object], *, frozen: bool
) -> Callable[..., None]:
    """Compile ``__init__``: the one method that is called often enough to be worth it."""
    known: dict[str, Any] = {"_set": object.__setattr__, "__name__": plain.__module__}
    parameters, lines = ["self"], []
    for name in names:
        value = name
        if name in defaults:
            known[f"_{name}"] = default = defaults[name]
            parameters.append(f"{name}=_{name}")
            if isinstance(default, _Factory):
                known[f"_make_{name}"] = default.make
                value = f"_make_{name}() if {name} is _{name} else {name}"
        else:
            parameters.append(name)
        lines.append(f"_set(self,{name!r},{value})" if frozen else f"self.{name}={value}")
    exec(f"def __init__({','.join(parameters)}):\n {';'.join(lines) or 'pass'}", known)  # noqa: S102
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{plain.__qualname__}.__init__"
    made.__annotations__ = {
        **{name: plain.__annotations__[name] for name in names},
        "return": None,
    }
    return made


def _values(value: Any) -> tuple[Any, ...]:  # noqa: ANN401 - of any such class
    return tuple([getattr(value, name) for name in value.__match_args__])


def _equals(self: object, other: object) -> bool:
    if type(other) is not type(self):
        return NotImplemented
    return _values(self) == _values(other)


def _hash(self: object) -> int:
    return hash(_values(self))


def _represent(self: object) -> str:
    names: tuple[str, ...] = type(self).__match_args__  # type: ignore[attr-defined]
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
    return f"{type(self).__qualname__}({shown})"


def _state(self: object) -> tuple[Any, ...]:
    return _values(self)


def _set_state(self: Any, state: tuple[Any, ...]) -> None:  # noqa: ANN401
    for name, value in zip(self.__match_args__, state, strict=True):
        object.__setattr__(self, name, value)


def _refuse(self: object, name: str, *_value: object) -> None:
    msg = f"{type(self).__name__}.{name} cannot be changed: make another value with replace()"
    raise FrozenError(msg)
