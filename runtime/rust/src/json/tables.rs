//! Tables of generated types: the names that they have in JSON.

/// The members of a struct, message or inline alternative.
#[derive(Debug, Clone, Copy)]
pub struct Object {
    pub(super) fields: &'static [Field],
    /// Whether members that are no fields are passed over.
    pub(super) open: bool,
}

impl Object {
    /// A struct or inline alternative: each member is a field.
    #[must_use]
    pub const fn of_struct(fields: &'static [Field]) -> Self {
        Self {
            fields,
            open: false,
        }
    }

    /// A message: members that are no fields are passed over.
    #[must_use]
    pub const fn of_message(fields: &'static [Field]) -> Self {
        Self { fields, open: true }
    }
}

/// A member that an object may have.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its key in JSON.
    pub(super) key: &'static str,
    /// Its name in the schema, for paths. A member without a name is refused under the path of its
    /// object.
    pub(super) name: &'static str,
    pub(super) required: bool,
}

impl Field {
    /// A member that may not be missing: a field of segment 1 that is no
    /// optional.
    #[must_use]
    pub const fn required(key: &'static str, name: &'static str) -> Self {
        Self {
            key,
            name,
            required: true,
        }
    }

    /// A member that may be missing: an optional, or a field of a later segment.
    #[must_use]
    pub const fn optional(key: &'static str, name: &'static str) -> Self {
        Self {
            key,
            name,
            required: false,
        }
    }

    /// The unknown tail that a message keeps.
    #[must_use]
    pub const fn unknown_fields() -> Self {
        Self::optional(UNKNOWN, "")
    }

    /// Whether it is the tail. Fields have names in the schema.
    pub(super) fn is_tail(&self) -> bool {
        self.name.is_empty()
    }
}

/// The key of what this program's schema doesn't know: the tail of a message,
/// the alternative of a union.
pub(super) const UNKNOWN: &str = "$unknown";

/// The alternatives of a union.
#[derive(Debug, Clone, Copy)]
pub struct Union {
    pub(super) alternatives: &'static [Alternative],
    pub(super) closed: bool,
}

impl Union {
    /// A union that keeps unknown alternatives.
    #[must_use]
    pub const fn open(alternatives: &'static [Alternative]) -> Self {
        Self {
            alternatives,
            closed: false,
        }
    }

    /// A `@closed` union.
    #[must_use]
    pub const fn closed(alternatives: &'static [Alternative]) -> Self {
        Self {
            alternatives,
            closed: true,
        }
    }

    /// Whether a tag may belong to an unknown alternative.
    pub(super) fn allows_unknown(&self, tag: u8) -> bool {
        tag != 0
            && self
                .alternatives
                .iter()
                .all(|alternative| alternative.tag != tag)
    }
}

/// An alternative of a union.
#[derive(Debug, Clone, Copy)]
pub struct Alternative {
    pub(super) tag: u8,
    pub(super) key: &'static str,
    pub(super) name: &'static str,
}

impl Alternative {
    /// An alternative with its tag, its key in JSON and its name in the schema.
    #[must_use]
    pub const fn new(tag: u8, key: &'static str, name: &'static str) -> Self {
        Self { tag, key, name }
    }
}

/// The members of an enum, their names in JSON and their numbers.
#[derive(Debug, Clone, Copy)]
pub struct Enum<B: 'static>(pub &'static [(&'static str, B)]);
