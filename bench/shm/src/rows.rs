//! Everything that is measured.

/// A way from one process to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// A channel of MXP: values are encoded, copied out, and checked as they are decoded.
    Channel,
    /// A ring that both processes write, and nothing else: the floor.
    Ring,
    /// iceoryx2's publish and subscribe.
    Publish,
    /// iceoryx2's request and response.
    Request,
    /// A unix socket with blocking reads and writes.
    Socket,
}

impl Peer {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Channel => "channel",
            Self::Ring => "ring",
            Self::Publish => "iceoryx2-publish",
            Self::Request => "iceoryx2-request",
            Self::Socket => "unix-socket",
        }
    }
}

/// One row of results.
pub struct Row {
    pub peer: Peer,
    /// How many bytes go in each direction.
    pub bytes: usize,
    /// Whether who waits sleeps, on the one processor that both have; else each looks without a
    /// pause, on one of its own. A socket always sleeps.
    pub sleeps: bool,
}

pub const SMALL: usize = 64;
pub const MEDIUM: usize = 1 << 10;
pub const LARGE: usize = 112 << 10;

impl Row {
    pub fn name(&self) -> String {
        let how = if self.sleeps { "one" } else { "two" };
        format!("{}-{}-{how}", self.peer.name(), self.bytes)
    }

    /// The processor of the process that asks, and that of the other.
    pub const fn client(&self) -> usize {
        0
    }

    pub const fn server(&self) -> usize {
        if self.sleeps {
            0
        } else {
            1
        }
    }
}

const fn row(peer: Peer, bytes: usize, sleeps: bool) -> Row {
    Row {
        peer,
        bytes,
        sleeps,
    }
}

pub const ROWS: &[Row] = &[
    row(Peer::Channel, SMALL, false),
    row(Peer::Ring, SMALL, false),
    row(Peer::Publish, SMALL, false),
    row(Peer::Request, SMALL, false),
    row(Peer::Socket, SMALL, false),
    row(Peer::Channel, MEDIUM, false),
    row(Peer::Ring, MEDIUM, false),
    row(Peer::Publish, MEDIUM, false),
    row(Peer::Request, MEDIUM, false),
    row(Peer::Socket, MEDIUM, false),
    row(Peer::Channel, LARGE, false),
    row(Peer::Ring, LARGE, false),
    row(Peer::Publish, LARGE, false),
    row(Peer::Request, LARGE, false),
    row(Peer::Socket, LARGE, false),
    row(Peer::Channel, SMALL, true),
    row(Peer::Publish, SMALL, true),
    row(Peer::Socket, SMALL, true),
    row(Peer::Channel, MEDIUM, true),
    row(Peer::Publish, MEDIUM, true),
    row(Peer::Socket, MEDIUM, true),
    row(Peer::Channel, LARGE, true),
    row(Peer::Publish, LARGE, true),
    row(Peer::Socket, LARGE, true),
];
