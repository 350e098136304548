//! The allocations of encoding, decoding and reading.

use allocation_counter::measure;
use mxp::frame::{decode, decode_prefix, peek, Checksum, FrameReader, PAYLOAD_BYTES};

use crate::build::{frame_bytes, payload, Raw, CHECKED, LENGTHS};

/// Bytes that the buffer may have beyond the received part of a frame.
const SPARE: usize = 64 << 10;

#[test]
fn encoding_and_decoding_allocate_nothing() {
    for n in LENGTHS {
        let raw = Raw::new(&payload(n));
        let frame = raw.frame();
        let mut vec = Vec::with_capacity(n + 40);
        let mut slice = vec![0; n + 40];
        let (a, b) = raw.payload.split_at(n / 2);
        let spent = measure(|| {
            frame.append(&mut vec, Checksum::On).unwrap();
            frame.encode_to_slice(&mut slice, Checksum::On).unwrap();
            frame.header.seal(&raw.payload, Checksum::On).unwrap();
            frame.header.seal_pieces(&[a, b], Checksum::On).unwrap();
            peek(&slice, &CHECKED).unwrap();
            decode(&slice, &CHECKED).unwrap();
            decode_prefix(&slice, &CHECKED).unwrap();
            decode(&slice[1..], &CHECKED).unwrap_err();
            let mut reader = FrameReader::new(CHECKED);
            reader.read(&mut &slice[..]).unwrap().unwrap();
        });
        assert_eq!(spent.count_total, 0, "{n}");
    }
}

#[test]
fn a_vec_is_made_as_large_as_its_frame() {
    let raw = Raw::new(&payload(1000));
    let spent = measure(|| {
        let bytes = raw.frame().encode_to_vec(Checksum::On).unwrap();
        assert_eq!(bytes.capacity(), 1040);
    });
    assert_eq!((spent.count_total, spent.bytes_max), (1, 1040));
}

/// Reads a frame in pieces of `step` bytes and checks the buffer after each.
fn check_bound(bytes: &[u8], step: usize) {
    let mut reader = FrameReader::new(CHECKED);
    let mut received = 0;
    for mut piece in bytes.chunks(step) {
        received += piece.len();
        reader.read(&mut piece).unwrap();
        let bound = received + received / 8 + SPARE;
        assert!(reader.buffer_bytes() <= bound, "{received}");
    }
}

#[test]
fn a_promise_of_16_mib_takes_no_memory() {
    let mut raw = Raw::new(&[1; 1000]);
    raw.length = PAYLOAD_BYTES as u64;
    let promise = raw.bytes();
    for n in [1, 31, 32, 33, 500, 1032] {
        let spent = measure(|| {
            let mut reader = FrameReader::new(CHECKED);
            assert_eq!(reader.read(&mut &promise[..n]), Ok(None));
            assert!(reader.finish().is_err());
            assert_eq!(reader.buffer_bytes(), 0);
        });
        assert!(spent.bytes_max <= (n + n / 8 + SPARE) as u64, "{spent:?}");
    }
    let filled = frame_bytes(PAYLOAD_BYTES);
    for step in [1 << 10, 10_000, 1 << 20, PAYLOAD_BYTES] {
        check_bound(&filled, step);
    }
}

#[test]
fn buffers_are_no_larger_than_the_frame() {
    for n in [0, 1, 100, 10_000, 100_000, 1_000_000] {
        let bytes = frame_bytes(n);
        for cut in [1, 31, 32, 33, n + 39] {
            let mut reader = FrameReader::new(CHECKED);
            let (mut first, mut second) = bytes.split_at(cut.min(n + 39));
            assert_eq!(reader.read(&mut first), Ok(None));
            assert!(reader.buffer_bytes() <= n + 40);
            assert!(reader.read(&mut second).unwrap().is_some());
            assert!(reader.buffer_bytes() <= n + 40);
        }
    }
}

#[test]
fn a_large_buffer_is_given_back_and_a_small_one_used_again() {
    let large = frame_bytes(1 << 20);
    let small = frame_bytes(1000);
    let mut reader = FrameReader::new(CHECKED);
    for mut piece in large.chunks(1000) {
        reader.read(&mut piece).unwrap();
    }
    assert_eq!(reader.buffer_bytes(), large.len());
    assert_eq!(reader.read(&mut &b""[..]), Ok(None));
    assert_eq!(reader.buffer_bytes(), SPARE);
    let spent = measure(|| {
        for mut piece in small.chunks(300) {
            reader.read(&mut piece).unwrap();
        }
    });
    assert_eq!(spent.count_total, 0);
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn a_buffer_grows_in_few_steps() {
    let bytes = frame_bytes(PAYLOAD_BYTES);
    let mut reader = FrameReader::new(CHECKED);
    let spent = measure(|| {
        for mut piece in bytes.chunks(1000) {
            reader.read(&mut piece).unwrap();
        }
    });
    assert!(spent.count_total < 60, "{spent:?}");
}
