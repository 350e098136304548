//! An end of a named pipe whose reads and writes wait.
#![expect(unsafe_code, reason = "the system's interface is C's")]

use core::ptr::{null, null_mut};
use core::time::Duration;
use std::fs::File;
use std::io::{self, IoSlice};
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::sync::{Mutex, PoisonError};
use std::vec::Vec;

use windows_sys::Win32::Foundation::{
    ERROR_BROKEN_PIPE, ERROR_IO_PENDING, ERROR_OPERATION_ABORTED, WAIT_TIMEOUT,
};
use windows_sys::Win32::Storage::FileSystem::{ReadFile, WriteFile};
use windows_sys::Win32::System::Threading::{CreateEventW, WaitForSingleObject, INFINITE};
use windows_sys::Win32::System::IO::{CancelIoEx, GetOverlappedResult, OVERLAPPED};

use super::system::succeeded;
use crate::net::transport::blocking::Socket;

/// Bytes of pieces that are copied for one write, at most.
const JOINED_BYTES: usize = 64 << 10;

/// An end of a pipe that was opened for overlapping reads and writes.
pub(super) struct Stream {
    pipe: File,
    /// The longest time of a write.
    stall: Duration,
    patience: Mutex<Patience>,
    /// Events, of the end of a read and of the end of a write.
    came: OwnedHandle,
    left: OwnedHandle,
}

/// The longest time of a read: for ever without one.
#[derive(Clone, Copy)]
struct Patience {
    time: Option<Duration>,
    is_none: bool,
}

impl Stream {
    pub(super) fn new(pipe: File, stall: Duration) -> io::Result<Self> {
        let (time, is_none) = (None, false);
        Ok(Self {
            pipe,
            stall,
            patience: Mutex::new(Patience { time, is_none }),
            came: event()?,
            left: event()?,
        })
    }

    fn patience(&self) -> std::sync::MutexGuard<'_, Patience> {
        self.patience.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for work that a function has begun, for no longer than a time.
    fn finish(
        &self,
        event: &OwnedHandle,
        time: Option<Duration>,
        begin: impl FnOnce(*mut OVERLAPPED) -> i32,
    ) -> io::Result<usize> {
        let pipe = self.pipe.as_raw_handle();
        let mut work = OVERLAPPED {
            hEvent: event.as_raw_handle(),
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
        let is_late = unsafe { WaitForSingleObject(event.as_raw_handle(), ms) } == WAIT_TIMEOUT;
        if is_late {
            // SAFETY: the pipe is open, and the work goes on until its result is there.
            unsafe { CancelIoEx(pipe, &work) };
        }
        let mut bytes = 0;
        // SAFETY: the work was begun, and is not moved before its end, for which this waits.
        match succeeded(unsafe { GetOverlappedResult(pipe, &work, &mut bytes, 1) }) {
            Err(error) if is_late && is(&error, ERROR_OPERATION_ABORTED) => {
                Err(io::ErrorKind::TimedOut.into())
            }
            done => done.map(|()| usize::try_from(bytes).unwrap_or(0)),
        }
    }
}

impl Socket for Stream {
    fn read(&self, room: &mut [u8]) -> io::Result<usize> {
        let Patience { time, is_none } = *self.patience();
        let time = if is_none { Some(Duration::ZERO) } else { time };
        let read = self.finish(&self.came, time, |work| {
            // SAFETY: the room has that many bytes until the read has ended.
            unsafe {
                let pipe = self.pipe.as_raw_handle();
                ReadFile(pipe, room.as_mut_ptr(), length(room), null_mut(), work)
            }
        });
        match read {
            Err(end) if is(&end, ERROR_BROKEN_PIPE) => Ok(0),
            Err(late) if is_none && late.kind() == io::ErrorKind::TimedOut => {
                Err(io::ErrorKind::WouldBlock.into())
            }
            read => read,
        }
    }

    fn write(&self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let all: usize = pieces.iter().map(|piece| piece.len()).sum();
        let joined: Vec<u8>;
        let bytes = match pieces {
            [_, _, ..] if all <= JOINED_BYTES => {
                joined = pieces
                    .iter()
                    .flat_map(|piece| piece.iter().copied())
                    .collect();
                &joined[..]
            }
            pieces => pieces
                .iter()
                .find(|piece| !piece.is_empty())
                .map_or(&[][..], |piece| piece),
        };
        self.finish(&self.left, Some(self.stall), |work| {
            // SAFETY: the bytes are there until the write has ended.
            unsafe {
                let pipe = self.pipe.as_raw_handle();
                WriteFile(pipe, bytes.as_ptr(), length(bytes), null_mut(), work)
            }
        })
    }

    fn set_read_timeout(&self, time: Option<Duration>) -> io::Result<()> {
        self.patience().time = time;
        Ok(())
    }

    fn set_nonblocking(&self, is: bool) -> io::Result<()> {
        self.patience().is_none = is;
        Ok(())
    }
}

/// As many bytes as one call takes.
fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

fn is(error: &io::Error, code: u32) -> bool {
    error.raw_os_error() == i32::try_from(code).ok()
}

/// An event that the system sets and takes back.
fn event() -> io::Result<OwnedHandle> {
    // SAFETY: no pointer is given, and the handle is nobody else's.
    unsafe {
        let made = CreateEventW(null(), 1, 0, null());
        if made.is_null() {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedHandle::from_raw_handle(made))
    }
}
