//! The pipe of a connection, for threads.

use core::time::Duration;
use std::fs;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use windows_sys::Win32::Foundation::ERROR_BROKEN_PIPE;

use super::Handles;
use crate::net::transport::pipe::event::{is, Event};
use crate::net::transport::pipe::{open, system};
use crate::net::transport::shm::bell::{Heard, PASSED_BYTES};
use crate::net::transport::shm::handover::{IncomingOffer, Message};

/// The longest time of sending an offer, for which a pipe has room.
const SEND_TIME: Duration = Duration::from_secs(1);

/// A pipe that was opened for overlapping reads and writes.
pub(crate) struct Line {
    pipe: fs::File,
    /// Events, of the end of a read and of the end of a write.
    came: Mutex<Event>,
    left: Mutex<Event>,
}

impl Line {
    pub(super) fn new(pipe: fs::File) -> io::Result<Self> {
        Ok(Self {
            pipe,
            came: Mutex::new(Event::new()?),
            left: Mutex::new(Event::new()?),
        })
    }

    /// Connects one.
    pub(crate) fn connect(place: &str, stall: Duration) -> io::Result<Self> {
        Self::new(open::open_waiting(place, stall)?)
    }

    /// The pipe, which carries the bytes itself.
    #[cfg(feature = "blocking")]
    pub(crate) fn into_plain(
        self,
        stall: Duration,
    ) -> io::Result<std::boxed::Box<dyn crate::net::transport::blocking::Socket>> {
        use crate::net::transport::pipe::thread::Stream;
        Ok(std::boxed::Box::new(Stream::new(self.pipe, stall)?))
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        Self::new(self.pipe.try_clone()?)
    }

    /// The process of the server, whose handles an answer has.
    pub(crate) fn handles(&self) -> Handles {
        Handles {
            pipe: self.pipe.try_clone(),
            process: system::server_process(&self.pipe),
        }
    }

    pub(crate) fn send(&self, message: &Message<'_>) -> io::Result<()> {
        let sent = locked(&self.left).write(&self.pipe, &message.bytes, Some(SEND_TIME))?;
        if sent < message.bytes.len() {
            return Err(io::ErrorKind::WriteZero.into());
        }
        Ok(())
    }

    /// Waits for an offer, but not beyond a time.
    pub(crate) fn arrive(&self, arriving: &mut IncomingOffer, late: Instant) -> io::Result<()> {
        let came = locked(&self.came);
        loop {
            let left = late.saturating_duration_since(Instant::now());
            let n = match came.read(&self.pipe, arriving.space(), Some(left)) {
                Err(end) if is(&end, ERROR_BROKEN_PIPE) => 0,
                read => read?,
            };
            if arriving.take(n)? {
                return Ok(());
            }
        }
    }

    /// Passes over what has come, without waiting for it. One thread looks for all.
    pub(crate) fn hear(&self) -> Heard {
        let Ok(came) = self.came.try_lock() else {
            return Heard::Nothing;
        };
        match came.read(&self.pipe, &mut [0; PASSED_BYTES], Some(Duration::ZERO)) {
            Ok(_) => Heard::Bytes,
            Err(late) if late.kind() == io::ErrorKind::TimedOut => Heard::Nothing,
            Err(_) => Heard::End,
        }
    }

    /// Sends a byte that wakes the peer, without waiting for room.
    pub(crate) fn notify(&self) {
        let _ = locked(&self.left).write(&self.pipe, &[0], Some(Duration::ZERO));
    }
}

fn locked(event: &Mutex<Event>) -> MutexGuard<'_, Event> {
    event.lock().unwrap_or_else(PoisonError::into_inner)
}
