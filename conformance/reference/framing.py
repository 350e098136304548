"""Message mode and streams of messages (sections 10 and 11 of wire.md)."""

from .decode import decode_window
from .encode import LONGEST, encode
from .layout import write_layout
from .reading import difference, is_text
from .refusal import DEFAULTS, Limits, Refusal

HEADER = 10
MAGIC = b"SDP"
VERSION = 0x32
PREAMBLE = 0x53


def check_start(data):
    """Check the bytes of a header that are there, then that all ten are [WIRE-10.2] [WIRE-10.3] [WIRE-10.4]."""
    start = data[:3]
    if start != MAGIC[:len(start)]:
        raise Refusal("magic_invalid", 0, None)
    if len(data) > 3 and data[3] != VERSION:
        raise Refusal("version_unsupported", 3, None)
    if len(data) < HEADER:
        raise Refusal("truncated", 0 if len(data) < 4 else 4 if len(data) < 6 else 6, None)


def check_id(data, shape, package):
    """Find the shape of the header's type id: the one asked for, or one of the package [WIRE-10.5] [WIRE-10.6].

    ``package`` maps type ids to shapes; it is used when ``shape`` is None.
    """
    number = int.from_bytes(data[4:6], "little")
    if shape is not None:
        if number != shape.id:
            raise Refusal("type_id_mismatch", 4, None)
        return shape
    if number not in package:
        raise Refusal("type_id_unknown", 4, None)
    return package[number]


def check_limit(data, limits):
    """Read the payload length and hold it against the limit [WIRE-10.7]."""
    length = int.from_bytes(data[6:10], "little")
    if length > limits.message_bytes:
        raise Refusal("limit_message_bytes", 6, None)
    return length


def _payload(shape, data, length, limits):
    """Decode the payload in a window of its length, with offsets from the header [WIRE-10.9]."""
    end = HEADER + length
    value, at = decode_window(shape, data, HEADER, end, limits, False)
    if at < end:
        raise Refusal("trailing_bytes", at, None)
    return value


def decode_message(shape, package, data, limits=Limits()):
    """Decode a slice in message mode; give the shape and the value. A ``shape`` of None dispatches by id [WIRE-10.1]."""
    check_start(data)
    shape = check_id(data, shape, package)
    length = check_limit(data, limits)
    if length > len(data) - HEADER:
        raise Refusal("payload_length", 6, None)
    value = _payload(shape, data, length, limits)
    if len(data) > HEADER + length:
        raise Refusal("trailing_bytes", HEADER + length, None)
    return shape, value


def encode_message(shape, value):
    """Encode a value in message mode [WIRE-10.1] [WIRE-9.3]."""
    payload = encode(shape, value)
    if len(payload) > LONGEST:
        raise Refusal("value_too_large", -1, None)
    return MAGIC + bytes([VERSION]) + shape.id.to_bytes(2, "little") + len(payload).to_bytes(4, "little") + payload


class Stream:
    """A reader of messages that stand one after another in ``source`` [WIRE-11.1]."""

    def __init__(self, shape, package, source, limits=Limits()):
        self.shape = shape
        self.package = package
        self.source = source
        self.limits = limits
        self.at = 0
        self.ended = None

    def read(self):
        """Give the shape and value of the next message, or None at the clean end; raise a refusal [WIRE-11.2] [WIRE-11.5]."""
        if self.ended is not None:
            raise self.ended
        try:
            return self._next()
        except Refusal as refusal:
            if refusal.name != "type_id_unknown":
                self.ended = refusal
            raise

    def _header(self):
        """Go over preambles, and give the header behind them, or None at the clean end [WIRE-11.8]."""
        while self.at < len(self.source):
            header = self.source[self.at:self.at + HEADER]
            if header[:4] != MAGIC + bytes([PREAMBLE]):
                check_start(header)
                return header
            check_start(MAGIC + bytes([VERSION]) + header[4:])
            self._preamble(header)
        return None

    def _preamble(self, header):
        try:
            shape = check_id(header, self.shape, self.package)
        except Refusal as refusal:
            if refusal.name != "type_id_unknown":
                raise
            self._take(header)
            return
        check_limit(header, Limits(message_bytes=min(self.limits.message_bytes, DEFAULTS["layout_text_bytes"])))
        text = self._take(header)[HEADER:].decode("latin-1")
        if not is_text(text):
            raise Refusal("layout_mismatch", HEADER, None)
        found = difference(shape.name, write_layout(shape), text, reads=True)
        if found is not None:
            raise Refusal("layout_mismatch", HEADER, found.partition(":")[0])

    def _next(self):
        header = self._header()
        if header is None:
            return None
        try:
            shape = check_id(header, self.shape, self.package)
        except Refusal as refusal:
            if refusal.name == "type_id_unknown":
                self._take(header)
            raise
        length = check_limit(header, self.limits)
        message = self._take(header)
        return shape, _payload(shape, message, length, self.limits)

    def _take(self, header):
        """Go over the message of this header and give it, if the source has it whole [WIRE-11.3] [WIRE-11.4]."""
        end = self.at + HEADER + int.from_bytes(header[6:10], "little")
        if end > len(self.source):
            raise Refusal("truncated", 6, None)
        message = self.source[self.at:end]
        self.at = end
        return message
