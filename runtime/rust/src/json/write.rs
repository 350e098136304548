//! The writer of canonical JSON.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Display;

use base64::engine::general_purpose::STANDARD;
use base64::Engine;

use super::number::{float_text, Float};
use super::tables::{Enum, Object, Union, UNKNOWN};
use super::{Integer, ToJson};
use crate::{Error, Kind, LIMIT_DEPTH};

/// Where values write their JSON to.
#[derive(Debug, Default)]
pub struct Writer {
    text: String,
    /// How many structs, messages and unions are open.
    depth: usize,
}

impl Writer {
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Appends tokens as they are.
    pub(crate) fn tokens(&mut self, tokens: &str) {
        self.text.push_str(tokens);
    }

    /// Appends a string [JSON-3.1].
    pub(crate) fn string(&mut self, mut text: &str) {
        self.text.push('"');
        while let Some(at) = text.find(|c| c < ' ' || c == '"' || c == '\\') {
            let (plain, rest) = text.split_at(at);
            let (escaped, rest) = rest.split_at(1);
            self.text.push_str(plain);
            match escaped {
                "\"" => self.text.push_str("\\\""),
                "\\" => self.text.push_str("\\\\"),
                "\u{8}" => self.text.push_str("\\b"),
                "\u{c}" => self.text.push_str("\\f"),
                "\n" => self.text.push_str("\\n"),
                "\r" => self.text.push_str("\\r"),
                "\t" => self.text.push_str("\\t"),
                control => self.text.push_str(&control_escape(control)),
            }
            text = rest;
        }
        self.text.push_str(text);
        self.text.push('"');
    }

    /// Appends a string that needs no escapes.
    pub(super) fn plain(&mut self, text: impl Display) {
        self.text.push('"');
        self.text.push_str(&text.to_string());
        self.text.push('"');
    }

    /// Appends bytes in base64 [JSON-3.2].
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.text.push('"');
        STANDARD.encode_string(bytes, &mut self.text);
        self.text.push('"');
    }

    /// Appends an integer [JSON-2.2].
    pub(super) fn integer<T: Integer>(&mut self, number: T) {
        if T::QUOTED {
            self.integer_key(number);
        } else {
            self.text.push_str(itoa::Buffer::new().format(number));
        }
    }

    /// Appends an integer as the key of a map, which is a string for every width
    /// [JSON-4.6].
    pub(super) fn integer_key<T: Integer>(&mut self, number: T) {
        self.plain(itoa::Buffer::new().format(number));
    }

    pub(crate) fn float<F: Float>(&mut self, float: &F) {
        self.tokens(&float_text(float));
    }

    /// Appends an array of elements [JSON-3.3].
    pub(super) fn array<T: ToJson>(&mut self, elements: &[T]) -> Result<(), Error> {
        self.text.push('[');
        for (i, element) in elements.iter().enumerate() {
            self.comma(i);
            element.write_json(self).map_err(|e| e.in_element(i))?;
        }
        self.text.push(']');
        Ok(())
    }

    /// Appends what stands before element or member `i`.
    pub(super) fn comma(&mut self, i: usize) {
        if i > 0 {
            self.text.push(',');
        }
    }

    /// Enters a struct, message or union [JSON-7.1].
    fn open(&mut self) -> Result<(), Error> {
        if self.depth == LIMIT_DEPTH {
            return Err(Error::new(Kind::LimitDepth));
        }
        self.depth += 1;
        self.text.push('{');
        Ok(())
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.text.push('}');
    }

    /// Appends a struct, message or inline alternative, of which the values come
    /// in the order of the table. A tail is left out if it is empty [JSON-4.2].
    ///
    /// # Errors
    ///
    /// Refuses an object that lies too deep, and values that have no JSON.
    pub fn object(&mut self, object: &Object, values: &[&dyn ToJson]) -> Result<(), Error> {
        self.open()?;
        for (i, (field, value)) in object.fields.iter().zip(values).enumerate() {
            let start = self.text.len();
            self.comma(i);
            self.string(field.key);
            self.text.push(':');
            value.write_json(self).map_err(|e| e.in_field(field.name))?;
            if field.is_tail() && self.text.ends_with(":\"\"") {
                self.text.truncate(start);
            }
        }
        self.close();
        Ok(())
    }

    /// Appends a union that holds the alternative of a tag of the table [JSON-4.3]. The
    /// payload of one without a payload is `&()`.
    ///
    /// # Errors
    ///
    /// Refuses a union that lies too deep, and a payload that has no JSON.
    pub fn alternative(
        &mut self,
        union: &Union,
        tag: u8,
        payload: &dyn ToJson,
    ) -> Result<(), Error> {
        let known = union
            .alternatives
            .iter()
            .find(|alternative| alternative.tag == tag);
        let alternative = known.ok_or(Error::new(Kind::ValueInvalid))?;
        self.open()?;
        self.string(alternative.key);
        self.text.push(':');
        let written = payload.write_json(self);
        written.map_err(|e| e.in_field(alternative.name))?;
        self.close();
        Ok(())
    }

    /// Appends a union that holds an unknown alternative [JSON-4.5].
    ///
    /// # Errors
    ///
    /// Refuses what lies too deep, and a tag that is 0 or known.
    pub fn unknown(&mut self, union: &Union, tag: u8, payload: &[u8]) -> Result<(), Error> {
        self.open()?;
        if !union.allows_unknown(tag) {
            return Err(Error::new(Kind::ValueInvalid));
        }
        self.string(UNKNOWN);
        self.text.push_str(":{\"tag\":");
        self.integer(tag);
        self.text.push_str(",\"payload\":");
        self.bytes(payload);
        self.text.push('}');
        self.close();
        Ok(())
    }
}

fn control_escape(control: &str) -> String {
    let code = control.chars().next().map_or(0, u32::from);
    format!("\\u{code:04x}")
}

impl<B: Integer> Enum<B> {
    /// Appends an enum: the member's name, or else the number [JSON-2.13].
    pub fn write(&self, number: B, writer: &mut Writer) {
        match self.name(number) {
            Some(name) => writer.string(name),
            None => writer.integer(number),
        }
    }

    /// Appends an enum as the key of a map, where a number is a string too.
    pub fn write_key(&self, number: B, writer: &mut Writer) {
        match self.name(number) {
            Some(name) => writer.string(name),
            None => writer.integer_key(number),
        }
    }

    fn name(&self, number: B) -> Option<&'static str> {
        let member = self.0.iter().find(|(_, n)| *n == number)?;
        Some(member.0)
    }
}
