//! The type of a frame.

use core::fmt;

use crate::frame::header::TYPE_AT;
use crate::frame::{Error, Kind, Type};

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A number that is not assigned is refused as it is when decoding [MXP-2.1].
impl TryFrom<u8> for Type {
    type Error = Error;

    fn try_from(number: u8) -> Result<Self, Error> {
        Self::from_number(number).ok_or(Error::at(Kind::Type, TYPE_AT))
    }
}
