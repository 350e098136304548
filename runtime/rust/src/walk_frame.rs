//! A frame of a walk: a value that it is inside of. Frames are no function calls,
//! so that no input and no limit can overflow the stack.

use crate::layout::Table;
use crate::walk::{Walk, Walker, Window};

/// A value of which the walk has begun some part.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Frame<'a> {
    /// A struct's or message's fields.
    Fields(Fields),
    /// A union's payload.
    Alternative {
        /// The index of the member.
        member: usize,
        /// The window around an open union's payload; a closed one makes none.
        outer: Option<Window>,
    },
    /// The elements of a list or array.
    Elements { elem: u32, next: u64, n: u64 },
    /// The entries of a map.
    Entries(Entries<'a>),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    pub(crate) block: u32,
    /// The index of the member that comes next.
    pub(crate) next: usize,
    /// The window around a message's body; for a struct, the window that it lies in.
    pub(crate) outer: Window,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Entries<'a> {
    pub(crate) key: u32,
    pub(crate) elem: u32,
    pub(crate) next: u64,
    pub(crate) n: u64,
    /// The part of the entry before `next` that is walked.
    pub(crate) part: &'static str,
    /// The last key as it stands on the wire.
    pub(crate) last: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The index that the part appends to the path.
    pub(crate) fn index(&self) -> Option<u64> {
        match self {
            Frame::Elements { next, .. } => next.checked_sub(1),
            Frame::Entries(entries) => entries.next.checked_sub(1),
            Frame::Fields(_) | Frame::Alternative { .. } => None,
        }
    }

    /// The name that the part appends to the path.
    pub(crate) fn name(&self, layout: &Table<'a>) -> Option<&'a str> {
        match self {
            Frame::Fields(fields) => Some(layout.members[fields.next - 1].name),
            Frame::Alternative { member, .. } => Some(layout.members[*member].name),
            Frame::Elements { .. } => None,
            Frame::Entries(entries) => Some(entries.part),
        }
    }
}

impl Walker<'_> {
    /// Walks the next part of the value that the innermost frame is for. A frame is put back as
    /// long as parts follow, and is away while nothing of it is walked, so that the frames are the
    /// path to a refused part.
    pub(crate) fn step(&mut self) -> Walk {
        match self.frames.pop() {
            Some(Frame::Fields(fields)) => self.field(fields),
            Some(Frame::Alternative { outer, .. }) => self.leave_union(outer),
            Some(Frame::Elements { elem, next, n }) if next < n => {
                let next = next + 1;
                self.frames.push(Frame::Elements { elem, next, n });
                self.value(elem)
            }
            Some(Frame::Entries(entries)) if entries.next < entries.n => self.entry(entries),
            Some(Frame::Elements { .. } | Frame::Entries(_)) | None => Ok(()),
        }
    }
}
