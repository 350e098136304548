//! Layouts and bytes that nobody thought of.

use proptest::prelude::*;
use sdp::{explain, Limits, Mode};

use crate::table::layout;

/// Every word that a layout has, so that random lines often mean something.
const WORDS: &str =
    "bool u8 u16 u64 i8 i32 f32 f64 uuid str1 str4 bytes2 list1 list4 list1<=2 map1 \
                     map2 array opt 2 3 #0 #1 #2";

fn layouts() -> impl Strategy<Value = String> {
    let words: Vec<&str> = WORDS.split(' ').collect();
    let typ = prop::collection::vec(prop::sample::select(words), 1..5).prop_map(|w| w.join(" "));
    let block = (
        prop::sample::select(vec!["struct a.S", "message a.S", "message a.S keep"]),
        prop::collection::vec((typ.clone(), any::<bool>()), 0..5),
    );
    let fields = block.prop_map(|(head, fields)| {
        let mut segment = 1;
        let lines = fields.into_iter().map(|(typ, next)| {
            let mut start = String::new();
            if next && head.starts_with('m') {
                segment += 1;
                start = format!("@{segment}\n");
            }
            format!("{start} f {typ}\n")
        });
        let lines: Vec<String> = lines.collect();
        format!("{head}\n{}", lines.concat())
    });
    let union = (any::<bool>(), prop::collection::vec(typ, 1..4)).prop_map(|(is_closed, types)| {
        let tagged = types.iter().zip(1..);
        let lines: Vec<String> = tagged
            .map(|(typ, tag)| format!(" A {tag} {typ}\n"))
            .collect();
        let flag = if is_closed { " closed" } else { "" };
        format!("union a.U{flag}\n{}", lines.concat())
    });
    let numbers = Just("enum a.E i8 closed\n A -1\n B 0\n C 1\n".to_owned());
    let block = prop_oneof![3 => fields, 2 => union, 1 => numbers];
    prop::collection::vec(block, 3).prop_map(|blocks| {
        let numbered = blocks.iter().enumerate();
        let blocks: Vec<String> = numbered.map(|(i, block)| format!("{i} {block}")).collect();
        blocks.concat()
    })
}

/// Bytes that are mostly small, as lengths and counts that fit are.
fn inputs() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![6 => 0..4_u8, 1 => any::<u8>()], 0..64)
}

fn check(layout: &str, input: &[u8], depth: usize, memory_at: Option<usize>) {
    let limits = Limits::new().with_depth(depth).with_elements(1000);
    for mode in [Mode::Whole, Mode::Prefix] {
        for exact in [false, true] {
            let refusal = explain(layout, input, 10, mode, exact, &limits, memory_at);
            let offset = refusal.map_or(10, |refusal| refusal.offset.unwrap());
            assert!((10..=10 + input.len()).contains(&offset), "{offset}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn explain_stays_in_the_input(
        layout in layouts(),
        input in inputs(),
        depth in 0..100_usize,
        memory_at in prop::option::of(0..70_usize),
    ) {
        check(&layout, &input, depth, memory_at);
    }

    #[test]
    fn explain_takes_any_text(layout in any::<String>(), input in any::<Vec<u8>>()) {
        check(&layout, &input, 64, None);
    }

    #[test]
    fn explain_takes_any_damage_to_a_layout(
        name in prop::sample::select(vec!["registry", "event", "closed", "frames", "bound", "grid"]),
        at in any::<prop::sample::Index>(),
        put in "[ -~\n]{0,3}",
        input in inputs(),
    ) {
        let mut text = layout(name);
        let at = at.index(text.len());
        text.replace_range(at..=at, &put);
        check(&text, &input, 64, None);
    }
}
