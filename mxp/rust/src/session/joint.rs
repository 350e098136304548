//! The layout text of several types [EVO-5.10].

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use sdp::wire::{is_layout_text, layout_reference, LayoutBlocks};

/// The layout text of several types, in which each block stands once.
#[derive(Debug, Default)]
pub(crate) struct Joint<'a> {
    blocks: Vec<String>,
    /// The places of blocks, by their names.
    places: BTreeMap<&'a str, usize>,
}

impl<'a> Joint<'a> {
    /// The text, which is empty without types.
    pub(crate) fn text(&self) -> String {
        self.blocks.concat()
    }

    /// Adds a type by its layout text, if it can join, and the blocks that are new have at most
    /// so many bytes. Gives how many they have.
    pub(crate) fn add(&mut self, text: &'a str, most: usize) -> usize {
        if !is_layout_text(text) {
            return 0;
        }
        let layout = LayoutBlocks::new(text);
        let mut places = self.places.clone();
        for name in layout.names() {
            let next = places.len();
            places.entry(name).or_insert(next);
        }
        let numbers: Vec<usize> = layout.names().map(|name| places[name]).collect();
        let known = self.blocks.len();
        for (&number, text) in numbers.iter().zip(layout.texts()) {
            let block = renumbered(text, number, &numbers);
            let is_there = match (self.blocks.get(number), block) {
                (Some(there), Some(block)) => *there == block,
                (None, Some(block)) => {
                    self.blocks.push(block);
                    true
                }
                (_, None) => false,
            };
            if !is_there {
                self.blocks.truncate(known);
                return 0;
            }
        }
        let bytes = self.blocks.iter().skip(known).map(String::len).sum();
        if bytes > most {
            self.blocks.truncate(known);
            return 0;
        }
        self.places = places;
        bytes
    }
}

/// A block with another number, which names the blocks at other places. There is none where it
/// names a block that is not there.
fn renumbered(block: &str, number: usize, numbers: &[usize]) -> Option<String> {
    let mut lines = block.strip_suffix('\n').unwrap_or(block).split('\n');
    let head = lines.next().and_then(|line| line.split_once(' '));
    let mut made = format!("{number} {}\n", head.map_or("", |(_, words)| words));
    for line in lines {
        for (i, word) in line.split(' ').enumerate() {
            made.push_str(if i > 0 { " " } else { "" });
            match layout_reference(word) {
                Some(place) => {
                    made.push('#');
                    made.push_str(&numbers.get(place)?.to_string());
                }
                None => made.push_str(word),
            }
        }
        made.push('\n');
    }
    Some(made)
}
