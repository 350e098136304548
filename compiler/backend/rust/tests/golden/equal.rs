//! Values are equal if their encodings are [WIRE-14.4], and hash the same then.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use golden::shapes::{Event, EventChanged, Everything, EverythingRef, Point, Settings};
use sdp::Timestamp;

use crate::random::Random;
use crate::sample::{everything, samples};

type Change = fn(&mut Everything);

/// Each makes the sample a value that has another encoding.
const CHANGES: &[Change] = &[
    |v| v.scalars.b = false,
    |v| v.scalars.f32 = 0.0,
    |v| v.scalars.f64 = f64::from_bits(0x7ff8_0000_0000_0002),
    |v| v.scalars.at = Timestamp(v.scalars.at.0 + 1),
    |v| v.scalars.id.0[7] += 1,
    |v| v.names[1] = "calf".into(),
    |v| v.data[2] -= 1,
    |v| v.points.truncate(1),
    |v| v.points[1].y = -0.0,
    |v| v.grid[1] = vec![0.0],
    |v| v.channels[3] = f32::NAN,
    |v| v.wide[299] += 1,
    |v| v.maybe = None,
    |v| v.maybe_point = Some(Point { x: 9.0, y: 1.0 }),
    |v| v.maybe_large = None,
    |v| v.tree.as_mut().unwrap().right = None,
    |v| v.by_name = BTreeMap::new(),
    |v| *v.by_name.get_mut("b").unwrap() = Point::default(),
    |v| v.by_flag.retain(|key, _| !key),
    |v| v.history[1].rate += 1,
    |v| v.kept.set_unknown_fields(vec![]),
    |v| v.event = Event::Stopped,
    |v| v.events[0] = Event::Changed(EventChanged { id: 9, value: 0.5 }),
    |v| {
        v.events[4] = Event::Unknown {
            tag: 99,
            payload: vec![0xaa],
        };
    },
    |v| {
        v.events[4] = Event::Unknown {
            tag: 98,
            payload: vec![0xaa, 0xbb],
        };
    },
];

#[test]
fn values_with_other_encodings_differ() {
    let original = everything();
    let bytes = original.encode_to_vec().unwrap();
    for (i, change) in CHANGES.iter().enumerate() {
        let mut value = everything();
        change(&mut value);
        let changed = value.encode_to_vec().unwrap();
        assert!(changed != bytes, "change {i}");
        assert!(value != original, "change {i}");
        assert!(value == value.clone(), "change {i}");
        assert!(EverythingRef::from(&value) != EverythingRef::from(&original));
        assert!(EverythingRef::from(&value) == EverythingRef::decode(&changed).unwrap());
    }
}

#[test]
fn equal_values_hash_the_same() {
    let hasher = RandomState::new();
    for value in samples() {
        let bytes = value.encode_to_vec().unwrap();
        let again = Everything::decode(&bytes).unwrap();
        assert_eq!(hasher.hash_one(&value), hasher.hash_one(&again));
        let borrowed = EverythingRef::from(&value);
        let decoded = EverythingRef::decode(&bytes).unwrap();
        assert_eq!(hasher.hash_one(&borrowed), hasher.hash_one(&decoded));
    }
    let mut all: HashSet<Everything> = samples().into_iter().collect();
    all.extend(samples());
    assert_eq!(all.len(), samples().len());
}

#[test]
fn equality_agrees_with_encoding_on_random_values() {
    for seed in 0..30 {
        let value = Random::new(seed).everything();
        assert!(value == Random::new(seed).everything(), "seed {seed}");
        let mut bytes = value.encode_to_vec().unwrap();
        let at = Random::new(seed + 1000).below(bytes.len());
        bytes[at] ^= 1;
        if let Ok(other) = Everything::decode(&bytes) {
            let same = other.encode_to_vec() == value.encode_to_vec();
            assert_eq!(other == value, same, "seed {seed}");
        }
    }
}

#[test]
fn new_values_have_the_declared_defaults() {
    let settings = Settings::new();
    assert_eq!(settings, Settings::default());
    assert_eq!(
        (settings.rate, &*settings.title, settings.limit),
        (0, "untitled", Some(7))
    );
    assert_eq!(Everything::default().settings, settings);
    assert_eq!(golden::shapes::CHANNELS, 4);
}

#[test]
fn missing_segments_have_the_declared_defaults() {
    let written = Settings::new()
        .with_rate(1)
        .with_title("x".into())
        .with_limit(None);
    let bytes = written.encode_to_vec().unwrap();
    let mut read = written.clone().with_origin(Point { x: 1.0, y: 1.0 });
    read.decode_into(&bytes[..4]).unwrap();
    assert_eq!(read, Settings::new().with_rate(1));
    assert_eq!(Settings::decode(&bytes[..4]).unwrap(), read);
    let second = bytes.len() - 10;
    assert_eq!(Settings::decode(&bytes[..second]).unwrap(), written);
}

#[test]
fn debug_shows_names_and_values() {
    let text = format!("{:?}", everything());
    for part in [
        "Everything {",
        "names: [\"\", \"Calf\"",
        "kind: 200",
        "mode: Off",
        "Renamed(\"x\")",
        "Unknown {",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}
