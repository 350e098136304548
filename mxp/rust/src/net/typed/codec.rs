//! How values become bytes, and bytes values.

use core::fmt;
use std::string::String;
use std::vec::Vec;

use crate::engine::packed_values::PackedValues;
use crate::net::{Buffer, Failure};
use crate::session::Status;

/// Why a value can't be encoded, or bytes not be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    name: String,
    text: String,
}

impl Refusal {
    /// A codec's refusal, by the name of its kind, and with a text that names the refused value and
    /// its place.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }

    /// The failure of a request that is not sent.
    pub(crate) fn of_request(self) -> Failure {
        self.failure(Status::INVALID_ARGUMENT).refused()
    }

    /// The failure of an answer.
    pub(crate) fn of_response(self) -> Failure {
        self.failure(Status::INTERNAL)
    }

    /// The failure of a part of a stream that was opened here, or by the peer.
    pub(crate) fn of_part(self, is_mine: bool) -> Failure {
        self.failure(if is_mine {
            Status::DATA_LOSS
        } else {
            Status::INVALID_ARGUMENT
        })
    }

    /// The failure of a request that somebody may have acted on.
    fn failure(self, status: Status) -> Failure {
        Failure::new(status, self.name, self.text)
    }
}

/// A function that encodes a value behind others.
type Append<T> = fn(&T, &mut Vec<u8>) -> Result<(), Refusal>;

/// How values of a type become bytes in byte mode, and bytes values.
pub struct Codec<T> {
    encode: fn(&T) -> Result<Buffer, Refusal>,
    append: Option<Append<T>>,
    decode: fn(&[u8]) -> Result<T, Refusal>,
}

impl<T> Codec<T> {
    /// A codec, by its functions.
    #[must_use]
    pub const fn new(
        encode: fn(&T) -> Result<Buffer, Refusal>,
        decode: fn(&[u8]) -> Result<T, Refusal>,
    ) -> Self {
        Self {
            encode,
            append: None,
            decode,
        }
    }

    /// The same codec, which also encodes values behind others: of many that are sent at once,
    /// none needs memory of its own. After a refusal the vector is as long as it was, or longer.
    #[must_use]
    pub const fn appending(mut self, append: Append<T>) -> Self {
        self.append = Some(append);
        self
    }

    /// Encodes a value among others that go together. Returns false, and encodes nothing, if it
    /// is too long for that, or the codec can't.
    pub(crate) fn pull(&self, value: &T, pulled: &mut PackedValues) -> Result<bool, Refusal> {
        match self.append {
            Some(append) => pulled.append(|output| append(value, output)),
            None => Ok(false),
        }
    }

    /// Encodes a value.
    pub(crate) fn encode(&self, value: &T) -> Result<Buffer, Refusal> {
        (self.encode)(value)
    }

    /// Decodes a value.
    pub(crate) fn decode(&self, bytes: &[u8]) -> Result<T, Refusal> {
        (self.decode)(bytes)
    }

    /// Adds values to a vector, but not more than so many. Returns how many there were.
    pub(crate) fn decode_many<'a>(
        &self,
        chunks: impl ExactSizeIterator<Item = &'a [u8]>,
        values: &mut Vec<T>,
        most: usize,
    ) -> Result<usize, Refusal> {
        let before = values.len();
        values.reserve(chunks.len().min(most));
        for bytes in chunks.take(most) {
            values.push((self.decode)(bytes)?);
        }
        Ok(values.len() - before)
    }

    /// Encodes what the user asks for, which is then not sent if it can't be
    /// [MXP-13.7].
    pub(crate) fn encode_request(&self, value: &T) -> Result<Buffer, Failure> {
        (self.encode)(value).map_err(Refusal::of_request)
    }

    /// Decodes what a peer asks for. A failed decoding tells the peer that nobody has acted on the
    /// request [MXP-13.4].
    pub(crate) fn decode_request(&self, bytes: &[u8]) -> Result<T, Failure> {
        let decoded = (self.decode)(bytes);
        decoded.map_err(|refusal| refusal.failure(Status::INVALID_ARGUMENT).refused())
    }

    /// Encodes an answer, in whose place the peer is told why it can't be [MXP-13.7].
    pub(crate) fn encode_response(&self, value: &T) -> Result<Buffer, Failure> {
        (self.encode)(value).map_err(Refusal::of_response)
    }

    /// Encodes a value as one of a stream: behind others, or alone.
    pub(crate) fn encode_part(
        &self,
        value: &T,
        pulled: &mut PackedValues,
        was_long: &mut bool,
    ) -> Result<Option<Buffer>, Refusal> {
        // A value behind a long one is mostly long, too.
        if !*was_long && self.pull(value, pulled)? {
            return Ok(None);
        }
        let encoded = (self.encode)(value)?;
        *was_long = !pulled.push(&encoded);
        Ok(Some(encoded).filter(|_| *was_long))
    }

    /// Decodes an answer [MXP-13.5].
    pub(crate) fn decode_response(&self, bytes: &[u8]) -> Result<T, Failure> {
        (self.decode)(bytes).map_err(|refusal| refusal.failure(Status::DATA_LOSS))
    }
}

impl Codec<()> {
    /// No value at all.
    pub(crate) const NONE: Self = Self::new(|()| Ok(Buffer::default()), |_| Ok(()));
}

impl<T> Clone for Codec<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Codec<T> {}

impl<T> fmt::Debug for Codec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Codec").finish_non_exhaustive()
    }
}
