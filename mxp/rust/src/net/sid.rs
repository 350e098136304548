//! Users of Windows.

use core::fmt;

/// Bytes of the longest security identifier: a head of 8 and 15 numbers.
const MOST_BYTES: usize = 8 + 15 * 4;

/// A user, as Windows knows it: a security identifier, as `S-1-5-21-…`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sid {
    /// All of it, and 0 behind.
    bytes: [u8; MOST_BYTES],
}

impl Sid {
    /// One of its bytes, as the system has them, unless they are none.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let numbers = usize::from(*bytes.get(1)?);
        if bytes.len() != 8 + 4 * numbers || bytes[0] != 1 {
            return None;
        }
        let mut all = [0; MOST_BYTES];
        all.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(Self { bytes: all })
    }
}

impl fmt::Display for Sid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [revision, numbers, authority @ ..] = self.bytes;
        let authority = authority[..6].iter();
        let authority = authority.fold(0_u64, |all, byte| all << 8 | u64::from(*byte));
        write!(f, "S-{revision}-{authority}")?;
        for number in self.bytes[8..].chunks_exact(4).take(numbers.into()) {
            let number = number.iter().rev();
            let number = number.fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
            write!(f, "-{number}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Sid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;
    use std::vec;

    use super::*;

    #[test]
    fn identifiers_are_written_as_windows_writes_them() {
        let system = [1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0];
        assert_eq!(Sid::read(&system).unwrap().to_string(), "S-1-5-18");
        let mut longest = vec![1, 15, 0, 0, 0, 0, 1, 0];
        longest.extend([0xff; 60]);
        let text = std::format!("S-1-256{}", "-4294967295".repeat(15));
        assert_eq!(Sid::read(&longest).unwrap().to_string(), text);
    }

    #[test]
    fn bytes_that_are_no_identifier_are_refused() {
        for bytes in [
            &[][..],
            &[1],
            &[2, 0, 0, 0, 0, 0, 0, 5],
            &[1, 1, 0, 0, 0, 0, 0, 5],
        ] {
            assert!(Sid::read(bytes).is_none(), "{bytes:?}");
        }
        let mut long = vec![1, 16, 0, 0, 0, 0, 0, 5];
        long.extend([0; 64]);
        assert!(Sid::read(&long).is_none());
    }
}
