//! Objects into bytes. No code of Python runs meanwhile, since nothing is called and nothing that the collector tracks is made.
#![allow(clippy::inline_always)] // a frame for each field cost a third of the time

use crate::program::{Block, Kind, Prefix, Program, Record, Scalar, Union};
use crate::python::{wide_number, Memory, Outcome, Stop, Value};

/// A writer of one value.
pub(crate) struct Writer<'a> {
    program: &'a Program,
    bytes: Vec<u8>,
}

/// The most room that is kept for the next value.
const ROOM: usize = 1 << 20;

impl<'a> Writer<'a> {
    /// Writes a value, a message without a length, and hands over its bytes.
    pub(crate) fn write<T>(
        program: &'a Program,
        block: usize,
        value: Value<'_>,
        done: impl FnOnce(&[u8]) -> Outcome<T>,
    ) -> Outcome<T> {
        let mut bytes = program.room.take();
        bytes.clear();
        let mut writer = Writer { program, bytes };
        let outcome = match program.blocks.get(block) {
            Some(Block::Record(record)) => writer.record(record, value, 1),
            Some(Block::Union(union)) => writer.union(union, value, 1),
            _ => Err(Stop::Refused),
        };
        let result = outcome.and_then(|()| done(&writer.bytes));
        if writer.bytes.capacity() <= ROOM {
            program.room.set(writer.bytes);
        }
        result
    }

    #[inline]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.bytes.extend_from_slice(&bytes);
    }

    #[inline]
    fn prefix(&mut self, prefix: &Prefix, count: usize) -> Outcome<()> {
        let count = count as u64;
        if count > prefix.max {
            return Err(Stop::Refused);
        }
        match prefix.width {
            1 => self.put([u8::try_from(count).map_err(|_| Stop::Refused)?]),
            2 => self.put(
                u16::try_from(count)
                    .map_err(|_| Stop::Refused)?
                    .to_le_bytes(),
            ),
            _ => self.put(
                u32::try_from(count)
                    .map_err(|_| Stop::Refused)?
                    .to_le_bytes(),
            ),
        }
        Ok(())
    }

    /// Writes what a function writes behind its length.
    fn measured(&mut self, write: impl FnOnce(&mut Self) -> Outcome<()>) -> Outcome<()> {
        let start = self.bytes.len();
        self.put([0; 4]);
        write(self)?;
        let length = u32::try_from(self.bytes.len() - start - 4).map_err(|_| Stop::Refused)?;
        self.bytes[start..start + 4].copy_from_slice(&length.to_le_bytes());
        Ok(())
    }

    /// Writes a value within another; depth is the level of the aggregate around it.
    #[inline(always)]
    fn field(&mut self, kind: &Kind, value: Value<'_>, depth: u32) -> Outcome<()> {
        match kind {
            Kind::Scalar(scalar) => self.scalar(*scalar, value),
            Kind::Text(prefix) => self.text(prefix, value),
            _ => self.part(kind, value, depth),
        }
    }

    /// Writes what `field` does not write itself, so that its frame is small.
    #[inline(never)]
    fn part(&mut self, kind: &Kind, value: Value<'_>, depth: u32) -> Outcome<()> {
        match kind {
            Kind::Scalar(scalar) => self.scalar(*scalar, value),
            Kind::Text(prefix) => self.text(prefix, value),
            Kind::Bytes(prefix) => {
                let bytes = value.bytes().ok_or(Stop::Refused)?;
                self.prefix(prefix, bytes.len())?;
                self.bytes.extend_from_slice(bytes);
                Ok(())
            }
            Kind::Enum(index) => self.member(*index, value),
            Kind::Record(index) => match &self.program.blocks[*index] {
                Block::Record(record) if record.message => {
                    self.measured(|writer| writer.record(record, value, depth + 1))
                }
                Block::Record(record) => self.record(record, value, depth + 1),
                _ => Err(Stop::Refused),
            },
            Kind::Union(index) => match &self.program.blocks[*index] {
                Block::Union(union) => self.union(union, value, depth + 1),
                _ => Err(Stop::Refused),
            },
            Kind::List(prefix, element) => {
                let Some(items) = value.sequence() else {
                    return self
                        .memory(element, value, |writer, count| writer.prefix(prefix, count));
                };
                self.prefix(prefix, items.count)?;
                items
                    .iter()
                    .try_for_each(|item| self.field(element, item, depth))
            }
            Kind::Array(count, element) => self.array(*count, element, value, depth),
            Kind::Map(prefix, parts) => self.map(prefix, &parts.0, &parts.1, value, depth),
            Kind::Optional(_) if value.is_none() => {
                self.put([0]);
                Ok(())
            }
            Kind::Optional(element) => {
                self.put([1]);
                self.part(element, value, depth)
            }
        }
    }

    fn array(&mut self, count: usize, element: &Kind, value: Value<'_>, depth: u32) -> Outcome<()> {
        if let Kind::Scalar(Scalar::U8) = element {
            let bytes = value
                .bytes()
                .filter(|bytes| bytes.len() == count)
                .ok_or(Stop::Refused)?;
            self.bytes.extend_from_slice(bytes);
            return Ok(());
        }
        let Some(items) = value.sequence() else {
            return self.memory(element, value, |_, found| {
                if found == count {
                    Ok(())
                } else {
                    Err(Stop::Refused)
                }
            });
        };
        if items.count != count {
            return Err(Stop::Refused);
        }
        items
            .iter()
            .try_for_each(|item| self.field(element, item, depth))
    }

    /// Writes numbers that lie in memory as on the wire, behind what is written of their count.
    fn memory(
        &mut self,
        element: &Kind,
        value: Value<'_>,
        head: impl FnOnce(&mut Self, usize) -> Outcome<()>,
    ) -> Outcome<()> {
        let (Kind::Scalar(scalar), true) = (element, cfg!(target_endian = "little")) else {
            return Err(Stop::Refused);
        };
        let memory = Memory::of(value, self.program.arrays.address()).ok_or(Stop::Refused)?;
        let (code, width) = memory.form().ok_or(Stop::Refused)?;
        if width != scalar.width() || !scalar.codes().contains(&code) {
            return Err(Stop::Refused);
        }
        head(self, memory.bytes().len() / width)?;
        self.bytes.extend_from_slice(memory.bytes());
        Ok(())
    }

    #[inline(always)]
    fn text(&mut self, prefix: &Prefix, value: Value<'_>) -> Outcome<()> {
        let text = value.text().ok_or(Stop::Refused)?;
        self.prefix(prefix, text.len())?;
        self.bytes.extend_from_slice(text);
        Ok(())
    }

    #[inline(always)]
    fn scalar(&mut self, scalar: Scalar, value: Value<'_>) -> Outcome<()> {
        match scalar {
            Scalar::Bool => self.put([u8::from(value.boolean().ok_or(Stop::Refused)?)]),
            Scalar::F32 => self.put(narrowed(value.float().ok_or(Stop::Refused)?)?),
            Scalar::F64 => self.put(value.float().ok_or(Stop::Refused)?.to_le_bytes()),
            Scalar::U64 => self.put(value.unsigned().ok_or(Stop::Refused)?.to_le_bytes()),
            Scalar::Uuid => {
                let class = &self.program.uuid.class;
                if value.class() != class.address() {
                    return Err(Stop::Refused);
                }
                self.put(wide_number(class.read(value, 0)?)?.to_be_bytes());
            }
            _ => self.number(scalar, value.signed().ok_or(Stop::Refused)?)?,
        }
        Ok(())
    }

    #[inline]
    fn number(&mut self, scalar: Scalar, number: i64) -> Outcome<()> {
        match scalar {
            Scalar::U8 => self.put(
                u8::try_from(number)
                    .map_err(|_| Stop::Refused)?
                    .to_le_bytes(),
            ),
            Scalar::U16 => self.put(
                u16::try_from(number)
                    .map_err(|_| Stop::Refused)?
                    .to_le_bytes(),
            ),
            Scalar::U32 => self.put(
                u32::try_from(number)
                    .map_err(|_| Stop::Refused)?
                    .to_le_bytes(),
            ),
            Scalar::I8 => self.put(
                i8::try_from(number)
                    .map_err(|_| Stop::Refused)?
                    .to_le_bytes(),
            ),
            Scalar::I16 => self.put(
                i16::try_from(number)
                    .map_err(|_| Stop::Refused)?
                    .to_le_bytes(),
            ),
            Scalar::I32 => self.put(
                i32::try_from(number)
                    .map_err(|_| Stop::Refused)?
                    .to_le_bytes(),
            ),
            _ => self.put(number.to_le_bytes()),
        }
        Ok(())
    }

    fn member(&mut self, index: usize, value: Value<'_>) -> Outcome<()> {
        let Block::Enum(enumeration) = &self.program.blocks[index] else {
            return Err(Stop::Refused);
        };
        let number = if enumeration.base == Scalar::U64 {
            value.unsigned().map(u64::cast_signed)
        } else {
            value.signed()
        };
        let number = number.ok_or(Stop::Refused)?;
        if enumeration.closed && enumeration.member(number).is_none() {
            return Err(Stop::Refused);
        }
        self.number(enumeration.base, number)
    }

    fn record(&mut self, record: &Record, value: Value<'_>, depth: u32) -> Outcome<()> {
        if value.class() != record.class.address() || depth > self.program.levels {
            return Err(Stop::Refused);
        }
        for (slot, field) in record.segments.iter().flatten().enumerate() {
            self.field(&field.kind, record.class.read(value, slot)?, depth)?;
        }
        if let Some(unknown) = record.unknown {
            self.bytes.extend_from_slice(
                record
                    .class
                    .read(value, unknown)?
                    .bytes()
                    .ok_or(Stop::Refused)?,
            );
        }
        Ok(())
    }

    fn union(&mut self, union: &Union, value: Value<'_>, depth: u32) -> Outcome<()> {
        if depth > self.program.levels {
            return Err(Stop::Refused);
        }
        let class = value.class();
        let Some(alternative) = union
            .alternatives
            .iter()
            .find(|alternative| alternative.class.address() == class)
        else {
            return self.unknown(union, value);
        };
        self.put([alternative.tag]);
        let payload = |writer: &mut Self| match &alternative.kind {
            Some(kind) if alternative.inline => writer.part(kind, value, depth),
            Some(kind) => writer.part(kind, alternative.class.read(value, 0)?, depth),
            None => Ok(()),
        };
        if union.closed {
            payload(self)
        } else {
            self.measured(payload)
        }
    }

    /// Writes an alternative without a name.
    fn unknown(&mut self, union: &Union, value: Value<'_>) -> Outcome<()> {
        let class = union
            .unknown
            .as_ref()
            .filter(|class| class.address() == value.class())
            .ok_or(Stop::Refused)?;
        let tag = class
            .read(value, 0)?
            .signed()
            .and_then(|tag| u8::try_from(tag).ok())
            .ok_or(Stop::Refused)?;
        if tag == 0
            || union
                .alternatives
                .iter()
                .any(|alternative| alternative.tag == tag)
        {
            return Err(Stop::Refused);
        }
        let payload = class.read(value, 1)?.bytes().ok_or(Stop::Refused)?;
        self.put([tag]);
        self.measured(|writer| {
            writer.bytes.extend_from_slice(payload);
            Ok(())
        })
    }

    fn map(
        &mut self,
        prefix: &Prefix,
        key: &Kind,
        item: &Kind,
        value: Value<'_>,
        depth: u32,
    ) -> Outcome<()> {
        let entries = value.entries().ok_or(Stop::Refused)?;
        self.prefix(prefix, entries.len())?;
        let sorted = match key {
            Kind::Text(_) => ordered(entries, Value::text)?,
            _ if self.base(key) == Some(Scalar::U64) => ordered(entries, Value::unsigned)?,
            _ => ordered(entries, Value::signed)?,
        };
        sorted.into_iter().try_for_each(|entry| {
            self.part(key, entry.0, depth)?;
            self.part(item, entry.1, depth)
        })
    }

    /// The scalar of a key that is a number.
    fn base(&self, key: &Kind) -> Option<Scalar> {
        match key {
            Kind::Scalar(scalar) => Some(*scalar),
            Kind::Enum(index) => match &self.program.blocks[*index] {
                Block::Enum(enumeration) => Some(enumeration.base),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Entries in the order of their keys.
fn ordered<'v, K: Ord>(
    entries: Vec<(Value<'v>, Value<'v>)>,
    order: impl Fn(Value<'v>) -> Option<K>,
) -> Outcome<Vec<(Value<'v>, Value<'v>)>> {
    let mut keyed = Vec::with_capacity(entries.len());
    for entry in entries {
        keyed.push((order(entry.0).ok_or(Stop::Refused)?, entry));
    }
    keyed.sort_by(|left, right| left.0.cmp(&right.0));
    Ok(keyed.into_iter().map(|(_, entry)| entry).collect())
}

/// The bytes of a 4-byte float. A NaN keeps the bits that it was read with.
#[inline]
#[allow(clippy::cast_possible_truncation, clippy::verbose_bit_mask)] // the bits that remain are meant
fn narrowed(number: f64) -> Outcome<[u8; 4]> {
    if number.is_nan() {
        let bits = number.to_bits();
        let short = (bits >> 32 & 0x8000_0000 | 0x7F80_0000 | bits >> 29 & 0x7F_FFFF) as u32;
        return Ok((if short & 0x7F_FFFF == 0 {
            short | 0x40_0000
        } else {
            short
        })
        .to_le_bytes());
    }
    let single = number as f32;
    if single.is_infinite() && number.is_finite() {
        Err(Stop::Refused)
    } else {
        Ok(single.to_le_bytes())
    }
}
