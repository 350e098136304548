//! The state of a connection: its session, and its waiters.

use alloc::vec::Vec;

use bytes::Bytes;

use crate::engine::driver::Driver;
use crate::engine::line::{Lines, Room, Ticket};
use crate::engine::method::Interface;
use crate::engine::names::Names;
use crate::engine::outage::Differences;
use crate::engine::outlier::Outlier;
use crate::session::{Incoming, Session};

mod answer;
mod attempt;
mod call;
mod dispatch;
mod ending;
mod life;
mod load;
mod place;
mod request;
mod stream;
mod todo;

pub(crate) use answer::RequestEnd;
pub(crate) use attempt::{Attempt, Step};
pub(crate) use life::SessionEnd;
pub(crate) use load::Load;

pub(crate) use request::{Rejection, RequestKind, RequestSpec};
pub(crate) use todo::{Batch, Todo};

use call::Calls;
use ending::Ending;
use place::Places;
use stream::Streams;

/// How many bytes are given to one write.
pub(crate) const WRITE_BYTES: usize = 64 << 10;

/// Below how many bytes a value is short.
const SHORT_BYTES: usize = 512;

/// How many bytes frames mostly have beside their values, at most.
const MOST_BESIDE: usize = 64;

/// The session of a connection, the time that it was told, and the waiters for room in it.
///
/// The driver says the time once a turn, for all that it does in that. Others come
/// at any time, for which the clock is looked at.
pub(crate) struct Link<D: Driver> {
    session: Session,
    parts: Parts<D>,
    lines: Lines,
    driver: D,
    /// The latest time that the session was told.
    time: u64,
    /// Something waits that could not be given out, maybe for long.
    is_held: bool,
}

/// The requests, streams and handlers of a connection, and their waiters.
struct Parts<D: Driver> {
    /// Calls, and events that require an acknowledgement.
    calls: Calls,
    streams: Streams,
    places: Places<D::Task>,
    /// By the requests that were made here.
    outlier: Outlier,
    ending: Ending,
    /// The names of the services that the peer serves.
    peer_services: Names,
}

/// The part of the received bytes that was taken.
pub(crate) struct Intake {
    pub(crate) is_all: bool,
    /// Somebody may wait for it who knows no request.
    pub(crate) is_news: bool,
}

impl<D: Driver> Link<D> {
    pub(crate) fn new(session: Session, driver: D) -> Self {
        Self {
            parts: Parts {
                calls: Calls::default(),
                streams: Streams::default(),
                places: Places::default(),
                outlier: Outlier::new(session.role),
                ending: Ending::default(),
                peer_services: Names::default(),
            },
            session,
            lines: Lines::default(),
            driver,
            time: 0,
            is_held: false,
        }
    }

    /// Says how late it is. The session's time never goes back.
    pub(crate) fn at(&mut self, now: u64) -> u64 {
        self.time = self.time.max(now);
        self.time
    }

    /// Looks at the clock.
    pub(crate) fn now(&mut self) -> u64 {
        let now = self.driver.now();
        self.at(now)
    }

    /// The time, as exactly as the session needs it for a frame: where others wait,
    /// it does not matter when one has come to them.
    fn moment(&mut self) -> u64 {
        if self.session.queue_bytes() > 0 {
            return self.time;
        }
        self.now()
    }

    /// Whether as much waits as goes into one write.
    pub(crate) fn is_filled(&self) -> bool {
        self.session.queue_bytes() >= WRITE_BYTES
    }

    /// Whether what waits fills one more write with a value of so many bytes. A sender of
    /// much lets the driver have its turn then, so that the queue stays short,
    /// and is near when it is written.
    pub(crate) fn fills(&self, bytes: usize) -> bool {
        let waits = self.session.queue_bytes();
        // Of longer ones too few wait for a write: turns cost more than they save.
        bytes < SHORT_BYTES
            && waits > 0
            && waits / WRITE_BYTES < (waits + bytes + MOST_BESIDE) / WRITE_BYTES
    }

    /// Whether there is room, and nobody before waits for it.
    fn has_room(&self, room: Room, ticket: Option<Ticket>) -> bool {
        self.lines.lets_on(room, ticket) && room.is_in(&self.session)
    }

    /// The lines of waiters for room.
    pub(crate) fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }

    /// Takes frames, until so much is to be done. The bytes that are left were not taken. Values
    /// stay by a function of the buffer that they lie in.
    pub(crate) fn receive(
        &mut self,
        bytes: &mut &[u8],
        most: usize,
        todos: &mut Vec<Todo<D>>,
        interface: &impl Interface,
        keep: &impl Fn(&[u8]) -> Bytes,
    ) -> Intake {
        let mut is_news = false;
        while todos.len() < most {
            let Some(incoming) = self.session.receive(bytes, self.time) else {
                let is_all = true;
                return Intake { is_all, is_news };
            };
            is_news |= is_change(&incoming);
            let Some(todo) = self
                .parts
                .take(&self.driver, interface, &incoming, keep, self.time)
            else {
                continue;
            };
            if let Todo::Open(id, _, _, window) = &todo {
                if window.messages > 0 {
                    // Grants are made for a stream that is there.
                    let _ = self.session.grant(*id, window.grant(), self.time);
                }
                self.parts.streams.open(*id, *window);
                self.parts.places.keep(*id);
            }
            todos.push(todo);
        }
        let is_all = false;
        Intake { is_all, is_news }
    }

    /// Takes what ticking, filling or stalling has left to be told. Returns whether somebody
    /// may wait for it who knows no request.
    pub(crate) fn take_news(
        &mut self,
        todos: &mut Vec<Todo<D>>,
        interface: &impl Interface,
    ) -> bool {
        let mut is_news = false;
        while let Some(incoming) = self.session.poll_incoming() {
            is_news |= is_change(&incoming);
            let keep = Bytes::copy_from_slice;
            let todo = self
                .parts
                .take(&self.driver, interface, &incoming, &keep, self.time);
            todos.extend(todo);
        }
        is_news
    }

    /// Lets the session look at its deadlines, if one has passed. Returns whether one has.
    pub(crate) fn tick(&mut self) -> bool {
        let due = self.session.next_timeout();
        let is_due = due.is_some_and(|time| time <= self.time);
        if is_due {
            self.session.tick(self.time);
        }
        is_due
    }

    /// When the session looks at its deadlines next.
    pub(crate) fn due(&self) -> Option<u64> {
        self.session.next_timeout()
    }

    /// Lets a driver give out the frames of one write, and wakes the waiters for which there is
    /// room now. Returns what the driver does.
    pub(crate) fn give_out(&mut self, fill: impl FnOnce(&mut Session, u64) -> usize) -> usize {
        let bytes = fill(&mut self.session, self.time);
        self.is_held = self.has_more();
        self.lines.call(&self.session);
        bytes
    }

    /// Whether more waits to be given out.
    pub(crate) fn has_more(&self) -> bool {
        self.session.queue_bytes() > 0
    }

    /// The types that both sides mean different things by, once the peer's Hello has come.
    pub(crate) fn differences(&self) -> Option<Differences> {
        self.session
            .ready()
            .then(|| Differences::new(&self.session))
    }

    /// The number of refusals that the peer has caused, and the name of the last.
    pub(crate) fn refusals(&self) -> (u64, &'static str) {
        self.session.refusals()
    }
}

/// Whether somebody may wait for it who knows no request.
const fn is_change(incoming: &Incoming<'_>) -> bool {
    matches!(
        incoming,
        Incoming::Ready(_) | Incoming::Draining(_) | Incoming::End(_)
    )
}

#[cfg(test)]
mod tests;
