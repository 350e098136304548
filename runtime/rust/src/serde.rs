//! Generated types in the formats of [serde](https://serde.rs).
//!
//! In a format that people read (`is_human_readable`: JSON, YAML, TOML) a value
//! looks as in canonical JSON. In any other it is its SDP encoding, as bytes, and an
//! enum its number.
//!
//! Reading checks as [`json::from_text`] does. Two things are up to the format:
//! how deep it lets values nest, and how it rounds a number to an `f64` before
//! this sees it. Texts that `to_json` wrote lose nothing by it.

mod derive;
#[cfg(test)]
mod tests;
mod transcript;

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use ::serde::de::{Error as _, SeqAccess, Visitor};
use ::serde::ser::Error as _;
pub use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

#[doc(hidden)]
pub use crate::{__serde_enum as enumeration, __serde_value as value};

use crate::codec::{self, Decode, Encode};
use crate::json::{self, FromJson, ToJson, Value};
use crate::{DecodeOptions, Error, Kind};

use transcript::transcript;

/// Serializes a value of a generated type.
///
/// # Errors
///
/// Refuses a value that has no JSON or no encoding; other errors are the format's.
pub fn serialize<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: ToJson + Encode,
    S: Serializer,
{
    if serializer.is_human_readable() {
        return serialize_text(value, serializer);
    }
    let bytes = codec::encode_to_vec(value).map_err(S::Error::custom)?;
    serializer.serialize_bytes(&bytes)
}

fn serialize_text<T: ToJson, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let text = json::to_string(value).map_err(S::Error::custom)?;
    let value = Value::parse(text.as_bytes()).map_err(S::Error::custom)?;
    value.serialize(serializer)
}

/// Deserializes a value of a generated type.
///
/// # Errors
///
/// Refuses input that isn't a value of this type; other errors are the format's.
pub fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromJson + for<'a> Decode<'a>,
    D: Deserializer<'de>,
{
    if deserializer.is_human_readable() {
        return deserialize_text(deserializer);
    }
    deserializer.deserialize_byte_buf(Encoding(PhantomData))
}

fn deserialize_text<'de, T: FromJson, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    json::from_text(transcript(deserializer)?).map_err(|error| {
        // An offset would be one of a text that the caller never saw.
        D::Error::custom(Error {
            offset: None,
            ..error
        })
    })
}

/// Serializes an enum: as in JSON, or as its number in formats that people don't
/// read.
///
/// # Errors
///
/// Refuses what the format refuses.
pub fn serialize_enum<T, B, S>(value: &T, number: B, serializer: S) -> Result<S::Ok, S::Error>
where
    T: ToJson,
    B: Serialize,
    S: Serializer,
{
    if serializer.is_human_readable() {
        return serialize_text(value, serializer);
    }
    number.serialize(serializer)
}

/// Deserializes an enum. `make` gives nothing for a number that a closed enum
/// doesn't have.
///
/// # Errors
///
/// Refuses input that isn't a member or number of the enum; other errors are the format's.
pub fn deserialize_enum<'de, T, B, D>(
    deserializer: D,
    make: impl FnOnce(B) -> Option<T>,
) -> Result<T, D::Error>
where
    T: FromJson,
    B: Deserialize<'de>,
    D: Deserializer<'de>,
{
    if deserializer.is_human_readable() {
        return deserialize_text(deserializer);
    }
    let number = B::deserialize(deserializer)?;
    make(number).ok_or_else(|| D::Error::custom(Error::new(Kind::EnumUnknown)))
}

/// Says in a format what a JSON text says.
impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.text.as_bytes().first() {
            Some(b'{') => {
                let members = self.members().map_err(S::Error::custom)?;
                let name = |key: Self| key.string().unwrap_or_default();
                serializer.collect_map(members.map(|(key, value)| (name(key), value)))
            }
            Some(b'[') => serializer.collect_seq(self.elements().map_err(S::Error::custom)?),
            Some(b'"') => serializer.serialize_str(&self.string().unwrap_or_default()),
            Some(b't') => serializer.serialize_bool(true),
            Some(b'f') => serializer.serialize_bool(false),
            // Some formats have nothing for a unit, but leave out what is absent.
            Some(b'n') => serializer.serialize_none(),
            _ => serialize_number(self.text, serializer),
        }
    }
}

/// Says a number as an integer if it is one, but for negative zero, which would
/// lose its sign.
fn serialize_number<S: Serializer>(number: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match number.parse::<i64>() {
        Ok(integer) if number != "-0" => serializer.serialize_i64(integer),
        _ => serializer.serialize_f64(number.parse().map_err(S::Error::custom)?),
    }
}

/// Reads an encoding from a format that has bytes.
struct Encoding<T>(PhantomData<T>);

impl<'de, T: for<'a> Decode<'a>> Visitor<'de> for Encoding<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an SDP encoding")
    }

    fn visit_bytes<E: ::serde::de::Error>(self, bytes: &[u8]) -> Result<T, E> {
        codec::decode(bytes, &DecodeOptions::new()).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<T, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = seq.next_element()? {
            bytes.push(byte);
        }
        self.visit_bytes(&bytes)
    }
}
