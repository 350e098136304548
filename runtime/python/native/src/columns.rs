//! Bytes into columns, as Arrow lays them out: <https://arrow.apache.org/docs/format/Columnar.html>.
//!
//! A column is a tuple `(count, nulls, validity or None, buffers, children)` for the runtime, which makes arrays of them. Enums
//! are columns of their numbers. A union is a record of the index of its alternative, and a nullable child for each that holds something.
#![allow(clippy::inline_always)] // a frame for each field cost a third of the time

use crate::cursor::Cursor;
use crate::program::{Kind, Prefix, Record, Scalar};
use crate::python::{bytes, none, tuple, unsigned, Object, Outcome, Stop};

/// A column that values are put into.
pub(crate) struct Column {
    count: usize,
    nulls: usize,
    /// A byte for each value, where there are nulls.
    valid: Option<Vec<u8>>,
    /// The bytes that a null takes, with its children's.
    room: u64,
    form: Form,
}

enum Form {
    /// A byte for each value.
    Bits(Vec<u8>),
    Fixed(usize, Vec<u8>),
    Text(Vec<u8>, Vec<u8>),
    List(Vec<u8>, Box<Column>),
    Array(usize, Box<Column>),
    Map(Vec<u8>, Box<(Column, Column)>),
    Record(Vec<Column>),
    Union(Box<Column>, Vec<Option<Column>>),
}

/// The first offset of a column.
const START: [u8; 4] = [0; 4];

impl Column {
    fn new(form: Form) -> Column {
        let room = match &form {
            Form::Bits(_) => 1,
            Form::Fixed(width, _) => *width as u64,
            Form::Text(..) | Form::List(..) | Form::Map(..) => 4,
            Form::Array(count, child) => child.room.saturating_mul(*count as u64),
            Form::Record(children) => children.iter().map(|child| child.room).sum(),
            Form::Union(_, children) => children.iter().flatten().map(|child| child.room).sum(),
        };
        Column {
            count: 0,
            nulls: 0,
            valid: None,
            room: room.saturating_add(1),
            form,
        }
    }

    /// An empty column of a type. Types that hold themselves have none.
    pub(crate) fn of(cursor: &Cursor<'_>, kind: &Kind, depth: u32) -> Outcome<Column> {
        if depth > cursor.budgets.depth {
            return Err(Stop::Refused);
        }
        let boxed = |kind: &Kind| Column::of(cursor, kind, depth + 1).map(Box::new);
        Ok(Column::new(match kind {
            Kind::Scalar(Scalar::Bool) => Form::Bits(Vec::new()),
            Kind::Scalar(scalar) => Form::Fixed(scalar.width(), Vec::new()),
            Kind::Enum(index) => Form::Fixed(cursor.enum_of(*index)?.base.width(), Vec::new()),
            Kind::Text(_) | Kind::Bytes(_) => Form::Text(START.to_vec(), Vec::new()),
            Kind::List(_, element) => Form::List(START.to_vec(), boxed(element)?),
            Kind::Array(count, _) if is_octets(kind) => Form::Fixed(*count, Vec::new()),
            Kind::Array(count, element) => Form::Array(*count, boxed(element)?),
            Kind::Map(_, parts) => Form::Map(
                START.to_vec(),
                Box::new((
                    Column::of(cursor, &parts.0, depth + 1)?,
                    Column::of(cursor, &parts.1, depth + 1)?,
                )),
            ),
            Kind::Optional(element) => return Column::of(cursor, element, depth + 1),
            Kind::Record(index) => {
                let record = cursor.record_of(*index)?;
                Form::Record(
                    record
                        .segments
                        .iter()
                        .flatten()
                        .map(|field| Column::of(cursor, &field.kind, depth + 1))
                        .collect::<Outcome<_>>()?,
                )
            }
            Kind::Union(index) => {
                let union = cursor.union_of(*index)?;
                let part = |kind: &Option<Kind>| {
                    kind.as_ref()
                        .map(|kind| Column::of(cursor, kind, depth + 1))
                        .transpose()
                };
                let parts = union
                    .alternatives
                    .iter()
                    .map(|alternative| part(&alternative.kind))
                    .collect::<Outcome<_>>()?;
                Form::Union(Box::new(Column::new(Form::Fixed(2, Vec::new()))), parts)
            }
        }))
    }

    /// Puts a null, for which the budget of memory is charged: a bit may stand for many bytes.
    fn put_charged(&mut self, cursor: &mut Cursor<'_>) -> Outcome<()> {
        cursor.charge(0, self.room)?;
        self.put_null(true);
        Ok(())
    }

    /// Puts a null, or the place of a value within one.
    fn put_null(&mut self, null: bool) {
        match &mut self.form {
            Form::Bits(values) => values.push(0),
            Form::Fixed(width, values) => values.resize(values.len() + *width, 0),
            Form::Text(offsets, _) | Form::List(offsets, _) | Form::Map(offsets, _) => {
                offsets.extend_from_within(offsets.len() - 4..);
            }
            Form::Array(count, child) => (0..*count).for_each(|_| child.put_null(false)),
            Form::Record(children) => children.iter_mut().for_each(|child| child.put_null(false)),
            Form::Union(tags, children) => {
                tags.put_null(true);
                children
                    .iter_mut()
                    .flatten()
                    .for_each(|child| child.put_null(true));
            }
        }
        self.done(!null);
    }

    #[inline(always)]
    fn done(&mut self, valid: bool) {
        if !valid && self.valid.is_none() {
            self.valid = Some(vec![1; self.count]);
        }
        if let Some(all) = &mut self.valid {
            all.push(u8::from(valid));
        }
        self.nulls += usize::from(!valid);
        self.count += 1;
    }

    /// Reads a value within another into the column; depth is the level of the aggregate around it.
    #[inline(always)]
    pub(crate) fn read(&mut self, cursor: &mut Cursor<'_>, kind: &Kind, depth: u32) -> Outcome<()> {
        match (&mut self.form, kind) {
            (Form::Fixed(4, values), Kind::Scalar(_)) => {
                values.extend_from_slice(&cursor.fixed::<4>()?);
            }
            (Form::Fixed(8, values), Kind::Scalar(_)) => {
                values.extend_from_slice(&cursor.fixed::<8>()?);
            }
            (Form::Text(offsets, values), Kind::Text(prefix)) => {
                let text = cursor.string(prefix)?;
                if !text.is_ascii() && std::str::from_utf8(text).is_err() {
                    return Err(Stop::Refused);
                }
                values.extend_from_slice(text);
                offset(offsets, values.len())?;
            }
            (Form::Bits(values), Kind::Scalar(_)) => match cursor.fixed()? {
                [byte @ (0 | 1)] => values.push(byte),
                _ => return Err(Stop::Refused),
            },
            _ => return self.read_other(cursor, kind, depth),
        }
        self.done(true);
        Ok(())
    }

    /// Reads what `read` does not read itself, so that its frame is small.
    #[inline(never)]
    fn read_other(&mut self, cursor: &mut Cursor<'_>, kind: &Kind, depth: u32) -> Outcome<()> {
        match (&mut self.form, kind) {
            (_, Kind::Optional(element)) => {
                return match cursor.fixed()? {
                    [0] => self.put_charged(cursor),
                    [1] => self.read(cursor, element, depth),
                    _ => Err(Stop::Refused),
                }
            }
            (Form::Fixed(width, values), kind) => {
                let start = cursor.at;
                match kind {
                    Kind::Enum(_) => cursor.skip(kind, depth)?,
                    _ => drop(cursor.take(*width)?),
                }
                values.extend_from_slice(&cursor.data[start..cursor.at]);
            }
            (Form::Text(offsets, values), Kind::Bytes(prefix)) => {
                values.extend_from_slice(cursor.string(prefix)?);
                offset(offsets, values.len())?;
            }
            (Form::List(offsets, child), Kind::List(prefix, element)) => {
                let count = cursor.count(prefix)?;
                (0..count).try_for_each(|_| child.read(cursor, element, depth))?;
                offset(offsets, child.count)?;
            }
            (Form::Array(count, child), Kind::Array(_, element)) => {
                cursor.array(*count, element)?;
                (0..*count).try_for_each(|_| child.read(cursor, element, depth))?;
            }
            (Form::Map(offsets, parts), Kind::Map(prefix, kinds)) => {
                let (keys, items) = &mut **parts;
                read_map(keys, items, cursor, prefix, kinds, depth)?;
                offset(offsets, keys.count)?;
            }
            (Form::Record(children), Kind::Record(index)) => {
                let record = cursor.record_of(*index)?;
                let end = if record.message {
                    cursor.enter()?
                } else {
                    cursor.end
                };
                read_record(children, cursor, record, depth + 1)?;
                cursor.end = end;
            }
            (Form::Union(tags, children), Kind::Union(index)) => {
                read_union(tags, children, cursor, *index, depth + 1)?;
            }
            _ => return Err(Stop::Refused),
        }
        self.done(true);
        Ok(())
    }

    /// Reads a record that takes the whole window as the only value.
    pub(crate) fn read_whole(&mut self, cursor: &mut Cursor<'_>, record: &Record) -> Outcome<()> {
        let Form::Record(children) = &mut self.form else {
            return Err(Stop::Refused);
        };
        read_record(children, cursor, record, 1)?;
        self.done(true);
        Ok(())
    }

    /// The column for the runtime.
    pub(crate) fn finish(self) -> Outcome<Object> {
        let validity = self
            .valid
            .map_or_else(|| Ok(none()), |valid| bytes(&packed(&valid)))?;
        let (buffers, children) = match self.form {
            Form::Bits(values) => (vec![bytes(&packed(&values))?], Vec::new()),
            Form::Fixed(_, values) => (vec![bytes(&values)?], Vec::new()),
            Form::Text(offsets, values) => (vec![bytes(&offsets)?, bytes(&values)?], Vec::new()),
            Form::List(offsets, child) => (vec![bytes(&offsets)?], vec![child.finish()?]),
            Form::Array(_, child) => (Vec::new(), vec![child.finish()?]),
            Form::Map(offsets, parts) => (
                vec![bytes(&offsets)?],
                vec![parts.0.finish()?, parts.1.finish()?],
            ),
            Form::Record(children) => (
                Vec::new(),
                children
                    .into_iter()
                    .map(Column::finish)
                    .collect::<Outcome<_>>()?,
            ),
            Form::Union(tags, children) => {
                let parts = children
                    .into_iter()
                    .map(|child| child.map_or_else(|| Ok(none()), Column::finish));
                (
                    Vec::new(),
                    std::iter::once(tags.finish())
                        .chain(parts)
                        .collect::<Outcome<_>>()?,
                )
            }
        };
        tuple([
            unsigned(self.count as u64)?,
            unsigned(self.nulls as u64)?,
            validity,
            tuple(buffers)?,
            tuple(children)?,
        ])
    }
}

/// Reads the fields of a record, of which none may be missing.
fn read_record(
    children: &mut [Column],
    cursor: &mut Cursor<'_>,
    record: &Record,
    depth: u32,
) -> Outcome<()> {
    cursor.level(depth)?;
    let mut child = children.iter_mut();
    for (segment, fields) in record.segments.iter().enumerate() {
        if segment > 0 && cursor.at == cursor.end {
            return Err(Stop::Refused); // the runtime knows the defaults
        }
        for field in fields {
            child
                .next()
                .ok_or(Stop::Refused)?
                .read(cursor, &field.kind, depth)?;
        }
    }
    if record.message {
        cursor.at = cursor.end;
    }
    Ok(())
}

fn read_map(
    keys: &mut Column,
    items: &mut Column,
    cursor: &mut Cursor<'_>,
    prefix: &Prefix,
    kinds: &(Kind, Kind),
    depth: u32,
) -> Outcome<()> {
    let count = cursor.count(prefix)?;
    let mut last = None;
    for _ in 0..count {
        let start = cursor.at;
        keys.read(cursor, &kinds.0, depth)?;
        let order = cursor.order(&kinds.0, start)?;
        if last.as_ref().is_some_and(|last| *last >= order) {
            return Err(Stop::Refused);
        }
        last = Some(order);
        items.read(cursor, &kinds.1, depth)?;
    }
    Ok(())
}

fn read_union(
    tags: &mut Column,
    children: &mut [Option<Column>],
    cursor: &mut Cursor<'_>,
    index: usize,
    depth: u32,
) -> Outcome<()> {
    let union = cursor.union_of(index)?;
    let start = cursor.at;
    let tag = *cursor.data[..cursor.end].get(start).ok_or(Stop::Refused)?;
    let found = union
        .alternatives
        .binary_search_by_key(&tag, |alternative| alternative.tag);
    let Ok(found) = found else {
        cursor.skip_union(union, depth)?;
        tags.put_null(true);
        return children
            .iter_mut()
            .flatten()
            .try_for_each(|child| child.put_charged(cursor));
    };
    cursor.level(depth)?;
    cursor.at += 1;
    let end = if union.closed {
        cursor.end
    } else {
        cursor.enter()?
    };
    for (place, child) in children.iter_mut().enumerate() {
        match (child, &union.alternatives[place].kind) {
            (Some(child), Some(kind)) if place == found => child.read(cursor, kind, depth)?,
            (Some(child), _) => child.put_charged(cursor)?,
            _ => {}
        }
    }
    if !union.closed && cursor.at != cursor.end {
        return Err(Stop::Refused);
    }
    cursor.end = end;
    let Form::Fixed(_, numbers) = &mut tags.form else {
        return Err(Stop::Refused);
    };
    numbers.extend_from_slice(
        &u16::try_from(found)
            .map_err(|_| Stop::Refused)?
            .to_le_bytes(),
    );
    tags.done(true);
    Ok(())
}

/// Whether a type is an array of bytes, which is a value of its own.
pub(crate) fn is_octets(kind: &Kind) -> bool {
    matches!(kind, Kind::Array(_, element) if matches!(**element, Kind::Scalar(Scalar::U8)))
}

fn offset(offsets: &mut Vec<u8>, end: usize) -> Outcome<()> {
    offsets.extend_from_slice(&i32::try_from(end).map_err(|_| Stop::Refused)?.to_le_bytes());
    Ok(())
}

/// Bytes of 0 and 1 as bits, the first one lowest.
fn packed(values: &[u8]) -> Vec<u8> {
    values
        .chunks(8)
        .map(|part| part.iter().rev().fold(0, |bits, value| bits << 1 | value))
        .collect()
}
