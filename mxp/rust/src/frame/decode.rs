//! Bytes to frames.

use crate::frame::header::{Parts, FLAGS_AT, LENGTH_AT, MAGIC, MAGIC_AT, RESERVED_AT, TYPE_AT};
use crate::frame::{
    hash, Checksum, DecodeOptions, Error, Flags, Frame, Header, Kind, Type, HEADER_BYTES,
    TRAILER_BYTES,
};

/// The header and the length of a frame, before the rest of it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FramePrefix {
    /// The header of the frame.
    pub header: Header,
    /// The length of the payload.
    pub payload_bytes: usize,
}

impl FramePrefix {
    /// The length of the frame.
    #[must_use]
    #[inline]
    pub const fn frame_bytes(&self) -> usize {
        HEADER_BYTES + self.payload_bytes + TRAILER_BYTES
    }
}

/// Refuses what begins otherwise than a header does, of which these bytes have come
/// [MXP-4.2].
pub(crate) fn begins(header: &[u8]) -> Result<(), Error> {
    let magic = MAGIC.to_le_bytes();
    let n = header.len().min(magic.len());
    if header[..n] == magic[..n] {
        return Ok(());
    }
    Err(Error::at(Kind::Magic, MAGIC_AT))
}

/// Looks at the header at the start of the input, and at nothing behind it
/// [MXP-3.4].
///
/// # Errors
///
/// Names the first check of the header that failed.
#[inline]
pub fn peek(input: &[u8], options: &DecodeOptions) -> Result<FramePrefix, Error> {
    let Some(bytes) = input.first_chunk::<HEADER_BYTES>() else {
        return Err(cut(input));
    };
    let parts = Parts::of(bytes);
    if parts.magic != MAGIC {
        return Err(Error::at(Kind::Magic, MAGIC_AT));
    }
    let Some(frame_type) = Type::from_number(parts.frame_type) else {
        return Err(Error::at(Kind::Type, TYPE_AT));
    };
    let Some(flags) = Flags::from_bits(parts.flags) else {
        return Err(Error::at(Kind::Flags, FLAGS_AT));
    };
    if parts.reserved != 0 {
        return Err(Error::at(Kind::Reserved, RESERVED_AT));
    }
    match usize::try_from(parts.length) {
        Ok(payload_bytes) if payload_bytes <= options.limit() => Ok(FramePrefix {
            header: Header {
                frame_type,
                flags,
                message_id: parts.message_id,
                trace_id: parts.trace_id,
            },
            payload_bytes,
        }),
        _ => Err(Error::at(Kind::TooLarge, LENGTH_AT)),
    }
}

/// Decodes one frame, which is all that the input has. The payload is the part
/// of the input that holds it.
///
/// # Errors
///
/// Names the first check that failed [MXP-3.1].
#[inline]
pub fn decode<'a>(input: &'a [u8], options: &DecodeOptions) -> Result<Frame<'a>, Error> {
    let (frame, used) = decode_prefix(input, options)?;
    if used < input.len() {
        return Err(Error::at(Kind::Trailing, used));
    }
    Ok(frame)
}

/// Decodes the frame at the start of the input, and returns it and how many bytes it has. Bytes
/// behind it are not looked at.
///
/// # Errors
///
/// Names the first check that failed [MXP-3.1].
#[inline]
pub fn decode_prefix<'a>(
    input: &'a [u8],
    options: &DecodeOptions,
) -> Result<(Frame<'a>, usize), Error> {
    let peeked = peek(input, options)?;
    let Some(bytes) = input.get(..peeked.frame_bytes()) else {
        return Err(cut(input));
    };
    check(bytes, &peeked, options)?;
    Ok((open(bytes, &peeked), bytes.len()))
}

/// Checks the trailer of a frame, whose bytes these are, if that is to be checked.
#[inline]
pub(crate) fn check(
    bytes: &[u8],
    peeked: &FramePrefix,
    options: &DecodeOptions,
) -> Result<(), Error> {
    let (hashed, trailer) = bytes.split_at(HEADER_BYTES + peeked.payload_bytes);
    if options.checksum() == Checksum::On && trailer != hash::of(hashed).to_le_bytes() {
        return Err(Error::at(Kind::Checksum, hashed.len()));
    }
    Ok(())
}

/// The frame whose bytes these are.
#[inline]
pub(crate) fn open<'a>(bytes: &'a [u8], peeked: &FramePrefix) -> Frame<'a> {
    Frame {
        header: peeked.header,
        payload: &bytes[HEADER_BYTES..][..peeked.payload_bytes],
    }
}

/// The refusal of a frame of which only these bytes are there.
#[cold]
pub(crate) const fn cut(bytes: &[u8]) -> Error {
    Error::at(Kind::Truncated, bytes.len())
}
