//! Handlers that wait for something, in tasks of their own.

use core::any::Any;
use core::future::{poll_fn, Future};
use core::task::Poll;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::string::String;
use std::sync::Arc;

use tracing::{error, Instrument as _};

use crate::engine::failure::{method_name, PANICKED};
use crate::engine::method::MethodId;
use crate::net::connection::{Connection, LinePlace};
use crate::net::methods::Methods;
use crate::net::metrics::RequestMeter;
use crate::net::{Failure, Reply};
use crate::session::Status;

/// The place of a request of the peer's, which is free when this is dropped.
pub(crate) struct Place {
    connection: Arc<Connection>,
    id: u64,
    method: MethodId,
    measured: Option<RequestMeter>,
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
    pub(crate) fn measured(mut self, measured: Option<RequestMeter>) -> Self {
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
        let mut result = Some(result);
        let (connection, request) = (Arc::clone(&self.connection), (self.id, self.method));
        let waiting_bytes = &mut self.waiting_bytes;
        let mut line = LinePlace::new(&connection);
        let answered = poll_fn(|cx| {
            line.poll(cx, |state, ticket| {
                let methods = &connection.methods;
                state.answer(&**methods, request, &mut result, waiting_bytes, ticket)
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
        let (methods, request) = (&self.connection.methods, (self.id, self.method));
        let mut state = self.connection.lock();
        let is_answered = state.finish_handler(&**methods, request, result);
        drop(state);
        if is_answered {
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
        state.forget_answer(self.waiting_bytes);
        if self.is_answered {
            return;
        }
        let measured = self.measured.take();
        state.free_place(self.id, || {
            let why = broken();
            if let Some(measured) = measured {
                measured.end::<()>(&Err(why.clone()));
            }
            why
        });
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
            // A handler that panics lets go of its place as it unwinds.
            let ended = poll_fn(|cx| {
                let polled = catch_unwind(AssertUnwindSafe(|| handler.as_mut().poll(cx)));
                polled.map_or_else(|panic| Poll::Ready(Err(panic)), |polled| polled.map(Ok))
            });
            if let Err(panic) = ended.await {
                blame(&connection.methods, method, &*panic);
            }
        };
        let task = tokio::spawn(task.in_current_span()).abort_handle();
        self.lock().runs(id, task);
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

/// A failure of a handler that did not come to its end.
pub(crate) fn broken() -> Failure {
    let text = if std::thread::panicking() {
        PANICKED
    } else {
        "the handler did not come to its end"
    };
    Failure::new(Status::INTERNAL, "internal", text)
}
