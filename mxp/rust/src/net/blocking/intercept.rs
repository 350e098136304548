//! The interceptors of a client for threads.

use core::fmt;
use core::time::Duration;
use std::boxed::Box;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use bytes::Bytes;

use crate::net::request_options::{first, MethodRef};
use crate::net::{Failure, MethodKind, Options, Reply};
use crate::session::TraceContext;

/// A request of a client's, as its interceptors see and change it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The value of the request.
    pub value: Bytes,
    /// The metadata that travels beside the value.
    pub metadata: Vec<(String, Vec<u8>)>,
    /// The time that the request may take, interceptors included.
    pub deadline: Option<Duration>,
    /// Where the request belongs.
    pub trace: Option<TraceContext>,
}

impl Request {
    /// The value of a key that travels beside the value, the first if there are several.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&[u8]> {
        first(&self.metadata, key)
    }

    pub(super) fn new(value: Bytes, options: &Options) -> Self {
        Self {
            value,
            metadata: options.metadata.clone(),
            deadline: options.deadline,
            trace: options.trace,
        }
    }

    /// The options of the request, of which the others stay as they were.
    pub(super) fn options(&mut self, changes: &Options) -> Options {
        let mut options = changes.clone();
        options.metadata = core::mem::take(&mut self.metadata);
        (options.deadline, options.trace) = (self.deadline, self.trace);
        options
    }
}

/// Stands around a request.
pub(super) type Interceptor =
    Arc<dyn Fn(Request, &Next<'_>) -> Result<Reply, Failure> + Send + Sync>;

/// The last step: the request itself.
pub(super) type Last<'a> = Box<dyn Fn(Request) -> Result<Reply, Failure> + 'a>;

/// The steps behind an interceptor: further interceptors, and then the peer.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    pub(super) of: MethodRef<'a>,
    pub(super) kind: MethodKind,
    pub(super) chain: &'a [Interceptor],
    pub(super) last: &'a Last<'a>,
}

impl Next<'_> {
    /// Full name of the service that is asked.
    #[must_use]
    pub const fn service(&self) -> &str {
        self.of.service
    }

    /// Number of the method that is asked for.
    #[must_use]
    pub const fn number(&self) -> u16 {
        self.of.number
    }

    /// Name of the method that is asked for; empty for one that is known by its number
    /// alone.
    #[must_use]
    pub const fn name(&self) -> &str {
        self.of.name
    }

    /// Whether to ask twice does what asking once does, as far as it is known.
    #[must_use]
    pub const fn is_idempotent(&self) -> bool {
        self.of.is_idempotent
    }

    /// The kind of the method.
    #[must_use]
    pub const fn kind(&self) -> MethodKind {
        self.kind
    }

    /// Lets the request pass, and waits for its result: a call's answer, or for any other request a
    /// [`Reply`] without value once it was taken. A stream is open then. May be called again.
    ///
    /// # Errors
    ///
    /// The failures of the inner interceptors and of the request itself. Where a stream is open
    /// that passes again, `exchange_ended`.
    pub fn run(&self, request: Request) -> Result<Reply, Failure> {
        match self.chain.split_first() {
            Some((interceptor, chain)) => interceptor(request, &Next { chain, ..*self }),
            None => (self.last)(request),
        }
    }
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next")
            .field("service", &self.of.service)
            .field("name", &self.of.name)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}
