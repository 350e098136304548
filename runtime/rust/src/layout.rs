//! A layout text [EVO-5] as a table, which the walk follows.

use alloc::vec::Vec;
use core::ops::Range;

/// Blocks refer to their members, members to their types, and types to types and
/// blocks, all by index. Nothing changes a table once it is read, so that walks
/// share it.
#[derive(Debug, Default)]
pub(crate) struct Table<'a> {
    pub(crate) blocks: Vec<Block>,
    pub(crate) members: Vec<Member<'a>>,
    pub(crate) types: Vec<Type>,
}

/// A declared type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// The members are those from `first` up to, but not with, `last`. Of enums
    /// only the closed ones have any: nobody asks for the others. The members of enums and unions
    /// are sorted by number.
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// How many levels of structs a struct without bytes is made of, itself one of
    /// them; 0 for every other block.
    pub(crate) levels: u32,
    /// The smallest size of the block's bytes [WIRE-13.1]; of a message, of its
    /// body.
    pub(crate) smallest: u64,
}

impl Block {
    /// Where the members are in the table.
    pub(crate) fn range(&self) -> Range<usize> {
        self.first as usize..self.last as usize
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Struct,
    Message { keep: bool },
    Union { closed: bool },
    Enum { base: Scalar, closed: bool },
}

/// A field, an alternative or the number of a closed enum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member<'a> {
    pub(crate) name: &'a str,
    /// The index of the type; alternatives may have none, numbers never do.
    pub(crate) typ: Option<u32>,
    /// A field's segment, an alternative's tag, or the bits of an enum's number.
    pub(crate) number: u64,
}

/// A type expression, its parts by index.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Type {
    Scalar(Scalar),
    Str(Length),
    Bytes(Length),
    List { count: Length, elem: u32 },
    Array { n: u64, elem: u32 },
    Opt { elem: u32 },
    Map { count: Length, key: u32, elem: u32 },
    Block(u32),
}

/// A length or count: how many bytes it takes, and its bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Length {
    pub(crate) width: u8,
    pub(crate) max: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scalar {
    pub(crate) width: u8,
    pub(crate) kind: ScalarKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScalarKind {
    Unsigned,
    Signed,
    Bool,
    /// Cannot be a map's key, and every pattern is valid.
    Plain,
}

impl Table<'_> {
    /// Finds the index of the member of an enum or union that has the number.
    pub(crate) fn numbered(&self, block: &Block, number: u64) -> Option<usize> {
        let found = self
            .members_of(block)
            .binary_search_by_key(&number, |member| member.number);
        found.ok().map(|i| block.range().start + i)
    }

    pub(crate) fn typ(&self, index: u32) -> Type {
        self.types[index as usize]
    }

    /// A block's members.
    pub(crate) fn members_of(&self, block: &Block) -> &[Member<'_>] {
        &self.members[block.range()]
    }

    pub(crate) fn block(&self, index: u32) -> &Block {
        &self.blocks[index as usize]
    }

    /// The scalar that a type's bytes are, an enum's base included; nothing if it is none.
    pub(crate) fn scalar(&self, typ: Type) -> Option<Scalar> {
        match typ {
            Type::Scalar(scalar) => Some(scalar),
            Type::Block(block) => match self.block(block).kind {
                BlockKind::Enum { base, .. } => Some(base),
                _ => None,
            },
            _ => None,
        }
    }
}
