//! The interceptors that stand around requests.

use core::fmt;
use core::future::{ready, Future};
use std::borrow::Cow;
use std::boxed::Box;
use std::string::String;
use std::sync::{Arc, Mutex, PoisonError};

use crate::net::service::{Answer, Delivery, EventOutcome, Method, Service, Services};
use crate::net::{Failure, MethodKind, Reply, Request, Stream, WhenFull};
use crate::session::Kind;

/// The method that a request asks for.
pub(crate) struct Target {
    pub(crate) service: String,
    pub(crate) number: u16,
    pub(crate) name: Cow<'static, str>,
    pub(crate) is_idempotent: bool,
    pub(crate) kind: MethodKind,
    /// Of a client's event what happens where the queue is full; none of one that is acknowledged.
    pub(crate) full: Option<WhenFull>,
}

/// The last step of a request, to the method that it goes to in the end.
type Step = dyn Fn(&Arc<Target>, Request) -> Answer<Reply> + Send + Sync;

/// Stands around a request.
pub(crate) type Interceptor = Arc<dyn Fn(Request, Next) -> Answer<Reply> + Send + Sync>;

/// The interceptor that a function is.
pub(crate) fn interceptor<F, A>(around: F) -> Interceptor
where
    F: Fn(Request, Next) -> A + Send + Sync + 'static,
    A: Future<Output = Result<Reply, Failure>> + Send + 'static,
{
    Arc::new(move |request, next| Box::pin(around(request, next)))
}

/// The steps behind an interceptor: further interceptors, and then a handler, or
/// the peer. Clones let a request be made again.
#[derive(Clone)]
pub struct Next {
    target: Arc<Target>,
    chain: Arc<[Interceptor]>,
    /// How many interceptors the request has passed.
    passed: usize,
    last: Arc<Step>,
}

impl Next {
    /// A request that has passed nothing.
    pub(crate) fn new(target: Arc<Target>, chain: Arc<[Interceptor]>, last: Arc<Step>) -> Self {
        Self {
            target,
            chain,
            passed: 0,
            last,
        }
    }

    /// Full name of the service that is asked.
    #[must_use]
    pub fn service(&self) -> &str {
        &self.target.service
    }

    /// Number of the method that is asked for.
    #[must_use]
    pub fn number(&self) -> u16 {
        self.target.number
    }

    /// Name of the method that is asked for; empty for one that is known by its number
    /// alone.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.target.name
    }

    /// Whether to ask twice does what asking once does, as far as it is known.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.target.is_idempotent
    }

    /// The kind of the method.
    #[must_use]
    pub fn kind(&self) -> MethodKind {
        self.target.kind
    }

    /// Whether a client's event is to be acknowledged.
    pub(crate) fn wants_ack(&self) -> bool {
        self.kind() == MethodKind::Event && self.target.full.is_none()
    }

    /// The fate of a client's event where the queue is full.
    pub(crate) fn full(&self) -> Option<WhenFull> {
        self.target.full
    }

    /// The steps of the same request when it is made of another method.
    pub(crate) fn redirected(mut self, target: Target) -> Self {
        self.target = Arc::new(target);
        self
    }

    /// Lets the request pass, and waits for its result: a call's answer, or for any other request a
    /// [`Reply`] without value once it was taken. A server's stream is over then, a client's is
    /// open.
    ///
    /// # Errors
    ///
    /// The failures of the inner interceptors and of the request itself. Where a server's stream or
    /// an open one of a client passes again, `exchange_ended`.
    pub async fn run(mut self, request: Request) -> Result<Reply, Failure> {
        let Some(interceptor) = self.chain.get(self.passed).cloned() else {
            return (self.last)(&self.target, request).await;
        };
        self.passed += 1;
        interceptor(request, self).await
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next")
            .field("service", &self.target.service)
            .field("name", &self.target.name)
            .field("kind", &self.target.kind)
            .finish_non_exhaustive()
    }
}

impl Services {
    /// The same services, whose requests pass interceptors.
    pub(crate) fn intercepted(&self, interceptors: &[Interceptor]) -> Self {
        if interceptors.is_empty() {
            return self.clone();
        }
        let services = self.0.iter().cloned();
        Self(
            services
                .map(|service| around(service, interceptors))
                .collect(),
        )
    }
}

/// A service whose requests pass interceptors.
fn around(mut service: Service, interceptors: &[Interceptor]) -> Service {
    let chain: Arc<[Interceptor]> = interceptors.into();
    for (number, method) in &mut service.methods {
        let target = Target {
            service: service.name.clone(),
            number: *number,
            name: Cow::Owned(service.names.get(number).cloned().unwrap_or_default()),
            is_idempotent: service.idempotent.contains(number),
            kind: method.kind(),
            full: None,
        };
        let target = Arc::new(target);
        let first = {
            let chain = Arc::clone(&chain);
            move |last| Next::new(Arc::clone(&target), Arc::clone(&chain), last)
        };
        *method = match method {
            Method::Call(handler) => {
                let handler = Arc::clone(handler);
                let last: Arc<Step> = Arc::new(move |_, request| handler(request));
                Method::Call(Arc::new(move |request| {
                    Box::pin(first(Arc::clone(&last)).run(request))
                }))
            }
            Method::Stream(handler) => {
                let handler = Arc::clone(handler);
                Method::Stream(Arc::new(move |request, stream| {
                    let next = first(once(&handler, stream));
                    Box::pin(async move { next.run(request).await.map(|_| ()) })
                }))
            }
            Method::Event(handler) => {
                let handler = Arc::clone(handler);
                let last: Arc<Step> =
                    Arc::new(move |_, request| match handler(Delivery::Whole(request)) {
                        EventOutcome::Done(done) => {
                            Box::pin(ready(done.map(|()| Reply::default())))
                        }
                        EventOutcome::Later(done) => {
                            Box::pin(async { done.await.map(|()| Reply::default()) })
                        }
                    });
                Method::Event(Arc::new(move |delivery| {
                    let (next, asked) = (first(Arc::clone(&last)), delivery.into_asked());
                    EventOutcome::at_once(async move { next.run(asked).await.map(|_| ()) })
                }))
            }
        };
    }
    service
}

type StreamHandler = Arc<dyn Fn(Request, Stream) -> Answer<()> + Send + Sync>;

/// Gives a stream to its handler, who has it once.
fn once(handler: &StreamHandler, stream: Stream) -> Arc<Step> {
    let (handler, slot) = (Arc::clone(handler), Slot::default());
    slot.put(stream);
    Arc::new(move |_, request| match slot.take() {
        Some(stream) => {
            let served = handler(request, stream);
            Box::pin(async { served.await.map(|()| Reply::default()) })
        }
        None => Box::pin(ready(Err(Failure::of(Kind::ExchangeEnded)))),
    })
}

/// A place for a stream that is handed on.
#[derive(Clone, Default)]
pub(crate) struct Slot(Arc<Mutex<Option<Stream>>>);

impl Slot {
    pub(crate) fn put(&self, stream: Stream) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream);
    }

    pub(crate) fn take(&self) -> Option<Stream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
