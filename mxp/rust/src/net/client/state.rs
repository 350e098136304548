//! The state that all connections of a client have in common.

use std::format;
use std::string::String;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::vec::Vec;

use tokio::sync::watch;

use crate::net::budget::Budget;
use crate::net::intercept::Interceptor;
use crate::net::metrics::Metrics;
use crate::net::peer::Remote;
use crate::net::retry::Retries;
use crate::net::service::Handlers;
use crate::net::{ClientOptions, Failure};
use crate::session::{Kind, Status, TypeInfo};

/// The addresses, options and counts of a client, with those who wait for a connection.
pub(super) struct Common {
    /// The addresses, as failures name them.
    pub(super) address: String,
    pub(super) remote: Arc<Remote>,
    pub(super) handlers: Arc<Handlers>,
    pub(super) interceptors: Arc<[Interceptor]>,
    pub(super) types: Vec<TypeInfo>,
    pub(super) options: ClientOptions,
    pub(super) retries: Retries,
    pub(super) metrics: Metrics,
    pub(super) budget: Arc<Budget>,
    /// A connection has come or gone.
    pub(super) changed: watch::Sender<()>,
    /// How many requests wait for a connection.
    pub(super) waiting: AtomicUsize,
    /// The connection is another's, who has accepted it: there is no next one.
    pub(super) is_lent: bool,
}

/// A place among the requests that wait for a connection.
pub(super) struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
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

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
