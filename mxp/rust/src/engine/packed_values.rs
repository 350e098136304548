//! Values that were taken from where they are from, and wait to be sent together.

use alloc::vec::Vec;

use crate::session::{Records, Values, BATCHED_BYTES};

/// How many bytes of values are taken before they are sent.
const PULLED_BYTES: usize = 16 << 10;

/// The bytes of a value's length before it.
const LENGTH_BYTES: usize = 2;

/// Short values, each behind its length, as they lie in a batch. They are put together before the
/// connection is locked, since the program that makes them may use the connection, or panic.
#[derive(Debug, Default)]
pub(crate) struct PackedValues {
    data: Vec<u8>,
    /// Where the first begins that was not sent.
    at: usize,
    left: usize,
}

impl PackedValues {
    pub(crate) const fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Whether there are enough to be sent.
    pub(crate) fn is_full(&self) -> bool {
        self.data.len() >= PULLED_BYTES
    }

    /// How many bytes the first has.
    pub(crate) fn first_bytes(&self) -> usize {
        self.values().next().map_or(0, <[u8]>::len)
    }

    /// The values that were not sent.
    pub(crate) fn values(&self) -> Values<'_> {
        let data = self.data.get(self.at..).unwrap_or_default();
        Records::of(self.left, data).iter()
    }

    /// Takes the first that was not sent.
    pub(crate) fn pop(&mut self) -> Option<Vec<u8>> {
        let (_, first) = self.take(|values| values.next().map(<[u8]>::to_vec));
        first
    }

    /// Lets a function take some from the front. Returns the number of values it has taken, and its
    /// result.
    pub(crate) fn take<R>(&mut self, take: impl FnOnce(&mut Values<'_>) -> R) -> (usize, R) {
        let mut values = self.values();
        let result = take(&mut values);
        let left = values.left();
        let (left, bytes) = (left.len(), left.data().len());
        let taken = self.left - left;
        self.left = left;
        self.at = self.data.len() - bytes;
        if left == 0 {
            self.data.clear();
            self.at = 0;
        }
        (taken, result)
    }

    /// Adds a value that a function appends. Returns false, and adds nothing, if it is too long
    /// to go with others.
    #[inline]
    pub(crate) fn append<E>(
        &mut self,
        append: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<bool, E> {
        let start = self.data.len();
        self.data.extend_from_slice(&[0; LENGTH_BYTES]);
        let appended = append(&mut self.data);
        let n = self.data.len().saturating_sub(start + LENGTH_BYTES);
        let place = self.data.get_mut(start..start + LENGTH_BYTES);
        match (appended, place, u16::try_from(n)) {
            (Ok(()), Some(place), Ok(length)) if n <= BATCHED_BYTES => {
                place.copy_from_slice(&length.to_le_bytes());
                self.left += 1;
                Ok(true)
            }
            (appended, ..) => {
                self.data.truncate(start);
                appended.map(|()| false)
            }
        }
    }

    /// Adds a value, if it is not too long to go with others.
    #[inline]
    pub(crate) fn push(&mut self, value: &[u8]) -> bool {
        if value.len() > BATCHED_BYTES {
            return false;
        }
        let pushed = self.append(|output| {
            output.extend_from_slice(value);
            Ok::<_, ()>(())
        });
        pushed == Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_sent_is_kept() {
        let mut pulled = PackedValues::default();
        assert!(pulled.push(&[1; 3]) && pulled.push(&[]) && pulled.push(&[2; BATCHED_BYTES]));
        assert!(!pulled.push(&[3; BATCHED_BYTES + 1]));
        assert_eq!(pulled.append(|_| Err("no")), Err("no"));
        let (taken, is_first) = pulled.take(|values| values.next() == Some(&[1; 3][..]));
        assert!(taken == 1 && is_first);
        assert_eq!(pulled.first_bytes(), 0);
        let values: Vec<_> = pulled.values().collect();
        assert_eq!(values, [&[][..], &[2; BATCHED_BYTES]]);
        let (taken, last) = pulled.take(|values| values.map(<[u8]>::len).last());
        assert_eq!((taken, last), (2, Some(BATCHED_BYTES)));
        assert!(pulled.is_empty() && pulled.push(&[4]) && pulled.first_bytes() == 1);
    }
}
