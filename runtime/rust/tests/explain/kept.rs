//! The memory that layouts take, once in a process [WIRE-8.9].

use std::thread;

use allocation_counter::measure;
use sdp::wire::{self, decode, Declared, Decode, Decoder, LayoutPart, Value};
use sdp::{explain, DecodeOptions, Error, Limits, Mode};

use crate::table::layout;

/// A type that decoding refuses: a message of the numbered structs, each of which
/// has ten fields.
macro_rules! refusing {
    ($type:ident: $($number:literal)*) => {
        #[derive(Debug)]
        struct $type;

        impl Declared for $type {
            fn sdp_layout() -> &'static LayoutPart {
                static PART: LayoutPart = LayoutPart::new(
                    concat!("message a.", stringify!($type), "\n", $(" part_", $number, " #\n",)*),
                    &[$(|| {
                        static PART: LayoutPart = LayoutPart::new(
                            concat!(
                                "struct a.Part", $number, "\n",
                                " a opt list4 u32\n b opt list4 u32\n c opt list4 u32\n",
                                " d opt list4 u32\n e opt list4 u32\n f opt list4 u32\n",
                                " g opt list4 u32\n h opt list4 u32\n i opt list4 u32\n",
                                " j opt list4 u32\n",
                            ),
                            &[],
                        );
                        &PART
                    },)*],
                );
                &PART
            }
        }

        impl Value for $type {
            type Declared = Self;
            const FACTOR: usize = 1;
        }

        impl Decode<'_> for $type {
            fn sdp_decode(_: &mut Decoder, _: &mut &[u8], _: usize) -> Option<Self> {
                None
            }
        }
    };
}

refusing! {
    Wide:
        1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
        21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40
        41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60
        61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80
        81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100
        101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120
}

refusing! {
    Shared:
        1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
        21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40
        41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60
        61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80
        81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100
        101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120
}

refusing! { Small: 1 2 3 }

refusing! { Smaller: 1 2 }

fn refusal<T: Decode<'static> + std::fmt::Debug>() -> String {
    let refused: Error = decode::<T>(&[7], &DecodeOptions::new()).unwrap_err();
    refused.to_string()
}

// Without the standard library there is nothing to keep it in.
#[cfg(feature = "std")]
#[test]
fn a_layout_is_read_for_the_first_refusal_only() {
    let mut said = String::new();
    let first = measure(|| said = refusal::<Wide>()).bytes_total;
    let most = (16 * wire::layout::<Wide>().len() + (4 << 10)) as u64;
    assert!(first <= most, "{first} bytes, at most {most} are allowed");
    assert!(said.contains("part_1.a"), "{said}");
    let second = measure(|| assert_eq!(refusal::<Wide>(), said)).bytes_total;
    assert!(second <= 1 << 10, "{second} bytes");
}

/// A tree whose leaves hold a tree. [EVO-5.2]
#[test]
fn a_layout_text_numbers_types_depth_first() {
    struct Tree;
    struct Leaf;
    struct Kind;
    impl Declared for Tree {
        fn sdp_layout() -> &'static LayoutPart {
            static PART: LayoutPart = LayoutPart::new(
                "message a.Tree\n kind #\n kids list4 #\n by map4 # #\n@2\n also #\n",
                &[
                    Kind::sdp_layout,
                    Tree::sdp_layout,
                    Kind::sdp_layout,
                    Leaf::sdp_layout,
                    Leaf::sdp_layout,
                ],
            );
            &PART
        }
    }
    impl Declared for Leaf {
        fn sdp_layout() -> &'static LayoutPart {
            static PART: LayoutPart = LayoutPart::new(
                "struct a.Leaf\n tree opt #\n kind #\n",
                &[Tree::sdp_layout, Kind::sdp_layout],
            );
            &PART
        }
    }
    impl Declared for Kind {
        fn sdp_layout() -> &'static LayoutPart {
            static PART: LayoutPart = LayoutPart::new("enum a.Kind u8 closed\n A 1\n", &[]);
            &PART
        }
    }
    let kind = "enum a.Kind u8 closed\n A 1\n";
    assert_eq!(wire::layout::<Kind>(), format!("0 {kind}"));
    assert_eq!(
        wire::layout::<Tree>(),
        format!(
            "0 message a.Tree\n kind #1\n kids list4 #0\n by map4 #1 #2\n@2\n also #2\n\
             1 {kind}2 struct a.Leaf\n tree opt #0\n kind #1\n"
        )
    );
    assert_eq!(
        wire::layout::<Leaf>(),
        format!(
            "0 struct a.Leaf\n tree opt #1\n kind #2\n\
             1 message a.Tree\n kind #2\n kids list4 #1\n by map4 #2 #0\n@2\n also #0\n\
             2 {kind}"
        )
    );
}

#[test]
fn first_refusals_of_many_threads_say_the_same() {
    let turns = [refusal::<Shared>, refusal::<Small>, refusal::<Smaller>];
    let threads: Vec<_> = (0..16)
        .map(|i| thread::spawn(move || [0, 1, 2].map(|turn| turns[(i + turn) % 3]())))
        .collect();
    let want = refusal::<Small>();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), [&*want; 3]);
    }
}

/// Of each kind of line, the shortest: it costs the most for its bytes.
#[test]
fn a_layout_takes_sixteen_bytes_for_each_of_its_own() {
    const N: usize = 10_000;
    let tags: Vec<String> = (1..=255).map(|tag| format!(" A {tag};")).collect();
    let blocks: Vec<String> = (1..=N).map(|i| format!("{i} struct S;")).collect();
    for (name, text) in [
        ("fields", format!("0 struct S;{}", " a u8;".repeat(N))),
        (
            "references",
            format!("0 struct S;{}1 struct T; b u8;", " a #1;".repeat(N)),
        ),
        (
            "optionals",
            format!("0 struct S;{}", " a opt opt opt u8;".repeat(N)),
        ),
        (
            "arrays",
            format!("0 struct S;{}", " a array 9 u8;".repeat(N)),
        ),
        ("maps", format!("0 struct S;{}", " a map4 u8 u8;".repeat(N))),
        ("alternatives", format!("0 union U;{}", tags.concat())),
        (
            "closed enums",
            format!("0 struct S;1 enum E u8 closed;{}", " A 1;".repeat(N)),
        ),
        (
            "open enums",
            format!("0 struct S;1 enum E u8;{}", " A 1;".repeat(N)),
        ),
        ("empty structs", format!("0 struct S;{}", blocks.concat())),
    ] {
        let text = layout(&text);
        let limits = Limits::new();
        let read = || _ = explain(&text, &[], 0, Mode::Whole, false, &limits, None);
        let spent = measure(read).bytes_total;
        let most = (16 * text.len() + (4 << 10)) as u64;
        assert!(
            spent <= most,
            "{name}: {spent} bytes for {}, at most {most} are allowed",
            text.len()
        );
    }
}

/// Structs without bytes are not walked, except for a struct that lies too deep.
#[test]
fn depth_of_structs_without_bytes_is_refused_where_it_is() {
    let text = layout(
        "0 struct S; a #4; b #1; c #2;1 struct T; x #4; y #2;2 struct U; z #3;\
         3 struct V;4 struct W;",
    );
    let said = |depth| {
        let limits = Limits::new().with_depth(depth);
        let refused = explain(&text, &[], 0, Mode::Whole, false, &limits, None);
        refused.map(|refusal| refusal.path)
    };
    for (depth, path) in [(0, ""), (1, "a"), (2, "b.x"), (3, "b.y.z")] {
        assert_eq!(said(depth).as_deref(), Some(path), "{depth}");
    }
    assert_eq!(said(4), None);
}
