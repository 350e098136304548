//! The header of message mode.

use alloc::string::String;

#[cfg(feature = "std")]
use crate::LAYOUT_TEXT_BYTES;
use crate::{Error, Kind, HEADER_BYTES};

/// The first four bytes; the fourth is the version.
const MAGIC: [u8; 4] = *b"SDP2";

// The places of the header's parts [WIRE-10].
const VERSION_AT: usize = 3;
const TYPE_ID_AT: usize = 4;
const LENGTH_AT: usize = 6;

/// The header up to the payload's length.
pub(crate) const fn start(type_id: u16) -> [u8; LENGTH_AT] {
    let [m0, m1, m2, m3] = MAGIC;
    let [t0, t1] = type_id.to_le_bytes();
    [m0, m1, m2, m3, t0, t1]
}

/// The header of a payload of `length` bytes.
#[inline(always)]
pub(crate) fn of(type_id: u16, length: u32) -> [u8; HEADER_BYTES] {
    let [m0, m1, m2, m3, t0, t1] = start(type_id);
    let [n0, n1, n2, n3] = length.to_le_bytes();
    [m0, m1, m2, m3, t0, t1, n0, n1, n2, n3]
}

/// The payload of `input` in message mode. A header that isn't that of the type,
/// a payload that isn't whole, and one over the limit are refused [WIRE-10.2] to
/// [WIRE-10.8]; bytes may follow the payload.
#[doc(hidden)]
#[inline]
pub fn payload(input: &[u8], type_id: u16, message_bytes: usize) -> Result<&[u8], Error> {
    if let Some((header, rest)) = input.split_first_chunk::<HEADER_BYTES>() {
        let (magic, id, length) = parts(header);
        if let Ok(length) = usize::try_from(length) {
            if magic == MAGIC && id == type_id && length <= message_bytes && length <= rest.len() {
                return Ok(&rest[..length]);
            }
        }
    }
    Err(explain_header(input, type_id, message_bytes))
}

/// The type id of `input` in message mode, after the checks that come before it
/// [WIRE-10.2] to [WIRE-10.4]. It is for dispatchers.
#[doc(hidden)]
#[inline]
pub fn read_type_id(input: &[u8]) -> Result<u16, Error> {
    read_header(input).map(|(type_id, _)| type_id)
}

/// A dispatcher's refusal of a type id that its package doesn't have
/// [WIRE-10.6].
#[doc(hidden)]
#[must_use]
pub fn unknown_type_id() -> Error {
    Error::at(Kind::TypeIdUnknown, TYPE_ID_AT, String::new())
}

/// The first four bytes of a preamble [WIRE-11.7].
#[cfg(feature = "std")]
const PREAMBLE: [u8; 4] = *b"SDPS";

/// The header of a preamble with a layout text.
#[cfg(feature = "std")]
pub(crate) fn of_preamble(type_id: u16, layout: &str) -> Result<[u8; HEADER_BYTES], Error> {
    let length = u32::try_from(layout.len()).ok();
    let Some(length) = length.filter(|&length| !exceeds(length, LAYOUT_TEXT_BYTES)) else {
        return Err(Error::new(Kind::ValueTooLarge));
    };
    let mut header = of(type_id, length);
    header[VERSION_AT] = PREAMBLE[VERSION_AT];
    Ok(header)
}

/// The header in a stream: whether it is a preamble's, the type id and the payload's length.
#[cfg(feature = "std")]
pub(crate) fn read_stream_header(input: &[u8]) -> Result<(bool, u16, u32), Error> {
    if !input.starts_with(&PREAMBLE) {
        return read_header(input).map(|(type_id, length)| (false, type_id, length));
    }
    match input.first_chunk::<HEADER_BYTES>().map(parts) {
        Some((_, type_id, length)) => Ok((true, type_id, length)),
        None if input.len() < LENGTH_AT => {
            Err(Error::at(Kind::Truncated, TYPE_ID_AT, String::new()))
        }
        None => Err(Error::at(Kind::Truncated, LENGTH_AT, String::new())),
    }
}

/// The type id and the payload's length that a header declares.
pub(crate) fn read_header(input: &[u8]) -> Result<(u16, u32), Error> {
    match input.first_chunk::<HEADER_BYTES>().map(parts) {
        Some((MAGIC, type_id, length)) => Ok((type_id, length)),
        _ => Err(damaged(input)),
    }
}

/// The refusal of a payload that is over the limit.
pub(crate) fn payload_over_limit() -> Error {
    Error::at(Kind::LimitMessageBytes, LENGTH_AT, String::new())
}

/// The refusal of a payload in a stream that ends too early [WIRE-11.3].
#[cfg(feature = "std")]
pub(crate) fn payload_cut() -> Error {
    Error::at(Kind::Truncated, LENGTH_AT, String::new())
}

fn parts(header: &[u8; HEADER_BYTES]) -> ([u8; 4], u16, u32) {
    let [m0, m1, m2, m3, t0, t1, n0, n1, n2, n3] = *header;
    let type_id = u16::from_le_bytes([t0, t1]);
    let length = u32::from_le_bytes([n0, n1, n2, n3]);
    ([m0, m1, m2, m3], type_id, length)
}

/// Names the refusal of input that `payload` would not take.
#[cold]
fn explain_header(input: &[u8], type_id: u16, message_bytes: usize) -> Error {
    match read_header(input) {
        Err(error) => error,
        Ok((id, _)) if id != type_id => Error::at(Kind::TypeIdMismatch, TYPE_ID_AT, String::new()),
        Ok((_, length)) if exceeds(length, message_bytes) => payload_over_limit(),
        Ok(_) => Error::at(Kind::PayloadLength, LENGTH_AT, String::new()),
    }
}

/// Compares a declared length with a limit.
pub(crate) fn exceeds(length: u32, limit: usize) -> bool {
    usize::try_from(length).map_or(true, |length| length > limit)
}

/// Names the refusal of a header that is cut or isn't SDP's. The bytes that are
/// there are compared first.
#[cold]
fn damaged(input: &[u8]) -> Error {
    let equal = input.iter().zip(&MAGIC).take_while(|(a, b)| a == b).count();
    let (kind, offset) = match input.len() {
        n if equal < n.min(VERSION_AT) => (Kind::MagicInvalid, 0),
        n if equal < n.min(MAGIC.len()) => (Kind::VersionUnsupported, VERSION_AT),
        n if n < TYPE_ID_AT => (Kind::Truncated, 0),
        n if n < LENGTH_AT => (Kind::Truncated, TYPE_ID_AT),
        _ => (Kind::Truncated, LENGTH_AT),
    };
    Error::at(kind, offset, String::new())
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    struct Case {
        name: &'static str,
        input: &'static [u8],
        zeros: usize,
        /// The verdict of a decoder of type 7 that takes 20 bytes at most.
        decoder: Option<(Kind, usize)>,
        /// The verdict of a dispatcher that asks for the type id alone.
        dispatcher: Option<(Kind, usize)>,
    }

    const fn case(
        name: &'static str,
        input: &'static [u8],
        zeros: usize,
        decoder: Option<(Kind, usize)>,
        dispatcher: Option<(Kind, usize)>,
    ) -> Case {
        Case {
            name,
            input,
            zeros,
            decoder,
            dispatcher,
        }
    }

    fn cases() -> Vec<Case> {
        use Kind::*;
        let fine = |name, input, zeros| case(name, input, zeros, None, None);
        let both = |name, input, kind, offset| {
            case(name, input, 0, Some((kind, offset)), Some((kind, offset)))
        };
        let decoder =
            |name, input, zeros, kind, offset| case(name, input, zeros, Some((kind, offset)), None);
        alloc::vec![
            fine("fine", b"SDP2\x07\0\x02\0\0\0\xaa\xbb", 0),
            fine("an empty payload", b"SDP2\x07\0\0\0\0\0", 0),
            fine(
                "bytes behind the payload",
                b"SDP2\x07\0\x01\0\0\0\xaa\xbb",
                0
            ),
            fine("as long as allowed", b"SDP2\x07\0\x14\0\0\0", 20),
            both("nothing", b"", Truncated, 0),
            both("a cut magic", b"SD", Truncated, 0),
            both("a magic without version", b"SDP", Truncated, 0),
            both("no type id", b"SDP2", Truncated, 4),
            both("a cut type id", b"SDP2\x07", Truncated, 4),
            both("no length", b"SDP2\x07\0", Truncated, 6),
            both("a cut length", b"SDP2\x07\0\x02\0\0", Truncated, 6),
            both("another magic", b"SDQ2\x07\0\0\0\0\0", MagicInvalid, 0),
            both(
                "another version",
                b"SDP1\x07\0\0\0\0\0",
                VersionUnsupported,
                3
            ),
            both("12.29 magic", b"SE", MagicInvalid, 0),
            both("12.29 version", b"SDP3\x07", VersionUnsupported, 3),
            both("12.30", b"SEP3\x07\0\0\0\0\0", MagicInvalid, 0),
            both("12.31", b"SDP2\x08\0\0\0\0", Truncated, 6),
            decoder("another type", b"SDP2\x08\0\0\0\0\0", 0, TypeIdMismatch, 4),
            decoder(
                "another type's high byte",
                b"SDP2\x07\x01\0\0\0\0",
                0,
                TypeIdMismatch,
                4
            ),
            decoder(
                "a long payload",
                b"SDP2\x07\0\x15\0\0\0",
                21,
                LimitMessageBytes,
                6
            ),
            decoder(
                "a payload beyond the slice",
                b"SDP2\x07\0\x03\0\0\0\xaa\xbb",
                0,
                PayloadLength,
                6
            ),
            decoder("12.32 limit", b"SDP2\x08\0\xff\0\0\0", 0, TypeIdMismatch, 4),
            decoder(
                "12.32 payload",
                b"SDP2\x08\0\x01\0\0\0",
                0,
                TypeIdMismatch,
                4
            ),
            decoder(
                "12.33",
                b"SDP2\x07\0\xff\xff\xff\xff",
                0,
                LimitMessageBytes,
                6
            ),
        ]
    }

    fn refusal(case: Option<(Kind, usize)>) -> Option<Error> {
        case.map(|(kind, offset)| Error::at(kind, offset, ""))
    }

    #[test]
    fn payload_names_the_first_refusal_of_a_header() {
        for case in cases() {
            let mut input = case.input.to_vec();
            input.resize(input.len() + case.zeros, 0);
            let got = payload(&input, 7, 20);
            assert_eq!(got.clone().err(), refusal(case.decoder), "{}", case.name);
            if let Ok(payload) = got {
                assert_eq!(payload, &input[10..10 + usize::from(input[6])]);
            }
        }
    }

    #[test]
    fn type_id_is_refused_only_for_what_comes_before_it() {
        for case in cases() {
            let got = read_type_id(case.input);
            assert_eq!(got.clone().err(), refusal(case.dispatcher), "{}", case.name);
            if let Ok(id) = got {
                assert_eq!(id.to_le_bytes(), case.input[4..6]);
            }
        }
    }

    #[test]
    fn headers_are_read_as_they_were_started() {
        let bytes = [&start(0x0807)[..], &[1, 2, 3, 4]].concat();
        assert_eq!(bytes, b"SDP2\x07\x08\x01\x02\x03\x04");
        assert_eq!(read_header(&bytes), Ok((0x0807, 0x0403_0201)));
    }

    #[test]
    fn unknown_type_id_points_at_the_id() {
        assert_eq!(unknown_type_id(), Error::at(Kind::TypeIdUnknown, 4, ""));
    }
}
