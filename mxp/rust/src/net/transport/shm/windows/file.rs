//! The handles of this side, by which a peer comes to its memory and wakes it [MXP-18.20].

use core::time::Duration;
use std::os::windows::io::{AsRawHandle as _, OwnedHandle, RawHandle};

use super::events::PeerEvents;
use crate::net::transport::shm::atomic::AtomicU32;
use crate::net::transport::shm::wait_kind::WaitKind;

/// The handles by which a peer comes to the memory of this side, and wakes it.
pub(crate) struct File {
    pub(super) section: OwnedHandle,
    pub(super) events: PeerEvents,
}

impl File {
    /// The bytes of an offer that stand for it.
    pub(crate) fn handles(&self) -> [u8; super::HANDLES_BYTES] {
        let PeerEvents { bytes, room } = &self.events;
        let mut all = [0; super::HANDLES_BYTES];
        for (handle, at) in [&self.section, bytes, room]
            .into_iter()
            .zip((0..).step_by(4))
        {
            all[at..][..4].copy_from_slice(&number(handle.as_raw_handle()).to_le_bytes());
        }
        all
    }
}

/// The number of a handle, of which 32 bits mean something.
#[expect(clippy::cast_possible_truncation, reason = "the rest means nothing")]
fn number(handle: RawHandle) -> u32 {
    handle as usize as u32
}

/// The wake-ups of both sides.
pub(crate) struct Events {
    /// The handles stay open as long as the peer may take them.
    own: File,
    peer: PeerEvents,
}

impl File {
    /// The wake-ups between this side and a peer.
    pub(crate) const fn events(self, peer: PeerEvents) -> Events {
        Events { own: self, peer }
    }
}

impl Events {
    /// Wakes the thread of the peer that sleeps for that.
    pub(crate) fn wake(&self, kind: WaitKind, _: &AtomicU32) {
        self.peer.set(kind);
    }

    /// Sleeps until the peer has set the event.
    pub(crate) fn sleep(&self, kind: WaitKind, _: &AtomicU32, _: u32, time: Duration) {
        self.own.events.wait(kind, time);
    }
}
