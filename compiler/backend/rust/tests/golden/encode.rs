//! The places of written bytes, and values without an encoding.

use std::collections::BTreeMap;

use golden::plugins::{Parameter, Plugin};
use golden::shapes::{Event, Everything};
use sdp::{Error, Kind, WriteTo};

use crate::sample::{chain, everything};

#[test]
fn appending_keeps_what_is_before() {
    let want = everything().encode_to_vec().unwrap();
    for room in [0, 3, want.len(), 2 * want.len()] {
        let mut out = Vec::with_capacity(6 + room);
        out.extend(b"before");
        everything().append(&mut out).unwrap();
        assert!(out == [b"before", &want[..]].concat());
        let mut out = Vec::with_capacity(6 + room);
        out.extend(b"before");
        everything().append_message(&mut out).unwrap();
        assert!(out.starts_with(b"beforeSDP2") && out.ends_with(&want));
    }
}

#[test]
fn appending_to_a_buffer_with_room_writes_there() {
    let mut out = Vec::with_capacity(4 << 10);
    let before = out.as_ptr();
    everything().append(&mut out).unwrap();
    assert_eq!(out.as_ptr(), before);
}

/// A change that leaves a value without encoding, and the refusal.
type Spoil = (fn(&mut Everything), Kind, &'static str);

fn unknown(tag: u8) -> Event {
    Event::Unknown {
        tag,
        payload: vec![],
    }
}

const UNENCODABLE: &[Spoil] = &[
    (|v| v.event = unknown(0), Kind::ValueInvalid, "event"),
    (|v| v.event = Event::default(), Kind::ValueInvalid, "event"),
    (
        |v| v.events[2] = unknown(0),
        Kind::ValueInvalid,
        "events[2]",
    ),
    (|v| v.event = unknown(5), Kind::ValueInvalid, "event"),
    (|v| v.short = "x".repeat(256), Kind::ValueTooLarge, "short"),
    (|v| v.bounded = "fives".into(), Kind::LimitMax, "bounded"),
    (
        |v| v.by_number = BTreeMap::from([(5, String::new()), (7, "x".repeat(256))]),
        Kind::ValueTooLarge,
        "by_number[1].value",
    ),
];

fn check(value: &Everything, kind: Kind, path: &str) {
    let want = Err(Error::new(kind).in_field(path));
    for room in [0, 1 << 16] {
        let mut out = Vec::with_capacity(6 + room);
        out.extend(b"before");
        assert_eq!(value.append(&mut out), want);
        assert_eq!(value.append_message(&mut out), want);
        assert_eq!(out, b"before");
    }
    assert_eq!(value.validate(), want);
    let unit = |_| ();
    assert_eq!(value.encode_to_vec().map(drop), want);
    assert_eq!(value.message_to_vec().map(drop), want);
    assert_eq!(value.encode_to_slice(&mut [0; 1 << 13]).map(unit), want);
    assert_eq!(value.message_to_slice(&mut [0; 1 << 13]).map(unit), want);
    let mut written = Vec::new();
    let error = value.write_to(&mut written).unwrap_err();
    let refusal = error.get_ref().and_then(|error| error.downcast_ref());
    assert_eq!(refusal, want.as_ref().err());
    assert_eq!(written, b"");
}

#[test]
fn a_refused_value_leaves_the_buffer_alone() {
    for (spoil, kind, path) in UNENCODABLE {
        let mut value = everything();
        spoil(&mut value);
        check(&value, *kind, path);
    }
}

#[test]
fn the_depth_of_a_tree_counts_from_its_owner() {
    let mut value = everything();
    value.tree = Some(Box::new(chain(63)));
    let bytes = value.encode_to_vec().unwrap();
    assert_eq!(Everything::decode(&bytes).unwrap(), value);
    value.tree = Some(Box::new(chain(64)));
    let path = ["tree", &[".left"; 63].concat()].concat();
    check(&value, Kind::LimitDepth, &path);
}

#[test]
fn the_first_of_two_refusals_is_named() {
    let mut value = everything();
    value.choice = golden::shapes::Choice::Text("fine".into());
    value.maybe_event = Some(unknown(0));
    value.history[1].title = "still fine".into();
    value.events = vec![Event::Stopped, unknown(0)];
    check(&value, Kind::ValueInvalid, "events[1]");
}

#[test]
fn a_large_value_is_written_whole() {
    let parameter = Parameter {
        unit: "x".repeat(100_000),
        ..Parameter::default()
    };
    let plugin = Plugin {
        parameters: vec![parameter; 20],
        ..Plugin::default()
    };
    let bytes = plugin.encode_to_vec().unwrap();
    assert_eq!(bytes.len(), plugin.encoded_size());
    assert_eq!(Plugin::decode(&bytes).unwrap(), plugin);
}
