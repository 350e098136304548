//! Requests, as handlers and interceptors have them.

use core::time::Duration;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use bytes::Bytes;

use crate::engine::driver::Arrival;
use crate::net::clock::Clock;
use crate::net::mesh::Delivery;
use crate::net::peer::Remote;
use crate::net::request_options::{first, sealed};
use crate::net::wait::Wait;
use crate::net::Peer;
use crate::session::TraceContext;

/// A request of a peer's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// Number of the method.
    pub method: u16,
    /// The value of the request.
    pub value: Bytes,
    /// The metadata that travels beside the value.
    pub metadata: Vec<(String, Vec<u8>)>,
    /// The time that the peer waits.
    pub deadline: Option<Duration>,
    /// Where the request belongs.
    pub trace: Option<TraceContext>,
    pub(crate) remote: Arc<Remote>,
    /// The time that the peer waits, and the start of the wait.
    pub(crate) wait: Option<Wait>,
}

impl Request {
    /// A request that has come by a connection, by whose clock.
    #[inline]
    pub(crate) fn arrived(arrival: Arrival, remote: &Arc<Remote>, clock: Clock) -> Self {
        let wait = arrival.deadline.and_then(|most| {
            let begun = clock.instant(arrival.time)?;
            Some(Wait { begun, most })
        });
        Self {
            method: arrival.method,
            value: arrival.value,
            metadata: arrival.metadata,
            deadline: arrival.deadline,
            trace: arrival.trace,
            remote: Arc::clone(remote),
            wait,
        }
    }

    /// An event that has come by no connection.
    pub(crate) fn delivered(method: u16, value: Vec<u8>, remote: Arc<Remote>) -> Self {
        Self {
            method,
            value: value.into(),
            metadata: Vec::new(),
            deadline: None,
            trace: None,
            remote,
            wait: None,
        }
    }

    /// The other side: who asks, or for an interceptor of a client, who is asked.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.remote.peer
    }

    /// How an event of the mesh was delivered that a [`Subscriber`](crate::net::Subscriber) has
    /// heard: its number, when it was published, how often it was delivered. The value is not in
    /// it. Requests that came by a connection have no delivery.
    #[must_use]
    pub fn delivery(&self) -> Option<&Delivery> {
        self.remote.delivery.as_ref()
    }

    /// The value of a key that travels beside the value, the first if there are several.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&[u8]> {
        first(&self.metadata, key)
    }
}

impl sealed::ParentRequest for Request {
    fn origin(&self) -> sealed::Origin<'_> {
        let left = self.wait.map(Wait::left);
        sealed::Origin {
            left: [self.deadline, left].into_iter().flatten().min(),
            trace: self.trace,
            metadata: &self.metadata,
        }
    }
}
