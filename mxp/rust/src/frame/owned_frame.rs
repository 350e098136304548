//! Frames that own what they were decoded from.

use bytes::{Buf as _, Bytes};

use crate::frame::{decode, DecodeOptions, Error, Frame, Header, HEADER_BYTES, TRAILER_BYTES};

/// A frame and the bytes that it was decoded from: it has no lifetime, so that it
/// can be stored and sent to another thread, and its payload isn't copied.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OwnedFrame {
    header: Header,
    bytes: Bytes,
}

/// Decodes one frame, which is all that the bytes have, and keeps them. That
/// allocates nothing.
///
/// # Errors
///
/// Names the first check that failed [MXP-3.1].
pub fn decode_bytes(bytes: Bytes, options: &DecodeOptions) -> Result<OwnedFrame, Error> {
    let header = decode(&bytes, options)?.header;
    Ok(OwnedFrame { header, bytes })
}

impl OwnedFrame {
    /// The header of the frame.
    #[must_use]
    pub const fn header(&self) -> Header {
        self.header
    }

    /// The payload.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        &self.bytes[HEADER_BYTES..self.bytes.len() - TRAILER_BYTES]
    }

    /// The frame, which borrows from this one.
    #[must_use]
    pub fn as_frame(&self) -> Frame<'_> {
        Frame {
            header: self.header,
            payload: self.payload(),
        }
    }

    /// The bytes of the frame.
    #[must_use]
    pub const fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Gives the payload as a part of the bytes, which are not copied.
    #[must_use]
    pub fn into_payload(mut self) -> Bytes {
        self.bytes.truncate(self.bytes.len() - TRAILER_BYTES);
        self.bytes.advance(HEADER_BYTES);
        self.bytes
    }
}
