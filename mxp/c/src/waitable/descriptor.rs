//! Descriptors that are readable while there is something to take.

use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::time::Instant;

use rustix::event::{poll, PollFd, PollFlags, Timespec};

/// A descriptor: an eventfd on Linux, else a pipe.
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
        use rustix::io::{fcntl_setfd, ioctl_fionbio, FdFlags};
        let (reader, writer) = rustix::pipe::pipe()?;
        for end in [&reader, &writer] {
            fcntl_setfd(end, FdFlags::CLOEXEC)?;
            ioctl_fionbio(end, true)?;
        }
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

    /// Waits until it is readable, or a time has come. Returns whether there is time left.
    pub(crate) fn wait(&self, until: Option<Instant>) -> bool {
        let left = until.map(|time| time.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return false;
        }
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        let mut fds = [PollFd::from_borrowed_fd(self.reader.as_fd(), PollFlags::IN)];
        // An interrupted wait is one that found something: the queue is looked at again.
        let _ = poll(&mut fds, left.as_ref());
        true
    }
}
