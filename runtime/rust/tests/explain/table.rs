//! Refusals as rows: name, layout, bytes in hexadecimal, options, and what
//! `explain` says.

use sdp::{explain, Error, Limits, Mode};

/// The layout that a row names or spells, with semicolons for the ends of lines.
pub(crate) fn layout(name: &str) -> String {
    let text = match name {
        "plugin" => "0 struct demo.Plugin; name str1; gain f32; on bool; note opt str4;",
        "registry" => {
            "0 message demo.Registry; plugins list4 #1;@2; total u32; host str4;\
             1 struct demo.Plugin; name str1; gain f32; on bool; note opt str4;"
        }
        "event" => {
            "0 union demo.HostEvent; Loaded 1 #1; Changed 2 #2; Stopped 3;\
             1 struct demo.Plugin; name str1; gain f32; on bool; note opt str4;\
             2 struct demo.HostEvent.Changed; id u32; value f32;"
        }
        "levels" => "0 struct demo.Levels; m map4 str1 i16;",
        "closed" => {
            "0 struct demo.S; kind #1; u #2;\
             1 enum demo.Kind i16 closed; Low -1; Zero 0; High 300;\
             2 union demo.U closed; A 1 bool; B 2 #3; C 3;\
             3 struct demo.U.B; n u16;"
        }
        // A message in a union in a message, and the reverse.
        "frames" => {
            "0 struct demo.F; u #1; m #3;\
             1 union demo.U; M 1 #2; T 2 str1;\
             2 message demo.M; a u8;@2; b u16;@3; c bool;\
             3 message demo.N keep; u opt #1;"
        }
        // A list that holds itself.
        "tree" => "0 struct demo.Tree; v u8; kids list1 #0;",
        // A union and a message that hold themselves.
        "nest" => {
            "0 union demo.Nest; In 1 #0; End 2; Msg 3 #1;\
             1 message demo.NestMessage; nest opt #0;"
        }
        "bound" => "0 struct demo.B; s str1<=3; l list1<=2 u16; m map1<=1 u8 bool; b bytes2<=4;",
        "grid" => {
            "0 struct demo.G; grid array 2 array 3 u16; cells array 2 #1;\
             1 struct demo.Cell; on bool;"
        }
        "flags" => "0 struct demo.Flags; flags array 3 bool; many list1 bool;",
        "mixed" => {
            "0 struct demo.S; on bool; name str1; list list1 #1; last opt u8;\
             1 struct demo.T; x u16;"
        }
        text => text,
    };
    text.replace(';', "\n")
}

pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.replace(' ', "");
    let places = (0..digits.len()).step_by(2);
    let bytes = places.map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap());
    bytes.collect()
}

/// Runs each row alone and behind a header.
pub(crate) fn check(rows: &str) {
    for row in rows.lines().filter(|row| !row.is_empty()) {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let [name, text, hex, options, want] = columns[..] else {
            panic!("{row}");
        };
        let (text, input) = (layout(text), bytes(hex));
        let (mut mode, mut exact, mut memory_at) = (Mode::Whole, false, None);
        let mut limits = Limits::new();
        for option in options.split_whitespace() {
            let (option, number) = option.split_once('=').unwrap_or((option, "0"));
            let number = number.parse().unwrap();
            match option {
                "prefix" => mode = Mode::Prefix,
                "exact" => exact = true,
                "depth" => limits.depth = number,
                "elements" => limits.elements = number,
                "message_bytes" => limits.message_bytes = number,
                "memory_at" => memory_at = Some(number),
                _ => panic!("{row}"),
            }
        }
        for base in [0, 10] {
            let got = explain(&text, &input, base, mode, exact, &limits, memory_at);
            assert_eq!(said(got, base), want, "{name}");
        }
    }
}

/// Spells what `explain` said as a row does: kind, offset, path.
pub(crate) fn said(error: Option<Error>, base: usize) -> String {
    let Some(error) = error else {
        return "fine".to_owned();
    };
    let offset = error.offset.unwrap() - base;
    format!("{} {offset} {}", error.kind, error.path)
        .trim_end()
        .to_owned()
}
