//! A connection, as those see it who use it.

use core::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::engine::driver::{Arrival, Driver};
use crate::engine::link;
use crate::net::agents::Agents;
use crate::net::budget::{Budget, Share};
use crate::net::clock::Clock;
use crate::net::methods::Methods;
use crate::net::peer::{Peer, Remote};
use crate::net::{Failure, Request, Window};
use crate::session::{Config, Kind, Role, Session, Stats};

mod line_place;
mod submission;

pub(crate) use line_place::LinePlace;
pub(crate) use submission::Submission;

/// The state of a connection.
pub(crate) type State = link::Link<Host>;

/// The work that is left for the task of a connection.
pub(crate) type Todo = link::Todo<Host>;

/// The program around a connection: a task on Tokio.
#[derive(Debug)]
pub(crate) struct Host {
    clock: Clock,
    remote: Arc<Remote>,
}

impl Driver for Host {
    type Task = AbortHandle;
    type Request = Request;

    fn now(&self) -> u64 {
        self.clock.now()
    }

    #[inline]
    fn request(&self, arrival: Arrival) -> Request {
        Request::arrived(arrival, &self.remote, self.clock)
    }

    fn bytes(request: &Request) -> usize {
        request.value.len()
    }
}

/// A connection: its state, and the tasks that are told of its changes.
pub(crate) struct Connection {
    state: Mutex<State>,
    /// Something was queued, or is to be looked at by the connection's task.
    pub(crate) wake: Arc<Notify>,
    /// The state is another.
    changed: Notify,
    /// The methods that this side serves.
    pub(crate) methods: Arc<Methods>,
    /// The other side.
    pub(crate) remote: Arc<Remote>,
    /// The directory that answers the peer's agent requests, and what this connection is
    /// called there.
    pub(crate) agents: Option<(Arc<Agents>, u64)>,
    /// The share that it has of the budget.
    pub(crate) share: Arc<Share>,
    pub(crate) clock: Clock,
}

impl Remote {
    /// The connection, as long as there is one.
    pub(crate) fn connection(&self) -> Option<Arc<Connection>> {
        let connection = self.connection.get().and_then(Weak::upgrade);
        connection.and_then(|any| any.downcast().ok())
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
        let clock = Clock::start();
        let wake = Arc::default();
        Ok(Self {
            state: Mutex::new(State::new(
                session,
                Host {
                    clock,
                    remote: Arc::clone(&remote),
                },
            )),
            changed: Notify::new(),
            methods,
            remote,
            agents: None,
            share: Budget::new(Some(usize::MAX)).share(&wake),
            wake,
            clock,
        })
    }

    /// Lets so much be on its way on each stream that the peer opens.
    pub(crate) fn with_window(mut self, window: Window) -> Self {
        let state = self.state.get_mut();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        state.open_windows(window);
        self
    }

    /// Answers agent requests out of a directory, for an owner.
    pub(crate) fn with_agents(mut self, agents: Option<(Arc<Agents>, u64)>) -> Self {
        self.agents = agents;
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

    /// Nothing panics while it holds the state.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut stats = self.lock().stats();
        stats.held = self.share.bytes();
        stats
    }

    /// Makes and takes no new requests, and closes the connection when what is in
    /// flight has ended.
    pub(crate) fn drain(&self, reason: &str) {
        self.lock().drain(reason);
        self.wake.notify_one();
        self.changed.notify_waiters();
    }

    /// Tells all who wait for something that the connection is another.
    pub(crate) fn tell_all(&self) {
        self.lock().lines().call_all();
        self.changed.notify_waiters();
    }

    /// Closes the connection without waiting for anything.
    pub(crate) fn close(&self) {
        self.lock().close();
        self.wake.notify_one();
    }

    /// Waits until requests can be made, or the connection has ended.
    pub(crate) async fn ready(&self) -> Result<(), Failure> {
        self.until(State::readiness).await
    }

    /// Waits until no new requests can be made.
    pub(crate) async fn unusable(&self) {
        self.until(|state| (!state.is_usable()).then_some(())).await;
    }

    /// Waits until the connection is closed.
    pub(crate) async fn closed(&self) {
        self.until(|state| state.is_closed().then_some(())).await;
    }

    /// Waits until something is so.
    async fn until<T>(&self, is_so: impl Fn(&State) -> Option<T>) -> T {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(found) = is_so(&self.lock()) {
                return found;
            }
            changed.await;
        }
    }
}
