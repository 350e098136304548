//! Texts that are no JSON at all.

use proptest::prelude::*;
use sdp::json::{from_text, FromJson, Value};
use sdp::{Error, Kind as Rule};

/// Takes any value without a look at it.
struct Anything;

impl FromJson for Anything {
    fn read_json(_: Value<'_>) -> Result<Self, Error> {
        Ok(Self)
    }
}

fn flaw(text: impl AsRef<[u8]>) -> Option<Error> {
    from_text::<Anything>(text).err()
}

#[track_caller]
fn flawed_at(text: impl AsRef<[u8]>, at: usize) {
    let shown = String::from_utf8_lossy(text.as_ref()).into_owned();
    let want = Error::at(Rule::JsonInvalid, at, "");
    assert_eq!(flaw(text), Some(want), "{shown}");
}

/// Checks texts in which `^` stands before the flaw.
#[track_caller]
fn flawed(marked: &[&str]) {
    for text in marked {
        let at = text.find('^').expect(text);
        flawed_at(text.replacen('^', "", 1), at);
    }
}

#[test]
fn a_text_that_ends_too_soon_is_refused_at_its_end() {
    flawed(&[
        "^", " \n^", "{^", "[^", "{ ^", "[1^", "[1,^", "tru^", "nul^",
    ]);
    flawed(&["{\"^", "{\"a\"^", "{\"a\":^", "{\"a\":1^", "{\"a\":1,^"]);
    flawed(&["-^", "1.^", "1e^", "1e+^", "[-^", "[0.^"]);
    flawed(&["\"^", "\"a\\^", "\"\\u^", "\"\\u12^", "\"\\u12e^"]);
    flawed(&[
        "\"\\ud83d^",
        "\"\\ud83d\\^",
        "\"\\ud83d\\u^",
        "\"\\ud83d\\ude0^",
    ]);
}

#[test]
fn the_grammar_is_broken_at_the_first_byte_that_cannot_stand_there() {
    flawed(&[
        "nul^x",
        "n^an",
        "^Infinity",
        "^True",
        "^'a'",
        "^]",
        "^,",
        "^:",
    ]);
    flawed(&[
        "{}^{}", "{} ^,", "1 ^2", "[1,^]", "[^,1]", "[1 ^2]", "[1^}", "{^]",
    ]);
    flawed(&[
        "{\"a\":1,^}",
        "{^1:2}",
        "{\"a\"^,1}",
        "{\"a\":^,1}",
        "{\"a\":1 ^\"b\":2}",
    ]);
    flawed(&[
        "{^/**/}",
        "[1^//\n]",
        "^\u{feff}{}",
        "{^\u{c}}",
        "[^\u{a0}1]",
        "[^é]",
    ]);
}

#[test]
fn numbers_are_broken_at_the_first_byte_that_cannot_go_on() {
    flawed(&[
        "0^1", "-0^1", "-^a", "[-^]", "1.^x", "[1.^]", "1e^x", "1e+^]", "[1e^]",
    ]);
    flawed(&["^+1", "^.5", "1.5^.", "1e1^.5", "1^_000", "0^x1"]);
}

#[test]
fn escapes_are_broken_at_their_first_bad_byte() {
    flawed(&[
        "\"\\^x\"",
        "\"\\^U0041\"",
        "\"\\u^\"",
        "\"\\u^g000\"",
        "\"\\u00^g0\"",
        "\"\\u000^g\"",
    ]);
    flawed(&[
        "\"\\u12^\" ",
        "\"\\\\u12\"^x",
        "\"\\\\\\^q\"",
        "\"\\ud83d\\u12^g4\"",
    ]);
    flawed(&[
        "\"a^\n\"",
        "\"^\0\"",
        "\"^\t\"",
        "\"\\u0041^\u{1f}\"",
        "{\"a^\r\":1}",
    ]);
}

#[test]
fn halves_of_surrogate_pairs_are_refused_at_their_backslash() {
    flawed(&[
        "\"^\\ud83d\"",
        "\"^\\ude00\"",
        "\"^\\uD800\\n\"",
        "\"^\\udbff\\udbff\"",
    ]);
    flawed(&[
        "\"^\\ude00\\ud83d\"",
        "\"^\\ud83d\\u0041\"",
        "\"a\\ud83d\\ude00^\\ud83d\"",
        "{\"^\\udfff\":1}",
    ]);
    // The first flaw counts, wherever the others are.
    flawed(&[
        "\"^\\ud83d\" x",
        "\"^\\ud83d\n\"",
        "[^x,\"\\ud83d\"]",
        "[\"\\\\ud83d\",^]",
    ]);
    assert_eq!(
        flaw("[\"\\ud83d\\ude00\",\"\\\\ud83d\",\"\\uD83D\\uDE00\",\"\\ud7ff\\ue000\"]"),
        None
    );
}

#[test]
fn bytes_that_are_no_utf8_are_refused_at_the_first_of_their_sequence() {
    for (text, at) in [
        (&b"\xff"[..], 0),
        (b"\"a\xff\"", 2),
        (b"\"\xe2\x82\"", 1),
        (b"\"\xf0\x9f\x98", 1),
        (b"\"\xc0\x80\"", 1),
        (b"\"\xed\xa0\x80\"", 1),
        (b"\"\xf4\x90\x80\x80\"", 1),
        (b"{}\xff", 2),
        (b"[1,]\xff", 3),
        (b"\"\\ud83d\xff\"", 1),
        (b"\"\\u00\xff0\"", 5),
        (b"{\"\xc3\xa9\":\xc3}", 6),
    ] {
        flawed_at(text, at);
    }
}

#[test]
fn every_proper_prefix_is_refused_where_it_ends() {
    let text =
        r#" {"a":[1,-2.5e+3,true,false,null,"é😀\"\\\/\b\u00e9\ud83d\ude00"],"":{"x":[[],{}]}}"#;
    assert_eq!(flaw(text), None);
    for end in 0..text.len() {
        let at = (0..=end).rev().find(|&i| text.is_char_boundary(i));
        flawed_at(&text.as_bytes()[..end], at.unwrap());
    }
}

#[test]
fn ten_thousand_brackets_may_be_open() {
    let around = |n: usize| {
        let (open, close) = ("[{\"\":".repeat(n / 2), "}]".repeat(n / 2));
        format!("[\"[{{\",[],{open}0{close}]")
    };
    assert_eq!(flaw(around(9_998)), None);
    flawed_at(around(10_000), "[\"[{\",[],".len() + 9_999 / 2 * 5 + 1);
    flawed_at("[".repeat(1_000_000), 10_000);
    flawed_at("[".repeat(10_000), 10_000);
    flawed_at("{\"\":".repeat(1_000_000), 40_000);
}

fn soup() -> impl Strategy<Value = String> {
    const TOKENS: [&str; 36] = [
        "{", "}", "[", "]", ",", ":", " ", "\n", "\"", "\"\"", "\"a\"", "\"a\":", "[]", "{}",
        "null", "true", "false", "nul", "0", "-", "1", "-1.5", ".", "e", "E+7", "\\", "\\n", "\\u",
        "\\u00e9", "\\ud83d", "\\ude00", "d83d", "\0", "\u{1f}", "é", "😀",
    ];
    let tokens = prop::collection::vec(prop::sample::select(&TOKENS[..]), 0..12);
    tokens.prop_map(|tokens| tokens.concat())
}

proptest! {
    #[test]
    fn flawless_is_what_serde_json_can_read(text in soup()) {
        let read = serde_json::from_str::<serde_json::Value>(&text);
        prop_assert_eq!(flaw(&text).is_none(), read.is_ok(), "{}", text);
    }

    #[test]
    fn what_follows_a_flaw_does_not_matter(text in soup(), other in soup()) {
        // Whether an escape is half a pair, only what follows it can tell.
        let at = flaw(&text).and_then(|flaw| flaw.offset).filter(|i| *i < text.len());
        if let Some(at) = at.filter(|_| !text.contains("\\u")) {
            let flawed = text[at..].chars().next().unwrap();
            let changed = format!("{}{flawed}{other}", &text[..at]);
            prop_assert_eq!(flaw(&changed).unwrap().offset, Some(at), "{}", changed);
        }
    }
}
