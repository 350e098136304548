//! Bytes into objects.
#![allow(clippy::inline_always)] // a frame for each field cost a tenth of the time

use crate::cursor::Cursor;
use crate::program::{Block, Default, Enum, Field, Kind, Prefix, Record, Scalar, Union};
use crate::python::{
    boolean, bytes, none, signed, unsigned, wide, Dict, List, Object, Outcome, Stop,
};

impl Cursor<'_> {
    /// Reads a value, a message without a length, and returns it with the offset behind it.
    pub(crate) fn value(mut self, block: usize) -> Outcome<(Object, usize)> {
        let value = match self.program.blocks.get(block) {
            Some(Block::Record(record)) => self.record(record, 1)?,
            Some(Block::Union(union)) => self.union(union, 1)?,
            _ => return Err(Stop::Refused),
        };
        Ok((value, self.at))
    }

    /// Reads a value within another; depth is the level of the aggregate around it.
    #[inline(always)]
    fn field(&mut self, kind: &Kind, depth: u32) -> Outcome<Object> {
        match kind {
            Kind::Scalar(scalar) => self.scalar(*scalar),
            Kind::Text(prefix) => self.text(prefix),
            _ => self.part(kind, depth),
        }
    }

    /// Reads what `field` does not read itself, so that its frame is small.
    #[inline(never)]
    fn part(&mut self, kind: &Kind, depth: u32) -> Outcome<Object> {
        match kind {
            Kind::Scalar(scalar) => self.scalar(*scalar),
            Kind::Text(prefix) => self.text(prefix),
            Kind::Bytes(prefix) => bytes(self.string(prefix)?),
            Kind::Enum(index) => self.member(self.enum_of(*index)?),
            Kind::Record(index) => {
                let record = self.record_of(*index)?;
                if record.message {
                    let end = self.enter()?;
                    let value = self.record(record, depth + 1)?;
                    self.end = end;
                    return Ok(value);
                }
                self.record(record, depth + 1)
            }
            Kind::Union(index) => self.union(self.union_of(*index)?, depth + 1),
            Kind::List(prefix, element) => {
                let count = self.count(prefix)?;
                self.elements(element, count, depth)
            }
            Kind::Array(count, element) => {
                self.array(*count, element)?;
                self.elements(element, *count, depth)
            }
            Kind::Map(prefix, parts) => self.map(prefix, &parts.0, &parts.1, depth),
            Kind::Optional(element) => match self.fixed()? {
                [0] => Ok(none()),
                [1] => self.part(element, depth),
                _ => Err(Stop::Refused),
            },
        }
    }

    #[inline(always)]
    fn scalar(&mut self, scalar: Scalar) -> Outcome<Object> {
        match scalar {
            Scalar::Bool => match self.fixed()? {
                [0] => Ok(boolean(false)),
                [1] => Ok(boolean(true)),
                _ => Err(Stop::Refused),
            },
            Scalar::U64 => unsigned(u64::from_le_bytes(self.fixed()?)),
            Scalar::F32 => self
                .program
                .cache
                .float(widened(f32::from_le_bytes(self.fixed()?))),
            Scalar::F64 => self.program.cache.float(f64::from_le_bytes(self.fixed()?)),
            Scalar::Timestamp => self
                .program
                .timestamp
                .call_with(&signed(i64::from_le_bytes(self.fixed()?))?),
            Scalar::Duration => self
                .program
                .duration
                .call_with(&signed(i64::from_le_bytes(self.fixed()?))?),
            Scalar::Uuid => {
                let uuid = &self.program.uuid;
                let mut instance = uuid.class.instance()?;
                instance.set(0, wide(u128::from_be_bytes(self.fixed()?))?);
                instance.set(1, uuid.safe.clone());
                Ok(instance.finish())
            }
            _ => signed(self.number(scalar)?),
        }
    }

    fn member(&mut self, enumeration: &Enum) -> Outcome<Object> {
        let number = self.number(enumeration.base)?;
        if let Some(member) = enumeration.member(number) {
            return Ok(member.clone());
        }
        if enumeration.closed {
            return Err(Stop::Refused);
        }
        enumeration
            .class
            .call_with(&if enumeration.base == Scalar::U64 {
                unsigned(number.cast_unsigned())?
            } else {
                signed(number)?
            })
    }

    #[inline(always)]
    fn text(&mut self, prefix: &Prefix) -> Outcome<Object> {
        let data = self.string(prefix)?;
        self.program.cache.text(data)
    }

    /// Reads a struct, or a message that takes the whole window.
    fn record(&mut self, record: &Record, depth: u32) -> Outcome<Object> {
        self.level(depth)?;
        let mut instance = record.class.instance()?;
        let mut slot = 0;
        let mut complete = true;
        for (segment, fields) in record.segments.iter().enumerate() {
            complete = segment == 0 || self.at < self.end;
            if !complete {
                for field in record.segments[segment..].iter().flatten() {
                    instance.set(slot, default(field)?);
                    slot += 1;
                }
                break;
            }
            for field in fields {
                instance.set(slot, self.field(&field.kind, depth)?);
                slot += 1;
            }
        }
        if record.message {
            if let Some(unknown) = record.unknown {
                instance.set(
                    unknown,
                    bytes(if complete {
                        &self.data[self.at..self.end]
                    } else {
                        &[]
                    })?,
                );
            }
            self.at = self.end;
        }
        Ok(instance.finish())
    }

    fn union(&mut self, union: &Union, depth: u32) -> Outcome<Object> {
        self.level(depth)?;
        let tag = self.fixed::<1>()?[0];
        let end = self.end;
        if !union.closed {
            self.enter()?;
        }
        let Ok(index) = union
            .alternatives
            .binary_search_by_key(&tag, |alternative| alternative.tag)
        else {
            let (Some(class), true) = (&union.unknown, tag != 0) else {
                return Err(Stop::Refused);
            };
            let mut instance = class.instance()?;
            instance.set(0, signed(i64::from(tag))?);
            instance.set(1, bytes(&self.data[self.at..self.end])?);
            self.at = self.end;
            self.end = end;
            return Ok(instance.finish());
        };
        let alternative = &union.alternatives[index];
        let value = match &alternative.kind {
            Some(kind) if alternative.inline => self.part(kind, depth)?,
            Some(kind) => {
                let mut instance = alternative.class.instance()?;
                instance.set(0, self.part(kind, depth)?);
                instance.finish()
            }
            None => alternative.class.instance()?.finish(),
        };
        if !union.closed && self.at != self.end {
            return Err(Stop::Refused);
        }
        self.end = end;
        Ok(value)
    }

    fn elements(&mut self, element: &Kind, count: usize, depth: u32) -> Outcome<Object> {
        if let Kind::Scalar(scalar) = element {
            if count
                .checked_mul(scalar.width())
                .is_none_or(|size| size > self.end - self.at)
            {
                return Err(Stop::Refused);
            }
            if *scalar == Scalar::U8 {
                return bytes(self.take(count)?);
            }
        }
        let mut list = List::new(count)?;
        for _ in 0..count {
            list.push(self.field(element, depth)?);
        }
        Ok(list.finish())
    }

    fn map(&mut self, prefix: &Prefix, key: &Kind, item: &Kind, depth: u32) -> Outcome<Object> {
        let count = self.count(prefix)?;
        let mut dict = Dict::new()?;
        let mut last = None;
        for _ in 0..count {
            let start = self.at;
            let name = self.part(key, depth)?;
            let order = self.order(key, start)?;
            if last.as_ref().is_some_and(|last| *last >= order) {
                return Err(Stop::Refused);
            }
            last = Some(order);
            dict.insert(&name, &self.part(item, depth)?)?;
        }
        Ok(dict.finish())
    }
}

/// The value of a field of a missing segment.
fn default(field: &Field) -> Outcome<Object> {
    match &field.default {
        Default::Value(value) => Ok(value.clone()),
        Default::Call(call) => call.call(),
    }
}

/// A 4-byte float as one of 8 bytes. A NaN keeps its bits.
#[inline]
fn widened(single: f32) -> f64 {
    if single.is_nan() {
        let bits = u64::from(single.to_bits());
        return f64::from_bits(
            (bits & 0x8000_0000) << 32 | 0x7FF0_0000_0000_0000 | (bits & 0x7F_FFFF) << 29,
        );
    }
    f64::from(single)
}
