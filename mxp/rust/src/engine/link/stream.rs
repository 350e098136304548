//! The streams of a connection.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::task::Waker;

use crate::engine::budget::ITEM_BYTES;
use crate::engine::inbox::Inbox;
use crate::engine::{Failure, Window};
use crate::session::ring::Ring;
use crate::session::{Chunks, Grant, Session, Status};

/// The streams in use, apart for each side, and the bytes of their chunks.
#[derive(Default)]
pub(super) struct Streams {
    sides: [Ring<Box<Entry>>; 2],
    /// The bytes of chunks that nobody has taken.
    unread: usize,
    /// The first window of a stream that the peer opens.
    pub(super) window: Window,
}

/// The place of the side that makes requests with such an id.
const fn side(id: u64) -> usize {
    (id & 1) as usize
}

impl Streams {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.sides.iter().map(Ring::len).sum()
    }

    /// The bytes of chunks that nobody has taken.
    pub(super) const fn unread(&self) -> usize {
        self.unread
    }

    /// Keeps the chunks of a stream from now on; without a window none come, since its peer has
    /// ended its direction as it opened it.
    pub(super) fn open(&mut self, id: u64, window: Window) {
        let mut entry = Entry::new(window);
        entry.has_ended = window.messages == 0;
        self.remove(id);
        self.sides[side(id)].put(id, Box::new(entry));
    }

    /// Whether there is a stream.
    pub(super) fn get(&self, id: u64) -> Option<&Entry> {
        self.sides[side(id)].get(id).map(|entry| &**entry)
    }

    /// A stream, and the bytes of chunks that nobody has taken: who changes what the stream holds
    /// changes these.
    #[inline]
    pub(super) fn entry(&mut self, id: u64) -> Option<(&mut Entry, &mut usize)> {
        let entry = self.sides[side(id)].get_mut(id)?;
        Some((&mut **entry, &mut self.unread))
    }

    /// Does something of a stream, which may change what it holds.
    pub(super) fn with<R>(&mut self, id: u64, change: impl FnOnce(&mut Entry) -> R) -> Option<R> {
        let entry = self.sides[side(id)].get_mut(id)?;
        let before = entry.held();
        let result = change(entry);
        self.unread = self.unread - before + entry.held();
        Some(result)
    }

    pub(super) fn remove(&mut self, id: u64) -> Option<Box<Entry>> {
        let entry = self.sides[side(id)].remove(id)?;
        self.unread -= entry.held();
        Some(entry)
    }

    /// The stream that has not failed and whose chunks hold most, and how much.
    pub(super) fn largest(&self) -> Option<(u64, usize)> {
        let all = self.sides.iter().flat_map(Ring::entries);
        let live = all.filter(|(_, entry)| entry.failure.is_none());
        live.map(|(id, entry)| (id, entry.held()))
            .max_by_key(|(_, bytes)| *bytes)
    }
}

/// The state that a connection keeps of a stream that somebody has.
pub(super) struct Entry {
    /// Chunks that came.
    inbox: Inbox,
    /// The bytes of chunks in the inbox, and of lent chunks that the receiver may not have taken.
    unread: usize,
    lent: usize,
    /// The peer's direction has ended.
    pub(super) has_ended: bool,
    /// The stream has ended without both directions.
    pub(super) failure: Option<Failure>,
    /// The chunks and bytes that were taken since something was granted.
    pub(super) taken: Grant,
    window: Window,
    /// A chunk was sent, or something has come.
    pub(super) is_used: bool,
    /// Nobody has it any more: chunks that still come are taken and forgotten.
    pub(super) is_left: bool,
    /// The waker of the task that waits for a chunk: a stream has one receiver.
    pub(super) reader: Option<Waker>,
    /// The wakers of writers without credit, by the numbers of their watches.
    writers: Vec<(u64, Waker)>,
    watches: u64,
}

impl Entry {
    fn new(window: Window) -> Self {
        Self {
            inbox: Inbox::default(),
            unread: 0,
            lent: 0,
            has_ended: false,
            failure: None,
            taken: Grant::default(),
            window,
            is_used: false,
            is_left: false,
            reader: None,
            writers: Vec::new(),
            watches: 0,
        }
    }

    pub(super) const fn window(&self) -> Window {
        self.window
    }

    /// Takes a chunk that came. Returns how many bytes more it holds.
    pub(super) fn push(&mut self, value: &[u8], ack: Option<u64>, is_final: bool) -> usize {
        let bytes = value.len() + ITEM_BYTES;
        self.count(bytes, is_final);
        self.inbox.push(value, ack);
        self.wake_reader();
        bytes
    }

    /// Takes the chunks of a batch that came. Returns how many bytes more it holds.
    pub(super) fn push_all(&mut self, chunks: &Chunks<'_>) -> usize {
        let records = chunks.records;
        let bytes = records.bytes() + records.len() * ITEM_BYTES;
        self.count(bytes, chunks.is_final);
        self.inbox.push_all(records, chunks.ack());
        self.wake_reader();
        bytes
    }

    fn count(&mut self, bytes: usize, is_final: bool) {
        self.unread += bytes;
        self.is_used = true;
        self.has_ended |= is_final;
    }

    /// Gives all chunks to the receiver, which has taken all that it was given before. Returns how
    /// many bytes less it holds.
    pub(super) fn lend(&mut self, inbox: &mut Inbox) -> usize {
        core::mem::swap(inbox, &mut self.inbox);
        core::mem::replace(&mut self.lent, core::mem::take(&mut self.unread))
    }

    /// Takes back what the receiver has not taken.
    pub(super) fn take_back(&mut self, inbox: &mut Inbox) {
        inbox.append(&mut self.inbox);
        core::mem::swap(inbox, &mut self.inbox);
        self.unread += core::mem::take(&mut self.lent);
    }

    /// The bytes of its chunks that nobody has taken.
    const fn held(&self) -> usize {
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
            self.unread = 0;
        }
        self.failure.get_or_insert(failure);
        self.wake_reader();
        self.wake_writers();
    }

    fn wake_reader(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    /// Has somebody woken when more may be sent, or the stream has failed, in place of a watch
    /// before. Returns the number of the watch.
    pub(super) fn watch(&mut self, previous: Option<u64>, waker: &Waker) -> u64 {
        if let Some(number) = previous {
            self.unwatch(number);
        }
        self.watches += 1;
        self.writers.push((self.watches, waker.clone()));
        self.watches
    }

    /// Ends a watch.
    pub(super) fn unwatch(&mut self, number: u64) {
        self.writers.retain(|(n, _)| *n != number);
    }

    /// Wakes the writers without credit: more may be sent.
    pub(super) fn wake_writers(&mut self) {
        self.writers.drain(..).for_each(|(_, waker)| waker.wake());
    }

    /// Whether nobody has it and nothing can come.
    pub(super) const fn is_done(&self) -> bool {
        self.is_left && (self.has_ended || self.failure.is_some())
    }

    /// Takes all chunks out, and lets the peer send more.
    pub(super) fn forget(&mut self, session: &mut Session, id: u64, now: u64) {
        let (taken, ack) = self.inbox.clear();
        if taken.messages > 0 {
            self.taken.join(taken);
            self.took(ack, session, id, now);
        }
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
