//! The handlers of requests that somebody is told of.

use core::future::Future;
use std::boxed::Box;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use opentelemetry::trace::{FutureExt as _, TraceContextExt as _};
use opentelemetry::Context;

use super::sink::{RequestSpan, Sink};
use super::trace::{remote, trace_of};
use super::Telemetry;
use crate::net::service::{Delivery, EventOutcome, Method, Service, Services};
use crate::net::{Failure, Request};
use crate::session::{Side, TraceContext};

impl Telemetry {
    /// The same services, of whose requests somebody is told.
    pub(crate) fn around(&self, services: Services) -> Services {
        let Some(sink) = &self.0 else {
            return services;
        };
        let all = services.0.into_iter();
        Services(all.map(|service| around(service, sink)).collect())
    }

    /// Tells of a request that was refused, since there is no such method.
    pub(crate) fn refuse(&self, service: &str, request: &Request, failure: &Failure) {
        if let Some(sink) = &self.0 {
            let parent = parent(request.trace, &request.metadata);
            let begun = sink.start(Side::Server, (service, request.method, ""), None, parent);
            begun.end(Some(failure));
        }
    }
}

/// The context of a request that has come.
fn parent(trace: Option<TraceContext>, metadata: &[(String, Vec<u8>)]) -> Context {
    let none = Context::new();
    match trace {
        Some(trace) => none.with_remote_span_context(remote(trace, metadata)),
        None => none,
    }
}

/// A method of which somebody is told.
struct ObservedMethod {
    sink: Arc<Sink>,
    service: String,
    number: u16,
    name: String,
}

impl ObservedMethod {
    /// Begins to tell of a request, whose trace is from now on that of its span.
    fn begin(&self, request: &mut Request) -> (RequestSpan, Context) {
        let parent = parent(request.trace, &request.metadata);
        let method = (&self.service[..], self.number, &self.name[..]);
        let mut begun = self.sink.begin(Side::Server, method, parent);
        begun.wait = request.wait;
        let within = begun.within.clone();
        request.trace = trace_of(within.span().span_context()).or(request.trace);
        (RequestSpan::of(begun), within)
    }
}

fn around(mut service: Service, sink: &Arc<Sink>) -> Service {
    for (number, method) in &mut service.methods {
        let served = Arc::new(ObservedMethod {
            sink: Arc::clone(sink),
            service: service.name.clone(),
            number: *number,
            name: service.names.get(number).cloned().unwrap_or_default(),
        });
        *method = match method {
            Method::Call(handler) => {
                let handler = Arc::clone(handler);
                Method::Call(Arc::new(move |mut request| {
                    let (span, within) = served.begin(&mut request);
                    let handler = Arc::clone(&handler);
                    let served = async move {
                        let remote = Arc::clone(&request.remote);
                        let reply = handler(request).await?;
                        match remote.connection() {
                            Some(connection) => connection.lock().fitting(reply),
                            None => Ok(reply),
                        }
                    };
                    Box::pin(told(span, within, served))
                }))
            }
            Method::Stream(handler) => {
                let handler = Arc::clone(handler);
                Method::Stream(Arc::new(move |mut request, stream| {
                    let (span, within) = served.begin(&mut request);
                    let handler = Arc::clone(&handler);
                    let served = async move { handler(request, stream).await };
                    Box::pin(told(span, within, served))
                }))
            }
            Method::Event(handler) => {
                let handler = Arc::clone(handler);
                Method::Event(Arc::new(move |delivery| {
                    let mut asked = delivery.into_asked();
                    let (span, within) = served.begin(&mut asked);
                    let taken = {
                        let _here = within.clone().attach();
                        handler(Delivery::Whole(asked))
                    };
                    match taken {
                        EventOutcome::Done(done) => {
                            span.end(&done);
                            EventOutcome::Done(done)
                        }
                        EventOutcome::Later(done) => {
                            EventOutcome::Later(Box::pin(told(span, within, done)))
                        }
                    }
                }))
            }
        };
    }
    service
}

/// Runs a handler in the context that has its span, and tells how it has ended.
async fn told<T>(
    span: RequestSpan,
    context: Context,
    handler: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let done = handler.with_context(context).await;
    span.end(&done);
    done
}
