//! Writes encodings into vectors and slices.

use alloc::vec::Vec;

use crate::memory::{self, AsWire, Tail};
use crate::Fixed;

/// Where generated code writes a value. It notes that something can't be encoded
/// and goes on; what it is, a second look at the value tells.
pub struct Writer<'a> {
    tail: Tail<'a>,
    refused: bool,
}

/// The outcome of an encoding.
pub(crate) enum EncodeResult {
    /// All of it was written, and ends here.
    Whole(usize),
    /// The value has no encoding, or there was no room.
    Refused,
}

impl<'a> Writer<'a> {
    #[inline]
    pub(crate) fn of_vec(vec: &'a mut Vec<u8>) -> Self {
        Self {
            tail: Tail::of_vec(vec),
            refused: false,
        }
    }

    #[inline]
    pub(crate) fn of_slice(slice: &'a mut [u8]) -> Self {
        Self {
            tail: Tail::of_slice(slice),
            refused: false,
        }
    }

    #[inline]
    pub(crate) fn finish(self) -> EncodeResult {
        let end = self.tail.position();
        self.tail.finish();
        if self.refused {
            EncodeResult::Refused
        } else {
            EncodeResult::Whole(end)
        }
    }

    #[inline(always)]
    fn note(&mut self, is_done: bool) {
        if !is_done {
            self.refused = true;
        }
    }

    /// Enters an aggregate. It is false for one that is too deep to be encoded.
    #[inline(always)]
    #[must_use]
    pub fn enter(&mut self, depth: usize) -> bool {
        let shallow = depth <= crate::LIMIT_DEPTH;
        self.note(shallow);
        shallow
    }

    /// Writes a value of fixed size.
    #[inline(always)]
    pub fn put<T: Fixed>(&mut self, value: &T) {
        let done = self.tail.put(&value.sdp_bytes());
        self.note(done);
    }

    /// Writes an optional that is there, of fixed size.
    #[inline(always)]
    pub fn some<T: Fixed>(&mut self, value: &T) {
        let done = self.tail.put_with(&[1], memory::slice(&value.sdp_bytes()));
        self.note(done);
    }

    /// Writes a run of values of fixed size.
    #[inline(always)]
    pub fn run<const N: usize>(&mut self, run: [u8; N]) {
        let done = self.tail.put(&run);
        self.note(done);
    }

    /// Writes a length of `WIDTH` bytes, at most `max`, and bytes.
    #[inline(always)]
    pub fn bytes<const WIDTH: usize>(&mut self, bytes: &[u8], max: usize) {
        let n = bytes.len();
        let done = fits::<WIDTH>(n, max)
            && match WIDTH {
                1 => self.tail.put_with(&[low(n)[0]], bytes),
                2 => self.tail.put_with(&[low(n)[0], low(n)[1]], bytes),
                _ => self.tail.put_with(&low(n), bytes),
            };
        self.note(done);
    }

    /// Writes a length of `WIDTH` bytes, at most `max`, and a string.
    #[inline(always)]
    pub fn text<const WIDTH: usize>(&mut self, text: &str, max: usize) {
        self.bytes::<WIDTH>(text.as_bytes(), max);
    }

    /// Writes a count of `WIDTH` bytes, at most `max`.
    #[inline(always)]
    pub fn count<const WIDTH: usize>(&mut self, n: usize, max: usize) {
        let done = fits::<WIDTH>(n, max)
            && match WIDTH {
                1 => self.tail.put(&[low(n)[0]]),
                2 => self.tail.put(&[low(n)[0], low(n)[1]]),
                _ => self.tail.put(&low(n)),
            };
        self.note(done);
    }

    /// Writes elements of fixed size, without a count.
    #[inline]
    pub fn fixed<T: Fixed>(&mut self, items: &[T], depth: usize) {
        if T::LEVELS > 0 && !items.is_empty() && !self.enter(depth + T::LEVELS) {
            return;
        }
        T::sdp_put_list(items, self);
    }

    /// Writes elements of fixed size one by one.
    #[inline]
    pub fn each<T: Fixed>(&mut self, items: &[T]) {
        let done = self.tail.put_each(items, T::sdp_bytes);
        self.note(done);
    }

    /// Writes elements as they lie in memory.
    #[inline]
    pub fn as_wire<T>(&mut self, items: &[T], conversion: AsWire<T>) {
        let done = self.tail.put_as_wire(items, conversion);
        self.note(done);
    }

    /// Writes bytes as they are: a kept tail.
    #[inline]
    pub fn raw(&mut self, bytes: &[u8]) {
        let done = self.tail.put_with::<[u8; 0]>(&[], bytes);
        self.note(done);
    }

    /// Writes an unknown alternative of a union.
    #[inline]
    pub fn unknown(&mut self, tag: u8, payload: &[u8], tags: &[u8]) {
        self.note(crate::codec::check_unknown(tag, tags).is_ok());
        self.put(&tag);
        self.bytes::<4>(payload, usize::MAX);
    }

    /// Opens a window, whose length is written when it is closed.
    #[inline(always)]
    #[must_use]
    pub fn open(&mut self) -> usize {
        let done = self.tail.put(&[0; 4]);
        self.note(done);
        self.tail.position()
    }

    /// Closes the window that began at `start`.
    #[inline(always)]
    pub fn close(&mut self, start: usize) {
        let n = self.tail.position() - start;
        self.note(fits::<4>(n, usize::MAX));
        self.tail.patch(start.wrapping_sub(4), low(n));
    }
}

/// Reports whether a length is at most `max` and fits its width.
#[inline(always)]
fn fits<const WIDTH: usize>(n: usize, max: usize) -> bool {
    n <= max && n <= widest::<WIDTH>()
}

/// The largest length that fits a width.
#[inline(always)]
pub(crate) const fn widest<const WIDTH: usize>() -> usize {
    match WIDTH {
        1 => 0xff,
        2 => 0xffff,
        _ if usize::BITS > 32 => 0xffff_ffff,
        _ => usize::MAX,
    }
}

/// The low four bytes of a length.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "lengths are compared with their widths before"
)]
fn low(n: usize) -> [u8; 4] {
    (n as u32).to_le_bytes()
}
