//! Reading of JSON, level by level: a value is its part of the text, which
//! `serde_json` divides into members and elements without looking deeper. So each value has an
//! offset, and deeper values cost no stack before they are read.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::flaw::well_formed;
use super::tables::{Enum, Field, Object, Union, UNKNOWN};
use super::{number, FromJson, Integer, Target};
use crate::{Error, Kind, LIMIT_DEPTH};

/// A value in a JSON text that is well-formed.
#[derive(Debug, Clone, Copy)]
pub struct Value<'a> {
    /// The value without white space around it.
    pub(crate) text: &'a str,
    /// The offset of its first byte.
    at: usize,
    /// How many structs, messages and unions are around it.
    depth: usize,
}

impl<'a> Value<'a> {
    /// The value of a text. A text that isn't well-formed is refused, before any other fault of it
    /// [JSON-1.3].
    pub(crate) fn parse(text: &'a [u8]) -> Result<Self, Error> {
        let value = well_formed(text).map_err(|offset| Error::at(Kind::JsonInvalid, offset, ""))?;
        Ok(Self {
            text: value.get(),
            at: value.get().as_ptr() as usize - text.as_ptr() as usize,
            depth: 0,
        })
    }

    /// A value that lies in this one.
    fn within(&self, part: &'a RawValue) -> Self {
        let text = part.get();
        Self {
            text,
            at: self.at + (text.as_ptr() as usize - self.text.as_ptr() as usize),
            depth: self.depth,
        }
    }

    /// The refusal of this value.
    #[must_use]
    pub fn refusal(&self) -> Error {
        Error::at(Kind::JsonInvalid, self.at, "")
    }

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// Refuses what isn't a value of this type.
    pub fn read<T: FromJson>(self) -> Result<T, Error> {
        T::read_json(self)
    }

    /// Whether the value is this literal: `null`, `true` or `false`.
    pub(super) fn is(&self, literal: &str) -> bool {
        self.text == literal
    }

    /// The string, if it is one.
    pub(crate) fn string(&self) -> Option<Cow<'a, str>> {
        let content = self.text.strip_prefix('"')?.strip_suffix('"')?;
        if content.contains('\\') {
            let unescaped: String = serde_json::from_str(self.text).ok()?;
            return Some(unescaped.into());
        }
        Some(content.into())
    }

    /// The number, if it is one.
    pub(crate) fn number(&self) -> Option<&'a str> {
        let first = *self.text.as_bytes().first()?;
        (first == b'-' || first.is_ascii_digit()).then_some(self.text)
    }

    /// Lets `parse` make something of a string.
    pub(super) fn parsed<T>(self, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, Error> {
        let string = self.string().ok_or_else(|| self.refusal())?;
        parse(&string).ok_or_else(|| self.refusal())
    }

    /// The number or string of an integer [JSON-2.3].
    fn digits(&self) -> Option<Cow<'a, str>> {
        self.number().map(Cow::from).or_else(|| self.string())
    }

    pub(super) fn integer<T: Integer>(self) -> Result<T, Error> {
        let digits = self.digits();
        let integer = digits.and_then(|digits| number::parse_integer(&digits));
        integer.ok_or_else(|| self.refusal())
    }

    /// The elements of an array.
    pub(crate) fn elements(self) -> Result<impl Iterator<Item = Self>, Error> {
        let elements: Result<Vec<&RawValue>, _> = serde_json::from_str(self.text);
        let elements = elements.map_err(|_| self.refusal())?.into_iter();
        Ok(elements.map(move |element| self.within(element)))
    }

    /// The members of an object, keys and values.
    pub(crate) fn members(self) -> Result<impl Iterator<Item = (Self, Self)>, Error> {
        let members: Members = serde_json::from_str(self.text).map_err(|_| self.refusal())?;
        let place = move |(key, value)| (self.within(key), self.within(value));
        Ok(members.0.into_iter().map(place))
    }

    /// This value with one struct, message or union more around what it holds
    /// [JSON-5.4].
    fn entered(self) -> Result<Self, Error> {
        if self.depth == LIMIT_DEPTH {
            return Err(self.refusal());
        }
        let depth = self.depth + 1;
        Ok(Self { depth, ..self })
    }
}

/// The readers that generated code calls.
impl Value<'_> {
    /// Reads a struct, message or inline alternative into the values of its fields,
    /// which are in the order of the table.
    ///
    /// # Errors
    ///
    /// Refuses what isn't such an object, and what isn't a value of a field.
    pub fn object(self, object: &Object, fields: &mut [&mut dyn Target]) -> Result<(), Error> {
        let read = &mut |i: usize, value: Self| fields[i].replace(value);
        self.entered()?.fields(object, read)
    }

    /// Gives each member that is a field to `reader`, with its place in the table.
    /// Unknown, doubled and missing ones are dealt with here.
    fn fields(
        self,
        object: &Object,
        reader: &mut dyn FnMut(usize, Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut seen = vec![false; object.fields.len()];
        let mut next = 0;
        for (key, value) in self.members()? {
            let Some(i) = object.find(&key.string().unwrap_or_default(), next) else {
                if object.open {
                    continue;
                }
                return Err(key.refusal());
            };
            let field = &object.fields[i];
            if seen[i] {
                return Err(key.refusal().in_field(field.name));
            }
            reader(i, value).map_err(|e| e.in_field(field.name))?;
            seen[i] = true;
            next = i + 1;
        }
        let mut fields = object.fields.iter().zip(seen);
        match fields.find(|(field, is_present)| field.required && !is_present) {
            Some((missing, _)) => Err(self.refusal().in_field(missing.name)),
            None => Ok(()),
        }
    }

    /// Reads a union. Its one member is given to `reader`, with its tag, or with 0 for
    /// `$unknown`, which [`unknown`](Self::unknown) then reads.
    ///
    /// # Errors
    ///
    /// Refuses what isn't such an object, and what `reader` refuses.
    pub fn union<T>(
        self,
        union: &Union,
        reader: impl FnOnce(u8, Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut members = self.entered()?.members()?;
        let (key, value) = members.next().ok_or_else(|| self.refusal())?;
        let text = key.string().unwrap_or_default();
        let (tag, name) = match union.alternatives.iter().find(|a| a.key == text) {
            Some(alternative) => (alternative.tag, alternative.name),
            None if text == UNKNOWN && !union.closed => (0, ""),
            None => return Err(key.refusal()),
        };
        let alternative = reader(tag, value).map_err(|e| e.in_field(name))?;
        match members.next() {
            Some((second, _)) => Err(second.refusal()),
            None => Ok(alternative),
        }
    }

    /// Reads the tag and payload of an unknown alternative [JSON-4.5].
    ///
    /// # Errors
    ///
    /// Refuses anything else, and a tag that is 0 or known.
    pub fn unknown(self, union: &Union) -> Result<(u8, Vec<u8>), Error> {
        // Refusals of both have the path of the union.
        const MEMBERS: Object =
            Object::of_struct(&[Field::required("tag", ""), Field::required("payload", "")]);
        let (mut tag, mut payload) = (0, Vec::new());
        self.fields(&MEMBERS, &mut |i, value| {
            if i > 0 {
                return payload.replace(value);
            }
            tag = value.integer()?;
            let allowed = union.allows_unknown(tag);
            allowed.then_some(()).ok_or_else(|| value.refusal())
        })?;
        Ok((tag, payload))
    }

    /// Reads the payload of an alternative that has none, `null`.
    ///
    /// # Errors
    ///
    /// Refuses anything else.
    pub fn null(self) -> Result<(), Error> {
        self.is("null").then_some(()).ok_or_else(|| self.refusal())
    }
}

impl Object {
    /// Finds a field by its key. Members mostly come in order, so that it is the
    /// `next` one.
    fn find(&self, key: &str, next: usize) -> Option<usize> {
        let all = 0..self.fields.len();
        let mut from_next = (next..all.end).chain(all);
        from_next.find(|&i| self.fields[i].key == key)
    }
}

impl<B: Integer> Enum<B> {
    /// Reads an enum, a member's name or a number. `make` gives nothing for a
    /// number that a closed enum doesn't have.
    ///
    /// # Errors
    ///
    /// Refuses anything else.
    pub fn read<T>(&self, value: Value<'_>, make: impl FnOnce(B) -> Option<T>) -> Result<T, Error> {
        let number = match value.number() {
            Some(digits) => number::parse_integer(digits),
            None => value.string().and_then(|text| self.read_key(&text)),
        };
        number.and_then(make).ok_or_else(|| value.refusal())
    }

    /// Reads an enum that is the key of a map.
    #[must_use]
    pub fn read_key(&self, text: &str) -> Option<B> {
        let member = self.0.iter().find(|(name, _)| *name == text);
        member.map_or_else(|| number::parse_integer(text), |(_, number)| Some(*number))
    }
}

/// The members of an object, in the order of the text, doubled ones too.
struct Members<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}
