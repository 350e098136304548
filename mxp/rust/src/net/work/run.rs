//! Handlers, as a connection's task begins them.

use core::any::Any;
use core::task::{Context, Poll};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Instant;

use tracing::{debug_span, Instrument as _, Span};

use crate::engine::failure::PANICKED;
use crate::engine::method::MethodId;
use crate::net::connection::Connection;
use crate::net::metrics::RequestMeter;
use crate::net::place::{blame, Place};
use crate::net::service::{Answer, Handlers, Method};
use crate::net::stream::{Stream, Subject};
use crate::net::{Failure, Request};
use crate::session::Status;

/// How far a handler has come.
pub(super) enum Progress<T> {
    Done(Result<T, Failure>),
    Waits(Answer<T>),
}

/// The running handler of an event, and the steps after its end.
pub(super) struct RunningHandler {
    pub(super) method: MethodId,
    pub(super) answer: Answer<()>,
    pub(super) ack: Option<u64>,
    pub(super) measured: Option<RequestMeter>,
}

/// Runs a handler until it waits for something. A handler that panics has failed.
#[inline]
pub(super) fn begin<T>(
    connection: &Connection,
    method: MethodId,
    handler: impl FnOnce() -> Answer<T>,
    span: &Span,
    cx: &mut Context<'_>,
) -> Progress<T> {
    let begun = catch_unwind(AssertUnwindSafe(|| {
        let mut answer = handler();
        match span.in_scope(|| answer.as_mut().poll(cx)) {
            Poll::Ready(result) => Progress::Done(result),
            Poll::Pending => Progress::Waits(answer),
        }
    }));
    begun.unwrap_or_else(|panic| Progress::Done(Err(panicked(connection, method, &*panic))))
}

/// The failure of a handler that has panicked, which is logged.
#[cold]
pub(super) fn panicked(
    connection: &Connection,
    method: MethodId,
    panic: &(dyn Any + Send),
) -> Failure {
    blame(&connection.methods, method, panic);
    Failure::new(Status::INTERNAL, "internal", PANICKED)
}

/// Runs the handler of a stream, which has its entry and its place. It runs here until it
/// waits for something, and is a task from then on.
pub(super) fn open(
    handlers: &Handlers,
    connection: &Arc<Connection>,
    id: u64,
    service: u16,
    request: Request,
    time: Option<Instant>,
    cx: &mut Context<'_>,
) {
    let number = request.method;
    let method = MethodId { service, number };
    let Some(Method::Stream(handler)) = handlers.find(method) else {
        return;
    };
    // Where the stream was taken back, its place is given free with this.
    let measured = connection.methods.begin(method, time);
    let place = Place::new(connection, id, method).measured(measured);
    let window = connection.lock().begin_stream(id);
    let Some(window) = window else {
        return;
    };
    let subject = Subject {
        service,
        method: number,
        name: "",
        wait: request.wait,
    };
    let stream = Stream::taken(connection, window, id, subject);
    let span = debug_span!("mxp_stream", id, method = number);
    match begin(connection, method, || handler(request, stream), &span, cx) {
        Progress::Done(result) => place.finish(result),
        Progress::Waits(rest) => {
            let serve = async move { place.finish(rest.await) };
            connection.run(id, method, serve.instrument(span));
        }
    }
}
