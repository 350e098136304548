"""The rows: all that is measured. A row that is not here is nowhere."""

from dataclasses import asdict, dataclass
from itertools import product

SIZES = (64, 1024, 112 * 1024)

# Calls in flight on each connection, and connections.
ONE, MANY, WIDE = (1, 1), (256, 1), (1, 64)


@dataclass(frozen=True)
class Peer:
    """One side's library with its other side, over some transports."""

    name: str
    program: str
    transports: tuple
    loads: tuple
    flows: tuple = ()


LANGUAGES = {"rust": "Rust", "go": "Go", "cpp": "C++"}

# A transport that is "udp" has the address of a TCP one; a peer with "shm" is judged beside itself over a unix socket, too. Of a peer
# without MANY a connection has one call in flight.
PEERS = (
    Peer("floor-blocking", "rust", ("unix",), (ONE,)),
    Peer("floor-tokio", "rust", ("unix",), (ONE, MANY, WIDE)),
    Peer("mxp", "rust", ("unix", "tcp", "shm"), (ONE, MANY, WIDE), ("event", "up", "both")),
    Peer("mxp-stub", "rust", ("unix",), (ONE, MANY, WIDE), ("event", "up", "both")),
    Peer("mxp-batch", "rust", ("unix",), (), ("event", "up", "both")),
    Peer("mxp-blocking", "rust", ("unix", "tcp", "shm"), (ONE,)),
    Peer("hyper", "rust", ("unix",), (ONE, WIDE)),
    Peer("reqwest", "rust", ("tcp",), (ONE, WIDE)),
    Peer("tonic", "rust", ("unix", "tcp"), (ONE, MANY, WIDE), ("up", "both")),
    Peer("tonic-channel", "rust", ("unix", "tcp"), (), ("up", "both")),
    Peer("tungstenite", "rust", ("unix", "tcp"), (ONE, MANY, WIDE), ("up", "both")),
    Peer("quinn", "rust", ("udp",), (ONE, MANY, WIDE), ("both",)),
    Peer("capnp", "rust", ("unix",), (ONE, MANY, WIDE)),
    Peer("tarpc", "rust", ("unix",), (ONE, MANY, WIDE)),
    Peer("mxp", "go", ("unix", "tcp", "shm"), (ONE, MANY, WIDE), ("event", "up", "both")),
    Peer("mxp-batch", "go", ("unix",), (), ("event", "up", "both")),
    Peer("net/http", "go", ("unix", "tcp"), (ONE, WIDE)),
    Peer("grpc-go", "go", ("unix", "tcp"), (ONE, MANY, WIDE), ("up", "both")),
    Peer("floor-asio", "cpp", ("unix",), (ONE, MANY, WIDE)),
    Peer("mxp", "cpp", ("unix", "tcp", "shm"), (ONE, MANY, WIDE), ("event", "up", "both")),
    Peer("mxp-batch", "cpp", ("unix",), (), ("event", "up", "both")),
    Peer("mxp-stub", "cpp", ("unix",), (ONE, MANY, WIDE), ("event", "up", "both")),
    Peer("mxp-blocking", "cpp", ("unix", "tcp", "shm"), (ONE,)),
    Peer("grpc++", "cpp", ("unix", "tcp"), (ONE, MANY, WIDE), ("up", "both")),
    Peer("capnp", "cpp", ("unix",), (ONE, MANY, WIDE)),
)

# The core of each side: client, server.
PLACEMENTS = {"one core": (1, 1), "two cores": (0, 1)}


@dataclass(frozen=True)
class Row:
    """A pair that is measured at once: one server, one client."""

    program: str
    peer: str
    transport: str
    kind: str
    bytes: int
    in_flight: int
    connections: int
    placement: str

    def described(self):
        """Give the row as results have it."""
        return asdict(self)

    def __str__(self):
        load = f"{self.in_flight}x{self.connections}" if self.kind == "call" else self.kind
        return f"{self.program} {self.peer} {self.transport} {load} {self.bytes} B, {self.placement}"


def rows(peers=PEERS):
    """Give every row; those that are compared with each other are neighbours."""
    found = []
    for placement, size in product(PLACEMENTS, SIZES):
        for load in (ONE, MANY, WIDE):
            for peer in peers:
                if load in peer.loads:
                    found += [_row(peer, way, "call", size, load, placement) for way in peer.transports]
        for kind in ("event", "up", "both"):
            for peer in peers:
                if kind in peer.flows:
                    found += [_row(peer, way, kind, size, ONE, placement) for way in peer.transports]
    return found


def _row(peer, transport, kind, size, load, placement):
    return Row(peer.program, peer.name, transport, kind, size, *load, placement)
