//! Streams.

use core::fmt;
use core::future::{poll_fn, Future};
use core::pin::Pin;
use core::task::{ready, Context, Poll};
use std::boxed::Box;
use std::sync::{Arc, Mutex, PoisonError};
use std::vec::Vec;

use crate::net::connection::Connection;
use crate::net::entry::Entry;
use crate::net::failure::over_window;
use crate::net::inbox::Inbox;
use crate::net::line::Room;
use crate::net::Failure;
use crate::net::Window;
use crate::session::{Grant, Kind, Value};

mod again;
mod handle;

pub(crate) use again::{Back, Opened, Opener, Opening};
pub(crate) use handle::{Handle, Subject};

use handle::Step;

/// A stream: chunks in both directions.
pub struct Stream {
    /// To the peer.
    pub sender: Sender,
    /// From the peer.
    pub receiver: Receiver,
}

/// The direction of a stream to the peer. When both directions are dropped, a stream
/// that was opened here is cancelled, unless both have ended.
pub struct Sender {
    pub(crate) handle: Arc<Handle>,
}

/// The direction of a stream from the peer.
pub struct Receiver {
    pub(crate) handle: Arc<Handle>,
    /// Chunks that were moved here all at once.
    inbox: Inbox,
    /// The chunks and bytes that were taken of them, and the peer was not told of.
    taken: Grant,
    window: Window,
    /// The stream, while it is opened anew.
    reopened: Mutex<Option<Reopened>>,
}

/// A stream that was opened anew.
type Reopened = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send>>;

impl Stream {
    /// A stream of the peer's that has an entry.
    pub(crate) fn taken(
        connection: &Arc<Connection>,
        entry: &Entry,
        id: u64,
        subject: Subject,
    ) -> Self {
        let handle = Handle::new(connection, entry, id, subject, None, false);
        Self::of(handle, entry)
    }

    /// A stream of this side's that has an entry, and may be opened anew.
    pub(crate) fn opened(
        connection: &Arc<Connection>,
        entry: &Entry,
        id: u64,
        subject: Subject,
        back: Back<Handle>,
    ) -> Self {
        let handle = Handle::new(connection, entry, id, subject, Some(back), true);
        Self::of(handle, entry)
    }

    fn of(handle: Handle, entry: &Entry) -> Self {
        let handle = Arc::new(handle);
        Self {
            sender: Sender {
                handle: Arc::clone(&handle),
            },
            receiver: Receiver {
                handle,
                inbox: Inbox::default(),
                taken: Grant::default(),
                window: entry.window,
                reopened: Mutex::default(),
            },
        }
    }

    /// Sends a chunk, as [`Sender::send`] does.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub async fn send(&self, value: impl Into<Value<'static>>) -> Result<(), Failure> {
        self.sender.send(value).await
    }

    /// Receives a chunk, as [`Receiver::receive`] does.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub async fn receive(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        self.receiver.receive().await
    }

    /// Ends this direction, as [`Sender::finish`] does.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub fn finish(&self) -> Result<(), Failure> {
        self.sender.finish()
    }
}

impl Sender {
    /// Sends a chunk, as soon as the receiver lets it be sent.
    ///
    /// # Errors
    ///
    /// Why the stream has ended; or `stream_window` for a chunk that is larger than the
    /// receiver's window lets through, and then the stream goes on.
    pub async fn send(&self, value: impl Into<Value<'static>>) -> Result<(), Failure> {
        let mut value = value.into();
        let bytes = value.as_slice().len();
        let sent = self.handle.until(bytes, |attempt| {
            let (id, now, lets_on) = (attempt.id, attempt.now, attempt.lets_on);
            let (session, entry) = (&mut *attempt.session, &mut *attempt.entry);
            if let Some(failure) = &entry.failure {
                return Step::Failed(failure.clone());
            }
            if let Some(most) = session.largest_chunk(id) {
                if bytes as u64 > most {
                    return Step::Failed(over_window(bytes, most));
                }
            }
            if !lets_on || !Room::Bulk.is_in(session) {
                match session.may_chunk(id, bytes) {
                    Ok(()) | Err(Kind::LimitQueueBytes) => return Step::Room,
                    // A stream without credit has no need of room, nor has one that has ended.
                    Err(Kind::StreamCredit) => return Step::News,
                    Err(_) => {}
                }
            }
            match session.chunk_of(id, false, false, &mut value, now) {
                Ok(_) => {
                    entry.is_used = true;
                    Step::Done(())
                }
                Err(Kind::StreamCredit) => Step::News,
                Err(Kind::LimitQueueBytes) => Step::Room,
                Err(kind) => {
                    let mut failure = Failure::refusing(kind, session);
                    failure.acted = true;
                    Step::Failed(failure)
                }
            }
        });
        sent.await
    }

    /// Ends this direction.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub fn finish(&self) -> Result<(), Failure> {
        self.handle.finish()
    }
}

impl Receiver {
    /// Receives the next chunk; none if the peer's direction has ended.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub async fn receive(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        poll_fn(|context| self.poll_receive(context)).await
    }

    /// Receives the next chunk if it is there, as [`Receiver::receive`] does.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub fn poll_receive(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Vec<u8>>, Failure>> {
        while self.inbox.is_empty() {
            if !ready!(self.poll_more(context))? {
                return Poll::Ready(Ok(None));
            }
        }
        let Some((value, ack)) = self.inbox.pop() else {
            return Poll::Ready(Ok(None));
        };
        self.taken.add(&value);
        if ack.is_some() || self.window.is_much(self.taken) {
            self.tell(ack);
        }
        Poll::Ready(Ok(Some(value)))
    }

    /// Waits until there are chunks. There are none behind the last.
    fn poll_more(&mut self, context: &mut Context<'_>) -> Poll<Result<bool, Failure>> {
        let reopened = self.reopened.get_mut();
        let reopened = reopened.unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = reopened {
            let opened = ready!(opened.as_mut().poll(context));
            *reopened = None;
            return Poll::Ready(opened.map(|()| true));
        }
        let (here, inbox) = (self.handle.now(), &mut self.inbox);
        let step = here.attempt(|attempt| {
            let entry = &mut *attempt.entry;
            entry.lend(inbox);
            match &entry.failure {
                _ if !inbox.is_empty() => Step::Done(true),
                Some(failure) => Step::Failed(failure.clone()),
                None if entry.has_ended => Step::Done(false),
                None => {
                    entry.reader = Some(context.waker().clone());
                    Step::News
                }
            }
        });
        match step {
            Step::Done(is_more) => Poll::Ready(Ok(is_more)),
            Step::Failed(failure) => Poll::Ready(Err(self.handle.explained(failure))),
            Step::Missed(missed) => {
                let here = Arc::clone(here);
                *reopened = Some(Box::pin(async move { here.reopen(missed).await }));
                Poll::Ready(Ok(true))
            }
            Step::News | Step::Room | Step::Turn => Poll::Pending,
        }
    }

    /// Tells the peer what was taken.
    fn tell(&mut self, ack: Option<u64>) {
        let taken = core::mem::take(&mut self.taken);
        let _ = self.handle.now().attempt(|attempt| {
            let entry = &mut *attempt.entry;
            entry.taken.messages += taken.messages;
            entry.taken.bytes += taken.bytes;
            entry.took(ack, attempt.session, attempt.id, attempt.now);
            Step::Done(())
        });
    }
}

impl Drop for Receiver {
    /// Gives back what nobody has taken.
    fn drop(&mut self) {
        let Self {
            handle,
            inbox,
            taken,
            ..
        } = self;
        let _ = handle.now().attempt(|attempt| {
            let entry = &mut *attempt.entry;
            entry.take_back(inbox);
            entry.taken.messages += taken.messages;
            entry.taken.bytes += taken.bytes;
            Step::Done(())
        });
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({})", self.sender.handle.now().id())
    }
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sender({})", self.handle.now().id())
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Receiver({})", self.handle.now().id())
    }
}
