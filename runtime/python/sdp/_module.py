"""Functions on generated modules: messages of any type that a module has."""

from __future__ import annotations

from typing import Any

from . import _message
from ._codec import Buffer, Limits
from ._package import Package
from ._type import Type
from ._value import type_of


def read_messages(source: Any, module: Any, *, limits: Limits | None = None) -> _message.MessageReader:
    """Reads messages, one behind another, from a binary file or an iterable of bytes. They are of any type of a generated module."""
    return _message.MessageReader(source, _types(module), limits)


def decode_message(data: Buffer, module: Any, *, limits: Limits | None = None) -> Any:
    """Decodes a message of any type of a generated module."""
    return _message.dispatch(_types(module), data, limits)


def _types(module: Any) -> dict[int, Type]:
    package: Package = module if isinstance(module, Package) else module.package
    return {number: type_of(cls) for number, cls in package.messages().items()}
