//! The values of a batch [MXP-17.3].

use alloc::borrow::Cow;
use core::fmt;

use crate::session::ending::Fatal;
use crate::session::Kind;

/// Bytes of a record before its value.
pub(crate) const LENGTH_BYTES: usize = 2;

/// The values of a batch, as they lie in its payload. There is at least one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Records<'a> {
    count: usize,
    /// The records that are left, each behind its length. They were validated.
    data: &'a [u8],
}

impl<'a> Records<'a> {
    /// A number of records, which are the rest of a payload.
    pub(crate) const fn of(count: usize, data: &'a [u8]) -> Self {
        Self { count, data }
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none, which is never so.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many bytes they have together.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.data.len() - LENGTH_BYTES * self.count
    }

    /// The bytes in which they lie, each behind its length of 16 bits.
    #[must_use]
    pub const fn data(&self) -> &'a [u8] {
        self.data
    }

    /// The values, in their order.
    #[must_use]
    pub const fn iter(&self) -> Values<'a> {
        Values { left: *self }
    }
}

impl<'a> IntoIterator for Records<'a> {
    type Item = &'a [u8];
    type IntoIter = Values<'a>;

    fn into_iter(self) -> Values<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &Records<'a> {
    type Item = &'a [u8];
    type IntoIter = Values<'a>;

    fn into_iter(self) -> Values<'a> {
        self.iter()
    }
}

impl fmt::Debug for Records<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

/// The values of a batch, one after the other.
#[derive(Debug, Clone)]
pub struct Values<'a> {
    left: Records<'a>,
}

/// How much of some records may go together.
#[cfg(feature = "bytes")]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// How many values.
    pub(crate) values: u64,
    /// How many bytes they have together.
    pub(crate) bytes: u64,
    /// How many bytes one of them has at most.
    pub(crate) longest: u64,
    /// How many bytes they have with their lengths.
    pub(crate) payload: usize,
    /// Behind how many bytes, with lengths, no further value begins.
    pub(crate) begun: usize,
}

impl<'a> Values<'a> {
    /// The records that are left.
    #[must_use]
    pub const fn left(&self) -> Records<'a> {
        self.left
    }

    /// Takes as many from the front as there is room for. There may be none.
    #[cfg(feature = "bytes")]
    pub(crate) fn take_front(&mut self, room: Room) -> Records<'a> {
        let all = self.left;
        let mut lengths = 0;
        let mut bytes = 0;
        while lengths + bytes < room.begun && ((all.count - self.left.count) as u64) < room.values {
            let before = self.clone();
            let Some(value) = self.next() else {
                break;
            };
            let n = value.len();
            let payload = lengths + LENGTH_BYTES + bytes + n;
            if n as u64 > room.longest || (bytes + n) as u64 > room.bytes || payload > room.payload
            {
                *self = before;
                break;
            }
            lengths += LENGTH_BYTES;
            bytes += n;
        }
        let taken = all.data.len() - self.left.data.len();
        Records {
            count: all.count - self.left.count,
            data: &all.data[..taken],
        }
    }
}

impl<'a> Iterator for Values<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let left = &mut self.left;
        let (length, rest) = left.data.split_first_chunk()?;
        let (value, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
        left.count -= 1;
        left.data = rest;
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left.count, Some(self.left.count))
    }
}

impl ExactSizeIterator for Values<'_> {}

/// How many records fill these bytes.
pub(crate) fn count(mut data: &[u8]) -> Result<usize, Fatal> {
    let mut count = 0;
    while !data.is_empty() || count == 0 {
        let Some((length, rest)) = data.split_first_chunk() else {
            return Err(refused(sdp::Kind::Truncated));
        };
        let Some(rest) = rest.get(usize::from(u16::from_le_bytes(*length))..) else {
            return Err(refused(sdp::Kind::LengthExceedsInput));
        };
        count += 1;
        data = rest;
    }
    Ok(count)
}

/// The end of a session by a decoder's refusal [MXP-5.6].
const fn refused(kind: sdp::Kind) -> Fatal {
    Fatal {
        kind: Kind::Payload,
        text: Cow::Borrowed(kind.as_str()),
    }
}
