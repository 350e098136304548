//! The decoder of message streams, which generated code implements.

use alloc::vec::Vec;

use crate::codec::{self, Encode, Identified};
use alloc::string::String;

use crate::{DecodeOptions, Error};

/// A value that has a message mode: a type with a type id, or a package's choice
/// of all of them.
pub trait AppendMessage {
    /// Appends the value in message mode. A value that cannot be encoded leaves
    /// `output` as it was.
    ///
    /// # Errors
    ///
    /// Names what cannot be encoded.
    fn append_message(&self, output: &mut Vec<u8>) -> Result<(), Error>;
}

impl<T: Encode + Identified> AppendMessage for T {
    fn append_message(&self, output: &mut Vec<u8>) -> Result<(), Error> {
        codec::append_message(self, output)
    }
}

/// The types of a package that have a type id, as one type. Generated packages
/// implement it for their `Message`.
pub trait Dispatch: Sized {
    /// Reports whether the package has a type with this id.
    fn knows(type_id: u16) -> bool;

    /// The canonical layout text of the type with this id; nothing where the package
    /// has none.
    fn layout(type_id: u16) -> Option<String>;

    /// Decodes a message, header included, of any type that the package has.
    ///
    /// # Errors
    ///
    /// Names the refusal; its offset counts from the start of the header.
    fn decode_message(message: &[u8], options: &DecodeOptions) -> Result<Self, Error>;
}
