//! The 32 bytes by which each side offers its memory [MXP-18.3].

use std::format;
use std::string::String;

use super::system::HANDLES_BYTES;
use crate::net::Failure;
use crate::session::Kind;

/// How many bytes an offer has.
pub(super) const OFFER_BYTES: usize = 32;

/// How many bytes follow that of a channel: an opening, or an answer [MXP-18.12].
pub(super) const OPENING_BYTES: usize = 320;

/// The bytes that it begins with.
pub(super) const BEGIN: [u8; 4] = *b"MXPS";

const VERSION: u8 = 1;

/// The sizes that a ring can have.
pub(super) const LEAST_RING: usize = 4096;
pub(super) const MOST_RING: usize = 1 << 30;

/// Byte 6 of an offer: what the connection is for.
pub(super) const USE_AT: usize = 6;

/// Where the handles of the sender's process are, where the system has such.
pub(super) const HANDLES_AT: usize = 16;

/// The use of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Session = 0,
    Channel = 1,
}

/// The word of a side on its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offer {
    /// The memory is taken, and here is one whose ring has so many bytes.
    Memory(usize),
    /// The connection goes on over the socket.
    Socket,
    /// The connection is refused.
    Refused,
}

impl Offer {
    pub(super) fn encode(self, purpose: Use) -> [u8; OFFER_BYTES] {
        let (verdict, ring) = match self {
            Self::Memory(ring) => (0, ring as u64),
            Self::Socket => (1, 0),
            Self::Refused => (2, 0),
        };
        let mut bytes = [0; OFFER_BYTES];
        bytes[..4].copy_from_slice(&BEGIN);
        (bytes[4], bytes[5], bytes[USE_AT]) = (VERSION, verdict, purpose as u8);
        bytes[8..16].copy_from_slice(&ring.to_le_bytes());
        bytes
    }

    /// Reads an offer of the acceptor, for a connection of some use.
    pub(super) fn decode(bytes: &[u8; OFFER_BYTES], purpose: Use) -> Result<Self, Failure> {
        let wrong = |text: String| Err(refused(text));
        if bytes[..4] != BEGIN {
            return wrong(format!("an offer begins with {:02x?}", &bytes[..4]));
        }
        if bytes[4] != VERSION {
            return wrong(format!("an offer has the version {}", bytes[4]));
        }
        let ring = u64::from_le_bytes([
            bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15],
        ]);
        let size = usize::try_from(ring).unwrap_or(usize::MAX);
        let is_ring = size.is_power_of_two() && (LEAST_RING..=MOST_RING).contains(&size);
        let offer = match bytes[5] {
            0 if !is_ring => return wrong(format!("a ring can't have {ring} bytes")),
            0 => Self::Memory(size),
            1 | 2 if ring != 0 => return wrong(format!("no ring has {ring} bytes")),
            1 => Self::Socket,
            2 => Self::Refused,
            verdict => return wrong(format!("{verdict} is no verdict")),
        };
        if bytes[USE_AT] != purpose as u8 {
            return wrong(format!("an offer has the use {}", bytes[USE_AT]));
        }
        let handles = match offer {
            Self::Memory(_) => HANDLES_BYTES,
            Self::Socket | Self::Refused => 0,
        };
        let rest = &bytes[HANDLES_AT + handles..];
        if bytes[7] != 0 || rest.iter().any(|byte| *byte != 0) {
            return wrong("an offer has other bytes than 0 where they are to come".into());
        }
        Ok(offer)
    }

    /// Reads an offer of the opener, which has memory: how many bytes its ring has, and the use.
    #[cfg(feature = "tokio")]
    pub(super) fn decode_first(bytes: &[u8; OFFER_BYTES]) -> Result<(usize, Use), Failure> {
        let of = match bytes[USE_AT] {
            1 => Use::Channel,
            _ => Use::Session,
        };
        match Self::decode(bytes, of)? {
            Self::Memory(ring) => Ok((ring, of)),
            _ => Err(refused("the offer of an opener has a verdict".into())),
        }
    }
}

/// The refusal of an invalid offer [MXP-18.4].
pub(super) fn refused(text: String) -> Failure {
    Failure::saying(Kind::ShmHandover, text)
}

#[cfg(all(test, feature = "tokio"))]
mod tests {
    use super::*;

    #[test]
    fn an_offer_has_its_bytes() {
        let bytes = Offer::Memory(1 << 18).encode(Use::Session);
        let mut want = [0; OFFER_BYTES];
        want[..5].copy_from_slice(b"MXPS\x01");
        want[10] = 4;
        assert_eq!(bytes, want);
        want[6] = 1;
        assert_eq!(Offer::Memory(1 << 18).encode(Use::Channel), want);
        want[6] = 0;
        want[10] = 0;
        want[5] = 1;
        assert_eq!(Offer::Socket.encode(Use::Session), want);
        want[5] = 2;
        assert_eq!(Offer::Refused.encode(Use::Session), want);
    }

    #[test]
    fn an_offer_is_read_as_it_was_written() {
        let rings = (12..=30).map(|n| Offer::Memory(1 << n));
        for offer in rings.chain([Offer::Socket, Offer::Refused]) {
            for (of, other) in [(Use::Session, Use::Channel), (Use::Channel, Use::Session)] {
                assert_eq!(Offer::decode(&offer.encode(of), of).unwrap(), offer);
                assert!(Offer::decode(&offer.encode(of), other).is_err());
            }
        }
    }

    /// Each byte of an offer is looked at.
    #[test]
    fn an_offer_with_another_byte_is_none() {
        for offer in [Offer::Memory(1 << 18), Offer::Socket, Offer::Refused] {
            let good = offer.encode(Use::Session);
            for at in 0..OFFER_BYTES {
                for byte in 0..=255 {
                    let mut bytes = good;
                    bytes[at] = byte;
                    let is_known = match (offer, at) {
                        _ if bytes == good => true,
                        (Offer::Socket | Offer::Refused, 5) => byte == 1 || byte == 2,
                        (Offer::Memory(_), 10) => byte.is_power_of_two(),
                        (Offer::Memory(_), HANDLES_AT..) => at < HANDLES_AT + HANDLES_BYTES,
                        _ => false,
                    };
                    let read = Offer::decode(&bytes, Use::Session);
                    assert_eq!(read.is_ok(), is_known, "{at} {byte}");
                    let name = read.err().map(|failure| failure.name);
                    assert!(is_known || name.as_deref() == Some("shm_handover"));
                    // An opener says what for.
                    let is_channel = bytes[5] == 0 && at == USE_AT && byte == 1;
                    assert_eq!(
                        Offer::decode_first(&bytes).is_ok(),
                        is_known && bytes[5] == 0 || is_channel
                    );
                }
            }
        }
    }

    #[test]
    fn a_ring_has_a_size_of_rings() {
        for ring in [0, 1, 2048, 4095, 4097, 3 << 12, 1 << 31, usize::MAX] {
            let bytes = Offer::Memory(ring).encode(Use::Session);
            assert!(Offer::decode(&bytes, Use::Session).is_err(), "{ring}");
        }
    }
}
