//! What a side serves.

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::time::Duration;
use std::boxed::Box;
use std::collections::BTreeMap;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use crate::net::{Failure, Reply, Stream};
use crate::session::TraceContext;

/// What a request of a peer's asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Asked {
    /// Number of the method.
    pub method: u16,
    /// What is asked.
    pub value: Vec<u8>,
    /// What travels beside the value.
    pub metadata: Vec<(String, Vec<u8>)>,
    /// How long the peer waits.
    pub deadline: Option<Duration>,
    /// Where the request belongs.
    pub trace: Option<TraceContext>,
}

/// What a handler will say.
pub(crate) type Answer<T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send>>;

#[derive(Clone)]
pub(crate) enum Method {
    Call(Arc<dyn Fn(Asked) -> Answer<Reply> + Send + Sync>),
    Stream(Arc<dyn Fn(Asked, Stream) -> Answer<()> + Send + Sync>),
    Event(Arc<dyn Fn(Asked) -> Told + Send + Sync>),
}

/// How the handler of an event has ended.
pub(crate) enum Told {
    Done(Result<(), Failure>),
    /// It is not done. Events that come meanwhile wait.
    #[expect(dead_code, reason = "interceptors wait")]
    Later(Answer<()>),
}

/// A service, whose methods are given by number.
#[derive(Clone)]
pub struct Service {
    pub(crate) name: String,
    methods: BTreeMap<u16, Method>,
}

impl Service {
    /// A service without methods. The name is the full one: package, dot, name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            methods: BTreeMap::new(),
        }
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
        let handler = move |asked| Told::Done(handler(asked));
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
        out.finish()
    }
}

/// What a side serves, by the numbers that its Hello gives.
#[derive(Debug, Clone, Default)]
pub(crate) struct Services(pub(crate) Vec<Service>);

impl Services {
    /// A method of a service.
    pub(crate) fn method(&self, service: u16, method: u16) -> Option<&Method> {
        self.0.get(usize::from(service))?.methods.get(&method)
    }

    pub(crate) fn name(&self, service: u16) -> &str {
        let service = self.0.get(usize::from(service));
        service.map_or("", |service| &service.name)
    }
}
