"""The base classes of generated types: structs, messages and unions."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, dataclass_transform

from . import _codec, _json_read, _json_write, _message
from ._error import Error
from ._package import ZERO, Package, zero

if TYPE_CHECKING:
    from ._codec import Buffer, Limits
    from ._type import Type

T = TypeVar("T")

REQUIRED: Any = dataclasses.MISSING


class FieldOptions:
    """The options of a field in generated code."""

    __slots__ = ("default", "json")

    def __init__(self, default: Any, json: str | None) -> None:
        self.default = default
        self.json = json


def field(*, default: Any = REQUIRED, json: str | None = None) -> Any:
    """A field with a default, or with another name in JSON; for generated code."""
    return FieldOptions(default, json)


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
class _Record(type):
    """The class of generated classes: fields become slots, and constructors are made when they are first called."""

    _names: tuple[str, ...]
    _options: dict[str, FieldOptions]

    def __new__(
        cls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        id: int | None = None,
        tag: int | None = None,
        schema: str | None = None,
        json: str | None = None,
        keep: bool = False,
        kw_only: bool = True,
    ) -> _Record:
        if any(hasattr(base, "_package") for base in bases):  # a class of the program's own, with methods for instance
            return super().__new__(cls, name, bases, namespace)
        names = tuple(one for one, spelled in namespace.get("__annotations__", {}).items() if "ClassVar" not in str(spelled))
        options = {}
        for one in names:
            if one in namespace:
                given = namespace.pop(one)
                options[one] = given if isinstance(given, FieldOptions) else FieldOptions(given, None)
        namespace["__slots__"] = (*names, "_unknown") if keep else names
        namespace.update(
            _names=names,
            _options=options,
            _id=id,
            _tag=tag,
            _json=json,
            _name=schema or name,
            _keep=keep,
            _kw_only=kw_only,
            __match_args__=names,
            __init__=_lazy_init,
            __hash__=None,
        )
        made = super().__new__(cls, name, bases, namespace)
        if tag is not None:
            made._union._alternatives[tag] = made  # type: ignore[attr-defined]
            setattr(made._union, name.removeprefix(made._union.__name__), made)  # type: ignore[attr-defined]
        return made

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> None:
        super().__init__(name, bases, namespace)

    @property
    def __signature__(cls) -> inspect.Signature:
        _make_init(cls)
        return inspect.signature(cls.__init__.__get__(object()))  # type: ignore[misc]


def _lazy_init(self: Any, /, *arguments: Any, **fields: Any) -> None:
    """The constructor until it is called for the first time."""
    _make_init(type(self))
    type(self).__init__(self, *arguments, **fields)


def _make_init(cls: Any) -> None:
    if cls.__init__ is not _lazy_init:
        return
    parameters = ["_self", "/"] + (["*"] if cls._kw_only and cls._names else [])
    lines = ["pass"] if not cls._names else []
    values: dict[str, Any] = {"_ZERO": ZERO, "_zero": _zero_field, "_cls": cls}
    for i, name in enumerate(cls._names):
        options = cls._options.get(name)
        if options is None or options.default is REQUIRED:
            parameters.append(name)
            lines.append(f"_self.{name} = {name}")
        else:
            values[f"_d{i}"] = options.default
            parameters.append(f"{name}=_d{i}")
            lines.append(f"_self.{name} = {name}" + (f" if {name} is not _ZERO else _zero(_cls, {i})" if options.default is ZERO else ""))
    if cls._keep:
        lines.append('_self._unknown = b""')
    text = f"def __init__({', '.join(parameters)}):\n    " + "\n    ".join(lines)
    exec(compile(text, f"<sdp {cls.__name__}>", "exec"), values)
    made = values["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__module__ = cls.__module__
    cls.__init__ = made


def _zero_field(cls: Any, index: int) -> Any:
    return zero(_record_of(cls).fields[index].type)


def type_of(cls: Any) -> Type:
    """The type that a class's values are encoded as: for an alternative, its union."""
    return cls._kind or _find_type(cls)


def _find_type(cls: Any) -> Type:
    """Finds the type of a class when it is asked for first. Alternatives inherit that of their union."""
    cls = getattr(cls, "_union", cls)
    package: Package = cls._package
    cls._kind = package.types()[f"{package.name}.{cls._name}"]
    return cls._kind  # type: ignore[no-any-return]


def _record_of(cls: Any) -> Type:
    """The type whose fields a class has: for an inline alternative, its struct."""
    found = type_of(cls)
    for one in found.alternatives:
        if one.cls is cls and one.type is not None:
            return one.type
    return found


class _Fields:
    """The fields of a class as the module ``dataclasses`` has them, made when they are first asked for."""

    def __get__(self, value: Any, owner: Any) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for i, name in enumerate(owner._names):
            options = owner._options.get(name)
            default = REQUIRED if options is None else options.default
            make: Any = {"default_factory": functools.partial(_zero_field, owner, i)} if default is ZERO else {"default": default}
            one: Any = dataclasses.field(kw_only=owner._kw_only, **make)
            one.name, one.type, one._field_type = name, owner.__annotations__[name], dataclasses._FIELD  # type: ignore[attr-defined]
            made[name] = one
        owner.__dataclass_fields__ = made
        return made


class _Value(metaclass=_Record):
    """The common base of all generated classes."""

    __dataclass_fields__: ClassVar[Any] = _Fields()
    _keep: ClassVar[bool]
    _kind: ClassVar[Any] = None
    _names: ClassVar[tuple[str, ...]]
    _package: ClassVar[Package]

    def encode(self) -> bytes:
        """Encodes the value. Raises ``EncodeError`` for a value that the type does not have."""
        kind = self._kind or _find_type(type(self))
        data: bytes | None = None if kind.native is None else kind.native.encode(self)
        return _codec.write(kind, self) if data is None else data

    def encode_into(self, buffer: bytearray | memoryview) -> int:
        """Encodes the value at the start of a buffer, and returns how many bytes it took."""
        return _codec.encode_into(type_of(type(self)), self, buffer)

    def encode_message(self) -> bytes:
        """Encodes the value in message mode: a header with the type's id, then the value."""
        return _message.encode_message(type_of(type(self)), self)

    @classmethod
    def decode(cls, data: Buffer, *, exact: bool = False, limits: Limits | None = None, arrays: str = "") -> Self:
        """Decodes bytes that hold one value. Raises ``DecodeError``.

        With ``exact``, bytes of releases with more or fewer segments are refused. With ``arrays="numpy"`` or ``"memoryview"``, a list
        or array of numbers is one of these, which shares the memory of the bytes, and can't be written to.
        """
        kind = cls._kind or _find_type(cls)
        if kind.native is not None and limits is None and not exact and not arrays:
            value = kind.native.decode(data)
            if value is not None:
                return value if value.__class__ is cls else _own(cls, value)
        return _own(cls, _codec.decode(kind, data, exact, limits, arrays))

    @classmethod
    def decode_prefix(cls, data: Buffer, *, limits: Limits | None = None) -> tuple[Self, int]:
        """Decodes a value at the start of bytes, and returns it with the number of bytes that it took."""
        value, used = _codec.decode_prefix(type_of(cls), data, limits)
        return _own(cls, value), used

    @classmethod
    def decode_message(cls, data: Buffer, *, limits: Limits | None = None) -> Self:
        """Decodes a message that must be of this type."""
        return _own(cls, _message.decode_message(type_of(cls), data, limits))

    @classmethod
    def encode_preamble(cls) -> bytes:
        """The preamble of a stream: the layout text of the type. Readers refuse bytes by it that they would misread [WIRE-11.7]."""
        return _message.encode_preamble(type_of(cls))

    def to_json(self) -> str:
        """The value as JSON, the same text in every language."""
        return _json_write.to_json(type_of(type(self)), self)

    @classmethod
    def from_json(cls, text: str | Buffer) -> Self:
        """Reads a value from JSON. Raises ``JSONError``."""
        return _own(cls, _json_read.from_json(type_of(cls), text))

    def to_dict(self) -> dict[str, Any]:
        """The fields by their names, and the fields of values in them."""
        return {name: _plain(getattr(self, name)) for name in self._names}

    def replace(self, /, **changes: Any) -> Self:
        """A copy with other values of some fields."""
        made = object.__new__(type(self))
        for name in self._names:
            setattr(made, name, changes.pop(name) if name in changes else getattr(self, name))
        if self._keep:
            made._unknown = self._unknown  # type: ignore[attr-defined]
        if changes:
            raise TypeError(f"{type(self).__name__} has no field {next(iter(changes))!r}")
        return made

    def validate(self) -> None:
        """Raises ``EncodeError`` for a value that has no encoding, with the path of what is wrong."""
        _codec.validate(type_of(type(self)), self)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from ._pydantic import core_schema

        return core_schema(cls)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        from ._pydantic import json_schema

        return json_schema(cls)

    @classmethod
    def layout(cls) -> str:
        """The layout text of the type: what peers compare [EVO-5]."""
        from ._layout import layout_of

        return layout_of(type_of(cls))

    def __repr__(self) -> str:
        parts = [f"{name}={getattr(self, name, '<unset>')!r}" for name in self._names]
        if self._keep and self._unknown:  # type: ignore[attr-defined]
            parts.append(f"_unknown={self._unknown!r}")  # type: ignore[attr-defined]
        return f"{type(self).__qualname__}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        kind = type_of(type(self))
        if _has_floats(kind):
            try:  # values are equal if their bytes are [WIRE-14.4]
                return _codec.encode(kind, self) == _codec.encode(kind, other)
            except Error:
                pass
        names = (*self._names, "_unknown") if self._keep else self._names
        try:
            return all(_same(getattr(self, name), getattr(other, name)) for name in names)
        except ValueError:  # arrays within lists
            return _codec.encode(kind, self) == _codec.encode(kind, other)


def _same(left: Any, right: Any) -> bool:
    """Whether two attributes are equal, of which an array has a verdict for each number."""
    verdict = left == right
    return verdict if isinstance(verdict, bool) else len(left) == len(right) and bool(verdict.all())


def _own(cls: type[T], value: Any) -> T:
    if not isinstance(value, cls):
        raise TypeError(f"decode {type_of(cls).cls.__name__}: the value is no {cls.__name__}: {value!r}")
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, _Value):
        return value.to_dict()
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return value


def _has_floats(kind: Type) -> bool:
    found = kind.cache.get("floats")
    if found is None:
        seen: set[int] = set()
        waiting = [kind]
        found = False
        while waiting and not found:
            part = waiting.pop()
            if id(part) not in seen:
                seen.add(id(part))
                found = part.kind in ("f32", "f64")
                waiting.extend(part.parts())
        kind.cache["floats"] = found
    return bool(found)


class Struct(_Value):
    """The base class of structs: their fields never change."""


class Message(_Value):
    """The base class of messages: later releases may add fields."""


class Union(_Value):
    """The base class of unions. A value is an object of the class of an alternative."""

    _alternatives: ClassVar[dict[int, Any]]

    def __init_subclass__(cls) -> None:
        if Union in cls.__bases__:
            cls._alternatives = {}
            cls._union = cls  # type: ignore[attr-defined]

    def __new__(cls, /, *arguments: Any, **fields: Any) -> Self:
        if Union in cls.__bases__:
            raise TypeError(f"{cls.__name__} is a union: make a value of one of its alternatives")
        return object.__new__(cls)


class Unknown:
    """An alternative that this release does not know: its tag, and its payload, which is written back."""

    __slots__ = ()
    tag: int
    payload: bytes
