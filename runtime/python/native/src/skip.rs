//! Bytes that are checked and passed over.

use crate::cursor::Cursor;
use crate::program::{Kind, Record, Scalar, Union};
use crate::python::{Outcome, Stop};

impl Cursor<'_> {
    /// Passes over a value within another; depth is the level of the aggregate around it.
    pub(crate) fn skip(&mut self, kind: &Kind, depth: u32) -> Outcome<()> {
        match kind {
            Kind::Scalar(scalar) => self.skip_scalars(*scalar, 1),
            Kind::Text(prefix) => {
                let text = self.string(prefix)?;
                std::str::from_utf8(text)
                    .map(|_| ())
                    .map_err(|_| Stop::Refused)
            }
            Kind::Bytes(prefix) => self.string(prefix).map(|_| ()),
            Kind::Enum(index) => {
                let enumeration = self.enum_of(*index)?;
                let number = self.number(enumeration.base)?;
                if enumeration.closed && enumeration.member(number).is_none() {
                    Err(Stop::Refused)
                } else {
                    Ok(())
                }
            }
            Kind::Record(index) => {
                let record = self.record_of(*index)?;
                let end = if record.message {
                    self.enter()?
                } else {
                    self.end
                };
                self.skip_record(record, depth + 1)?;
                self.end = end;
                Ok(())
            }
            Kind::Union(index) => self.skip_union(self.union_of(*index)?, depth + 1),
            Kind::List(prefix, element) => {
                let count = self.count(prefix)?;
                self.skip_elements(element, count, depth)
            }
            Kind::Array(count, element) => {
                self.array(*count, element)?;
                self.skip_elements(element, *count, depth)
            }
            Kind::Map(prefix, parts) => {
                let count = self.count(prefix)?;
                let mut last = None;
                for _ in 0..count {
                    let start = self.at;
                    self.skip(&parts.0, depth)?;
                    let order = self.order(&parts.0, start)?;
                    if last.as_ref().is_some_and(|last| *last >= order) {
                        return Err(Stop::Refused);
                    }
                    last = Some(order);
                    self.skip(&parts.1, depth)?;
                }
                Ok(())
            }
            Kind::Optional(element) => match self.fixed()? {
                [0] => Ok(()),
                [1] => self.skip(element, depth),
                _ => Err(Stop::Refused),
            },
        }
    }

    /// Passes over a struct, or a message that takes the whole window.
    pub(crate) fn skip_record(&mut self, record: &Record, depth: u32) -> Outcome<()> {
        self.level(depth)?;
        for (segment, fields) in record.segments.iter().enumerate() {
            if segment > 0 && self.at == self.end {
                break;
            }
            for field in fields {
                self.skip(&field.kind, depth)?;
            }
        }
        if record.message {
            self.at = self.end;
        }
        Ok(())
    }

    /// Passes over a union.
    pub(crate) fn skip_union(&mut self, union: &Union, depth: u32) -> Outcome<()> {
        self.level(depth)?;
        let [tag] = self.fixed()?;
        let end = if union.closed {
            self.end
        } else {
            self.enter()?
        };
        match union
            .alternatives
            .binary_search_by_key(&tag, |alternative| alternative.tag)
        {
            Ok(index) => {
                if let Some(kind) = &union.alternatives[index].kind {
                    self.skip(kind, depth)?;
                }
                if !union.closed && self.at != self.end {
                    return Err(Stop::Refused);
                }
            }
            Err(_) if union.closed || tag == 0 => return Err(Stop::Refused),
            Err(_) => self.at = self.end,
        }
        self.end = end;
        Ok(())
    }

    fn skip_elements(&mut self, element: &Kind, count: usize, depth: u32) -> Outcome<()> {
        match element {
            Kind::Scalar(scalar) => self.skip_scalars(*scalar, count),
            _ => (0..count).try_for_each(|_| self.skip(element, depth)),
        }
    }

    fn skip_scalars(&mut self, scalar: Scalar, count: usize) -> Outcome<()> {
        let taken = self.take(count.checked_mul(scalar.width()).ok_or(Stop::Refused)?)?;
        if scalar == Scalar::Bool && taken.iter().any(|byte| *byte > 1) {
            Err(Stop::Refused)
        } else {
            Ok(())
        }
    }
}
