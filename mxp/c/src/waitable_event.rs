//! Windows' waitable: an event.
#![expect(unsafe_code, reason = "the system's functions take pointers")]

use core::ptr;
use std::io;
use std::os::windows::io::{AsRawHandle as _, HandleOrNull, OwnedHandle};

use windows_sys::Win32::System::Threading::{CreateEventW, ResetEvent, SetEvent};

/// An event, which stays set until it is cleared.
pub(crate) struct Waitable(OwnedHandle);

impl Waitable {
    /// An event that is not set.
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: null stands for no attributes and no name.
        let handle = unsafe { CreateEventW(ptr::null(), 1, 0, ptr::null()) };
        // SAFETY: the handle is nobody else's.
        let handle = OwnedHandle::try_from(unsafe { HandleOrNull::from_raw_handle(handle) });
        handle.map(Self).map_err(|_| io::Error::last_os_error())
    }

    /// Its handle.
    pub(crate) fn number(&self) -> isize {
        self.0.as_raw_handle() as isize
    }

    /// Sets it.
    pub(crate) fn set(&self) {
        // SAFETY: the handle is open, as long as the event is there.
        let _ = unsafe { SetEvent(self.0.as_raw_handle()) };
    }

    /// Makes it not set.
    pub(crate) fn clear(&self) {
        // SAFETY: as above.
        let _ = unsafe { ResetEvent(self.0.as_raw_handle()) };
    }
}
