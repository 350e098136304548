//! The texts of values, and the values that have none.

use std::collections::BTreeMap;

use sdp::json::{from_text, to_string, FromJson, ToJson};
use sdp::{Duration, Error, Kind as Rule, Timestamp, Uuid};

use crate::shapes::{
    Choice, Event, EventChanged, Kind, Lists, ListsRef, Maps, Mode, Node, NodeRef, Nothing,
    Scalars, Session, Settings,
};

/// Writes a value, compares the text, and reads it back.
fn check<T: ToJson + FromJson + PartialEq + std::fmt::Debug>(value: &T, text: &str) {
    assert_eq!(to_string(value).as_deref(), Ok(text));
    assert_eq!(from_text::<T>(text).as_ref(), Ok(value));
}

#[test]
fn scalars_have_their_canonical_forms() {
    let text = r#"{"b":false,"u8":0,"u16":0,"u32":0,"u64":"0","i8":0,"i16":0,"i32":0,"i64":"0","f32":0,"f64":0,"at":"1970-01-01T00:00:00Z","took":"0s","id":"00000000-0000-0000-0000-000000000000","kind":"Effect","mode":"Off"}"#;
    check(&Scalars::default(), text);
    let scalars = Scalars {
        b: true,
        u8: u8::MAX,
        u16: u16::MAX,
        u32: u32::MAX,
        u64: u64::MAX,
        i8: i8::MIN,
        i16: i16::MIN,
        i32: i32::MIN,
        i64: i64::MIN,
        f32: 0.1,
        f64: -1.5e-10,
        at: Timestamp(1_795_231_560_500_000_000),
        took: Duration(-1_500_000_000),
        id: Uuid([0xab; 16]),
        kind: Kind::Unknown(7),
        mode: Mode::On,
    };
    let text = r#"{"b":true,"u8":255,"u16":65535,"u32":4294967295,"u64":"18446744073709551615","i8":-128,"i16":-32768,"i32":-2147483648,"i64":"-9223372036854775808","f32":0.1,"f64":-1.5e-10,"at":"2026-11-21T03:26:00.5Z","took":"-1.5s","id":"abababab-abab-abab-abab-abababababab","kind":7,"mode":"On"}"#;
    check(&scalars, text);
}

#[test]
fn strings_escape_what_they_must_and_no_more() {
    let text: String = ('\0'..=' ')
        .chain("\"\\/\u{7f}é\u{2028}😀".chars())
        .collect();
    let json = "\"\\u0000\\u0001\\u0002\\u0003\\u0004\\u0005\\u0006\\u0007\\b\\t\\n\\u000b\\f\\r\\u000e\\u000f\\u0010\\u0011\\u0012\\u0013\\u0014\\u0015\\u0016\\u0017\\u0018\\u0019\\u001a\\u001b\\u001c\\u001d\\u001e\\u001f \\\"\\\\/\u{7f}é\u{2028}😀\"";
    check(&text, json);
    check(&BTreeMap::from([(text, true)]), &format!("{{{json}:true}}"));
}

fn lists() -> Lists {
    Lists {
        name: "EQ".into(),
        data: vec![0xaa, 0xbb],
        floats: vec![1.0, -0.0],
        grid: vec![vec![1, 2], vec![]],
        blobs: vec![vec![], vec![0]],
        quad: [1, 2, 3, 4],
        pairs: [vec![0xff], vec![0xff, 0xfe, 0xfd]],
        maybe: None,
        maybe_data: Some(vec![]),
        maybes: vec![None, Some(true)],
        nodes: vec![Node {
            value: 1,
            next: Some(Box::default()),
        }],
    }
}

const LISTS: &str = r#"{"name":"EQ","data":"qrs=","floats":[1,-0],"grid":[[1,2],[]],"blobs":["","AA=="],"quad":[1,2,3,4],"pairs":["/w==","//79"],"maybe":null,"maybe_data":"","maybes":[null,true],"nodes":[{"value":1,"\"next\"":{"value":0,"\"next\"":null}}]}"#;

#[test]
fn bytes_are_base64_and_arrays_of_them_are_not() {
    check(&lists(), LISTS);
    check(&Nothing {}, "{}");
}

#[test]
fn borrowed_values_write_what_owned_ones_write() {
    let owned = lists();
    let borrowed = ListsRef {
        name: &owned.name,
        data: &owned.data,
        floats: owned.floats[..].into(),
        grid: owned.grid.iter().map(|row| row[..].into()).collect(),
        blobs: owned.blobs.iter().map(Vec::as_slice).collect(),
        quad: owned.quad,
        pairs: owned.pairs.each_ref().map(Vec::as_slice),
        maybe: owned.maybe,
        maybe_data: owned.maybe_data.as_deref(),
        maybes: owned.maybes.clone(),
        nodes: vec![NodeRef {
            value: 1,
            next: Some(Box::new(NodeRef {
                value: 0,
                next: None,
            })),
        }],
    };
    assert_eq!(to_string(&borrowed).as_deref(), Ok(LISTS));
    let borrowed = BTreeMap::from([("a", borrowed.data), ("b", &[])]);
    assert_eq!(to_string(&borrowed).unwrap(), r#"{"a":"qrs=","b":""}"#);
}

#[test]
fn keys_of_maps_are_strings_in_the_order_of_the_wire() {
    let maps = Maps {
        flags: BTreeMap::from([(true, 1), (false, 2)]),
        numbers: BTreeMap::from([(10, true), (9, false), (u64::MAX, true)]),
        signed: BTreeMap::from([(1, "b".into()), (-1, "a".into())]),
        names: BTreeMap::from([
            ("\u{10000}".into(), vec![1]),
            ("\u{ffff}".into(), vec![]),
            ("aa".into(), vec![2]),
            ("a".into(), vec![]),
        ]),
        kinds: BTreeMap::from([
            (Kind::Unknown(2), Node::default()),
            (Kind::Instrument, Node::default()),
        ]),
        modes: BTreeMap::from([
            (Mode::On, BTreeMap::new()),
            (Mode::Off, BTreeMap::from([(3, 4)])),
        ]),
    };
    let node = r#"{"value":0,"\"next\"":null}"#;
    let text = format!(
        r#"{{"flags":{{"false":2,"true":1}},"numbers":{{"9":false,"10":true,"18446744073709551615":true}},"signed":{{"-1":"a","1":"b"}},"names":{{"a":[],"aa":[2],"{}":[],"{}":[1]}},"kinds":{{"inst":{node},"2":{node}}},"modes":{{"Off":{{"3":4}},"On":{{}}}}}}"#,
        '\u{ffff}', '\u{10000}'
    );
    check(&maps, &text);
}

#[test]
fn unions_are_objects_of_one_member() {
    let changed = EventChanged { id: 9, value: -0.5 };
    check(&Event::Changed(changed), r#"{"Changed":{"id":9,"v":-0.5}}"#);
    check(&Event::Stopped, r#"{"Stopped":null}"#);
    check(&Event::Moved([-1, 1]), r#"{"Moved":[-1,1]}"#);
    let unknown = Event::Unknown {
        tag: 9,
        payload: vec![0xaa, 0xbb],
    };
    check(&unknown, r#"{"$unknown":{"tag":9,"payload":"qrs="}}"#);
    check(
        &Choice::Again(Box::new(Choice::Count(7))),
        r#"{"Again":{"Count":7}}"#,
    );
    check(
        &Choice::Event(Event::Stopped),
        r#"{"Event":{"Stopped":null}}"#,
    );
}

#[test]
fn messages_write_all_segments_and_the_tail_last() {
    let mut settings = Settings::default();
    let text = r#"{"rate":0,"limit":null,"title":"untitled","mode":"On"}"#;
    check(&settings, text);
    settings.unknown_fields = vec![0xaa];
    let text = r#"{"rate":0,"limit":null,"title":"untitled","mode":"On","$unknown":"qg=="}"#;
    check(&settings, text);
    let session = Session {
        events: vec![Event::Stopped],
        choice: Some(Choice::Nothing),
        settings,
    };
    let text = format!(
        r#"{{"events":[{{"Stopped":null}}],"choice":{{"Nothing":null}},"settings":{text}}}"#
    );
    check(&session, &text);
}

#[test]
fn unions_without_an_alternative_have_no_json() {
    let unset = Session {
        events: vec![Event::Stopped, Event::default()],
        ..Session::default()
    };
    let refusal = to_string(&unset).unwrap_err();
    assert_eq!(
        refusal,
        Error::new(Rule::ValueInvalid).in_field("events[1]")
    );
    let known = Choice::Event(Event::Unknown {
        tag: 4,
        payload: vec![],
    });
    let refusal = to_string(&BTreeMap::from([(5_u8, [known])])).unwrap_err();
    assert_eq!(refusal.to_string(), "value_invalid in [0].value[0].Event");
}

#[test]
fn values_deeper_than_64_have_no_json() {
    let chain = |length| {
        (1..length).fold(Node::default(), |node, value| Node {
            value,
            next: Some(Box::new(node)),
        })
    };
    let text = to_string(&chain(64)).unwrap();
    assert_eq!(from_text::<Node>(&text), Ok(chain(64)));
    let refusal = to_string(&chain(65)).unwrap_err();
    assert_eq!(refusal.kind, Rule::LimitDepth);
    assert_eq!(refusal.offset, None);
    assert_eq!(refusal.path, ["next"; 64].join("."));

    // Depth comes before what else is wrong with a union.
    let unset = (0..64).fold(Choice::Event(Event::default()), |choice, _| {
        Choice::Again(Box::new(choice))
    });
    assert_eq!(to_string(&unset).unwrap_err().kind, Rule::LimitDepth);
}
