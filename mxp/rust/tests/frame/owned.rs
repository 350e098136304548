//! Frames that own their bytes.

use allocation_counter::measure;
use bytes::Bytes;
use mxp::frame::{decode_bytes, Kind};

use crate::build::{frame_bytes, payload, refused, Raw, CHECKED};

#[test]
fn owned_frames_are_the_same_frames() {
    for n in [0, 1, 300] {
        let bytes = Bytes::from(frame_bytes(n));
        let raw = Raw::new(&payload(n));
        let owned = decode_bytes(bytes.clone(), &CHECKED).unwrap();
        assert_eq!(owned.as_frame(), raw.frame());
        assert_eq!(owned.header(), raw.frame().header);
        assert_eq!(owned.payload(), raw.payload);
        assert_eq!(owned.bytes(), &bytes);
        let at = owned.payload().as_ptr();
        assert_eq!(at, bytes[32..].as_ptr());
        let payload = owned.into_payload();
        assert_eq!(payload, raw.payload);
        assert!(n == 0 || payload.as_ptr() == at);
    }
}

#[test]
fn owning_allocates_nothing() {
    let bytes = Bytes::from(frame_bytes(300));
    let spent = measure(|| {
        decode_bytes(bytes, &CHECKED).unwrap();
    });
    assert_eq!(spent.count_total, 0);
}

#[test]
fn refusals_are_the_same() {
    let mut bytes = frame_bytes(300);
    bytes.push(0);
    let got = decode_bytes(bytes.clone().into(), &CHECKED);
    assert_eq!(got, refused(Kind::Trailing, 340));
    bytes.truncate(339);
    assert_eq!(
        decode_bytes(bytes.into(), &CHECKED),
        refused(Kind::Truncated, 339)
    );
}
