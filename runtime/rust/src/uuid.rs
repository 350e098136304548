//! The scalar `uuid`.

use core::fmt;
use core::str::FromStr;

use crate::{Error, Kind};

/// A uuid, its bytes in the order in which RFC 9562 prints them. Any pattern is
/// valid; the default is the nil uuid.
///
/// ```
/// let uuid: sdp::Uuid = "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6".parse()?;
/// assert_eq!(uuid.to_string(), "f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
/// # Ok::<(), sdp::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Uuid(pub [u8; 16]);

/// How many bytes stand between two hyphens, from the left.
const GROUPS: [usize; 5] = [4, 2, 2, 2, 6];

impl Uuid {
    /// The uuid of these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes of the uuid.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl From<[u8; 16]> for Uuid {
    fn from(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl From<Uuid> for [u8; 16] {
    fn from(uuid: Uuid) -> Self {
        uuid.0
    }
}

/// 32 lower-case hexadecimal digits and four hyphens [JSON-2.12].
impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [b'-'; 36];
        let (mut at, mut bytes) = (0, self.0.iter());
        for group in GROUPS {
            for &byte in bytes.by_ref().take(group) {
                text[at] = hex_digit(byte >> 4);
                text[at + 1] = hex_digit(byte & 0xf);
                at += 2;
            }
            at += 1;
        }
        f.pad(core::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Uuid({self})")
    }
}

/// Reads what `Display` writes, in lower or upper case, and nothing else. A
/// refusal is a [`Kind::ValueInvalid`].
impl FromStr for Uuid {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        parse(text.as_bytes()).ok_or(Error::new(Kind::ValueInvalid))
    }
}

fn hex_digit(nibble: u8) -> u8 {
    b"0123456789abcdef"[usize::from(nibble)]
}

fn parse(mut text: &[u8]) -> Option<Uuid> {
    let mut uuid = Uuid::default();
    let mut bytes = uuid.0.iter_mut();
    for (i, group) in GROUPS.into_iter().enumerate() {
        if i > 0 {
            text = text.strip_prefix(b"-")?;
        }
        for byte in bytes.by_ref().take(group) {
            let (&[high, low], rest) = text.split_first_chunk()?;
            *byte = nibble(high)? << 4 | nibble(low)?;
            text = rest;
        }
    }
    text.is_empty().then_some(uuid)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;

    use super::*;

    const TEXT: &str = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";

    #[test]
    fn text_is_lower_case_in_five_groups() {
        let uuid: Uuid = TEXT.parse().unwrap();
        assert_eq!(uuid.0[..4], [0xf8, 0x1d, 0x4f, 0xae]);
        assert_eq!(uuid.0[15], 0xf6);
        assert_eq!(uuid.to_string(), TEXT);
        assert_eq!(format!("{uuid:?}"), format!("Uuid({TEXT})"));
        assert_eq!(TEXT.to_uppercase().parse(), Ok(uuid));
        assert_eq!(
            Uuid::default().to_string(),
            "00000000-0000-0000-0000-000000000000"
        );
    }

    #[test]
    fn bytes_go_in_and_out() {
        let uuid: Uuid = TEXT.parse().unwrap();
        assert_eq!(Uuid::from_bytes(*uuid.as_bytes()), uuid);
        assert_eq!(Uuid::from(<[u8; 16]>::from(uuid)), uuid);
    }

    #[test]
    fn any_other_text_is_refused() {
        for text in [
            "",
            "f81d4fae7dec11d0a76500a0c91e6bf6",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bf6 ",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bf66",
            "f81d4fae-7dec-11d0-a76-500a0c91e6bf6",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bfg",
            "{f81d4fae-7dec-11d0-a765-00a0c91e6b}",
            "f81d4fae-7dec-11d0-a765-+0a0c91e6bf6",
            "f81d4fae-7dec-11d0-a765-00a0c91e6b\u{e9}",
        ] {
            assert_eq!(
                text.parse::<Uuid>(),
                Err(Error::new(Kind::ValueInvalid)),
                "{text}"
            );
        }
    }
}
