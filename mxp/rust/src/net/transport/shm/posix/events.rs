//! The wake-ups of threads, by a futex of both processes.

use core::time::Duration;

#[cfg(target_os = "linux")]
use rustix::thread::futex;

use super::file::File;
use crate::net::transport::shm::atomic::AtomicU32;
use crate::net::transport::shm::wait_kind::WaitKind;

/// The events of a peer: its memory has what there is to wake.
pub(crate) struct PeerEvents;

/// The wake-ups of both sides.
pub(crate) struct Events;

impl File {
    /// The wake-ups between this side and a peer.
    pub(crate) fn events(self, _: PeerEvents) -> Events {
        Events
    }
}

#[cfg(target_os = "linux")]
impl Events {
    /// Wakes all threads of the peer that sleep on this side's bell.
    pub(crate) fn wake(&self, _: WaitKind, bell: &AtomicU32) {
        let all = i32::MAX.unsigned_abs();
        let _ = futex::wake(bell, futex::Flags::empty(), all);
    }

    /// Sleeps until the peer's bell has another number than a thread has seen.
    pub(crate) fn sleep(&self, _: WaitKind, bell: &AtomicU32, heard: u32, time: Duration) {
        // A time that has no such form is as good as any.
        let time = rustix::fs::Timespec::try_from(time).ok();
        let _ = futex::wait(bell, futex::Flags::empty(), heard, time.as_ref());
    }
}

/// There is no shared memory where the system has no such sleep.
#[cfg(not(target_os = "linux"))]
impl Events {
    pub(crate) fn wake(&self, _: WaitKind, _: &AtomicU32) {}

    pub(crate) fn sleep(&self, _: WaitKind, _: &AtomicU32, _: u32, time: Duration) {
        std::thread::sleep(time.min(Duration::from_millis(1)));
    }
}
