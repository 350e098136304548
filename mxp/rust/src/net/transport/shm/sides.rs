//! The memory of both sides, with the means by which each comes to that of the other and wakes it.

use std::io;
use std::string::String;

use super::memory::{Own, Peers, Ring};
use super::system::{File, PeerEvents};

/// The memory of this side, with the file by which the peer comes to it.
pub(super) struct OwnMemory {
    pub(super) file: File,
    pub(super) ring: Ring,
    pub(super) own: Own,
}

/// The memory of a peer, with the events by which this side wakes it.
pub(super) struct PeerMemory {
    pub(super) peers: Peers,
    pub(super) events: PeerEvents,
}

/// Why the memory of a peer is not mapped.
pub(super) enum MapFailure {
    /// It is not what it must be.
    Unfit(String),
    /// The system does not map it.
    Failed(io::Error),
}
