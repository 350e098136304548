//! Whether the layout text of one side reads that of the other [EVO-5.7].

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::session::layout::{Block, Layout, Member, DIFFERENCE_BYTES, NOTHING};
use crate::session::LAYOUT_PAIRS;

/// Compares two layout texts.
struct Reading<'a> {
    here: &'a Layout<'a>,
    there: &'a Layout<'a>,
    /// Whether this side reads what the peer writes; else the peer reads.
    is_reader: bool,
    /// Pairs of blocks, which are compared in this order.
    pairs: Vec<(usize, usize)>,
    seen: BTreeSet<(usize, usize)>,
}

/// The first difference that keeps the reader from reading what the other side writes.
pub(crate) fn unread(here: &Layout<'_>, there: &Layout<'_>, is_reader: bool) -> Option<String> {
    let mut reading = Reading {
        here,
        there,
        is_reader,
        pairs: vec![(0, 0)],
        seen: BTreeSet::from([(0, 0)]),
    };
    let mut next = 0;
    while let Some(&(ours, theirs)) = reading.pairs.get(next) {
        let (ours, theirs) = (here.0.get(ours)?, there.0.get(theirs)?);
        if next == LAYOUT_PAIRS {
            let name = here.0.first().map_or("", |block| block.name);
            return Some(format!("{name}: layouts unknown"));
        }
        if let Some(mut difference) = reading.compare(ours, theirs) {
            difference.truncate(DIFFERENCE_BYTES);
            return Some(difference);
        }
        next += 1;
    }
    None
}

/// The text of a difference of two types, or of a member of theirs.
fn differs(block: &Block<'_>, member: Option<&str>, ours: &str, theirs: &str) -> String {
    let dot = if member.is_some() { "." } else { "" };
    let member = member.unwrap_or("");
    format!("{}{dot}{member}: here {ours}, there {theirs}", block.name)
}

impl<'a> Reading<'a> {
    fn add(&mut self, pair: (usize, usize)) {
        if self.pairs.len() <= LAYOUT_PAIRS && self.seen.insert(pair) {
            self.pairs.push(pair);
        }
    }

    /// Gives a reader and a writer as the two sides here and there, and the reverse.
    fn sides<T>(&self, a: T, b: T) -> (T, T) {
        if self.is_reader {
            (a, b)
        } else {
            (b, a)
        }
    }

    /// The first difference of two blocks [EVO-5.8].
    fn compare(&mut self, ours: &Block<'a>, theirs: &Block<'a>) -> Option<String> {
        if !self.are_alike(ours, theirs) {
            return Some(differs(ours, None, &ours.shown(), &theirs.shown()));
        }
        match ours.kind {
            "struct" => self.fields(ours, theirs),
            "message" => {
                let difference = self.fields(ours, theirs);
                difference.or_else(|| self.segments(ours, theirs))
            }
            _ => self.numbers(ours, theirs),
        }
    }

    /// Whether the first lines of two blocks read each other.
    fn are_alike(&self, ours: &Block<'_>, theirs: &Block<'_>) -> bool {
        let (reader, writer) = self.sides(ours, theirs);
        ours.kind == theirs.kind
            && ours.base == theirs.base
            && (ours.is_closed == theirs.is_closed
                || (reader.kind == "enum" && writer.is_closed && !reader.is_closed))
    }

    /// Compares fields by their positions.
    fn fields(&mut self, ours: &Block<'a>, theirs: &Block<'a>) -> Option<String> {
        let is_message = ours.kind == "message";
        let most = ours.members.len().max(theirs.members.len());
        (0..most).find_map(|i| match (ours.members.get(i), theirs.members.get(i)) {
            (Some(a), Some(b)) => self.field(ours, theirs, i, (a, b)),
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
        theirs: &Block<'a>,
        place: usize,
        (a, b): (&Member<'a>, &Member<'a>),
    ) -> Option<String> {
        if a.name != b.name {
            match (theirs.find(a.name), ours.find(b.name)) {
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
    fn segments(&self, ours: &Block<'a>, theirs: &Block<'a>) -> Option<String> {
        let (reader, writer) = self.sides(ours, theirs);
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
    fn numbers(&mut self, ours: &Block<'a>, theirs: &Block<'a>) -> Option<String> {
        let what = if ours.kind == "union" {
            "tag"
        } else {
            "number"
        };
        for a in &ours.members {
            let named = theirs.find(a.name).and_then(|at| theirs.members.get(at));
            if let Some(b) = named.filter(|b| b.number != a.number) {
                let [a_number, b_number] = [a, b].map(|one| format!("{what} {}", one.number));
                return Some(differs(ours, Some(a.name), &a_number, &b_number));
            }
            if let Some(b) = theirs.numbered(a.number) {
                let difference = self.member_types(ours, a, b);
                if difference.is_some() {
                    return difference;
                }
            }
        }
        let (reader, writer) = self.sides(ours, theirs);
        let mut members = writer.members.iter().filter(|_| reader.is_closed);
        let unknown = members.find(|member| reader.numbered(member.number).is_none())?;
        let (a, b) = self.sides(NOTHING.into(), format!("{what} {}", unknown.number));
        Some(differs(ours, Some(unknown.name), &a, &b))
    }

    /// Compares two types word by word, and adds the pairs of blocks that they name
    /// [EVO-5.9].
    fn types(&mut self, ours: &[&'a str], theirs: &[&'a str]) -> bool {
        let (mut here, mut there) = (Words::new(ours), Words::new(theirs));
        loop {
            let (a, b) = match (here.next(), there.next()) {
                (Some(a), Some(b)) => (a, b),
                (a, b) => return a.is_none() && b.is_none(),
            };
            let places = (self.here.place(a), self.there.place(b));
            let is_read = match places {
                (Some(i), Some(j)) => self.names_read(i, j),
                (Some(i), None) => is_integer(self.here.0.get(i), b, !self.is_reader),
                (None, Some(j)) => is_integer(self.there.0.get(j), a, self.is_reader),
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
    fn names_read(&mut self, ours: usize, theirs: usize) -> bool {
        let pair = (self.here.0.get(ours), self.there.0.get(theirs));
        let (Some(a), Some(b)) = pair else {
            return false;
        };
        if a.name != b.name && !self.are_alike(a, b) {
            return false;
        }
        self.add((ours, theirs));
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
fn is_integer(block: Option<&Block<'_>>, word: &str, is_written: bool) -> bool {
    block.is_some_and(|block| {
        block.kind == "enum" && block.base == word && (is_written || !block.is_closed)
    })
}

/// Whether one word is of bytes and the other of a list with as long a count.
fn are_octets(octets: &str, list: &str) -> bool {
    let width = octets.strip_prefix("bytes");
    width.is_some() && width == list.strip_prefix("list")
}
