//! Services whose handlers may wait: each runs on a thread.

use core::fmt;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use tokio::runtime::Handle;
use tokio::task::{spawn_blocking, JoinHandle};
use tracing::Span;

use super::stream::{Inlet, Outlet, Stream, Whole};
use crate::engine::inbox::Inbox;
use crate::engine::packed_values::PackedValues;
use crate::net::{self, Failure, Reply, Request};
use crate::session::{Kind, TypeInfo, Value};

/// A service of a [`Server`](super::Server), whose methods are given by number.
#[derive(Clone)]
pub struct Service {
    pub(crate) inner: net::Service,
    methods: BTreeMap<u16, Method>,
}

#[derive(Clone)]
enum Method {
    Call(Arc<dyn Fn(Request) -> Result<Reply, Failure> + Send + Sync>),
    Stream(Arc<dyn Fn(Request, Stream) -> Result<(), Failure> + Send + Sync>),
    Event(Arc<dyn Fn(Request) -> Result<(), Failure> + Send + Sync>),
}

impl Service {
    /// A service without methods. The name is the full one: package, dot, name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            inner: net::Service::new(name),
            methods: BTreeMap::new(),
        }
    }

    /// Adds types that requests and responses are of, as
    /// [`net::Service::types`] does.
    #[must_use]
    pub fn types(mut self, types: impl IntoIterator<Item = TypeInfo>) -> Self {
        self.inner = self.inner.types(types);
        self
    }

    /// Names a method, for the log and for metrics.
    #[must_use]
    pub fn named(mut self, method: u16, name: impl Into<String>) -> Self {
        self.inner = self.inner.named(method, name);
        self
    }

    /// Answers calls of a method. A call that is taken back before its handler has a thread
    /// is not begun.
    #[must_use]
    pub fn call(
        self,
        method: u16,
        handler: impl Fn(Request) -> Result<Reply, Failure> + Send + Sync + 'static,
    ) -> Self {
        self.with(method, Method::Call(Arc::new(handler)))
    }

    /// Takes streams of a method. When the handler is done, so is its direction.
    #[must_use]
    pub fn stream(
        self,
        method: u16,
        handler: impl Fn(Request, Stream) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Self {
        self.with(method, Method::Stream(Arc::new(handler)))
    }

    /// Takes events of a method. Later requests of a connection wait until the handler of an event
    /// is done.
    #[must_use]
    pub fn event(
        self,
        method: u16,
        handler: impl Fn(Request) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Self {
        self.with(method, Method::Event(Arc::new(handler)))
    }

    fn with(mut self, number: u16, method: Method) -> Self {
        self.methods.insert(number, method);
        self
    }

    /// The service, as a runtime has it whose threads run the handlers.
    pub(super) fn on(self, runtime: &Handle) -> net::Service {
        let mut service = self.inner;
        for (number, method) in self.methods {
            service = match method {
                Method::Call(handler) => service.call(number, move |request| {
                    let handler = Arc::clone(&handler);
                    on_thread(move || handler(request))
                }),
                Method::Event(handler) => service.event_async(number, move |request| {
                    let handler = Arc::clone(&handler);
                    on_thread(move || handler(request))
                }),
                Method::Stream(handler) => {
                    let runtime = runtime.clone();
                    service.stream(number, move |request, stream| {
                        let (handler, runtime) = (Arc::clone(&handler), runtime.clone());
                        on_thread(move || handler(request, Stream::served(stream, &runtime)))
                    })
                }
            };
        }
        service
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let methods: Vec<_> = self.methods.keys().collect();
        let mut out = f.debug_struct("Service");
        out.field("name", &self.inner.name)
            .field("methods", &methods);
        out.finish_non_exhaustive()
    }
}

/// Runs a handler on a thread, as soon as one is free. A panic of the handler goes on in the task
/// that waits.
async fn on_thread<T: Send + 'static>(
    handler: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let span = Span::current();
    #[cfg(feature = "opentelemetry")]
    let within = opentelemetry::Context::current();
    let mut waiting = HandlerTask(spawn_blocking(move || {
        #[cfg(feature = "opentelemetry")]
        let _within = within.attach();
        span.in_scope(handler)
    }));
    let done = (&mut waiting.0).await;
    done.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_) => Err(Failure::of(Kind::Cancelled)),
    })
}

/// A handler that nobody waits for any more is not begun.
struct HandlerTask<T>(JoinHandle<T>);

impl<T> Drop for HandlerTask<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Stream {
    /// A stream that a server was asked for.
    fn served(stream: net::Stream, runtime: &Handle) -> Self {
        let net::Stream { sender, receiver } = stream;
        let sending = Direction {
            half: sender,
            runtime: runtime.clone(),
        };
        let receiving = Direction {
            half: receiver,
            runtime: runtime.clone(),
        };
        Self::new(sending, receiving)
    }
}

/// A direction of a stream that a runtime has.
struct Direction<T> {
    half: T,
    runtime: Handle,
}

impl Outlet for Direction<net::Sender> {
    fn send(&self, value: Value<'_>) -> Result<(), Failure> {
        self.runtime.block_on(self.half.send(value.into_owned()))
    }

    fn send_together(&self, pulled: &mut PackedValues) -> Result<(), Failure> {
        self.runtime.block_on(self.half.send_together(pulled))
    }

    fn sent(&self) -> u64 {
        self.half.sent()
    }

    fn finish(&self) -> Result<(), Failure> {
        self.half.finish()
    }

    fn whole(&self) -> &dyn Whole {
        self
    }
}

impl Inlet for Direction<net::Receiver> {
    fn receive(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        self.runtime.block_on(self.half.receive())
    }

    fn receive_all(&mut self, inbox: &mut Inbox) -> Result<(), Failure> {
        let chunks = self.runtime.block_on(self.half.chunks())?;
        for value in chunks.into_iter().flatten() {
            inbox.push(value, None);
        }
        Ok(())
    }

    fn whole(&self) -> &dyn Whole {
        self
    }
}

/// A direction, which knows its stream.
trait Half: Send + Sync {
    fn handle(&self) -> &Arc<net::stream::Handle>;
}

impl Half for net::Sender {
    fn handle(&self) -> &Arc<net::stream::Handle> {
        &self.handle
    }
}

impl Half for net::Receiver {
    fn handle(&self) -> &Arc<net::stream::Handle> {
        &self.handle
    }
}

impl<T: Half> Whole for Direction<T> {
    fn is_mine(&self) -> bool {
        false
    }

    fn refuse(&self, failure: &Failure) {
        self.half.handle().refuse(failure);
    }

    fn explained(&self, failure: Failure) -> Failure {
        self.half.handle().explained(failure)
    }
}
