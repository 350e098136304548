"""Values of the types, as this implementation holds them.

========================  =====================================================================
type                      value
========================  =====================================================================
bool                      ``bool``
integer, enum             ``int``
f32, f64                  ``int``, the bits, so that NaN payloads and the sign of zero survive
timestamp, duration       ``int``, nanoseconds
uuid                      ``bytes`` of length 16
str                       ``bytes``, its UTF-8
bytes, []u8               ``bytes``
[]T, [N]T                 ``list``
?T                        ``None`` or the value of T
map<K, V>                 ``dict``
struct, inline            :class:`Record` without a tail
message                   :class:`Record`
union                     :class:`Chosen`, :class:`Unknown`, or ``None`` where nothing is chosen
========================  =====================================================================
"""

from dataclasses import dataclass, field


@dataclass
class Record:
    """The fields of a struct, message or inline alternative, and the tail that a message has kept [WIRE-7.5]."""

    fields: dict = field(default_factory=dict)
    tail: bytes = b""


@dataclass
class Chosen:
    """A known alternative of a union, by its schema name, with its payload or None."""

    name: str
    payload: object = None


@dataclass
class Unknown:
    """An unknown alternative of an open union: its tag and its payload's bytes [WIRE-6.5]."""

    tag: int
    payload: bytes
