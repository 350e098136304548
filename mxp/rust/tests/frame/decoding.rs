use mxp::frame::{decode, decode_prefix, peek, Flags, Frame, Header, Kind, Type, PAYLOAD_BYTES};

use crate::build::{frame_bytes, payload, refused, Raw, CHECKED, LENGTHS, UNCHECKED};

/// The numbers that the specification assigns.
const TYPES: [(u8, &str); 19] = [
    (0x01, "AgentRegister"),
    (0x02, "AgentDiscover"),
    (0x03, "AgentHeartbeat"),
    (0x10, "Call"),
    (0x11, "Response"),
    (0x12, "Event"),
    (0x20, "StreamOpen"),
    (0x21, "StreamChunk"),
    (0x22, "StreamClose"),
    (0x80, "Hello"),
    (0x81, "Cancel"),
    (0x82, "Credit"),
    (0x83, "Drain"),
    (0x84, "Ping"),
    (0x85, "Pong"),
    (0x86, "StreamChunks"),
    (0x87, "Events"),
    (0xf0, "Ack"),
    (0xf1, "Error"),
];

#[test]
fn assigned_types_are_taken_and_no_others() {
    let mut all = Vec::new();
    for number in 0..=u8::MAX {
        let raw = Raw {
            frame_type: number,
            ..Raw::new(b"abc")
        };
        let bytes = raw.bytes();
        let Some((_, name)) = TYPES.iter().find(|(n, _)| *n == number) else {
            assert_eq!(decode(&bytes, &CHECKED), refused(Kind::Type, 4));
            assert_eq!(peek(&bytes, &CHECKED), refused(Kind::Type, 4));
            assert_eq!(Type::try_from(number), refused(Kind::Type, 4));
            continue;
        };
        let frame_type = decode(&bytes, &CHECKED).unwrap().header.frame_type;
        assert_eq!(frame_type.to_string(), *name);
        assert_eq!(frame_type.number(), number);
        assert_eq!(Type::try_from(number), Ok(frame_type));
        all.push(frame_type);
    }
    assert_eq!(all, Type::ALL);
}

#[test]
fn defined_flags_are_taken_and_no_others() {
    for bits in 0..=u8::MAX {
        let raw = Raw {
            flags: bits,
            ..Raw::new(b"abc")
        };
        let got = decode(&raw.bytes(), &CHECKED).map(|frame| frame.header.flags.bits());
        let want = if bits < 16 {
            Ok(bits)
        } else {
            refused(Kind::Flags, 5)
        };
        assert_eq!(got, want);
        assert_eq!(Flags::try_from(bits).map(Flags::bits), want);
    }
}

#[test]
fn flags_have_names() {
    let all = Flags::COMPRESSED | Flags::ENCRYPTED | Flags::REQUIRES_ACK | Flags::FINAL;
    assert_eq!(all.bits(), 15);
    let text = "COMPRESSED | ENCRYPTED | REQUIRES_ACK | FINAL";
    assert_eq!(format!("{all:?}"), text);
    assert_eq!(format!("{:?}", Flags::default()), "NONE");
    let mut flags = Flags::COMPRESSED;
    flags |= Flags::REQUIRES_ACK;
    assert_eq!(flags.bits(), 5);
    assert!(flags.contains(Flags::REQUIRES_ACK) && flags.contains(Flags::NONE));
    assert!(!flags.contains(Flags::FINAL | Flags::COMPRESSED));
}

#[test]
fn ids_may_be_any_numbers() {
    for (message_id, trace_id) in [(0, 0), (u64::MAX, 0), (0, u64::MAX), (1 << 63, 1 << 31)] {
        let raw = Raw {
            message_id,
            trace_id,
            ..Raw::new(b"")
        };
        let want = Header {
            message_id,
            trace_id,
            ..Header::new(Type::Call)
        };
        assert_eq!(decode(&raw.bytes(), &CHECKED).unwrap().header, want);
    }
}

#[test]
fn payloads_are_parts_of_the_input() {
    for n in LENGTHS {
        let bytes = frame_bytes(n);
        for options in [CHECKED, UNCHECKED] {
            let frame = decode(&bytes, &options).unwrap();
            assert_eq!(frame.payload, payload(n));
            assert_eq!(frame.payload.as_ptr(), bytes[32..].as_ptr());
        }
    }
}

#[test]
fn a_prefix_says_how_many_bytes_it_has() {
    for n in LENGTHS {
        let mut bytes = frame_bytes(n);
        let size = bytes.len();
        for rest in [&b""[..], b"1", b"1PXM", &[0xff; 100]] {
            bytes.truncate(size);
            bytes.extend(rest);
            let (frame, used) = decode_prefix(&bytes, &CHECKED).unwrap();
            assert_eq!((frame.payload, used), (&payload(n)[..], n + 40));
            let whole = decode(&bytes, &CHECKED);
            if rest.is_empty() {
                assert_eq!(whole, Ok(frame));
            } else {
                assert_eq!(whole, refused(Kind::Trailing, n + 40));
            }
        }
    }
}

#[test]
fn peeking_looks_at_the_header_alone() {
    let mut bytes = frame_bytes(300);
    bytes[40] ^= 1;
    for n in 0..bytes.len() {
        let peeked = peek(&bytes[..n], &CHECKED);
        if n < 32 {
            assert_eq!(peeked, refused(Kind::Truncated, n));
            continue;
        }
        let peeked = peeked.unwrap();
        assert_eq!(peeked.header, Raw::new(b"").frame().header);
        assert_eq!((peeked.payload_bytes, peeked.frame_bytes()), (300, 340));
    }
}

#[test]
fn a_trailer_that_is_not_checked_is_not_looked_at() {
    let mut bytes = frame_bytes(20);
    let frame = Raw::new(&payload(20));
    for (i, byte) in (0..8).zip([0, 1, 0x7f, 0xff].into_iter().cycle()) {
        bytes[52 + i] = byte;
        let want: Frame<'_> = frame.frame();
        assert_eq!(decode(&bytes, &UNCHECKED), Ok(want));
        assert_eq!(decode(&bytes, &CHECKED), refused(Kind::Checksum, 52));
    }
    assert_eq!(
        decode(&bytes[..59], &UNCHECKED),
        refused(Kind::Truncated, 59)
    );
}

#[test]
fn a_limit_allows_exactly_its_number() {
    for limit in [0, 1, 100, 5000] {
        let options = CHECKED.with_limit(limit);
        assert!(decode(&frame_bytes(limit), &options).is_ok());
        let long = frame_bytes(limit + 1);
        assert_eq!(decode(&long, &options), refused(Kind::TooLarge, 24));
        assert_eq!(peek(&long[..32], &options), refused(Kind::TooLarge, 24));
    }
}

#[test]
fn no_limit_is_over_16_mib() {
    assert_eq!(CHECKED.limit(), 16 << 20);
    assert_eq!(PAYLOAD_BYTES, 16 << 20);
    for limit in [PAYLOAD_BYTES, PAYLOAD_BYTES + 1, usize::MAX] {
        let options = CHECKED.with_limit(limit);
        assert_eq!(options.limit(), PAYLOAD_BYTES);
        let mut raw = Raw::new(b"");
        raw.length = PAYLOAD_BYTES as u64 + 1;
        assert_eq!(peek(&raw.bytes(), &options), refused(Kind::TooLarge, 24));
        raw.length -= 1;
        let peeked = peek(&raw.bytes(), &options).unwrap();
        assert_eq!(peeked.frame_bytes(), PAYLOAD_BYTES + 40);
    }
    let largest = frame_bytes(PAYLOAD_BYTES);
    let frame = decode(&largest, &CHECKED).unwrap();
    assert_eq!(frame.payload.len(), PAYLOAD_BYTES);
}
