//! The options of requests.

use core::time::Duration;
use std::string::String;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use crate::engine::link::{RequestKind, RequestSpec};
use crate::engine::retry::{RetryChoice, RetryPolicy};
use crate::engine::Reply;
use crate::session::TraceContext;

/// The parts of a request besides its value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Options {
    /// The time that the request may take.
    pub deadline: Option<Duration>,
    /// Where it belongs.
    pub trace: Option<TraceContext>,
    /// The metadata that travels beside the value.
    pub metadata: Vec<(String, Vec<u8>)>,
    /// Where what travels beside the answer is put.
    pub(crate) answer: Option<AnswerMetadata>,
    /// By which policy it is made again.
    pub(crate) retry: RetryChoice,
    /// Whether the method is `@idempotent`, where nothing else says it.
    pub(crate) is_idempotent: bool,
}

impl Options {
    /// No deadline, no trace, no metadata.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends after so long.
    #[must_use]
    pub const fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Belongs to a trace.
    #[must_use]
    pub const fn with_trace(mut self, trace: TraceContext) -> Self {
        self.trace = Some(trace);
        self
    }

    /// Adds a key and a value.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.metadata.push((key.into(), value.into()));
        self
    }

    /// Keeps what travels beside the answer.
    ///
    /// ```
    /// use mxp::net::{AnswerMetadata, Options};
    ///
    /// let metadata = AnswerMetadata::new();
    /// let options = Options::new().reading(&metadata);
    /// // Behind a call with these options, of a stub for instance:
    /// assert_eq!(metadata.get("cache"), None);
    /// ```
    #[must_use]
    pub fn reading(mut self, metadata: &AnswerMetadata) -> Self {
        self.answer = Some(metadata.clone());
        self
    }

    /// Is made again by another policy than the client's requests are.
    #[must_use]
    pub fn with_retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = RetryChoice::By(policy);
        self
    }

    /// Is made again by no policy.
    #[must_use]
    pub fn without_retry(mut self) -> Self {
        self.retry = RetryChoice::Never;
        self
    }

    /// Says that the method is `@idempotent`, of a request that names its method by a number: to ask
    /// twice does what asking once does. So a policy may make the request again, and hedge it.
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.is_idempotent = true;
        self
    }

    /// Keeps what travels beside an answer, where that was asked for.
    pub(crate) fn keep(&self, reply: &Reply) {
        if let Some(answer) = &self.answer {
            answer.put(&reply.metadata);
        }
    }

    /// Belongs to what another request is answered with: ends no later than that, is of its
    /// trace, and has its `tracestate` where that has 512 bytes at most.
    ///
    /// ```
    /// use mxp::net::{Client, Failure, Options, Service};
    ///
    /// fn pass_on(client: Client) -> Service {
    ///     Service::new("demo.Front").call(1, move |asked| {
    ///         let client = client.clone();
    ///         async move {
    ///             let options = Options::new().following(&asked);
    ///             client.call("demo.Back", 1, asked.value, &options).await
    ///         }
    ///     })
    /// }
    /// ```
    #[cfg(feature = "tokio")]
    #[must_use]
    pub fn following(mut self, request: &impl ParentRequest) -> Self {
        let Origin {
            left,
            trace,
            metadata,
        } = request.origin();
        self.deadline = [self.deadline, left].into_iter().flatten().min();
        self.trace = self.trace.or(trace);
        let state = first(metadata, TRACE_STATE).filter(|state| state.len() <= TRACE_STATE_BYTES);
        if let (Some(state), None) = (state, first(&self.metadata, TRACE_STATE)) {
            self.metadata.push((TRACE_STATE.into(), state.into()));
        }
        self
    }
}

/// The metadata beside an answer, kept for the caller. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct AnswerMetadata(Arc<Mutex<Pairs>>);

/// Keys and values.
type Pairs = Vec<(String, Vec<u8>)>;

impl AnswerMetadata {
    /// Nothing, until there is an answer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a key, the first if there are several.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        first(&self.lock(), key).map(Into::into)
    }

    /// All of it.
    #[must_use]
    pub fn all(&self) -> Vec<(String, Vec<u8>)> {
        self.lock().clone()
    }

    pub(crate) fn put(&self, metadata: &[(String, Vec<u8>)]) {
        *self.lock() = metadata.to_vec();
    }

    fn lock(&self) -> MutexGuard<'_, Pairs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Clones that share their metadata are equal.
impl PartialEq for AnswerMetadata {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for AnswerMetadata {}

/// W3C's name of what vendors add to a trace, and how long it may be to be passed on.
#[cfg(any(feature = "tokio", feature = "opentelemetry"))]
pub(crate) const TRACE_STATE: &str = "tracestate";
#[cfg(any(feature = "tokio", feature = "opentelemetry"))]
pub(crate) const TRACE_STATE_BYTES: usize = 512;

/// A request, others of which follow: [`Request`](crate::net::Request) and
/// [`typed::Context`](crate::net::typed::Context).
#[cfg(feature = "tokio")]
pub trait ParentRequest: sealed::ParentRequest {}

#[cfg(feature = "tokio")]
impl<T: sealed::ParentRequest> ParentRequest for T {}

#[cfg(feature = "tokio")]
pub(crate) mod sealed {
    use super::{String, TraceContext, Vec};
    use core::time::Duration;

    /// The deadline, trace and metadata that a request passes on.
    #[derive(Debug)]
    pub struct Origin<'a> {
        pub left: Option<Duration>,
        pub trace: Option<TraceContext>,
        pub metadata: &'a [(String, Vec<u8>)],
    }

    pub trait ParentRequest {
        fn origin(&self) -> Origin<'_>;
    }
}

#[cfg(feature = "tokio")]
use sealed::Origin;

/// The value of a key, the first if there are several.
pub(crate) fn first<'a>(metadata: &'a [(String, Vec<u8>)], key: &str) -> Option<&'a [u8]> {
    let mut pairs = metadata.iter();
    pairs.find_map(|(name, value)| (name == key).then_some(&value[..]))
}

/// The method that a client asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MethodRef<'a> {
    pub(crate) service: &'a str,
    pub(crate) number: u16,
    pub(crate) name: &'static str,
    pub(crate) is_idempotent: bool,
}

impl<'a> MethodRef<'a> {
    /// A method of a known number, and idempotent where the options of the request say it.
    pub(crate) const fn numbered(service: &'a str, number: u16, options: &Options) -> Self {
        let mut method = Self::number(service, number);
        method.is_idempotent = options.is_idempotent;
        method
    }

    /// A method of which only the number is known.
    pub(crate) const fn number(service: &'a str, number: u16) -> Self {
        Self {
            service,
            number,
            name: "",
            is_idempotent: false,
        }
    }

    /// The request, as it can be made on any connection.
    pub(crate) fn what(self, kind: RequestKind<'a>, options: &'a Options) -> RequestSpec<'a> {
        RequestSpec {
            service: self.service,
            method: self.number,
            trace: options.trace,
            metadata: &options.metadata,
            kind,
        }
    }
}
