//! Layouts and bytes that are made to cost much.

use std::time::{Duration, Instant};

use sdp::{explain, Error, Kind, Limits, Mode};

use crate::table::{bytes, layout};

fn whole(layout: &str, input: &[u8], limits: &Limits) -> Option<Error> {
    explain(layout, input, 0, Mode::Whole, false, limits, None)
}

#[test]
fn explain_calls_every_prefix_cut() {
    for (name, hex) in [
        ("plugin", "02 4551 0000c03f 01 01 02000000 c3a4"),
        ("closed", "2c01 02 0500"),
        ("event", "02 08000000 09000000 000000bf"),
        ("levels", "02000000 0161 ffff 0162 2c01"),
        ("tree", "01 02 02 00 03 01 04 00"),
        ("bound", "03 414141 02 00000000 01 0000 0400 00000000"),
        ("grid", "0000 0000 0000 0000 0000 0000 00 01"),
        (
            "frames",
            "01 08000000 04000000 07 0100 01 06000000 01 09 00000000",
        ),
    ] {
        let (layout, input) = (layout(name), bytes(hex));
        let limits = Limits::new();
        let all = explain(&layout, &input, 0, Mode::Whole, true, &limits, None);
        assert_eq!(all, None, "{name}");
        for n in 0..input.len() {
            let refusal = whole(&layout, &input[..n], &limits).expect(name);
            let cut = matches!(
                refusal.kind,
                Kind::Truncated | Kind::LengthExceedsInput | Kind::CountExceedsInput
            );
            assert!(cut, "{name}, {n} bytes: {refusal}");
        }
    }
}

/// So many trees, each the only child of the previous tree.
fn nested(n: usize) -> Vec<u8> {
    let mut trees = [0, 1].repeat(n - 1);
    trees.extend([0, 0]);
    trees
}

#[test]
fn explain_stops_at_the_depth_limit() {
    let (tree, limits) = (layout("tree"), Limits::new());
    assert_eq!(whole(&tree, &nested(64), &limits), None);
    let path = ["kids[0]"; 64].join(".");
    for n in [65, 1_000_000] {
        let want = Error::at(Kind::LimitDepth, 128, path.clone());
        assert_eq!(whole(&tree, &nested(n), &limits), Some(want));
    }
}

#[test]
fn explain_needs_no_stack_for_depth() {
    let deep = || {
        // Each level of this type is 64 lists inside each other.
        let lists = format!("0 struct a.S; l {}#0;", "list1 ".repeat(64));
        let many = [1].repeat(64 * 10_000);
        let limits = Limits::new().with_depth(usize::MAX);
        let refusal = whole(&layout(&lists), &many, &limits).unwrap();
        assert_eq!(refusal.kind, Kind::CountExceedsInput);
        assert_eq!(refusal.offset, Some(many.len() - 1));
        assert_eq!(refusal.path.matches("[0]").count(), many.len() - 1);
        assert_eq!(whole(&layout("tree"), &nested(1_000_000), &limits), None);
    };
    let thread = std::thread::Builder::new().stack_size(64 << 10);
    thread.spawn(deep).unwrap().join().unwrap();
}

/// Structs without bytes that hold each other, twice on each of 60 levels.
fn doubling() -> String {
    let pairs = (1..60).map(|i| format!("{i} struct a.S; l #{0}; r #{0};", i + 1));
    let pairs: Vec<String> = pairs.collect();
    let text = format!(
        "0 message a.M; x u8;@2; s #1;{}60 struct a.S;",
        pairs.concat()
    );
    layout(&text)
}

fn big_enum() -> String {
    let members: Vec<String> = (0..10_000).rev().map(|i| format!(" M {i};")).collect();
    layout(&format!(
        "0 struct a.S; l list4 #1;1 enum a.E u16 closed;{}",
        members.concat()
    ))
}

// A careless walk would take longer than the universe has left.
#[test]
fn explain_takes_linear_time() {
    let counted = |n: u32, bytes: usize| {
        let mut input = n.to_le_bytes().to_vec();
        input.resize(4 + bytes, 0);
        input
    };
    let many = 1 << 20;
    for (layout, input) in [
        (doubling(), vec![0, 0]),
        (
            layout("0 struct a.S; a array 9223372036854775807 u8;"),
            vec![0; 100],
        ),
        (
            layout("0 struct a.S; a list4 u8; b bool;"),
            counted(many, 1 << 20),
        ),
        (big_enum(), counted(many, 2 << 20)),
        (layout("0 struct a.S; t str4;"), counted(many, 2 << 20)),
        (
            layout("0 struct a.S; a list4 bool; b bool;"),
            counted(many, 1 << 20),
        ),
    ] {
        let start = Instant::now();
        let _ = whole(&layout, &input, &Limits::new());
        let took = start.elapsed();
        assert!(took < Duration::from_secs(20), "{took:?}");
    }
}

#[test]
fn explain_needs_little_memory() {
    let mut input = vec![0, 255];
    input.resize(4 << 20, 0);
    let (tree, limits) = (layout("tree"), Limits::new());
    let mut refusal = None;
    let spent = allocation_counter::measure(|| refusal = whole(&tree, &input, &limits));
    assert_eq!(refusal.unwrap().kind, Kind::TrailingBytes);
    assert!(spent.bytes_total < 2 << 10, "{spent:?}");
}

#[test]
fn explain_finds_nothing_without_layout() {
    for text in ["", "\n", "0 struct a.S", "0 struct a.S\n a #0\n"] {
        assert_eq!(whole(text, &[2, 2], &Limits::new()), None);
    }
}
