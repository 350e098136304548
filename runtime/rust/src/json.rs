//! Canonical JSON, byte for byte what every other language writes.
//!
//! Generated types have `to_json` and `from_json`, which is all that most
//! programs need. The traits are there for code that is generic over them;
//! everything else is for generated code.

mod aggregates;
mod flaw;
mod number;
mod read;
mod scalars;
mod tables;
mod types;
mod write;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::Error;

#[doc(hidden)]
pub use crate::{__json_enum as enumeration, __json_record as record, __json_union as union};
pub use number::Integer;
pub use read::Value;
pub use tables::{Alternative, Enum, Field, Object, Union};
pub use write::Writer;

/// A value that can be written as canonical JSON: the types of schemas, owned and
/// borrowed.
pub trait ToJson {
    /// Appends the value.
    ///
    /// # Errors
    ///
    /// Refuses what has no JSON: a union that is unset or contradicts itself,
    /// and structs, messages and unions nested deeper than 64.
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error>;

    /// Appends a list. The elements decide its form, since a list of `u8` is no array but base64.
    #[doc(hidden)]
    fn write_list(list: &[Self], writer: &mut Writer) -> Result<(), Error>
    where
        Self: Sized,
    {
        writer.array(list)
    }
}

/// A value that can be read from JSON: the owned types of schemas.
pub trait FromJson: Sized {
    /// Reads a value.
    ///
    /// # Errors
    ///
    /// Refuses what isn't a value of this type.
    fn read_json(value: Value<'_>) -> Result<Self, Error>;

    /// Reads a list, the counterpart of [`ToJson::write_list`].
    #[doc(hidden)]
    fn read_list(value: Value<'_>) -> Result<Vec<Self>, Error> {
        let elements = value.elements()?.enumerate();
        elements
            .map(|(i, element)| element.read().map_err(|error: Error| error.in_element(i)))
            .collect()
    }

    /// Reads a value onto the heap. An array is large there, so it must not pass
    /// over the stack.
    #[doc(hidden)]
    fn read_boxed(value: Value<'_>) -> Result<Box<Self>, Error> {
        value.read().map(Box::new)
    }
}

/// A value that JSON replaces.
#[doc(hidden)]
pub trait Target {
    /// Replaces the value by a value of JSON.
    fn replace(&mut self, value: Value<'_>) -> Result<(), Error>;
}

impl<T: FromJson> Target for T {
    fn replace(&mut self, value: Value<'_>) -> Result<(), Error> {
        *self = value.read()?;
        Ok(())
    }
}

/// A value that can be written as the key of a map, which is a string in JSON.
pub trait ToKey {
    /// Appends the key.
    fn write_key(&self, writer: &mut Writer);
}

/// A value that can be read from the key of a map.
pub trait FromKey: Sized {
    /// Reads the key from its text without quotes and escapes. Nothing means
    /// that it is none.
    fn read_key(text: &str) -> Option<Self>;
}

/// The canonical JSON of a value.
///
/// ```
/// assert_eq!(sdp::json::to_string(&vec![0.5_f32, -0.0])?, "[0.5,-0]");
/// assert_eq!(sdp::json::to_string(&u64::MAX)?, "\"18446744073709551615\"");
/// # Ok::<(), sdp::Error>(())
/// ```
///
/// # Errors
///
/// Refuses what has no JSON, as [`ToJson::write_json`] says.
pub fn to_string<T: ToJson + ?Sized>(value: &T) -> Result<String, Error> {
    let mut writer = Writer::default();
    value.write_json(&mut writer)?;
    Ok(writer.into_text())
}

/// Reads a value from JSON, a `&str` or bytes.
///
/// ```
/// let error = sdp::json::from_text::<Vec<u16>>("[1, 65536]").unwrap_err();
/// assert_eq!(error.to_string(), "json_invalid at byte 4 in [1]");
/// ```
///
/// # Errors
///
/// Refuses a text that isn't well-formed, before any other fault; then the first item, from left to
/// right, that doesn't fit the type.
pub fn from_text<T: FromJson>(text: impl AsRef<[u8]>) -> Result<T, Error> {
    Value::parse(text.as_ref())?.read()
}
