//! Streams.

use core::fmt;
use core::future::{poll_fn, Future as _};
use core::task::{Context, Poll};
use std::format;
use std::sync::Arc;
use std::vec::Vec;

use tokio::sync::Notify;

use crate::net::connection::{Connection, State};
use crate::net::entry::{Entry, Window};
use crate::net::failure::fail;
use crate::net::inbox::Inbox;
use crate::net::line::{InLine, Room};
use crate::net::wait::Wait;
use crate::net::Failure;
use crate::session::{Grant, Kind, Session, Status, Value};

/// A stream that somebody has. Without anybody who does, it ends.
pub(crate) struct Handle {
    connection: Arc<Connection>,
    id: u64,
    is_mine: bool,
    news: Arc<Notify>,
    subject: Subject,
}

/// What a stream is of, for those who are told that it failed.
pub(crate) struct Subject {
    /// The service's number.
    pub(crate) service: u16,
    pub(crate) method: u16,
    /// The method's name, if a client knows it. A server's are its services'.
    pub(crate) name: &'static str,
    /// How long there is.
    pub(crate) wait: Option<Wait>,
}

impl Handle {
    /// Waits until something of the stream can be done that queues so many bytes, or has
    /// failed.
    async fn until<T>(
        &self,
        bytes: usize,
        mut is_so: impl FnMut(&mut Session, &mut Entry, u64, bool) -> Step<T>,
    ) -> Result<T, Failure> {
        // Who finds it done needs no place among those who wait.
        match self.attempt_at_first(bytes, &mut is_so) {
            Step::Done(done) => return Ok(done),
            Step::Failed(failure) => return Err(self.explained(failure)),
            Step::Turn => tokio::task::yield_now().await,
            Step::News | Step::Room => {}
        }
        let mut line = InLine::new(&self.connection);
        loop {
            let news = self.news.notified();
            tokio::pin!(news);
            news.as_mut().enable();
            let step = poll_fn(|cx| {
                let polled = line.poll(cx, |state, ticket| {
                    let lets_on = state.lines.lets_on(Room::Bulk, ticket);
                    match self.attempt_in(state, lets_on, &mut is_so) {
                        Step::Room => Err(Room::Bulk),
                        step => Ok(step),
                    }
                });
                match polled {
                    // What has failed has no need of room.
                    Poll::Pending => news.as_mut().poll(cx).map(|()| Step::Turn),
                    step @ Poll::Ready(_) => step,
                }
            });
            match step.await {
                Step::Done(done) => return Ok(done),
                Step::Failed(failure) => return Err(self.explained(failure)),
                Step::News => news.await,
                Step::Turn | Step::Room => {}
            }
        }
    }

    /// Does something of the stream, if it can be done and the connection's task needs no
    /// turn.
    fn attempt_at_first<T>(
        &self,
        bytes: usize,
        is_so: &mut impl FnMut(&mut Session, &mut Entry, u64, bool) -> Step<T>,
    ) -> Step<T> {
        let mut state = self.connection.lock();
        if state.fills(bytes) {
            return Step::Turn;
        }
        let lets_on = state.lines.lets_on(Room::Bulk, None);
        self.attempt_in(&mut state, lets_on, is_so)
    }

    /// Does something of the stream that needs no room, if it can be done.
    fn attempt<T>(
        &self,
        mut is_so: impl FnMut(&mut Session, &mut Entry, u64) -> Step<T>,
    ) -> Step<T> {
        let mut state = self.connection.lock();
        self.attempt_in(&mut state, true, &mut |session, entry, now, _| {
            is_so(session, entry, now)
        })
    }

    #[inline]
    fn attempt_in<T>(
        &self,
        state: &mut State,
        lets_on: bool,
        is_so: &mut impl FnMut(&mut Session, &mut Entry, u64, bool) -> Step<T>,
    ) -> Step<T> {
        let now = state.moment(&self.connection);
        let State { session, desk, .. } = state;
        let was_empty = session.queue_bytes() == 0;
        let step = match desk.streams.get_mut(&self.id) {
            Some(entry) => is_so(session, entry, now, lets_on),
            None => Step::Failed(Failure::of(Kind::ExchangeEnded)),
        };
        if was_empty && session.queue_bytes() > 0 {
            self.connection.wake.notify_one();
        }
        step
    }
}

impl Handle {
    /// A failure of the stream, with what is known of that.
    #[cold]
    pub(crate) fn explained(&self, failure: Failure) -> Failure {
        let Subject {
            service,
            method,
            name,
            wait,
        } = self.subject;
        let failure = Wait::explained(wait, failure);
        let connection = &self.connection;
        if self.is_mine {
            let state = connection.lock();
            let service = state.desk.peer_services.get(service).unwrap_or_default();
            return failure.located(service, name, method, &connection.peer);
        }
        let (service, name) = connection.services.names(service, method);
        failure.located(service, name, method, &connection.peer)
    }

    /// Ends the stream for a value that is no value. What a server is to blame for is
    /// logged.
    pub(crate) fn refuse(&self, failure: &Failure) {
        if failure.status == Status::INTERNAL {
            let Subject {
                service, method, ..
            } = self.subject;
            let services = &self.connection.services;
            services.warn("a stream failed", service, method, failure);
        }

        let mut state = self.connection.lock();
        let now = state.time(self.connection.now());
        let State { session, desk, .. } = &mut *state;
        if let Some(entry) = desk.streams.get_mut(&self.id) {
            entry.fail(failure.clone());
        }
        // It may have ended.
        let _ = if self.is_mine {
            session.cancel(self.id, now)
        } else {
            fail(session, self.id, failure, now)
        };
        drop(state);
        self.connection.wake.notify_one();
    }

    /// Whether the stream was opened here.
    pub(crate) const fn is_mine(&self) -> bool {
        self.is_mine
    }
}

/// What came of an attempt.
enum Step<T> {
    Done(T),
    Failed(Failure),
    /// Something must come from the peer.
    News,
    /// There must be room in the queue.
    Room,
    /// The connection's task is to have its turn first.
    Turn,
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut state = self.connection.lock();
        let now = state.time(self.connection.now());
        let State { session, desk, .. } = &mut *state;
        if self.is_mine {
            desk.streams.remove(&self.id);
            // It may have ended.
            let _ = session.cancel(self.id, now);
        } else if let Some(entry) = desk.streams.get_mut(&self.id) {
            entry.is_left = true;
            entry.forget(session, self.id, now);
            if entry.is_done() {
                desk.streams.remove(&self.id);
            }
        }
        drop(state);
        self.connection.wake.notify_one();
    }
}

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
    /// What was taken of them, and the peer was not told of.
    taken: Grant,
    window: Window,
}

impl Stream {
    /// The stream of an entry that is there.
    pub(crate) fn new(
        connection: &Arc<Connection>,
        entry: &Entry,
        id: u64,
        is_mine: bool,
        subject: Subject,
    ) -> Self {
        let handle = Arc::new(Handle {
            connection: Arc::clone(connection),
            id,
            is_mine,
            news: Arc::clone(&entry.news),
            subject,
        });
        Self {
            sender: Sender {
                handle: Arc::clone(&handle),
            },
            receiver: Receiver {
                handle,
                inbox: Inbox::default(),
                taken: Grant::default(),
                window: entry.window,
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
        let id = self.handle.id;
        let bytes = value.as_slice().len();
        let sent = self.handle.until(bytes, |session, entry, now, lets_on| {
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
                    // What has no credit has no need of room, nor what has ended.
                    Err(Kind::StreamCredit) => return Step::News,
                    Err(_) => {}
                }
            }
            match session.chunk_of(id, false, false, &mut value, now) {
                Ok(_) => Step::Done(()),
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
        let handle = &self.handle;
        let mut state = handle.connection.lock();
        let now = state.time(handle.connection.now());
        let done = state.session.finish(handle.id, now);
        let failure = state.desk.streams.get(&handle.id);
        let failure = failure.and_then(|entry| entry.failure.clone());
        drop(state);
        handle.connection.wake.notify_one();
        done.map_err(|kind| handle.explained(failure.unwrap_or_else(|| Failure::of(kind))))
    }
}

/// Says that a chunk might never be granted [MXP-8.7].
fn over_window(bytes: usize, most: u64) -> Failure {
    let text = format!("a chunk of {bytes} bytes, where the receiver's window lets {most} through");
    let mut failure = Failure::saying(Kind::StreamWindow, text);
    failure.acted = true;
    failure
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
        if self.inbox.is_empty() {
            let Self { handle, inbox, .. } = self;
            let step = handle.attempt(|_, entry, _| {
                entry.lend(inbox);
                match &entry.failure {
                    _ if !inbox.is_empty() => Step::Done(()),
                    Some(failure) => Step::Failed(failure.clone()),
                    None if entry.has_ended => Step::Done(()),
                    None => {
                        entry.reader = Some(context.waker().clone());
                        Step::News
                    }
                }
            });
            match step {
                Step::Done(()) => {}
                Step::Failed(failure) => return Poll::Ready(Err(handle.explained(failure))),
                Step::News | Step::Room | Step::Turn => return Poll::Pending,
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

    /// Tells the peer what was taken.
    fn tell(&mut self, ack: Option<u64>) {
        let taken = core::mem::take(&mut self.taken);
        let id = self.handle.id;
        let _ = self.handle.attempt(|session, entry, now| {
            entry.taken.messages += taken.messages;
            entry.taken.bytes += taken.bytes;
            entry.took(ack, session, id, now);
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
        let _ = handle.attempt(|_, entry, _| {
            entry.take_back(inbox);
            entry.taken.messages += taken.messages;
            entry.taken.bytes += taken.bytes;
            Step::Done(())
        });
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({})", self.sender.handle.id)
    }
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sender({})", self.handle.id)
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Receiver({})", self.handle.id)
    }
}
