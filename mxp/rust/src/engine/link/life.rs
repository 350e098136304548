//! How a connection begins and ends.

use alloc::string::String;

use super::Link;
use crate::engine::driver::Driver;
use crate::engine::failure::lost_here;
use crate::engine::{Failure, Window};
use crate::session::{Kind, Stats, Status};

/// How a session has come to its end.
#[derive(Default, PartialEq, Eq)]
pub(crate) enum SessionEnd {
    #[default]
    Not,
    Finished,
    Failed,
}

impl<D: Driver> Link<D> {
    /// Lets so much be on its way on each stream that the peer opens.
    pub(crate) fn open_windows(&mut self, window: Window) {
        self.parts.streams.window = window;
    }

    /// The window of a stream that the peer opens.
    pub(crate) fn window(&self) -> Window {
        self.parts.streams.window
    }

    /// Whether requests can be made, or why they can't any more. Until then there is nothing.
    pub(crate) fn readiness(&self) -> Option<Result<(), Failure>> {
        match &self.parts.ending.failure {
            Some(failure) => Some(Err(failure.clone())),
            None if self.is_closed() => Some(Err(Failure::saying(Kind::Lost, lost_here()))),
            None => match self.session.may_ask() {
                Ok(()) => Some(Ok(())),
                Err(Kind::NotReady) => None,
                Err(_) => Some(Err(Failure::new(Status::OK, "", ""))), // it drains
            },
        }
    }

    /// Whether requests can be made.
    pub(crate) fn is_usable(&self) -> bool {
        let is_over = self.is_closed() || self.parts.ending.failure.is_some();
        !is_over && self.session.may_ask().is_ok()
    }

    /// How many requests are in flight, if more can be made.
    pub(crate) fn load(&self) -> Option<usize> {
        self.session.may_ask().ok()?;
        let (there, here) = self.session.in_flight();
        Some(there + here)
    }

    /// Whether requests are to be made on other connections, if there are enough [MXP-14.10].
    pub(crate) fn is_left_out(&self) -> bool {
        self.parts.outlier.is_left_out(|| self.driver.now())
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut stats = self.session.stats();
        stats.outliers = self.parts.outlier.times;
        stats
    }

    /// Tells the peer why it is not let in.
    pub(crate) fn reject(&mut self, failure: &Failure) {
        let now = self.now();
        self.session.reject(&failure.lent(), now);
    }

    /// Why the peer lets this side not in, if it has said nothing else.
    pub(crate) fn refusal(&self) -> Option<Failure> {
        let is_refused = self.parts.ending.is_unwanted && self.session.is_silent();
        self.ended().filter(|_| is_refused)
    }

    /// Notes that one side has refused the other's TLS.
    pub(crate) fn distrust(&mut self) {
        self.parts.ending.is_distrusted = true;
    }

    /// Whether one side has refused the other's TLS.
    pub(crate) fn is_distrusted(&self) -> bool {
        self.parts.ending.is_distrusted
    }

    /// Tells the session whether nothing is read by choice, for which the peer is not to
    /// blame.
    pub(crate) fn pause(&mut self, pauses: bool) {
        if pauses {
            self.session.pause(self.time);
        } else {
            self.session.resume(self.time);
        }
    }

    /// Notes that a write is blocked for too long.
    pub(crate) fn stall(&mut self) {
        self.session.stalled(self.time);
    }

    /// Notes that a blocked write goes on.
    pub(crate) fn moved(&mut self, now: u64) {
        let now = self.at(now);
        self.session.moved(now);
    }

    /// Makes and takes no new requests, and ends the session when what is in flight has
    /// ended.
    pub(crate) fn drain(&mut self, reason: &str) {
        let now = self.now();
        // A session that has ended is closed anyway, when the handlers of received events are done.
        let _ = self.session.drain(reason, now);
        self.lines.call_all();
    }

    /// How the session has come to its end.
    pub(crate) fn end(&self) -> SessionEnd {
        match &self.parts.ending.failure {
            Some(why) if why.status.0 != 0 => SessionEnd::Failed,
            None if !self.session.finished() => SessionEnd::Not,
            _ => SessionEnd::Finished,
        }
    }

    /// Why the session has ended, if it has.
    pub(crate) fn ended(&self) -> Option<Failure> {
        self.parts.ending.failure.clone()
    }

    /// Ends the session, since its socket has ended for this reason.
    pub(crate) fn lose(&mut self, cause: String) {
        self.parts.ending.cause = cause;
        self.session.lost();
    }

    /// Lets the connection be closed now.
    pub(crate) fn close(&mut self) {
        self.parts.ending.is_closed = true;
    }

    /// Whether the connection is to be closed now.
    pub(crate) fn is_closed(&self) -> bool {
        self.parts.ending.is_closed
    }

    /// Closes a connection whose task is done. Returns the bytes of values that nobody has taken,
    /// and the reason of the end.
    pub(crate) fn leave(&mut self) -> (usize, Option<Failure>) {
        self.close();
        (self.parts.streams.unread(), self.ended())
    }
}
