//! Frames that accidents, and liars, changed.

use mxp::frame::{decode, decode_prefix, Error, FrameReader, Kind};

use crate::build::{frame_bytes, payload, refused, Numbers, Raw, CHECKED};

/// Frames of which every bit is changed: each way to hash has one.
const LENGTHS: [usize; 9] = [0, 1, 5, 96, 150, 300, 700, 1100, 2100];

/// The result of a reader that gets the bytes at once, and then their end.
fn read(bytes: &[u8]) -> Result<(), Error> {
    let mut reader = FrameReader::new(CHECKED);
    let mut piece = bytes;
    while reader.read(&mut piece)?.is_some() {}
    reader.finish()
}

/// Checks that every reader refuses the bytes.
fn check_refused(bytes: &[u8], what: impl std::fmt::Debug) {
    assert!(decode(bytes, &CHECKED).is_err(), "{what:?}");
    assert!(decode_prefix(bytes, &CHECKED).is_err(), "{what:?}");
    assert!(read(bytes).is_err(), "{what:?}");
}

#[test]
fn every_flipped_bit_is_refused() {
    for n in LENGTHS {
        let mut bytes = frame_bytes(n);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            check_refused(&bytes, (n, bit));
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(decode(&bytes, &CHECKED).is_ok());
    }
}

#[test]
fn every_cut_is_refused_with_what_is_there() {
    for n in LENGTHS {
        let bytes = frame_bytes(n);
        for cut in 0..bytes.len() {
            let want = Error::at(Kind::Truncated, cut);
            let bytes = &bytes[..cut];
            assert_eq!(decode(bytes, &CHECKED), Err(want));
            assert_eq!(decode_prefix(bytes, &CHECKED), Err(want));
            let end = if cut == 0 { Ok(()) } else { Err(want) };
            assert_eq!(read(bytes), end);
        }
    }
}

#[test]
fn many_flipped_bits_are_refused() {
    let mut numbers = Numbers::new(1);
    for round in 0..10_000 {
        let n = [0, 3, 40, 200, 600, 2000][round % 6];
        let good = frame_bytes(n);
        let mut bytes = good.clone();
        for _ in 0..2 + numbers.below(15) {
            let bit = numbers.below(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        // Two flips of one bit are none.
        if bytes != good {
            check_refused(&bytes, round);
        }
    }
}

#[test]
fn lies_with_a_good_checksum_are_refused() {
    let good = Raw::new(&payload(50));
    let mut lie = good.clone();
    lie.frame_type = 0x13;
    assert_eq!(decode(&lie.bytes(), &CHECKED), refused(Kind::Type, 4));
    let mut lie = good.clone();
    lie.flags = 0x80;
    assert_eq!(decode(&lie.bytes(), &CHECKED), refused(Kind::Flags, 5));
    let mut lie = good.clone();
    lie.reserved = [1, 0];
    assert_eq!(decode(&lie.bytes(), &CHECKED), refused(Kind::Reserved, 6));
    for length in 0..200 {
        let mut lie = good.clone();
        lie.length = length;
        let n = usize::try_from(length).unwrap();
        let want = match n {
            0..50 => refused(Kind::Checksum, 32 + n),
            50 => Ok(good.frame()),
            _ => refused(Kind::Truncated, 90),
        };
        assert_eq!(decode(&lie.bytes(), &CHECKED), want, "{length}");
    }
}
