//! Streams.

use core::fmt;
use core::future::{poll_fn, Future};
use core::pin::Pin;
use core::task::{ready, Context, Poll};
use std::boxed::Box;
use std::sync::{Arc, Mutex, PoisonError};
use std::vec::Vec;

use crate::engine::inbox::{Inbox, InboxItem};
use crate::engine::link::Step;
use crate::net::connection::Connection;
use crate::net::Failure;
use crate::net::Window;
use crate::session::{Grant, Value};

mod again;
mod handle;
mod several;

pub(crate) use again::{Back, OpenFuture, OpenPlan, Opener};
pub(crate) use handle::{Handle, Subject};
pub use several::Chunks;

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
    reopened: Mutex<Option<ReopenFuture>>,
}

/// A stream that was opened anew.
type ReopenFuture = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send>>;

impl Stream {
    /// A stream of the peer's that is held.
    pub(crate) fn taken(
        connection: &Arc<Connection>,
        window: Window,
        id: u64,
        subject: Subject,
    ) -> Self {
        let handle = Handle::new(connection, id, subject, None, false);
        Self::of(handle, window)
    }

    /// A stream of this side's that is held, and may be opened anew.
    pub(crate) fn opened(
        connection: &Arc<Connection>,
        window: Window,
        id: u64,
        subject: Subject,
        back: Back<Handle>,
    ) -> Self {
        let handle = Handle::new(connection, id, subject, Some(back), true);
        Self::of(handle, window)
    }

    fn of(handle: Handle, window: Window) -> Self {
        let handle = Arc::new(handle);
        Self {
            sender: Sender {
                handle: Arc::clone(&handle),
            },
            receiver: Receiver {
                handle,
                inbox: Inbox::default(),
                taken: Grant::default(),
                window,
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
        // Mostly there is nothing to wait for.
        let sent = self
            .handle
            .now()
            .at_once(bytes, |attempt| attempt.send(&mut value));
        if sent {
            return Ok(());
        }
        // All else is kept out of the future, which is moved for every chunk.
        let sent = self.handle.until(bytes, |attempt| attempt.send(&mut value));
        Box::pin(sent).await
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
        let next = ready!(self.poll_next(context))?;
        Poll::Ready(Ok(next.map(InboxItem::into_vec)))
    }

    /// Takes the next chunk where it lies, if it is there.
    #[inline]
    pub(crate) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<InboxItem<'_>>, Failure>> {
        if !ready!(self.poll_some(context))? {
            return Poll::Ready(Ok(None));
        }
        let Self {
            handle,
            inbox,
            taken,
            window,
            ..
        } = self;
        let Some((value, ack)) = inbox.pop() else {
            return Poll::Ready(Ok(None));
        };
        taken.add(value.as_slice());
        if ack.is_some() || window.is_much(*taken) {
            tell(handle, taken, ack);
        }
        Poll::Ready(Ok(Some(value)))
    }

    /// Waits until there are chunks here. There are none behind the last.
    #[inline]
    fn poll_some(&mut self, context: &mut Context<'_>) -> Poll<Result<bool, Failure>> {
        while self.inbox.is_empty() {
            if !ready!(self.poll_more(context))? {
                return Poll::Ready(Ok(false));
            }
        }
        Poll::Ready(Ok(true))
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
        let step = here.attempt(|attempt| attempt.lend(inbox, context.waker()));
        match step {
            Step::Done(is_more) => Poll::Ready(Ok(is_more)),
            Step::Failed(failure) => Poll::Ready(Err(self.handle.explained(*failure))),
            Step::Missed(missed) => {
                let here = Arc::clone(here);
                *reopened = Some(Box::pin(async move { here.reopen(*missed).await }));
                Poll::Ready(Ok(true))
            }
            Step::News | Step::Room | Step::Turn => Poll::Pending,
        }
    }
}

/// Tells the peer what was taken.
fn tell(handle: &Arc<Handle>, grant: &mut Grant, ack: Option<u64>) {
    let grant = core::mem::take(grant);
    let _ = handle.now().attempt(|attempt| attempt.took(grant, ack));
}

impl Drop for Receiver {
    /// Gives back what nobody has taken.
    fn drop(&mut self) {
        let here = self.handle.now();
        let _ = here.attempt(|attempt| attempt.take_back(&mut self.inbox, self.taken));
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
