//! The state that a connection keeps of its streams.

use core::task::Waker;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use tokio::sync::Notify;

use crate::net::budget::ITEM_BYTES;
use crate::net::inbox::Inbox;
use crate::net::{Failure, Window};
use crate::session::{Chunks, Grant, Session, Status};

/// The bytes that the chunks of all streams of a connection hold and nobody has taken. They
/// are looked at and changed only where the connection's state is locked.
#[derive(Debug, Clone, Default)]
pub(super) struct Unread(Arc<AtomicUsize>);

impl Unread {
    pub(super) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, bytes: usize) {
        self.0.store(self.bytes() + bytes, Ordering::Relaxed);
    }

    fn sub(&self, bytes: usize) {
        self.0
            .store(self.bytes().saturating_sub(bytes), Ordering::Relaxed);
    }
}

/// The part of a stream that whoever has it keeps.
pub(crate) struct Hold {
    /// Something of the stream has changed.
    pub(crate) news: Arc<Notify>,
    pub(crate) window: Window,
}

/// The state that a connection keeps of a stream that somebody has.
pub(super) struct Entry {
    /// Chunks that came.
    inbox: Inbox,
    /// The bytes that they hold, and those of the ones that the receiver has moved away and may
    /// not have taken.
    unread: usize,
    lent: usize,
    total: Unread,
    /// The peer's direction has ended.
    pub(super) has_ended: bool,
    /// The stream has ended without both directions.
    pub(super) failure: Option<Failure>,
    /// The chunks and bytes that were taken since something was granted.
    pub(super) taken: Grant,
    window: Window,
    /// A chunk was sent, or something has come.
    pub(super) is_used: bool,
    /// Nobody has it any more. What still comes is taken and forgotten.
    pub(super) is_left: bool,
    /// The waker of the task that waits for a chunk: a stream has one receiver.
    pub(super) reader: Option<Waker>,
    /// Something of this has changed.
    news: Arc<Notify>,
}

impl Entry {
    pub(super) fn new(window: Window, total: &Unread) -> Self {
        Self {
            inbox: Inbox::default(),
            unread: 0,
            lent: 0,
            total: total.clone(),
            has_ended: false,
            failure: None,
            taken: Grant::default(),
            window,
            is_used: false,
            is_left: false,
            reader: None,
            news: Arc::default(),
        }
    }

    /// The part that whoever has the stream keeps.
    pub(super) fn hold(&self) -> Hold {
        Hold {
            news: Arc::clone(&self.news),
            window: self.window,
        }
    }

    /// Takes a chunk that came.
    pub(super) fn push(&mut self, value: &[u8], ack: Option<u64>, is_final: bool) {
        self.came(value.len() + ITEM_BYTES, is_final);
        self.inbox.push(value, ack);
        self.wake_reader();
    }

    /// Counts what came.
    fn came(&mut self, bytes: usize, is_final: bool) {
        self.unread += bytes;
        self.total.add(bytes);
        self.is_used = true;
        self.has_ended |= is_final;
    }

    /// Takes the chunks of a batch that came.
    pub(super) fn push_all(&mut self, chunks: &Chunks<'_>) {
        let records = chunks.records;
        let bytes = records.bytes() + records.len() * ITEM_BYTES;
        self.came(bytes, chunks.is_final);
        self.inbox.push_all(records, chunks.ack());
        self.wake_reader();
    }

    /// Gives all chunks to the receiver, who has taken those that it was given before.
    pub(super) fn lend(&mut self, inbox: &mut Inbox) {
        core::mem::swap(inbox, &mut self.inbox);
        self.total.sub(self.lent);
        self.lent = core::mem::take(&mut self.unread);
    }

    /// Takes back what the receiver has not taken.
    pub(super) fn take_back(&mut self, inbox: &mut Inbox) {
        inbox.append(&mut self.inbox);
        core::mem::swap(inbox, &mut self.inbox);
        self.unread += core::mem::take(&mut self.lent);
    }

    /// The bytes of its chunks that nobody has taken.
    pub(super) const fn held(&self) -> usize {
        self.unread + self.lent
    }

    pub(super) fn finish(&mut self) {
        self.is_used = true;
        self.has_ended = true;
        self.wake_reader();
    }

    pub(super) fn fail(&mut self, failure: Failure) {
        // Chunks that are too much are not kept to be taken later.
        if failure.status == Status::RESOURCE_EXHAUSTED {
            self.inbox = Inbox::default();
            self.total.sub(core::mem::take(&mut self.unread));
        }
        self.failure.get_or_insert(failure);
        self.wake_reader();
        self.news.notify_waiters();
    }

    fn wake_reader(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    /// More may be sent.
    pub(super) fn granted(&self) {
        self.news.notify_waiters();
    }

    /// Whether nobody has it and nothing can come.
    pub(super) const fn is_done(&self) -> bool {
        self.is_left && (self.has_ended || self.failure.is_some())
    }

    pub(super) const fn is_left(&self) -> bool {
        self.is_left
    }

    /// Takes all chunks out, and lets the peer send more.
    pub(super) fn forget(&mut self, session: &mut Session, id: u64, now: u64) {
        let (taken, ack) = self.inbox.clear();
        if taken.messages > 0 {
            self.taken.join(taken);
            self.took(ack, session, id, now);
        }
        self.total.sub(self.held());
        (self.unread, self.lent) = (0, 0);
    }

    /// Acknowledges what was taken, and lets the peer send more if that was much.
    pub(super) fn took(&mut self, ack: Option<u64>, session: &mut Session, id: u64, now: u64) {
        if let Some(number) = ack {
            // The stream may have ended.
            let _ = session.ack(id, number, now);
        }
        if self.window.is_much(self.taken) && !self.has_ended {
            let _ = session.grant(id, core::mem::take(&mut self.taken), now);
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.total.sub(self.held());
    }
}
