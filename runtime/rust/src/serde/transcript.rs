//! The text of a value of another format, as JSON.

use alloc::string::{String, ToString};
use core::fmt;

use ::serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::json::Writer;

/// Writes down as JSON what a format says.
pub(super) fn transcript<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let mut writer = Writer::default();
    let transcript = Transcript {
        writer: &mut writer,
        before: "",
    };
    transcript.deserialize(deserializer)?;
    Ok(writer.into_text())
}

/// A place in the JSON that is written.
struct Transcript<'a> {
    writer: &'a mut Writer,
    /// The text before it.
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
pub(super) const NUMBER: &str = "$serde_json::private::Number";

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
