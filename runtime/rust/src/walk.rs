//! Names the refusal of bytes that generated code would not take.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::layout::{BlockKind, Table};
use crate::walk_frame::Frame;
use crate::{Error, Kind, Limits};

/// Says what a decoder makes of bytes behind a value.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The value takes all of its input.
    Whole,
    /// Bytes may follow a struct or union [WIRE-2.4].
    Prefix,
}

/// Names the refusal of input that generated code would not take: walks the
/// input item by item, as WIRE-1.7 says, and stops at the first check that
/// fails. `layout` is the layout text of the value's type, `input` the value's
/// bytes, and `base` what comes before them in the caller's slice: 0, or the
/// size of a header. `exact` refuses missing segments and unknown tails
/// [WIRE-7.7] [WIRE-7.8].
///
/// `memory_at` is for a decoder that ran out of memory: the place in `input` of
/// the length or count that asked for it, or the place behind that. Refusals of
/// earlier items come first.
///
/// The walk decodes nothing. It takes time linear in layout and input, and heap for the layout, the
/// path and each level of nesting of the input. It takes no stack for any of them, so that it
/// cannot overflow under any limits. Nothing is kept of the layout, which may be any text. It
/// returns `None` if it finds nothing wrong or can't read the layout, which only a defect of the
/// generated code explains.
#[doc(hidden)]
#[cold]
#[must_use]
pub fn explain(
    layout: &str,
    input: &[u8],
    base: usize,
    mode: Mode,
    exact: bool,
    limits: &Limits,
    memory_at: Option<usize>,
) -> Option<Error> {
    let layout = Table::parse(layout)?;
    explain_by(&layout, input, base, mode, exact, limits, memory_at)
}

/// [`explain`] by a layout that was read.
pub(crate) fn explain_by(
    layout: &Table<'_>,
    input: &[u8],
    base: usize,
    mode: Mode,
    exact: bool,
    limits: &Limits,
    memory_at: Option<usize>,
) -> Option<Error> {
    if input.len() > limits.message_bytes {
        return Some(Error::at(Kind::LimitMessageBytes, base, String::new()));
    }
    let mut walker = Walker {
        layout,
        input,
        at: 0,
        window: Window {
            end: input.len(),
            over: Kind::Truncated,
        },
        exact,
        depth: 0,
        depth_max: limits.depth,
        elements: limits.elements as u64,
        memory_at: memory_at.unwrap_or(usize::MAX),
        frames: Vec::new(),
    };
    let refusal = walker.walk(mode).err()?;
    let offset = base.saturating_add(refusal.at);
    Some(Error::at(refusal.kind, offset, walker.path()))
}

/// Where a walk stands.
pub(crate) struct Walker<'a> {
    pub(crate) layout: &'a Table<'a>,
    pub(crate) input: &'a [u8],
    /// The next byte.
    pub(crate) at: usize,
    /// The innermost window.
    pub(crate) window: Window,
    pub(crate) exact: bool,
    /// The aggregates around the next byte.
    pub(crate) depth: usize,
    pub(crate) depth_max: usize,
    /// The rest of the budget.
    pub(crate) elements: u64,
    pub(crate) memory_at: usize,
    /// The values that the walk is inside of, the innermost last.
    pub(crate) frames: Vec<Frame<'a>>,
}

/// A range of bytes that a value must not read beyond [WIRE-3.1].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) end: usize,
    /// The refusal of an item that goes beyond the end [WIRE-3.3].
    pub(crate) over: Kind,
}

/// The finding of a walk, in the value that the frames lead to.
#[derive(Debug)]
pub(crate) struct Refusal {
    kind: Kind,
    at: usize,
}

pub(crate) type Walk<T = ()> = Result<T, Refusal>;

pub(crate) fn refuse<T>(kind: Kind, position: usize) -> Walk<T> {
    Err(Refusal { kind, at: position })
}

impl<'a> Walker<'a> {
    /// Walks the root type.
    #[inline(never)]
    fn walk(&mut self, mode: Mode) -> Walk {
        match self.layout.blocks[0].kind {
            BlockKind::Message { .. } => self.top_message()?,
            _ => self.aggregate(0)?,
        }
        while !self.frames.is_empty() {
            self.step()?;
        }
        if self.at < self.input.len() && mode == Mode::Whole {
            return refuse(Kind::TrailingBytes, self.at);
        }
        if self.memory_at <= self.input.len() {
            return refuse(Kind::LimitMemoryBytes, self.memory_at);
        }
        Ok(())
    }

    /// How many bytes the innermost window has left.
    pub(crate) fn rest(&self) -> usize {
        self.window.end - self.at
    }

    /// Passes an item of `n` bytes and returns them.
    pub(crate) fn item(&mut self, n: usize) -> Walk<&'a [u8]> {
        if n > self.rest() {
            return refuse(self.window.over, self.at);
        }
        let at = self.at;
        self.at += n;
        Ok(&self.input[at..self.at])
    }

    /// Passes an item that is a number and returns its bits.
    #[inline(never)]
    pub(crate) fn number(&mut self, width: u8) -> Walk<u64> {
        self.item(usize::from(width)).map(bits)
    }

    /// Stands where a decoder may ask for memory: behind the checks of the item
    /// that starts at the given place.
    pub(crate) fn ask(&self, position: usize) -> Walk {
        if self.at >= self.memory_at {
            return refuse(Kind::LimitMemoryBytes, position);
        }
        Ok(())
    }

    /// Makes the next `n` bytes, which are there, the innermost window, and
    /// returns the outer one.
    pub(crate) fn narrow(&mut self, n: usize, refusal: Kind) -> Window {
        let end = self.at + n;
        core::mem::replace(&mut self.window, Window { end, over: refusal })
    }

    /// The path to the value that the walk is in, as WIRE-1.5 spells it.
    fn path(&self) -> String {
        let mut path = String::new();
        for frame in &self.frames {
            if let Some(i) = frame.index() {
                path.extend(["[", &i.to_string(), "]"]);
            }
            if let Some(name) = frame.name(self.layout) {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
            }
        }
        path
    }
}

/// Reads a number of up to eight bytes.
#[inline(never)]
pub(crate) fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))
}
