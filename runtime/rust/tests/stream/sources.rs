//! Sources and sinks that do what real ones may.

use std::io::{self, ErrorKind, Read, Write};

/// Passes one byte at a time and is interrupted before each.
pub(crate) struct Trickle<T> {
    pub(crate) inner: T,
    pub(crate) rested: bool,
}

impl<T> Trickle<T> {
    pub(crate) const fn new(inner: T) -> Self {
        Self {
            inner,
            rested: false,
        }
    }

    fn interrupt(&mut self) -> io::Result<()> {
        self.rested = !self.rested;
        if self.rested {
            return Err(ErrorKind::Interrupted.into());
        }
        Ok(())
    }
}

impl<T: Read> Read for Trickle<T> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.interrupt()?;
        let one = out.len().min(1);
        self.inner.read(&mut out[..one])
    }
}

impl<T: Write> Write for Trickle<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.interrupt()?;
        self.inner.write(&bytes[..bytes.len().min(1)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Passes so many bytes and then fails, for good.
pub(crate) struct Failing(pub(crate) usize);

impl Failing {
    fn pass(&mut self, n: usize) -> io::Result<usize> {
        let n = n.min(self.0);
        self.0 -= n;
        if n == 0 {
            return Err(io::Error::new(ErrorKind::ConnectionReset, "unplugged"));
        }
        Ok(n)
    }
}

impl Read for Failing {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.pass(out.len())?;
        let message = crate::package::message(7, &[1; 100]);
        out[..n].copy_from_slice(&message[..n]);
        Ok(n)
    }
}

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pass(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass(1).map(drop)
    }
}

/// Takes nothing, and says so.
pub(crate) struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
