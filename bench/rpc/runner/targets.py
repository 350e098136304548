"""What is to be reached, and by what it is judged."""

from dataclasses import dataclass

from interval import Interval, interval

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


_MXP, _BLOCKING = Pick("mxp"), Pick("mxp-blocking")
_REQWEST, _TONIC = Pick("reqwest", "tcp"), Pick("tonic")
_MANY, _TCP_MANY = Pick("mxp", in_flight=256), Pick("mxp", "tcp", in_flight=256)
_EVENT, _UP, _BOTH = Pick("mxp", kind="event"), Pick("mxp", kind="up"), Pick("mxp", kind="both")
_BATCH_EVENT, _BATCH_UP, _BATCH_BOTH = (Pick("mxp-batch", kind=kind) for kind in ("event", "up", "both"))
_HTTP_WIDE = Pick("reqwest", "tcp", connections=64)
_GO_UP, _GO_BOTH = Pick("mxp", kind="up", program="go"), Pick("mxp", kind="both", program="go")
_GO_BATCH_UP, _GO_BATCH_BOTH = Pick("mxp-batch", kind="up", program="go"), Pick("mxp-batch", kind="both", program="go")
_GRPC_UP, _GRPC_BOTH = Pick("grpc-go", kind="up", program="go"), Pick("grpc-go", kind="both", program="go")
_TONIC_MANY, _TUNGSTENITE_MANY = Pick("tonic", in_flight=256), Pick("tungstenite", in_flight=256)
_TONIC_UP, _CHANNEL_UP = Pick("tonic", kind="up"), Pick("tonic-channel", kind="up")
_TONIC_BOTH, _CHANNEL_BOTH = Pick("tonic", kind="both"), Pick("tonic-channel", kind="both")


def _ratios(title, ours, by, *pairs, size=64):
    return [Target(title, ours, by, least, theirs, size) for theirs, least in pairs]


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
        if self.target.least is None:
            return "told"
        return "reached" if self.measured.median >= self.target.least else "MISSED"


def judge(records, placement):
    """Give the outcome of each target."""
    return [Outcome(target, placement, _measured(records, target, placement)) for target in TARGETS]


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
