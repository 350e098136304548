//! The walk through structs, messages and unions.

use crate::layout::{Block, BlockKind, Length, Member};
use crate::walk::{refuse, Walk, Walker, Window};
use crate::walk_frame::{Fields, Frame};
use crate::Kind;

/// The length of a nested message's body and of an open union's payload.
const BODY: Length = Length {
    width: 4,
    max: u64::MAX,
};

impl Walker<'_> {
    /// Enters the message at the top level, whose body is all of the input.
    pub(crate) fn top_message(&mut self) -> Walk {
        self.enter()?;
        self.window.over = Kind::SegmentPartial;
        self.fields(0, self.window);
        Ok(())
    }

    /// Enters a struct, a message with its length, or a union.
    pub(crate) fn aggregate(&mut self, index: u32) -> Walk {
        self.enter()?;
        let block = *self.layout.block(index);
        match block.kind {
            BlockKind::Message { .. } => {
                let n = self.length(BODY)?;
                let outer = self.narrow(n, Kind::SegmentPartial);
                self.fields(index, outer);
            }
            BlockKind::Union { closed } => self.union(&block, closed)?,
            // Structs that take no bytes can hold each other in ways whose number
            // doubles with each level; nothing but the depth can be wrong with one,
            // so it is walked only where that is.
            _ if self.has_levels(block.levels) => self.depth -= 1,
            _ => self.fields(index, self.window),
        }
        Ok(())
    }

    /// Checks the depth of an aggregate before any byte of it is read.
    fn enter(&mut self) -> Walk {
        if self.depth >= self.depth_max {
            return refuse(Kind::LimitDepth, self.at);
        }
        self.depth += 1;
        Ok(())
    }

    /// Reports whether the struct that was entered has no bytes, and all the levels
    /// that it is made of are within the limit.
    fn has_levels(&self, levels: u32) -> bool {
        levels > 0 && levels as usize - 1 <= self.depth_max - self.depth
    }

    /// Leaves the fields of a block to the steps that follow.
    fn fields(&mut self, block: u32, outer: Window) {
        let next = self.layout.block(block).range().start;
        self.frames
            .push(Frame::Fields(Fields { block, next, outer }));
    }

    /// Walks the next field of a struct or message, or leaves it behind the last.
    pub(crate) fn field(&mut self, fields: Fields) -> Walk {
        let block = *self.layout.block(fields.block);
        if fields.next < block.range().end && !self.ends_before(&block, fields.next)? {
            let next = fields.next + 1;
            self.frames.push(Frame::Fields(Fields { next, ..fields }));
            return self.contents(self.layout.members[fields.next]);
        }
        if let BlockKind::Message { keep } = block.kind {
            self.tail(keep)?;
        }
        self.window = fields.outer;
        self.depth -= 1;
        Ok(())
    }

    /// Reports whether a message's body ends before the segment that starts with
    /// this member. The first segment is always there.
    fn ends_before(&self, block: &Block, member: usize) -> Walk<bool> {
        let members = &self.layout.members[block.range().start..=member];
        let (segment, before) = match *members {
            [.., before, this] => (this.number, before.number),
            [this] => (this.number, 1),
            [] => return Ok(false),
        };
        let ends = segment != before && self.rest() == 0;
        if ends && self.exact {
            return refuse(Kind::SegmentPartial, self.at);
        }
        Ok(ends)
    }

    /// Passes what follows the segments that the reader knows.
    fn tail(&mut self, keep: bool) -> Walk {
        let at = self.at;
        if self.rest() > 0 {
            if self.exact {
                return refuse(Kind::TrailingBytes, at);
            }
            if keep {
                self.ask(at)?;
            }
        }
        self.at = self.window.end;
        Ok(())
    }

    /// Walks a union's tag and, if it is open, its payload's length.
    fn union(&mut self, block: &Block, is_closed: bool) -> Walk {
        let at = self.at;
        let tag = self.number(1)?;
        let alternative = self.layout.numbered(block, tag);
        if tag == 0 || is_closed && alternative.is_none() {
            return refuse(Kind::UnionUnknown, at);
        }
        if is_closed {
            self.ask(at)?;
        }
        let n = if is_closed { 0 } else { self.length(BODY)? };
        let Some(member) = alternative else {
            // Nothing of an unknown payload is checked.
            self.at += n;
            self.depth -= 1;
            return Ok(());
        };
        let outer = (!is_closed).then(|| self.narrow(n, Kind::UnionLength));
        self.frames.push(Frame::Alternative { member, outer });
        self.contents(self.layout.members[member])
    }

    /// Leaves a union behind the contents of its payload.
    pub(crate) fn leave_union(&mut self, outer: Option<Window>) -> Walk {
        if let Some(outer) = outer {
            if self.rest() > 0 {
                return refuse(Kind::UnionLength, self.at);
            }
            self.window = outer;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Walks a member's value, if it has one.
    fn contents(&mut self, member: Member) -> Walk {
        member.typ.map_or(Ok(()), |typ| self.value(typ))
    }
}
