//! Texts that are made to cost much, or made at random.

use std::thread;

use proptest::prelude::*;
use sdp::json::{from_text, to_string, FromJson, ToJson};

use crate::shapes::{Choice, Event, Lists, Maps, Node, Scalars, Session};

/// Texts of values, to be damaged.
const TEXTS: [&str; 6] = [
    r#"{"events":[{"Changed":{"id":9,"v":-0.5}},{"$unknown":{"tag":9,"payload":"qrs="}},{"Moved":[1,-1]}],"choice":{"Again":{"Count":7}},"settings":{"rate":1,"limit":2,"title":"\u00e9","mode":"On","$unknown":"qg=="}}"#,
    r#"{"name":"EQ","data":"qrs=","floats":[1,-0],"grid":[[1,2],[]],"blobs":["","AA=="],"quad":[1,2,3,4],"pairs":["/w==","//79"],"maybe":null,"maybe_data":"","maybes":[null,true],"nodes":[{"value":1,"\"next\"":{"value":0}}]}"#,
    r#"{"flags":{"true":1},"numbers":{"9":false},"signed":{"-1":"a"},"names":{"a":[]},"kinds":{"inst":{"value":1},"2":{"value":2}},"modes":{"Off":{"3":4}}}"#,
    r#"{"b":true,"u8":255,"u16":1,"u32":2,"u64":"3","i8":-128,"i16":1,"i32":1,"i64":"-1","f32":"NaN:7fc00001","f64":-1.5e-10,"at":"2026-11-21T03:26:00.5Z","took":"-1.5s","id":"abababab-abab-abab-abab-abababababab","kind":7,"mode":"On"}"#,
    r#"{"Event":{"Loaded":{"value":1,"\"next\"":{"value":2,"\"next\"":null}}}}"#,
    r#"{"Stopped":null}"#,
];

/// Reads a text, and if it is a value, writes it and reads that.
fn try_as<T: FromJson + ToJson + PartialEq + std::fmt::Debug>(text: &[u8]) {
    match from_text::<T>(text) {
        Ok(value) => {
            let canonical = to_string(&value).unwrap();
            let again = from_text::<T>(&canonical).and_then(|value| to_string(&value));
            assert_eq!(again.as_ref(), Ok(&canonical));
        }
        Err(refusal) => {
            assert_eq!(refusal.kind, sdp::Kind::JsonInvalid);
            assert!(refusal.offset.unwrap() <= text.len());
        }
    }
}

fn try_all(text: &[u8]) {
    try_as::<Session>(text);
    try_as::<Lists>(text);
    try_as::<Maps>(text);
    try_as::<Scalars>(text);
    try_as::<Choice>(text);
    try_as::<Event>(text);
}

proptest! {
    #[test]
    fn damaged_texts_are_refused_or_values(
        text in prop::sample::select(&TEXTS[..]),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        put in prop::option::of("[0-9a-z\"\\\\{}\\[\\],:. -]{0,4}"),
    ) {
        let bytes = text.as_bytes();
        let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
        let part = put.map_or(bytes[from.min(to)..from.max(to)].to_vec(), String::into_bytes);
        let at = at.index(bytes.len());
        let end = (at + part.len() / 2).min(bytes.len());
        try_all(&[&bytes[..at], &part, &bytes[end..]].concat());
    }

    #[test]
    fn random_bytes_are_refused_or_values(text: Vec<u8>) {
        try_all(&text);
    }
}

/// Runs something with a stack of 256 KiB.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    let small = thread::Builder::new().stack_size(256 << 10).spawn(run);
    small.unwrap().join().unwrap();
}

#[test]
fn deep_texts_need_little_stack() {
    on_a_small_stack(|| {
        for (text, at) in [
            ("[".repeat(1_000_000), 10_000),
            ("{\"Again\":".repeat(9_000), 81_000),
            (format!("{}1", "{\"\\\"next\\\"\":".repeat(9_000)), 108_001),
        ] {
            let refusal = from_text::<Choice>(&text).unwrap_err();
            assert_eq!((refusal.offset, &*refusal.path), (Some(at), ""));
        }
        let (open, close) = ("{\"\\\"next\\\"\":".repeat(9_000), "}".repeat(9_000));
        let refusal = from_text::<Node>(format!("{open}null{close}")).unwrap_err();
        assert_eq!(refusal.offset, Some(64 * 12));
        let passed_over = format!("{{\"x\":{open}null{close},\"events\":[]}}");
        assert!(from_text::<Session>(passed_over).is_ok());
        let deepest = format!(
            "{}{{\"Nothing\":null}}{}",
            "{\"Again\":".repeat(63),
            "}".repeat(63)
        );
        let choice: Choice = from_text(&deepest).unwrap();
        assert_eq!(to_string(&choice), Ok(deepest));
    });
}
