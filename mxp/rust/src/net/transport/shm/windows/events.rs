//! The events of a side, one for each of its waits [MXP-18.22].
#![expect(unsafe_code, reason = "the system's interface is C's")]

use core::ptr::null;
use core::time::Duration;
use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};

use windows_sys::Win32::System::Threading::{CreateEventW, SetEvent, WaitForSingleObject};

use crate::net::transport::shm::wait_kind::WaitKind;

/// The events of a side.
pub(crate) struct PeerEvents {
    pub(super) bytes: OwnedHandle,
    pub(super) room: OwnedHandle,
}

impl PeerEvents {
    /// Events that reset themselves.
    pub(super) fn new() -> io::Result<Self> {
        let made = || {
            // SAFETY: no pointer is given, and the handle is nobody else's.
            unsafe {
                let made = CreateEventW(null(), 0, 0, null());
                if made.is_null() {
                    return Err(io::Error::last_os_error());
                }
                Ok(OwnedHandle::from_raw_handle(made))
            }
        };
        Ok(Self {
            bytes: made()?,
            room: made()?,
        })
    }

    const fn of(&self, kind: WaitKind) -> &OwnedHandle {
        match kind {
            WaitKind::Bytes => &self.bytes,
            WaitKind::Room => &self.room,
        }
    }

    /// Wakes the thread that sleeps for that. A peer may have offered what is no event: it alone is not
    /// woken then.
    pub(super) fn set(&self, kind: WaitKind) {
        // SAFETY: the handle is open.
        unsafe { SetEvent(self.of(kind).as_raw_handle()) };
    }

    /// Sleeps until the event is set, which it may have been before.
    pub(super) fn wait(&self, kind: WaitKind, time: Duration) {
        let ms = u32::try_from(time.as_micros().div_ceil(1000)).unwrap_or(u32::MAX - 1);
        // SAFETY: the handle is open.
        unsafe { WaitForSingleObject(self.of(kind).as_raw_handle(), ms) };
    }
}
