//! Rows at the end of a path of fields, as a column.

use crate::columns::{is_octets, Column};
use crate::cursor::Cursor;
use crate::program::{Kind, Record};
use crate::python::{Object, Outcome, Stop};

/// The column of the rows at the end of a path in a value that takes the whole window.
pub(crate) fn table(cursor: &mut Cursor<'_>, block: usize, path: &[usize]) -> Outcome<Object> {
    let record = cursor.record_of(block)?;
    let mut rows = Column::of(cursor, row_of(cursor, &Kind::Record(block), path)?, 1)?;
    if path.is_empty() {
        rows.read_whole(cursor, record)?;
    } else {
        read_path(cursor, record, path, &mut rows, 1)?;
    }
    if cursor.at == cursor.end {
        rows.finish()
    } else {
        Err(Stop::Refused)
    }
}

/// The type of a row at the end of a path.
fn row_of<'k>(cursor: &Cursor<'k>, kind: &'k Kind, path: &[usize]) -> Outcome<&'k Kind> {
    match (kind, path) {
        _ if path.is_empty() && is_octets(kind) => Ok(kind),
        (Kind::List(_, element) | Kind::Array(_, element), []) => Ok(element),
        (Kind::List(_, element) | Kind::Array(_, element) | Kind::Optional(element), _) => {
            row_of(cursor, element, path)
        }
        (Kind::Record(index), [first, rest @ ..]) => {
            let record = cursor.record_of(*index)?;
            let field = record
                .segments
                .iter()
                .flatten()
                .nth(*first)
                .ok_or(Stop::Refused)?;
            row_of(cursor, &field.kind, rest)
        }
        (_, []) => Ok(kind),
        _ => Err(Stop::Refused),
    }
}

/// Reads the rows at the end of a path: indexes of fields, through records, optionals and lists. Other values are passed over.
fn read_rows(
    cursor: &mut Cursor<'_>,
    kind: &Kind,
    path: &[usize],
    rows: &mut Column,
    depth: u32,
) -> Outcome<()> {
    match (kind, path) {
        _ if path.is_empty() && is_octets(kind) => rows.read(cursor, kind, depth),
        (Kind::List(prefix, element), _) => {
            let count = cursor.count(prefix)?;
            (0..count).try_for_each(|_| read_row(cursor, element, path, rows, depth))
        }
        (Kind::Array(count, element), _) => {
            cursor.array(*count, element)?;
            (0..*count).try_for_each(|_| read_row(cursor, element, path, rows, depth))
        }
        (Kind::Optional(element), _) => match cursor.fixed()? {
            [0] => Ok(()),
            [1] => read_rows(cursor, element, path, rows, depth),
            _ => Err(Stop::Refused),
        },
        (Kind::Record(index), [_, ..]) => {
            let record = cursor.record_of(*index)?;
            let end = if record.message {
                cursor.enter()?
            } else {
                cursor.end
            };
            read_path(cursor, record, path, rows, depth + 1)?;
            cursor.end = end;
            Ok(())
        }
        (_, []) => rows.read(cursor, kind, depth),
        _ => Err(Stop::Refused),
    }
}

fn read_row(
    cursor: &mut Cursor<'_>,
    element: &Kind,
    path: &[usize],
    rows: &mut Column,
    depth: u32,
) -> Outcome<()> {
    if path.is_empty() {
        rows.read(cursor, element, depth)
    } else {
        read_rows(cursor, element, path, rows, depth)
    }
}

/// Reads the rows of one field of a record, or of a message that takes the whole window.
fn read_path(
    cursor: &mut Cursor<'_>,
    record: &Record,
    path: &[usize],
    rows: &mut Column,
    depth: u32,
) -> Outcome<()> {
    cursor.level(depth)?;
    let mut index = 0;
    for (segment, fields) in record.segments.iter().enumerate() {
        if segment > 0 && cursor.at == cursor.end {
            return Err(Stop::Refused); // the runtime knows the defaults
        }
        for field in fields {
            if index == path[0] {
                read_rows(cursor, &field.kind, &path[1..], rows, depth)?;
            } else {
                cursor.skip(&field.kind, depth)?;
            }
            index += 1;
        }
    }
    if record.message {
        cursor.at = cursor.end;
    }
    Ok(())
}
