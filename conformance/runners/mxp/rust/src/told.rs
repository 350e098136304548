//! The incoming of a session, as lines.

use mxp::session::{Chunk, Chunks, Event, Events, Failure, Incoming, Metadata, TraceContext, Why};

use crate::request::hex;
use crate::words::{digits, listed};

/// The lines of an incoming. A batch has that of each value.
pub fn told(incoming: &Incoming<'_>) -> Vec<String> {
    match incoming {
        Incoming::Chunks(chunks) => each_chunk(chunks).map(|one| told_chunk(&one)).collect(),
        Incoming::Events(events) => each_event(events).map(|one| told_event(&one)).collect(),
        incoming => vec![told_of_one(incoming)],
    }
}

/// The chunks that a batch means.
fn each_chunk<'a>(chunks: &Chunks<'a>) -> impl Iterator<Item = Chunk<'a>> {
    let Chunks {
        id,
        first,
        is_final,
        requires_ack,
        records,
    } = *chunks;
    let last = records.len() - 1;
    records.iter().enumerate().map(move |(i, value)| Chunk {
        id,
        number: first + i as u64,
        is_final: is_final && i == last,
        requires_ack: requires_ack && i == last,
        value,
    })
}

/// The events that a batch means.
fn each_event<'a>(events: &Events<'a>) -> impl Iterator<Item = Event<'a>> {
    let Events {
        id,
        service,
        method,
        trace,
        metadata,
        records,
    } = *events;
    records.iter().map(move |value| Event {
        id,
        service,
        method,
        trace,
        metadata,
        requires_ack: false,
        value,
    })
}

fn told_event(event: &Event<'_>) -> String {
    format!(
        "event\tid={}\tservice={}\tmethod={}\ttrace={}\tmeta={}\tack={}\tvalue={}",
        event.id,
        event.service,
        event.method,
        trace(event.trace),
        metadata(event.metadata),
        u8::from(event.requires_ack),
        digits(event.value)
    )
}

fn told_chunk(chunk: &Chunk<'_>) -> String {
    format!(
        "chunk\tid={}\tnumber={}\tfinal={}\tack={}\tvalue={}",
        chunk.id,
        chunk.number,
        u8::from(chunk.is_final),
        u8::from(chunk.requires_ack),
        digits(chunk.value)
    )
}

fn told_of_one(incoming: &Incoming<'_>) -> String {
    match incoming {
        Incoming::Ready(ready) => format!("ready\tservices={}", listed(ready.services())),
        Incoming::Call(call) => format!(
            "call\tid={}\tservice={}\tmethod={}\tdeadline={}\ttrace={}\tmeta={}\tvalue={}",
            call.id,
            call.service,
            call.method,
            call.deadline,
            trace(call.trace),
            metadata(call.metadata),
            digits(call.value)
        ),
        Incoming::Open(open) => format!(
            "open\tid={}\tservice={}\tmethod={}\tdeadline={}\ttrace={}\tmeta={}\tmessages={}\tbytes={}\tfinal={}\tvalue={}",
            open.id,
            open.service,
            open.method,
            open.deadline,
            trace(open.trace),
            metadata(open.metadata),
            open.grant.messages,
            open.grant.bytes,
            u8::from(open.is_final),
            digits(open.value)
        ),
        Incoming::Event(event) => told_event(event),
        Incoming::Response(response) => format!(
            "response\tid={}\tmeta={}\tvalue={}",
            response.id,
            metadata(response.metadata),
            digits(response.value)
        ),
        Incoming::Chunk(chunk) => told_chunk(chunk),
        incoming => told_of_ends(incoming),
    }
}

/// The line of an incoming that carries no value of a user's.
fn told_of_ends(incoming: &Incoming<'_>) -> String {
    match incoming {
        Incoming::Ended(ended) => {
            let Failure { details, acted, .. } = ended.failure;
            let why = failure(&ended.failure);
            let (id, details, acted) = (ended.id, digits(details), u8::from(acted));
            format!("ended\tid={id}\t{why}\tdetails={details}\tacted={acted}")
        }
        Incoming::Finished(finished) => format!("finished\tid={}", finished.id),
        Incoming::Granted(granted) => format!(
            "granted\tid={}\tmessages={}\tbytes={}",
            granted.id, granted.grant.messages, granted.grant.bytes
        ),
        Incoming::Acked(acked) => format!("acked\tid={}\tchunk={}", acked.id, acked.chunk),
        Incoming::Cancelled(cancelled) => {
            let why = match cancelled.why {
                Why::Peer => "peer",
                Why::Deadline => "deadline",
                Why::Credit => "credit",
                Why::End => "end",
                Why::Memory => "memory",
            };
            format!("cancelled\tid={}\twhy={why}", cancelled.id)
        }
        Incoming::Draining(draining) => {
            format!("draining\treason={}", digits(draining.reason.as_bytes()))
        }
        Incoming::Register(register) => format!(
            "register\tid={}\tname={}\tcapabilities={}\tlease={}\taddresses={}\tservices={}\tepoch={}",
            register.id,
            digits(register.name().as_bytes()),
            listed(register.capabilities()),
            register.lease(),
            listed(register.addresses()),
            listed(register.services()),
            register.epoch()
        ),
        Incoming::Heartbeat(heartbeat) => format!(
            "heartbeat\tid={}\tname={}",
            heartbeat.id,
            digits(heartbeat.name.as_bytes())
        ),
        Incoming::Discover(discover) => format!(
            "discover\tid={}\tcapability={}\tname={}\tservice={}\tversion={}",
            discover.id,
            digits(discover.capability.as_bytes()),
            digits(discover.name.as_bytes()),
            digits(discover.service.as_bytes()),
            discover.version
        ),
        Incoming::End(end) => {
            let why = failure(&end.failure);
            format!("end\t{why}\tremote={}", u8::from(end.remote))
        }
        incoming => format!("{incoming:?}"),
    }
}

fn failure(failure: &Failure<'_>) -> String {
    format!(
        "status={}\tname={}\ttext={}",
        failure.status.0,
        digits(failure.name.as_bytes()),
        digits(failure.text.as_bytes())
    )
}

fn trace(trace: Option<TraceContext>) -> String {
    trace.map_or("-".into(), |trace| {
        format!("{}:{}:{}", hex(&trace.id), trace.parent, trace.flags)
    })
}

fn metadata(metadata: Metadata<'_>) -> String {
    let pairs = metadata
        .iter()
        .map(|(key, value)| format!("{}:{}", digits(key.as_bytes()), digits(value)));
    match &pairs.collect::<Vec<_>>()[..] {
        [] => "-".into(),
        pairs => pairs.join(","),
    }
}
