//! Requests that are told of: their spans, and how long they take.

use std::boxed::Box;
use std::string::{String, ToString as _};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::vec::Vec;

use opentelemetry::global::BoxedTracer;
use opentelemetry::metrics::Histogram;
use opentelemetry::trace::{SpanBuilder, SpanKind, Status, TraceContextExt as _, Tracer as _};
use opentelemetry::{Context, KeyValue, StringValue};

use super::names_gen::{key, StatusCode, OTHER, REFUSAL_NAMES, STATUS_CODES, SYSTEM};
use crate::engine::failure::{method_name, PANICKED};
use crate::net::method_table::MethodTable;
use crate::net::wait::Wait;
use crate::net::Failure;
use crate::session::{self, Kind, Side};

/// The instruments by which requests are told of.
#[derive(Clone, Default)]
pub(super) struct Sink {
    pub(super) tracer: Option<Arc<BoxedTracer>>,
    pub(super) client: Option<Histogram<f64>>,
    pub(super) server: Option<Histogram<f64>>,
    /// Where the servers are that a client asks.
    pub(super) place: Vec<KeyValue>,
    /// The names of methods.
    methods: Arc<MethodTable<Arc<str>>>,
}

/// A request that somebody is told of; or none. A dropped request was cancelled.
#[derive(Default)]
pub(crate) struct RequestSpan(Option<Box<RequestRecord>>);

impl RequestSpan {
    /// Nobody is told.
    pub(crate) const fn none() -> Self {
        Self(None)
    }

    pub(super) fn of(span: RequestRecord) -> Self {
        Self(Some(Box::new(span)))
    }

    /// Tells how the request has ended.
    pub(crate) fn end<T>(mut self, result: &Result<T, Failure>) {
        if let Some(begun) = self.0.take() {
            begun.end(result.as_ref().err());
        }
    }
}

impl Drop for RequestSpan {
    fn drop(&mut self) {
        if let Some(begun) = self.0.take() {
            let failure = begun.broken();
            begun.end(Some(&failure));
        }
    }
}

/// A request that is told of.
pub(super) struct RequestRecord {
    sink: Arc<Sink>,
    side: Side,
    /// The context that has its span.
    pub(super) within: Context,
    since: Instant,
    /// The time that the peer waits for it.
    pub(super) wait: Option<Wait>,
    attributes: Vec<KeyValue>,
}

impl Sink {
    /// The name of a method, if it is told apart from others.
    fn known(&self, (service, number, name): (&str, u16, &str)) -> Option<StringValue> {
        let text = || method_name(service, name, number).into();
        let kept = self.methods.get(service, number, text)?;
        // It may be asked for by its number, and by its name.
        let is_same = !name.is_empty() && kept.get(service.len() + 1..) == Some(name);
        Some(if is_same { kept } else { text() }.into())
    }

    /// Begins to tell of a request.
    pub(super) fn begin(
        self: &Arc<Self>,
        side: Side,
        method: (&str, u16, &str),
        parent: Context,
    ) -> RequestRecord {
        let known = self.known(method);
        self.start(side, method, known, parent)
    }

    /// Begins to tell of a request of a method that is known by a name, or of another.
    pub(super) fn start(
        self: &Arc<Self>,
        side: Side,
        (service, number, name): (&str, u16, &str),
        label: Option<StringValue>,
        parent: Context,
    ) -> RequestRecord {
        let is_known = label.is_some();
        let method = label.unwrap_or_else(|| OTHER.into());
        let mut attributes = Vec::with_capacity(6);
        attributes.push(KeyValue::new(key::SYSTEM_NAME, SYSTEM));
        attributes.push(KeyValue::new(key::METHOD, method.clone()));
        let kind = match side {
            Side::Server => SpanKind::Server,
            Side::Client => {
                attributes.extend_from_slice(&self.place);
                SpanKind::Client
            }
        };
        let within = match &self.tracer {
            Some(tracer) => {
                let mut of_span = attributes.clone();
                let name = if is_known {
                    String::from(method)
                } else {
                    let original = method_name(service, name, number);
                    of_span.push(KeyValue::new(key::METHOD_ORIGINAL, original));
                    SYSTEM.into()
                };
                let span = SpanBuilder::from_name(name).with_kind(kind);
                let span = span.with_attributes(of_span);
                let span = tracer.build_with_context(span, &parent);
                parent.with_span(span)
            }
            None => parent,
        };
        RequestRecord {
            sink: Arc::clone(self),
            side,
            within,
            since: Instant::now(),
            wait: None,
            attributes,
        }
    }
}

impl RequestRecord {
    /// Tells how the request has ended.
    pub(super) fn end(self, failure: Option<&Failure>) {
        let took = self.since.elapsed();
        let number = failure.map_or(session::Status::OK, |why| why.status).0;
        let status = STATUS_CODES.get(usize::from(number)).copied();
        let status = status.unwrap_or(StatusCode {
            code: OTHER,
            client: true,
            server: true,
        });
        let (is_error, histogram) = match self.side {
            Side::Server => (status.server, &self.sink.server),
            Side::Client => (status.client, &self.sink.client),
        };
        let failure = failure.filter(|_| is_error);
        let mut attributes = self.attributes;
        let known = attributes.len();
        attributes.push(KeyValue::new(key::RESPONSE_STATUS_CODE, status.code));
        if let Some(failure) = failure {
            let error = error_type(&failure.name, status.code);
            attributes.push(KeyValue::new(key::ERROR_TYPE, error));
        }
        if let Some(histogram) = histogram {
            histogram.record(took.as_secs_f64(), &attributes);
        }
        if self.sink.tracer.is_some() {
            let span = self.within.span();
            span.set_attributes(attributes.drain(known..));
            if let Some(failure) = failure {
                span.set_status(Status::error(failure.to_string()));
            }
            span.end();
        }
    }

    /// Why a request has ended of which nobody has said it.
    fn broken(&self) -> Failure {
        if matches!(self.side, Side::Server) && std::thread::panicking() {
            return Failure::new(session::Status::INTERNAL, "internal", PANICKED);
        }
        // Timers are as exact as a millisecond.
        let is_late = |wait: Wait| wait.left() < Duration::from_millis(1);
        let mut failure = Failure::of(match self.wait {
            Some(wait) if is_late(wait) => Kind::DeadlineExceeded,
            _ => Kind::Cancelled,
        });
        failure.acted = true;
        failure
    }
}

/// The name of a refusal. A user's own name of a failure is not among the names, and is replaced by
/// the status.
fn error_type(name: &str, status: &'static str) -> &'static str {
    let found = REFUSAL_NAMES.binary_search(&name);
    found.map_or(status, |i| REFUSAL_NAMES[i])
}
