//! Handlers that wait for something, in tasks of their own.

use core::any::Any;
use core::future::{poll_fn, Future};
use core::task::Poll;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use tracing::{error, Instrument as _};

use crate::net::budget::ITEM_BYTES;
use crate::net::connection::{Connection, InLine};
use crate::net::failure::{fail, method_name};
use crate::net::line::Room;
use crate::net::methods::{MethodId, Methods};
use crate::net::metrics::Measured;
use crate::net::request::lent;
use crate::net::{Failure, Reply};
use crate::session::{Kind, Session, Status};

/// The place of a request of the peer's, which is free when this is dropped.
pub(crate) struct Place {
    connection: Arc<Connection>,
    id: u64,
    method: MethodId,
    measured: Option<Measured>,
    /// The bytes that its answer holds while that waits for room.
    waiting_bytes: usize,
    is_answered: bool,
}

impl Place {
    /// The place of a request that has a handler.
    pub(crate) fn new(connection: &Arc<Connection>, id: u64, method: MethodId) -> Self {
        Self {
            connection: Arc::clone(connection),
            id,
            method,
            measured: None,
            waiting_bytes: 0,
            is_answered: false,
        }
    }

    /// Counts the request's end by it.
    pub(crate) fn measured(mut self, measured: Option<Measured>) -> Self {
        self.measured = measured;
        self
    }

    /// Notes that an answer waits which counts already.
    pub(crate) fn waits(&mut self, bytes: usize) {
        self.waiting_bytes = bytes;
    }

    /// Answers a call as soon as there is room in the queue.
    pub(crate) async fn answer(mut self, result: Result<Reply, Failure>) {
        if let Some(measured) = self.measured.take() {
            measured.end(&result);
        }
        let room = result
            .as_ref()
            .ok()
            .map(|reply| Room::of(reply.value.len()));
        let bytes = result.as_ref().map_or(0, |reply| reply.value.len());
        let mut result = Some(result);
        let (connection, id, method) = (Arc::clone(&self.connection), self.id, self.method);
        let waiting_bytes = &mut self.waiting_bytes;
        let mut line = InLine::new(&connection);
        let answered = poll_fn(|cx| {
            line.poll(cx, |state, ticket| {
                if !state.desk.handlers.contains_key(&id) {
                    return Ok(false);
                }
                if let Some(room) = room {
                    let is_on = state.lines.lets_on(room, ticket) && room.is_in(&state.session);
                    if !is_on {
                        if *waiting_bytes == 0 {
                            *waiting_bytes = bytes + ITEM_BYTES;
                            state.desk.answer_bytes += *waiting_bytes;
                        }
                        return Err(room);
                    }
                }
                state.desk.answer_bytes -= core::mem::take(waiting_bytes);
                state.desk.handlers.remove(&id);
                let now = state.time(connection.now());
                let (session, methods) = (&mut state.session, &connection.methods);
                if let Some(result) = result.take() {
                    answer(session, methods, id, method, result, now);
                }
                Ok(true)
            })
        });
        self.is_answered = answered.await;
        self.connection.wake.notify_one();
    }

    /// Ends this side's direction of a stream, or all of it.
    pub(crate) fn finish(mut self, result: Result<(), Failure>) {
        if let Some(measured) = self.measured.take() {
            measured.end(&result);
        }
        let mut state = self.connection.lock();
        let now = state.time(self.connection.now());
        if state.desk.handlers.remove(&self.id).is_some() {
            // The handler may have done it himself.
            let _ = match result {
                Ok(()) => state.session.finish(self.id, now),
                Err(failure) => {
                    self.method.warn(&self.connection.methods, &failure);
                    fail(&mut state.session, self.id, &failure, now)
                }
            };
            drop(state);
            self.is_answered = true;
            self.connection.wake.notify_one();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.is_answered && self.waiting_bytes == 0 {
            return;
        }
        let mut state = self.connection.lock();
        state.desk.answer_bytes -= self.waiting_bytes;
        if self.is_answered {
            return;
        }
        let now = state.time(self.connection.now());
        let _ = match state.desk.handlers.remove(&self.id) {
            Some(_) => {
                let failed = Err::<(), _>(broken());
                if let Some(measured) = self.measured.take() {
                    measured.end(&failed);
                }
                failed.or_else(|why| fail(&mut state.session, self.id, &why, now))
            }
            None => state.session.release(self.id, now),
        };
        drop(state);
        self.connection.wake.notify_one();
    }
}

impl Connection {
    /// Runs a handler that has a place. It is not made while the state is held: a
    /// runtime that ends drops it at once, and so what it has, which looks at the
    /// state.
    pub(crate) fn run(
        self: &Arc<Self>,
        id: u64,
        method: MethodId,
        handler: impl Future<Output = ()> + Send + 'static,
    ) {
        let connection = Arc::clone(self);
        let task = async move {
            let mut handler = core::pin::pin!(handler);
            // One that panics lets go of its place by that.
            let ended = poll_fn(|cx| {
                let polled = catch_unwind(AssertUnwindSafe(|| handler.as_mut().poll(cx)));
                polled.map_or_else(|panic| Poll::Ready(Err(panic)), |polled| polled.map(Ok))
            });
            if let Err(panic) = ended.await {
                blame(&connection.methods, method, &*panic);
            }
        };
        let task = tokio::spawn(task.in_current_span()).abort_handle();
        // It may be done.
        if let Some(place) = self.lock().desk.handlers.get_mut(&id) {
            *place = Some(task);
        }
    }
}

/// Logs what a handler has panicked with, which no peer is told.
pub(crate) fn blame(methods: &Methods, method: MethodId, panic: &(dyn Any + Send)) {
    let said = panic.downcast_ref::<&str>().copied();
    let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let (service, name) = methods.names(method.service, method.number);
    let method = method_name(service, name, method.number);
    error!(
        method,
        panic = said.unwrap_or("something that is no text"),
        "a handler panicked"
    );
}

/// Answers a call. What the queue has no room for is not asked here.
pub(crate) fn answer(
    session: &mut Session,
    methods: &Methods,
    id: u64,
    method: MethodId,
    result: Result<Reply, Failure>,
    now: u64,
) {
    let done = match result {
        Ok(reply) => {
            let metadata: Vec<_> = lent(&reply.metadata);
            session.respond(id, &metadata, reply.value, now)
        }
        Err(failure) => {
            method.warn(methods, &failure);
            fail(session, id, &failure, now)
        }
    };
    if let Err(kind @ Kind::PayloadTooLarge) = done {
        let mut failure = Failure::refusing(kind, session);
        failure.acted = true;
        method.warn(methods, &failure);
        if let Some(meter) = methods.meter(method) {
            meter.fail(failure.status);
        }
        let _ = fail(session, id, &failure, now);
    }
}

/// The text that a peer is told of a handler that panicked.
pub(crate) const PANICKED: &str = "the handler panicked";

/// A failure of a handler that did not come to its end.
pub(crate) fn broken() -> Failure {
    let text = if std::thread::panicking() {
        PANICKED
    } else {
        "the handler did not come to its end"
    };
    Failure::new(Status::INTERNAL, "internal", text)
}
