"""The words of the line protocol of sessions (README.md): from what a case says to lines, and the defaults of events."""

import tomllib

from .cases import expand
from .runners import ROOT

FRAMES = tomllib.loads((ROOT / "spec" / "frames.toml").read_text("utf-8"))["frame"]

TYPES = {frame["name"]: frame["number"] for frame in FRAMES}
"""The types of frames [MXP-1.3]."""

PAYLOADS = {frame["name"]: tuple(frame["payload"]) for frame in FRAMES if "payload" in frame}
"""The types that payloads of a frame's type may begin with [MXP-5.3]."""

EVENTS = {
    "ready": {"services": []},
    "call": {"id": None, "service": 0, "method": 1, "deadline": 0, "trace": "-", "meta": [], "value": ""},
    "open": {
        "id": None, "service": 0, "method": 1, "deadline": 0, "trace": "-", "meta": [], "messages": 0, "bytes": 0,
        "final": 0, "value": "",
    },
    "event": {"id": None, "service": 0, "method": 1, "trace": "-", "meta": [], "ack": 0, "value": ""},
    "response": {"id": None, "meta": [], "value": ""},
    "ended": {"id": None, "status": None, "name": None, "text": "", "details": "", "acted": None},
    "chunk": {"id": None, "number": None, "final": 0, "ack": 0, "value": ""},
    "finished": {"id": None},
    "granted": {"id": None, "messages": None, "bytes": None},
    "acked": {"id": None, "chunk": 0},
    "cancelled": {"id": None, "why": None},
    "draining": {"reason": ""},
    "register": {"id": None, "name": None, "capabilities": [], "lease": 0, "addresses": [], "services": [], "epoch": 0},
    "heartbeat": {"id": None, "name": None},
    "discover": {"id": None, "capability": "", "name": "", "service": "", "version": 0},
    "end": {"status": None, "name": None, "text": "", "remote": 0},
    "difference": {"served": 0, "method": None, "text": None},
    "uncompared": {"name": None},
    "agent": {"name": None, "capabilities": [], "lease": None, "addresses": [], "services": [], "epoch": 0},
}
"""The words of each event, and of an agent that a directory gives, in their order, with what they are where a case is silent."""

GIVES_EVENTS = ("receive", "deliver", "tick", "lost")
SILENT = ("state", "stats", "differences", "uncompared")
"""The words that tell something of a session and change nothing."""

BYTES = ("value", "details", "bytes", "payload")
TEXTS = ("name", "text", "reason", "capability")


def _hex(data):
    return data.hex() or "-"


def whole_text(text):
    """Give a text, which may be one that is repeated, or a list of both."""
    if isinstance(text, list):
        return "".join(map(whole_text, text))
    return text["repeat"] * text["times"] if isinstance(text, dict) else text


def _text(text):
    return _hex(whole_text(text).encode("utf-8"))


def _list(items):
    return ",".join(items) or "-"


def word(key, value):
    """Write one word."""
    if key in TEXTS or (key == "service" and isinstance(value, str)):
        value = _text(value)
    elif key in BYTES and not isinstance(value, int):
        value = _hex(value if isinstance(value, bytes) else expand([value]))
    elif key in ("capabilities", "addresses", "services"):
        value = _list(map(_text, value))
    elif key == "meta":
        value = _list(f"{_text(name)}:{_hex(bytes.fromhex(data))}" for name, data in value)
    elif key == "type" and isinstance(value, str):
        value = TYPES[value]
    return f"{key}={value}"


def _new(words):
    """Write the words of a new session, where names of services and types are plain."""
    for key, value in words.items():
        if key == "services":
            yield f"services={_list(value)}"
        elif key == "type":
            for one in value:
                yield f"type={one['name']}:{','.join(one['fingerprints'])}:{_text(one.get('text', ''))}"
        elif key == "use":
            yield from (f"use={one}" for one in value)
        else:
            yield f"{key}={value}"


def command(verb, words):
    """Give the line that asks for something; a verb without ``directory`` is one of sessions."""
    what = verb if verb.startswith("directory ") else f"session {verb}"
    if verb == "deliver":
        words = {"flags": 0, "id": 0} | words
    written = _new(words) if verb == "new" else (word(key, value) for key, value in words.items())
    return " ".join([what, *written])


def event_line(name, words):
    """Give the line of an event."""
    unknown = set(words) - set(EVENTS[name])
    if unknown:
        raise KeyError(f"{name} has no {sorted(unknown)}")
    return "\t".join([name, *(word(key, value) for key, value in (EVENTS[name] | words).items())])
