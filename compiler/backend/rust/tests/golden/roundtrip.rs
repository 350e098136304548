//! Values come back as they were.

use golden::plugins::PluginRegistry;
use golden::shapes::{Everything, Message, MessageRef, Settings};
use sdp::{DecodeOptions, Error, Kind};

use crate::agree::{agree, comes_back, shows_the_same};
use crate::sample::{everything, registry, samples};
use crate::values::Value;

#[test]
fn decoding_returns_what_was_encoded() {
    for value in samples() {
        let bytes = value.encode_to_vec().unwrap();
        let decoded: Everything = agree(&bytes, &DecodeOptions::new()).unwrap();
        assert_eq!(decoded, value);
        comes_back(&value, &bytes, &DecodeOptions::new());
        shows_the_same(&value, &bytes, &DecodeOptions::new());
    }
}

#[test]
fn the_registry_comes_back() {
    let value = registry();
    let bytes = value.encode_to_vec().unwrap();
    let decoded: PluginRegistry = agree(&bytes, &DecodeOptions::new()).unwrap();
    assert_eq!(decoded, value);
    comes_back(&value, &bytes, &DecodeOptions::new());
}

#[test]
fn message_mode_is_a_header_and_the_encoding() {
    for value in samples() {
        let bytes = value.encode_to_vec().unwrap();
        let length = u32::try_from(bytes.len()).unwrap().to_le_bytes();
        let want = [b"SDP2\x04\0", &length[..], &bytes].concat();
        let message = value.message_to_vec().unwrap();
        assert!(message == want);

        let mut appended = b"before".to_vec();
        value.append_message(&mut appended).unwrap();
        assert!(appended == [b"before", &want[..]].concat());
        let mut slice = vec![0xaa; want.len() + 3];
        assert_eq!(value.message_to_slice(&mut slice), Ok(want.len()));
        assert!(slice == [&want[..], &[0xaa; 3]].concat());
        let short = value.message_to_slice(&mut slice[..want.len() - 1]);
        assert_eq!(short, Err(Error::new(Kind::BufferTooSmall)));

        assert_eq!(Everything::decode_message(&message).unwrap(), value);
        let Message::Everything(dispatched) = Message::decode(&message).unwrap() else {
            panic!("another type was dispatched to");
        };
        assert_eq!(dispatched, value);
        let borrowed = MessageRef::decode(&message).unwrap();
        assert_eq!(borrowed.type_id(), 4);
        let mut out = Vec::new();
        borrowed.append_message(&mut out).unwrap();
        assert!(out == message);
    }
}

#[test]
fn prefix_decoding_stops_behind_the_value() {
    for value in samples() {
        let bytes = value.encode_to_vec().unwrap();
        let longer = [&bytes[..], b"behind"].concat();
        let prefix = Everything::decode_prefix(&longer).unwrap();
        assert_eq!(prefix, (value, bytes.len()));
        let refusal = agree::<Everything>(&longer, &DecodeOptions::new());
        assert_eq!(
            refusal,
            Err(Error::at(Kind::TrailingBytes, bytes.len(), ""))
        );
    }
}

#[test]
fn exact_decoding_takes_what_encoding_writes() {
    let mut value = everything();
    value.kept.set_unknown_fields(vec![]);
    let bytes = value.encode_to_vec().unwrap();
    assert_eq!(Everything::decode_exact(&bytes).unwrap(), value);
}

#[test]
fn exact_decoding_refuses_what_would_not_come_back() {
    let whole = Settings::new().encode_to_vec().unwrap();
    let cut = whole.len() - 10;
    let tail = [&whole[..], &[1, 2]].concat();
    for (bytes, kind, offset) in [
        (&whole[..4], Kind::SegmentPartial, 4),
        (&whole[..cut], Kind::SegmentPartial, cut),
        (&tail, Kind::TrailingBytes, whole.len()),
    ] {
        let loose = agree::<Settings>(bytes, &DecodeOptions::new());
        assert!(loose.is_ok(), "{loose:?}");
        let exact = agree::<Settings>(bytes, &DecodeOptions::new().with_exact(true));
        assert_eq!(exact, Err(Error::at(kind, offset, "")));
    }
}

#[test]
fn a_buffer_that_is_too_small_is_refused() {
    let value = everything();
    let bytes = Value::encode_to_vec(&value).unwrap();
    for n in [0, 1, bytes.len() / 2, bytes.len() - 1] {
        let refusal = value.encode_to_slice(&mut vec![0; n]);
        assert_eq!(refusal, Err(Error::new(Kind::BufferTooSmall)), "{n} bytes");
    }
}
