//! The names of the cases.

/// A task that codecs are compared at. A codec leaves out those it has no form of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Into a new buffer each time.
    EncodeFresh,
    /// Into the buffer of the time before.
    EncodeReused,
    /// `EncodeFresh` with SDP's message header.
    EncodeFreshMessage,
    /// `EncodeReused` with SDP's message header.
    EncodeReusedMessage,
    /// Into a new value that owns all it has, and is dropped.
    DecodeFresh,
    /// `DecodeFresh` with SDP's message header.
    DecodeFreshMessage,
    /// Into the value of the time before.
    DecodeReused,
    /// Into a new value whose strings, and arrays where the codec can, borrow from the bytes.
    DecodeBorrowed,
    /// Validation of the bytes alone.
    Access,
    /// The fields that readers read, in place, of bytes that are known to be valid.
    Read,
    /// Validation, then `Read`.
    ReadValidate,
    /// `DecodeBorrowed`, then the fields that readers read, and the drop.
    ReadBorrowed,
    /// A reference without a codec: a clone of the value, and its drop.
    Clone,
    /// A reference without a codec: allocation of the arrays and copying into them, and their drop.
    Copy,
}

impl Case {
    /// The name in results, as their schema has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::EncodeFresh => "encode_fresh",
            Self::EncodeReused => "encode_reused",
            Self::EncodeFreshMessage => "encode_fresh_message",
            Self::EncodeReusedMessage => "encode_reused_message",
            Self::DecodeFresh => "decode_fresh",
            Self::DecodeFreshMessage => "decode_fresh_message",
            Self::DecodeReused => "decode_reused",
            Self::DecodeBorrowed => "decode_borrowed",
            Self::Access => "access",
            Self::Read => "read",
            Self::ReadValidate => "read_validate",
            Self::ReadBorrowed => "read_borrowed",
            Self::Clone => "clone",
            Self::Copy => "copy",
        }
    }
}
