//! The options of connections by shared memory.

use core::time::Duration;

use super::offer::{LEAST_RING, MOST_RING};
use crate::session::{SHM_BYTES, SHM_RING_BYTES, SHM_SPIN_US};

/// The options of a server's, or a client's, connections by shared memory.
///
/// ```
/// use core::time::Duration;
///
/// use mxp::net::transport::ShmOptions;
/// use mxp::net::Server;
///
/// let options = ShmOptions::new().ring_bytes(1 << 20).spin(Duration::ZERO);
/// let server = Server::new().shm(options);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "options do nothing by themselves"]
pub struct ShmOptions {
    pub(super) ring_bytes: usize,
    pub(super) spin: Duration,
    pub(super) bytes: usize,
}

impl Default for ShmOptions {
    fn default() -> Self {
        // Where there is one processor, who looks keeps the peer from writing.
        let processors = std::thread::available_parallelism();
        let is_one = processors.is_ok_and(|n| n.get() == 1);
        let spin = Duration::from_micros(if is_one { 0 } else { SHM_SPIN_US });
        Self {
            ring_bytes: SHM_RING_BYTES,
            spin,
            bytes: SHM_BYTES,
        }
    }
}

impl ShmOptions {
    /// Rings of 256 KiB.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces how many bytes this side's ring of a connection has: a power of two from 4 KiB
    /// to 1 GiB, to which another number is rounded up. They are in memory from the beginning.
    pub fn ring_bytes(mut self, bytes: usize) -> Self {
        let bytes = bytes.clamp(LEAST_RING, MOST_RING);
        self.ring_bytes = bytes.next_power_of_two();
        self
    }

    /// Replaces how long who waits looks before it sleeps: 20 µs, and nothing where there is one
    /// processor. Meanwhile a thread keeps a processor busy, and a task lets others go on. Looks that
    /// were in vain become rare.
    pub fn spin(mut self, time: Duration) -> Self {
        self.spin = time;
        self
    }

    /// Replaces the most bytes that the rings of all connections have, the peers' among them (64
    /// MiB). Connections beyond that go over the socket.
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_is_rounded_to_what_it_can_be() {
        for (asked, has) in [
            (0, 4096),
            (4097, 8192),
            (1 << 20, 1 << 20),
            (usize::MAX, 1 << 30),
        ] {
            assert_eq!(ShmOptions::new().ring_bytes(asked).ring_bytes, has);
        }
    }
}
