//! The bell by which each side wakes the other [MXP-18.9].

use core::time::Duration;

use super::atomic::{AtomicU32, Ordering};
use super::memory::{Own, Peers};
use super::system::Events;
use super::wait::Wakes;
use super::wait_kind::WaitKind;

/// How each side wakes the other.
pub(super) struct Bell {
    own: Own,
    peer: Peers,
    events: Events,
    /// The number of times that this side has woken a thread of the peer's.
    rung: AtomicU32,
}

impl Bell {
    pub(super) const fn new(own: Own, peer: Peers, events: Events) -> Self {
        let rung = AtomicU32::new(0);
        Self {
            own,
            peer,
            events,
            rung,
        }
    }

    /// Wakes the peer out of a wait, by its bell or by a function that sends a byte. An error here is
    /// not this side's: a full socket has already woken the thread that reads it, and an ended socket
    /// is found out by any waiting thread.
    #[cold]
    pub(super) fn wake(&self, wakes: Wakes, kind: WaitKind, notify: impl FnOnce()) {
        match wakes {
            Wakes::Bell => {
                // Two threads may store theirs in either order. Each number is stored once, so
                // that who has seen one sees another.
                let rung = self.rung.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
                self.own.bell().store(rung, Ordering::Release);
                self.events.wake(kind, self.own.bell());
            }
            Wakes::Byte => notify(),
        }
    }

    /// The number of times that the peer has woken threads of this side.
    pub(super) fn heard(&self) -> u32 {
        self.peer.bell().load(Ordering::Relaxed)
    }

    /// Sleeps until the peer has woken threads of such a wait once more, but not for longer than a
    /// time. Whyever it ends, what there is to do is looked at again.
    pub(super) fn sleep(&self, kind: WaitKind, heard: u32, time: Duration) {
        self.events.sleep(kind, self.peer.bell(), heard, time);
    }
}

/// A look at the socket, where bytes mean nothing but that somebody was woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// Bytes.
    Bytes,
    /// Nothing.
    Nothing,
    /// The end: the peer is gone.
    End,
}

/// How many bytes of the socket are passed over at once.
pub(super) const PASSED_BYTES: usize = 4096;
