//! The texts of refusals.

use std::io;

use golden::plugins::PluginRegistry;
use golden::shapes::{
    Absent, AbsentRef, Everything, Kind as EffectKind, Message, MessageRef, Mode,
};
use sdp::{DecodeOptions, Error, Kind, Limits, ReadFrom, WriteTo};

use crate::agree::agree;
use crate::sample::everything;

#[test]
fn refusals_are_errors_that_name_the_place() {
    let refusal = PluginRegistry::decode(&[1, 0, 0, 0, 9, 0, 0, 0]).unwrap_err();
    assert_eq!(refusal, Error::at(Kind::CountExceedsInput, 0, "plugins"));
    let error: Box<dyn std::error::Error + Send + Sync> = Box::new(refusal);
    assert_eq!(
        error.to_string(),
        "count_exceeds_input at byte 0 in plugins"
    );
}

#[test]
fn message_mode_refuses_by_name_and_offset() {
    let message = Absent::new().message_to_vec().unwrap();
    let change = |at: usize, bytes: &[u8]| {
        let mut changed = message.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        changed
    };
    let behind = |mut bytes: Vec<u8>| {
        bytes.push(0);
        bytes
    };
    for (bytes, kind, at, path) in [
        (vec![], Kind::Truncated, 0, ""),
        (message[..5].to_vec(), Kind::Truncated, 4, ""),
        (message[..9].to_vec(), Kind::Truncated, 6, ""),
        (change(2, b"Q"), Kind::MagicInvalid, 0, ""),
        (change(3, b"3"), Kind::VersionUnsupported, 3, ""),
        (change(4, &[1]), Kind::TypeIdMismatch, 4, ""),
        (change(6, &[2]), Kind::PayloadLength, 6, ""),
        (change(6, &[1, 0, 0, 8]), Kind::LimitMessageBytes, 6, ""),
        (behind(message.clone()), Kind::TrailingBytes, 11, ""),
        (change(10, &[2]), Kind::PresenceInvalid, 10, "point"),
        (behind(change(10, &[2])), Kind::PresenceInvalid, 10, "point"),
    ] {
        let want = Error::at(kind, at, path);
        assert_eq!(Absent::decode_message(&bytes), Err(want.clone()));
        assert_eq!(AbsentRef::decode_message(&bytes), Err(want.clone()));
        if kind != Kind::TypeIdMismatch {
            assert_eq!(Message::decode(&bytes), Err(want.clone()));
            assert_eq!(MessageRef::decode(&bytes), Err(want));
        }
    }
    let unknown = Error::at(Kind::TypeIdUnknown, 4, "");
    assert_eq!(Message::decode(&change(4, &[77])), Err(unknown.clone()));
    assert_eq!(MessageRef::decode(&change(4, &[77])), Err(unknown));
}

#[test]
fn limits_allow_exactly_their_number() {
    let bytes = everything().encode_to_vec().unwrap();
    let with =
        |limits| agree::<Everything>(&bytes, &DecodeOptions::new().with_limits(limits)).map(drop);
    let n = bytes.len();
    assert_eq!(with(Limits::new().with_message_bytes(n)), Ok(()));
    let refusal = with(Limits::new().with_message_bytes(n - 1));
    assert_eq!(refusal, Err(Error::at(Kind::LimitMessageBytes, 0, "")));

    let elements = 4 + 2 + 3 + 4 + 9 + 2 + 2 + 2 + 3 + 3 + 3 + 3 + 2 + 2 + 2 + 1 + 5;
    assert_eq!(with(Limits::new().with_elements(elements)), Ok(()));
    let refusal = with(Limits::new().with_elements(elements - 1)).unwrap_err();
    assert_eq!(refusal.kind, Kind::LimitElements);

    assert_eq!(with(Limits::new().with_depth(4)), Ok(()));
    let refusal = with(Limits::new().with_depth(3)).unwrap_err();
    assert_eq!(refusal.kind, Kind::LimitDepth);
}

#[test]
fn every_limit_of_a_decode_can_be_nothing() {
    let bytes = everything().encode_to_vec().unwrap();
    for (limits, kind) in [
        (Limits::new().with_message_bytes(0), Kind::LimitMessageBytes),
        (Limits::new().with_elements(0), Kind::LimitElements),
        (Limits::new().with_depth(0), Kind::LimitDepth),
        (Limits::new().with_memory_bytes(0), Kind::LimitMemoryBytes),
    ] {
        let options = DecodeOptions::new().with_limits(limits);
        let refusal = Everything::decode_with(&bytes, &options).unwrap_err();
        assert_eq!(refusal.kind, kind);
    }
}

#[test]
fn elements_are_limited_wherever_they_are() {
    let bytes = everything().encode_to_vec().unwrap();
    for elements in 0..60 {
        let options = DecodeOptions::new().with_limits(Limits::new().with_elements(elements));
        let _ = agree::<Everything>(&bytes, &options);
    }
}

#[test]
fn values_are_read_from_and_written_to_streams() {
    let mut written = Vec::new();
    everything().write_to(&mut written).unwrap();
    assert!(written == everything().encode_to_vec().unwrap());
    let read = Everything::read_from(&mut written.as_slice()).unwrap();
    assert_eq!(read, everything());
    let error = Everything::read_from(&mut &written[..81]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    let refusal = error.get_ref().unwrap().downcast_ref::<Error>();
    let want = Error::at(Kind::Truncated, 78, "scalars.gain");
    assert_eq!(refusal, Some(&want));
}

#[test]
fn enums_have_names_and_numbers() {
    assert_eq!(EffectKind::from(1), EffectKind::Instrument);
    assert_eq!(EffectKind::from(200), EffectKind::Unknown(200));
    assert_eq!(u8::from(EffectKind::Unknown(200)), 200);
    // A number that has a name is the same in both spellings.
    assert_eq!(EffectKind::Unknown(1), EffectKind::Instrument);
    assert_eq!(Mode::try_from(-1), Ok(Mode::Off));
    let refusal = Mode::try_from(7).unwrap_err();
    assert_eq!(refusal.kind, Kind::EnumUnknown);
    assert!(Mode::Off < Mode::On);
}
