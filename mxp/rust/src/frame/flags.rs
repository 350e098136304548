//! The flags of a frame.

use core::fmt;
use core::ops::{BitOr, BitOrAssign};

use crate::frame::header::FLAGS_AT;
use crate::frame::{Error, Kind};

/// The flags of a frame [MXP-1.4].
///
/// ```
/// use mxp::frame::Flags;
///
/// let flags = Flags::COMPRESSED | Flags::FINAL;
/// assert!(flags.contains(Flags::FINAL));
/// assert_eq!(flags.bits(), 9);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(pub(super) u8);

impl Flags {
    /// The flags of these bits, unless one of them is not defined.
    #[must_use]
    #[inline]
    pub const fn from_bits(bits: u8) -> Option<Self> {
        if bits & !Self::ALL == 0 {
            Some(Self(bits))
        } else {
            None
        }
    }

    /// The flags of both, as `|` has them, for constants.
    pub(crate) const fn or(self, flags: Self) -> Self {
        Self(self.0 | flags.0)
    }

    /// The flags as bits.
    #[must_use]
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Reports whether all of these flags are set.
    #[must_use]
    #[inline]
    pub const fn contains(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }
}

impl BitOr for Flags {
    type Output = Self;

    #[inline]
    fn bitor(self, rhs: Self) -> Self {
        self.or(rhs)
    }
}

impl BitOrAssign for Flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: Self) {
        self.0 |= rhs.0;
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE {
            return f.write_str("NONE");
        }
        let set = Self::NAMES.iter().filter(|(flag, _)| self.contains(*flag));
        for (i, (_, name)) in set.enumerate() {
            if i > 0 {
                f.write_str(" | ")?;
            }
            f.write_str(name)?;
        }
        Ok(())
    }
}

/// A flag that is not defined is refused as it is when decoding [MXP-2.1].
impl TryFrom<u8> for Flags {
    type Error = Error;

    fn try_from(bits: u8) -> Result<Self, Error> {
        Self::from_bits(bits).ok_or(Error::at(Kind::Flags, FLAGS_AT))
    }
}
