//! The buffer that a connection reads into.

use core::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use crate::net::buffer::{Buffer, LEAST_BYTES, MOST_BYTES};

/// The size of the buffer that is read into while little comes.
pub(crate) const FEW_BYTES: usize = 512;

/// The least size of the buffer that is read into where more comes. It is never more than
/// [`MOST_BYTES`]: a frame that comes in one piece is not gathered from several, for
/// which it would be copied, and memory be asked for.
const MANY_BYTES: usize = 64 << 10;

/// Bytes that came, and which of them were not taken.
///
/// A long value is not copied out of them, but has a part in the buffer. Until it is
/// dropped something else is read into.
pub(crate) struct Input {
    buffer: Arc<Buffer>,
    /// The buffer that is read into again when its values are dropped.
    lent: Option<Arc<Buffer>>,
    /// The range that was not taken, and before its end all that came last.
    left: Range<usize>,
}

impl Input {
    pub(crate) fn new() -> Self {
        Self {
            buffer: Arc::new(Buffer::of_any(FEW_BYTES)),
            lent: None,
            left: 0..0,
        }
    }

    /// The bytes that were not taken.
    pub(crate) fn left(&self) -> &[u8] {
        &self.buffer[self.left.clone()]
    }

    /// Takes so many bytes.
    pub(crate) fn take(&mut self, n: usize) {
        self.left.start += n;
    }

    /// Where to read to, when all was taken.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        let free = |buffer: &mut Arc<Buffer>| Arc::get_mut(buffer).is_some();
        let is_full = self.left.end == self.buffer.len();
        if let Some(buffer) = self.lent.take_if(free) {
            self.become_of(buffer);
        } else if is_full && (self.buffer.len() < MOST_BYTES || !free(&mut self.buffer)) {
            // Much comes.
            let lent = self.lent.take();
            let n = lent.map_or(2 * self.buffer.len(), |buffer| buffer.len());
            let n = n.clamp(MANY_BYTES, MOST_BYTES);
            self.become_of(Arc::new(Buffer::of_any(n)));
        } else if !free(&mut self.buffer) {
            // Mostly nothing comes before the values are dropped.
            let few = Arc::new(Buffer::of_any(FEW_BYTES));
            self.lent = Some(core::mem::replace(&mut self.buffer, few));
            self.left = 0..0;
        }
        Arc::get_mut(&mut self.buffer).map_or(&mut [], |buffer| &mut buffer[..])
    }

    /// So many bytes were read.
    pub(crate) fn came(&mut self, n: usize) {
        self.left = 0..n;
    }

    /// A value as bytes that stay, whether it lies in the last read or elsewhere.
    #[inline]
    pub(crate) fn keep(&self, value: &[u8]) -> Bytes {
        if value.len() < LEAST_BYTES {
            return Bytes::copy_from_slice(value);
        }
        self.keep_long(value)
    }

    fn keep_long(&self, value: &[u8]) -> Bytes {
        let n = value.len();
        // It takes no more than twice its memory with it.
        if n < self.buffer.len() / 2 {
            return copied(value);
        }
        let at = (value.as_ptr() as usize).wrapping_sub(self.buffer.as_ptr() as usize);
        match at.checked_add(n) {
            Some(end) if end <= self.buffer.len() => {
                Bytes::from_owner(Part(Arc::clone(&self.buffer))).slice(at..end)
            }
            _ => copied(value),
        }
    }

    /// How much memory it has beyond the least.
    #[cfg(feature = "tokio")]
    pub(crate) fn held(&self) -> usize {
        let lent = self.lent.as_ref().map_or(0, |buffer| buffer.len());
        self.buffer.len() - FEW_BYTES.min(self.buffer.len()) + lent
    }

    /// Gives back the memory of bytes that were taken.
    #[cfg(feature = "tokio")]
    pub(crate) fn rest(&mut self) {
        if self.buffer.len() > FEW_BYTES && self.left.is_empty() {
            self.become_of(Arc::new(Buffer::of_any(FEW_BYTES)));
        }
        self.lent = None;
    }

    fn become_of(&mut self, buffer: Arc<Buffer>) {
        self.buffer = buffer;
        self.left = 0..0;
    }
}

/// A part of a read's buffer.
struct Part(Arc<Buffer>);

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// A long value that lies where it can't stay.
fn copied(value: &[u8]) -> Bytes {
    let mut buffer = Buffer::with_capacity(value.len());
    buffer.extend_from_slice(value);
    buffer.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads so many bytes of one kind.
    fn read(input: &mut Input, byte: u8, n: usize) -> Range<usize> {
        input.room()[..n].fill(byte);
        input.came(n);
        let at = input.left().as_ptr() as usize;
        input.take(n);
        at..at + n
    }

    /// An input that has come to read so much.
    fn grown(n: usize) -> Input {
        let mut input = Input::new();
        while input.room().len() < n {
            let n = input.room().len();
            read(&mut input, 0, n);
        }
        input
    }

    #[test]
    fn a_long_value_stays_where_it_is_until_it_is_dropped() {
        let mut input = grown(100_000);
        let whole = read(&mut input, 7, 112 << 10);
        let value = input.keep(&input.buffer[40..112 << 10]);
        assert_eq!(value.as_ptr() as usize, whole.start + 40);
        let few = read(&mut input, 8, FEW_BYTES - 1);
        assert!(!whole.contains(&few.start) && value.iter().all(|byte| *byte == 7));
        drop(value);
        assert_eq!(read(&mut input, 9, 100), whole.start..whole.start + 100);
    }

    #[test]
    fn while_a_value_is_held_much_is_read_elsewhere() {
        let mut input = grown(100_000);
        let whole = read(&mut input, 7, 112 << 10);
        let value = input.keep(&input.buffer[..112 << 10]);
        read(&mut input, 8, FEW_BYTES);
        assert_eq!(input.room().len(), 128 << 10);
        let other = read(&mut input, 8, 112 << 10);
        assert!(!whole.contains(&other.start) && value.iter().all(|byte| *byte == 7));
    }

    #[test]
    fn a_value_takes_no_more_than_twice_its_memory_with_it() {
        let mut input = grown(100_000);
        let whole = read(&mut input, 7, 112 << 10);
        for n in [10, LEAST_BYTES, (64 << 10) - 1] {
            let value = input.keep(&input.buffer[..n]);
            assert!(!whole.contains(&(value.as_ptr() as usize)), "{n}");
        }
        let elsewhere = std::vec![7; 112 << 10];
        assert_eq!(input.keep(&elsewhere), elsewhere[..]);
    }

    #[cfg(feature = "tokio")]
    #[test]
    fn what_rests_has_little() {
        let mut input = grown(100_000);
        read(&mut input, 7, 112 << 10);
        let value = input.keep(&input.buffer[..112 << 10]);
        input.room();
        input.rest();
        assert!(input.buffer.len() == FEW_BYTES && input.lent.is_none());
        assert!(value.iter().all(|byte| *byte == 7));
    }
}
