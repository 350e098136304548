//! Streams, as those use them who have them.

use alloc::boxed::Box;
use core::task::Waker;

use super::stream::Entry;
use super::Link;
use crate::engine::driver::Driver;
use crate::engine::failure::{fail, over_window};
use crate::engine::inbox::Inbox;
use crate::engine::line::{Lines, Room, Ticket};
use crate::engine::packed_values::PackedValues;
use crate::engine::repeat::FailedAttempt;
use crate::engine::{Failure, Window};
use crate::session::{Grant, Kind, Session, Value};

/// The state that an attempt has to do with.
pub(crate) struct Attempt<'a> {
    session: &'a mut Session,
    entry: &'a mut Entry,
    /// The bytes of chunks of all streams that nobody has taken.
    unread: &'a mut usize,
    lines: &'a Lines,
    id: u64,
    now: u64,
    /// How many chunks it has sent.
    sent: u64,
    /// The place in the line for bulk's room.
    ticket: Option<Ticket>,
}

/// The outcome of an attempt. It is moved for each chunk, and failures are large.
pub(crate) enum Step<T> {
    Done(T),
    Failed(Box<Failure>),
    /// The stream has failed, and can be opened anew.
    Missed(Box<FailedAttempt>),
    /// Something must come from the peer.
    News,
    /// There must be room in the queue.
    Room,
    /// The connection's task is to have its turn first.
    Turn,
}

impl<T> Step<T> {
    #[cold]
    fn failed(failure: Failure) -> Self {
        Self::Failed(Box::new(failure))
    }
}

/// An attempt that was made.
pub(crate) struct Outcome<T> {
    pub(crate) step: Step<T>,
    /// How many chunks were sent by it.
    pub(crate) sent: u64,
    /// Something was sent on the stream, or has come.
    pub(crate) is_used: bool,
    /// Something was queued where nothing waited.
    pub(crate) is_queued: bool,
}

impl<D: Driver> Link<D> {
    /// The window of a stream.
    pub(crate) fn stream_window(&self, id: u64) -> Window {
        let entry = self.parts.streams.get(id);
        entry.map_or_else(Window::default, Entry::window)
    }

    /// Has somebody woken when more may be sent on a stream, or it has failed, in place of a watch
    /// before. Returns the number of the watch.
    pub(crate) fn watch_stream(
        &mut self,
        id: u64,
        previous: Option<u64>,
        waker: &Waker,
    ) -> Option<u64> {
        let (entry, _) = self.parts.streams.entry(id)?;
        Some(entry.watch(previous, waker))
    }

    /// Ends a watch of a stream.
    pub(crate) fn unwatch_stream(&mut self, id: u64, number: u64) {
        if let Some((entry, _)) = self.parts.streams.entry(id) {
            entry.unwatch(number);
        }
    }

    /// Does something of a stream, if it can be done.
    #[inline]
    pub(crate) fn attempt<T>(
        &mut self,
        id: u64,
        ticket: Option<Ticket>,
        is_so: impl FnOnce(&mut Attempt<'_>) -> Step<T>,
    ) -> Outcome<T> {
        let now = self.moment();
        let was_empty = !self.has_more();
        let (step, sent, is_used) = match self.parts.streams.entry(id) {
            Some((entry, unread)) => {
                let mut attempt = Attempt {
                    session: &mut self.session,
                    entry,
                    unread,
                    lines: &self.lines,
                    id,
                    now,
                    sent: 0,
                    ticket,
                };
                let step = is_so(&mut attempt);
                (step, attempt.sent, attempt.entry.is_used)
            }
            None => (Step::failed(Failure::of(Kind::ExchangeEnded)), 0, false),
        };
        Outcome {
            step,
            sent,
            is_used,
            is_queued: was_empty && self.has_more(),
        }
    }

    /// Whether a stream that was opened here can be opened anew behind a failure [MXP-14.6]:
    /// while nothing was sent on it, and nothing has come.
    pub(crate) fn missed(&self, id: u64, failure: Failure) -> FailedAttempt {
        let entry = self.parts.streams.get(id);
        if entry.is_some_and(|entry| !entry.is_used) {
            return FailedAttempt::on(failure, self.session.may_ask().is_ok());
        }
        failure.into()
    }

    /// Ends this side's direction of a stream.
    pub(crate) fn finish_stream(&mut self, id: u64) -> Result<(), Failure> {
        let now = self.now();
        self.session.finish(id, now).map_err(|kind| {
            let entry = self.parts.streams.get(id);
            let failure = entry.and_then(|entry| entry.failure.clone());
            failure.unwrap_or_else(|| Failure::of(kind))
        })
    }

    /// Ends a stream for a value that is no value. A stream of this side's is cancelled.
    pub(crate) fn refuse_stream(&mut self, id: u64, failure: &Failure, is_mine: bool) {
        let now = self.now();
        self.parts.streams.with(id, |entry| {
            entry.is_used = true;
            entry.fail(failure.clone());
        });
        // It may have ended.
        let _ = if is_mine {
            self.session.cancel(id, now)
        } else {
            fail(&mut self.session, id, failure, now)
        };
    }

    /// Cancels a stream that was opened here. Returns how it was over, if it was before.
    pub(crate) fn cancel_stream(&mut self, id: u64) -> Option<Result<(), Failure>> {
        let now = self.now();
        let entry = self.parts.streams.remove(id);
        let is_over = self.session.cancel(id, now).is_err();
        match entry?.failure.take() {
            Some(failure) => Some(Err(failure)),
            None => is_over.then_some(Ok(())),
        }
    }

    /// Leaves a stream of the peer's, whose chunks are taken and forgotten until it ends.
    pub(crate) fn leave_stream(&mut self, id: u64) {
        self.parts.streams.with(id, |entry| entry.is_left = true);
        self.forget_chunks(id);
    }

    /// Takes what came on a stream that nobody has.
    pub(crate) fn forget_chunks(&mut self, id: u64) {
        let now = self.now();
        let session = &mut self.session;
        let is_done = self.parts.streams.with(id, |entry| {
            entry.forget(session, id, now);
            entry.is_done()
        });
        if is_done == Some(true) {
            self.parts.streams.remove(id);
        }
    }
}

impl Attempt<'_> {
    /// Sends a chunk.
    pub(crate) fn send(&mut self, value: &mut Value<'_>) -> Step<()> {
        if let Some(failure) = &self.entry.failure {
            return Step::failed(failure.clone());
        }
        let has_turn = self.lines.lets_on(Room::Bulk, self.ticket);
        if has_turn && self.session.join_chunk(self.id, value.as_slice()) {
            self.entry.is_used = true;
            self.sent += 1;
            return Step::Done(());
        }
        let bytes = value.as_slice().len();
        if let Some(most) = self.session.largest_chunk(self.id) {
            if bytes as u64 > most {
                return Step::failed(over_window(bytes, most));
            }
        }
        if let Some(step) = self.lacks(bytes) {
            return step;
        }
        let sent = self
            .session
            .chunk_of(self.id, false, false, value, self.now);
        self.has_sent(sent.map(|_| 1))
    }

    /// Sends as many chunks as can be, and at least one.
    pub(crate) fn send_some(&mut self, pulled: &mut PackedValues) -> Step<()> {
        if let Some(failure) = &self.entry.failure {
            return Step::failed(failure.clone());
        }
        let bytes = pulled.first_bytes();
        let most = self.session.largest_chunk(self.id).unwrap_or(u64::MAX);
        if bytes as u64 > most {
            return Step::failed(over_window(bytes, most));
        }
        if let Some(step) = self.lacks(bytes) {
            return step;
        }
        let (sent, rest) =
            pulled.take(|values| self.session.chunks(self.id, values, most, self.now));
        // The next attempt finds the reason that has kept the rest back.
        match rest {
            Err(kind) if sent == 0 => self.has_sent(Err(kind)),
            _ => self.has_sent(Ok(sent)),
        }
    }

    /// The thing that a chunk of so many bytes has to wait for.
    fn lacks(&mut self, bytes: usize) -> Option<Step<()>> {
        if self.lines.lets_on(Room::Bulk, self.ticket) && Room::Bulk.is_in(self.session) {
            return None;
        }
        match self.session.may_chunk(self.id, bytes) {
            Ok(()) | Err(Kind::LimitQueueBytes) => Some(Step::Room),
            // A stream without credit has no need of room, nor has one that has ended.
            Err(Kind::StreamCredit) => Some(Step::News),
            Err(_) => None,
        }
    }

    /// The outcome of chunks that were sent, or refused.
    fn has_sent(&mut self, result: Result<usize, Kind>) -> Step<()> {
        match result {
            Ok(count) => {
                self.entry.is_used = true;
                self.sent += count as u64;
                Step::Done(())
            }
            Err(Kind::StreamCredit) => Step::News,
            Err(Kind::LimitQueueBytes) => Step::Room,
            Err(kind) => {
                let mut failure = Failure::refusing(kind, self.session);
                failure.acted = true;
                Step::failed(failure)
            }
        }
    }

    /// Gives all chunks that came to the receiver, which has taken all earlier ones. Returns
    /// whether there are any: there are none behind the last.
    pub(crate) fn lend(&mut self, inbox: &mut Inbox, waker: &Waker) -> Step<bool> {
        let entry = &mut *self.entry;
        *self.unread -= entry.lend(inbox);
        match &entry.failure {
            _ if !inbox.is_empty() => Step::Done(true),
            Some(failure) => Step::failed(failure.clone()),
            None if entry.has_ended => Step::Done(false),
            None => {
                entry.reader = Some(waker.clone());
                Step::News
            }
        }
    }

    /// Tells the peer what the receiver has taken, and acknowledges the last of it.
    pub(crate) fn took(&mut self, grant: Grant, ack: Option<u64>) -> Step<()> {
        self.count(grant);
        self.entry.took(ack, self.session, self.id, self.now);
        Step::Done(())
    }

    /// Takes back the chunks that the receiver was given and has not taken.
    pub(crate) fn take_back(&mut self, inbox: &mut Inbox, grant: Grant) -> Step<()> {
        self.entry.take_back(inbox);
        self.count(grant);
        Step::Done(())
    }

    fn count(&mut self, grant: Grant) {
        self.entry.taken.join(grant);
    }
}
