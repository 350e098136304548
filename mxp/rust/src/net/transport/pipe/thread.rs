//! An end of a named pipe whose reads and writes wait.

use core::time::Duration;
use std::fs::File;
use std::io::{self, IoSlice};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use windows_sys::Win32::Foundation::ERROR_BROKEN_PIPE;

use super::event::{is, Event};
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
    came: Event,
    left: Event,
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
            came: Event::new()?,
            left: Event::new()?,
        })
    }

    fn patience(&self) -> MutexGuard<'_, Patience> {
        self.patience.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Socket for Stream {
    fn read(&self, room: &mut [u8]) -> io::Result<usize> {
        let Patience { time, is_none } = *self.patience();
        let time = if is_none { Some(Duration::ZERO) } else { time };
        match self.came.read(&self.pipe, room, time) {
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
        self.left.write(&self.pipe, bytes, Some(self.stall))
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
