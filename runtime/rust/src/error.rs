//! The one error of encoding, decoding and validating.

use alloc::format;
use alloc::string::String;
use core::fmt;

use crate::Kind;

/// The refusal of an encoder, decoder or validator: which rule was broken, where
/// in the bytes, and in which field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Error {
    /// The rule, by the same name in every language.
    pub kind: Kind,
    /// The refused byte, counted from the start of the caller's slice, of a
    /// stream from the start of its current message. There is none when
    /// encoding and validating.
    pub offset: Option<usize>,
    /// The field, for instance `plugins[3].parameters[0].unit`; empty for the
    /// value itself.
    pub path: String,
}

impl Error {
    /// A refusal of the value itself, without an offset.
    #[must_use]
    pub const fn new(kind: Kind) -> Self {
        Self {
            kind,
            offset: None,
            path: String::new(),
        }
    }

    /// A refusal of a byte and the field that it belongs to.
    #[must_use]
    pub fn at(kind: Kind, offset: usize, path: impl Into<String>) -> Self {
        Self {
            kind,
            offset: Some(offset),
            path: path.into(),
        }
    }

    /// Says that the refused value lies in a field. Paths grow from the inside
    /// out, so that a value without fault pays nothing for them.
    #[doc(hidden)]
    #[must_use]
    pub fn in_field(self, name: &str) -> Self {
        self.behind(name)
    }

    /// Says that the refused value lies in element `i`.
    #[doc(hidden)]
    #[must_use]
    pub fn in_element(self, i: usize) -> Self {
        self.behind(&format!("[{i}]"))
    }

    /// Puts a step before the path.
    fn behind(mut self, step: &str) -> Self {
        if !self.path.is_empty() && !self.path.starts_with('[') {
            self.path.insert(0, '.');
        }
        self.path.insert_str(0, step);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.as_str())?;
        if let Some(offset) = self.offset {
            write!(f, " at byte {offset}")?;
        }
        if !self.path.is_empty() {
            write!(f, " in {}", self.path)?;
        }
        Ok(())
    }
}

impl core::error::Error for Error {}

#[cfg(feature = "std")]
impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        Self::new(std::io::ErrorKind::InvalidData, error)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn paths_grow_from_the_inside_out() {
        let error = Error::new(Kind::LimitMax)
            .in_field("unit")
            .in_element(0)
            .in_field("parameters")
            .in_element(3)
            .in_field("plugins");
        assert_eq!(error.path, "plugins[3].parameters[0].unit");
        let error = Error::new(Kind::LimitMax)
            .in_element(2)
            .in_element(1)
            .in_field("grid");
        assert_eq!(error.path, "grid[1][2]");
        let error = Error::new(Kind::MapOrder).in_field("key").in_element(3);
        assert_eq!(error.path, "[3].key");
    }

    #[test]
    fn display_leaves_out_what_is_not_known() {
        let cases = [
            (
                Error::at(Kind::Truncated, 3, "gain"),
                "truncated at byte 3 in gain",
            ),
            (
                Error::at(Kind::TrailingBytes, 9, ""),
                "trailing_bytes at byte 9",
            ),
            (
                Error::new(Kind::LimitMax).in_field("name"),
                "limit_max in name",
            ),
            (Error::new(Kind::BufferTooSmall), "buffer_too_small"),
        ];
        for (error, want) in cases {
            assert_eq!(error.to_string(), want);
        }
    }

    #[test]
    fn kinds_come_back_from_their_numbers() {
        let mut count = 0;
        for number in 0..=u8::MAX {
            if let Some(kind) = Kind::from_number(number) {
                assert_eq!(kind.number(), number);
                assert_eq!(kind.to_string(), kind.as_str());
                count += 1;
            }
        }
        // The numbers run from 1 to that of JSON; one kind has a later number.
        assert_eq!(count, Kind::JsonInvalid.number() + 1);
        assert_eq!(Kind::from_number(83), Some(Kind::LayoutMismatch));
    }

    #[cfg(feature = "std")]
    #[test]
    fn io_errors_are_invalid_data_and_keep_the_refusal() {
        let refusal = Error::at(Kind::Truncated, 3, "gain");
        let error = std::io::Error::from(refusal.clone());
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
        assert_eq!(
            error.get_ref().unwrap().downcast_ref::<Error>(),
            Some(&refusal)
        );
    }
}
