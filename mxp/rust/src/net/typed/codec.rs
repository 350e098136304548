//! How values become bytes, and bytes values.

use core::fmt;
use std::string::String;

use crate::net::{Buffer, Failure};
use crate::session::Status;

/// Why a value can't be encoded, or bytes not be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    name: String,
    text: String,
}

impl Refusal {
    /// A refusal of a codec's, by the name of its kind, and with a text that says what
    /// was refused and where.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }

    /// The failure of a request that somebody may have acted on.
    pub(crate) fn failure(self, status: Status) -> Failure {
        Failure::new(status, self.name, self.text)
    }
}

/// How values of a type become bytes in byte mode, and bytes values.
pub struct Codec<T> {
    encode: fn(&T) -> Result<Buffer, Refusal>,
    decode: fn(&[u8]) -> Result<T, Refusal>,
}

impl<T> Codec<T> {
    /// A codec, by its functions.
    #[must_use]
    pub const fn new(
        encode: fn(&T) -> Result<Buffer, Refusal>,
        decode: fn(&[u8]) -> Result<T, Refusal>,
    ) -> Self {
        Self { encode, decode }
    }

    /// Encodes what the user asks for, which is then not sent if it can't be
    /// [MXP-13.7].
    pub(crate) fn encode_request(&self, value: &T) -> Result<Buffer, Failure> {
        let encoded = (self.encode)(value);
        encoded.map_err(|refusal| refusal.failure(Status::INVALID_ARGUMENT).refused())
    }

    /// Decodes what a peer asks for. Nobody has acted on what can't be [MXP-13.4].
    pub(crate) fn decode_request(&self, bytes: &[u8]) -> Result<T, Failure> {
        let decoded = (self.decode)(bytes);
        decoded.map_err(|refusal| refusal.failure(Status::INVALID_ARGUMENT).refused())
    }

    /// Decodes what a peer asks for on a stream, which is open already.
    pub(crate) fn decode_chunk(&self, bytes: &[u8]) -> Result<T, Failure> {
        (self.decode)(bytes).map_err(|refusal| refusal.failure(Status::INVALID_ARGUMENT))
    }

    /// Encodes an answer, in whose place the peer is told why it can't be [MXP-13.7].
    pub(crate) fn encode_response(&self, value: &T) -> Result<Buffer, Failure> {
        let encoded = (self.encode)(value);
        encoded.map_err(|refusal| refusal.failure(Status::INTERNAL))
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
