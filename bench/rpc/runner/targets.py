"""Targets that are to be reached, and the measure that judges each."""

from dataclasses import dataclass

from interval import Interval, interval
from rows import LANGUAGES, MANY, PEERS

LATENCY, RATE = "p50", "per CPU-second"


@dataclass(frozen=True)
class Pick:
    """A row, but for its size and its placement."""

    peer: str
    transport: str = "unix"
    kind: str = "call"
    in_flight: int = 1
    connections: int = 1
    program: str = "rust"

    def __str__(self):
        load = {"call": f", {self.in_flight} in flight" if self.in_flight > 1 else ""}.get(self.kind, f", {self.kind}")
        wide = f", {self.connections} connections" if self.connections > 1 else ""
        return f"{self.peer} over {self.transport}{load}{wide}"


@dataclass(frozen=True)
class Target:
    """Either a ratio to another row of the same placement, or a number of messages per CPU-second. Without `least` it is told, and not judged."""

    title: str
    ours: Pick
    by: str
    least: float | None
    theirs: Pick | None = None
    bytes: int = 64
    # Where it is judged, if not everywhere.
    placement: str | None = None


_MXP, _BLOCKING = Pick("mxp"), Pick("mxp-blocking")
_REQWEST, _TONIC = Pick("reqwest", "tcp"), Pick("tonic")
_MANY, _TCP_MANY = Pick("mxp", in_flight=256), Pick("mxp", "tcp", in_flight=256)
_EVENT, _UP, _BOTH = Pick("mxp", kind="event"), Pick("mxp", kind="up"), Pick("mxp", kind="both")
_BATCH_EVENT, _BATCH_UP, _BATCH_BOTH = (Pick("mxp-batch", kind=kind) for kind in ("event", "up", "both"))
_HTTP_WIDE = Pick("reqwest", "tcp", connections=64)
_GO_UP, _GO_BOTH = Pick("mxp", kind="up", program="go"), Pick("mxp", kind="both", program="go")
_GO_BATCH_UP, _GO_BATCH_BOTH = Pick("mxp-batch", kind="up", program="go"), Pick("mxp-batch", kind="both", program="go")
_GRPC_UP, _GRPC_BOTH = Pick("grpc-go", kind="up", program="go"), Pick("grpc-go", kind="both", program="go")
_CPP, _CPP_MANY = Pick("mxp", program="cpp"), Pick("mxp", in_flight=256, program="cpp")
_CPP_UP, _CPP_BOTH = Pick("mxp", kind="up", program="cpp"), Pick("mxp", kind="both", program="cpp")
_CPP_BATCH_UP, _CPP_BATCH_BOTH = Pick("mxp-batch", kind="up", program="cpp"), Pick("mxp-batch", kind="both", program="cpp")
_GRPCPP_UP, _GRPCPP_BOTH = Pick("grpc++", kind="up", program="cpp"), Pick("grpc++", kind="both", program="cpp")
_TONIC_MANY, _TUNGSTENITE_MANY = Pick("tonic", in_flight=256), Pick("tungstenite", in_flight=256)
_TONIC_UP, _CHANNEL_UP = Pick("tonic", kind="up"), Pick("tonic-channel", kind="up")
_TONIC_BOTH, _CHANNEL_BOTH = Pick("tonic", kind="both"), Pick("tonic-channel", kind="both")


def _ratios(title, ours, by, *pairs, size=64):
    return [Target(title, ours, by, least, theirs, size) for theirs, least in pairs]


def _shared(peer):
    """Give the targets of a peer that has shared memory: itself over a unix socket. It spins where each side has its core."""
    language = "" if peer.program == "rust" else f"{LANGUAGES[peer.program]}: "

    def beside(title, by, least=None, **picked):
        ours, theirs = (Pick(peer.name, way, program=peer.program, **picked) for way in ("shm", "unix"))
        return Target(f"{language}{title}", ours, by, least, theirs, placement="two cores")

    # Clients for threads, which wait in another way, have no target here.
    found = [beside("call, shared memory", LATENCY, 1.25 if MANY in peer.loads else None)]
    if MANY in peer.loads:
        found.append(beside("256 in flight, shared", RATE, in_flight=256))
    return found + [beside(f"{_FLOWS[kind]}, shared", RATE, kind=kind) for kind in peer.flows]


_FLOWS = {"event": "events", "up": "to the server", "both": "both ways"}


def _cpp_peers(**picked):
    """Give C++'s other libraries for calls, beside which MXP is told."""
    return [(Pick(peer, program="cpp", **picked), None) for peer in ("grpc++", "capnp", "floor-asio")]


TARGETS = (
    *_ratios("Call, async client", _MXP, LATENCY, (_REQWEST, 1.6), (_TONIC, 2.3), (Pick("capnp"), 1.3), (Pick("hyper"), None)),
    *_ratios("Call, blocking client", _BLOCKING, LATENCY, (_REQWEST, 2.7), (_TONIC, 4), (Pick("floor-blocking"), None)),
    *_ratios("Calls, 256 in flight", _MANY, RATE, (_REQWEST, 40), (_HTTP_WIDE, None), (_TONIC_MANY, 25), (_TONIC, None), (_TUNGSTENITE_MANY, 1)),
    Target("Calls, 256 in flight", _MANY, RATE, 2e6),
    *_ratios("Events", _EVENT, RATE, (_REQWEST, 150), (_CHANNEL_BOTH, 5), (_TONIC_BOTH, 5)),
    Target("Events", _EVENT, RATE, 8e6),
    *_ratios("Stream to the server", _UP, RATE, (_REQWEST, 150), (_CHANNEL_BOTH, 5), (_TONIC_BOTH, 5), (_CHANNEL_UP, 2.5), (_TONIC_UP, 1.25)),
    Target("Stream to the server", _UP, RATE, 8e6),
    *_ratios("Stream both ways", _BOTH, RATE, (_REQWEST, 150), (_CHANNEL_BOTH, 5), (_TONIC_BOTH, 5)),
    Target("Stream both ways", _BOTH, RATE, 8e6),
    *_ratios("Events, batches", _BATCH_EVENT, RATE, (_REQWEST, 150)),
    Target("Events, batches", _BATCH_EVENT, RATE, 8e6),
    *_ratios("Stream to the server, batches", _BATCH_UP, RATE, (_CHANNEL_UP, 5), (_TONIC_UP, 2.3)),
    *_ratios("Stream both ways, batches", _BATCH_BOTH, RATE, (_CHANNEL_BOTH, 5), (_TONIC_BOTH, 2.3)),
    *_ratios(
        "TCP calls, 256 in flight", _TCP_MANY, RATE, (_REQWEST, 35), (_HTTP_WIDE, None), (Pick("tonic", "tcp", in_flight=256), 25)
    ),
    *_ratios("Go: stream to the server", _GO_UP, RATE, (_GRPC_UP, 6)),
    *_ratios("Go: stream, batches", _GO_BATCH_UP, RATE, (_GRPC_UP, 6)),
    *_ratios("Go: stream both ways", _GO_BOTH, RATE, (_GRPC_BOTH, 6)),
    *_ratios("Go: both ways, batches", _GO_BATCH_BOTH, RATE, (_GRPC_BOTH, 6)),
    *_ratios("C++: call, async client", _CPP, LATENCY, *_cpp_peers()),
    *_ratios("C++: call, blocking client", Pick("mxp-blocking", program="cpp"), LATENCY, *_cpp_peers()),
    *_ratios("C++: calls, 256 in flight", _CPP_MANY, RATE, *_cpp_peers(in_flight=256)),
    *_ratios("C++: calls, 64 connections", Pick("mxp", connections=64, program="cpp"), RATE, *_cpp_peers(connections=64)),
    *_ratios("C++: stream to the server", _CPP_UP, RATE, (_GRPCPP_UP, None)),
    *_ratios("C++: stream, batches", _CPP_BATCH_UP, RATE, (_GRPCPP_UP, None)),
    *_ratios("C++: stream both ways", _CPP_BOTH, RATE, (_GRPCPP_BOTH, None)),
    *_ratios("C++: both ways, batches", _CPP_BATCH_BOTH, RATE, (_GRPCPP_BOTH, None)),
    *(target for peer in PEERS if "shm" in peer.transports for target in _shared(peer)),
    *_ratios("Call, no checksum", _MXP, LATENCY, (_REQWEST, 1), (Pick("hyper"), None), (Pick("mxp", "tcp"), None), size=112 * 1024),
)


@dataclass(frozen=True)
class Outcome:
    """A target as it was measured in one placement; nothing where a row is missing."""

    target: Target
    placement: str
    measured: Interval | None

    @property
    def verdict(self):
        """Give what it comes to."""
        if self.measured is None:
            return "not measured"
        if self.least is None:
            return "told"
        return "reached" if self.measured.median >= self.least else "MISSED"

    @property
    def least(self):
        """Give what is to be reached in this placement."""
        return self.target.least if self.target.placement in (None, self.placement) else None


def judge(records, placement, targets=TARGETS):
    """Give the outcome of each target."""
    return [Outcome(target, placement, _measured(records, target, placement)) for target in targets]


def _measured(records, target, placement):
    ours = find(records, target.ours, target.bytes, placement)
    if target.theirs is None:
        return ours and interval(ours["per_cpu_second_rounds"])
    theirs = find(records, target.theirs, target.bytes, placement)
    if ours is None or theirs is None:
        return None
    if target.by == LATENCY:
        pairs = zip(theirs["latency_ns"]["p50_rounds"], ours["latency_ns"]["p50_rounds"])
    else:
        pairs = zip(ours["per_cpu_second_rounds"], theirs["per_cpu_second_rounds"])
    return interval([one / other for one, other in pairs])


def find(records, pick, size, placement):
    """Give the row that is meant, if it was measured."""
    wanted = {**vars(pick), "bytes": size, "placement": placement}
    return next((one for one in records if all(one[key] == value for key, value in wanted.items())), None)
