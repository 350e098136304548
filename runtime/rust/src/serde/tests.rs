use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use std::string::ToString;
use std::vec;

use ::serde::de::value::{Error as ValueError, I128Deserializer, MapDeserializer};
use proptest::prelude::*;
use serde_test::{
    assert_de_tokens, assert_de_tokens_error, assert_ser_tokens, assert_tokens, Compact, Configure,
    Readable, Token,
};

use super::transcript::NUMBER;
use super::*;
use crate::decoder::{self, Decoder};
use crate::json::Writer;
use crate::wire;

/// A value as generated types serialize it in formats that people read.
#[derive(Debug, PartialEq)]
struct Text<T>(T);

impl<T: ToJson> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_text(&self.0, serializer)
    }
}

impl<'de, T: FromJson> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_text(deserializer).map(Self)
    }
}

/// `struct Preset { on: bool, gain: f32, limit: ?u64, levels: map<u8, []f64> }`
#[derive(Debug, Clone, PartialEq, Default)]
struct Preset {
    on: bool,
    gain: f32,
    limit: Option<u64>,
    levels: BTreeMap<u8, Vec<f64>>,
}

const MEMBERS: json::Object = json::Object::of_struct(&[
    json::Field::required("on", "on"),
    json::Field::required("gain", "gain"),
    json::Field::optional("limit", "limit"),
    json::Field::required("levels", "levels"),
]);

impl ToJson for Preset {
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.object(&MEMBERS, &[&self.on, &self.gain, &self.limit, &self.levels])
    }
}

impl FromJson for Preset {
    fn read_json(value: Value<'_>) -> Result<Self, Error> {
        let mut v = Self::default();
        let fields: &mut [&mut dyn json::Target] =
            &mut [&mut v.on, &mut v.gain, &mut v.limit, &mut v.levels];
        value.object(&MEMBERS, fields)?;
        Ok(v)
    }
}

fn preset() -> Text<Preset> {
    Text(Preset {
        on: true,
        gain: -0.0,
        limit: Some(u64::MAX),
        levels: BTreeMap::from([(1, vec![0.1, 1e300, 1e19]), (2, vec![f64::INFINITY, 5.0])]),
    })
}

#[test]
fn json_of_serde_says_what_canonical_json_says() {
    let text = serde_json::to_string(&preset()).unwrap();
    let want = r#"{"on":true,"gain":-0.0,"limit":"18446744073709551615","levels":{"1":[0.1,1e+300,1e+19],"2":["Infinity",5]}}"#;
    assert_eq!(text, want);
    let back: Text<Preset> = serde_json::from_str(&text).unwrap();
    assert_eq!(back, preset());
    assert!(back.0.gain.is_sign_negative());
    let tree = serde_json::to_value(preset()).unwrap();
    assert_eq!(
        serde_json::from_value::<Text<Preset>>(tree).unwrap(),
        preset()
    );
}

#[test]
fn what_is_absent_is_none_and_numbers_are_as_wide_as_they_need() {
    let absent = Text(Preset {
        gain: 0.1,
        levels: BTreeMap::from([(1, vec![0.1, 1e19, -3.0, f64::NAN])]),
        ..Preset::default()
    });
    let tokens = [
        Token::Map { len: Some(4) },
        Token::Str("on"),
        Token::Bool(false),
        Token::Str("gain"),
        Token::F64(0.1),
        Token::Str("limit"),
        Token::None,
        Token::Str("levels"),
        Token::Map { len: Some(1) },
        Token::Str("1"),
        Token::Seq { len: Some(4) },
        Token::F64(0.1),
        Token::F64(1e19),
        Token::I64(-3),
        Token::Str("NaN"),
        Token::SeqEnd,
        Token::MapEnd,
        Token::MapEnd,
    ];
    assert_ser_tokens(&absent.readable(), &tokens);
}

#[test]
fn a_format_may_say_more_than_json_can() {
    for (tokens, value) in [
        (&[Token::F64(f64::INFINITY)][..], f64::INFINITY),
        (&[Token::F32(0.1)], 0.1),
        (&[Token::I8(-3)], -3.0),
        (&[Token::U64(1 << 63)], 9_223_372_036_854_775_808.0),
        (
            &[Token::NewtypeStruct { name: "Gain" }, Token::F64(-0.0)],
            -0.0,
        ),
        (&[Token::Some, Token::F64(1.0)], 1.0),
    ] {
        assert_de_tokens(&Text(value), tokens);
    }
    assert_de_tokens(&Text(vec![0xaa_u8, 0xbb]), &[Token::Bytes(&[0xaa, 0xbb])]);
    assert_de_tokens(&Text(None::<u8>), &[Token::Unit]);
    assert_de_tokens(&Text(None::<u8>), &[Token::None]);
    assert_de_tokens(&Text(String::from("a")), &[Token::Char('a')]);
    let wide = I128Deserializer::<ValueError>::new(1 << 100);
    let refusal = Text::<u64>::deserialize(wide).unwrap_err();
    assert!(refusal.to_string().ends_with("expected what JSON can say"));
}

#[test]
fn refusals_have_a_path_and_no_offset() {
    for (text, refusal) in [
        (
            r#"{"on":true,"gain":1,"levels":{"1":[1,null]}}"#,
            "json_invalid in levels[0].value[1]",
        ),
        (
            r#"{"on":true,"on":true,"gain":1,"levels":{}}"#,
            "json_invalid in on",
        ),
        (r#"{"on":true,"gain":1}"#, "json_invalid in levels"),
        ("[]", "json_invalid"),
    ] {
        let error = serde_json::from_str::<Text<Preset>>(text)
            .unwrap_err()
            .to_string();
        assert_eq!(error.split(" at line").next(), Some(refusal), "{text}");
    }
    let deep = "[".repeat(100_000);
    assert!(serde_json::from_str::<Text<Preset>>(&deep).is_err());
}

#[test]
fn keys_of_a_format_may_be_no_strings() {
    type Deserializer<'a, K> =
        MapDeserializer<'a, std::vec::IntoIter<(K, &'static str)>, ValueError>;
    let numbers = Deserializer::new(vec![(2_u8, "b"), (1, "a")].into_iter());
    let Text(read) = Text::<BTreeMap<u8, String>>::deserialize(numbers).unwrap();
    assert_eq!(read, BTreeMap::from([(1, "a".into()), (2, "b".into())]));
    let signed = Deserializer::new(vec![(-2_i32, "b")].into_iter());
    assert!(Text::<BTreeMap<i8, String>>::deserialize(signed).is_ok());
    let flags = Deserializer::new(vec![(true, "a")].into_iter());
    assert!(Text::<BTreeMap<bool, String>>::deserialize(flags).is_ok());
    let floats = Deserializer::new(vec![(1.5_f32, "a")].into_iter());
    assert!(Text::<BTreeMap<String, String>>::deserialize(floats).is_err());
}

#[test]
fn numbers_of_any_precision_are_numbers() {
    let number = |digits| MapDeserializer::<_, ValueError>::new([(NUMBER, digits)].into_iter());
    assert_eq!(Text::deserialize(number("0.1")), Ok(Text(0.1_f32)));
    assert_eq!(
        Text::deserialize(number("18446744073709551615")),
        Ok(Text(u64::MAX))
    );
    assert!(Text::<f64>::deserialize(number("1],[")).is_err());
    assert!(Text::<f64>::deserialize(number("")).is_err());
}

/// `struct Pair { a: u8, b: bool }`, with its encoding too.
#[derive(Debug, PartialEq)]
struct Pair(u8, bool);

impl wire::Declared for Pair {
    fn sdp_layout() -> &'static wire::LayoutPart {
        static PART: wire::LayoutPart =
            wire::LayoutPart::new("struct a.Pair\n a u8\n b bool\n", &[]);
        &PART
    }
}

impl codec::Value for Pair {
    type Declared = Self;
    const FACTOR: usize = 1;
}

impl Encode for Pair {
    fn sdp_size(&self, _: usize) -> usize {
        2
    }

    fn sdp_encode(&self, w: &mut wire::Writer<'_>, _: usize) {
        w.run([self.0, self.1.into()]);
    }

    fn sdp_check(&self, _: bool, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

impl Decode<'_> for Pair {
    fn sdp_decode(_: &mut Decoder, s: &mut &[u8], _: usize) -> Option<Self> {
        Some(Self(decoder::fixed(s)?, decoder::fixed(s)?))
    }
}

impl ToJson for Pair {
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
        [self.0, self.1.into()].write_json(writer)
    }
}

impl FromJson for Pair {
    fn read_json(value: Value<'_>) -> Result<Self, Error> {
        value.read().map(|[a, b]: [u8; 2]| Self(a, b == 1))
    }
}

impl Serialize for Pair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Pair {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer)
    }
}

#[test]
fn other_formats_hold_the_encoding() {
    let mut cbor = Vec::new();
    ciborium::into_writer(&[Pair(7, true)], &mut cbor).unwrap();
    assert_eq!(cbor, [0x81, 0x42, 7, 1]);
    let back: [Pair; 1] = ciborium::from_reader(&cbor[..]).unwrap();
    assert_eq!(back, [Pair(7, true)]);
    // A format without bytes has a list of them.
    let list: Pair = ciborium::from_reader(&[0x82, 7, 1][..]).unwrap();
    assert_eq!(list, Pair(7, true));
    assert_eq!(serde_json::to_string(&list).unwrap(), "[7,1]");
    assert_eq!(serde_json::from_str::<Pair>("[7,1]").unwrap(), list);
    for (cbor, refusal) in [
        (&[0x42, 7, 2][..], "bool_invalid at byte 1 in b"),
        (&[0x41, 7], "truncated at byte 1 in b"),
        (&[0x43, 7, 1, 0], "trailing_bytes at byte 2"),
    ] {
        let error = ciborium::from_reader::<Pair, _>(cbor).unwrap_err();
        assert!(error.to_string().contains(refusal), "{error}");
    }
}

/// `@closed enum Mode: i16 { Off = -1, On = 300 }`
#[derive(Debug, Clone, Copy, PartialEq)]
struct Mode(i16);

impl Mode {
    const fn number(self) -> i16 {
        self.0
    }

    fn from_number(number: i16) -> Option<Self> {
        [-1, 300].contains(&number).then_some(Self(number))
    }
}

crate::json::enumeration! {
    Mode: i16, closed {
        "Off" = -1,
        "On" = 300,
    }
}

crate::serde::enumeration! { Mode: closed }

#[test]
fn enums_are_names_for_people_and_numbers_else() {
    assert_tokens(&Mode(-1).readable(), &[Token::Str("Off")]);
    assert_tokens(&Mode(-1).compact(), &[Token::I16(-1)]);
    assert_de_tokens(&Mode(300).readable(), &[Token::U64(300)]);
    assert_de_tokens(&Mode(300).compact(), &[Token::U64(300)]);
    assert_de_tokens_error::<Readable<Mode>>(&[Token::I16(0)], "json_invalid");
    assert_de_tokens_error::<Compact<Mode>>(&[Token::I16(0)], "enum_unknown");
}

proptest! {
    #[test]
    fn floats_come_back_from_json_of_serde(single: u32, double: u64) {
        let text = serde_json::to_string(&Text(f32::from_bits(single))).unwrap();
        let Text(back) = serde_json::from_str::<Text<f32>>(&text).unwrap();
        prop_assert_eq!(back.to_bits(), single, "{}", text);
        let text = serde_json::to_string(&Text(f64::from_bits(double))).unwrap();
        let Text(back) = serde_json::from_str::<Text<f64>>(&text).unwrap();
        prop_assert_eq!(back.to_bits(), double, "{}", text);
    }
}
