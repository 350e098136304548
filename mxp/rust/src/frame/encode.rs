//! Frames to bytes.

use alloc::vec::Vec;

use crate::frame::header::{self, LENGTH_AT};
use crate::frame::{
    hash, Checksum, Error, Frame, Header, Kind, HEADER_BYTES, PAYLOAD_BYTES, TRAILER_BYTES,
};

/// The header and the trailer of a payload that lies elsewhere, so that the three
/// are a frame. With `std`, [`Write::write_vectored`] takes them together.
///
/// [`Write::write_vectored`]: https://doc.rust-lang.org/std/io/trait.Write.html#method.write_vectored
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Envelope {
    /// Goes before the payload.
    pub header: [u8; HEADER_BYTES],
    /// Goes behind the payload.
    pub trailer: [u8; TRAILER_BYTES],
}

impl Header {
    /// Makes what goes before and behind a payload, which isn't copied.
    ///
    /// ```
    /// use mxp::frame::{Checksum, Frame, Header, Type};
    ///
    /// let header = Header::new(Type::Event);
    /// let sealed = header.seal(b"door opened", Checksum::On)?;
    /// let bytes = [&sealed.header[..], b"door opened", &sealed.trailer].concat();
    /// let frame = Frame { header, payload: b"door opened" };
    /// assert_eq!(bytes, frame.encode_to_vec(Checksum::On)?);
    /// # Ok::<(), mxp::frame::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Kind::TooLarge`] for a payload of more than 16 MiB.
    #[inline]
    pub fn seal(&self, payload: &[u8], checksum: Checksum) -> Result<Envelope, Error> {
        self.seal_pieces(&[payload], checksum)
    }

    /// Makes what goes before and behind a payload that lies in pieces.
    ///
    /// # Errors
    ///
    /// [`Kind::TooLarge`] for a payload of more than 16 MiB.
    #[inline]
    pub fn seal_pieces(&self, pieces: &[&[u8]], checksum: Checksum) -> Result<Envelope, Error> {
        // Pieces can be one memory many times: their sum can be any number.
        let lengths = pieces.iter().map(|piece| piece.len());
        let n = lengths.fold(0, usize::saturating_add);
        check_length(n)?;
        let header = self.bytes(n);
        let trailer = match checksum {
            Checksum::On => hash::of_parts(self.words(n), pieces, n).to_le_bytes(),
            Checksum::Off => [0; TRAILER_BYTES],
        };
        Ok(Envelope { header, trailer })
    }
}

impl Frame<'_> {
    /// How many bytes the frame has.
    #[must_use]
    #[inline]
    pub const fn encoded_bytes(&self) -> usize {
        HEADER_BYTES + self.payload.len() + TRAILER_BYTES
    }

    /// Encodes the frame at the start of a buffer, and returns how many bytes it
    /// has. A frame that is refused leaves the buffer as it was.
    ///
    /// # Errors
    ///
    /// [`Kind::TooLarge`] for a payload of more than 16 MiB, and
    /// [`Kind::BufferTooSmall`] for a buffer that is too short [MXP-2.3].
    #[inline]
    pub fn encode_to_slice(&self, output: &mut [u8], checksum: Checksum) -> Result<usize, Error> {
        let n = self.payload.len();
        check_length(n)?;
        let size = self.encoded_bytes();
        let Some(output) = output.get_mut(..size) else {
            return Err(Error::new(Kind::BufferTooSmall));
        };
        let (hashed, trailer) = output.split_at_mut(HEADER_BYTES + n);
        let (start, payload) = hashed.split_at_mut(HEADER_BYTES);
        header::put(self.header.words(n), start);
        payload.copy_from_slice(self.payload);
        trailer.copy_from_slice(&trailer_of(hashed, checksum));
        Ok(size)
    }

    /// Appends the frame. A refused frame leaves `output` as it was.
    ///
    /// # Errors
    ///
    /// [`Kind::TooLarge`] for a payload of more than 16 MiB.
    #[inline]
    pub fn append(&self, output: &mut Vec<u8>, checksum: Checksum) -> Result<(), Error> {
        let n = self.payload.len();
        check_length(n)?;
        let start = output.len();
        output.reserve(self.encoded_bytes());
        output.extend_from_slice(&self.header.bytes(n));
        output.extend_from_slice(self.payload);
        let trailer = trailer_of(&output[start..], checksum);
        output.extend_from_slice(&trailer);
        Ok(())
    }

    /// Encodes the frame into memory of its own.
    ///
    /// # Errors
    ///
    /// [`Kind::TooLarge`] for a payload of more than 16 MiB.
    pub fn encode_to_vec(&self, checksum: Checksum) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        check_length(self.payload.len())?;
        out.reserve_exact(self.encoded_bytes());
        self.append(&mut out, checksum)?;
        Ok(out)
    }
}

/// Refuses a payload that no decoder would take [MXP-2.1].
#[inline]
const fn check_length(n: usize) -> Result<(), Error> {
    if n > PAYLOAD_BYTES {
        return Err(Error::at(Kind::TooLarge, LENGTH_AT));
    }
    Ok(())
}

/// The trailer of a header and a payload that lie together.
#[inline]
fn trailer_of(hashed: &[u8], checksum: Checksum) -> [u8; TRAILER_BYTES] {
    match checksum {
        Checksum::On => hash::of(hashed).to_le_bytes(),
        Checksum::Off => [0; TRAILER_BYTES],
    }
}
