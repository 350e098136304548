//! A frame and its header.

use crate::frame::{Flags, Type};

/// Bytes of a header.
pub const HEADER_BYTES: usize = 32;

/// Bytes of a trailer.
pub const TRAILER_BYTES: usize = 8;

/// The first four bytes: the number `0x4D585031`, little-endian.
pub(crate) const MAGIC: u32 = 0x4d58_5031;

// The places of the header's parts [MXP-1.2].
pub(crate) const MAGIC_AT: usize = 0;
pub(crate) const TYPE_AT: usize = 4;
pub(crate) const FLAGS_AT: usize = 5;
pub(crate) const RESERVED_AT: usize = 6;
const MESSAGE_ID_AT: usize = 8;
const TRACE_ID_AT: usize = 16;
pub(crate) const LENGTH_AT: usize = 24;

/// The type, the flags and the ids of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Header {
    /// The type of the frame.
    pub frame_type: Type,
    /// The flags of the frame.
    pub flags: Flags,
    /// The message that the frame is, or belongs to.
    pub message_id: u64,
    /// The trace that the message belongs to.
    pub trace_id: u64,
}

impl Header {
    /// A header without flags and ids.
    ///
    /// ```
    /// use mxp::frame::{Header, Type};
    ///
    /// let header = Header { message_id: 7, ..Header::new(Type::Ping) };
    /// assert_eq!(header.trace_id, 0);
    /// ```
    #[must_use]
    pub const fn new(frame_type: Type) -> Self {
        Self {
            frame_type,
            flags: Flags::NONE,
            message_id: 0,
            trace_id: 0,
        }
    }

    /// The header of a payload of `n` bytes, as four numbers of eight bytes each.
    #[inline]
    pub(crate) fn words(&self, n: usize) -> [u64; 4] {
        let kind = u64::from(self.frame_type.number()) << (8 * TYPE_AT);
        let flags = u64::from(self.flags.bits()) << (8 * FLAGS_AT);
        let start = u64::from(MAGIC) | kind | flags;
        [start, self.message_id, self.trace_id, n as u64]
    }

    /// The bytes of the header of a payload of `n` bytes.
    #[inline]
    pub(crate) fn bytes(&self, n: usize) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        put(self.words(n), &mut bytes);
        bytes
    }
}

/// Writes a header by whole words: a hash that reads these at once would wait for
/// the parts of them, for 5 ns.
#[inline]
pub(crate) fn put(words: [u64; 4], output: &mut [u8]) {
    for (place, word) in output.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
}

/// A frame, whose payload lies elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame<'a> {
    /// The header of the frame.
    pub header: Header,
    /// The payload.
    pub payload: &'a [u8],
}

/// The numbers that lie in a header, unchecked.
pub(crate) struct Parts {
    pub(crate) magic: u32,
    pub(crate) frame_type: u8,
    pub(crate) flags: u8,
    pub(crate) reserved: u16,
    pub(crate) message_id: u64,
    pub(crate) trace_id: u64,
    pub(crate) length: u64,
}

impl Parts {
    #[inline]
    pub(crate) fn of(bytes: &[u8; HEADER_BYTES]) -> Self {
        Self {
            magic: u32::from_le_bytes(part(bytes, MAGIC_AT)),
            frame_type: bytes[TYPE_AT],
            flags: bytes[FLAGS_AT],
            reserved: u16::from_le_bytes(part(bytes, RESERVED_AT)),
            message_id: u64::from_le_bytes(part(bytes, MESSAGE_ID_AT)),
            trace_id: u64::from_le_bytes(part(bytes, TRACE_ID_AT)),
            length: u64::from_le_bytes(part(bytes, LENGTH_AT)),
        }
    }
}

/// The bytes at a place of the header, which has them.
#[inline]
fn part<const N: usize>(bytes: &[u8; HEADER_BYTES], position: usize) -> [u8; N] {
    let mut part = [0; N];
    part.copy_from_slice(&bytes[position..position + N]);
    part
}
