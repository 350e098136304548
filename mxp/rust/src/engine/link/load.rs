//! The memory that a connection holds [MXP-15].

use alloc::format;

use super::Link;
use crate::engine::driver::Driver;
use crate::engine::Failure;
use crate::session::Kind;

/// How much less or more is not told to others, since telling costs more than a call can
/// bear.
const GRAIN: usize = 512;

/// The bytes that the task of a handler that waits for something takes, and its place, beside the
/// 1,024 that the session counts an exchange as: with a handler that keeps its request, 2.2 KB in all.
const PLACE_BYTES: usize = 1 << 10;

/// The bytes that a stream takes beside that: 3 KB in all.
const STREAM_BYTES: usize = 768;

/// The memory that a connection holds, as of the last look at it.
#[derive(Debug, Default)]
pub(crate) struct Load {
    bytes: usize,
    /// Its backlog is larger than it may be.
    pub(crate) is_over: bool,
}

impl Load {
    /// Looks at what a connection holds: in its session, in its streams and answers, in a
    /// remainder that is none of these, and in the buffers of its input. Returns how much that is, if it is worth to be told.
    pub(crate) fn measure<D: Driver>(
        &mut self,
        link: &Link<D>,
        remainder: usize,
        input: usize,
    ) -> Option<usize> {
        let bytes = link.held(remainder) + input;
        self.is_over = link.is_over(remainder);
        let is_told = bytes.abs_diff(self.bytes) >= GRAIN;
        is_told.then(|| {
            self.bytes = bytes;
            bytes
        })
    }
}

impl<D: Driver> Link<D> {
    fn held(&self, remainder: usize) -> usize {
        let Self { session, .. } = self;
        session.held() + session.spare_bytes() + self.extras() + remainder
    }

    /// The bytes beside the session.
    fn extras(&self) -> usize {
        let parts = &self.parts;
        let streams = parts.streams.len() * STREAM_BYTES + parts.places.len() * PLACE_BYTES;
        streams + parts.streams.unread() + parts.places.answer_bytes
    }

    /// All held bytes beside the frame that is being read [MXP-15.3].
    fn backlog(&self, remainder: usize) -> usize {
        self.session.backlog() + self.extras() + remainder
    }

    /// Whether the backlog is larger than it may be, or than so many bytes.
    pub(crate) fn is_much(&self, remainder: usize, allowance: usize) -> bool {
        let most = self.session.limits().connection_bytes;
        self.backlog(remainder) > most.min(allowance)
    }

    /// Whether the backlog is larger than it may be.
    fn is_over(&self, remainder: usize) -> bool {
        self.backlog(remainder) > self.session.limits().connection_bytes
    }

    /// Ends streams while the backlog is larger than it may be, and most of it is chunks
    /// that nobody takes [MXP-15.3].
    #[inline]
    pub(crate) fn bound(&mut self, remainder: usize) {
        while self.is_over(remainder) {
            if !self.overrun_one(remainder) {
                return;
            }
        }
    }

    /// Ends the stream whose chunks hold most, if all of them hold more than half.
    #[cold]
    fn overrun_one(&mut self, remainder: usize) -> bool {
        let most = self.session.limits().connection_bytes;
        let streams = &self.parts.streams;
        if streams.unread() <= self.backlog(remainder) / 2 {
            return false;
        }
        let Some((id, bytes)) = streams.largest() else {
            return false;
        };
        let text = format!("its unread chunks hold {bytes} bytes; the connection may hold {most}");
        let mut failure = Failure::saying(Kind::LimitConnectionBytes, text);
        failure.acted = true;
        // The session says the same, of a stream that has failed by then.
        self.parts.streams.with(id, |entry| entry.fail(failure));
        let _ = self.session.overrun_stream(id, self.time);
        true
    }

    /// Ends the session of a connection that holds too much. Returns whether it had not ended yet.
    pub(crate) fn overrun(&mut self) -> bool {
        let is_new = self.parts.ending.failure.is_none();
        if is_new {
            self.session.overrun(self.time);
        }
        is_new
    }

    /// Gives back memory that the session does not need.
    pub(crate) fn rest(&mut self) {
        self.session.rest();
        self.parts.calls.rest();
    }
}
