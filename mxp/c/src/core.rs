//! Cores: a thread, its runtime, and the end of both.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mxp::net::Failure;
use mxp::session::Status;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tracing::Level;

use crate::code::Code;
use crate::completion::Completion;
use crate::log::Log;
use crate::owner::{CorePointer, Owned};
use crate::shapes::kind;
use crate::shared::{Command, Operation, Phase, Shared};
use crate::signals;
use crate::waitable::Waitable;

/// The reason that peers are told when a core closes.
const CLOSES: &str = "the program closes";

/// A core, as the host's pointer leads to it.
pub struct Core {
    /// The process that has made it.
    process: u32,
    pub(crate) shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

impl Core {
    /// Makes a core with its thread.
    pub(crate) fn new(patience: Duration, level: Option<Level>) -> Result<Self, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| system(&error))?;
        let waitable = Waitable::new().map_err(|error| system(&error))?;
        let shared = Arc::new(Shared::new(waitable, runtime.handle().clone(), patience));
        if let Some(level) = level {
            let _ = shared.dispatch.set(Log::dispatch(&shared, level));
        }
        let there = Arc::clone(&shared);
        let begin = || {
            thread::Builder::new()
                .name("mxp-core".into())
                .spawn(move || run(&there, runtime))
        };
        let thread = signals::without(begin).map_err(|error| system(&error))?;
        Ok(Self {
            process: std::process::id(),
            shared,
            thread,
        })
    }

    /// Whether the process is a fork of that which has made the core, and has no thread of it.
    pub(crate) fn is_forked(&self) -> bool {
        self.process != std::process::id()
    }

    /// Begins to close.
    pub(crate) fn close(
        &self,
        owner: CorePointer,
        until: Option<Instant>,
        tag: u64,
    ) -> Result<(), Code> {
        let mut state = self.shared.lock();
        state.check()?;
        if tag == 0 || state.operations.contains_key(&tag) {
            return Err(Code::BadTag);
        }
        state.phase = Phase::Closing;
        drop(state);
        self.shared.command(Command::Close(tag, owner, until));
        Ok(())
    }

    /// Waits for the end of the thread, which is near.
    pub(crate) fn end(self: Box<Self>) {
        if self.is_forked() {
            // Locks may be held by threads that this process does not have.
            core::mem::forget(self);
            return;
        }
        // Its last completion was taken: it does no more than to end.
        let _ = self.thread.join();
    }
}

/// The failure of a call of the system's.
pub(crate) fn system(error: &io::Error) -> Failure {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    if let Some(failure) = inner {
        return Failure::clone(failure);
    }
    let status = match error.kind() {
        io::ErrorKind::InvalidInput => Status::INVALID_ARGUMENT,
        io::ErrorKind::PermissionDenied => Status::PERMISSION_DENIED,
        io::ErrorKind::AddrInUse => Status::ALREADY_EXISTS,
        io::ErrorKind::NotFound => Status::NOT_FOUND,
        _ => Status::UNAVAILABLE,
    };
    Failure::new(status, "system", error.to_string()).refused()
}

/// The end of a core's thread: nobody waits any more, even if it is that of a panic.
struct ThreadEnd<'a>(&'a Shared);

impl Drop for ThreadEnd<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if state.phase != Phase::Closed {
            state.phase = Phase::Closed;
            self.0.set(&mut state);
        }
    }
}

/// Runs a core, until it is closed.
fn run(shared: &Arc<Shared>, runtime: Runtime) {
    let _end = ThreadEnd(shared);
    let _logged = shared.logged();
    let (tag, owner) = runtime.block_on(serve(shared));
    let rest = core::mem::take(&mut shared.lock().objects);
    drop(rest);
    // Tasks that are dropped complete their tags, requests and streams.
    drop(runtime);
    loop {
        drop(shared.commands());
        let mut state = shared.lock();
        // A host's thread may be just about to give its operation to the core.
        if state.operations.is_empty() {
            state.phase = Phase::Closed;
            let last = Completion {
                owned: Some(Box::new(Owned::Core(owner))),
                ..Completion::plain(kind::TAG, tag, 0)
            };
            shared.post_in(&mut state, last);
            return;
        }
        drop(state);
        thread::yield_now();
    }
}

/// Does what the host commands, until the core has drained or may take no longer.
async fn serve(shared: &Arc<Shared>) -> (u64, CorePointer) {
    let teller = Arc::clone(shared);
    tokio::spawn(async move {
        loop {
            teller.due.notified().await;
            teller.signal();
        }
    });
    let (tag, owner, until) = loop {
        if let Some(closing) = perform(shared) {
            break closing;
        }
        shared.work.notified().await;
    };
    let late = async {
        match until {
            Some(time) => tokio::time::sleep_until(time.into()).await,
            None => core::future::pending().await,
        }
    };
    let work = async {
        loop {
            perform(shared);
            shared.work.notified().await;
        }
    };
    tokio::select! {
        () = drain(shared) => {}
        () = late => {}
        () = work => {}
    }
    (tag, owner)
}

/// Does what waits. Returns the tag and the time of a core that is to be closed.
fn perform(shared: &Arc<Shared>) -> Option<(u64, CorePointer, Option<Instant>)> {
    let mut closing = None;
    for command in shared.commands() {
        match command {
            Command::Run(tag, job) => {
                let is_wanted = |operation: &Operation| !operation.is_cancelled;
                if tag != 0 && !shared.lock().operations.get(&tag).is_some_and(is_wanted) {
                    continue;
                }
                let abort = tokio::spawn(job).abort_handle();
                let mut state = shared.lock();
                if let Some(operation) = state.operations.get_mut(&tag) {
                    if operation.is_cancelled {
                        abort.abort();
                    }
                    operation.abort = Some(abort);
                }
            }
            Command::Answer(place, answer) => {
                // A handler that is gone has told the host so.
                let _ = place.send(answer);
            }
            Command::Wake(notify) => Notify::notify_one(&notify),
            Command::Close(tag, owner, until) => closing = Some((tag, owner, until)),
        }
    }
    closing
}

/// Ends all memberships, clients and servers in order: names are given up before servers end.
async fn drain(shared: &Arc<Shared>) {
    let objects = core::mem::take(&mut shared.lock().objects);
    let mut drains = JoinSet::new();
    for membership in objects.memberships.into_values() {
        drains.spawn(membership.end());
    }
    for entry in objects.clients.into_values() {
        drains.spawn(entry.drain(CLOSES));
    }
    let servers = objects.servers.into_values();
    for handle in servers.flat_map(|entry| entry.handles) {
        drains.spawn(async move { handle.drain(CLOSES).await });
    }
    while drains.join_next().await.is_some() {}
    // Requests that have ended by it complete their tags.
    tokio::task::yield_now().await;
    tokio::task::yield_now().await;
}
