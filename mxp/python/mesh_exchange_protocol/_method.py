"""Methods and services: the tables of generated code, as the core has them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from typing import Any

from . import _abi

EVENT, CALL, SERVER_STREAM, CLIENT_STREAM, BIDI_STREAM = range(5)
"""The kinds of methods."""

_ABI_KINDS = (
    (_abi.METHOD_EVENT, _abi.METHOD_CONFIRM),
    (_abi.METHOD_CALL, 0),
    (_abi.METHOD_STREAM, _abi.METHOD_ONE_REQUEST),
    (_abi.METHOD_STREAM, _abi.METHOD_ONE_RESPONSE),
    (_abi.METHOD_STREAM, 0),
)
"""The kinds and flags that the core has for them."""


class Method:
    """A method: its name in Python and in the schema, its number and kind, and the classes of its values."""

    def __init__(
        self, attribute: str, name: str, number: int, kind: int, request: Any, response: Any = None, *, idempotent: bool = False
    ) -> None:
        self.attribute = attribute
        self.name = name
        self.number = number
        self.kind = kind
        self.request = request
        self.response = response
        self.idempotent = idempotent
        self.abi: Any = None
        self.path = name
        """The service and the method, as ``desk.Desk/set``."""

    def __repr__(self) -> str:
        return f"<method {self.name}>"


class ServiceTable:
    """The methods of a service. It keeps what the core's structs point at."""

    def __init__(self, name: str, methods: Sequence[Method]) -> None:
        self.name = name
        self.methods = {one.number: one for one in methods}
        for one in methods:
            one.path = f"{name}/{one.name}"
        self._kept: list[Any] = []
        self._abi: Any = None

    def abi(self) -> Any:
        """The struct of the service."""
        if self._abi is None:
            types: dict[Any, Any] = {}
            array = (_abi.Method * len(self.methods))()
            for place, method in enumerate(self.methods.values()):
                kind, flags = _ABI_KINDS[method.kind]
                made = array[place]
                made.service, made.name = _abi.text(self.name), _abi.text(method.name)
                made.number, made.kind, made.flags = method.number, kind, flags | (_abi.METHOD_IDEMPOTENT if method.idempotent else 0)
                made.request = self._type(method.request, types)
                if method.response is not None:
                    made.response = self._type(method.response, types)
                method.abi = made
            self._kept.append(array)
            self._abi = _abi.Service(_abi.text(self.name), array, len(self.methods))
        return self._abi

    def _type(self, cls: Any, types: dict[Any, Any]) -> Any:
        if cls not in types:
            package = cls._package
            segments = package.fingerprints(cls)[0]
            numbers = (ctypes.c_uint64 * len(segments))(*segments)
            layout = cls.layout()
            name = f"{package.name}.{cls._name}"
            made = _abi.Type(_abi.text(name), numbers, len(segments), _abi.text(layout))
            self._kept += [numbers, made]
            types[cls] = ctypes.pointer(made)
        return types[cls]


def services_array(tables: Iterable[ServiceTable]) -> Any:
    """An array of services."""
    made = [one.abi() for one in tables]
    return (_abi.Service * len(made))(*made)
