//! The services of a side.

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::boxed::Box;
use std::collections::{BTreeMap, BTreeSet};
use std::string::String;
use std::sync::{Arc, OnceLock};
use std::task::Wake;
use std::vec::Vec;

use bytes::Bytes;

use crate::engine::method::MethodId;
use crate::net::methods::{Methods, ServiceMethods};
use crate::net::metrics::Metrics;
use crate::net::telemetry::Telemetry;
use crate::net::MethodKind;
use crate::net::{Failure, Reply, Request, Stream};
use crate::session::TypeInfo;

/// The future of a handler's answer.
pub(crate) type Answer<T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send>>;

#[derive(Clone)]
pub(crate) enum Method {
    Call(Arc<dyn Fn(Request) -> Answer<Reply> + Send + Sync>),
    Stream(Arc<dyn Fn(Request, Stream) -> Answer<()> + Send + Sync>),
    Event(Arc<EventHandler>),
}

pub(crate) type EventHandler = dyn Fn(Delivery<'_>) -> EventOutcome + Send + Sync;

impl Method {
    pub(crate) const fn kind(&self) -> MethodKind {
        match self {
            Self::Call(_) => MethodKind::Call,
            Self::Stream(_) => MethodKind::Stream,
            Self::Event(_) => MethodKind::Event,
        }
    }
}

/// An event, as its handler is given it.
pub(crate) enum Delivery<'a> {
    Whole(Request),
    /// One of several, with the request that all of them have but for their values.
    Lent(&'a Request, &'a [u8]),
}

impl Delivery<'_> {
    /// The request, with its value in memory of its own: a handler that keeps it keeps
    /// nothing else.
    pub(crate) fn into_asked(self) -> Request {
        match self {
            Self::Whole(asked) => asked,
            Self::Lent(asked, value) => Request {
                value: Bytes::copy_from_slice(value),
                ..asked.clone()
            },
        }
    }

    /// The request, and its value, which may not be in it.
    pub(crate) fn parts(&self) -> (&Request, &[u8]) {
        match self {
            Self::Whole(asked) => (asked, &asked.value),
            Self::Lent(asked, value) => (asked, value),
        }
    }
}

/// The outcome of an event.
pub(crate) enum EventOutcome {
    Done(Result<(), Failure>),
    /// Something is waited for. Events that come meanwhile wait too.
    Later(Answer<()>),
}

impl EventOutcome {
    /// Takes an event at once, if nothing has to be waited for.
    pub(crate) fn at_once(
        future: impl Future<Output = Result<(), Failure>> + Send + 'static,
    ) -> Self {
        let mut future: Answer<()> = Box::pin(future);
        let (_, nobody) = NOBODY.get_or_init(|| {
            let nobody = Arc::new(Nobody);
            (Arc::clone(&nobody), nobody.into())
        });
        match future.as_mut().poll(&mut Context::from_waker(nobody)) {
            Poll::Ready(done) => Self::Done(done),
            Poll::Pending => Self::Later(future),
        }
    }
}

/// The waker, and the pointer by which detectors of leaks find its memory.
static NOBODY: OnceLock<(Arc<Nobody>, Waker)> = OnceLock::new();

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
    /// Is given the requests for methods that there are not.
    unknown: Option<RefusalObserver>,
    types: Vec<TypeInfo>,
}

/// Is given requests that were refused.
type RefusalObserver = Arc<dyn Fn(Request) + Send + Sync>;

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
            unknown: None,
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

    /// Says of a stream, for reflection, whether it has any number of requests, and of responses,
    /// or one.
    #[must_use]
    pub fn flows(mut self, method: u16, requests: bool, responses: bool) -> Self {
        self.flows.insert(method, (requests, responses));
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
        F: Fn(Request) -> A + Send + Sync + 'static,
        A: Future<Output = Result<Reply, Failure>> + Send + 'static,
    {
        let handler = move |request| -> Answer<Reply> { Box::pin(handler(request)) };
        self.with(method, Method::Call(Arc::new(handler)))
    }

    /// Takes streams of a method. When the handler is done, so is its direction.
    #[must_use]
    pub fn stream<F, A>(self, method: u16, handler: F) -> Self
    where
        F: Fn(Request, Stream) -> A + Send + Sync + 'static,
        A: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let handler = move |request, stream| -> Answer<()> { Box::pin(handler(request, stream)) };
        self.with(method, Method::Stream(Arc::new(handler)))
    }

    /// Takes events of a method, one after the other, in the task of the connection:
    /// what takes time is to be done elsewhere. An event that requires an
    /// acknowledgement has it when the handler is done.
    #[must_use]
    pub fn event<F>(self, method: u16, handler: F) -> Self
    where
        F: Fn(Request) -> Result<(), Failure> + Send + Sync + 'static,
    {
        self.deliver(method, move |delivery| {
            EventOutcome::Done(handler(delivery.into_asked()))
        })
    }

    /// Takes events of a method as [`Service::event`] does, by a handler that looks at each
    /// value where it lies: what comes in a batch takes no memory of its own. The value is not
    /// that of the request beside it, which may be none.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    ///
    /// static BYTES: AtomicUsize = AtomicUsize::new(0);
    ///
    /// let service = mxp::net::Service::new("demo.Log").event_ref(1, |value, _| {
    ///     BYTES.fetch_add(value.len(), Relaxed);
    ///     Ok(())
    /// });
    /// ```
    #[must_use]
    pub fn event_ref<F>(self, method: u16, handler: F) -> Self
    where
        F: Fn(&[u8], &Request) -> Result<(), Failure> + Send + Sync + 'static,
    {
        self.deliver(method, move |delivery| {
            let (asked, value) = delivery.parts();
            EventOutcome::Done(handler(value, asked))
        })
    }

    /// Takes events of a method as [`Service::event`] does, and may wait for something
    /// meanwhile. Events that come till then wait; when 1,024 do, nothing more is read
    /// from the connection.
    #[must_use]
    pub fn event_async<F, A>(self, method: u16, handler: F) -> Self
    where
        F: Fn(Request) -> A + Send + Sync + 'static,
        A: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        self.deliver(method, move |delivery| {
            EventOutcome::at_once(handler(delivery.into_asked()))
        })
    }

    /// Looks at the requests for methods that the service lacks, which are refused with
    /// `method_unknown`: at their methods and metadata, since no value is kept. The observer runs
    /// in the task of the connection. An event is refused where it requires an
    /// acknowledgement.
    #[must_use]
    pub fn unknown(mut self, observer: impl Fn(Request) + Send + Sync + 'static) -> Self {
        self.unknown = Some(Arc::new(observer));
        self
    }

    /// Takes events of a method, as they are delivered.
    pub(crate) fn deliver(
        self,
        method: u16,
        handler: impl Fn(Delivery<'_>) -> EventOutcome + Send + Sync + 'static,
    ) -> Self {
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

/// The services of a side, by the numbers that its Hello gives.
#[derive(Debug, Clone, Default)]
pub(crate) struct Services(pub(crate) Vec<Service>);

impl Services {
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

    /// The same services, as connections have them. Requests are counted where there are
    /// metrics; of those without a method somebody may be told.
    pub(crate) fn served(self, metrics: Option<&Metrics>, telemetry: &Telemetry) -> Arc<Handlers> {
        let (methods, of) = self
            .0
            .into_iter()
            .map(|service| {
                let kinds = service.methods.iter();
                let kinds = kinds.map(|(number, method)| (*number, method.kind()));
                let served =
                    ServiceMethods::new(service.name, kinds.collect(), service.names, metrics);
                (served, (service.methods, service.unknown))
            })
            .unzip();
        Arc::new(Handlers {
            methods: Arc::new(Methods::new(methods, telemetry)),
            of,
        })
    }
}

/// The handlers of a side's methods, by the numbers of services and methods.
#[derive(Default)]
pub(crate) struct Handlers {
    pub(crate) methods: Arc<Methods>,
    of: Vec<(BTreeMap<u16, Method>, Option<RefusalObserver>)>,
}

impl Handlers {
    pub(crate) fn find(&self, method: MethodId) -> Option<&Method> {
        let (methods, _) = self.of.get(usize::from(method.service))?;
        methods.get(&method.number)
    }

    /// Has the observer of a service look at a request that was refused.
    pub(crate) fn observe(&self, service: u16, request: Request) {
        if let Some((_, Some(observer))) = self.of.get(usize::from(service)) {
            observer(request);
        }
    }

    /// The handler of an event.
    pub(crate) fn event(&self, method: MethodId) -> Option<&EventHandler> {
        match self.find(method)? {
            Method::Event(handler) => Some(&**handler),
            _ => None,
        }
    }
}
