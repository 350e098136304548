//! Generated types in the formats of [serde](https://serde.rs).
//!
//! In a format that people read (`is_human_readable`: JSON, YAML, TOML) a value
//! looks as in canonical JSON. In any other it is its SDP encoding, as bytes.
//!
//! Reading checks as [`json::from_text`] does. Two things are up to the format:
//! how deep it lets values nest, and how it rounds a number to an `f64` before
//! this sees it. Texts that `to_json` wrote lose nothing by it.

#[cfg(test)]
mod tests;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use ::serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use ::serde::ser::Error as _;
pub use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::codec::{self, Decode, Encode};
use crate::json::{self, FromJson, ToJson, Value, Writer};
use crate::{DecodeOptions, Error};

/// Serializes a value of a generated type.
///
/// # Errors
///
/// Refuses what has no JSON or no encoding, and what the format refuses.
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
/// Refuses what isn't a value of this type, and what the format refuses.
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
    let mut writer = Writer::default();
    let transcript = Transcript {
        writer: &mut writer,
        before: "",
    };
    transcript.deserialize(deserializer)?;
    json::from_text(writer.into_text()).map_err(|error| {
        // An offset would be one of a text that the caller never saw.
        D::Error::custom(Error {
            offset: None,
            ..error
        })
    })
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

/// Writes down as JSON what a format says.
struct Transcript<'a> {
    writer: &'a mut Writer,
    /// What stands before it.
    before: &'static str,
}

impl<'de> DeserializeSeed<'de> for Transcript<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.writer.tokens(self.before);
        deserializer.deserialize_any(self)
    }
}

/// How `serde_json` says a number if some crate of the program has switched on
/// its `arbitrary_precision`: as the value of a map with this key.
const NUMBER: &str = "$serde_json::private::Number";

impl<'de> Visitor<'de> for Transcript<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what JSON can say")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.writer.tokens(if value { "true" } else { "false" });
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.writer.tokens(itoa::Buffer::new().format(value));
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.writer.tokens(itoa::Buffer::new().format(value));
        Ok(())
    }

    fn visit_f32<E>(self, value: f32) -> Result<(), E> {
        self.writer.float(&value);
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.writer.float(&value);
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.writer.string(value);
        Ok(())
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<(), E> {
        self.writer.bytes(value);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.writer.tokens("null");
        Ok(())
    }

    fn visit_none<E>(self) -> Result<(), E> {
        self.writer.tokens("null");
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Self { writer, .. } = self;
        writer.tokens("[");
        let mut before = "";
        while let Some(()) = seq.next_element_seed(Transcript { writer, before })? {
            before = ",";
        }
        writer.tokens("]");
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { writer, .. } = self;
        let mut key = map.next_key_seed(MemberKey)?;
        if key.as_deref() == Some(NUMBER) {
            writer.tokens(&map.next_value::<String>()?);
            return Ok(());
        }
        writer.tokens("{");
        let mut before = "";
        while let Some(text) = key {
            writer.tokens(before);
            writer.string(&text);
            map.next_value_seed(Transcript {
                writer,
                before: ":",
            })?;
            before = ",";
            key = map.next_key_seed(MemberKey)?;
        }
        writer.tokens("}");
        Ok(())
    }
}

/// Reads the key of a map, which is no string in every format.
struct MemberKey;

impl<'de> DeserializeSeed<'de> for MemberKey {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for MemberKey {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, a bool or an integer")
    }

    fn visit_str<E>(self, key: &str) -> Result<String, E> {
        Ok(key.into())
    }

    fn visit_bool<E>(self, key: bool) -> Result<String, E> {
        Ok(key.to_string())
    }

    fn visit_i64<E>(self, key: i64) -> Result<String, E> {
        Ok(key.to_string())
    }

    fn visit_u64<E>(self, key: u64) -> Result<String, E> {
        Ok(key.to_string())
    }
}
