//! What a session tells, to those who wait for it.

use core::future::Future;
use core::time::Duration;
use std::borrow::ToOwned;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;
use std::vec::Vec;

use tokio::task::AbortHandle;
use tracing::{debug_span, Instrument as _};

use crate::net::connection::{Connection, Desk, State};
use crate::net::failure::{kept, lent};
use crate::net::service::{Method, Services};
use crate::net::stream::{Entry, Stream, Window};
use crate::net::{Asked, Failure, Reply};
use crate::session::{
    Call, Event, Grant, Incoming, Kind, Metadata, Open, Session, Status, TraceContext,
};

/// What is to be done behind what was told, when nothing of it is borrowed.
enum Todo {
    /// Runs the handler of an event, and acknowledges it if that is required.
    Event(Method, Asked, Option<u64>),
    Answer(u64, Method, Asked),
    Open(u64, Method, Asked, Window),
    Fail(u64, Failure),
    Release(u64),
    /// Ends a handler, whose place is free when it is gone.
    Abort(AbortHandle),
    /// Takes what came on a stream that nobody has.
    Forget(u64),
}

impl Connection {
    /// Gives bytes to the session, and what it tells to those who wait for it.
    pub(crate) fn feed(self: &Arc<Self>, bytes: &mut &[u8]) {
        loop {
            let mut state = self.lock();
            let State { session, desk } = &mut *state;
            let Some(incoming) = session.receive(bytes, self.now()) else {
                return;
            };
            let notifies = is_change(&incoming);
            let todo = desk.take(&self.services, &incoming);
            drop(state);
            if let Some(todo) = todo {
                self.perform(todo);
            }
            if notifies {
                self.changed.notify_waiters();
            }
        }
    }

    fn perform(self: &Arc<Self>, todo: Todo) {
        let now = self.now();
        match todo {
            Todo::Event(method, asked, ack) => {
                let Method::Event(handler) = method else {
                    return;
                };
                let done = catch_unwind(AssertUnwindSafe(|| handler(asked)));
                let done = done.unwrap_or_else(|_| Err(broken()));
                let Some(id) = ack else {
                    return;
                };
                let session = &mut self.lock().session;
                // It may have been taken back.
                let _ = match done {
                    Ok(()) => session.ack(id, 0, now),
                    Err(failure) => session.fail(id, &failure.lent(), now),
                };
            }
            Todo::Answer(id, method, asked) => {
                let Method::Call(handler) = method else {
                    return;
                };
                self.lock().desk.handlers.insert(id, None);
                let place = Place::new(self, id);
                let span = debug_span!("mxp_call", id, method = asked.method);
                let answer = async move {
                    let result = handler(asked).await;
                    place.answer(result).await;
                };
                self.run(id, answer.instrument(span));
            }
            Todo::Open(id, method, asked, window) => {
                let Method::Stream(handler) = method else {
                    return;
                };
                let mut state = self.lock();
                let State { session, desk } = &mut *state;
                let _ = session.grant(id, window.grant(), now);
                desk.handlers.insert(id, None);
                let entry = desk.streams.entry(id).or_insert(Entry::new(window));
                let stream = Stream::new(self, entry, id, false);
                drop(state);
                let place = Place::new(self, id);
                let span = debug_span!("mxp_stream", id, method = asked.method);
                let serve = async move {
                    let result = handler(asked, stream).await;
                    place.finish(result);
                };
                self.run(id, serve.instrument(span));
            }
            Todo::Abort(handler) => handler.abort(),
            Todo::Fail(id, failure) => {
                let _ = self.lock().session.fail(id, &failure.lent(), now);
            }
            Todo::Release(id) => {
                let _ = self.lock().session.release(id, now);
            }
            Todo::Forget(id) => {
                let mut state = self.lock();
                let State { session, desk } = &mut *state;
                if let Some(entry) = desk.streams.get_mut(&id) {
                    while entry.take(session, id, now).is_some() {}
                    if entry.is_done() {
                        desk.streams.remove(&id);
                    }
                }
            }
        }
    }
}

impl Connection {
    /// Runs a handler. It is not made while the state is held: a runtime that ends
    /// drops it at once, and so what it has, which looks at the state.
    fn run(&self, id: u64, handler: impl Future<Output = ()> + Send + 'static) {
        let task = tokio::spawn(handler).abort_handle();
        // It may be done.
        if let Some(place) = self.lock().desk.handlers.get_mut(&id) {
            *place = Some(task);
        }
    }
}

/// Whether somebody may wait for it who knows no request.
const fn is_change(incoming: &Incoming<'_>) -> bool {
    matches!(
        incoming,
        Incoming::Ready(_) | Incoming::Draining(_) | Incoming::End(_)
    )
}

/// A failure of a handler that did not come to its end.
fn broken() -> Failure {
    Failure::new(Status::INTERNAL, "internal", "")
}

impl Desk {
    /// Gives what was told to those who wait for it.
    fn take(&mut self, services: &Services, incoming: &Incoming<'_>) -> Option<Todo> {
        match incoming {
            Incoming::Ready(ready) => {
                self.peer_services = ready.services().map(ToOwned::to_owned).collect();
            }
            Incoming::Call(call) => return Some(called(services, call)),
            Incoming::Open(open) => return Some(opened(services, open)),
            Incoming::Event(event) => return told(services, event),
            Incoming::Response(response) => {
                if let Some(waiting) = self.calls.remove(&response.id) {
                    let reply = Reply {
                        value: response.value.to_vec(),
                        metadata: kept(response.metadata),
                    };
                    // Nobody may wait any more.
                    let _ = waiting.send(Ok(reply));
                }
            }
            Incoming::Acked(acked) => {
                if let Some(waiting) = self.calls.remove(&acked.id) {
                    let _ = waiting.send(Ok(Reply::default()));
                }
            }
            Incoming::Ended(ended) => {
                let failure = Failure::told(&ended.failure);
                if let Some(waiting) = self.calls.remove(&ended.id) {
                    let _ = waiting.send(Err(failure));
                } else if let Some(entry) = self.streams.get_mut(&ended.id) {
                    entry.fail(failure);
                }
            }
            Incoming::Chunk(chunk) => {
                let entry = self.streams.get_mut(&chunk.id)?;
                let ack = chunk.requires_ack.then_some(chunk.number);
                entry.push(chunk.value, ack, chunk.is_final);
                return entry.is_left().then_some(Todo::Forget(chunk.id));
            }
            Incoming::Finished(finished) => {
                let entry = self.streams.get_mut(&finished.id)?;
                entry.finish();
                return entry.is_left().then_some(Todo::Forget(finished.id));
            }
            Incoming::Granted(granted) => self.streams.get(&granted.id)?.granted(),
            Incoming::Cancelled(cancelled) => {
                let id = cancelled.id;
                if let Some(entry) = self.streams.get_mut(&id) {
                    entry.fail(Failure::of(Kind::Cancelled));
                    if entry.is_left() {
                        self.streams.remove(&id);
                    }
                }
                return match self.handlers.remove(&id) {
                    Some(handler) => handler.map(Todo::Abort),
                    None => Some(Todo::Release(id)),
                };
            }
            Incoming::End(end) => self.ended = Some(Failure::told(&end.failure)),
            _ => {}
        }
        None
    }
}

fn asked(
    method: u16,
    value: &[u8],
    metadata: Metadata<'_>,
    deadline: u64,
    trace: Option<TraceContext>,
) -> Asked {
    Asked {
        method,
        value: value.to_vec(),
        metadata: kept(metadata),
        deadline: (deadline != 0).then(|| Duration::from_micros(deadline)),
        trace,
    }
}

fn called(services: &Services, call: &Call<'_>) -> Todo {
    match services.method(call.service, call.method) {
        Some(method @ Method::Call(_)) => {
            let asked = asked(
                call.method,
                call.value,
                call.metadata,
                call.deadline,
                call.trace,
            );
            Todo::Answer(call.id, method.clone(), asked)
        }
        _ => unknown(services, call.id, call.service, call.method),
    }
}

fn opened(services: &Services, open: &Open<'_>) -> Todo {
    match services.method(open.service, open.method) {
        Some(method @ Method::Stream(_)) => {
            let asked = asked(
                open.method,
                open.value,
                open.metadata,
                open.deadline,
                open.trace,
            );
            let mut window = Window::default();
            if open.is_final {
                // Nothing comes.
                window = Window {
                    messages: 0,
                    bytes: 0,
                };
            }
            Todo::Open(open.id, method.clone(), asked, window)
        }
        _ => unknown(services, open.id, open.service, open.method),
    }
}

fn told(services: &Services, event: &Event<'_>) -> Option<Todo> {
    let ack = event.requires_ack.then_some(event.id);
    match services.method(event.service, event.method) {
        Some(method @ Method::Event(_)) => {
            let asked = asked(event.method, event.value, event.metadata, 0, event.trace);
            Some(Todo::Event(method.clone(), asked, ack))
        }
        _ => ack.map(|id| unknown(services, id, event.service, event.method)),
    }
}

fn unknown(services: &Services, id: u64, service: u16, method: u16) -> Todo {
    let service = services.name(service);
    tracing::warn!(service, method, "a method is asked for that there is not");
    Todo::Fail(id, Failure::of(Kind::MethodUnknown))
}

/// The place of a request of the peer's, which is free when this is dropped.
struct Place {
    connection: Arc<Connection>,
    id: u64,
    is_answered: bool,
}

impl Place {
    fn new(connection: &Arc<Connection>, id: u64) -> Self {
        Self {
            connection: Arc::clone(connection),
            id,
            is_answered: false,
        }
    }

    /// Answers a call as soon as there is room in the queue.
    async fn answer(mut self, result: Result<Reply, Failure>) {
        let mut result = Some(result);
        let (connection, id) = (Arc::clone(&self.connection), self.id);
        let answered = connection.until(|state| {
            if !state.desk.handlers.contains_key(&id) {
                return Some(false);
            }
            if let Some(Ok(_)) = result {
                state.session.may_queue().ok()?;
            }
            state.desk.handlers.remove(&id);
            answer(&mut state.session, id, result.take()?, connection.now());
            Some(true)
        });
        self.is_answered = answered.await;
        self.connection.wake.notify_one();
    }

    /// Ends this side's direction of a stream, or all of it.
    fn finish(mut self, result: Result<(), Failure>) {
        let now = self.connection.now();
        let mut state = self.connection.lock();
        if state.desk.handlers.remove(&self.id).is_some() {
            // The handler may have done it himself.
            let _ = match result {
                Ok(()) => state.session.finish(self.id, now),
                Err(failure) => state.session.fail(self.id, &failure.lent(), now),
            };
            drop(state);
            self.is_answered = true;
            self.connection.wake.notify_one();
        }
    }
}

fn answer(session: &mut Session, id: u64, result: Result<Reply, Failure>, now: u64) {
    let done = match result {
        Ok(reply) => {
            let metadata: Vec<_> = lent(&reply.metadata);
            session.respond(id, &metadata, reply.value, now)
        }
        Err(failure) => session.fail(id, &failure.lent(), now),
    };
    if let Err(kind @ Kind::PayloadTooLarge) = done {
        let mut failure = Failure::of(kind);
        failure.acted = true;
        let _ = session.fail(id, &failure.lent(), now);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        let now = self.connection.now();
        let mut state = self.connection.lock();
        let _ = match state.desk.handlers.remove(&self.id) {
            Some(_) => state.session.fail(self.id, &broken().lent(), now),
            None => state.session.release(self.id, now),
        };
        drop(state);
        self.connection.wake.notify_one();
    }
}

/// What a stream that is opened here lets the peer send at first.
pub(crate) fn first_grant() -> Grant {
    Window::default().grant()
}
