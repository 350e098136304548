"""Packages: the classes of a generated module, bound to the types of its layout text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from uuid import UUID

from . import _native
from ._time import Duration, Timestamp
from ._type import Field, Type, parse


class Package:
    """The types of a generated module.

    The layout text is read when a type is used for the first time, so that an import costs little.
    """

    def __init__(
        self,
        name: str,
        layout: str,
        classes: Iterable[Any],
        imports: Iterable[Package] = (),
        fingerprints: Mapping[Any, tuple[tuple[int, ...], tuple[int, ...]]] | None = None,
        json: Mapping[Any, Mapping[str, str]] | None = None,
        source: int = 0,
    ) -> None:
        self.name = name
        self.source = source
        """The fingerprint of the schema's text without its comments [EVO-6.8]."""
        self._layout = layout
        self._classes = tuple(classes)
        self._imports = tuple(imports)
        self._fingerprints = fingerprints or {}
        self._json = json or {}
        self._types: dict[str, Type] | None = None
        for cls in self._classes:
            if isinstance(cls, type):
                cls._package = self  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"<sdp.Package {self.name}>"

    def types(self) -> dict[str, Type]:
        """The package's own types by their full names."""
        if self._types is None:
            self._bind()
        assert self._types is not None
        return self._types

    def messages(self) -> dict[int, Any]:
        """The classes that have a type id, by their ids."""
        return {cls._id: cls for cls in self._classes if getattr(cls, "_id", None) is not None}

    def fingerprints(self, cls: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The fingerprints of a class's segments, and of all up to and with each [EVO-6]."""
        return self._fingerprints[cls]

    def class_of(self, name: str) -> Any:
        """The class of a type's full name, of this package or of an imported one."""
        prefix = self.name + "."
        if name.startswith(prefix):
            for cls in self._classes:
                if cls._name == name[len(prefix) :]:
                    return cls
        for other in self._imports:
            found = other.class_of(name)
            if found is not None:
                return found
        return None

    def _bind(self) -> None:
        blocks = parse(self._layout)
        own = {self.name + "." + cls._name: cls for cls in self._classes}
        for block in blocks:
            block.package = self
            block.cls = own.get(block.name) or self.class_of(block.name)
        for block in blocks:
            if block.kind == "enum":
                _bind_enum(block)
            elif block.kind == "union":
                _bind_union(block)
        for block in blocks:
            if block.kind in ("struct", "message"):
                _bind_record(block)
        _native.bind(blocks)
        self._types = {block.name: block for block in blocks if block.name in own}


def _bind_enum(block: Type) -> None:
    names = block.cls._package._json.get(block.cls, {})
    block.members = [(name, number, names.get(name, name)) for name, number, _ in block.members]
    block.numbers = Numbers(block.cls) if not block.closed else {}
    for _, number, _ in block.members:
        block.numbers[number] = block.cls(number)


class Numbers(dict[int, Any]):
    """The members of an open enum by their numbers. Other numbers are members without a name."""

    def __init__(self, cls: Any) -> None:
        super().__init__()
        self.cls = cls

    def __missing__(self, number: int) -> Any:
        return self.cls(number)


def _bind_union(block: Type) -> None:
    for one in block.alternatives:
        one.cls = block.cls._alternatives[one.tag]
        one.json = one.cls._json or one.name
        one.inline = one.type is not None and one.type.name == f"{block.name}.{one.name}"
        if one.inline and one.type is not None:
            one.type.cls = one.cls


def _bind_record(block: Type) -> None:
    for field, attribute in zip(block.fields, block.cls._names, strict=True):
        field.attribute = attribute
        options = block.cls._options.get(attribute)
        if options is not None and options.json is not None:
            field.json = options.json
        if field.segment > 1:
            field.default = _default(field, options)


def _default(field: Field, options: Any) -> Any:
    if options is not None and options.default is not ZERO:
        value = options.default
        return lambda: value
    return lambda: zero(field.type)


class _Zero:
    def __repr__(self) -> str:
        return "<zero value>"


ZERO: Any = _Zero()
"""The default of a field that is missing: the zero value of its type."""


def zero(kind: Type) -> Any:
    """The zero value of a type that has one [LANG-7.5]."""
    if kind.kind in _ZEROS:
        return _ZEROS[kind.kind]()
    if kind.kind == "enum":
        return kind.numbers[0]
    if kind.kind == "array":
        return bytes(kind.count) if kind.element.kind == "u8" else [zero(kind.element) for _ in range(kind.count)]
    made = kind.cls.__new__(kind.cls)
    for field in kind.fields:
        setattr(made, field.attribute, zero(field.type) if field.default is None else field.default())
    if kind.keep:
        made._unknown = b""
    return made


_ZEROS: dict[str, Callable[[], Any]] = {
    "bool": bool,
    "str": str,
    "bytes": bytes,
    "list": list,
    "map": dict,
    "opt": lambda: None,
    "f32": float,
    "f64": float,
    **dict.fromkeys(("u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"), int),
    "timestamp": lambda: Timestamp(0),
    "duration": lambda: Duration(0),
    "uuid": lambda: UUID(int=0),
}
