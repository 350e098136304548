//! The one error of frames.

use core::fmt;

use crate::frame::Kind;

/// The error of encoding, decoding and reading: which rule was broken, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Error {
    /// The rule, by the same name in every language.
    pub kind: Kind,
    /// The refused byte, counted from the first byte of the frame. There is none
    /// for a buffer that is too small.
    pub offset: Option<usize>,
}

impl Error {
    /// A refusal without an offset.
    #[must_use]
    pub const fn new(kind: Kind) -> Self {
        Self { kind, offset: None }
    }

    /// A refusal of a byte.
    #[must_use]
    pub const fn at(kind: Kind, offset: usize) -> Self {
        Self {
            kind,
            offset: Some(offset),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.as_str())?;
        match self.offset {
            Some(offset) => write!(f, " at byte {offset}"),
            None => Ok(()),
        }
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
    fn display_leaves_out_what_is_not_known() {
        let flags = Error::at(Kind::Flags, 5);
        assert_eq!(flags.to_string(), "frame_flags at byte 5");
        let small = Error::new(Kind::BufferTooSmall);
        assert_eq!(small.to_string(), "frame_buffer_too_small");
    }

    #[test]
    fn kinds_come_back_from_their_numbers() {
        let kinds = (0..=u8::MAX).filter_map(|n| Some((n, Kind::from_number(n)?)));
        let mut count = 0;
        for (number, kind) in kinds {
            assert_eq!(kind.number(), number);
            assert!(kind.to_string().starts_with("frame_"));
            count += 1;
        }
        assert_eq!(count, 9);
    }

    #[cfg(feature = "std")]
    #[test]
    fn io_errors_are_invalid_data_and_keep_the_refusal() {
        let refusal = Error::at(Kind::Magic, 0);
        let error = std::io::Error::from(refusal);
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
        let kept = error.get_ref().unwrap().downcast_ref::<Error>();
        assert_eq!(kept, Some(&refusal));
    }
}
