//! Maps.

use sdp::view::{Entries, ListOf, MapOf, Str, Value};
use sdp::wire;

type Texts = MapOf<1, Str<1>, Value<u16>>;

const TEXTS: &[u8] = b"\x03\x01a\x01\x00\x02ab\x02\x00\x01b\x03\x00\xee";

fn texts(bytes: &[u8]) -> Entries<'_, Str<1>, Value<u16>> {
    wire::read::<Texts>(bytes)
}

#[test]
fn entries_come_in_the_order_of_their_keys() {
    let mut entries = texts(TEXTS);
    assert_eq!((entries.len(), entries.is_empty()), (3, false));
    assert_eq!(format!("{entries:?}"), r#"{"a": 1, "ab": 2, "b": 3}"#);
    assert_eq!(entries.next(), Some(("a", 1)));
    assert_eq!(entries.clone().collect::<Vec<_>>(), [("ab", 2), ("b", 3)]);
    assert_eq!(entries.by_ref().last(), Some(("b", 3)));
    assert_eq!(
        (entries.next(), entries.len(), entries.is_empty()),
        (None, 0, true)
    );
}

#[test]
fn values_are_found_by_their_keys() {
    let entries = texts(TEXTS);
    for (key, want) in [("a", Some(1)), ("ab", Some(2)), ("b", Some(3))] {
        assert_eq!(entries.get(key), want);
    }
    for key in ["", "A", "aa", "abc", "c", "a\0"] {
        assert_eq!(entries.get(key), None, "{key:?}");
    }
    let mut rest = entries;
    rest.next();
    assert_eq!((rest.get("a"), rest.get("b")), (None, Some(3)));
}

#[test]
fn numbers_are_found_by_their_value() {
    let entries = wire::read::<MapOf<1, Value<i8>, Value<bool>>>(b"\x03\xff\x01\x00\x00\x05\x01");
    let found: Vec<_> = [-2, -1, 0, 4, 5, 6]
        .iter()
        .map(|key| entries.get(key))
        .collect();
    assert_eq!(
        found,
        [None, Some(true), Some(false), None, Some(true), None]
    );
}

#[test]
fn values_that_are_not_read_are_walked_over() {
    type Lists = MapOf<1, Value<u8>, ListOf<1, Str<1>>>;
    let mut rest = &b"\x02\x01\x02\x01a\x00\x02\x01\x01b\xee"[..];
    let lists = wire::next::<Lists>(&mut rest);
    assert_eq!(rest, b"\xee");
    assert_eq!(
        lists.clone().map(|(key, _)| key).collect::<Vec<_>>(),
        [1, 2]
    );
    let second = lists.get(&2).map(Iterator::collect::<Vec<_>>);
    assert_eq!(second, Some(vec!["b"]));
    assert_eq!(format!("{lists:?}"), r#"{1: ["a", ""], 2: ["b"]}"#);
}
