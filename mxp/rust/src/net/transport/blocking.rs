//! Sockets whose reads and writes wait.

use core::time::Duration;
use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
#[cfg(unix)]
use std::os::unix::net::UnixStream;

/// A socket that can be told how long to wait, and that threads share: one of them reads
/// at a time, and one writes.
pub trait Socket: Send + Sync {
    /// Reads what has come, and waits for it. That nothing has come in time is the error
    /// `WouldBlock` or `TimedOut`.
    ///
    /// # Errors
    ///
    /// Why nothing was read.
    fn read(&self, room: &mut [u8]) -> io::Result<usize>;

    /// Writes as much as can be of pieces that follow each other, and waits until that is
    /// something.
    ///
    /// # Errors
    ///
    /// Why nothing was written.
    fn write(&self, pieces: &[IoSlice<'_>]) -> io::Result<usize>;

    /// Replaces how long a read waits: for ever without a time.
    ///
    /// # Errors
    ///
    /// Why it can't be.
    fn set_read_timeout(&self, time: Option<Duration>) -> io::Result<()>;

    /// Says whether reads wait at all.
    ///
    /// # Errors
    ///
    /// Why it can't be.
    fn set_nonblocking(&self, is: bool) -> io::Result<()>;
}

macro_rules! socket {
    ($of:ty) => {
        impl Socket for $of {
            fn read(&self, room: &mut [u8]) -> io::Result<usize> {
                Read::read(&mut &*self, room)
            }

            fn write(&self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
                match pieces {
                    [piece] => Write::write(&mut &*self, piece),
                    _ => Write::write_vectored(&mut &*self, pieces),
                }
            }

            fn set_read_timeout(&self, time: Option<Duration>) -> io::Result<()> {
                self.set_read_timeout(time)
            }

            fn set_nonblocking(&self, is: bool) -> io::Result<()> {
                self.set_nonblocking(is)
            }
        }
    };
}

#[cfg(unix)]
socket!(UnixStream);
socket!(TcpStream);
