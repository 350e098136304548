//! Texts beside the canonical form: texts that are read, and texts that are refused, with the
//! places of their faults.

use sdp::json::{from_text, to_string, FromJson, ToJson};
use sdp::{Error, Kind as Rule};

use crate::shapes::{Choice, Event, Lists, Maps, Node, Nothing, Scalars, Session, Settings};

/// Reads texts and compares how they are written.
fn accepts<T: FromJson + ToJson>(cases: &[(&str, &str)]) {
    for (text, canonical) in cases {
        let written = from_text::<T>(text).and_then(|value| to_string(&value));
        assert_eq!(written.as_deref(), Ok(*canonical), "{text}");
    }
}

/// Reads texts, in each of which `^` stands before the refused byte, and compares
/// the paths.
fn refuses<T: FromJson>(cases: &[(&str, &str)]) {
    for (marked, path) in cases {
        let at = marked.find('^').expect(marked);
        let text = marked.replacen('^', "", 1);
        let refusal = from_text::<T>(&text).err();
        assert_eq!(
            refusal,
            Some(Error::at(Rule::JsonInvalid, at, *path)),
            "{marked}"
        );
    }
}

#[test]
fn white_space_stands_around_every_token() {
    accepts::<Vec<Vec<u8>>>(&[(" \t\r\n[ \"AA==\" , \"\" ]\n", r#"["AA==",""]"#)]);
    accepts::<Event>(&[(
        "\n{ \"Changed\" : { \"id\" : 9 , \"v\" : 1 } } ",
        r#"{"Changed":{"id":9,"v":1}}"#,
    )]);
    refuses::<Node>(&[("  { \"value\" :\n ^-1 } ", "value")]);
}

#[test]
fn integers_have_one_form_in_numbers_and_strings() {
    accepts::<i8>(&[("-128", "-128"), ("\"127\"", "127"), ("\"-1\"", "-1")]);
    accepts::<u64>(&[("18446744073709551615", "\"18446744073709551615\"")]);
    accepts::<i64>(&[("-9223372036854775808", "\"-9223372036854775808\"")]);
    accepts::<u32>(&[("\"\\u0034294967295\"", "4294967295")]);
    for text in [
        "^-129",
        "^128",
        "^-0",
        "^1.0",
        "^1e1",
        "^0.0",
        "^\"01\"",
        "^\"-0\"",
        "^\"+1\"",
        "^\" 1\"",
        "^\"1 \"",
        "^\"\"",
        "^\"-\"",
        "^\"0x1\"",
        "^\"1_0\"",
        "^\"--1\"",
        "^\"\u{661}\"",
        "^true",
        "^null",
        "^[1]",
        "^{}",
    ] {
        refuses::<i8>(&[(text, "")]);
    }
    refuses::<u8>(&[("^256", ""), ("^-1", ""), ("^\"-1\"", ""), ("^\"-0\"", "")]);
    refuses::<u64>(&[("^18446744073709551616", "")]);
    refuses::<i64>(&[("^9223372036854775808", "")]);
}

#[test]
fn enums_are_read_from_names_and_numbers() {
    use crate::shapes::{Kind, Mode};
    accepts::<Kind>(&[
        ("\"inst\"", "\"inst\""),
        ("1", "\"inst\""),
        ("\"1\"", "\"inst\""),
        ("255", "255"),
        ("\"Ef\\u0066ect\"", "\"Effect\""),
    ]);
    refuses::<Kind>(&[
        ("^256", ""),
        ("^-1", ""),
        ("^1.0", ""),
        ("^\"Instrument\"", ""),
        ("^\"effect\"", ""),
        ("^null", ""),
    ]);
    accepts::<Mode>(&[
        ("\"On\"", "\"On\""),
        ("-1", "\"Off\""),
        ("\"-1\"", "\"Off\""),
    ]);
    refuses::<Mode>(&[("^0", ""), ("^\"0\"", ""), ("^40000", ""), ("^\"on\"", "")]);
}

#[test]
fn bools_are_no_strings_and_strings_no_bools() {
    accepts::<Vec<bool>>(&[("[true,false]", "[true,false]")]);
    refuses::<Vec<bool>>(&[
        ("[true,^1]", "[1]"),
        ("[^\"true\"]", "[0]"),
        ("[^null]", "[0]"),
    ]);
    refuses::<String>(&[("^1", ""), ("^null", ""), ("^[\"a\"]", ""), ("^true", "")]);
}

#[test]
fn times_and_uuids_are_read_in_their_one_form() {
    accepts::<sdp::Timestamp>(&[("\"1970-01-01T00:00:01.500Z\"", "\"1970-01-01T00:00:01.5Z\"")]);
    refuses::<sdp::Timestamp>(&[("^\"1970-02-30T00:00:00Z\"", ""), ("^0", "")]);
    accepts::<sdp::Duration>(&[("\"-0s\"", "\"0s\""), ("\"1.500s\"", "\"1.5s\"")]);
    refuses::<sdp::Duration>(&[("^\"1\"", ""), ("^1", "")]);
    accepts::<sdp::Uuid>(&[(
        "\"00112233-4455-6677-8899-AABBCCddeeFF\"",
        "\"00112233-4455-6677-8899-aabbccddeeff\"",
    )]);
    refuses::<sdp::Uuid>(&[("^\"00112233445566778899aabbccddeeff\"", ""), ("^null", "")]);
}

#[test]
fn base64_has_one_form() {
    accepts::<Vec<u8>>(&[("\"\"", "\"\""), ("\"+\\/8=\"", "\"+/8=\"")]);
    for text in [
        "^\"A\"",
        "^\"AA\"",
        "^\"AA=\"",
        "^\"AA==\\n\"",
        "^\"AB==\"",
        "^\"AAB=\"",
        "^\"-_-_\"",
        "^\"AA==AA==\"",
        "^\"A===\"",
        "^\" AA==\"",
        "^[0]",
        "^null",
    ] {
        refuses::<Vec<u8>>(&[(text, "")]);
    }
}

#[test]
fn arrays_have_exactly_their_elements() {
    accepts::<[u8; 2]>(&[("[1, 2]", "[1,2]")]);
    accepts::<[u8; 0]>(&[("[]", "[]")]);
    refuses::<[u8; 2]>(&[
        ("[1,2,^3]", "[2]"),
        ("[1,2,^\"x\",4]", "[2]"),
        ("^[1]", ""),
        ("[^\"x\"]", "[0]"),
        ("^\"AQI=\"", ""),
        ("^{}", ""),
    ]);
    refuses::<Vec<Box<[u16; 1]>>>(&[("[[1],[1,^2]]", "[1][1]"), ("[^[]]", "[0]")]);
}

#[test]
fn large_arrays_do_not_pass_over_the_stack() {
    const N: usize = 1 << 20;
    let text = format!("[{}0]", "0,".repeat(N - 1));
    let reader = std::thread::Builder::new().stack_size(1 << 20);
    let array = reader.spawn(move || from_text::<Box<[f64; N]>>(text));
    assert!(array.unwrap().join().unwrap().is_ok());
}

#[test]
fn null_is_an_absent_optional_and_nothing_else() {
    accepts::<Vec<Option<Box<u8>>>>(&[("[null,\"1\"]", "[null,1]")]);
    refuses::<Vec<Option<u8>>>(&[("[^-1]", "[0]"), ("^null", "")]);
    refuses::<Node>(&[("^null", ""), ("{\"value\":^null}", "value")]);
}

#[test]
fn members_come_in_any_order_and_optionals_may_be_missing() {
    accepts::<Node>(&[
        (
            r#"{"\"next\"":{"value":2},"value":1}"#,
            r#"{"value":1,"\"next\"":{"value":2,"\"next\"":null}}"#,
        ),
        (
            r#"{"\u0022next\u0022":null,"v\u0061lue":1}"#,
            r#"{"value":1,"\"next\"":null}"#,
        ),
    ]);
}

#[test]
fn structs_refuse_unknown_doubled_and_missing_members() {
    refuses::<Node>(&[
        ("^{}", "value"),
        ("{\"value\":1,^\"x\":2}", ""),
        ("{^\"next\":null}", ""),
        ("{^\"$unknown\":\"\",\"value\":1}", ""),
        ("{\"value\":1 , ^\"value\":\"x\"}", "value"),
        (
            r#"{"\"next\"":{"value":2,"\"next\"":null,^"\u0022next\"":0}}"#,
            "next.next",
        ),
        (r#"{"value":1,"\"next\"":^{}}"#, "next.value"),
        ("^[]", ""),
    ]);
    refuses::<Nothing>(&[("{^\"x\":1}", ""), ("^[]", "")]);
    // The first missing one in order of declaration.
    refuses::<Scalars>(&[("^{\"b\":true,\"u16\":1}", "u8")]);
}

#[test]
fn the_first_refusal_from_left_to_right_is_reported() {
    refuses::<Node>(&[
        ("{\"value\":^-1,\"x\":1}", "value"),
        ("{^\"x\":1,\"value\":-1}", ""),
    ]);
    refuses::<Lists>(&[
        ("{\"grid\":[[1],[2,^-1]],\"data\":0}", "grid[1][1]"),
        (
            "{\"nodes\":[{\"value\":1},{\"value\":^\"x\"}]}",
            "nodes[1].value",
        ),
        ("{\"blobs\":[\"\",^\"=\"],\"x\":0}", "blobs[1]"),
        ("{\"quad\":^[1,2,3],\"quad\":0}", "quad"),
        ("^{\"data\":\"\"}", "name"),
    ]);
}

#[test]
fn messages_pass_over_unknown_members() {
    let canonical = r#"{"events":[],"choice":null,"settings":{"rate":1,"limit":2,"title":"untitled","mode":"On"}}"#;
    let text = r#"{"x":{"y":[1,{}]},"settings":{"x":1,"x":2,"rate":1,"limit":2},"events":[],"x":null,"$unknown":5}"#;
    accepts::<Session>(&[(text, canonical)]);
    refuses::<Session>(&[
        ("^{\"choice\":null}", "events"),
        (
            "{\"events\":[],\"settings\":{\"mode\":^0}}",
            "settings.mode",
        ),
        ("{\"events\":[],\"settings\":^null}", "settings"),
    ]);
}

#[test]
fn messages_take_missing_values_and_keep_their_tail() {
    let canonical = r#"{"rate":1,"limit":null,"title":"untitled","mode":"On"}"#;
    accepts::<Settings>(&[
        ("{\"rate\":1}", canonical),
        ("{\"$unknown\":\"\",\"rate\":1}", canonical),
        (
            "{\"$unknown\":\"qg==\",\"mode\":-1,\"rate\":1,\"title\":\"\"}",
            r#"{"rate":1,"limit":null,"title":"","mode":"Off","$unknown":"qg=="}"#,
        ),
    ]);
    refuses::<Settings>(&[
        ("{\"$unknown\":^null,\"rate\":1}", ""),
        ("{\"$unknown\":^\"qg\",\"rate\":1}", ""),
        ("{\"$unknown\":\"\",\"rate\":1,^\"$unknown\":\"\"}", ""),
        ("^{}", "rate"),
    ]);
    refuses::<Session>(&[(
        "{\"events\":[],\"settings\":{\"rate\":1,\"$unknown\":^7}}",
        "settings",
    )]);
}

#[test]
fn unions_have_one_member_that_is_an_alternative() {
    refuses::<Event>(&[
        ("^{}", ""),
        ("^null", ""),
        ("^\"Stopped\"", ""),
        ("{^\"Started\":null}", ""),
        ("{^\"stopped\":null}", ""),
        ("{\"Stopped\":null,^\"Moved\":[1,2]}", ""),
        ("{\"Stopped\":^0,\"Moved\":[1,2]}", "Stopped"),
        ("{\"Stopped\":^{}}", "Stopped"),
        ("{\"Moved\":^null}", "Moved"),
        ("{\"Moved\":[1,^200]}", "Moved[1]"),
        (
            "{\"Loaded\":{\"value\":1,\"\\\"next\\\"\":^1}}",
            "Loaded.next",
        ),
        ("{\"Changed\":^{\"id\":1}}", "Changed.value"),
        ("{\"Changed\":{\"id\":1,\"v\":1,^\"x\":1}}", "Changed"),
        ("{\"Changed\":{\"id\":1,^\"value\":1}}", "Changed"),
    ]);
    refuses::<Session>(&[("{\"events\":[{\"Stopped\":null},^{}]}", "events[1]")]);
}

#[test]
fn unknown_alternatives_are_read_whole() {
    accepts::<Event>(&[(
        r#"{"$unknown":{"payload":"qg==","tag":"255"}}"#,
        r#"{"$unknown":{"tag":255,"payload":"qg=="}}"#,
    )]);
    refuses::<Event>(&[
        ("{\"$unknown\":^null}", ""),
        ("{\"$unknown\":^{}}", ""),
        ("{\"$unknown\":^{\"tag\":9}}", ""),
        ("{\"$unknown\":{\"tag\":^0,\"payload\":\"\"}}", ""),
        ("{\"$unknown\":{\"tag\":^3,\"payload\":\"\"}}", ""),
        ("{\"$unknown\":{\"tag\":^256,\"payload\":\"\"}}", ""),
        ("{\"$unknown\":{\"tag\":9,\"payload\":^\"q\"}}", ""),
        ("{\"$unknown\":{\"tag\":9,\"payload\":\"\",^\"x\":1}}", ""),
        ("{\"$unknown\":{\"tag\":9,^\"tag\":9,\"payload\":\"\"}}", ""),
        (
            "{\"$unknown\":{\"tag\":9,\"payload\":\"\"},^\"Stopped\":null}",
            "",
        ),
    ]);
    refuses::<Choice>(&[
        ("{^\"$unknown\":{\"tag\":9,\"payload\":\"\"}}", ""),
        (
            "{\"Event\":{\"$unknown\":{\"tag\":^1,\"payload\":\"\"}}}",
            "Event",
        ),
        ("{\"Again\":{\"Nothing\":^1}}", "Again.Nothing"),
    ]);
}

#[test]
fn maps_refuse_bad_and_equal_keys() {
    let with = |member: &str| {
        let empty = ["flags", "numbers", "signed", "names", "kinds", "modes"];
        let others = empty.iter().filter(|name| !member.contains(*name));
        let others: Vec<String> = others.map(|name| format!(",\"{name}\":{{}}")).collect();
        format!("{{{member}{}}}", others.concat())
    };
    for (member, path) in [
        ("\"flags\":{^\"1\":1}", "flags[0].key"),
        ("\"flags\":{\"true\":1,^\"true\":2}", "flags[1].key"),
        ("\"numbers\":{\"1\":true,^\"01\":true}", "numbers[1].key"),
        ("\"numbers\":{\"1\":true,\"2\":^1}", "numbers[1].value"),
        ("\"signed\":{\"-1\":\"\",^\"-0\":\"\"}", "signed[1].key"),
        ("\"signed\":{^\"128\":\"\"}", "signed[0].key"),
        ("\"names\":{\"a\":[],^\"\\u0061\":0}", "names[1].key"),
        ("\"names\":{\"a\":[1,^null]}", "names[0].value[1]"),
        (
            "\"kinds\":{\"1\":{\"value\":1},^\"inst\":0}",
            "kinds[1].key",
        ),
        ("\"kinds\":{\"1\":^{}}", "kinds[0].value.value"),
        ("\"modes\":{^\"0\":{}}", "modes[0].key"),
        ("\"modes\":{\"On\":{\"7\":^256}}", "modes[0].value[0].value"),
        ("\"modes\":^[]", "modes"),
    ] {
        refuses::<Maps>(&[(&with(member), path)]);
    }
    let text = with("\"kinds\":{\"7\":{\"value\":1},\"0\":{\"value\":2}}");
    let maps = from_text::<Maps>(text).unwrap();
    let keys: Vec<u8> = maps.kinds.keys().map(|kind| kind.number()).collect();
    assert_eq!(keys, [0, 7]);
}

#[test]
fn aggregates_deeper_than_64_are_refused_whatever_they_hold() {
    let around =
        |inside: &str, n: usize| format!("{}{inside}{}", "{\"Again\":".repeat(n), "}".repeat(n));
    assert!(from_text::<Choice>(around("{\"Count\":1}", 63)).is_ok());
    for inside in ["{\"Count\":1}", "{}", "[]", "null"] {
        let refusal = from_text::<Choice>(around(inside, 64)).unwrap_err();
        assert_eq!(refusal.offset, Some(64 * 9), "{inside}");
        assert_eq!(refusal.path, ["Again"; 64].join("."));
    }
    // The object of an unknown alternative is no level of its own.
    let unknown = "{\"Event\":{\"$unknown\":{\"tag\":9,\"payload\":\"\"}}}";
    assert!(from_text::<Choice>(around(unknown, 62)).is_ok());
    assert!(from_text::<Choice>(around(unknown, 63)).is_err());
}
