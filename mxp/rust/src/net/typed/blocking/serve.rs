//! The answers of a server's threads.

use std::sync::Arc;

use super::{Receiver, Sender};
use crate::net::blocking::Service;
use crate::net::typed::serve::beside_here;
use crate::net::typed::{Context, Method};
use crate::net::{Failure, Reply};

impl<Q: 'static, A: Send + Sync + 'static, W: 'static> Method<Q, A, W> {
    /// Answers calls.
    #[must_use]
    pub fn serve_call_blocking<H, F>(&self, service: Service, host: &Arc<H>, handler: F) -> Service
    where
        H: Send + Sync + 'static,
        F: Fn(&H, Q, Context) -> Result<A, Failure> + Send + Sync + 'static,
    {
        let (method, host) = (*self, Arc::clone(host));
        self.named_blocking(service).call(self.number, move |call| {
            let request = method.request.decode_request(&call.value)?;
            let (response, metadata) = beside_here(|| handler(&host, request, call.into()));
            let mut reply = Reply::new(method.response.encode_response(&response?)?);
            reply.metadata = metadata;
            Ok(reply)
        })
    }

    /// Answers requests by streams of responses.
    #[must_use]
    pub fn serve_server_stream_blocking<H, F>(
        &self,
        service: Service,
        host: &Arc<H>,
        handler: F,
    ) -> Service
    where
        H: Send + Sync + 'static,
        F: Fn(&H, Q, Sender<A>, Context) -> Result<(), Failure> + Send + Sync + 'static,
    {
        let (method, host) = (*self, Arc::clone(host));
        self.flowing_blocking(service, (false, true))
            .stream(self.number, move |opening, stream| {
                let request = method.request.decode_request(&opening.value)?;
                let sender = Sender::new(stream.sender, method.response);
                handler(&host, request, sender, opening.into())
            })
    }

    /// Answers streams of requests by one response.
    #[must_use]
    pub fn serve_client_stream_blocking<H, F>(
        &self,
        service: Service,
        host: &Arc<H>,
        handler: F,
    ) -> Service
    where
        H: Send + Sync + 'static,
        F: Fn(&H, Receiver<Q>, Context) -> Result<A, Failure> + Send + Sync + 'static,
    {
        let (method, host) = (*self, Arc::clone(host));
        self.flowing_blocking(service, (true, false))
            .stream(self.number, move |opening, stream| {
                let receiver = Receiver::new(stream.receiver, method.request);
                let response = handler(&host, receiver, opening.into())?;
                Sender::new(stream.sender, method.response).send(&response)
            })
    }

    /// Serves streams in both directions.
    #[must_use]
    pub fn serve_bidi_stream_blocking<H, F>(
        &self,
        service: Service,
        host: &Arc<H>,
        handler: F,
    ) -> Service
    where
        H: Send + Sync + 'static,
        F: Fn(&H, Receiver<Q>, Sender<A>, Context) -> Result<(), Failure> + Send + Sync + 'static,
    {
        let (method, host) = (*self, Arc::clone(host));
        self.flowing_blocking(service, (true, true))
            .stream(self.number, move |opening, stream| {
                let receiver = Receiver::new(stream.receiver, method.request);
                let sender = Sender::new(stream.sender, method.response);
                handler(&host, receiver, sender, opening.into())
            })
    }

    fn flowing_blocking(&self, mut service: Service, flows: (bool, bool)) -> Service {
        service.inner = self.flowing(service.inner, flows);
        service
    }

    fn named_blocking(&self, mut service: Service) -> Service {
        service.inner = self.named(service.inner);
        service
    }
}

impl<Q: 'static> Method<Q, ()> {
    /// Takes events, one after the other.
    #[must_use]
    pub fn serve_event_blocking<H, F>(&self, service: Service, host: &Arc<H>, handler: F) -> Service
    where
        H: Send + Sync + 'static,
        F: Fn(&H, Q, Context) -> Result<(), Failure> + Send + Sync + 'static,
    {
        let (method, host) = (*self, Arc::clone(host));
        self.named_blocking(service)
            .event(self.number, move |event| {
                let request = method.request.decode_request(&event.value)?;
                handler(&host, request, event.into())
            })
    }
}
