//! The answers of a server.

use core::cell::RefCell;
use core::future::Future;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use crate::net::service::{Delivery, EventOutcome};
use crate::net::typed::{Context, Method, Receiver, Sender};
use crate::net::{Failure, Reply, Service};

/// The result of a function of a server: a future of its answer, or of its failure. Any
/// `async fn` that returns `Result<T, Failure>` does, if it is [`Send`].
pub trait Answer<T>: Future<Output = Result<T, Failure>> + Send {}

impl<T, F: Future<Output = Result<T, Failure>> + Send> Answer<T> for F {}

tokio::task_local! {
    /// The metadata beside the answer of the call whose handler runs.
    static BESIDE: RefCell<Vec<(String, Vec<u8>)>>;
}

/// Adds a key and a value beside the answer of the call whose handler runs in this task, or
/// on this thread.
/// Elsewhere, and in the handler of a stream or an event, there is no such answer, and it
/// returns `false`.
///
/// ```
/// # use mxp::net::{typed::{reply_with, Context}, Failure};
/// async fn find(name: String, _: Context) -> Result<String, Failure> {
///     reply_with("cache", b"hit");
///     Ok(name)
/// }
/// ```
pub fn reply_with(key: impl Into<String>, value: impl Into<Vec<u8>>) -> bool {
    let pair = (key.into(), value.into());
    let added = BESIDE.try_with(|pairs| pairs.borrow_mut().push(pair));
    added.is_ok()
}

/// Waits for an answer, and for what its handler wants to travel beside it.
async fn beside<T>(answer: impl Future<Output = T>) -> (T, Vec<(String, Vec<u8>)>) {
    let scope = BESIDE.scope(RefCell::default(), async {
        let answer = answer.await;
        (answer, BESIDE.with(RefCell::take))
    });
    scope.await
}

/// As [`beside`], on the thread of a handler that waits.
#[cfg(feature = "blocking")]
pub(super) fn beside_here<T>(answer: impl FnOnce() -> T) -> (T, Vec<(String, Vec<u8>)>) {
    BESIDE.sync_scope(RefCell::default(), || {
        let answer = answer();
        (answer, BESIDE.with(RefCell::take))
    })
}

impl<Q: 'static, A: Send + Sync + 'static, W: 'static> Method<Q, A, W> {
    /// Answers calls.
    #[must_use]
    pub fn serve_call<H, F, R>(&self, service: Service, host: &Arc<H>, handler: F) -> Service
    where
        H: Send + Sync + 'static,
        F: Fn(Arc<H>, Q, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<A, Failure>> + Send + 'static,
    {
        let (method, host) = (*self, Arc::clone(host));
        self.named(service).call(self.number, move |call| {
            let request = method.request.decode_request(&call.value);
            let answer = request.map(|request| handler(Arc::clone(&host), request, call.into()));
            async move {
                let (response, metadata) = beside(answer?).await;
                let mut reply = Reply::new(method.response.encode_response(&response?)?);
                reply.metadata = metadata;
                Ok(reply)
            }
        })
    }

    /// Answers requests by streams of responses.
    #[must_use]
    pub fn serve_server_stream<H, F, R>(
        &self,
        service: Service,
        host: &Arc<H>,
        handler: F,
    ) -> Service
    where
        H: Send + Sync + 'static,
        F: Fn(Arc<H>, Q, Sender<A>, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let (method, host) = (*self, Arc::clone(host));
        self.flowing(service, (false, true))
            .stream(self.number, move |opening, stream| {
                let request = method.request.decode_request(&opening.value);
                let sender = Sender::new(stream.sender, method.response);
                let served = request
                    .map(|request| handler(Arc::clone(&host), request, sender, opening.into()));
                async move { served?.await }
            })
    }

    /// Answers streams of requests by one response.
    #[must_use]
    pub fn serve_client_stream<H, F, R>(
        &self,
        service: Service,
        host: &Arc<H>,
        handler: F,
    ) -> Service
    where
        H: Send + Sync + 'static,
        F: Fn(Arc<H>, Receiver<Q>, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<A, Failure>> + Send + 'static,
    {
        let (method, host) = (*self, Arc::clone(host));
        self.flowing(service, (true, false))
            .stream(self.number, move |opening, stream| {
                let receiver = Receiver::new(stream.receiver, method.request);
                let sender = Sender::new(stream.sender, method.response);
                let answer = handler(Arc::clone(&host), receiver, opening.into());
                async move {
                    let response = answer.await?;
                    sender.send(&response).await
                }
            })
    }

    /// Serves streams in both directions.
    #[must_use]
    pub fn serve_bidi_stream<H, F, R>(&self, service: Service, host: &Arc<H>, handler: F) -> Service
    where
        H: Send + Sync + 'static,
        F: Fn(Arc<H>, Receiver<Q>, Sender<A>, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let (method, host) = (*self, Arc::clone(host));
        self.flowing(service, (true, true))
            .stream(self.number, move |opening, stream| {
                let receiver = Receiver::new(stream.receiver, method.request);
                let sender = Sender::new(stream.sender, method.response);
                handler(Arc::clone(&host), receiver, sender, opening.into())
            })
    }

    /// A stream whose requests, and whose responses, are any number of them.
    pub(super) fn flowing(&self, service: Service, flows: (bool, bool)) -> Service {
        self.named(service).flows(self.number, flows.0, flows.1)
    }

    pub(super) fn named(&self, service: Service) -> Service {
        let service = service.named(self.number, self.name);
        if self.is_idempotent {
            return service.idempotent(self.number);
        }
        service
    }
}

impl<Q: 'static> Method<Q, ()> {
    /// Takes events, one after the other.
    #[must_use]
    pub fn serve_event<H, F, R>(&self, service: Service, host: &Arc<H>, handler: F) -> Service
    where
        H: Send + Sync + 'static,
        F: Fn(Arc<H>, Q, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let (method, host) = (*self, Arc::clone(host));
        self.named(service).deliver(self.number, move |delivery| {
            let (asked, value) = delivery.parts();
            let request = match method.request.decode_request(value) {
                Ok(request) => request,
                Err(failure) => return EventOutcome::Done(Err(failure)),
            };
            let context = match delivery {
                Delivery::Whole(asked) => asked.into(),
                Delivery::Lent(..) => asked.clone().into(),
            };
            EventOutcome::at_once(handler(Arc::clone(&host), request, context))
        })
    }
}
