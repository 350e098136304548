//! Reads and writes of Windows that can be waited for no longer than a time.
#![expect(unsafe_code, reason = "the system's interface is C's")]

use core::ptr::{null, null_mut};
use core::time::Duration;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle as _, OwnedHandle};

use windows_sys::Win32::Foundation::{ERROR_IO_PENDING, ERROR_OPERATION_ABORTED, WAIT_TIMEOUT};
use windows_sys::Win32::Storage::FileSystem::{ReadFile, WriteFile};
use windows_sys::Win32::System::Threading::{CreateEventW, WaitForSingleObject, INFINITE};
use windows_sys::Win32::System::IO::{CancelIoEx, GetOverlappedResult, OVERLAPPED};

use super::system::succeeded;

/// The event of one direction of a file, in which nobody else reads or writes meanwhile.
pub(in crate::net::transport) struct Event(OwnedHandle);

impl Event {
    pub(in crate::net::transport) fn new() -> io::Result<Self> {
        // SAFETY: no pointer is given, and the handle is nobody else's.
        unsafe {
            let made = CreateEventW(null(), 1, 0, null());
            if made.is_null() {
                return Err(io::Error::last_os_error());
            }
            Ok(Self(OwnedHandle::from_raw_handle(made)))
        }
    }

    /// Reads from a file that was opened for overlapping reads and writes, for no longer than a time.
    pub(in crate::net::transport) fn read(
        &self,
        file: &impl AsRawHandle,
        room: &mut [u8],
        time: Option<Duration>,
    ) -> io::Result<usize> {
        self.finish(file, time, |work| {
            // SAFETY: the room has that many bytes until the read has ended.
            unsafe {
                let file = file.as_raw_handle();
                ReadFile(file, room.as_mut_ptr(), length(room), null_mut(), work)
            }
        })
    }

    /// Writes to such a file.
    pub(in crate::net::transport) fn write(
        &self,
        file: &impl AsRawHandle,
        bytes: &[u8],
        time: Option<Duration>,
    ) -> io::Result<usize> {
        self.finish(file, time, |work| {
            // SAFETY: the bytes are there until the write has ended.
            unsafe {
                let file = file.as_raw_handle();
                WriteFile(file, bytes.as_ptr(), length(bytes), null_mut(), work)
            }
        })
    }

    /// Waits for work that a function has begun, for no longer than a time.
    fn finish(
        &self,
        file: &impl AsRawHandle,
        time: Option<Duration>,
        begin: impl FnOnce(*mut OVERLAPPED) -> i32,
    ) -> io::Result<usize> {
        let file = file.as_raw_handle();
        let mut work = OVERLAPPED {
            // With this bit the end is not told to a completion port that others have the file in.
            hEvent: self.0.as_raw_handle().wrapping_byte_add(1),
            ..OVERLAPPED::default()
        };
        match succeeded(begin(&mut work)) {
            Err(error) if !is(&error, ERROR_IO_PENDING) => return Err(error),
            _ => {}
        }
        let ms = time.map_or(INFINITE, |time| {
            let ms = time.as_micros().div_ceil(1000);
            u32::try_from(ms).unwrap_or(INFINITE - 1).min(INFINITE - 1)
        });
        // SAFETY: the event is open.
        let is_late = unsafe { WaitForSingleObject(self.0.as_raw_handle(), ms) } == WAIT_TIMEOUT;
        if is_late {
            // SAFETY: the file is open, and the work goes on until its result is there.
            unsafe { CancelIoEx(file, &work) };
        }
        let mut bytes = 0;
        // SAFETY: the work was begun, and is not moved before its end, for which this waits.
        match succeeded(unsafe { GetOverlappedResult(file, &work, &mut bytes, 1) }) {
            Err(error) if is_late && is(&error, ERROR_OPERATION_ABORTED) => {
                Err(io::ErrorKind::TimedOut.into())
            }
            done => done.map(|()| usize::try_from(bytes).unwrap_or(0)),
        }
    }
}

/// As many bytes as one call takes.
fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

pub(in crate::net::transport) fn is(error: &io::Error, code: u32) -> bool {
    error.raw_os_error() == i32::try_from(code).ok()
}
