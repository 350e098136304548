//! The walk through what holds no fields.

use core::cmp::Ordering;

use crate::layout::{Block, BlockKind, Length, ScalarKind, Type};
use crate::walk::{bits, refuse, Walk, Walker};
use crate::walk_frame::{Entries, Frame};
use crate::Kind;

impl<'a> Walker<'a> {
    /// Walks a value that takes no frame, or only as far as its first element or
    /// field: then a frame is left for the steps that follow.
    pub(crate) fn value(&mut self, mut index: u32) -> Walk {
        while let Type::Opt { elem } = self.layout.typ(index) {
            if !self.presence()? {
                return Ok(());
            }
            index = elem;
        }
        match self.layout.typ(index) {
            Type::Scalar(scalar) if scalar.kind == ScalarKind::Bool => {
                self.flag(Kind::BoolInvalid).map(drop)
            }
            Type::Scalar(scalar) => self.item(usize::from(scalar.width)).map(drop),
            Type::Str(length) => self.text(length),
            Type::Bytes(length) => {
                self.at += self.length(length)?;
                Ok(())
            }
            Type::List { count, elem } => {
                let n = self.count(count, self.layout.smallest(elem))?;
                self.elements(elem, n);
                Ok(())
            }
            Type::Array { n, elem } => self.array(elem, n),
            Type::Map { count, key, elem } => {
                let smallest = self
                    .layout
                    .smallest(key)
                    .saturating_add(self.layout.smallest(elem));
                let n = self.count(count, smallest)?;
                self.frames.push(Frame::Entries(Entries {
                    key,
                    elem,
                    next: 0,
                    n,
                    part: "",
                    last: &[],
                }));
                Ok(())
            }
            Type::Block(block) => match self.layout.block(block).kind {
                BlockKind::Enum { .. } => self.enumeration(block),
                _ => self.aggregate(block),
            },
            Type::Opt { .. } => Ok(()),
        }
    }

    /// Passes a byte that is 0 or 1.
    fn flag(&mut self, invalid: Kind) -> Walk<bool> {
        let at = self.at;
        match self.number(1)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => refuse(invalid, at),
        }
    }

    /// Passes an optional's presence byte.
    fn presence(&mut self) -> Walk<bool> {
        let at = self.at;
        let present = self.flag(Kind::PresenceInvalid)?;
        if present {
            self.ask(at)?;
        }
        Ok(present)
    }

    /// Passes an enum and checks a closed one's number.
    fn enumeration(&mut self, block: u32) -> Walk {
        let at = self.at;
        let block: Block = *self.layout.block(block);
        let BlockKind::Enum { base, closed } = block.kind else {
            return Ok(());
        };
        let number = self.number(base.width)?;
        if closed && self.layout.numbered(&block, number).is_none() {
            return refuse(Kind::EnumUnknown, at);
        }
        Ok(())
    }

    /// Passes a length and makes its checks in the order of WIRE-3.4. The bytes that it counts are
    /// left to be read.
    #[inline(never)]
    pub(crate) fn length(&mut self, length: Length) -> Walk<usize> {
        let at = self.at;
        let n = self.number(length.width)?;
        if n > length.max {
            return refuse(Kind::LimitMax, at);
        }
        match usize::try_from(n) {
            Ok(n) if n <= self.rest() => self.ask(at).map(|()| n),
            _ => refuse(Kind::LengthExceedsInput, at),
        }
    }

    /// Passes a string. The offset of a refused one is the end of its longest
    /// well-formed prefix [WIRE-5.2].
    fn text(&mut self, length: Length) -> Walk {
        let n = self.length(length)?;
        let at = self.at;
        match core::str::from_utf8(self.item(n)?) {
            Ok(_) => Ok(()),
            Err(error) => refuse(Kind::Utf8Invalid, at + error.valid_up_to()),
        }
    }

    /// Passes the count of a list or map whose elements take at least `smallest`
    /// bytes each [WIRE-3.4].
    fn count(&mut self, count: Length, smallest: u64) -> Walk<u64> {
        let at = self.at;
        let n = self.number(count.width)?;
        let rest = self.rest() as u64;
        if n > count.max {
            return refuse(Kind::LimitMax, at);
        }
        if n.checked_mul(smallest).map_or(true, |bytes| bytes > rest) {
            return refuse(Kind::CountExceedsInput, at);
        }
        self.charge(n, at)?;
        self.ask(at).map(|()| n)
    }

    /// Takes elements from the budget.
    fn charge(&mut self, n: u64, position: usize) -> Walk {
        match self.elements.checked_sub(n) {
            Some(left) => self.elements = left,
            None => return refuse(Kind::LimitElements, position),
        }
        Ok(())
    }

    fn array(&mut self, elem: u32, n: u64) -> Walk {
        if self.layout.scalar(self.layout.typ(elem)).is_none() {
            self.charge(n, self.at)?;
        }
        self.ask(self.at)?;
        self.elements(elem, n);
        Ok(())
    }

    /// Leaves `n` elements to the steps that follow. Numbers can only be missing, so that they are
    /// passed at once.
    fn elements(&mut self, elem: u32, n: u64) {
        let passed = match self.layout.typ(elem) {
            Type::Scalar(scalar) if scalar.kind != ScalarKind::Bool => {
                let width = usize::from(scalar.width);
                let fit = self.rest() / width;
                let passed = usize::try_from(n).map_or(fit, |n| n.min(fit));
                self.at += width * passed;
                passed as u64
            }
            _ => 0,
        };
        self.frames.push(Frame::Elements {
            elem,
            next: passed,
            n,
        });
    }

    /// Walks the next entry of a map: the key, then its order, then the value
    /// [WIRE-5.11]. Keys need no frames.
    pub(crate) fn entry(&mut self, entries: Entries<'a>) -> Walk {
        let at = self.at;
        let next = entries.next + 1;
        self.frames.push(Frame::Entries(Entries {
            next,
            part: "key",
            ..entries
        }));
        self.value(entries.key)?;
        let key = &self.input[at..self.at];
        let order = self.compare_keys(self.layout.typ(entries.key), entries.last, key);
        if entries.next > 0 && order != Ordering::Less {
            return refuse(Kind::MapOrder, at);
        }
        self.frames.pop();
        self.frames.push(Frame::Entries(Entries {
            next,
            part: "value",
            last: key,
            ..entries
        }));
        self.value(entries.elem)
    }

    /// Orders two keys, given as they stand on the wire [WIRE-5.12].
    fn compare_keys(&self, typ: Type, a: &[u8], b: &[u8]) -> Ordering {
        if let Type::Str(length) = typ {
            let text = usize::from(length.width)..;
            return a.get(text.clone()).cmp(&b.get(text));
        }
        let sign = match self.layout.scalar(typ) {
            Some(key) if key.kind == ScalarKind::Signed => 1 << (8 * key.width - 1),
            _ => 0,
        };
        (bits(a) ^ sign).cmp(&(bits(b) ^ sign))
    }
}
