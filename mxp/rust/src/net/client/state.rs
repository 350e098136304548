//! The state that all connections of a client have in common.

use core::time::Duration;
use std::format;
use std::string::String;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use std::vec::Vec;

use tokio::sync::watch;

use crate::engine::repeat::{FailedAttempt, Repeats};
use crate::engine::retry::Retries;
use crate::net::budget::Budget;
use crate::net::clock::Clock;
use crate::net::draws::draw;
use crate::net::intercept::Interceptor;
use crate::net::metrics::Metrics;
use crate::net::peer::Remote;
use crate::net::service::Handlers;
use crate::net::{ClientOptions, Failure, Peer};
use crate::session::{Kind, Side, Status, TypeInfo};

/// The addresses, options and counts of a client, with the requests that wait for a connection.
pub(super) struct Common {
    /// The addresses, as failures name them.
    pub(super) address: String,
    pub(super) remote: Arc<Remote>,
    pub(super) handlers: Arc<Handlers>,
    pub(super) interceptors: Arc<[Interceptor]>,
    pub(super) types: Vec<TypeInfo>,
    pub(super) options: ClientOptions,
    retries: Mutex<Retries>,
    pub(super) clock: Clock,
    pub(super) metrics: Metrics,
    pub(super) budget: Arc<Budget>,
    /// A connection has come or gone.
    pub(super) changed: watch::Sender<()>,
    /// The client leaves, and makes nothing again.
    pub(super) leaves: watch::Sender<bool>,
    /// How many requests wait for a connection.
    pub(super) waiting: AtomicUsize,
    /// The connection is another's, who has accepted it: there is no next one.
    pub(super) is_lent: bool,
}

impl Common {
    /// The state of a client whose connections are its own, or one that another has accepted.
    pub(super) fn new(peer: Peer, options: ClientOptions, is_lent: bool) -> Self {
        Self {
            address: peer.address.clone(),
            remote: Arc::new(Remote::new(peer)),
            handlers: Arc::default(),
            interceptors: options.interceptors[..].into(),
            types: options.services.types(&options.types),
            budget: Budget::new(options.memory_bytes),
            retries: Mutex::new(Retries::new(options.retry)),
            clock: Clock::start(),
            metrics: Metrics::new(Side::Client),
            options,
            changed: watch::channel(()).0,
            leaves: watch::channel(false).0,
            waiting: AtomicUsize::new(0),
            is_lent,
        }
    }

    /// The repetitions of a request with a deadline, or without one.
    pub(super) fn repeats(&self, deadline: Option<Instant>) -> Repeats {
        let deadline = deadline.map(|deadline| self.clock.since(deadline));
        Repeats::new(deadline, self.options.connect_timeout)
    }

    /// Waits until a request is made again that was missed, if it is.
    pub(super) async fn pause(
        &self,
        repeats: &mut Repeats,
        missed: FailedAttempt,
    ) -> Result<(), Failure> {
        let failure = missed.failure.clone();
        let pause = repeats.next(missed, self.clock.now(), draw)?;
        if pause.is_zero() || self.rest(pause).await {
            return Ok(());
        }
        Err(failure)
    }

    /// Waits for a time, unless the client leaves meanwhile. Returns whether it has not.
    pub(super) async fn rest(&self, pause: Duration) -> bool {
        let mut leaves = self.leaves.subscribe();
        tokio::select! {
            biased;
            _ = leaves.wait_for(|leaves| *leaves) => false,
            () = tokio::time::sleep(pause) => true,
        }
    }

    pub(super) fn retries(&self) -> MutexGuard<'_, Retries> {
        self.retries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place among the requests that wait for a connection.
pub(super) struct Waiter<'a>(&'a AtomicUsize);

impl<'a> Waiter<'a> {
    pub(super) fn new(waiting: &'a AtomicUsize, most: usize) -> Result<Self, Failure> {
        let place = Self(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) >= most {
            let mut failure = Failure::of(Kind::LimitInFlight);
            failure.status = Status::UNAVAILABLE;
            failure.text = format!("{most} requests wait for a connection already");
            return Err(failure);
        }
        Ok(place)
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
