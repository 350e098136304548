//! The frames that a connection has given out and not written.

use std::collections::VecDeque;
use std::io::IoSlice;
use std::vec::Vec;

use crate::engine::budget::ITEM_BYTES;
use crate::engine::link::WRITE_BYTES;
use crate::session::{Session, Value};

/// How many pieces one write has at most.
const PIECES: usize = 16;

/// Pieces that were given out and not written.
#[derive(Default)]
pub(crate) struct Output {
    pieces: VecDeque<Value<'static>>,
    /// How much of the first piece was written.
    at: usize,
    /// A buffer that can be used again.
    spare: Vec<u8>,
    /// How many bytes there are.
    bytes: usize,
    /// The socket has not taken all that it was given.
    pub(crate) is_blocked: bool,
    /// The socket may keep some written bytes until it is flushed.
    pub(crate) is_kept: bool,
}

impl Output {
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        if self.is_empty() {
            return 0;
        }
        self.bytes + ITEM_BYTES
    }

    /// Takes frames out of a session's queue, as many as go into one write, where all were
    /// written, and returns how many bytes they have.
    pub(crate) fn fill(&mut self, session: &mut Session, now: u64) -> usize {
        if !self.is_empty() {
            return 0;
        }
        let mut buffer = core::mem::take(&mut self.spare);
        let mut bytes = 0;
        while bytes < WRITE_BYTES && self.pieces.len() + 3 <= PIECES {
            let Some(out) = session.poll_frames(WRITE_BYTES - bytes, now) else {
                break;
            };
            bytes += out.len();
            buffer.extend_from_slice(out.head);
            if !out.trailer.is_empty() {
                self.pieces.push_back(Value::Vec(buffer));
                self.pieces.push_back(core::mem::take(out.value));
                buffer = out.trailer.to_vec();
            }
        }
        if buffer.is_empty() {
            self.spare = buffer;
        } else {
            self.pieces.push_back(Value::Vec(buffer));
        }
        self.bytes += bytes;
        bytes
    }

    /// The slices that are to be written next.
    pub(crate) fn slices(&self) -> ([IoSlice<'_>; PIECES], usize) {
        let mut slices = [IoSlice::new(&[]); PIECES];
        let mut n = 0;
        for (slice, piece) in slices.iter_mut().zip(&self.pieces) {
            let at = if n == 0 { self.at } else { 0 };
            *slice = IoSlice::new(piece.as_slice().get(at..).unwrap_or_default());
            n += 1;
        }
        (slices, n)
    }

    /// Forgets what was written.
    pub(crate) fn wrote(&mut self, mut n: usize) {
        self.bytes -= n;
        while let Some(first) = self.pieces.front() {
            let left = first.as_slice().len() - self.at;
            if n < left {
                self.at += n;
                return;
            }
            n -= left;
            self.at = 0;
            if let Some(Value::Vec(mut buffer)) = self.pieces.pop_front() {
                if buffer.capacity() <= 2 * WRITE_BYTES {
                    buffer.clear();
                    self.spare = buffer;
                }
            }
        }
    }

    /// Gives back the memory that is kept for later.
    pub(crate) fn rest(&mut self) {
        self.spare = Vec::new();
    }
}
