//! Types as the engine reads them, from the tuples of `_native.py`.

use crate::cache::Cache;
use crate::python::{Class, Object, Outcome, Stop, Value};
use std::cell::Cell;

/// The types of a package.
pub(crate) struct Program {
    pub(crate) blocks: Vec<Block>,
    pub(crate) timestamp: Object,
    pub(crate) duration: Object,
    pub(crate) uuid: Uuid,
    /// The budgets of a decode: elements, bytes of memory, levels.
    pub(crate) budgets: (u64, u64, u32),
    /// The most bytes of texts that keep the budget of memory for all characters.
    pub(crate) most: usize,
    /// Levels of a value that is encoded.
    pub(crate) levels: u32,
    /// Room that encoders share.
    pub(crate) room: Cell<Vec<u8>>,
    pub(crate) cache: Cache,
    /// The class `array.array`.
    pub(crate) arrays: Object,
}

/// The class of UUIDs, whose objects are made without its constructor.
pub(crate) struct Uuid {
    pub(crate) class: Class,
    pub(crate) safe: Object,
}

/// A type with a name.
pub(crate) enum Block {
    Record(Record),
    Union(Union),
    Enum(Enum),
}

/// A struct or a message.
pub(crate) struct Record {
    pub(crate) class: Class,
    pub(crate) segments: Vec<Vec<Field>>,
    /// Whether it is a message, which has a length where it lies in another value.
    pub(crate) message: bool,
    /// The slot of bytes that a newer writer has put behind the known segments.
    pub(crate) unknown: Option<usize>,
}

/// A field of a record. Its slot is its index among all fields.
pub(crate) struct Field {
    pub(crate) kind: Kind,
    pub(crate) default: Default,
}

/// The value of a field of a segment that is missing.
pub(crate) enum Default {
    Value(Object),
    Call(Object),
}

/// A union, with its alternatives by ascending tags.
pub(crate) struct Union {
    pub(crate) closed: bool,
    pub(crate) alternatives: Vec<Alternative>,
    /// The class of alternatives without a name, with slots for the tag and the payload.
    pub(crate) unknown: Option<Class>,
}

/// An alternative of a union.
pub(crate) struct Alternative {
    pub(crate) tag: u8,
    /// The class of the alternative, with a slot for the payload if there is one. An inline struct has a class of its own.
    pub(crate) class: Class,
    pub(crate) kind: Option<Kind>,
    pub(crate) inline: bool,
}

/// An enum.
pub(crate) struct Enum {
    pub(crate) base: Scalar,
    pub(crate) closed: bool,
    pub(crate) class: Object,
    /// Members by their numbers, as the bits of an `i64`.
    pub(crate) members: Vec<(i64, Object)>,
    /// How many of the first members have their index as number.
    pub(crate) dense: usize,
}

impl Enum {
    /// The member of a number.
    #[inline]
    pub(crate) fn member(&self, number: i64) -> Option<&Object> {
        if let Ok(index) = usize::try_from(number) {
            if index < self.dense {
                return Some(&self.members[index].1);
            }
        }
        self.members
            .binary_search_by_key(&number, |member| member.0)
            .ok()
            .map(|index| &self.members[index].1)
    }
}

/// A type of fixed size, but for enums.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scalar {
    Bool,
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
    Timestamp,
    Duration,
    Uuid,
}

const SCALARS: [(Scalar, usize); 14] = [
    (Scalar::Bool, 1),
    (Scalar::U8, 1),
    (Scalar::U16, 2),
    (Scalar::U32, 4),
    (Scalar::U64, 8),
    (Scalar::I8, 1),
    (Scalar::I16, 2),
    (Scalar::I32, 4),
    (Scalar::I64, 8),
    (Scalar::F32, 4),
    (Scalar::F64, 8),
    (Scalar::Timestamp, 8),
    (Scalar::Duration, 8),
    (Scalar::Uuid, 16),
];

impl Scalar {
    /// The codes of numbers in memory that are of this type if their width is, too. Others than plain numbers have none.
    pub(crate) fn codes(self) -> &'static [u8] {
        match self {
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => b"BHILQ",
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => b"bhilq",
            Scalar::F32 | Scalar::F64 => b"fd",
            _ => b"",
        }
    }

    /// The bytes of a value.
    #[inline]
    pub(crate) fn width(self) -> usize {
        SCALARS[self as usize].1
    }
}

/// A length or count in front of items.
#[derive(Clone, Copy)]
pub(crate) struct Prefix {
    /// Its bytes: 1, 2 or 4.
    pub(crate) width: usize,
    pub(crate) max: u64,
    /// The smallest size of an item, and the memory that is charged for it.
    pub(crate) least: u64,
    pub(crate) cost: u64,
}

/// A type.
pub(crate) enum Kind {
    Scalar(Scalar),
    Text(Prefix),
    Bytes(Prefix),
    List(Prefix, Box<Kind>),
    Array(usize, Box<Kind>),
    Map(Prefix, Box<(Kind, Kind)>),
    Optional(Box<Kind>),
    /// An enum, with its index among the blocks.
    Enum(usize),
    Record(usize),
    Union(usize),
}

impl Program {
    /// Reads `(blocks, timestamp, duration, uuid, slots of uuid, safe, (elements, memory, depth), most, levels, array)`.
    pub(crate) fn new(value: Value<'_>) -> Outcome<Program> {
        let blocks = value.item(0)?.sequence().ok_or(Stop::Refused)?;
        let kinds: Vec<i64> = blocks
            .iter()
            .map(|block| integer(block, 0))
            .collect::<Outcome<_>>()?;
        let budgets = value.item(6)?;
        Ok(Program {
            blocks: blocks
                .iter()
                .map(|block| block_of(block, &kinds))
                .collect::<Outcome<_>>()?,
            timestamp: value.item(1)?.object(),
            duration: value.item(2)?.object(),
            uuid: Uuid {
                class: Class::new(value.item(3)?, value.item(4)?, true)?,
                safe: value.item(5)?.object(),
            },
            budgets: (
                natural(budgets, 0)?,
                natural(budgets, 1)?,
                small(budgets, 2)?,
            ),
            most: index(value, 7)?,
            levels: small(value, 8)?,
            room: Cell::default(),
            cache: Cache::new(),
            arrays: value.item(9)?.object(),
        })
    }
}

const STRUCT: i64 = 0;
const MESSAGE: i64 = 1;
const UNION: i64 = 2;
const ENUM: i64 = 3;

fn block_of(value: Value<'_>, kinds: &[i64]) -> Outcome<Block> {
    match integer(value, 0)? {
        form @ (STRUCT | MESSAGE) => {
            // (form, class, slots, tracked, keep, segments of (type, constant, default))
            let keep = truth(value, 4)?;
            let slots = value.item(2)?;
            let segments = list(value, 5, |segment| {
                items(segment, |field| field_of(field, kinds))
            })?;
            let count: usize = segments.iter().map(Vec::len).sum();
            let unknown = keep.then_some(count);
            if slots.sequence().ok_or(Stop::Refused)?.count != count + usize::from(keep) {
                return Err(Stop::Refused);
            }
            Ok(Block::Record(Record {
                class: Class::new(value.item(1)?, slots, truth(value, 3)?)?,
                segments,
                message: form == MESSAGE,
                unknown,
            }))
        }
        UNION => {
            // (form, closed, alternatives of (tag, class, slots, tracked, type or None, inline), class of others or None, its slots)
            let alternatives = list(value, 2, |part| {
                let kind = part.item(4)?;
                Ok(Alternative {
                    tag: u8::try_from(integer(part, 0)?).map_err(|_| Stop::Refused)?,
                    class: Class::new(part.item(1)?, part.item(2)?, truth(part, 3)?)?,
                    kind: if kind.is_none() {
                        None
                    } else {
                        Some(kind_of(kind, kinds)?)
                    },
                    inline: truth(part, 5)?,
                })
            })?;
            let other = value.item(3)?;
            let unknown = if other.is_none() {
                None
            } else {
                Some(Class::new(other, value.item(4)?, false)?)
            };
            Ok(Block::Union(Union {
                closed: truth(value, 1)?,
                alternatives,
                unknown,
            }))
        }
        ENUM => {
            // (form, scalar, closed, class, members of (number, member))
            let base = scalar_of(integer(value, 1)?)?;
            let mut members = list(value, 4, |member| {
                let number = member.item(0)?;
                let bits = number
                    .signed()
                    .or_else(|| number.unsigned().map(u64::cast_signed))
                    .ok_or(Stop::Refused)?;
                Ok((bits, member.item(1)?.object()))
            })?;
            members.sort_by_key(|member| member.0);
            let dense = members
                .iter()
                .enumerate()
                .take_while(|(index, member)| usize::try_from(member.0) == Ok(*index))
                .count();
            Ok(Block::Enum(Enum {
                base,
                closed: truth(value, 2)?,
                class: value.item(3)?.object(),
                members,
                dense,
            }))
        }
        _ => Err(Stop::Refused),
    }
}

fn field_of(value: Value<'_>, kinds: &[i64]) -> Outcome<Field> {
    let default = value.item(2)?.object();
    let default = if truth(value, 1)? {
        Default::Value(default)
    } else {
        Default::Call(default)
    };
    Ok(Field {
        kind: kind_of(value.item(0)?, kinds)?,
        default,
    })
}

/// Reads a type: its form, then what the form has. Forms below 14 are scalars.
fn kind_of(value: Value<'_>, kinds: &[i64]) -> Outcome<Kind> {
    let boxed = |index| kind_of(value.item(index)?, kinds);
    Ok(match integer(value, 0)? {
        14 => Kind::Text(prefix_of(value)?),
        15 => Kind::Bytes(prefix_of(value)?),
        16 => Kind::List(prefix_of(value)?, Box::new(boxed(5)?)),
        17 => Kind::Array(index(value, 1)?, Box::new(boxed(2)?)),
        18 => Kind::Map(prefix_of(value)?, Box::new((boxed(5)?, boxed(6)?))),
        19 => Kind::Optional(Box::new(boxed(1)?)),
        20 => {
            let index = index(value, 1)?;
            match *kinds.get(index).ok_or(Stop::Refused)? {
                ENUM => Kind::Enum(index),
                UNION => Kind::Union(index),
                _ => Kind::Record(index),
            }
        }
        scalar => Kind::Scalar(scalar_of(scalar)?),
    })
}

fn prefix_of(value: Value<'_>) -> Outcome<Prefix> {
    let width = index(value, 1)?;
    if !matches!(width, 1 | 2 | 4) {
        return Err(Stop::Refused);
    }
    Ok(Prefix {
        width,
        max: natural(value, 2)?,
        least: natural(value, 3)?,
        cost: natural(value, 4)?,
    })
}

fn scalar_of(number: i64) -> Outcome<Scalar> {
    usize::try_from(number)
        .ok()
        .and_then(|index| SCALARS.get(index))
        .map(|scalar| scalar.0)
        .ok_or(Stop::Refused)
}

fn integer(value: Value<'_>, place: usize) -> Outcome<i64> {
    value.item(place)?.signed().ok_or(Stop::Refused)
}

fn natural(value: Value<'_>, place: usize) -> Outcome<u64> {
    value.item(place)?.unsigned().ok_or(Stop::Refused)
}

fn index(value: Value<'_>, place: usize) -> Outcome<usize> {
    usize::try_from(natural(value, place)?).map_err(|_| Stop::Refused)
}

fn small(value: Value<'_>, place: usize) -> Outcome<u32> {
    u32::try_from(natural(value, place)?).map_err(|_| Stop::Refused)
}

fn truth(value: Value<'_>, place: usize) -> Outcome<bool> {
    value.item(place)?.boolean().ok_or(Stop::Refused)
}

fn list<T>(
    value: Value<'_>,
    place: usize,
    read: impl Fn(Value<'_>) -> Outcome<T>,
) -> Outcome<Vec<T>> {
    items(value.item(place)?, read)
}

fn items<T>(value: Value<'_>, read: impl Fn(Value<'_>) -> Outcome<T>) -> Outcome<Vec<T>> {
    value
        .sequence()
        .ok_or(Stop::Refused)?
        .iter()
        .map(read)
        .collect()
}
