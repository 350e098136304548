//! Reads layout texts.

use alloc::vec::Vec;

use crate::layout::{Block, BlockKind, Length, Member, Scalar, ScalarKind, Table, Type};
use crate::scalars_gen::scalar;

/// How many lists, arrays, maps and optionals a type expression may hold inside
/// each other [LANG-3.7]. A map's key holds nothing.
const NESTING_MAX: usize = 64;

impl<'a> Table<'a> {
    /// Reads a layout text. It takes any text and refuses one that a walk could
    /// not follow safely. Its cost is linear in the text.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let mut parser = Parser {
            table: Table::with_room_for(text),
            segment: 1,
            done: Vec::new(),
        };
        parser.lines(text)?;
        let mut table = parser.table;
        (table.sort_numbers() && table.is_sound()).then_some(table)
    }

    /// An empty table with room for all that the text can mean: a table that grows
    /// would take its memory twice [WIRE-8.9].
    fn with_room_for(text: &str) -> Self {
        let (mut blocks, mut members, mut types) = (0, 0, 0);
        let (mut begins, mut is_member) = (true, false);
        for byte in text.bytes() {
            match byte {
                b'\n' => begins = true,
                _ if begins => {
                    (begins, is_member) = (false, byte == b' ');
                    members += usize::from(is_member);
                    blocks += usize::from(!is_member && byte != b'@');
                }
                // One before each word of the type.
                b' ' if is_member => types += 1,
                _ => {}
            }
        }
        Self {
            blocks: Vec::with_capacity(blocks),
            members: Vec::with_capacity(members),
            types: Vec::with_capacity(types),
        }
    }

    /// Puts the numbers of enums and unions in order, for a walk to search. It
    /// reports whether the tags of each union differ.
    #[inline(never)]
    fn sort_numbers(&mut self) -> bool {
        self.blocks.iter().all(|block| {
            let members = &mut self.members[block.range()];
            match block.kind {
                BlockKind::Struct | BlockKind::Message { .. } => return true,
                BlockKind::Enum { .. } | BlockKind::Union { .. } => {
                    sort(members);
                }
            }
            let mut pairs = members.windows(2);
            matches!(block.kind, BlockKind::Enum { .. })
                || pairs.all(|pair| pair[0].number != pair[1].number)
        })
    }
}

struct Parser<'a> {
    table: Table<'a>,
    /// The segment of the fields that follow.
    segment: u64,
    /// The types of the expression that is read which no other type holds yet, the
    /// foremost last.
    done: Vec<u32>,
}

impl<'a> Parser<'a> {
    /// It owns nothing, as what else is not inlined here and in a walk: where a function does, each
    /// call that may panic takes a row of a table, in all programs.
    #[inline(never)]
    fn lines(&mut self, mut text: &'a str) -> Option<()> {
        while !text.is_empty() {
            let (line, rest) = cut(text, b'\n')?;
            self.line(line)?;
            text = rest;
        }
        Some(())
    }

    fn line(&mut self, line: &'a str) -> Option<()> {
        if line.ends_with(' ') {
            None
        } else if let Some(member) = line.strip_prefix(' ') {
            self.member(member)
        } else if let Some(number) = line.strip_prefix('@') {
            self.next_segment(number)
        } else {
            self.block(line)
        }
    }

    /// Reads the first line of a block: number, kind, name and the words behind them.
    fn block(&mut self, line: &'a str) -> Option<()> {
        let (number, rest) = cut(line, b' ')?;
        let (keyword, rest) = cut(rest, b' ')?;
        let (name, mut rest) = word_of(rest);
        let base = match keyword {
            "enum" => {
                let (base, behind) = word_of(rest?);
                rest = behind;
                Some(scalar(base)?)
            }
            _ => None,
        };
        let flag = rest;
        if decimal(number)? != self.table.blocks.len() as u64 || name.is_empty() {
            return None;
        }
        let kind = match (keyword, flag) {
            ("struct", None) => BlockKind::Struct,
            ("message", None) => BlockKind::Message { keep: false },
            ("message", Some("keep")) => BlockKind::Message { keep: true },
            ("union", None) => BlockKind::Union { closed: false },
            ("union", Some("closed")) => BlockKind::Union { closed: true },
            ("enum", None | Some("closed")) => BlockKind::Enum {
                base: base.filter(|base| base.is_integer())?,
                closed: flag.is_some(),
            },
            _ => return None,
        };
        let first = u32::try_from(self.table.members.len()).ok()?;
        self.table.blocks.push(Block {
            kind,
            first,
            last: first,
            levels: 0,
            smallest: 0,
        });
        self.segment = 1;
        Some(())
    }

    fn next_segment(&mut self, number: &str) -> Option<()> {
        self.segment += 1;
        let kind = self.table.blocks.last()?.kind;
        let fits = matches!(kind, BlockKind::Message { .. }) && decimal(number)? == self.segment;
        fits.then_some(())
    }

    fn member(&mut self, line: &'a str) -> Option<()> {
        let (name, rest) = cut(line, b' ')?;
        if name.is_empty() {
            return None;
        }
        let (number, typ) = match self.table.blocks.last()?.kind {
            BlockKind::Struct | BlockKind::Message { .. } => (self.segment, Some(self.typ(rest)?)),
            BlockKind::Union { .. } => self.alternative(rest)?,
            BlockKind::Enum { base, closed } => {
                let bits = enum_bits(base, rest)?;
                if !closed {
                    return Some(());
                }
                (bits, None)
            }
        };
        self.table.members.push(Member { name, typ, number });
        let last = u32::try_from(self.table.members.len()).ok()?;
        self.table.blocks.last_mut()?.last = last;
        Some(())
    }

    /// Reads an alternative's tag and payload.
    fn alternative(&mut self, text: &'a str) -> Option<(u64, Option<u32>)> {
        let (tag, payload) = word_of(text);
        let payload = match payload {
            Some(payload) => Some(self.typ(payload)?),
            None => None,
        };
        let tag = decimal(tag)?;
        (1..=255).contains(&tag).then_some((tag, payload))
    }

    /// Reads a type expression and returns its index. It is in prefix notation, so
    /// read from its end what a word holds is there before the word.
    fn typ(&mut self, text: &str) -> Option<u32> {
        self.done.clear();
        let (mut n, mut nesting) = (None, 0);
        let mut rest = Some(text);
        while let Some(before) = rest {
            let word;
            (rest, word) = last_word_of(before);
            let typ = match (word, n.take()) {
                ("array", Some(n)) => {
                    let elem = self.done.pop()?;
                    Type::Array { n, elem }
                }
                (_, Some(_)) => return None,
                (word, None) => match decimal(word) {
                    Some(0) => return None,
                    number @ Some(_) => {
                        n = number;
                        continue;
                    }
                    None => self.word(word)?,
                },
            };
            nesting += usize::from(typ.holds_types());
            let index = u32::try_from(self.table.types.len()).ok()?;
            self.table.types.push(typ);
            self.done.push(index);
        }
        let [index] = self.done[..] else {
            return None;
        };
        (n.is_none() && nesting <= NESTING_MAX).then_some(index)
    }

    /// Reads one word of a type and takes what it holds.
    fn word(&mut self, word: &str) -> Option<Type> {
        if let Some(number) = word.strip_prefix('#') {
            return Some(Type::Block(u32::try_from(decimal(number)?).ok()?));
        }
        if let Some(scalar) = scalar(word) {
            return Some(Type::Scalar(scalar));
        }
        if word == "opt" {
            let elem = self.done.pop()?;
            return Some(Type::Opt { elem });
        }
        let (name, count) = length(word)?;
        Some(match name {
            "str" => Type::Str(count),
            "bytes" => Type::Bytes(count),
            "list" => {
                let elem = self.done.pop()?;
                Type::List { count, elem }
            }
            "map" => {
                let (key, elem) = (self.done.pop()?, self.done.pop()?);
                Type::Map { count, key, elem }
            }
            _ => return None,
        })
    }
}

/// Reads a word that names a length or count: the word's name, the width, and
/// perhaps a bound.
fn length(word: &str) -> Option<(&str, Length)> {
    let (word, max) = match cut(word, b'<') {
        Some((word, max)) => (word, decimal(max.strip_prefix('=')?)?),
        None => (word, u64::MAX),
    };
    let (name, width) = word.split_at_checked(word.len().checked_sub(1)?)?;
    let width = match width {
        "1" => 1,
        "2" => 2,
        "4" => 4,
        _ => return None,
    };
    Some((name, Length { width, max }))
}

/// The texts before and behind the first of some ASCII character. A program has this once, for
/// refusals; the standard library's search would be compiled for each caller.
#[inline(never)]
pub(crate) fn cut(text: &str, character: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| byte == character)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// The first word of a text, and the text behind the next space.
fn word_of(text: &str) -> (&str, Option<&str>) {
    match cut(text, b' ') {
        Some((word, rest)) => (word, Some(rest)),
        None => (text, None),
    }
}

/// The text before the last space, and the word behind it.
fn last_word_of(text: &str) -> (Option<&str>, &str) {
    match text.bytes().rposition(|byte| byte == b' ') {
        Some(at) => (text.get(..at), text.get(at + 1..).unwrap_or_default()),
        None => (None, text),
    }
}

/// Sorts members by number: a heap sort, which takes little code and is never slow.
fn sort(members: &mut [Member<'_>]) {
    let n = members.len();
    // First the heap is made, from its last parent on; then its largest is taken, again and again.
    for i in (0..n + n / 2).rev() {
        let mut parent = i.saturating_sub(n);
        if i < n {
            members.swap(0, i);
        }
        let heap = &mut members[..i.min(n)];
        loop {
            let mut child = 2 * parent + 1;
            if child + 1 < heap.len() && heap[child].number < heap[child + 1].number {
                child += 1;
            }
            if child >= heap.len() || heap[parent].number >= heap[child].number {
                break;
            }
            heap.swap(parent, child);
            parent = child;
        }
    }
}

/// Reads a number without sign or leading zeros.
#[inline(never)]
fn decimal(text: &str) -> Option<u64> {
    if text.len() > 1 && text.starts_with('0') || !text.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// The number of an enum's member as it stands on the wire, read as an unsigned
/// number.
fn enum_bits(base: Scalar, text: &str) -> Option<u64> {
    let mask = u64::MAX >> (64 - 8 * u32::from(base.width));
    let (n, most) = match (text.strip_prefix('-'), base.kind) {
        (Some(digits), ScalarKind::Signed) => (decimal(digits)?, mask / 2 + 1),
        (None, ScalarKind::Signed) => (decimal(text)?, mask / 2),
        _ => (decimal(text)?, mask),
    };
    let bits = if text.starts_with('-') {
        n.wrapping_neg() & mask
    } else {
        n
    };
    (n <= most).then_some(bits)
}

impl Type {
    fn holds_types(self) -> bool {
        matches!(
            self,
            Type::List { .. } | Type::Array { .. } | Type::Opt { .. } | Type::Map { .. }
        )
    }
}

impl Scalar {
    fn is_integer(self) -> bool {
        matches!(self.kind, ScalarKind::Unsigned | ScalarKind::Signed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that describe no type, each for a reason of its own.
    const DAMAGED: &[&str] = &[
        "",
        "\n",
        " name u8\n",
        "@2\n",
        "0 struct a.S",
        "1 struct a.S\n",
        "00 struct a.S\n",
        "+0 struct a.S\n",
        "0 struct\n",
        "0 struct \n",
        "0 thing a.S\n",
        "0 struct a.S closed\n",
        "0 struct a.S keep\n",
        "0 message a.S closed\n",
        "0 union a.S keep\n",
        "0 union a.S closed closed\n",
        "0 enum a.E u8\n A 0\n",
        "0 enum a.E\n",
        "0 struct a.S\n e #1\n1 enum a.E f32\n",
        "0 struct a.S\n e #1\n1 enum a.E bool\n",
        "0 struct a.S\n e #1\n1 enum a.E u8\n A 256\n",
        "0 struct a.S\n e #1\n1 enum a.E u8\n A -1\n",
        "0 struct a.S\n e #1\n1 enum a.E i8 closed\n A -129\n",
        "0 struct a.S\n e #1\n1 enum a.E i8 closed\n A 128\n",
        "0 struct a.S\n e #1\n1 enum a.E i8 closed\n A --1\n",
        "0 struct a.S\n e #1\n1 enum a.E u8 closed\n A\n",
        "0 struct a.S\n@2\n a u8\n",
        "0 message a.S\n@3\n a u8\n",
        "0 message a.S\n@02\n a u8\n",
        "0 struct a.S\n a\n",
        "0 struct a.S\n a \n",
        "0 struct a.S\n  u8\n",
        "0 struct a.S\n a u7\n",
        "0 struct a.S\n a u8 \n",
        "0 struct a.S\n a u8 u8\n",
        "0 struct a.S\n a opt\n",
        "0 struct a.S\n a opt  u8\n",
        "0 struct a.S\n a list4\n",
        "0 struct a.S\n a list3 u8\n",
        "0 struct a.S\n a list44 u8\n",
        "0 struct a.S\n a list u8\n",
        "0 struct a.S\n a str4<=\n",
        "0 struct a.S\n a str4<=x\n",
        "0 struct a.S\n a u8<=4\n",
        "0 struct a.S\n a <=4\n",
        "0 struct a.S\n a array u8\n",
        "0 struct a.S\n a array 0 u8\n",
        "0 struct a.S\n a array 3\n",
        "0 struct a.S\n a array 3 3 u8\n",
        "0 struct a.S\n a 3 u8\n",
        "0 struct a.S\n a opt 3 u8\n",
        "0 struct a.S\n a array 18446744073709551616 u8\n",
        "0 struct a.S\n a array 18446744073709551615 u16\n",
        "0 struct a.S\n a map4 u8\n",
        "0 struct a.S\n a map4 f32 u8\n",
        "0 struct a.S\n a map4 uuid u8\n",
        "0 struct a.S\n a map4 bytes4 u8\n",
        "0 struct a.S\n a map4 list4 u8 u8\n",
        "0 struct a.S\n a map4 #0 u8\n",
        "0 struct a.S\n a #1\n",
        "0 struct a.S\n a #\n",
        "0 struct a.S\n a #-1\n",
        "0 struct a.S\n a #4294967296\n",
        "0 struct a.S\n a #0\n",
        "0 message a.S\n a #0\n",
        "0 union a.U closed\n A 1 #0\n",
        "0 union a.U closed\n",
        "0 union a.U\n A 0\n",
        "0 union a.U\n A 256\n",
        "0 union a.U\n A 1\n B 1\n",
        "0 union a.U\n A 1 \n",
        "0 struct a.S\n a list4 #1\n1 struct a.T\n",
        "0 struct a.S\n a array 3 #1\n1 struct a.T\n",
    ];

    #[test]
    fn parse_refuses_what_describes_no_type() {
        for text in DAMAGED {
            assert!(Table::parse(text).is_none(), "{text:?}");
        }
        let nested = alloc::format!("0 struct a.S\n a {}u8\n", "opt ".repeat(65));
        assert!(Table::parse(&nested).is_none());
    }

    #[test]
    fn parse_accepts_what_a_compiler_may_write() {
        for text in [
            "0 struct a.S\n",
            "0 message a.S\n",
            "0 union a.U\n",
            "0 union a.U closed\n A 1\n",
            "0 union a.U closed\n B 2\n A 1\n",
            "0 message a.M keep\n@2\n a u8\n@3\n b u8\n",
            "0 struct a.S\n e #1\n1 enum a.E u8 closed\n A 1\n B 1\n",
            "0 struct a.S\n a opt #0\n b list1<=0 #0\n c map2<=18446744073709551615 #1 #0\n1 \
             enum a.E i64 closed\n A -9223372036854775808\n B 9223372036854775807\n",
            "0 struct a.S\n u #1\n1 union a.U closed\n A 1 #0\n B 2\n",
        ] {
            assert!(Table::parse(text).is_some(), "{text:?}");
        }
        let nested = alloc::format!("0 struct a.S\n a {}u8\n", "opt ".repeat(64));
        assert!(Table::parse(&nested).is_some());
    }
}
