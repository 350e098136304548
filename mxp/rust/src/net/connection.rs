//! A connection, as those see it who use it.

use core::fmt;
use core::task::Waker;
use std::string::String;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::net::agents::Agents;
use crate::net::budget::{Budget, Share};
use crate::net::entry::{Entry, Unread};
use crate::net::ids::IdMap;
use crate::net::line::Lines;
use crate::net::methods::Methods;
use crate::net::names::Names;
use crate::net::output::MANY_BYTES;
use crate::net::peer::{Peer, Remote};
use crate::net::Window;
use crate::net::{Failure, Reply};
use crate::session::{Config, Kind, Role, Session, Stats};

mod ask;
mod in_line;
mod life;

pub(crate) use ask::{Asking, Made, Refused, What};
pub(crate) use in_line::InLine;

/// Below how many bytes a value is short.
const SHORT_BYTES: usize = 512;

/// How many bytes frames mostly have beside their values, at most.
const MOST_BESIDE: usize = 64;

/// A connection: its session, and who waits for what on it.
pub(crate) struct Connection {
    state: Mutex<State>,
    /// Something was queued, or is to be looked at by the connection's task.
    pub(crate) wake: Arc<Notify>,
    /// The state is another.
    pub(crate) changed: Notify,
    /// The methods that this side serves.
    pub(crate) methods: Arc<Methods>,
    /// The other side.
    pub(crate) remote: Arc<Remote>,
    /// The share that it has of the budget.
    pub(crate) share: Arc<Share>,
    start: Instant,
}

pub(crate) struct State {
    pub(crate) session: Session,
    pub(crate) desk: Desk,
    pub(crate) lines: Lines,
    /// The latest time that the session was told.
    clock: u64,
    /// Something waits that could not be given out, maybe for long.
    pub(crate) is_held: bool,
}

impl State {
    /// The time for the session, to which it never goes back.
    pub(crate) fn time(&mut self, now: u64) -> u64 {
        self.clock = self.clock.max(now);
        self.clock
    }

    /// The time, as exactly as the session needs it for a frame: where others wait,
    /// it does not matter when one has come to them.
    pub(crate) fn moment(&mut self, connection: &Connection) -> u64 {
        if self.session.queue_bytes() > 0 {
            return self.clock;
        }
        self.time(connection.now())
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
}

/// The requests, streams and handlers of a connection, and who waits for them.
#[derive(Default)]
pub(crate) struct Desk {
    /// The names of the services that the peer serves.
    pub(crate) peer_services: Names,
    /// Calls, and events that require an acknowledgement.
    pub(crate) calls: IdMap<Waiting>,
    pub(crate) streams: IdMap<Entry>,
    /// The tasks that answer the peer's requests. One that is only just being made
    /// has no handle.
    pub(crate) handlers: IdMap<Option<AbortHandle>>,
    /// Why the session has ended.
    pub(crate) ended: Option<Failure>,
    /// The reason that the socket gave when the connection was lost.
    pub(crate) cause: String,
    /// The other side, for handlers.
    pub(crate) remote: Arc<Remote>,
    /// The peer has said nothing but that this side may not connect.
    pub(crate) is_unwanted: bool,
    /// That was TLS, which one side has refused.
    pub(crate) is_distrusted: bool,
    /// The connection is to be closed now.
    pub(crate) is_closed: bool,
    /// The window of a stream that the peer opens, for what it may send at first.
    pub(crate) window: Window,
    /// The bytes of chunks that nobody has taken.
    pub(crate) unread: Unread,
    /// The directory that answers the peer's agent requests, and what this connection is
    /// called there.
    pub(crate) agents: Option<(Arc<Agents>, u64)>,
    /// The bytes of answers that wait for room.
    pub(crate) answer_bytes: usize,
}

/// An answer that is waited for, or was not taken yet.
pub(crate) enum Waiting {
    /// The waker of the task that waits for it, if that is known already.
    Asked(Option<Waker>),
    Answered(Result<Reply, Failure>),
}

impl Desk {
    /// Gives an answer to who waits for it. Returns whether it was waited for.
    pub(crate) fn answer(
        &mut self,
        id: u64,
        answer: impl FnOnce() -> Result<Reply, Failure>,
    ) -> bool {
        let Some(waiting) = self.calls.get_mut(&id) else {
            return false;
        };
        let asked = core::mem::replace(waiting, Waiting::Answered(answer()));
        if let Waiting::Asked(Some(waker)) = asked {
            waker.wake();
        }
        true
    }
}

impl Remote {
    /// The connection, as long as there is one.
    pub(crate) fn connection(&self) -> Option<Arc<Connection>> {
        let connection = self.connection.get().and_then(Weak::upgrade);
        connection.and_then(|one| one.downcast().ok())
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    pub(crate) fn new(
        config: Config,
        role: Role,
        methods: Arc<Methods>,
        peer: Peer,
    ) -> Result<Self, Kind> {
        let mut config = config;
        for service in methods.services() {
            config = config.with_service(service);
        }
        let session = Session::new(config, role, 0)?;
        let remote = Arc::new(Remote::new(peer));
        let desk = Desk {
            remote: Arc::clone(&remote),
            ..Desk::default()
        };
        let wake = Arc::default();
        Ok(Self {
            state: Mutex::new(State {
                session,
                desk,
                lines: Lines::default(),
                clock: 0,
                is_held: false,
            }),
            changed: Notify::new(),
            methods,
            remote,
            share: Budget::new(Some(usize::MAX)).share(&wake),
            wake,
            start: Instant::now(),
        })
    }

    /// Lets so much be on its way on each stream that the peer opens.
    pub(crate) fn with_window(mut self, window: Window) -> Self {
        let state = self.state.get_mut();
        state.unwrap_or_else(PoisonError::into_inner).desk.window = window;
        self
    }

    /// Answers agent requests out of a directory, as those of an owner.
    pub(crate) fn with_agents(mut self, agents: Option<(Arc<Agents>, u64)>) -> Self {
        let state = self.state.get_mut();
        state.unwrap_or_else(PoisonError::into_inner).desk.agents = agents;
        self
    }

    /// Has its share of a budget.
    pub(crate) fn of_budget(mut self, budget: &Arc<Budget>) -> Arc<Self> {
        self.share = budget.share(&self.wake);
        let connection = Arc::new(self);
        let weak: Weak<Self> = Arc::downgrade(&connection);
        let _ = connection.remote.connection.set(weak);
        connection
    }

    /// Microseconds since the connection began.
    pub(crate) fn now(&self) -> u64 {
        self.since(Instant::now())
    }

    /// Microseconds from when the connection began to a time.
    pub(crate) fn since(&self, time: Instant) -> u64 {
        let elapsed = time.saturating_duration_since(self.start);
        u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX)
    }

    /// The time that is so many microseconds after the connection began.
    pub(crate) fn instant(&self, at: u64) -> Option<Instant> {
        let after = core::time::Duration::from_micros(at);
        self.start.checked_add(after)
    }

    /// Nothing panics while it holds the state.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut stats = self.lock().session.stats();
        stats.held = self.share.bytes();
        stats
    }

    /// Why the peer lets this side not in, if it has said nothing else.
    pub(crate) fn refusal(&self) -> Option<Failure> {
        let state = self.lock();
        let is_refused = state.desk.is_unwanted && state.session.is_silent();
        state.desk.ended.clone().filter(|_| is_refused)
    }

    /// Tells the peer why it is not let in.
    pub(crate) fn reject(&self, failure: &Failure) {
        let mut state = self.lock();
        let now = state.time(self.now());
        state.session.reject(&failure.lent(), now);
    }

    /// How many requests are in flight, if more can be made.
    pub(crate) fn load(&self) -> Option<usize> {
        let state = self.lock();
        state.session.may_ask().ok()?;
        let (there, here) = state.session.in_flight();
        Some(there + here)
    }

    /// Whether requests can be made.
    #[cfg(test)]
    pub(crate) fn is_usable(&self) -> bool {
        self.lock().session.may_ask().is_ok()
    }

    /// Makes and takes no new requests, and closes the connection when what is in
    /// flight has ended.
    pub(crate) fn drain(&self, reason: &str) {
        let mut state = self.lock();
        let now = state.time(self.now());
        // One that has ended is closed anyway, when the handlers of events that came are
        // done.
        let _ = state.session.drain(reason, now);
        state.lines.call_all();
        drop(state);
        self.wake.notify_one();
        self.changed.notify_waiters();
    }

    /// Tells all who wait for something that the connection is another.
    pub(crate) fn tell_all(&self) {
        self.lock().lines.call_all();
        self.changed.notify_waiters();
    }

    /// Closes the connection without waiting for anything.
    pub(crate) fn close(&self) {
        self.lock().desk.is_closed = true;
        self.wake.notify_one();
    }

    /// Waits until something is so.
    pub(crate) async fn until<T>(&self, mut is_so: impl FnMut(&mut State) -> Option<T>) -> T {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(found) = is_so(&mut self.lock()) {
                return found;
            }
            changed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;
    use std::vec::Vec;

    use super::*;
    use crate::net::Options;
    use crate::session::Value;

    fn sent(session: &mut Session) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Some(out) = session.poll_frame(0) {
            bytes.extend(out.to_vec());
        }
        bytes
    }

    /// A connection whose peer serves `t.T`.
    fn greeted() -> Arc<Connection> {
        let connection =
            Connection::new(Config::new(), Role::Opener, Arc::default(), Peer::default()).unwrap();
        let config = Config::new().with_service("t.T");
        let mut peer = Session::new(config, Role::Acceptor, 0).unwrap();
        let hello = sent(&mut peer);
        let mut state = connection.lock();
        sent(&mut state.session);
        assert!(state.session.receive(&mut &hello[..], 0).is_some());
        state.desk.peer_services = ["t.T"].into_iter().collect();
        drop(state);
        Arc::new(connection)
    }

    fn call(connection: &Arc<Connection>, time_left: Option<Duration>) {
        let what = What {
            service: "t.T",
            method: 1,
            options: &Options::new(),
            kind: Asking::Call,
        };
        let made = connection.ask(&what, &Value::default(), time_left, None);
        assert!(made.is_ok());
        // It is not taken back.
        core::mem::forget(made);
    }

    #[test]
    fn a_call_behind_what_is_held_has_its_own_time() {
        let connection = greeted();
        let ask = || {
            std::thread::sleep(Duration::from_millis(2));
            call(&connection, None);
            connection.lock().clock
        };
        let first = ask();
        assert!(first > 0);
        assert_eq!(ask(), first);
        connection.lock().is_held = true;
        assert!(ask() > first);
    }

    /// Else a call whose turn has come would end when its peer is found silent.
    #[tokio::test]
    async fn a_deadline_behind_what_is_held_is_minded() {
        let connection = greeted();
        call(&connection, None);
        connection.wake.notified().await;
        connection.lock().is_held = true;
        call(&connection, Some(Duration::from_millis(50)));
        let woken = tokio::time::timeout(Duration::from_secs(5), connection.wake.notified());
        assert!(woken.await.is_ok());
    }
}
