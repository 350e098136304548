//! The dispatch of a session's news to its waiters.

use alloc::boxed::Box;
use core::time::Duration;

use bytes::Bytes;

use super::stream::Entry;
use super::{Batch, Parts, Todo};
use crate::engine::agent::AgentQuery;
use crate::engine::driver::{Arrival, Driver};
use crate::engine::method::Interface;
use crate::engine::request::kept;
use crate::engine::{Failure, MethodKind, Reply, Window};
use crate::session::{
    Call, Event, Events, Incoming, Kind, Metadata, Open, Status, TraceContext, Why,
};

impl<D: Driver> Parts<D> {
    /// Gives the session's news to its waiters.
    #[expect(clippy::inline_always, reason = "what is told is large to be moved")]
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        driver: &D,
        interface: &impl Interface,
        incoming: &Incoming<'_>,
        keep: &impl Fn(&[u8]) -> Bytes,
        now: u64,
    ) -> Option<Todo<D>> {
        self.outlier.note(incoming, now);
        match incoming {
            Incoming::Ready(ready) => {
                self.peer_services = ready.services().collect();
            }
            Incoming::Call(call) => return Some(called(driver, interface, call, keep, now)),
            Incoming::Open(open) => {
                return Some(opened(
                    driver,
                    interface,
                    open,
                    keep,
                    self.streams.window,
                    now,
                ));
            }
            Incoming::Event(event) => return told(driver, interface, event, keep, now),
            Incoming::Events(events) => return told_all(driver, interface, events, keep, now),
            Incoming::Response(response) => {
                // Nobody may wait any more.
                let _ = self.calls.end(response.id, || {
                    Ok(Reply {
                        value: keep(response.value),
                        metadata: kept(response.metadata),
                    })
                });
            }
            Incoming::Acked(acked) => {
                let _ = self.calls.end(acked.id, || Ok(Reply::default()));
            }
            Incoming::Ended(ended) => {
                let failure = Failure::told_of(&ended.failure, &self.ending.cause);
                let is_call = self.calls.end(ended.id, || Err(Box::new(failure.clone())));
                if !is_call {
                    self.streams.with(ended.id, |entry| entry.fail(failure));
                }
            }
            Incoming::Chunk(chunk) => {
                let (entry, unread) = self.streams.entry(chunk.id)?;
                let ack = chunk.requires_ack.then_some(chunk.number);
                *unread += entry.push(chunk.value, ack, chunk.is_final);
                return entry.is_left.then_some(Todo::Forget(chunk.id));
            }
            Incoming::Chunks(chunks) => {
                let (entry, unread) = self.streams.entry(chunks.id)?;
                *unread += entry.push_all(chunks);
                return entry.is_left.then_some(Todo::Forget(chunks.id));
            }
            Incoming::Finished(finished) => {
                let is_left = self.streams.with(finished.id, |entry| {
                    entry.finish();
                    entry.is_left
                });
                return is_left?.then_some(Todo::Forget(finished.id));
            }
            Incoming::Granted(granted) => {
                self.streams.with(granted.id, Entry::wake_writers);
            }
            Incoming::Cancelled(cancelled) => return self.cancelled(cancelled.id, cancelled.why),
            Incoming::Register(_) | Incoming::Heartbeat(_) | Incoming::Discover(_) => {
                let (id, query) = AgentQuery::read(incoming)?;
                return Some(Todo::Agent(id, query));
            }
            Incoming::End(end) => {
                self.ending.is_unwanted = end.remote
                    && end.refused
                    && end.failure.status != Status::UNAVAILABLE
                    && end.failure.status != Status::OK;
                let failure = Failure::told_of(&end.failure, &self.ending.cause);
                self.ending.failure = Some(failure);
            }
            _ => {}
        }
        None
    }

    /// Ends a request that the peer, or its deadline, has ended.
    fn cancelled(&mut self, id: u64, why: Why) -> Option<Todo<D>> {
        let is_left = self.streams.with(id, |entry| {
            let why = match why {
                Why::Deadline => Kind::DeadlineExceeded,
                Why::Credit => Kind::StreamCredit,
                Why::Memory => Kind::LimitConnectionBytes,
                _ => Kind::Cancelled,
            };
            let mut failure = Failure::of(why);
            failure.acted = true;
            entry.fail(failure);
            entry.is_left
        });
        if is_left == Some(true) {
            self.streams.remove(id);
        }
        match self.places.free(id) {
            Some(place) => place.handler.map(Todo::Abort),
            None => Some(Todo::Release(id)),
        }
    }
}

#[inline]
fn arrival(
    method: u16,
    value: Bytes,
    metadata: Metadata<'_>,
    deadline: u64,
    trace: Option<TraceContext>,
    time: u64,
) -> Arrival {
    Arrival {
        method,
        value,
        metadata: kept(metadata),
        deadline: (deadline != 0).then(|| Duration::from_micros(deadline)),
        trace,
        time,
    }
}

fn called<D: Driver>(
    driver: &D,
    interface: &impl Interface,
    call: &Call<'_>,
    keep: &impl Fn(&[u8]) -> Bytes,
    now: u64,
) -> Todo<D> {
    let (service, number, metadata, trace) = (call.service, call.method, call.metadata, call.trace);
    if interface.kind(service, number) != Some(MethodKind::Call) {
        let arrival = arrival(number, Bytes::new(), metadata, 0, trace, now);
        return Todo::Unknown(call.id, service, MethodKind::Call, Box::new(arrival));
    }
    let value = keep(call.value);
    let arrival = arrival(number, value, metadata, call.deadline, trace, now);
    Todo::Answer(call.id, service, driver.request(arrival))
}

fn opened<D: Driver>(
    driver: &D,
    interface: &impl Interface,
    open: &Open<'_>,
    keep: &impl Fn(&[u8]) -> Bytes,
    window: Window,
    now: u64,
) -> Todo<D> {
    let (service, number, metadata, trace) = (open.service, open.method, open.metadata, open.trace);
    if interface.kind(service, number) != Some(MethodKind::Stream) {
        let arrival = arrival(number, Bytes::new(), metadata, 0, trace, now);
        return Todo::Unknown(open.id, service, MethodKind::Stream, Box::new(arrival));
    }
    let value = keep(open.value);
    let arrival = arrival(number, value, metadata, open.deadline, trace, now);
    let mut window = window;
    if open.is_final {
        // Nothing comes.
        window = Window {
            messages: 0,
            bytes: 0,
        };
    }
    Todo::Open(open.id, service, driver.request(arrival), window)
}

fn told<D: Driver>(
    driver: &D,
    interface: &impl Interface,
    event: &Event<'_>,
    keep: &impl Fn(&[u8]) -> Bytes,
    now: u64,
) -> Option<Todo<D>> {
    let (service, number, metadata, trace) =
        (event.service, event.method, event.metadata, event.trace);
    let ack = event.requires_ack.then_some(event.id);
    if interface.kind(service, number) != Some(MethodKind::Event) {
        let id = ack?;
        let arrival = arrival(number, Bytes::new(), metadata, 0, trace, now);
        return Some(Todo::Unknown(
            id,
            service,
            MethodKind::Event,
            Box::new(arrival),
        ));
    }
    let arrival = arrival(number, keep(event.value), metadata, 0, trace, now);
    Some(Todo::Event(service, driver.request(arrival), ack))
}

fn told_all<D: Driver>(
    driver: &D,
    interface: &impl Interface,
    events: &Events<'_>,
    keep: &impl Fn(&[u8]) -> Bytes,
    now: u64,
) -> Option<Todo<D>> {
    let kind = interface.kind(events.service, events.method);
    kind.filter(|kind| *kind == MethodKind::Event)?;
    let (number, none) = (events.method, Bytes::new());
    let arrival = arrival(number, none, events.metadata, 0, events.trace, now);
    let records = Batch::new(events.records, keep);
    Some(Todo::Events(
        events.service,
        driver.request(arrival),
        records,
    ))
}
