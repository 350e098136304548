//! The records of a channel's handover, which follow the offers [MXP-18.12].

use std::format;
use std::string::{String, ToString as _};

use super::offer::{refused, OPENING_BYTES};
use crate::net::Failure;
use crate::session::{Kind, Status};

const BEGIN: [u8; 4] = *b"MXPC";
const VERSION: u8 = 1;

/// Where the service's name lies.
const NAME_AT: usize = 64;
/// Where the name of a refusal lies.
const REFUSAL_AT: usize = 8;
/// The longest name of a refusal, and the longest text, in bytes.
const REFUSAL_NAME: usize = 64;
const REFUSAL_TEXT: usize = OPENING_BYTES - REFUSAL_AT - REFUSAL_NAME;

/// How values of one direction of a channel reach their receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Delivery {
    /// All of them, in order. Where the receiver does not keep up the sender is told that there
    /// is no room.
    #[default]
    Queue = 0,
    /// The newest alone. The sender never waits, and a receiver that does not keep up sees no
    /// values between.
    Latest = 1,
}

/// The form of the values of one direction, which both sides have to mean alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) delivery: Delivery,
    /// How many bytes a value has.
    pub(crate) bytes: u32,
    /// The fingerprint of their type.
    pub(crate) fingerprint: u64,
}

/// The wish of an opener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChannelOffer {
    /// The service's full name.
    pub(crate) service: String,
    pub(crate) method: u16,
    pub(crate) requests: Form,
    pub(crate) responses: Form,
}

impl ChannelOffer {
    /// Encodes it, unless the service's name has no place in it.
    pub(super) fn encode(&self) -> Result<[u8; OPENING_BYTES], Failure> {
        let name = self.service.as_bytes();
        let length = u8::try_from(name.len()).ok().filter(|n| *n > 0);
        let length = length.ok_or_else(|| {
            let text = format!("a service's name of {} bytes", name.len());
            Failure::saying(Kind::ChannelForm, text)
        })?;
        let mut bytes = begun();
        (bytes[5], bytes[6]) = (self.requests.delivery as u8, self.responses.delivery as u8);
        bytes[7] = length;
        bytes[8..10].copy_from_slice(&self.method.to_le_bytes());
        for (form, at) in [(self.requests, 0), (self.responses, 1)] {
            bytes[16 + 4 * at..][..4].copy_from_slice(&form.bytes.to_le_bytes());
            bytes[24 + 8 * at..][..8].copy_from_slice(&form.fingerprint.to_le_bytes());
        }
        bytes[NAME_AT..][..name.len()].copy_from_slice(name);
        Ok(bytes)
    }

    pub(super) fn decode(bytes: &[u8; OPENING_BYTES]) -> Result<Self, Failure> {
        check_begin(bytes, "an opening")?;
        let form = |position: usize| {
            let delivery = match bytes[5 + position] {
                0 => Delivery::Queue,
                1 => Delivery::Latest,
                kind => return Err(refused(format!("{kind} is no kind of delivery"))),
            };
            Ok(Form {
                delivery,
                bytes: u32::from_le_bytes(part(bytes, 16 + 4 * position)),
                fingerprint: u64::from_le_bytes(part(bytes, 24 + 8 * position)),
            })
        };
        let (requests, responses) = (form(0)?, form(1)?);
        let end = NAME_AT + usize::from(bytes[7]);
        let name = core::str::from_utf8(&bytes[NAME_AT..end]);
        let Some(name) = name.ok().filter(|name| !name.is_empty()) else {
            return Err(refused("an opening has no name of a service".into()));
        };
        if bytes[10..16] != [0; 6] || bytes[40..NAME_AT] != [0; 24] || !is_zero(&bytes[end..]) {
            let text = "an opening has other bytes than 0 where they are to come";
            return Err(refused(text.into()));
        }
        Ok(Self {
            service: name.to_string(),
            method: u16::from_le_bytes(part(bytes, 8)),
            requests,
            responses,
        })
    }
}

/// Encodes the answer to an opening: a refusal, or none.
pub(super) fn encode_answer(refusal: Option<&Failure>) -> [u8; OPENING_BYTES] {
    let mut bytes = begun();
    let Some(refusal) = refusal else {
        return bytes;
    };
    // A status that has no such number is one that nobody knows.
    let status = u8::try_from(refusal.status.0).ok().filter(|n| *n > 0);
    bytes[5] = status.unwrap_or(2);
    let mut at = REFUSAL_AT;
    for (text, most, length) in [
        (&refusal.name, REFUSAL_NAME, 6),
        (&refusal.text, REFUSAL_TEXT, 7),
    ] {
        let mut n = text.len().min(most);
        while !text.is_char_boundary(n) {
            n -= 1;
        }
        bytes[at..at + n].copy_from_slice(&text.as_bytes()[..n]);
        bytes[length] = u8::try_from(n).unwrap_or(0);
        at += n;
    }
    bytes
}

/// Reads an answer: a refusal, or none. The offer before it says which.
pub(super) fn decode_answer(
    bytes: &[u8; OPENING_BYTES],
    is_refused: bool,
) -> Result<Option<Failure>, Failure> {
    check_begin(bytes, "an answer")?;
    let (name, text) = (usize::from(bytes[6]), usize::from(bytes[7]));
    let wrong = || refused("an answer is none".into());
    if is_refused != (bytes[5] != 0) || name > REFUSAL_NAME || text > REFUSAL_TEXT {
        return Err(wrong());
    }
    let (said, rest) = bytes[REFUSAL_AT..].split_at(name + text);
    if !is_zero(rest) || !is_refused && !said.is_empty() {
        return Err(wrong());
    }
    let read = |part| core::str::from_utf8(part).map_err(|_| wrong());
    let (name, text) = (read(&said[..name])?, read(&said[name..])?);
    Ok(is_refused.then(|| Failure::new(Status(u16::from(bytes[5])), name, text).refused()))
}

/// A record that begins as all do.
fn begun() -> [u8; OPENING_BYTES] {
    let mut bytes = [0; OPENING_BYTES];
    bytes[..4].copy_from_slice(&BEGIN);
    bytes[4] = VERSION;
    bytes
}

fn check_begin(bytes: &[u8; OPENING_BYTES], record: &str) -> Result<(), Failure> {
    if bytes[..4] != BEGIN {
        return Err(refused(format!(
            "{record} begins with {:02x?}",
            &bytes[..4]
        )));
    }
    if bytes[4] != VERSION {
        return Err(refused(format!("{record} has the version {}", bytes[4])));
    }
    Ok(())
}

/// So many bytes from a place on.
fn part<const N: usize>(bytes: &[u8; OPENING_BYTES], position: usize) -> [u8; N] {
    core::array::from_fn(|n| bytes[position + n])
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// The refusal of a side that has no memory to give.
pub(super) fn no_memory(why: String) -> Failure {
    Failure::saying(Kind::ChannelMemory, why)
}

/// The refusal of values that no ring has room for.
pub(super) fn too_large(form: Form) -> Failure {
    let text = format!("no ring has room for values of {} bytes", form.bytes);
    Failure::saying(Kind::ChannelForm, text)
}

/// The refusal of a ring.
pub(super) fn too_small(form: Form) -> Failure {
    let text = format!(
        "the peer's ring has no room for 4 values of {} bytes",
        form.bytes
    );
    Failure::saying(Kind::ChannelForm, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening() -> ChannelOffer {
        ChannelOffer {
            service: "demo.Desk".into(),
            method: 0x0102,
            requests: Form {
                delivery: Delivery::Queue,
                bytes: 24,
                fingerprint: 0x1111_2222_3333_4444,
            },
            responses: Form {
                delivery: Delivery::Latest,
                bytes: 114_688,
                fingerprint: 0x5555_6666_7777_8888,
            },
        }
    }

    /// The bytes that the specification gives.
    #[test]
    fn an_opening_has_its_bytes() {
        let mut want = [0; OPENING_BYTES];
        want[..16].copy_from_slice(b"MXPC\x01\0\x01\x09\x02\x01\0\0\0\0\0\0");
        want[16..24].copy_from_slice(&[24, 0, 0, 0, 0, 0xc0, 1, 0]);
        want[24..32].copy_from_slice(&[0x44, 0x44, 0x33, 0x33, 0x22, 0x22, 0x11, 0x11]);
        want[32..40].copy_from_slice(&[0x88, 0x88, 0x77, 0x77, 0x66, 0x66, 0x55, 0x55]);
        want[64..73].copy_from_slice(b"demo.Desk");
        assert_eq!(opening().encode().unwrap(), want);
        assert_eq!(ChannelOffer::decode(&want).unwrap(), opening());
    }

    #[test]
    fn names_of_all_lengths_have_their_place_but_none_and_longer_ones() {
        for (n, fits) in [(0, false), (1, true), (255, true), (256, false)] {
            let mut opening = opening();
            opening.service = "x".repeat(n);
            let encoded = opening.encode();
            assert_eq!(encoded.is_ok(), fits);
            if let Ok(bytes) = encoded {
                assert_eq!(ChannelOffer::decode(&bytes).unwrap(), opening);
            }
        }
    }

    /// Each byte that is not the opener's choice is looked at.
    #[test]
    fn an_opening_with_another_byte_where_there_is_no_choice_is_none() {
        let good = opening().encode().unwrap();
        let fixed = (0..5).chain(10..16).chain(40..64).chain(73..OPENING_BYTES);
        let kinds = [(5, 2), (6, 255), (7, 0), (7, 8), (64, 0xff)];
        for (at, byte) in fixed.map(|i| (i, good[i] ^ 1)).chain(kinds) {
            let mut bytes = good;
            bytes[at] = byte;
            let failure = ChannelOffer::decode(&bytes).unwrap_err();
            assert_eq!(failure.name, "shm_handover", "{at}");
        }
    }

    #[test]
    fn an_answer_is_read_as_it_was_written_and_cut_where_it_is_too_long() {
        let yes = encode_answer(None);
        assert_eq!(yes[..5], *b"MXPC\x01");
        assert!(is_zero(&yes[5..]));
        assert_eq!(decode_answer(&yes, false).unwrap(), None);
        let refusal = Failure::saying(Kind::ChannelUnknown, "not here");
        let no = encode_answer(Some(&refusal));
        assert_eq!(no[5..8], [12, 15, 8]);
        assert_eq!(no[8..31], *b"channel_unknownnot here");
        assert_eq!(decode_answer(&no, true).unwrap(), Some(refusal));
        let long = Failure::new(Status(999), "ä".repeat(100), "ö".repeat(500));
        let read = decode_answer(&encode_answer(Some(&long)), true);
        let read = read.unwrap().unwrap();
        assert_eq!((read.status, read.name), (Status(2), "ä".repeat(32)));
        assert_eq!(read.text, "ö".repeat(124));
    }

    #[test]
    fn an_answer_that_contradicts_itself_or_its_offer_is_none() {
        let yes = encode_answer(None);
        let no = encode_answer(Some(&Failure::saying(Kind::ChannelUnknown, "no")));
        let changed = |bytes: [u8; OPENING_BYTES], position: usize, byte| {
            let mut bytes = bytes;
            bytes[position] = byte;
            bytes
        };
        for (bytes, is_refused) in [
            (yes, true),
            (no, false),
            (changed(yes, 0, 0), false),
            (changed(yes, 4, 2), false),
            (changed(yes, 6, 1), false),
            (changed(yes, 319, 1), false),
            (changed(no, 6, 65), true),
            (changed(no, 7, 249), true),
            (changed(no, 7, 1), true),
            (changed(no, 8, 0xff), true),
            (changed(no, 319, 1), true),
        ] {
            let failure = decode_answer(&bytes, is_refused).unwrap_err();
            assert_eq!(failure.name, "shm_handover");
        }
    }

    /// Any bytes near a record: what is one is written as it was read.
    #[test]
    fn records_are_written_as_they_were_read_whatever_is_changed() {
        let mut longest = opening();
        longest.service = "x".repeat(255);
        let no = Failure::new(Status(9), "channel_form", "requests have 14 bytes");
        let most = Failure::new(Status(255), "n".repeat(64), "ä".repeat(124));
        let seeds = [
            opening().encode().unwrap(),
            longest.encode().unwrap(),
            encode_answer(None),
            encode_answer(Some(&no)),
            encode_answer(Some(&most)),
        ];
        // Numbers that look random (xorshift), and are the same each time.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut below = |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % n as u64).unwrap()
        };
        let mut read = [0; 3];
        for _ in 0..20_000 {
            let mut bytes = seeds[below(seeds.len())];
            for _ in 0..below(4) {
                // Most changes are of the numbers before the texts.
                let end = if below(4) > 0 { 72 } else { OPENING_BYTES };
                bytes[below(end)] = [0, 1, 9, 64, 65, 248, 255, b'x'][below(8)];
            }
            if let Ok(opening) = ChannelOffer::decode(&bytes) {
                assert_eq!(opening.encode().unwrap(), bytes);
                read[0] += 1;
            }
            if let Ok(granted) = decode_answer(&bytes, false) {
                assert!(granted.is_none() && bytes == encode_answer(None));
                read[1] += 1;
            }
            if let Ok(refused) = decode_answer(&bytes, true) {
                assert_eq!(encode_answer(Some(&refused.unwrap())), bytes);
                read[2] += 1;
            }
        }
        assert!(read.iter().all(|n| *n > 1000), "{read:?}");
    }
}
