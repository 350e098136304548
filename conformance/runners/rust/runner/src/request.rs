//! Requests: `OPERATION SCHEMA[.TYPE] [HEX] [LIMIT=NUMBER …]`.

use std::fmt::Write as _;

use crate::table::{Framed, Messages, Schema, Type};
use crate::types::SCHEMAS;
use crate::value::{Answer, Failure};

/// One line, split.
pub struct Request {
    pub op: String,
    schema: &'static Schema,
    found: Option<&'static Type>,
    pub data: Vec<u8>,
    pub options: sdp::DecodeOptions,
    pub size: usize,
}

impl Request {
    pub fn parse(line: &str) -> Answer<Self> {
        let mut words = line.split_whitespace();
        let (Some(op), Some(target)) = (words.next(), words.next()) else {
            return other("a request is an operation, a type, and hexadecimal digits");
        };
        let (name, typ) = match target.split_once('.') {
            Some((name, typ)) => (name, Some(typ)),
            None => (target, None),
        };
        let Some(schema) = SCHEMAS.iter().find(|schema| schema.name == name) else {
            return other(format!("no schema is called {name:?}"));
        };
        let found = typ.and_then(|typ| schema.types.iter().find(|t| t.name == typ));
        if found.is_none() && typ.is_some() {
            return other(format!("no type is called {target:?}"));
        }
        let mut request = Self {
            op: op.into(),
            schema,
            found,
            data: Vec::new(),
            options: sdp::DecodeOptions::new(),
            size: 0,
        };
        for word in words {
            let read = match word.split_once('=') {
                Some((key, number)) => request.set(key, number),
                None => unhex(word).map(|data| request.data = data),
            };
            if read.is_none() {
                return other(format!("{word:?} is neither bytes nor a limit"));
            }
        }
        Ok(request)
    }

    fn set(&mut self, key: &str, number: &str) -> Option<()> {
        let limits = &mut self.options.limits;
        let number = number.parse().ok()?;
        *match key {
            "message_bytes" => &mut limits.message_bytes,
            "elements" => &mut limits.elements,
            "depth" => &mut limits.depth,
            "memory_bytes" => &mut limits.memory_bytes,
            "size" => &mut self.size,
            _ => return None,
        } = number;
        Some(())
    }

    /// The type that the request names.
    pub fn found(&self) -> Answer<&'static Type> {
        self.found
            .map_or_else(|| other("the operation takes SCHEMA.TYPE"), Ok)
    }

    /// The message mode of the type.
    pub fn framed(&self) -> Answer<&'static Framed> {
        let framed = self.found()?.framed.as_ref();
        framed.map_or_else(|| other("the type has no type id"), Ok)
    }

    /// The dispatcher of the schema.
    pub fn messages(&self) -> Answer<&'static Messages> {
        match &self.schema.messages {
            Some(messages) if self.found.is_none() => Ok(messages),
            _ => other("the operation takes a schema with type ids"),
        }
    }
}

fn other<T>(text: impl Into<String>) -> Answer<T> {
    Err(Failure::Other(text.into()))
}

pub fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(digits, "{byte:02x}").expect("a String takes all text");
    }
    digits
}

/// Reads hexadecimal digits; no bytes are written `-`.
fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.strip_prefix('-').unwrap_or(digits).as_bytes();
    let pairs = digits.chunks(2).map(|pair| {
        let &[high, low] = pair else { return None };
        let digit = |c: u8| char::from(c).to_digit(16);
        u8::try_from(16 * digit(high)? + digit(low)?).ok()
    });
    pairs.collect()
}
