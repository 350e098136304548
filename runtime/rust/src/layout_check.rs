//! Checks that a walk can follow a layout, and finds the smallest sizes.

use crate::layout::{Block, BlockKind, ScalarKind, Table, Type};

/// The most passes in which sizes are computed again. Sizes are right for values that nest that
/// many aggregates, far beyond what a compiler lets through.
const MEASURE_PASSES_MAX: usize = 1024;

/// The size of a type of which no finite value is known yet. Adding to it and
/// multiplying it saturate, and leave it as it is.
const UNMEASURED: u64 = u64::MAX;

impl Table<'_> {
    /// Reports whether references lead somewhere, keys can be keys, and every
    /// type has a finite value and every element a byte: a walk that believes a
    /// count then ends. It also fills in the smallest sizes.
    #[inline(never)]
    pub(crate) fn is_sound(&mut self) -> bool {
        let Some(root) = self.blocks.first() else {
            return false;
        };
        let leads_somewhere = |typ: &Type| match *typ {
            Type::Block(block) => (block as usize) < self.blocks.len(),
            _ => true,
        };
        !matches!(root.kind, BlockKind::Enum { .. })
            && self.types.iter().all(leads_somewhere)
            && self.measure()
            && self.types.iter().all(|typ| match *typ {
                Type::List { elem, .. } | Type::Array { elem, .. } => self.smallest(elem) > 0,
                Type::Map { key, .. } => self.is_key(self.typ(key)),
                _ => true,
            })
    }

    fn is_key(&self, typ: Type) -> bool {
        let scalar = self.scalar(typ);
        matches!(typ, Type::Str(_)) || scalar.is_some_and(|s| s.kind != ScalarKind::Plain)
    }

    /// Finds the smallest sizes, and reports whether all are finite. Types may
    /// refer to each other in cycles, so it starts from "no finite value known"
    /// and repeats until nothing changes; types mostly refer to later blocks, so
    /// it goes backwards.
    fn measure(&mut self) -> bool {
        for block in &mut self.blocks {
            block.smallest = UNMEASURED;
        }
        for _ in 0..MEASURE_PASSES_MAX {
            let mut changed = false;
            for i in (0..self.blocks.len()).rev() {
                let block = &self.blocks[i];
                let smallest = self.smallest_body(block);
                if smallest == block.smallest {
                    continue;
                }
                let levels = match block.kind {
                    BlockKind::Struct if smallest == 0 => self.levels_of(block),
                    _ => 0,
                };
                changed = true;
                self.blocks[i].smallest = smallest;
                self.blocks[i].levels = levels;
            }
            if !changed {
                return self.blocks.iter().all(|b| b.smallest != UNMEASURED);
            }
        }
        false
    }

    /// A block's smallest size, without the length that a message has inside
    /// other values.
    fn smallest_body(&self, block: &Block) -> u64 {
        let members = self.members_of(block);
        let sizes = members
            .iter()
            .map(|m| m.typ.map_or(0, |typ| self.smallest(typ)));
        match block.kind {
            BlockKind::Enum { base, .. } => u64::from(base.width),
            BlockKind::Union { closed: false } => 5,
            BlockKind::Union { closed: true } => {
                sizes.min().unwrap_or(UNMEASURED).saturating_add(1)
            }
            BlockKind::Struct | BlockKind::Message { .. } => {
                let segment_1 = members.iter().take_while(|m| m.number == 1).count();
                sizes.take(segment_1).fold(0, u64::saturating_add)
            }
        }
    }

    /// How many levels a struct without bytes is made of. It holds nothing but such
    /// structs, whose levels were found when their size was.
    fn levels_of(&self, block: &Block) -> u32 {
        let levels =
            self.members_of(block)
                .iter()
                .map(|member| match member.typ.map(|typ| self.typ(typ)) {
                    Some(Type::Block(index)) => self.block(index).levels,
                    _ => 0,
                });
        levels.max().unwrap_or(0) + 1
    }

    /// The smallest size of a type as a field or an element.
    #[inline(never)]
    pub(crate) fn smallest(&self, mut index: u32) -> u64 {
        let mut times = 1_u64;
        while let Type::Array { n, elem } = self.typ(index) {
            times = times.saturating_mul(n);
            index = elem;
        }
        let one = match self.typ(index) {
            Type::Scalar(scalar) => u64::from(scalar.width),
            Type::Str(length) | Type::Bytes(length) => u64::from(length.width),
            Type::List { count, .. } | Type::Map { count, .. } => u64::from(count.width),
            Type::Opt { .. } | Type::Array { .. } => 1,
            Type::Block(block) => {
                let block = self.block(block);
                let length = if matches!(block.kind, BlockKind::Message { .. }) {
                    4
                } else {
                    0
                };
                block.smallest.saturating_add(length)
            }
        };
        times.saturating_mul(one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smallest_sizes_are_the_least_solution() {
        for (text, want) in [
            ("0 struct a.S\n", 0),
            (
                "0 struct a.S\n a bool\n b u16\n c i32\n d f64\n e timestamp\n f duration\n g uuid\n",
                1 + 2 + 4 + 8 + 8 + 8 + 16,
            ),
            ("0 struct a.S\n a f32\n b i8\n c u64\n", 4 + 1 + 8),
            (
                "0 struct a.S\n a str1\n b bytes2\n c list4 u64\n d map1 u64 u64\n e opt u64\n",
                1 + 2 + 4 + 1 + 1,
            ),
            ("0 struct a.S\n a array 3 array 5 u16\n", 30),
            ("0 message a.S\n a u8\n@2\n b u64\n", 1),
            (
                "0 struct a.S\n a #1\n1 message a.M\n a u8\n@2\n b u64\n",
                5,
            ),
            ("0 union a.U\n A 1 u64\n", 5),
            ("0 union a.U closed\n A 1 u64\n B 2 u16\n", 3),
            ("0 union a.U closed\n A 1 u64\n B 2\n", 1),
            ("0 struct a.S\n e #1\n1 enum a.E i16\n A 0\n", 2),
            (
                "0 struct a.S\n u #1\n x u8\n1 union a.U closed\n A 1 #0\n B 2 u8\n",
                3,
            ),
            (
                "0 struct a.S\n a #2\n1 struct a.T\n a u32\n2 struct a.V\n a #1\n b #1\n",
                8,
            ),
        ] {
            let table = Table::parse(text).expect(text);
            assert_eq!(table.blocks[0].smallest, want, "{text:?}");
        }
    }
}
