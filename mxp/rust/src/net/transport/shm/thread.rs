//! Connections by shared memory for threads.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{self, IoSlice};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::bell::{Bell, Heard};
use super::halves::{Half as _, Halves, ReadHalf, WriteHalf};
use super::quota::Reservation;
use super::ring::Got;
use super::sleep::{wait, WaitResult};
use super::spin::Spin;
use super::system::Line;
use super::wait::Wakes;
use super::wait_kind::WaitKind;
use crate::net::transport::blocking;

/// A connection, as threads share it: one reads, and one writes.
pub(super) struct Socket {
    line: Line,
    sending: Mutex<(WriteHalf, Spin)>,
    receiving: Mutex<(ReadHalf, Spin)>,
    bell: Bell,
    /// The time that a read waits.
    patience: Mutex<Option<Duration>>,
    /// The time that a write waits.
    stall: Duration,
    does_not_wait: AtomicBool,
    /// The socket has ended: the peer is gone.
    is_alone: AtomicBool,
    _reserved: Reservation,
}

impl Socket {
    pub(super) fn new(line: Line, halves: Halves, spin: Duration, stall: Duration) -> Self {
        Self {
            line,
            sending: Mutex::new((halves.sending, Spin::new(spin))),
            receiving: Mutex::new((halves.receiving, Spin::new(spin))),
            bell: halves.bell,
            patience: Mutex::new(None),
            stall,
            does_not_wait: AtomicBool::new(false),
            is_alone: AtomicBool::new(false),
            _reserved: halves.reserved,
        }
    }

    fn wake(&self, wakes: Wakes, kind: WaitKind) {
        self.bell.wake(wakes, kind, || self.line.notify());
    }

    /// Looks after the socket. Returns whether the peer is still there.
    fn is_connected(&self) -> bool {
        if self.line.hear() == Heard::End {
            self.is_alone.store(true, Ordering::Relaxed);
        }
        !self.is_alone.load(Ordering::Relaxed)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // As of a socket that is closed, all that was written is read, and then the end.
        let (half, _) = &mut *locked(&self.sending);
        half.end(|wakes| self.wake(wakes, WaitKind::Bytes));
    }
}

fn locked<T>(half: &Mutex<T>) -> MutexGuard<'_, T> {
    half.lock().unwrap_or_else(PoisonError::into_inner)
}

impl blocking::Socket for Socket {
    fn read(&self, room: &mut [u8]) -> io::Result<usize> {
        let (half, spin) = &mut *locked(&self.receiving);
        let mut late = None;
        loop {
            match half.read(room, |wakes| self.wake(wakes, WaitKind::Room))? {
                Got::Bytes(n) => {
                    spin.came();
                    return Ok(n);
                }
                Got::End => return Ok(0),
                Got::Lost => return Err(io::ErrorKind::ConnectionReset.into()),
                Got::Nothing => {}
            }
            let late = *late.get_or_insert_with(|| {
                let patience = *locked(&self.patience);
                patience.and_then(|time| Instant::now().checked_add(time))
            });
            let is_idle = self.does_not_wait.load(Ordering::Relaxed);
            if !is_idle && wait(half, spin, &self.bell, late) == WaitResult::TooLong {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            if half.has_news() {
                continue;
            }
            if !self.is_connected() {
                half.close();
            } else if is_idle {
                return Err(io::ErrorKind::WouldBlock.into());
            }
        }
    }

    fn write(&self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let is_empty = pieces.iter().all(|piece| piece.is_empty());
        let (half, spin) = &mut *locked(&self.sending);
        let mut late = None;
        loop {
            if self.is_alone.load(Ordering::Relaxed) {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            let wrote = half.write(pieces, |wakes| self.wake(wakes, WaitKind::Bytes))?;
            if wrote > 0 || is_empty {
                spin.came();
                return Ok(wrote);
            }
            let late = *late.get_or_insert_with(|| Instant::now().checked_add(self.stall));
            if wait(half, spin, &self.bell, late) == WaitResult::TooLong {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            if !half.has_news() {
                self.is_connected();
            }
        }
    }

    fn set_read_timeout(&self, time: Option<Duration>) -> io::Result<()> {
        *locked(&self.patience) = time;
        Ok(())
    }

    fn set_nonblocking(&self, is: bool) -> io::Result<()> {
        self.does_not_wait.store(is, Ordering::Relaxed);
        Ok(())
    }
}
