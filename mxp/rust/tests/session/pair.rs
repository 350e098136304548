//! Two sessions, with a line between them that loses nothing.

use mxp::session::{Config, Incoming, Records, Role, Session};

/// The news that one side was told, as texts that are easy to compare.
pub(crate) type Told = Vec<String>;

pub(crate) struct Pair {
    pub(crate) opener: Session,
    pub(crate) acceptor: Session,
    pub(crate) now: u64,
}

impl Pair {
    /// Two sessions that have not talked.
    pub(crate) fn silent(opener: Config, acceptor: Config) -> Self {
        Self {
            opener: Session::new(opener, Role::Opener, 0).unwrap(),
            acceptor: Session::new(acceptor, Role::Acceptor, 0).unwrap(),
            now: 0,
        }
    }

    /// Two sessions that are ready; the acceptor serves `demo.Echo`.
    pub(crate) fn new() -> Self {
        Self::with(Config::new(), Config::new().with_service("demo.Echo"))
    }

    pub(crate) fn with(opener: Config, acceptor: Config) -> Self {
        let mut pair = Self::silent(opener, acceptor);
        pair.talk();
        assert!(pair.opener.ready() && pair.acceptor.ready());
        pair
    }

    /// Carries all waiting frames to the acceptor, and returns its news.
    pub(crate) fn there(&mut self) -> Told {
        carry(&mut self.opener, &mut self.acceptor, self.now)
    }

    /// Carries all waiting frames to the opener, and returns its news.
    pub(crate) fn back(&mut self) -> Told {
        carry(&mut self.acceptor, &mut self.opener, self.now)
    }

    /// Carries until nothing waits, and returns the opener's news.
    pub(crate) fn talk(&mut self) -> Told {
        let mut told = Told::new();
        while self.opener.queue_bytes() > 0 || self.acceptor.queue_bytes() > 0 {
            self.there();
            told.append(&mut self.back());
        }
        told
    }
}

fn carry(from: &mut Session, to: &mut Session, now: u64) -> Told {
    let mut told = heard(to, now);
    while let Some(frames) = from.poll_frames(1000, now) {
        told.append(&mut self::told(to, &frames.to_vec(), now));
    }
    told
}

/// The news that bytes have for a session.
pub(crate) fn told(session: &mut Session, bytes: &[u8], now: u64) -> Told {
    let (mut rest, mut told) = (bytes, Told::new());
    while let Some(incoming) = session.receive(&mut rest, now) {
        told.push(short(&incoming));
    }
    told
}

/// Carries all that waits to the acceptor, and tells the length of each chunk and event.
pub(crate) fn lengths(pair: &mut Pair) -> Told {
    let mut told = Told::new();
    while let Some(frames) = pair.opener.poll_frames(1000, 0) {
        let bytes = frames.to_vec();
        let mut rest = &bytes[..];
        while let Some(incoming) = pair.acceptor.receive(&mut rest, 0) {
            let of_chunk = |id, number, value: &[u8]| format!("{id} {number} {}", value.len());
            let of_event = |value: &[u8]| format!("event {}", value.len());
            match incoming {
                Incoming::Chunk(chunk) => told.push(of_chunk(chunk.id, chunk.number, chunk.value)),
                Incoming::Chunks(chunks) => {
                    let numbered = (chunks.first..).zip(chunks.records);
                    told.extend(numbered.map(|(n, value)| of_chunk(chunks.id, n, value)));
                }
                Incoming::Event(event) => told.push(of_event(event.value)),
                Incoming::Events(events) => told.extend(events.records.iter().map(of_event)),
                other => panic!("{other:?}"),
            }
        }
    }
    told
}

/// The news that a session has to tell without anything that came.
pub(crate) fn heard(session: &mut Session, now: u64) -> Told {
    told(session, &[], now)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn texts(records: Records<'_>) -> String {
    let values: Vec<_> = records.iter().map(text).collect();
    values.join(", ")
}

/// The news that was told, in few words.
fn short(incoming: &Incoming<'_>) -> String {
    match incoming {
        Incoming::Ready(ready) => format!("ready {:?}", ready.services().collect::<Vec<_>>()),
        Incoming::Call(call) => {
            let pairs: Vec<_> = call.metadata.iter().collect();
            format!("call {} {} {pairs:?}", call.id, text(call.value))
        }
        Incoming::Open(open) => format!("open {} {}", open.id, open.is_final),
        Incoming::Event(event) => format!("event {} {}", event.id, text(event.value)),
        Incoming::Response(response) => {
            format!("response {} {}", response.id, text(response.value))
        }
        Incoming::Ended(ended) => {
            let failure = &ended.failure;
            format!("ended {} {} {}", ended.id, failure.name, failure.acted)
        }
        Incoming::Chunk(chunk) => {
            format!("chunk {} {} {}", chunk.id, chunk.number, text(chunk.value))
        }
        Incoming::Chunks(chunks) => {
            let (id, first, values) = (chunks.id, chunks.first, texts(chunks.records));
            let flags = (chunks.is_final, chunks.requires_ack);
            format!("chunks {id} {first} [{values}] {} {}", flags.0, flags.1)
        }
        Incoming::Events(events) => {
            let (id, method, values) = (events.id, events.method, texts(events.records));
            format!("events {id} {method} [{values}] {:?}", events.metadata)
        }
        Incoming::Finished(finished) => format!("finished {}", finished.id),
        Incoming::Granted(granted) => format!("granted {}", granted.id),
        Incoming::Acked(acked) => format!("acked {} {}", acked.id, acked.chunk),
        Incoming::Cancelled(cancelled) => format!("cancelled {} {:?}", cancelled.id, cancelled.why),
        Incoming::Draining(draining) => format!("draining {}", draining.reason),
        Incoming::Register(register) => {
            let can: Vec<_> = register.capabilities().collect();
            let (id, name, lease) = (register.id, register.name(), register.lease());
            let addresses: Vec<_> = register.addresses().collect();
            let services: Vec<_> = register.services().collect();
            let epoch = register.epoch();
            format!(
                "register {id} {name} {can:?} {lease} \
                 addresses {addresses:?} services {services:?} epoch {epoch}"
            )
        }
        Incoming::Heartbeat(heartbeat) => format!("heartbeat {} {}", heartbeat.id, heartbeat.name),
        Incoming::Discover(discover) => format!(
            "discover {} {} name{} service{} version {}",
            discover.id, discover.capability, discover.name, discover.service, discover.version
        ),
        Incoming::End(end) => {
            format!(
                "end {} {} {}",
                end.failure.name, end.failure.text, end.remote
            )
        }
        other => format!("{other:?}"),
    }
}
