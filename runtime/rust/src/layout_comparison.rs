//! Whether the layout text of one side reads that of the other [EVO-5.7].

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::layout_text::{is_layout_text, Block, LayoutBlocks, Member, DIFFERENCE_BYTES, NOTHING};
use crate::LAYOUT_PAIRS;

/// The places of a block here and of one there.
type Pair = (usize, usize);

/// The result of the comparison of a pair of blocks: the first difference, if there is one, and
/// the pairs that their members name.
#[derive(Debug, Default)]
struct Verdict {
    difference: Option<String>,
    named: Vec<Pair>,
}

/// A text of this side's and one of the peer's, in both directions.
#[derive(Debug)]
pub struct LayoutComparison<'a> {
    here: LayoutBlocks<'a>,
    there: LayoutBlocks<'a>,
    /// The places of the first blocks of names.
    names: [BTreeMap<&'a str, usize>; 2],
    /// By whether this side reads. A pair of blocks is compared once, however many types of a
    /// joint text reach it.
    verdicts: [BTreeMap<Pair, Rc<Verdict>>; 2],
}

impl<'a> LayoutComparison<'a> {
    /// Compares two texts, unless either is none.
    #[must_use]
    pub fn new(here: &'a str, there: &'a str) -> Option<Self> {
        (is_layout_text(here) && is_layout_text(there)).then(|| Self {
            here: LayoutBlocks::new(here),
            there: LayoutBlocks::new(there),
            names: Default::default(),
            verdicts: Default::default(),
        })
    }

    /// The places of the blocks of a type, if both texts have it.
    pub fn root(&mut self, name: &str) -> Option<Pair> {
        if self.names[0].is_empty() {
            for (names, layout) in self.names.iter_mut().zip([&self.here, &self.there]) {
                let places = layout.names().enumerate();
                for (place, name) in places.filter(|(_, name)| !name.is_empty()) {
                    names.entry(name).or_insert(place);
                }
            }
        }
        let [here, there] = &self.names;
        Some((*here.get(name)?, *there.get(name)?))
    }

    /// The first difference that keeps this side, or the peer, from reading a type of the other
    /// side's, whose blocks are a pair.
    pub fn unread(&mut self, root: Pair, is_reader: bool) -> Option<String> {
        let (mut queue, mut seen) = (vec![root], BTreeSet::from([root]));
        let mut next = 0;
        while let Some(&pair) = queue.get(next) {
            let Some(verdict) = self.verdict(pair, is_reader) else {
                let block = self.here.block(root.0);
                let name = block.map_or("", |block| block.name);
                return Some(format!("{name}: layouts unknown"));
            };
            if verdict.difference.is_some() {
                return verdict.difference.clone();
            }
            for &pair in &verdict.named {
                if queue.len() <= LAYOUT_PAIRS && seen.insert(pair) {
                    queue.push(pair);
                }
            }
            next += 1;
        }
        None
    }

    /// Compares a pair of blocks, unless too many were compared.
    fn verdict(&mut self, pair: Pair, is_reader: bool) -> Option<Rc<Verdict>> {
        let verdicts = &mut self.verdicts[usize::from(is_reader)];
        if let Some(known) = verdicts.get(&pair) {
            return Some(known.clone());
        }
        if verdicts.len() == LAYOUT_PAIRS {
            return None;
        }
        let mut reading = BlockComparison {
            here: &self.here,
            there: &self.there,
            is_reader,
            named: Vec::new(),
        };
        let blocks = (self.here.block(pair.0)?, self.there.block(pair.1)?);
        let mut difference = reading.compare(&blocks.0, &blocks.1);
        if let Some(text) = &mut difference {
            text.truncate(DIFFERENCE_BYTES);
        }
        let made = Rc::new(Verdict {
            difference,
            named: reading.named,
        });
        verdicts.insert(pair, made.clone());
        Some(made)
    }
}

/// Compares blocks of two layout texts.
struct BlockComparison<'s, 'a> {
    here: &'s LayoutBlocks<'a>,
    there: &'s LayoutBlocks<'a>,
    /// Whether this side reads what the peer writes; else the peer reads.
    is_reader: bool,
    /// The pairs that the members of the blocks name.
    named: Vec<Pair>,
}

/// The text of a difference of two types, or of a member of theirs.
fn differs(block: &Block<'_>, member: Option<&str>, ours: &str, peer: &str) -> String {
    let dot = if member.is_some() { "." } else { "" };
    let member = member.unwrap_or("");
    format!("{}{dot}{member}: here {ours}, there {peer}", block.name)
}

impl<'a> BlockComparison<'_, 'a> {
    /// Gives a reader and a writer as the two sides here and there, and the reverse.
    fn sides<T>(&self, a: T, b: T) -> (T, T) {
        if self.is_reader {
            (a, b)
        } else {
            (b, a)
        }
    }

    /// The first difference of two blocks [EVO-5.8].
    fn compare(&mut self, ours: &Block<'a>, peer: &Block<'a>) -> Option<String> {
        if !self.are_alike(ours, peer) {
            return Some(differs(ours, None, &ours.shown(), &peer.shown()));
        }
        match ours.kind {
            "struct" => self.fields(ours, peer),
            "message" => {
                let difference = self.fields(ours, peer);
                difference.or_else(|| self.segments(ours, peer))
            }
            _ => self.numbers(ours, peer),
        }
    }

    /// Whether the first lines of two blocks read each other.
    fn are_alike(&self, ours: &Block<'_>, peer: &Block<'_>) -> bool {
        let (reader, writer) = self.sides(ours, peer);
        ours.kind == peer.kind
            && ours.base == peer.base
            && (ours.is_closed == peer.is_closed
                || (reader.kind == "enum" && writer.is_closed && !reader.is_closed))
    }

    /// Compares fields by their positions.
    fn fields(&mut self, ours: &Block<'a>, peer: &Block<'a>) -> Option<String> {
        let is_message = ours.kind == "message";
        let most = ours.members.len().max(peer.members.len());
        (0..most).find_map(|i| match (ours.members.get(i), peer.members.get(i)) {
            (Some(a), Some(b)) => self.field(ours, peer, i, (a, b)),
            // Passed over, or missing.
            _ if is_message => None,
            (Some(a), None) => {
                let spelled = self.here.spell(&a.words);
                Some(differs(ours, Some(a.name), &spelled, NOTHING))
            }
            (None, b) => b.map(|b| {
                let spelled = self.there.spell(&b.words);
                differs(ours, Some(b.name), NOTHING, &spelled)
            }),
        })
    }

    /// Compares the two fields at a position.
    fn field(
        &mut self,
        ours: &Block<'a>,
        peer: &Block<'a>,
        place: usize,
        (a, b): (&Member<'a>, &Member<'a>),
    ) -> Option<String> {
        if a.name != b.name {
            match (peer.find(a.name), ours.find(b.name)) {
                (Some(there), Some(_)) => {
                    let [place, there] = [place, there].map(|i| format!("field {}", i + 1));
                    return Some(differs(ours, Some(a.name), &place, &there));
                }
                (Some(_), None) => {
                    let spelled = self.there.spell(&b.words);
                    return Some(differs(ours, Some(b.name), NOTHING, &spelled));
                }
                (None, Some(_)) => {
                    let spelled = self.here.spell(&a.words);
                    return Some(differs(ours, Some(a.name), &spelled, NOTHING));
                }
                (None, None) => {}
            }
        }
        self.member_types(ours, a, b)
    }

    /// Compares the types of two members. Where they differ and the names do too, none
    /// was renamed, and the other side lacks the member.
    fn member_types(&mut self, ours: &Block<'a>, a: &Member<'a>, b: &Member<'a>) -> Option<String> {
        if self.types(&a.words, &b.words) {
            return None;
        }
        let spelled = self.here.spell(&a.words);
        let theirs = if a.name == b.name {
            self.there.spell(&b.words)
        } else {
            NOTHING.into()
        };
        Some(differs(ours, Some(a.name), &spelled, &theirs))
    }

    /// Looks for an end of a segment that the writer has and the reader has not
    /// [EVO-4.4].
    fn segments(&self, ours: &Block<'a>, peer: &Block<'a>) -> Option<String> {
        let (reader, writer) = self.sides(ours, peer);
        let written = writer.members.len();
        let ends = |i| writer.ends.contains(&i) || i == written;
        let place = (0..reader.members.len()).find(|i| ends(*i) && !reader.ends.contains(i))?;
        let member = reader.members.get(place)?;
        let read = format!("segment {}", reader.segment(place));
        let written = if place < written {
            format!("segment {}", writer.segment(place))
        } else {
            NOTHING.into()
        };
        let (a, b) = self.sides(read, written);
        Some(differs(ours, Some(member.name), &a, &b))
    }

    /// Compares the members of enums and the alternatives of unions.
    fn numbers(&mut self, ours: &Block<'a>, peer: &Block<'a>) -> Option<String> {
        let what = if ours.kind == "union" {
            "tag"
        } else {
            "number"
        };
        for a in &ours.members {
            let named = peer.find(a.name).and_then(|i| peer.members.get(i));
            if let Some(b) = named.filter(|b| b.number != a.number) {
                let [a_number, b_number] = [a, b].map(|member| format!("{what} {}", member.number));
                return Some(differs(ours, Some(a.name), &a_number, &b_number));
            }
            if let Some(b) = peer.numbered(a.number) {
                let difference = self.member_types(ours, a, b);
                if difference.is_some() {
                    return difference;
                }
            }
        }
        let (reader, writer) = self.sides(ours, peer);
        let mut members = writer.members.iter().filter(|_| reader.is_closed);
        let unknown = members.find(|member| reader.numbered(member.number).is_none())?;
        let (a, b) = self.sides(NOTHING.into(), format!("{what} {}", unknown.number));
        Some(differs(ours, Some(unknown.name), &a, &b))
    }

    /// Compares two types word by word, and adds the pairs of blocks that they name
    /// [EVO-5.9].
    fn types(&mut self, ours: &[&'a str], peer: &[&'a str]) -> bool {
        let (mut here, mut there) = (Words::new(ours), Words::new(peer));
        loop {
            let (a, b) = match (here.next(), there.next()) {
                (Some(a), Some(b)) => (a, b),
                (a, b) => return a.is_none() && b.is_none(),
            };
            let places = (self.here.place(a), self.there.place(b));
            let is_read = match places {
                (Some(i), Some(j)) => self.names_read(i, j),
                (Some(i), None) => is_integer(self.here.block(i), b, !self.is_reader),
                (None, Some(j)) => is_integer(self.there.block(j), a, self.is_reader),
                (None, None) if a == b => true,
                (None, None) if are_octets(a, b) => {
                    here.insert("u8");
                    true
                }
                (None, None) if are_octets(b, a) => {
                    there.insert("u8");
                    true
                }
                (None, None) => false,
            };
            if !is_read {
                return false;
            }
        }
    }

    /// Adds a pair of blocks, unless they have two names and are of two kinds.
    fn names_read(&mut self, ours: usize, peer: usize) -> bool {
        let (Some(a), Some(b)) = (self.here.block(ours), self.there.block(peer)) else {
            return false;
        };
        if a.name != b.name && !self.are_alike(&a, &b) {
            return false;
        }
        self.named.push((ours, peer));
        true
    }
}

/// The words of a type, without bounds, before which others can be put.
struct Words<'s, 'a> {
    first: Option<&'a str>,
    rest: core::slice::Iter<'s, &'a str>,
}

impl<'s, 'a> Words<'s, 'a> {
    fn new(words: &'s [&'a str]) -> Self {
        Self {
            first: None,
            rest: words.iter(),
        }
    }

    fn insert(&mut self, word: &'a str) {
        self.first = Some(word);
    }

    fn next(&mut self) -> Option<&'a str> {
        let word = self.first.take().or_else(|| self.rest.next().copied())?;
        Some(word.split_once("<=").map_or(word, |(word, _)| word))
    }
}

/// Whether an enum and an integer read each other. A closed enum can't read what any
/// integer may be.
fn is_integer(block: Option<Rc<Block<'_>>>, word: &str, is_written: bool) -> bool {
    block.is_some_and(|block| {
        block.kind == "enum" && block.base == word && (is_written || !block.is_closed)
    })
}

/// Whether one word is of bytes and the other of a list with as long a count.
fn are_octets(octets: &str, list: &str) -> bool {
    let width = octets.strip_prefix("bytes");
    width.is_some() && width == list.strip_prefix("list")
}
