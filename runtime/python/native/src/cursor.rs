//! A place in the bytes of a value, and the budgets that are left.

use crate::program::{Block, Enum, Kind, Prefix, Program, Record, Scalar, Union};
use crate::python::{Outcome, Stop};

/// The budgets that are left to a decode.
pub(crate) struct Budgets {
    pub(crate) elements: u64,
    pub(crate) memory: u64,
    pub(crate) depth: u32,
}

/// A place in a window of bytes.
pub(crate) struct Cursor<'a> {
    pub(crate) program: &'a Program,
    pub(crate) data: &'a [u8],
    pub(crate) at: usize,
    pub(crate) end: usize,
    pub(crate) budgets: Budgets,
}

impl<'a> Cursor<'a> {
    /// The start of the bytes from `at` to `end`, which is within them.
    pub(crate) fn new(
        program: &'a Program,
        data: &'a [u8],
        at: usize,
        end: usize,
        budgets: Budgets,
    ) -> Cursor<'a> {
        Cursor {
            program,
            data: &data[..end],
            at,
            end,
            budgets,
        }
    }

    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Outcome<&'a [u8]> {
        if count > self.end - self.at {
            return Err(Stop::Refused);
        }
        let taken = &self.data[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    #[inline]
    pub(crate) fn fixed<const N: usize>(&mut self) -> Outcome<[u8; N]> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| Stop::Refused)
    }

    #[inline]
    pub(crate) fn prefix(&mut self, prefix: &Prefix) -> Outcome<u64> {
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
    pub(crate) fn count(&mut self, prefix: &Prefix) -> Outcome<usize> {
        let count = self.prefix(prefix)?;
        if count.saturating_mul(prefix.least) > (self.end - self.at) as u64 {
            return Err(Stop::Refused);
        }
        self.charge(count, count.saturating_mul(prefix.cost))?;
        usize::try_from(count).map_err(|_| Stop::Refused)
    }

    pub(crate) fn charge(&mut self, elements: u64, memory: u64) -> Outcome<()> {
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
    pub(crate) fn level(&self, depth: u32) -> Outcome<()> {
        if depth > self.budgets.depth {
            Err(Stop::Refused)
        } else {
            Ok(())
        }
    }

    /// Takes the bytes of a text, which may be no UTF-8.
    #[inline]
    pub(crate) fn string(&mut self, prefix: &Prefix) -> Outcome<&'a [u8]> {
        let length = self.prefix(prefix)?;
        self.take(usize::try_from(length).map_err(|_| Stop::Refused)?)
    }

    /// Narrows the window to a length of 4 bytes, which it reads, and returns the end of the window around it.
    #[inline]
    pub(crate) fn enter(&mut self) -> Outcome<usize> {
        let length = u32::from_le_bytes(self.fixed()?) as usize;
        if length > self.end - self.at {
            return Err(Stop::Refused);
        }
        Ok(std::mem::replace(&mut self.end, self.at + length))
    }

    /// The record of an index among the blocks.
    #[inline]
    pub(crate) fn record_of(&self, index: usize) -> Outcome<&'a Record> {
        match &self.program.blocks[index] {
            Block::Record(record) => Ok(record),
            _ => Err(Stop::Refused),
        }
    }

    /// The union of an index among the blocks.
    #[inline]
    pub(crate) fn union_of(&self, index: usize) -> Outcome<&'a Union> {
        match &self.program.blocks[index] {
            Block::Union(union) => Ok(union),
            _ => Err(Stop::Refused),
        }
    }

    /// The enum of an index among the blocks.
    #[inline]
    pub(crate) fn enum_of(&self, index: usize) -> Outcome<&'a Enum> {
        match &self.program.blocks[index] {
            Block::Enum(found) => Ok(found),
            _ => Err(Stop::Refused),
        }
    }

    /// Charges the elements of an array, which scalars have none of.
    pub(crate) fn array(&mut self, count: usize, element: &Kind) -> Outcome<()> {
        match element {
            Kind::Scalar(_) | Kind::Enum(_) => Ok(()),
            _ => self.charge(count as u64, 0),
        }
    }

    /// The number of an integer, as the bits of an `i64`.
    #[inline]
    pub(crate) fn number(&mut self, scalar: Scalar) -> Outcome<i64> {
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

    /// The order of the key that began at an offset.
    pub(crate) fn order(&self, key: &Kind, start: usize) -> Outcome<Order<'a>> {
        let base = match key {
            Kind::Text(prefix) => {
                return Ok(Order::Text(&self.data[start + prefix.width..self.at]))
            }
            Kind::Scalar(scalar) => *scalar,
            Kind::Enum(index) => self.enum_of(*index)?.base,
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

/// The order of a key in a map.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order<'a> {
    Text(&'a [u8]),
    Signed(i64),
    Unsigned(u64),
}
