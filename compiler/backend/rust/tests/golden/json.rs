//! Canonical JSON.

use golden::plugins::PluginRegistry;
use golden::shapes::{Everything, Tree};
use sdp::{Error, Kind};

use crate::random::Random;
use crate::sample::{everything, samples};
use crate::values::Value;

/// The JSON of the same value in Go's tests.
const EVERYTHING: &str = include_str!("../../../golang/testdata/everything.json");

#[test]
fn the_text_is_that_of_other_languages() {
    assert_eq!(everything().to_json().unwrap(), EVERYTHING.trim_end());
    assert_eq!(Everything::from_json(EVERYTHING).unwrap(), everything());
}

#[test]
fn the_real_registry_comes_back() {
    let text = include_str!("../../../../../examples/registry/lv2-62.json");
    let registry = PluginRegistry::from_json(text).unwrap();
    let bytes = registry.encode_to_vec().unwrap();
    assert_eq!((registry.plugins.len(), bytes.len()), (62, 119_150));
    assert_eq!(PluginRegistry::decode(&bytes).unwrap(), registry);
    let again = PluginRegistry::from_json(registry.to_json().unwrap()).unwrap();
    assert_eq!(again, registry);
}

#[test]
fn json_loses_nothing() {
    for value in samples() {
        let text = Value::to_json(&value).unwrap();
        let read: Everything = Value::from_json(text.as_bytes()).unwrap();
        assert_eq!(read, value);
        assert_eq!(read.to_json().unwrap(), text);
    }
    let value = Random::new(99).everything();
    let bytes = value.encode_to_vec().unwrap();
    let borrowed = golden::shapes::EverythingRef::decode(&bytes).unwrap();
    assert_eq!(borrowed.to_json().unwrap(), value.to_json().unwrap());
}

#[test]
fn refusals_name_the_place() {
    let text = EVERYTHING.trim_end();
    for (old, new, path) in [
        (r#""b":true"#, r#""b":1"#, "scalars.b"),
        (r#""short":"#, r#""shorts":"#, ""),
        (
            r#""mode":"Off","gain""#,
            r#""mode":7,"gain""#,
            "scalars.mode",
        ),
        (r#"{"Text":"#, r#"{"Texts":"#, "choice"),
        (r#""u8":255"#, r#""u8":255.0"#, "scalars.u8"),
        (r#""u8":255"#, r#""u8":256"#, "scalars.u8"),
        ("[1,2,3,4]", "[1,2,3]", "channels"),
        (
            r#""-1":"minus one""#,
            r#""300":"minus one""#,
            "by_number[2].key",
        ),
        (
            r#""Changed":{"id":9"#,
            r#""Changed":{"id":-9"#,
            "events[0].Changed.id",
        ),
        (r#""tag":99"#, r#""tag":1"#, "events[4]"),
    ] {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        let refusal = Everything::from_json(text.replace(old, new)).unwrap_err();
        assert_eq!((refusal.kind, &*refusal.path), (Kind::JsonInvalid, path));
        assert!(refusal.offset.unwrap() <= text.len() + 3);
    }
}

#[test]
fn what_has_no_encoding_has_no_text() {
    let mut value = everything();
    value.events[1] = golden::shapes::Event::default();
    let want = Error::new(Kind::ValueInvalid).in_field("events[1]");
    assert_eq!(value.to_json(), Err(want));
}

#[test]
fn depth_is_limited_the_same() {
    let text = |levels: usize| {
        let (open, close) = (r#"{"kids":["#, "]}");
        [open.repeat(levels), close.repeat(levels)].concat()
    };
    let tree = Tree::from_json(text(64)).unwrap();
    assert_eq!(tree.to_json().unwrap(), text(64));
    for levels in [65, 1_000_000] {
        let refusal = Tree::from_json(text(levels)).unwrap_err();
        assert_eq!(refusal.kind, Kind::JsonInvalid);
    }
}
