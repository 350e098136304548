//! A stream, as both of its directions share it.

use core::future::poll_fn;
use core::task::Poll;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use super::again::{Back, Comeback};
use crate::engine::line::{Room, Ticket};
use crate::engine::link::{Attempt, Step};
use crate::engine::repeat::{Again, FailedAttempt};
use crate::net::connection::{Connection, LinePlace, State};
use crate::net::metrics::RequestMeter;
use crate::net::wait::Wait;
use crate::net::Failure;
use crate::session::{Kind, Status};

/// A stream that somebody has. Without anybody who does, it ends.
pub(crate) struct Handle {
    connection: Arc<Connection>,
    id: u64,
    is_mine: bool,
    subject: Subject,
    /// How it can be opened anew.
    again: Option<Comeback<Self>>,
    /// How many chunks were sent. It is changed only where the connection's state is locked.
    sent: AtomicU64,
}

/// The method of a stream, for messages about its failure.
pub(crate) struct Subject {
    /// The service's number.
    pub(crate) service: u16,
    pub(crate) method: u16,
    /// The method's name, if a client knows it. A server's are its services'.
    pub(crate) name: &'static str,
    /// The time that is left.
    pub(crate) wait: Option<Wait>,
}

impl Handle {
    /// A stream. A stream of this side's may say how it is opened again.
    pub(super) fn new(
        connection: &Arc<Connection>,
        id: u64,
        subject: Subject,
        back: Option<Back<Self>>,
        is_mine: bool,
    ) -> Self {
        Self {
            connection: Arc::clone(connection),
            id,
            is_mine,
            subject,
            again: back.map(Comeback::new),
            sent: AtomicU64::new(0),
        }
    }

    /// The stream as it is now: it may have been opened anew.
    pub(super) fn now(self: &Arc<Self>) -> &Arc<Self> {
        let mut now = self;
        while let Some(next) = now.again.as_ref().and_then(Comeback::next) {
            now = next;
        }
        now
    }

    /// Counts the stream until it is over.
    pub(crate) fn measure(self: &Arc<Self>, measured: RequestMeter) {
        if let Some(again) = &self.now().again {
            again.measure(measured);
        }
    }

    pub(super) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    pub(super) const fn id(&self) -> u64 {
        self.id
    }

    /// Waits until something of the stream can be done that queues so many bytes, or has
    /// failed.
    pub(super) async fn until<T>(
        self: &Arc<Self>,
        bytes: usize,
        mut is_so: impl FnMut(&mut Attempt<'_>) -> Step<T>,
    ) -> Result<T, Failure> {
        loop {
            let here = self.now();
            match here.until_here(bytes, &mut is_so).await {
                Ok(done) => return Ok(done),
                Err(missed) if missed.again == Again::Never => {
                    return Err(here.explained_here(missed.failure));
                }
                Err(missed) => std::boxed::Box::pin(here.reopen(missed)).await?,
            }
        }
    }

    async fn until_here<T>(
        &self,
        bytes: usize,
        is_so: &mut impl FnMut(&mut Attempt<'_>) -> Step<T>,
    ) -> Result<T, FailedAttempt> {
        // A task that finds it done needs no place among the waiters.
        match self.attempt_at_first(bytes, is_so) {
            Step::Done(done) => return Ok(done),
            Step::Failed(failure) => return Err((*failure).into()),
            Step::Missed(missed) => return Err(*missed),
            Step::Turn => tokio::task::yield_now().await,
            Step::News | Step::Room => {}
        }
        let mut watch = Watch {
            handle: self,
            number: None,
        };
        let mut line = LinePlace::new(&self.connection);
        let step = poll_fn(|cx| {
            let polled = line.poll(cx, |state, ticket| {
                let step = self.attempt_in(state, ticket, &mut *is_so);
                if matches!(step, Step::Room | Step::News) {
                    // A stream that has failed has no need of room.
                    watch.number = state.watch_stream(self.id, watch.number, cx.waker());
                }
                match step {
                    Step::Room => Err(Room::Bulk),
                    step => Ok(step),
                }
            });
            match polled {
                Poll::Ready(Step::News) => Poll::Pending,
                polled => polled,
            }
        });
        match step.await {
            Step::Done(done) => Ok(done),
            Step::Failed(failure) => Err((*failure).into()),
            Step::Missed(missed) => Err(*missed),
            // The remaining steps have to wait.
            Step::News | Step::Room | Step::Turn => Err(Failure::of(Kind::ExchangeEnded).into()),
        }
    }

    /// Whether something of the stream could be done that queues so many bytes, for which
    /// nothing has to be waited for.
    #[inline]
    pub(super) fn at_once(
        &self,
        bytes: usize,
        is_so: impl FnOnce(&mut Attempt<'_>) -> Step<()>,
    ) -> bool {
        let mut state = self.connection.lock();
        if state.fills(bytes) {
            return false;
        }
        matches!(self.attempt_in(&mut state, None, is_so), Step::Done(()))
    }

    /// Does something of the stream, if it can be done and the connection's task needs no
    /// turn.
    fn attempt_at_first<T>(
        &self,
        bytes: usize,
        is_so: &mut impl FnMut(&mut Attempt<'_>) -> Step<T>,
    ) -> Step<T> {
        let mut state = self.connection.lock();
        if state.fills(bytes) {
            return Step::Turn;
        }
        self.attempt_in(&mut state, None, is_so)
    }

    /// Does something of the stream that needs no room, if it can be done.
    pub(super) fn attempt<T>(&self, is_so: impl FnOnce(&mut Attempt<'_>) -> Step<T>) -> Step<T> {
        let mut state = self.connection.lock();
        self.attempt_in(&mut state, None, is_so)
    }

    #[inline]
    fn attempt_in<T>(
        &self,
        state: &mut State,
        ticket: Option<Ticket>,
        is_so: impl FnOnce(&mut Attempt<'_>) -> Step<T>,
    ) -> Step<T> {
        let tried = state.attempt(self.id, ticket, is_so);
        if let Some(again) = self.again.as_ref().filter(|_| tried.is_used) {
            again.forget();
        }
        if tried.sent > 0 {
            self.sent.store(self.sent() + tried.sent, Ordering::Relaxed);
        }
        if tried.is_queued {
            self.connection.wake.notify_one();
        }
        match tried.step {
            Step::Failed(failure) => match self.missed(state, *failure) {
                missed if missed.again == Again::Never => Step::Failed(missed.failure.into()),
                missed => Step::Missed(missed.into()),
            },
            step => step,
        }
    }

    /// Whether the stream can be opened anew behind a failure.
    #[cold]
    fn missed(&self, state: &State, failure: Failure) -> FailedAttempt {
        match &self.again {
            Some(_) => state.missed(self.id, failure),
            None => failure.into(),
        }
    }

    /// Opens the stream anew, of which an attempt was missed.
    pub(super) async fn reopen(&self, missed: FailedAttempt) -> Result<(), Failure> {
        let Some(again) = &self.again else {
            return Err(self.explained_here(missed.failure));
        };
        let next = again.open(missed).await;
        let next = next.map_err(|failure| self.explained_here(failure))?;
        let has_ended = {
            // A task that ends this direction from now on finds the new one.
            let _state = self.connection.lock();
            again.has_ended()
        };
        if let Some(measured) = again.measured() {
            next.measure(measured);
        }
        if has_ended {
            // It may have been opened so.
            let _ = next.finish();
        }
        Ok(())
    }

    /// Ends this direction.
    pub(super) fn finish(self: &Arc<Self>) -> Result<(), Failure> {
        loop {
            let here = self.now();
            let mut state = here.connection.lock();
            if let Some(again) = &here.again {
                if again.next().is_some() {
                    continue;
                }
                again.end();
            }
            let done = state.finish_stream(here.id);
            let missed = done.err().map(|failure| here.missed(&state, failure));
            drop(state);
            here.connection.wake.notify_one();
            return match missed {
                // A stream that is opened anew has this direction's end.
                Some(missed) if missed.again == Again::Never => {
                    Err(here.explained_here(missed.failure))
                }
                _ => Ok(()),
            };
        }
    }
}

impl Handle {
    /// A failure of the stream, with its method, its address and its time.
    #[cold]
    pub(crate) fn explained(self: &Arc<Self>, failure: Failure) -> Failure {
        self.now().explained_here(failure)
    }

    #[cold]
    fn explained_here(&self, failure: Failure) -> Failure {
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
            let service = state.peer_service(service);
            return failure.located(service, name, method, &connection.remote.peer.address);
        }
        let (service, name) = connection.methods.names(service, method);
        failure.located(service, name, method, &connection.remote.peer.address)
    }

    /// Ends the stream for a value that is no value. A server's own mistake is logged.
    pub(crate) fn refuse(self: &Arc<Self>, failure: &Failure) {
        let here = self.now();
        if failure.status == Status::INTERNAL {
            let Subject {
                service, method, ..
            } = here.subject;
            let methods = &here.connection.methods;
            methods.warn("a stream failed", service, method, failure);
        }
        let mut state = here.connection.lock();
        state.refuse_stream(here.id, failure, here.is_mine);
        drop(state);
        here.connection.wake.notify_one();
    }

    /// Whether the stream was opened here.
    pub(crate) const fn is_mine(&self) -> bool {
        self.is_mine
    }
}

/// Somebody who waits for credit, once there is none.
struct Watch<'a> {
    handle: &'a Handle,
    number: Option<u64>,
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            let mut state = self.handle.connection.lock();
            state.unwatch_stream(self.handle.id, number);
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut state = self.connection.lock();
        let over = if self.is_mine {
            state.cancel_stream(self.id)
        } else {
            state.leave_stream(self.id);
            None
        };
        drop(state);
        self.connection.wake.notify_one();
        let measured = self.again.as_ref().and_then(Comeback::measured);
        if let (Some(measured), Some(over)) = (measured, over) {
            measured.end(&over.map_err(|failure| self.explained_here(failure)));
        }
    }
}
