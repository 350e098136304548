//! The state that the host's threads and the core's thread share.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use mxp::net::{Client, Failure, Reply, Server, ServerHandle};
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch, Notify, Semaphore};
use tokio::task::AbortHandle;
use tracing::Dispatch;

use crate::code::Code;
use crate::completion::{Completion, Outcome};
use crate::mesh::Membership;
use crate::owner::{size_of_u32, CorePointer};
use crate::shapes;
use crate::stream::StreamState;
use crate::ticket::Ticket;
use crate::waitable::Waitable;

/// How many events are in the queue at most: handlers of further ones wait, and so do peers.
const EVENTS_MAX: usize = 1024;

/// How many lines of the log are in the queue at most: further ones are lost.
const LINES_MAX: usize = 1024;

/// A future that the core's thread runs.
pub(crate) type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The answer of the host to a request.
pub(crate) type Answer = Result<Reply, Failure>;

/// A thing that the core's thread is to do.
pub(crate) enum Command {
    /// Runs a future, which `cancel` ends by a tag.
    Run(u64, Job),
    /// Hands an answer to the handler that waits for it.
    Answer(oneshot::Sender<Answer>, Answer),
    /// Wakes a stream.
    Wake(Arc<Notify>),
    /// Closes the core within a time.
    Close(u64, CorePointer, Option<Instant>),
}

/// How far a core has come.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    #[default]
    Open,
    /// Nothing new is begun.
    Closing,
    /// The thread runs nothing any more.
    Closed,
}

/// An operation that has a tag.
#[derive(Default)]
pub(crate) struct Operation {
    pub(crate) abort: Option<AbortHandle>,
    pub(crate) is_cancelled: bool,
}

/// A server, and the addresses at which it listens.
pub(crate) struct ServerEntry {
    pub(crate) server: Server,
    pub(crate) handles: Vec<ServerHandle>,
}

/// A client.
pub(crate) struct ClientEntry {
    pub(crate) client: Client,
    /// The streams of the client end when this is dropped.
    pub(crate) streams: watch::Sender<()>,
}

impl ClientEntry {
    /// Waits for the end of all requests and streams.
    pub(crate) async fn drain(self, reason: &str) {
        self.client.drain(reason).await;
        drop(self.streams);
    }
}

/// The objects that a core ends, by ids.
#[derive(Default)]
pub(crate) struct Objects {
    pub(crate) clients: HashMap<u64, ClientEntry>,
    pub(crate) servers: HashMap<u64, ServerEntry>,
    pub(crate) memberships: HashMap<u64, Membership>,
}

/// The tables, by tags and by ids.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) phase: Phase,
    pub(crate) commands: Vec<Command>,
    is_woken: bool,
    queue: VecDeque<Completion>,
    /// Since when there is something that the host does not take.
    untaken: Option<Instant>,
    /// Whether the descriptor is readable.
    is_set: bool,
    /// Whether the core's thread is to make it so.
    is_due: bool,
    /// How many lines of the log had no room.
    pub(crate) lost_lines: u64,
    pub(crate) operations: HashMap<u64, Operation>,
    pub(crate) objects: Objects,
    pub(crate) requests: HashMap<u64, oneshot::Sender<Answer>>,
    pub(crate) streams: HashMap<u64, Arc<StreamState>>,
}

/// The state of a core.
pub(crate) struct Shared {
    state: Mutex<State>,
    /// There are commands.
    pub(crate) work: Notify,
    /// The descriptor is to be made readable.
    pub(crate) due: Notify,
    pub(crate) waitable: Waitable,
    /// There is something to take, for threads that wait by taking.
    arrival: Condvar,
    pub(crate) runtime: Handle,
    pub(crate) events: Arc<Semaphore>,
    pub(crate) lines: Arc<Semaphore>,
    /// The log, where the host wants one.
    pub(crate) dispatch: OnceLock<Dispatch>,
    next: AtomicU64,
    /// The time behind which a host that takes nothing is stuck.
    patience: Duration,
}

impl Shared {
    pub(crate) fn new(waitable: Waitable, runtime: Handle, patience: Duration) -> Self {
        Self {
            state: Mutex::default(),
            work: Notify::new(),
            due: Notify::new(),
            waitable,
            arrival: Condvar::new(),
            runtime,
            events: Arc::new(Semaphore::new(EVENTS_MAX)),
            lines: Arc::new(Semaphore::new(LINES_MAX)),
            dispatch: OnceLock::new(),
            next: AtomicU64::new(1),
            patience,
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An id that nothing has had.
    pub(crate) fn id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Gives the core's thread something to do. It is woken once for all that waits.
    pub(crate) fn command(&self, command: Command) {
        let mut state = self.lock();
        if state.phase == Phase::Closed {
            // The command is dropped where nothing is locked: its ticket looks at the state.
            drop(state);
            return;
        }
        state.commands.push(command);
        let wakes = !core::mem::replace(&mut state.is_woken, true);
        drop(state);
        if wakes {
            self.work.notify_one();
        }
    }

    /// Takes the commands that wait.
    pub(crate) fn commands(&self) -> Vec<Command> {
        let mut state = self.lock();
        state.is_woken = false;
        core::mem::take(&mut state.commands)
    }

    /// Begins an operation with a tag, which is completed with its outcome.
    pub(crate) fn begin<O: Into<Outcome>>(
        self: &Arc<Self>,
        tag: u64,
        work: impl Future<Output = O> + Send + 'static,
    ) -> Result<(), Code> {
        let ticket = Ticket::new(self, tag)?;
        let job = async move {
            let ticket = ticket.begun();
            ticket.end(work.await);
        };
        self.command(Command::Run(tag, Box::pin(job)));
        Ok(())
    }

    /// Begins an operation that ends an entry of a table, which is taken out where the tag is good.
    pub(crate) fn finish<T, F>(
        self: &Arc<Self>,
        tag: u64,
        id: u64,
        table: fn(&mut State) -> &mut HashMap<u64, T>,
        end: impl FnOnce(T) -> F + Send + 'static,
    ) -> Result<(), Code>
    where
        T: Send + 'static,
        F: Future<Output = ()> + Send,
    {
        let mut state = self.lock();
        state.check()?;
        if !table(&mut state).contains_key(&id) {
            return Err(Code::UnknownId);
        }
        drop(state);
        let (give, get) = oneshot::channel::<T>();
        self.begin(tag, async move {
            if let Ok(entry) = get.await {
                end(entry).await;
            }
            Outcome::Done
        })?;
        let entry = table(&mut self.lock()).remove(&id);
        if let Some(entry) = entry {
            let _ = give.send(entry);
        }
        Ok(())
    }

    /// Puts a completion into the queue.
    pub(crate) fn post(&self, completion: Completion) {
        self.post_in(&mut self.lock(), completion);
    }

    /// Puts a completion into the queue of a state that is locked. The descriptor is made readable
    /// behind all tasks that are ready, so that completions that come together wake once.
    pub(crate) fn post_in(&self, state: &mut State, completion: Completion) {
        if state.queue.is_empty() {
            state.untaken = Some(Instant::now());
        }
        state.queue.push_back(completion);
        if state.is_set {
            return;
        }
        if state.phase == Phase::Closed {
            self.set(state);
        } else if !core::mem::replace(&mut state.is_due, true) {
            self.due.notify_one();
        }
    }

    /// Ends an operation, unless it has ended.
    pub(crate) fn end(&self, tag: u64, outcome: Outcome) {
        let mut state = self.lock();
        let ended = state.operations.remove(&tag);
        if ended.is_some() {
            self.post_in(&mut state, Completion::of_tag(tag, outcome));
        }
    }

    /// The counts of the tables, and whether the host takes what there is.
    pub(crate) fn stats(&self) -> shapes::Stats {
        let state = self.lock();
        let untaken = state.untaken.map_or(Duration::ZERO, |time| time.elapsed());
        shapes::Stats {
            size: size_of_u32::<shapes::Stats>(),
            is_stuck: (untaken > self.patience).into(),
            untaken_us: i64::try_from(untaken.as_micros()).unwrap_or(i64::MAX),
            queued: state.queue.len() as u64,
            operations: state.operations.len() as u64,
            requests: state.requests.len() as u64,
            streams: state.streams.len() as u64,
            clients: state.objects.clients.len() as u64,
            servers: state.objects.servers.len() as u64,
        }
    }

    /// Makes the descriptor readable, if there is something to take.
    pub(crate) fn signal(&self) {
        let mut state = self.lock();
        state.is_due = false;
        if !state.queue.is_empty() && !state.is_set {
            self.set(&mut state);
        }
    }

    /// Tells all who wait for completions.
    pub(crate) fn set(&self, state: &mut State) {
        state.is_set = true;
        self.waitable.set();
        self.arrival.notify_all();
    }

    /// Takes completions, as many as there is room for, as soon as there are any. Returns how many.
    pub(crate) fn take(
        &self,
        room: usize,
        until: Option<Instant>,
        mut put: impl FnMut(usize, Completion),
    ) -> usize {
        let left = until.map_or(Duration::MAX, |time| {
            time.saturating_duration_since(Instant::now())
        });
        let waits =
            |state: &mut State| room > 0 && state.queue.is_empty() && state.phase != Phase::Closed;
        let waited = self.arrival.wait_timeout_while(self.lock(), left, waits);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        let count = room.min(state.queue.len());
        if count == 0 {
            return 0;
        }
        // Free places wake tasks, which is done where nothing is locked.
        let mut permits = Vec::new();
        for (place, mut completion) in state.queue.drain(..count).enumerate() {
            permits.extend(completion.permit.take());
            put(place, completion);
        }
        let is_empty = state.queue.is_empty();
        state.untaken = (!is_empty).then(Instant::now);
        if is_empty && state.is_set {
            state.is_set = false;
            self.waitable.clear();
        }
        drop(state);
        count
    }
}

impl State {
    pub(crate) fn check(&self) -> Result<(), Code> {
        match self.phase {
            Phase::Open => Ok(()),
            Phase::Closing | Phase::Closed => Err(Code::CoreClosed),
        }
    }
}
