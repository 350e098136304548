//! The state of a connection: its session, and who waits for what on it.

use core::task::Waker;
use std::boxed::Box;
use std::string::String;
use std::sync::Arc;
use std::time::Instant;
use std::vec::Vec;

use tokio::task::AbortHandle;

use crate::net::agents::Agents;
use crate::net::clock::Clock;
use crate::net::ids::IdMap;
use crate::net::input::Input;
use crate::net::line::{Lines, Room, Ticket};
use crate::net::methods::Methods;
use crate::net::names::Names;
use crate::net::outage::Differences;
use crate::net::outlier::Outlier;
use crate::net::output::{Output, MANY_BYTES};
use crate::net::peer::Remote;
use crate::net::Window;
use crate::net::{Failure, Reply};
use crate::session::ring::Ring;
use crate::session::{Incoming, Role, Session};

mod ask;
mod dispatch;
mod entry;
mod life;
mod load;
mod places;
mod streams;
mod todo;

pub(crate) use ask::{Asking, Refused, What};
pub(crate) use entry::Hold;
pub(crate) use life::SessionEnd;
pub(crate) use load::Load;
pub(crate) use places::RequestEnd;
pub(crate) use streams::{Attempt, Step};
pub(crate) use todo::{Batch, Todo};

use entry::{Entry, Unread};

/// Below how many bytes a value is short.
const SHORT_BYTES: usize = 512;

/// How many bytes frames mostly have beside their values, at most.
const MOST_BESIDE: usize = 64;

/// The session of a connection, the time that it was told, and who waits for room in it.
///
/// The connection's task says the time once a turn, for all that it does in that. Others come
/// at any time, for which the clock is looked at.
pub(crate) struct State {
    session: Session,
    desk: Desk,
    lines: Lines,
    clock: Clock,
    /// The latest time that the session was told.
    time: u64,
    /// Something waits that could not be given out, maybe for long.
    is_held: bool,
}

/// The requests, streams and handlers of a connection, and who waits for them.
struct Desk {
    /// The names of the services that the peer serves.
    peer_services: Names,
    /// Calls, and events that require an acknowledgement.
    calls: Ring<Waiting>,
    streams: IdMap<Entry>,
    /// The tasks that answer the peer's requests. One that is only just being made
    /// has no handle.
    handlers: IdMap<Option<AbortHandle>>,
    /// By the requests that were made here.
    outlier: Outlier,
    /// Why the session has ended.
    ended: Option<Failure>,
    /// The reason that the socket gave when the connection was lost.
    cause: String,
    /// The other side, for handlers.
    remote: Arc<Remote>,
    /// The peer has said nothing but that this side may not connect.
    is_unwanted: bool,
    /// That was TLS, which one side has refused.
    is_distrusted: bool,
    /// The connection is to be closed now.
    is_closed: bool,
    /// The window of a stream that the peer opens, for what it may send at first.
    window: Window,
    /// The bytes of chunks that nobody has taken.
    unread: Unread,
    /// The directory that answers the peer's agent requests, and what this connection is
    /// called there.
    agents: Option<(Arc<Agents>, u64)>,
    /// The bytes of answers that wait for room.
    answer_bytes: usize,
}

impl Desk {
    fn new(role: Role, remote: Arc<Remote>) -> Self {
        Self {
            peer_services: Names::default(),
            calls: Ring::default(),
            streams: IdMap::default(),
            handlers: IdMap::default(),
            outlier: Outlier::new(role),
            ended: None,
            cause: String::new(),
            remote,
            is_unwanted: false,
            is_distrusted: false,
            is_closed: false,
            window: Window::default(),
            unread: Unread::default(),
            agents: None,
            answer_bytes: 0,
        }
    }
}

/// An answer that is waited for, or was not taken yet.
enum Waiting {
    /// The waker of the task that waits for it, if that is known already.
    Asked(Option<Waker>),
    Answered(Result<Reply, Box<Failure>>),
}

/// How much was taken of what came.
pub(crate) struct Received {
    pub(crate) is_all: bool,
    /// Somebody may wait for it who knows no request.
    pub(crate) is_news: bool,
}

impl State {
    pub(crate) fn new(session: Session, clock: Clock, remote: Arc<Remote>) -> Self {
        Self {
            desk: Desk::new(session.role, remote),
            session,
            lines: Lines::default(),
            clock,
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
    fn now(&mut self) -> u64 {
        let now = self.clock.now();
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
        self.session.queue_bytes() >= MANY_BYTES
    }

    /// Whether what waits fills one more write with a value of so many bytes. Who sends
    /// much lets the connection's task have its turn then, so that what waits stays little,
    /// and is near when it is written.
    pub(crate) fn fills(&self, bytes: usize) -> bool {
        let waits = self.session.queue_bytes();
        // Of longer ones too few wait for a write: turns cost more than they save.
        bytes < SHORT_BYTES
            && waits > 0
            && waits / MANY_BYTES < (waits + bytes + MOST_BESIDE) / MANY_BYTES
    }

    /// Whether there is room, and nobody before waits for it.
    fn has_room(&self, room: Room, ticket: Option<Ticket>) -> bool {
        self.lines.lets_on(room, ticket) && room.is_in(&self.session)
    }

    /// Puts somebody into the line for room, who leaves the one for other room.
    pub(crate) fn join_line(&mut self, room: Room, ticket: &mut Option<Ticket>, waker: &Waker) {
        if ticket.is_some_and(|ticket| ticket.room != room) {
            self.leave_line(ticket);
        }
        let ticket = *ticket.get_or_insert_with(|| self.lines.join(room));
        self.lines.wait(ticket, waker);
    }

    /// Lets somebody leave the line, if there is one.
    pub(crate) fn leave_line(&mut self, ticket: &mut Option<Ticket>) {
        if let Some(ticket) = ticket.take() {
            self.lines.leave(ticket);
        }
    }

    /// Lets all who wait for room try, since the connection is another.
    pub(crate) fn call_all(&mut self) {
        self.lines.call_all();
    }

    /// Takes frames, until so much is to be done. What is left of the bytes was not taken.
    pub(crate) fn receive(
        &mut self,
        bytes: &mut &[u8],
        most: usize,
        todos: &mut Vec<Todo>,
        methods: &Methods,
        input: &Input,
    ) -> Received {
        let mut is_news = false;
        while todos.len() < most {
            let Some(incoming) = self.session.receive(bytes, self.time) else {
                let is_all = true;
                return Received { is_all, is_news };
            };
            is_news |= is_change(&incoming);
            let Some(todo) = self.desk.take(methods, &incoming, input) else {
                continue;
            };
            if let Todo::Open(id, _, _, window) = &todo {
                if window.messages > 0 {
                    // Grants are made for a stream that is there.
                    let _ = self.session.grant(*id, window.grant(), self.time);
                }
                self.desk.open(*id, *window);
                self.desk.handlers.insert(*id, None);
            }
            todos.push(todo);
        }
        let is_all = false;
        Received { is_all, is_news }
    }

    /// Takes what ticking, filling or stalling has left to be told. Returns whether somebody
    /// may wait for it who knows no request.
    pub(crate) fn take_news(
        &mut self,
        todos: &mut Vec<Todo>,
        methods: &Methods,
        input: &Input,
    ) -> bool {
        let mut is_news = false;
        while let Some(incoming) = self.session.poll_incoming() {
            is_news |= is_change(&incoming);
            todos.extend(self.desk.take(methods, &incoming, input));
        }
        is_news
    }

    /// Lets the session look at its deadlines, if one has passed.
    pub(crate) fn tick(&mut self) {
        if self
            .session
            .next_timeout()
            .is_some_and(|at| at <= self.time)
        {
            self.session.tick(self.time);
        }
    }

    /// When the session looks at its deadlines next.
    pub(crate) fn due(&self) -> Option<Instant> {
        let at = self.session.next_timeout()?;
        self.clock.instant(at)
    }

    /// Gives out the frames that go into one write, where all were written, and calls those
    /// for whom there is room now. Returns how many bytes it has given out.
    pub(crate) fn give_out(&mut self, output: &mut Output) -> usize {
        let mut bytes = 0;
        if output.is_empty() {
            bytes = output.fill(&mut self.session, self.time);
        }
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

    /// How often the peer was refused, and why last.
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
