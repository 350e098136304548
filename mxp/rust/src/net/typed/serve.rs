//! What a server answers.

use core::future::Future;
use std::sync::Arc;

use crate::net::typed::{Context, Method, Receiver, Sender};
use crate::net::{Failure, Reply, Service};

/// What a function of a server gives: a future of its answer, or of its failure. Any
/// `async fn` that returns `Result<T, Failure>` does, if it is [`Send`].
pub trait Answer<T>: Future<Output = Result<T, Failure>> + Send {}

impl<T, F: Future<Output = Result<T, Failure>> + Send> Answer<T> for F {}

impl<Q: 'static, A: Send + Sync + 'static> Method<Q, A> {
    /// Answers calls.
    #[must_use]
    pub fn serve_call<H, F, R>(&self, service: Service, host: &Arc<H>, handler: F) -> Service
    where
        H: Send + Sync + 'static,
        F: Fn(Arc<H>, Q, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<A, Failure>> + Send + 'static,
    {
        let (method, host) = (*self, Arc::clone(host));
        self.named(service).call(self.number, move |asked| {
            let request = method.request.decode_request(&asked.value);
            let answer = request.map(|request| handler(Arc::clone(&host), request, asked.into()));
            async move {
                let response = answer?.await?;
                method.response.encode_response(&response).map(Reply::new)
            }
        })
    }

    /// Answers requests by streams of responses.
    #[must_use]
    pub fn serve_download<H, F, R>(&self, service: Service, host: &Arc<H>, handler: F) -> Service
    where
        H: Send + Sync + 'static,
        F: Fn(Arc<H>, Q, Sender<A>, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let (method, host) = (*self, Arc::clone(host));
        self.named(service)
            .stream(self.number, move |asked, stream| {
                let request = method.request.decode_request(&asked.value);
                let sender = Sender::new(stream.sender, method.response);
                let served = request
                    .map(|request| handler(Arc::clone(&host), request, sender, asked.into()));
                async move { served?.await }
            })
    }

    /// Answers streams of requests by one response.
    #[must_use]
    pub fn serve_upload<H, F, R>(&self, service: Service, host: &Arc<H>, handler: F) -> Service
    where
        H: Send + Sync + 'static,
        F: Fn(Arc<H>, Receiver<Q>, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<A, Failure>> + Send + 'static,
    {
        let (method, host) = (*self, Arc::clone(host));
        self.named(service)
            .stream(self.number, move |asked, stream| {
                let receiver = Receiver::new(stream.receiver, method.request);
                let sender = Sender::new(stream.sender, method.response);
                let answer = handler(Arc::clone(&host), receiver, asked.into());
                async move {
                    let response = answer.await?;
                    sender.send(&response).await
                }
            })
    }

    /// Serves streams in both directions.
    #[must_use]
    pub fn serve_stream<H, F, R>(&self, service: Service, host: &Arc<H>, handler: F) -> Service
    where
        H: Send + Sync + 'static,
        F: Fn(Arc<H>, Receiver<Q>, Sender<A>, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let (method, host) = (*self, Arc::clone(host));
        self.named(service)
            .stream(self.number, move |asked, stream| {
                let receiver = Receiver::new(stream.receiver, method.request);
                let sender = Sender::new(stream.sender, method.response);
                handler(Arc::clone(&host), receiver, sender, asked.into())
            })
    }

    fn named(&self, service: Service) -> Service {
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
        self.named(service).event_async(self.number, move |asked| {
            let request = method.request.decode_request(&asked.value);
            let taken = request.map(|request| handler(Arc::clone(&host), request, asked.into()));
            async move { taken?.await }
        })
    }
}
