//! The JSON of what contains nothing else.

use alloc::string::String;
use alloc::vec::Vec;

use base64::engine::general_purpose::STANDARD;
use base64::Engine;

use super::{number, FromJson, FromKey, ToJson, ToKey, Value, Writer};
use crate::{Duration, Error, Timestamp, Uuid};

/// A value without a payload is `null`.
impl ToJson for () {
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.tokens("null");
        Ok(())
    }
}

impl ToJson for bool {
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.tokens(if *self { "true" } else { "false" });
        Ok(())
    }
}

impl FromJson for bool {
    fn read_json(value: Value<'_>) -> Result<Self, Error> {
        if value.is("true") || value.is("false") {
            return Ok(value.is("true"));
        }
        Err(value.refusal())
    }
}

impl ToKey for bool {
    fn write_key(&self, writer: &mut Writer) {
        writer.plain(self);
    }
}

impl FromKey for bool {
    fn read_key(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// Implements everything for an integer. The braces hold further functions of writing and of
/// reading.
macro_rules! integer {
    ($integer:ty, {$($write:tt)*}, {$($read:tt)*}) => {
        impl ToJson for $integer {
            fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
                writer.integer(*self);
                Ok(())
            }

            $($write)*
        }

        impl FromJson for $integer {
            fn read_json(value: Value<'_>) -> Result<Self, Error> {
                value.integer()
            }

            $($read)*
        }

        impl ToKey for $integer {
            fn write_key(&self, writer: &mut Writer) {
                writer.integer_key(*self);
            }
        }

        impl FromKey for $integer {
            fn read_key(text: &str) -> Option<Self> {
                number::parse_integer(text)
            }
        }
    };
}

integer!(
    u8,
    {
        fn write_list(list: &[Self], writer: &mut Writer) -> Result<(), Error> {
            writer.bytes(list);
            Ok(())
        }
    },
    {
        fn read_list(value: Value<'_>) -> Result<Vec<Self>, Error> {
            value.parsed(|text| STANDARD.decode(text).ok())
        }
    }
);
integer!(u16, {}, {});
integer!(u32, {}, {});
integer!(u64, {}, {});
integer!(i8, {}, {});
integer!(i16, {}, {});
integer!(i32, {}, {});
integer!(i64, {}, {});

/// Implements writing and reading of a float.
macro_rules! float {
    ($float:ty) => {
        impl ToJson for $float {
            fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
                writer.float(self);
                Ok(())
            }
        }

        impl FromJson for $float {
            fn read_json(value: Value<'_>) -> Result<Self, Error> {
                match value.number() {
                    Some(digits) => number::parse_float(digits).ok_or_else(|| value.refusal()),
                    None => value.parsed(number::parse_float_name),
                }
            }
        }
    };
}

float!(f32);
float!(f64);

/// Implements writing and reading of a type whose JSON is a string of plain characters, as its
/// `Display` and `FromStr` have it.
macro_rules! text {
    ($type:ty) => {
        impl ToJson for $type {
            fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
                writer.plain(self);
                Ok(())
            }
        }

        impl FromJson for $type {
            fn read_json(value: Value<'_>) -> Result<Self, Error> {
                value.parsed(|text| text.parse().ok())
            }
        }
    };
}

text!(Timestamp);
text!(Duration);
text!(Uuid);

impl ToJson for str {
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.string(self);
        Ok(())
    }
}

impl ToJson for String {
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.string(self);
        Ok(())
    }
}

impl FromJson for String {
    fn read_json(value: Value<'_>) -> Result<Self, Error> {
        let text = value.string().ok_or_else(|| value.refusal())?;
        Ok(text.into_owned())
    }
}

impl ToKey for &str {
    fn write_key(&self, writer: &mut Writer) {
        writer.string(self);
    }
}

impl ToKey for String {
    fn write_key(&self, writer: &mut Writer) {
        writer.string(self);
    }
}

impl FromKey for String {
    fn read_key(text: &str) -> Option<Self> {
        Some(text.into())
    }
}
