//! Descriptors that are readable while there is something to take.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};

/// A descriptor: an eventfd on Linux, else one of a pair of sockets.
pub(crate) struct Waitable {
    reader: OwnedFd,
    #[cfg(not(target_os = "linux"))]
    writer: OwnedFd,
}

impl Waitable {
    /// A descriptor that is not readable.
    #[cfg(target_os = "linux")]
    pub(crate) fn new() -> io::Result<Self> {
        use rustix::event::{eventfd, EventfdFlags};
        let reader = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { reader })
    }

    /// A descriptor that is not readable.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn new() -> io::Result<Self> {
        let (reader, writer) = std::os::unix::net::UnixStream::pair()?;
        reader.set_nonblocking(true)?;
        writer.set_nonblocking(true)?;
        let (reader, writer) = (reader.into(), writer.into());
        Ok(Self { reader, writer })
    }

    /// Its number.
    pub(crate) fn number(&self) -> isize {
        self.reader.as_raw_fd() as isize
    }

    /// Makes it readable.
    pub(crate) fn set(&self) {
        #[cfg(target_os = "linux")]
        let _ = rustix::io::write(&self.reader, &1_u64.to_ne_bytes());
        #[cfg(not(target_os = "linux"))]
        let _ = rustix::io::write(&self.writer, &[1]);
    }

    /// Makes it not readable.
    pub(crate) fn clear(&self) {
        let _ = rustix::io::read(&self.reader, &mut [0; 8]);
    }
}
