"""The base classes of generated enums."""

from __future__ import annotations

import enum
from typing import Any


class OpenEnum(enum.IntEnum):
    """The base class of open enums: other numbers are kept, as members without a name."""

    _name: str

    def __init_subclass__(cls, schema: str | None = None) -> None:
        cls._name = schema or cls.__name__

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        made: Any = int.__new__(cls, value)
        made._name_ = str(int(value))
        made._value_ = int(value)
        return made

    def __reduce_ex__(self, proto: Any) -> tuple[Any, ...]:
        # Until 3.11.3 Python pickles members by their names, which other numbers have none of.
        return type(self), (self._value_,)

    @property
    def is_known(self) -> bool:
        """Whether the schema names the number."""
        return self._value_ in type(self)._value2member_map_


class ClosedEnum(enum.IntEnum):
    """The base class of closed enums: other numbers are refused."""

    _name: str

    def __init_subclass__(cls, schema: str | None = None) -> None:
        cls._name = schema or cls.__name__
