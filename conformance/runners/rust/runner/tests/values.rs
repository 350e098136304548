//! Cases that no vector can have, because no bytes and no JSON text give such a value.

use std::collections::BTreeMap;

use generated::defaults::defaults;
use generated::depths::depths;
use generated::enums::enums;
use generated::framed::framed;
use generated::maps::maps;
use generated::optionals::optionals;
use generated::texts::texts;
use generated::unions::unions;
use sdp::{Error, Kind, Limits};

/// The refusal of a value.
fn refusal(kind: Kind, path: &str) -> Error {
    let mut error = Error::new(kind);
    error.path = path.into();
    error
}

/// Fails unless every way to encode refuses a value, and its JSON for the same reason.
macro_rules! assert_refused {
    ($value:expr, $kind:ident, $path:expr) => {
        let (value, want) = (&$value, refusal(Kind::$kind, $path));
        assert_eq!(value.encode_to_vec(), Err(want.clone()));
        assert_eq!(value.validate(), Err(want.clone()));
        assert_eq!(value.encode_to_slice(&mut []), Err(want.clone()));
        assert_eq!(value.encode_to_slice(&mut [0; 4096]), Err(want.clone()));
        assert_eq!(value.append(&mut Vec::new()), Err(want.clone()));
        assert_eq!(value.to_json(), Err(want));
    };
}

fn unknown(tag: u8) -> unions::Event {
    let payload = Vec::new();
    unions::Event::Unknown { tag, payload }
}

// [WIRE-9.5] [JSON-7.1]
#[test]
fn unions_without_an_alternative_are_refused() {
    assert_refused!(unions::Event::default(), ValueInvalid, "");
    assert_refused!(unions::EventRef::default(), ValueInvalid, "");
    assert_refused!(unions::Holder::default(), ValueInvalid, "event");
    assert_refused!(unions::HolderRef::default(), ValueInvalid, "event");
    let events = vec![unions::Event::Stopped, unions::Event::default()];
    assert_refused!(unions::Many { events }, ValueInvalid, "events[1]");
    let v = Some(optionals::Shape::default());
    assert_refused!(optionals::Chosen { v }, ValueInvalid, "v");
    let m = BTreeMap::from([(3, maps::Shape::None), (4, maps::Shape::default())]);
    assert_refused!(maps::Shapes { m }, ValueInvalid, "m[1].value");
    let inside = unions::Event::Other(Box::default());
    assert_refused!(inside, ValueInvalid, "Other");
}

// [WIRE-9.5] [JSON-7.1]
#[test]
fn unknown_alternatives_with_the_tag_of_a_known_one_are_refused() {
    for tag in 0..=15 {
        let value = unknown(tag);
        if tag == 15 {
            assert_eq!(value.encode_to_vec(), Ok(vec![15, 0, 0, 0, 0]));
        } else {
            assert_refused!(value, ValueInvalid, "");
            assert_refused!(unions::EventRef::from(&value), ValueInvalid, "");
        }
    }
    assert_refused!(unknown(255), ValueInvalid, "");
}

#[test]
fn new_closed_unions_and_enums_have_an_alternative() {
    assert_eq!(unions::Choice::default(), unions::Choice::Yes);
    assert_eq!(unions::Wide::default(), unions::Wide::Big(0));
    assert_eq!(unions::Gate::default(), unions::Gate::Shut);
    let bytes = enums::ClosedSigned::default().encode_to_vec().unwrap();
    assert_eq!(
        enums::ClosedSigned::decode(&bytes),
        Ok(enums::ClosedSigned::default())
    );
}

#[test]
fn closed_enums_refuse_other_numbers() {
    assert_eq!(unions::Gate::from_number(3), None);
    assert_eq!(unions::Gate::try_from(2), Ok(unions::Gate::Open));
    assert_eq!(
        unions::Gate::try_from(3),
        Err(Error::new(Kind::EnumUnknown))
    );
}

#[test]
fn unknown_members_with_the_number_of_a_known_one_are_that_one() {
    let (named, numbered) = (enums::U8::B, enums::U8::Unknown(255));
    assert_eq!(named, numbered);
    assert_eq!(named.cmp(&numbered), std::cmp::Ordering::Equal);
    assert_eq!(named.name(), Some("B"));
    let one = enums::OpenUnsigned {
        a: numbered,
        ..Default::default()
    };
    let other = enums::OpenUnsigned {
        a: named,
        ..Default::default()
    };
    assert_eq!(one.encode_to_vec(), other.encode_to_vec());
    assert_eq!(one.to_json(), other.to_json());
}

/// Nests a value 64 times.
fn deep<T>(inner: T, wrap: impl Fn(T) -> T) -> T {
    (0..64).fold(inner, |inner, _| wrap(inner))
}

// [WIRE-12.37]
#[test]
fn depth_is_refused_before_an_unset_union() {
    let path = ["Next"; 64].join(".");
    let unset = depths::U::default();
    assert_refused!(
        deep(unset, |u| depths::U::Next(Box::new(u))),
        LimitDepth,
        &path
    );
    let payload = vec![1];
    let contradicting = depths::U::Unknown { tag: 1, payload };
    assert_refused!(
        deep(contradicting, |u| depths::U::Next(Box::new(u))),
        LimitDepth,
        &path
    );
    let closed = deep(depths::C::Done, |c| depths::C::Next(Box::new(c)));
    assert_refused!(closed, LimitDepth, &path);
}

// [WIRE-9.4]
#[test]
fn values_of_a_raised_depth_are_decoded_but_not_encoded() {
    let bytes = [[1; 64].as_slice(), &[2]].concat();
    let raised = sdp::DecodeOptions::new().with_limits(Limits::new().with_depth(65));
    let path = ["Next"; 64].join(".");
    assert_refused!(
        depths::C::decode_with(&bytes, &raised).unwrap(),
        LimitDepth,
        &path
    );
    let view = depths::CView::with(&bytes, &raised).unwrap();
    assert_refused!(depths::C::from(view), LimitDepth, &path);
}

// [WIRE-9.8]
#[test]
fn refused_appending_leaves_the_vector_as_it_was() {
    fn check(append: impl Fn(&mut Vec<u8>) -> Result<(), Error>) {
        for room in [0, 4096] {
            let mut out = Vec::with_capacity(room);
            out.extend_from_slice(b"before");
            append(&mut out).unwrap_err();
            assert_eq!(out, b"before");
        }
    }
    let long = "x".repeat(256);
    let pair = texts::Pair {
        name: long.clone(),
        ..Default::default()
    };
    let map = maps::Texts {
        m: BTreeMap::from([(1, "a".into()), (2, long.clone())]),
    };
    check(|out| unions::Holder::default().append(out));
    check(|out| pair.append(out));
    check(|out| texts::PairRef::from(&pair).append(out));
    check(|out| map.append(out));
    check(|out| {
        framed::Note::new()
            .with_text(long.clone())
            .append_message(out)
    });
    check(|out| framed::Event::default().append_message(out));
}

// [WIRE-9.6]
#[test]
fn slices_of_every_length_shorter_than_needed_are_refused() {
    macro_rules! check {
        ($value:expr, $encode:ident, $append:ident) => {
            let value = $value;
            let mut bytes = Vec::new();
            value.$append(&mut bytes).unwrap();
            for n in 0..bytes.len() {
                let mut out = vec![0xaa; n];
                assert_eq!(
                    value.$encode(&mut out),
                    Err(Error::new(Kind::BufferTooSmall))
                );
            }
            let mut out = vec![0xaa; bytes.len() + 3];
            assert_eq!(value.$encode(&mut out), Ok(bytes.len()));
            assert_eq!(out, [&bytes[..], &[0xaa; 3]].concat());
        };
    }
    let name = String::from("a name that is longer than thirty-two bytes");
    let pair = texts::Pair {
        name,
        data: vec![1, 2, 3],
        note: "note".into(),
    };
    let events = vec![
        unions::Event::Changed(unions::EventChanged { id: 1, ok: true }),
        unions::Event::Map(BTreeMap::from([(1, 2), (3, 4)])),
        unions::Event::List(vec![1, 2, 3]),
        unions::Event::Noted(Box::new(unions::Note::new().with_text("n".into()))),
        unknown(99),
    ];
    check!(texts::PairRef::from(&pair), encode_to_slice, append);
    check!(pair, encode_to_slice, append);
    check!(unions::Many { events }, encode_to_slice, append);
    check!(defaults::Declared::new(), encode_to_slice, append);
    check!(
        framed::Note::new().with_text("note".into()),
        message_to_slice,
        append_message
    );
    check!(framed::Last {}, message_to_slice, append_message);
}

// [EVO-2.5]
#[test]
fn new_values_have_zeros_then_missing_values() {
    let fresh = defaults::Declared::new();
    assert_eq!(defaults::Declared::decode(&[0]), Ok(fresh.clone()));
    assert_eq!((fresh.small, fresh.kind), (7, defaults::Kind::Instrument));
    assert_eq!(
        defaults::DeclaredRef::decode(&[0]),
        Ok(defaults::DeclaredRef::new())
    );
    assert_eq!(
        defaults::Declared::from(defaults::DeclaredRef::new()),
        fresh
    );
    assert_eq!(defaults::Zeros::new().note.stars, 3);
}

/// Decoding into a used value keeps a string whose bytes are the same, and no other.
#[test]
fn reused_strings_follow_the_input() {
    for n in 1..=40_u8 {
        let first = [&[n, 0, 0, 0], &b"a".repeat(n.into())[..]].concat();
        for at in 4..first.len() {
            for other in [b'b', b'A', 0, 0xff] {
                let mut second = first.clone();
                second[at] = other;
                let mut value = texts::Text::decode(&first).unwrap();
                let result = value.decode_into(&second);
                if other == 0xff {
                    assert_eq!(result.unwrap_err().kind, Kind::Utf8Invalid);
                } else {
                    assert_eq!((result, value.v.as_bytes()), (Ok(()), &second[4..]));
                }
            }
        }
    }
}
