//! Each refusal, and which of two is reported.

use mxp::frame::{decode, decode_prefix, peek, FrameReader, Kind};

use crate::build::{refused, Raw, CHECKED};

/// A change that spoils a frame, and the refusal and its offset.
type Flaw = (fn(&mut Raw), Kind, usize);

/// The flaw that each check of a header refuses, in the order of the checks [MXP-3.1].
const FLAWS: [Flaw; 5] = [
    (|raw| raw.magic ^= 0x0100_0000, Kind::Magic, 0),
    (|raw| raw.frame_type = 0x7f, Kind::Type, 4),
    (|raw| raw.flags = 0x10, Kind::Flags, 5),
    (|raw| raw.reserved = [0, 1], Kind::Reserved, 6),
    (|raw| raw.length = 1001, Kind::TooLarge, 24),
];

/// Checks what every way to read says of bytes that are refused for their header.
fn check_header(bytes: &[u8], kind: Kind, offset: usize) {
    let options = CHECKED.with_limit(1000);
    assert_eq!(decode(bytes, &options), refused(kind, offset));
    assert_eq!(decode_prefix(bytes, &options), refused(kind, offset));
    assert_eq!(peek(bytes, &options), refused(kind, offset));
    let mut reader = FrameReader::new(options);
    assert_eq!(reader.read(&mut &bytes[..]), refused(kind, offset));
}

#[test]
fn every_set_of_flaws_is_refused_for_the_first() {
    for set in 1..1 << FLAWS.len() {
        let mut raw = Raw::new(b"abc");
        let flaws = (0..).zip(FLAWS).filter(|(i, _)| set >> i & 1 == 1);
        let mut first = None;
        for (_, (spoil, kind, offset)) in flaws {
            spoil(&mut raw);
            first.get_or_insert((kind, offset));
        }
        let (kind, offset) = first.unwrap();
        let mut bytes = raw.bytes();
        check_header(&bytes, kind, offset);
        // Behind the header all may be wrong, or missing.
        *bytes.last_mut().unwrap() ^= 1;
        bytes.push(0);
        check_header(&bytes, kind, offset);
        check_header(&bytes[..32], kind, offset);
    }
}

#[test]
fn a_cut_header_is_refused_for_that_alone() {
    let raw = Raw {
        magic: 0,
        frame_type: 0,
        flags: 0xff,
        ..Raw::new(b"")
    };
    for n in 0..32 {
        assert_eq!(
            decode(&raw.bytes()[..n], &CHECKED),
            refused(Kind::Truncated, n)
        );
    }
}

#[test]
fn each_byte_of_magic_and_reserved_counts() {
    for bit in 0..32 {
        let mut raw = Raw::new(b"abc");
        raw.magic ^= 1 << bit;
        check_header(&raw.bytes(), Kind::Magic, 0);
    }
    for bit in 0..16 {
        let mut raw = Raw::new(b"abc");
        raw.reserved = (1_u16 << bit).to_le_bytes();
        check_header(&raw.bytes(), Kind::Reserved, 6);
    }
    let swapped = Raw {
        magic: 0x4d58_5031_u32.swap_bytes(),
        ..Raw::new(b"abc")
    };
    check_header(&swapped.bytes(), Kind::Magic, 0);
}

#[test]
fn what_is_cut_is_refused_before_its_checksum() {
    let mut bytes = Raw::new(b"abc").bytes();
    bytes[33] ^= 1;
    for n in 32..43 {
        assert_eq!(decode(&bytes[..n], &CHECKED), refused(Kind::Truncated, n));
        assert_eq!(
            decode_prefix(&bytes[..n], &CHECKED),
            refused(Kind::Truncated, n)
        );
    }
    assert_eq!(decode(&bytes, &CHECKED), refused(Kind::Checksum, 35));
}

#[test]
fn a_checksum_is_refused_before_what_follows() {
    let mut bytes = Raw::new(b"abc").bytes();
    bytes.push(0);
    assert_eq!(decode(&bytes, &CHECKED), refused(Kind::Trailing, 43));
    bytes[33] ^= 1;
    assert_eq!(decode(&bytes, &CHECKED), refused(Kind::Checksum, 35));
}

#[test]
fn lengths_near_overflow_are_only_too_large() {
    let limits = [0, 1000, 16 << 20];
    let lengths = [
        (16 << 20) + 1,
        u64::from(u32::MAX) - 40,
        u64::from(u32::MAX) - 7,
        u64::from(u32::MAX),
        1 << 32,
        (1 << 32) + 3,
        (1 << 63) - 41,
        1 << 63,
        (1 << 63) + 3,
        u64::MAX - 40,
        u64::MAX - 39,
        u64::MAX - 32,
        u64::MAX - 8,
        u64::MAX - 7,
        u64::MAX,
    ];
    for limit in limits {
        for length in lengths {
            let raw = Raw {
                length,
                ..Raw::new(b"abc")
            };
            let options = CHECKED.with_limit(limit);
            let bytes = raw.bytes();
            assert_eq!(decode(&bytes, &options), refused(Kind::TooLarge, 24));
            let mut reader = FrameReader::new(options);
            assert_eq!(reader.read(&mut &bytes[..32]), refused(Kind::TooLarge, 24));
        }
    }
}
