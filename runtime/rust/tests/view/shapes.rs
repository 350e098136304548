//! The shapes of types that have no name.

use sdp::view::{ArrayOf, Bytes, Framed, ItemsOf, Lazy, ListOf, MapOf, Maybe, Shape, Str, Value};
use sdp::wire;

use crate::plugin::{PluginView, PortView};

/// The text that a shape reads, and how much it steps over, both when it reads and when it
/// does not.
fn shown<E: Shape>(bytes: &[u8]) -> (String, usize) {
    let (mut read, mut skipped) = (bytes, bytes);
    let text = format!("{:?}", wire::next::<E>(&mut read));
    wire::skip::<E>(&mut skipped);
    assert_eq!(read, skipped);
    assert_eq!(wire::front::<E>(bytes), &bytes[..bytes.len() - read.len()]);
    assert_eq!(format!("{:?}", wire::read::<E>(bytes)), text);
    (text, bytes.len() - read.len())
}

#[test]
fn shapes_end_where_their_values_do() {
    let cases: [(_, &str, usize); 14] = [
        (shown::<Value<u32>>(b"\x01\x02\0\0\xee"), "513", 4),
        (shown::<Str<1>>(b"\x02EQ\xee"), "\"EQ\"", 3),
        (shown::<Str<2>>(b"\x02\0EQ\xee"), "\"EQ\"", 4),
        (shown::<Str<4>>(b"\x03\0\0\0\xe2\x82\xac\xee"), "\"€\"", 7),
        (shown::<Bytes<1>>(b"\x02\xff\x01\xee"), "[255, 1]", 3),
        (shown::<ItemsOf<1, u16>>(b"\x01\x07\0\xee"), "[7]", 3),
        (
            shown::<ListOf<1, Str<1>>>(b"\x02\0\x01x\xee"),
            "[\"\", \"x\"]",
            4,
        ),
        (
            shown::<ArrayOf<2, Str<1>>>(b"\0\x01x\xee"),
            "[\"\", \"x\"]",
            3,
        ),
        (
            shown::<MapOf<1, Value<u8>, Str<1>>>(b"\x01\x05\x01x\xee"),
            "{5: \"x\"}",
            4,
        ),
        (shown::<Maybe<Str<1>>>(b"\x01\x01x\xee"), "Some(\"x\")", 3),
        (shown::<Maybe<Str<1>>>(b"\0\x01x\xee"), "None", 1),
        (
            shown::<Maybe<ListOf<1, Str<1>>>>(b"\x01\x01\x01x\xee"),
            "Some([\"x\"])",
            4,
        ),
        (
            shown::<Framed<PortView<'_>>>(b"\x04\0\0\0\x01x\x07\xff\xee"),
            "x=7",
            8,
        ),
        (
            shown::<PluginView<'_>>(b"\x02EQ\x01\x01x\x07\xee"),
            "EQ [x=7]",
            7,
        ),
    ];
    for ((text, used), want, n) in cases {
        assert_eq!((text.as_str(), used), (want, n));
    }
}

#[test]
fn optional_elements_are_walked_over_whether_they_are_there_or_not() {
    type Optionals = ListOf<1, Maybe<Str<1>>>;
    let bytes = b"\x04\0\x01\x01a\0\x01\x00\xee";
    let texts: Vec<_> = wire::read::<Optionals>(bytes).collect();
    assert_eq!(texts, [None, Some("a"), None, Some("")]);
    assert_eq!(shown::<Optionals>(bytes).1, bytes.len() - 1);
}

#[test]
fn what_is_lazy_is_read_when_it_is_asked_for() {
    let lazy = Lazy::<Str<1>>::new(b"\x02EQ\xee");
    let copy = lazy;
    assert_eq!((lazy.get(), copy.get()), ("EQ", "EQ"));
    assert_eq!(format!("{lazy:?}"), "\"EQ\"");
}
