//! Encodings in files, sockets and all other readers and writers.

use alloc::vec::Vec;
use std::io::{self, Read, Write};

use crate::codec::{decode, encode_to_vec, Decode, Encode};
use crate::DecodeOptions;

/// Writes values to sinks. Every generated type has it.
pub trait WriteTo {
    /// Writes the encoding, all of it at once.
    ///
    /// # Errors
    ///
    /// The sink's error; then a part of the encoding may have been written.
    /// A value that cannot be encoded writes nothing and is
    /// [`InvalidData`](io::ErrorKind::InvalidData) that holds an
    /// [`Error`](crate::Error).
    fn write_to<W: Write + ?Sized>(&self, sink: &mut W) -> io::Result<()>;
}

impl<T: Encode> WriteTo for T {
    fn write_to<W: Write + ?Sized>(&self, sink: &mut W) -> io::Result<()> {
        sink.write_all(&encode_to_vec(self)?)
    }
}

/// Reads values from sources. Every generated type has it that owns what it
/// holds.
pub trait ReadFrom: Sized {
    /// Reads all that the source has, as one value. Of a source without end it
    /// reads no more than the limit of a message and one byte.
    ///
    /// # Errors
    ///
    /// The source's error. A refusal is
    /// [`InvalidData`](io::ErrorKind::InvalidData) that holds an
    /// [`Error`](crate::Error).
    fn read_from<R: Read + ?Sized>(source: &mut R) -> io::Result<Self> {
        Self::read_from_with(source, &DecodeOptions::new())
    }

    /// Reads all that the source has, decoding by options.
    ///
    /// # Errors
    ///
    /// The errors of [`read_from`](Self::read_from).
    fn read_from_with<R: Read + ?Sized>(
        source: &mut R,
        options: &DecodeOptions,
    ) -> io::Result<Self>;
}

impl<T: for<'a> Decode<'a>> ReadFrom for T {
    fn read_from_with<R: Read + ?Sized>(
        source: &mut R,
        options: &DecodeOptions,
    ) -> io::Result<Self> {
        // Decoding refuses the byte over the limit.
        let most = (options.limits.message_bytes as u64).saturating_add(1);
        let mut bytes = Vec::new();
        source.take(most).read_to_end(&mut bytes)?;
        Ok(decode(&bytes, options)?)
    }
}
