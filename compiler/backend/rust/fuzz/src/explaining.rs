//! Layouts and bytes that nobody thought of.

use sdp::{explain as walk, Limits, Mode};

/// The words of layouts, so that what bytes choose from them often means something.
const WORDS: &[&str] = &[
    "\n0 struct a.S\n f",
    "\n1 struct a.T\n f",
    "\n2 union a.U\n",
    "\n1 union a.U closed\n",
    "\n2 enum a.E i8 closed\n A -1\n B 0\n",
    "0 struct a.S\n f",
    "0 message a.M\n f",
    "0 message a.M keep\n f",
    "0 union a.U\n",
    "0 union a.U closed\n",
    "1 message a.N\n f",
    "\n f",
    "\n@2\n f",
    "\n@3\n f",
    " A 1",
    " B 2\n",
    " C 3",
    " bool",
    " u8",
    " u16",
    " u64",
    " i8",
    " i32",
    " f32",
    " f64",
    " uuid",
    " str1",
    " str4",
    " bytes2",
    " list1",
    " list4",
    " list1<=2",
    " map1",
    " map2",
    " array",
    " opt",
    " 2",
    " 3",
    " 4294967296",
    " 18446744073709551615",
    " #0",
    " #1",
    " #2",
    " #3",
    "\n",
];

/// Ends the layout in the bytes that choose it.
const END: u8 = 0xff;

/// Walks bytes by a layout: the words that the bytes before [`END`] choose, or
/// these bytes themselves if the first is 0xfe.
pub fn explain(data: &[u8]) {
    let end = data
        .iter()
        .position(|byte| *byte == END)
        .unwrap_or(data.len());
    let (chosen, input) = data.split_at(end);
    let layout = match chosen {
        [0xfe, text @ ..] => String::from_utf8_lossy(text).into_owned(),
        words => words
            .iter()
            .map(|i| WORDS[usize::from(*i) % WORDS.len()])
            .collect(),
    };
    let input = input.strip_prefix(&[END]).unwrap_or(input);
    let limits = Limits::new().with_elements(1000);
    for depth in [4, 64, usize::MAX] {
        for memory_at in [None, Some(0), Some(input.len() / 2), Some(input.len() + 1)] {
            check(&layout, input, &limits.with_depth(depth), memory_at);
        }
    }
}

/// A refusal lies in the input; and bytes that every mode refuses, the exact one refuses.
fn check(layout: &str, input: &[u8], limits: &Limits, memory_at: Option<usize>) {
    for mode in [Mode::Whole, Mode::Prefix] {
        let [loose, exact] =
            [false, true].map(|exact| walk(layout, input, 10, mode, exact, limits, memory_at));
        for refusal in [&loose, &exact].into_iter().flatten() {
            let offset = refusal.offset.unwrap();
            assert!(
                (10..=10 + input.len()).contains(&offset),
                "{refusal} of {layout}"
            );
        }
        assert!(loose.is_none() || exact.is_some(), "{layout}");
    }
}
