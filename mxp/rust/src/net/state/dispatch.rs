//! The dispatch of what a session tells, to those who wait for it.

use core::time::Duration;
use std::boxed::Box;
use std::sync::Arc;

use bytes::Bytes;

use super::{Batch, Desk, Todo, Waiting};
use crate::net::input::Input;
use crate::net::methods::{MethodId, Methods};
use crate::net::peer::Remote;
use crate::net::request::kept;
use crate::net::wait::Wait;
use crate::net::MethodKind;
use crate::net::Window;
use crate::net::{Asked, Failure, Reply};
use crate::session::{
    Call, Event, Events, Incoming, Kind, Metadata, Open, Status, TraceContext, Why,
};

impl Desk {
    /// Gives what was told to those who wait for it.
    #[expect(clippy::inline_always, reason = "what is told is large to be moved")]
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        methods: &Methods,
        incoming: &Incoming<'_>,
        input: &Input,
    ) -> Option<Todo> {
        self.outlier.note(incoming);
        match incoming {
            Incoming::Ready(ready) => {
                self.peer_services = ready.services().collect();
            }
            Incoming::Call(call) => return Some(called(methods, call, input, &self.remote)),
            Incoming::Open(open) => {
                return Some(opened(methods, open, input, self.window, &self.remote));
            }
            Incoming::Event(event) => return told(methods, event, input, &self.remote),
            Incoming::Events(events) => {
                return told_all(methods, events, input, &self.remote);
            }
            Incoming::Response(response) => {
                // Nobody may wait any more.
                let _ = self.answer(response.id, || {
                    Ok(Reply {
                        value: input.keep(response.value),
                        metadata: kept(response.metadata),
                    })
                });
            }
            Incoming::Acked(acked) => {
                let _ = self.answer(acked.id, || Ok(Reply::default()));
            }
            Incoming::Ended(ended) => {
                let failure = Failure::told_of(&ended.failure, &self.cause);
                if !self.answer(ended.id, || Err(Box::new(failure.clone()))) {
                    if let Some(entry) = self.streams.get_mut(&ended.id) {
                        entry.fail(failure);
                    }
                }
            }
            Incoming::Chunk(chunk) => {
                let entry = self.streams.get_mut(&chunk.id)?;
                let ack = chunk.requires_ack.then_some(chunk.number);
                entry.push(chunk.value, ack, chunk.is_final);
                return entry.is_left().then_some(Todo::Forget(chunk.id));
            }
            Incoming::Chunks(chunks) => {
                let entry = self.streams.get_mut(&chunks.id)?;
                entry.push_all(chunks);
                return entry.is_left().then_some(Todo::Forget(chunks.id));
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
                    let why = match cancelled.why {
                        Why::Deadline => Kind::DeadlineExceeded,
                        Why::Credit => Kind::StreamCredit,
                        Why::Memory => Kind::LimitConnectionBytes,
                        _ => Kind::Cancelled,
                    };
                    let mut failure = Failure::of(why);
                    failure.acted = true;
                    entry.fail(failure);
                    if entry.is_left() {
                        self.streams.remove(&id);
                    }
                }
                return match self.handlers.remove(&id) {
                    Some(handler) => handler.map(Todo::Abort),
                    None => Some(Todo::Release(id)),
                };
            }
            Incoming::Register(_) | Incoming::Heartbeat(_) | Incoming::Discover(_) => {
                let (agents, owner) = self.agents.as_ref()?;
                let (id, answer) = agents.answer(*owner, incoming)?;
                return Some(Todo::Agent(id, answer));
            }
            Incoming::End(end) => {
                self.is_unwanted = end.remote
                    && end.refused
                    && end.failure.status != Status::UNAVAILABLE
                    && end.failure.status != Status::OK;
                self.ended = Some(Failure::told_of(&end.failure, &self.cause));
            }
            _ => {}
        }
        None
    }

    /// Gives an answer to who waits for it. Returns whether it was waited for.
    fn answer(&mut self, id: u64, answer: impl FnOnce() -> Result<Reply, Box<Failure>>) -> bool {
        let Some(waiting) = self.calls.get_mut(id) else {
            return false;
        };
        let asked = core::mem::replace(waiting, Waiting::Answered(answer()));
        if let Waiting::Asked(Some(waker)) = asked {
            waker.wake();
        }
        true
    }
}

fn asked(
    method: u16,
    value: Bytes,
    metadata: Metadata<'_>,
    deadline: u64,
    trace: Option<TraceContext>,
    remote: &Arc<Remote>,
) -> Asked {
    let deadline = (deadline != 0).then(|| Duration::from_micros(deadline));
    Asked {
        method,
        value,
        metadata: kept(metadata),
        deadline,
        trace,
        remote: Arc::clone(remote),
        wait: Wait::of(deadline),
    }
}

fn called(methods: &Methods, call: &Call<'_>, input: &Input, remote: &Arc<Remote>) -> Todo {
    let (service, number, metadata, trace) = (call.service, call.method, call.metadata, call.trace);
    let Some(MethodKind::Call) = methods.kind(service, number) else {
        let (method, kind) = (MethodId { service, number }, MethodKind::Call);
        return unknown(methods, call.id, kind, method, trace, metadata);
    };
    let value = input.keep(call.value);
    let asked = asked(number, value, metadata, call.deadline, trace, remote);
    Todo::Answer(call.id, service, asked)
}

fn opened(
    methods: &Methods,
    open: &Open<'_>,
    input: &Input,
    window: Window,
    remote: &Arc<Remote>,
) -> Todo {
    let (service, number, metadata, trace) = (open.service, open.method, open.metadata, open.trace);
    let Some(MethodKind::Stream) = methods.kind(service, number) else {
        let (method, kind) = (MethodId { service, number }, MethodKind::Stream);
        return unknown(methods, open.id, kind, method, trace, metadata);
    };
    let value = input.keep(open.value);
    let asked = asked(number, value, metadata, open.deadline, trace, remote);
    let mut window = window;
    if open.is_final {
        // Nothing comes.
        window = Window {
            messages: 0,
            bytes: 0,
        };
    }
    Todo::Open(open.id, service, asked, window)
}

fn told(methods: &Methods, event: &Event<'_>, input: &Input, remote: &Arc<Remote>) -> Option<Todo> {
    let (service, number, metadata) = (event.service, event.method, event.metadata);
    let ack = event.requires_ack.then_some(event.id);
    let Some(MethodKind::Event) = methods.kind(service, number) else {
        let (method, kind) = (MethodId { service, number }, MethodKind::Event);
        return Some(unknown(methods, ack?, kind, method, event.trace, metadata));
    };
    let value = input.keep(event.value);
    let asked = asked(number, value, metadata, 0, event.trace, remote);
    Some(Todo::Event(service, asked, ack))
}

fn told_all(
    methods: &Methods,
    events: &Events<'_>,
    input: &Input,
    remote: &Arc<Remote>,
) -> Option<Todo> {
    let kind = methods.kind(events.service, events.method);
    kind.filter(|kind| *kind == MethodKind::Event)?;
    let (number, none) = (events.method, Bytes::new());
    let asked = asked(number, none, events.metadata, 0, events.trace, remote);
    let records = Batch::new(events.records, |data| input.keep(data));
    Some(Todo::Events(events.service, asked, records))
}

/// Refuses a request whose method there is not.
fn unknown(
    methods: &Methods,
    id: u64,
    kind: MethodKind,
    MethodId { service, number }: MethodId,
    trace: Option<TraceContext>,
    metadata: Metadata<'_>,
) -> Todo {
    let text = methods.unknown(kind, service, number);
    let failure = Failure::saying(Kind::MethodUnknown, text);
    methods.warn("a request was refused", service, number, &failure);
    let (name, metadata) = (methods.names(service, number).0, || kept(metadata));
    let telemetry = &methods.telemetry;
    telemetry.refuse(name, number, trace, metadata, &failure);
    Todo::Fail(id, failure)
}
