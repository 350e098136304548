//! Memory for long values, which is used again.

use core::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};
use std::vec;
use std::vec::Vec;

use bytes::Bytes;

use crate::session::Value;

/// From how many bytes on memory is kept. The allocator has less at hand anyway.
pub(crate) const LEAST_BYTES: usize = 16 << 10;

/// Up to how many bytes memory is kept.
pub(crate) const MOST_BYTES: usize = 256 << 10;

/// How many pieces of memory are kept at most, by the whole program.
const SPARES: usize = 4;

static SPARE: Mutex<Spare> = Mutex::new(Spare(Vec::new()));

/// Memory that nobody uses.
struct Spare(Vec<Vec<u8>>);

impl Spare {
    /// Runs a function on the program's spare memory.
    fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        // Nothing panics while it holds this.
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut spare)
    }

    /// Memory for at least so many bytes.
    fn find(&mut self, n: usize) -> Option<Vec<u8>> {
        let at = self.0.iter().position(|bytes| bytes.capacity() >= n)?;
        Some(self.0.swap_remove(at))
    }

    /// Keeps memory, or gives it back to the caller.
    fn keep(&mut self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        let is_fit = (LEAST_BYTES..=MOST_BYTES).contains(&bytes.capacity());
        if !is_fit || self.0.len() >= SPARES {
            return Some(bytes);
        }
        self.0.push(bytes);
        None
    }
}

/// Gives back the memory that nobody uses.
#[cfg(feature = "tokio")]
pub(crate) fn rest() {
    let freed = Spare::with(|spare| core::mem::take(&mut spare.0));
    drop(freed);
}

/// Bytes to encode a long value into: mostly in memory that an earlier one has left.
/// When the value was sent, its memory is kept for the next.
///
/// An allocator may give memory of 100 KB back to the system whenever it is freed, and
/// take it page by page from there again, which costs more than a call does. A program
/// keeps at most 1 MiB so, and nothing where its connections have nothing to do.
///
/// ```
/// use mxp::net::{Buffer, Reply};
///
/// let mut buffer = Buffer::with_capacity(100);
/// buffer.extend_from_slice(b"a long value");
/// assert_eq!(Reply::new(buffer).value, b"a long value"[..]);
/// ```
#[derive(Debug, Default)]
pub struct Buffer(Vec<u8>);

impl Buffer {
    /// A buffer without bytes that has room for so many.
    #[must_use]
    #[inline]
    pub fn with_capacity(n: usize) -> Self {
        let Some(mut bytes) = Self::found(n) else {
            return Self(Vec::with_capacity(n));
        };
        bytes.clear();
        Self(bytes)
    }

    /// A buffer of so many bytes, with any contents.
    pub(crate) fn of_any(n: usize) -> Self {
        let Some(mut bytes) = Self::found(n) else {
            return Self(vec![0; n]);
        };
        bytes.resize(n, 0);
        Self(bytes)
    }

    #[inline]
    fn found(n: usize) -> Option<Vec<u8>> {
        if n < LEAST_BYTES {
            return None;
        }
        Spare::with(|spare| spare.find(n))
    }
}

impl Drop for Buffer {
    #[inline]
    fn drop(&mut self) {
        if self.0.capacity() >= LEAST_BYTES {
            let bytes = core::mem::take(&mut self.0);
            // Memory that is not kept is freed when nobody has to wait for it.
            let freed = Spare::with(|spare| spare.keep(bytes));
            drop(freed);
        }
    }
}

impl Deref for Buffer {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Buffer> for Bytes {
    #[inline]
    fn from(mut buffer: Buffer) -> Self {
        if buffer.0.capacity() < LEAST_BYTES {
            return core::mem::take(&mut buffer.0).into();
        }
        Self::from_owner(buffer)
    }
}

impl From<Buffer> for Value<'_> {
    fn from(mut buffer: Buffer) -> Self {
        if buffer.0.capacity() < LEAST_BYTES {
            return Self::Vec(core::mem::take(&mut buffer.0));
        }
        Self::Bytes(buffer.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_keeps_a_mebibyte() {
        let mut spare = Spare(Vec::new());
        for n in [LEAST_BYTES - 1, MOST_BYTES + 1] {
            assert!(spare.keep(Vec::with_capacity(n)).is_some());
        }
        for _ in 0..SPARES {
            assert!(spare.keep(Vec::with_capacity(MOST_BYTES)).is_none());
        }
        assert!(spare.keep(Vec::with_capacity(MOST_BYTES)).is_some());
        assert_eq!(SPARES * MOST_BYTES, 1 << 20);
    }

    #[test]
    fn memory_is_found_by_its_length() {
        let mut spare = Spare(Vec::new());
        for n in [LEAST_BYTES, 3 * LEAST_BYTES] {
            assert!(spare.keep(Vec::with_capacity(n)).is_none());
        }
        assert!(spare.find(4 * LEAST_BYTES).is_none());
        let found = spare.find(2 * LEAST_BYTES);
        assert!(found.is_some_and(|bytes| bytes.capacity() >= 3 * LEAST_BYTES));
        assert!(spare.find(0).is_some() && spare.find(0).is_none());
    }
}
