//! The chunks that came on a stream.

use std::collections::VecDeque;
use std::vec::Vec;

/// From how many bytes on a value has memory of its own.
const LONG_BYTES: usize = 256;

/// How much memory for short values is kept while there are none.
const SPARE_BYTES: usize = 128 << 10;

/// Values of chunks, with the number of each that requires an acknowledgement. Short ones
/// lie one behind the other until they are taken: memory for one after the other costs
/// less than for many at once.
#[derive(Default)]
pub(crate) struct Inbox {
    chunks: VecDeque<(usize, Option<u64>)>,
    short: Vec<u8>,
    /// Where the first short one begins.
    at: usize,
    long: VecDeque<Vec<u8>>,
}

impl Inbox {
    #[cfg(any(test, feature = "tokio"))]
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    pub(crate) fn push(&mut self, value: &[u8], ack: Option<u64>) {
        if value.len() < LONG_BYTES {
            self.short.extend_from_slice(value);
        } else {
            self.long.push_back(value.to_vec());
        }
        self.chunks.push_back((value.len(), ack));
    }

    pub(crate) fn pop(&mut self) -> Option<(Vec<u8>, Option<u64>)> {
        let (n, ack) = self.chunks.pop_front()?;
        if n >= LONG_BYTES {
            return Some((self.long.pop_front()?, ack));
        }
        let value = self.short.get(self.at..)?.get(..n)?.to_vec();
        self.at += n;
        if self.at == self.short.len() {
            self.short.clear();
            self.short.shrink_to(SPARE_BYTES);
            self.at = 0;
        }
        Some((value, ack))
    }

    /// Moves what another has behind what this has.
    #[cfg(any(test, feature = "tokio"))]
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.short.extend_from_slice(&other.short[other.at..]);
        self.chunks.append(&mut other.chunks);
        self.long.append(&mut other.long);
        *other = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_out_as_they_went_in() {
        let value = |i: usize| std::vec![u8::try_from(i % 251).unwrap(); i * 100 % 901];
        let (mut first, mut second) = (Inbox::default(), Inbox::default());
        for i in 0..40 {
            first.push(&value(i), None);
            second.push(&value(40 + i), Some(i as u64));
        }
        for i in 0..20 {
            assert_eq!(first.pop(), Some((value(i), None)));
            assert_eq!(second.pop(), Some((value(40 + i), Some(i as u64))));
        }
        first.append(&mut second);
        assert!(second.is_empty());
        for i in (20..40).chain(60..80) {
            assert_eq!(first.pop().map(|(value, _)| value), Some(value(i)));
        }
        assert_eq!(first.pop(), None);
        assert!(first.is_empty() && first.short.capacity() <= SPARE_BYTES);
    }
}
