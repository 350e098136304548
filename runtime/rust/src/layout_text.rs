//! Layout texts, by their blocks [EVO-5.3].

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;

/// The word for a side that lacks a member.
pub(crate) const NOTHING: &str = "nothing";

/// The greatest length of the text of a difference.
pub(crate) const DIFFERENCE_BYTES: usize = 400;

/// A layout text, by its blocks. A block is parsed when it is asked for: a peer's text may
/// have thousands that no type names.
#[derive(Debug)]
pub struct LayoutBlocks<'a> {
    /// The lines of each block, side by side.
    blocks: Vec<&'a str>,
    parsed: RefCell<BTreeMap<usize, Rc<Block<'a>>>>,
}

/// A declared type, as it is on the wire.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    /// `struct`, `message`, `enum` or `union`.
    pub(crate) kind: &'a str,
    pub(crate) name: &'a str,
    /// Of an enum.
    pub(crate) base: &'a str,
    pub(crate) is_closed: bool,
    pub(crate) members: Vec<Member<'a>>,
    /// How many fields stand before the end of a segment.
    pub(crate) ends: BTreeSet<usize>,
    /// Where the first member of a name stands: a peer's block may have thousands.
    names: BTreeMap<&'a str, usize>,
    /// Where the first member of a number stands.
    numbers: BTreeMap<&'a str, usize>,
}

/// A field, a member of an enum, or an alternative.
#[derive(Debug)]
pub(crate) struct Member<'a> {
    pub(crate) name: &'a str,
    /// Of a member, or the tag of an alternative.
    pub(crate) number: &'a str,
    /// The type of a field, or of an alternative's payload.
    pub(crate) words: Vec<&'a str>,
}

impl<'a> LayoutBlocks<'a> {
    /// Finds the blocks of a text. A text that is no layout text gives blocks too, which differ
    /// from the blocks of any layout text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let mut blocks = Vec::new();
        let mut rest = text.strip_suffix('\n').unwrap_or(text);
        let mut line = 0;
        while let Some(n) = rest.get(line..).and_then(|lines| lines.find('\n')) {
            line += n + 1;
            if !matches!(rest.as_bytes().get(line), Some(b' ' | b'@')) {
                let (block, others) = rest.split_at(line);
                blocks.push(block);
                (rest, line) = (others, 0);
            }
        }
        blocks.push(rest);
        Self {
            blocks,
            parsed: RefCell::default(),
        }
    }

    /// The name of each block.
    pub fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        let heads = self
            .blocks
            .iter()
            .filter_map(|block| block.split('\n').next());
        heads.map(|head| head.split(' ').nth(2).unwrap_or(""))
    }

    /// The lines of each block, side by side.
    pub fn texts(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.blocks.iter().copied()
    }

    /// The block at a place.
    pub(crate) fn block(&self, place: usize) -> Option<Rc<Block<'a>>> {
        let text = self.blocks.get(place)?;
        let mut parsed = self.parsed.borrow_mut();
        let block = parsed
            .entry(place)
            .or_insert_with(|| Rc::new(Block::new(text)));
        Some(block.clone())
    }

    /// The place of the block that a word of a type names.
    pub(crate) fn place(&self, word: &str) -> Option<usize> {
        layout_reference(word).filter(|&place| place < self.blocks.len())
    }

    /// A type, with the names of blocks in the places of their numbers. Words beyond the greatest
    /// length of a difference are left out: a short text may name a long name often.
    pub(crate) fn spell(&self, words: &[&str]) -> String {
        if words.is_empty() {
            return NOTHING.to_string();
        }
        let mut spelled = String::new();
        for (i, &word) in words.iter().enumerate() {
            if spelled.len() > DIFFERENCE_BYTES {
                break;
            }
            let block = self.place(word).and_then(|place| self.block(place));
            let space = if i > 0 { " " } else { "" };
            spelled.push_str(space);
            spelled.push_str(block.map_or(word, |block| block.name));
        }
        spelled
    }
}

impl<'a> Block<'a> {
    fn new(text: &'a str) -> Self {
        let mut lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
        let mut words = lines.next().unwrap_or("").split(' ').skip(1);
        let mut word = || words.next().unwrap_or("");
        let (kind, name) = (word(), word());
        let base = if kind == "enum" { word() } else { "" };
        let mut block = Self {
            kind,
            name,
            base,
            is_closed: matches!(kind, "enum" | "union") && word() == "closed",
            members: Vec::new(),
            ends: BTreeSet::new(),
            names: BTreeMap::new(),
            numbers: BTreeMap::new(),
        };
        for line in lines {
            if let Some(member) = line.strip_prefix(' ') {
                block.add(member);
            } else {
                block.ends.insert(block.members.len());
            }
        }
        block
    }

    /// Adds a member, by its line.
    fn add(&mut self, line: &'a str) {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or("");
        let is_numbered = matches!(self.kind, "enum" | "union");
        let number = if is_numbered { words.next() } else { None };
        let number = number.unwrap_or("");
        let place = self.members.len();
        self.names.entry(name).or_insert(place);
        self.numbers.entry(number).or_insert(place);
        self.members.push(Member {
            name,
            number,
            words: words.collect(),
        });
    }

    /// The kind and the base of the block, as a text.
    pub(crate) fn shown(&self) -> String {
        let closed = if self.is_closed { "closed " } else { "" };
        let space = if self.base.is_empty() { "" } else { " " };
        format!("{closed}{}{space}{}", self.kind, self.base)
    }

    /// The place of the member of a name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// The member of a number.
    pub(crate) fn numbered(&self, number: &str) -> Option<&Member<'a>> {
        self.members.get(*self.numbers.get(number)?)
    }

    /// The number of the segment that a field is in.
    pub(crate) fn segment(&self, field: usize) -> usize {
        self.ends.range(..=field).count() + 1
    }
}

/// The number in a word that may name a block.
#[must_use]
pub fn layout_reference(word: &str) -> Option<usize> {
    let digits = word.strip_prefix('#')?;
    if digits.len() > 6 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// Whether a text may be a layout text: it has a first block, and is ASCII.
#[must_use]
pub fn is_layout_text(text: &str) -> bool {
    let mut bytes = text.bytes();
    text.starts_with("0 ") && bytes.all(|c| c == b'\n' || (b' '..=b'~').contains(&c))
}
