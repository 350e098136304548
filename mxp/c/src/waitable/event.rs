//! Windows' waitable: an event.
#![expect(unsafe_code, reason = "the system's functions take pointers")]

use core::ptr;
use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::time::Instant;

use windows_sys::Win32::System::Threading::{
    CreateEventW, ResetEvent, SetEvent, WaitForSingleObject, INFINITE,
};

/// An event, which stays set until it is cleared.
pub(crate) struct Waitable(OwnedHandle);

impl Waitable {
    /// An event that is not set.
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: null stands for no attributes and no name.
        let handle = unsafe { CreateEventW(ptr::null(), 1, 0, ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is nobody else's.
        Ok(Self(unsafe { OwnedHandle::from_raw_handle(handle) }))
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

    /// Waits until it is set, or a time has come. Returns whether there is time left.
    pub(crate) fn wait(&self, until: Option<Instant>) -> bool {
        let ms = match until.map(|time| time.saturating_duration_since(Instant::now())) {
            Some(left) if left.is_zero() => return false,
            // Rounded up: a wait that ends too early begins again.
            Some(left) => u32::try_from(left.as_micros().div_ceil(1000)).unwrap_or(INFINITE - 1),
            None => INFINITE,
        };
        // SAFETY: as above.
        let _ = unsafe { WaitForSingleObject(self.0.as_raw_handle(), ms) };
        true
    }
}
