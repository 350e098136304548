//! Bytes into objects.

use crate::program::{Block, Default, Enum, Field, Kind, Prefix, Program, Record, Scalar, Union};
use crate::python::{
    boolean, bytes, none, signed, unsigned, wide, Dict, List, Object, Outcome, Stop,
};

/// What a decode may still use.
pub(crate) struct Budgets {
    pub(crate) elements: u64,
    pub(crate) memory: u64,
    pub(crate) depth: u32,
}

/// A reader of a window of bytes.
pub(crate) struct Reader<'a> {
    program: &'a Program,
    data: &'a [u8],
    at: usize,
    end: usize,
    budgets: Budgets,
}

impl<'a> Reader<'a> {
    /// A reader of the bytes from `at` to `end`, which is within them.
    pub(crate) fn new(
        program: &'a Program,
        data: &'a [u8],
        at: usize,
        end: usize,
        budgets: Budgets,
    ) -> Reader<'a> {
        Reader {
            program,
            data: &data[..end],
            at,
            end,
            budgets,
        }
    }

    /// Reads a value, a message without a length, and returns it with the offset behind it.
    pub(crate) fn value(mut self, block: usize) -> Outcome<(Object, usize)> {
        let value = match self.program.blocks.get(block) {
            Some(Block::Record(record)) => self.record(record, 1)?,
            Some(Block::Union(union)) => self.union(union, 1)?,
            _ => return Err(Stop::Refused),
        };
        Ok((value, self.at))
    }

    #[inline]
    fn take(&mut self, count: usize) -> Outcome<&'a [u8]> {
        if count > self.end - self.at {
            return Err(Stop::Refused);
        }
        let taken = &self.data[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    #[inline]
    fn fixed<const N: usize>(&mut self) -> Outcome<[u8; N]> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| Stop::Refused)
    }

    #[inline]
    fn prefix(&mut self, prefix: &Prefix) -> Outcome<u64> {
        let count = match prefix.width {
            1 => u64::from(self.fixed::<1>()?[0]),
            2 => u64::from(u16::from_le_bytes(self.fixed()?)),
            _ => u64::from(u32::from_le_bytes(self.fixed()?)),
        };
        if count > prefix.max {
            Err(Stop::Refused)
        } else {
            Ok(count)
        }
    }

    /// Takes a count, holds it against the bytes that are left, and charges the budgets.
    fn count(&mut self, prefix: &Prefix) -> Outcome<usize> {
        let count = self.prefix(prefix)?;
        if count.saturating_mul(prefix.least) > (self.end - self.at) as u64 {
            return Err(Stop::Refused);
        }
        self.charge(count, count.saturating_mul(prefix.cost))?;
        usize::try_from(count).map_err(|_| Stop::Refused)
    }

    fn charge(&mut self, elements: u64, memory: u64) -> Outcome<()> {
        self.budgets.elements = self
            .budgets
            .elements
            .checked_sub(elements)
            .ok_or(Stop::Refused)?;
        self.budgets.memory = self
            .budgets
            .memory
            .checked_sub(memory)
            .ok_or(Stop::Refused)?;
        Ok(())
    }

    #[inline]
    fn level(&self, depth: u32) -> Outcome<()> {
        if depth > self.budgets.depth {
            Err(Stop::Refused)
        } else {
            Ok(())
        }
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
            Kind::Bytes(prefix) => {
                let length = self.prefix(prefix)?;
                bytes(self.take(usize::try_from(length).map_err(|_| Stop::Refused)?)?)
            }
            Kind::Enum(index) => self.member(self.enumeration(*index)?),
            Kind::Record(index) => match &self.program.blocks[*index] {
                Block::Record(record) if record.message => self.message(record, depth + 1),
                Block::Record(record) => self.record(record, depth + 1),
                _ => Err(Stop::Refused),
            },
            Kind::Union(index) => match &self.program.blocks[*index] {
                Block::Union(union) => self.union(union, depth + 1),
                _ => Err(Stop::Refused),
            },
            Kind::List(prefix, element) => {
                let count = self.count(prefix)?;
                self.elements(element, count, depth)
            }
            Kind::Array(count, element) => {
                if !matches!(**element, Kind::Scalar(_) | Kind::Enum(_)) {
                    self.charge(*count as u64, 0)?;
                }
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

    fn enumeration(&self, index: usize) -> Outcome<&'a Enum> {
        match &self.program.blocks[index] {
            Block::Enum(found) => Ok(found),
            _ => Err(Stop::Refused),
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

    /// The number of an integer, whose bits are those of an `i64`.
    #[inline]
    fn number(&mut self, scalar: Scalar) -> Outcome<i64> {
        Ok(match scalar {
            Scalar::Bool | Scalar::U8 => i64::from(self.fixed::<1>()?[0]),
            Scalar::U16 => i64::from(u16::from_le_bytes(self.fixed()?)),
            Scalar::U32 => i64::from(u32::from_le_bytes(self.fixed()?)),
            Scalar::I8 => i64::from(i8::from_le_bytes(self.fixed()?)),
            Scalar::I16 => i64::from(i16::from_le_bytes(self.fixed()?)),
            Scalar::I32 => i64::from(i32::from_le_bytes(self.fixed()?)),
            _ => i64::from_le_bytes(self.fixed()?),
        })
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
        let length = self.prefix(prefix)?;
        let data = self.take(usize::try_from(length).map_err(|_| Stop::Refused)?)?;
        self.program.cache.text(data)
    }

    fn message(&mut self, record: &Record, depth: u32) -> Outcome<Object> {
        let length = u32::from_le_bytes(self.fixed()?) as usize;
        if length > self.end - self.at {
            return Err(Stop::Refused);
        }
        let end = std::mem::replace(&mut self.end, self.at + length);
        let value = self.record(record, depth)?;
        self.end = end;
        Ok(value)
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
            let length = u32::from_le_bytes(self.fixed()?) as usize;
            if length > self.end - self.at {
                return Err(Stop::Refused);
            }
            self.end = self.at + length;
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

    /// What the key that began at an offset is ordered by.
    fn order(&self, key: &Kind, start: usize) -> Outcome<Order<'a>> {
        let base = match key {
            Kind::Text(prefix) => {
                return Ok(Order::Text(&self.data[start + prefix.width..self.at]))
            }
            Kind::Scalar(scalar) => *scalar,
            Kind::Enum(index) => self.enumeration(*index)?.base,
            _ => return Err(Stop::Refused),
        };
        let mut number = [0; 8];
        number
            .get_mut(..self.at - start)
            .ok_or(Stop::Refused)?
            .copy_from_slice(&self.data[start..self.at]);
        let bits = u64::from_le_bytes(number);
        let unused = 64 - 8 * base.width();
        Ok(match base {
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
                Order::Signed((bits << unused).cast_signed() >> unused)
            }
            _ => Order::Unsigned(bits),
        })
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Order<'a> {
    Text(&'a [u8]),
    Signed(i64),
    Unsigned(u64),
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
