//! The services of a side.

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;
use std::boxed::Box;
use std::collections::{BTreeMap, BTreeSet};
use std::format;
use std::string::String;
use std::sync::Arc;
use std::task::Wake;
use std::time::Instant;
use std::vec::Vec;

use bytes::Bytes;
use tracing::warn;

use crate::net::failure::{listed, method_name, LISTED_MAX};
use crate::net::metrics::{Measured, Meter, Metrics};
use crate::net::peer::Remote;
use crate::net::request::{first, sealed};
use crate::net::wait::Wait;
use crate::net::MethodKind;
use crate::net::{Failure, Peer, Reply, Stream};
use crate::session::{Kind, Status, TraceContext, TypeInfo};

/// A request of a peer's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Asked {
    /// Number of the method.
    pub method: u16,
    /// The value of the request.
    pub value: Bytes,
    /// The metadata that travels beside the value.
    pub metadata: Vec<(String, Vec<u8>)>,
    /// How long the peer waits.
    pub deadline: Option<Duration>,
    /// Where the request belongs.
    pub trace: Option<TraceContext>,
    pub(crate) remote: Arc<Remote>,
    /// How long the peer waits, and since when.
    pub(crate) wait: Option<Wait>,
}

impl Asked {
    /// The other side: who asks, or for an interceptor of a client, who is asked.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.remote.peer
    }

    /// The value of a key that travels beside the value, the first if there are several.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&[u8]> {
        first(&self.metadata, key)
    }
}

impl sealed::Followed for Asked {
    fn origin(&self) -> sealed::Origin<'_> {
        let left = self.wait.map(Wait::left);
        sealed::Origin {
            left: [self.deadline, left].into_iter().flatten().min(),
            trace: self.trace,
            metadata: &self.metadata,
        }
    }
}

/// The future of a handler's answer.
pub(crate) type Answer<T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send>>;

#[derive(Clone)]
pub(crate) enum Method {
    Call(Arc<dyn Fn(Asked) -> Answer<Reply> + Send + Sync>),
    Stream(Arc<dyn Fn(Asked, Stream) -> Answer<()> + Send + Sync>),
    Event(Arc<dyn Fn(Asked) -> Told + Send + Sync>),
}

impl Method {
    pub(crate) const fn kind(&self) -> MethodKind {
        match self {
            Self::Call(_) => MethodKind::Call,
            Self::Stream(_) => MethodKind::Stream,
            Self::Event(_) => MethodKind::Event,
        }
    }
}

/// The outcome of an event.
pub(crate) enum Told {
    Done(Result<(), Failure>),
    /// Something is waited for. Events that come meanwhile wait too.
    Later(Answer<()>),
}

impl Told {
    /// Takes an event at once, if nothing has to be waited for.
    pub(crate) fn at_once(
        taken: impl Future<Output = Result<(), Failure>> + Send + 'static,
    ) -> Self {
        let mut taken: Answer<()> = Box::pin(taken);
        let nobody = Arc::new(Nobody).into();
        match taken.as_mut().poll(&mut Context::from_waker(&nobody)) {
            Poll::Ready(done) => Self::Done(done),
            Poll::Pending => Self::Later(taken),
        }
    }
}

/// A waker that wakes nobody, while somebody looks anyway.
struct Nobody;

impl Wake for Nobody {
    fn wake(self: Arc<Self>) {}
}

/// A service, whose methods are given by number.
#[derive(Clone)]
pub struct Service {
    pub(crate) name: String,
    pub(crate) methods: BTreeMap<u16, Method>,
    /// The names of methods, where they are known.
    pub(crate) names: BTreeMap<u16, String>,
    pub(crate) idempotent: BTreeSet<u16>,
    /// Whether a stream has any number of requests, and of responses, where that is known.
    pub(crate) flows: BTreeMap<u16, (bool, bool)>,
    /// The meters of methods.
    pub(crate) meters: BTreeMap<u16, Arc<Meter>>,
    types: Vec<TypeInfo>,
}

impl Service {
    /// A service without methods. The name is the full one: package, dot, name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            methods: BTreeMap::new(),
            names: BTreeMap::new(),
            idempotent: BTreeSet::new(),
            flows: BTreeMap::new(),
            meters: BTreeMap::new(),
            types: Vec::new(),
        }
    }

    /// Names a method, for interceptors.
    #[must_use]
    pub fn named(mut self, method: u16, name: impl Into<String>) -> Self {
        self.names.insert(method, name.into());
        self
    }

    /// Says of a method, for interceptors, that to ask twice does what asking once does.
    #[must_use]
    pub fn idempotent(mut self, method: u16) -> Self {
        self.idempotent.insert(method);
        self
    }

    /// Adds types that requests and responses are of. Where a peer means something else by one
    /// of their names, the type's methods are refused; or all that it asks for, if the type
    /// names none.
    #[must_use]
    pub fn types(mut self, types: impl IntoIterator<Item = TypeInfo>) -> Self {
        self.types.extend(types);
        self
    }

    /// Answers calls of a method. A handler runs in the task of the connection until
    /// it waits for something, and is a task of its own from then on, which is dropped
    /// where the peer takes the call back, or its deadline passes. So one that answers
    /// at once costs little, and one that computes for long is to be spawned.
    #[must_use]
    pub fn call<F, A>(self, method: u16, handler: F) -> Self
    where
        F: Fn(Asked) -> A + Send + Sync + 'static,
        A: Future<Output = Result<Reply, Failure>> + Send + 'static,
    {
        let handler = move |asked| -> Answer<Reply> { Box::pin(handler(asked)) };
        self.with(method, Method::Call(Arc::new(handler)))
    }

    /// Takes streams of a method. When the handler is done, so is its direction.
    #[must_use]
    pub fn stream<F, A>(self, method: u16, handler: F) -> Self
    where
        F: Fn(Asked, Stream) -> A + Send + Sync + 'static,
        A: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let handler = move |asked, stream| -> Answer<()> { Box::pin(handler(asked, stream)) };
        self.with(method, Method::Stream(Arc::new(handler)))
    }

    /// Takes events of a method, one after the other, in the task of the connection:
    /// what takes time is to be done elsewhere. An event that requires an
    /// acknowledgement has it when the handler is done.
    #[must_use]
    pub fn event<F>(self, method: u16, handler: F) -> Self
    where
        F: Fn(Asked) -> Result<(), Failure> + Send + Sync + 'static,
    {
        self.with(
            method,
            Method::Event(Arc::new(move |asked| Told::Done(handler(asked)))),
        )
    }

    /// Takes events of a method as [`Service::event`] does, and may wait for something
    /// meanwhile. Events that come till then wait; when 1,024 do, nothing more is read
    /// from the connection.
    #[must_use]
    pub fn event_async<F, A>(self, method: u16, handler: F) -> Self
    where
        F: Fn(Asked) -> A + Send + Sync + 'static,
        A: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let handler = move |asked| Told::at_once(handler(asked));
        self.with(method, Method::Event(Arc::new(handler)))
    }

    fn with(mut self, number: u16, method: Method) -> Self {
        self.methods.insert(number, method);
        self
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let methods: Vec<_> = self.methods.keys().collect();
        let mut out = f.debug_struct("Service");
        out.field("name", &self.name).field("methods", &methods);
        out.finish_non_exhaustive()
    }
}

/// The method that a request of the peer's is for, by the numbers of its service and its
/// own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MethodId {
    pub(crate) service: u16,
    pub(crate) number: u16,
}

impl MethodId {
    /// That of an agent request, which has none.
    pub(crate) const NONE: Self = Self {
        service: u16::MAX,
        number: 0,
    };

    /// Logs a failure that is this side's to mend.
    pub(crate) fn warn(self, services: &Services, failure: &Failure) {
        if failure.status == Status::INTERNAL || failure.name == Kind::PayloadTooLarge.as_str() {
            services.warn("a request failed", self.service, self.number, failure);
        }
    }
}

/// The services of a side, by the numbers that its Hello gives.
#[derive(Debug, Clone, Default)]
pub(crate) struct Services(pub(crate) Vec<Service>);

impl Services {
    /// A method of a service.
    pub(crate) fn method(&self, service: u16, method: u16) -> Option<&Method> {
        self.0.get(usize::from(service))?.methods.get(&method)
    }

    /// The same services, whose requests are counted.
    pub(crate) fn metered(mut self, metrics: &Metrics) -> Self {
        for service in &mut self.0 {
            for &number in service.methods.keys() {
                let name = service.names.get(&number).map_or("", |name| name);
                let meter = metrics.meter(&service.name, number, name);
                service.meters.insert(number, meter);
            }
        }
        self
    }

    /// The meter of a method.
    pub(crate) fn meter(&self, method: MethodId) -> Option<&Arc<Meter>> {
        let service = self.0.get(usize::from(method.service))?;
        service.meters.get(&method.number)
    }

    /// Counts a request that begins, where requests are counted.
    pub(crate) fn begin(&self, method: MethodId, at: Option<Instant>) -> Option<Measured> {
        Some(Arc::clone(self.meter(method)?).begin(at))
    }

    /// The types of all of them and these, each once, with the methods of all
    /// that have its name, and in order of names [MXP-13.3].
    pub(crate) fn types(&self, more: &[TypeInfo]) -> Vec<TypeInfo> {
        let types = self.0.iter().flat_map(|service| &service.types);
        let mut merged: BTreeMap<&str, TypeInfo> = BTreeMap::new();
        for info in types.chain(more) {
            if let Some(same) = merged.get_mut(&info.name[..]) {
                same.requests.extend_from_slice(&info.requests);
                same.responses.extend_from_slice(&info.responses);
            } else {
                merged.insert(&info.name, info.clone());
            }
        }
        merged.into_values().collect()
    }

    /// The name of a service, and of a method if it is known.
    pub(crate) fn names(&self, service: u16, method: u16) -> (&str, &str) {
        let Some(service) = self.0.get(usize::from(service)) else {
            return ("", "");
        };
        let method = service.names.get(&method);
        (&service.name, method.map_or("", |name| name))
    }

    /// Logs what went wrong with a request of the peer's, whom the span names.
    pub(crate) fn warn(&self, what: &str, service: u16, method: u16, failure: &Failure) {
        let (service, name) = self.names(service, method);
        let method = method_name(service, name, method);
        let Failure {
            status,
            name,
            text,
            acted,
            ..
        } = failure;
        warn!(method, %status, name, text, acted, "{what}");
    }

    /// Says which methods a service has instead of one that was asked for: if they are
    /// many, those with the nearest numbers.
    pub(crate) fn unknown(&self, kind: MethodKind, service: u16, number: u16) -> String {
        let Some(service) = self.0.get(usize::from(service)) else {
            return String::new();
        };
        let all = service.methods.len();
        let mut near: Vec<_> = service.methods.iter().collect();
        near.sort_by_key(|(n, _)| n.abs_diff(number));
        near.truncate(LISTED_MAX);
        near.sort_by_key(|(n, _)| **n);
        let names = near.into_iter().map(|(n, method)| {
            let kind = method.kind().keyword();
            match service.names.get(n) {
                Some(name) => format!("{kind} {name} = {n}"),
                None => format!("{kind} {n}"),
            }
        });
        let names: Vec<_> = names.collect();
        let (names, kind) = (listed(&names, all), kind.keyword());
        format!("{} has no {kind} {number}; it has {names}", service.name)
    }
}
