//! Spans and times of requests, which OpenTelemetry is told under the names of
//! `spec/telemetry.toml`.

use core::fmt;
use std::borrow::ToOwned as _;
use std::boxed::Box;
use std::sync::Arc;
use std::vec::Vec;

use opentelemetry::global::BoxedTracer;
use opentelemetry::metrics::{Histogram, Meter, MeterProvider};
use opentelemetry::trace::{TraceContextExt as _, Tracer, TracerProvider};
use opentelemetry::{Context, InstrumentationScope, KeyValue};

use crate::net::request_options::{first, MethodRef, TRACE_STATE, TRACE_STATE_BYTES};
use crate::net::transport::registry::Target;
use crate::net::Options;
use crate::session::Side;

mod names_gen;
#[cfg(feature = "tokio")]
mod serve;
mod sink;
mod trace;

use names_gen::{key, Metric, CLIENT_CALL_DURATION, SERVER_CALL_DURATION};
use sink::Sink;
use trace::{remote, trace_of};

pub(crate) use sink::RequestSpan;

/// The providers of OpenTelemetry that a client, or a server, tells of its requests, under the
/// names of its semantic conventions of RPC. Without a tracer's there are no spans, without a
/// meter's no times. Clones tell the same ones.
///
/// A client's span is a child of the span in [`Context::current`], or of the trace in
/// [`Options::trace`] if that is another; handlers run with the server's span in theirs.
///
/// ```
/// use mxp::net::{ClientOptions, Server, Telemetry};
/// use opentelemetry::global;
///
/// let telemetry = Telemetry::new()
///     .tracer(&global::tracer_provider())
///     .meter(&*global::meter_provider());
/// let server = Server::new().telemetry(telemetry.clone());
/// let options = ClientOptions::new().telemetry(telemetry);
/// ```
#[derive(Clone, Default)]
pub struct Telemetry(Option<Arc<Sink>>);

impl Telemetry {
    /// Tells nobody.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a span of each request: one for all its repetitions, which ends with the answer, or
    /// with the stream. Processors of spans must not wait.
    #[must_use]
    pub fn tracer<P>(self, provider: &P) -> Self
    where
        P: TracerProvider,
        P::Tracer: Send + Sync + 'static,
        <P::Tracer as Tracer>::Span: Send + Sync + 'static,
    {
        let tracer = BoxedTracer::new(Box::new(provider.tracer_with_scope(scope())));
        self.with(|sink| sink.tracer = Some(Arc::new(tracer)))
    }

    /// Measures how long requests take.
    #[must_use]
    pub fn meter(self, provider: &(impl MeterProvider + ?Sized)) -> Self {
        let meter = provider.meter_with_scope(scope());
        self.with(|sink| {
            sink.client = Some(histogram(&meter, &CLIENT_CALL_DURATION));
            sink.server = Some(histogram(&meter, &SERVER_CALL_DURATION));
        })
    }

    fn with(self, change: impl FnOnce(&mut Sink)) -> Self {
        let mut sink = self.0.unwrap_or_default();
        change(Arc::make_mut(&mut sink));
        Self(Some(sink))
    }

    /// Whether anybody is told.
    pub(crate) const fn is_told(&self) -> bool {
        self.0.is_some()
    }

    /// Tells of a client's requests, which are for servers at some places.
    pub(crate) fn at(self, targets: &[Target]) -> Self {
        if !self.is_told() {
            return self;
        }
        self.with(|sink| sink.place = place(targets))
    }

    /// Begins to tell of a request that is made, whose trace is from now on that of its span.
    pub(crate) fn ask(&self, method: MethodRef<'_>, options: &mut Options) -> RequestSpan {
        let Some(sink) = &self.0 else {
            return RequestSpan::none();
        };
        let here = Context::current();
        let parent = match options.trace {
            Some(trace) if here.span().span_context().trace_id().to_bytes() != trace.id => {
                here.with_remote_span_context(remote(trace, &options.metadata))
            }
            _ => here,
        };
        let begun = sink.begin(
            Side::Client,
            (method.service, method.number, method.name),
            parent,
        );
        let within = begun.within.span();
        let within = within.span_context();
        options.trace = trace_of(within).or(options.trace);
        let state = within.trace_state().header();
        let passes = !state.is_empty() && state.len() <= TRACE_STATE_BYTES;
        if passes && first(&options.metadata, TRACE_STATE).is_none() {
            options.metadata.push((TRACE_STATE.into(), state.into()));
        }
        RequestSpan::of(begun)
    }
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sink = self.0.as_deref();
        f.debug_struct("Telemetry")
            .field("spans", &sink.is_some_and(|sink| sink.tracer.is_some()))
            .field("times", &sink.is_some_and(|sink| sink.client.is_some()))
            .finish()
    }
}

/// The scope of this library in OpenTelemetry.
fn scope() -> InstrumentationScope {
    InstrumentationScope::builder(env!("CARGO_PKG_NAME"))
        .with_version(env!("CARGO_PKG_VERSION"))
        .build()
}

fn histogram(meter: &Meter, metric: &Metric) -> Histogram<f64> {
    meter
        .f64_histogram(metric.name)
        .with_unit(metric.unit)
        .with_description(metric.description)
        .with_boundaries(metric.buckets.to_vec())
        .build()
}

/// Where servers are: of one its host, and its port if it has one.
fn place(targets: &[Target]) -> Vec<KeyValue> {
    if let [target] = targets {
        if let Some((host, port)) = target.host_and_port() {
            let host = KeyValue::new(key::SERVER_ADDRESS, host.to_owned());
            return Vec::from([host, KeyValue::new(key::SERVER_PORT, i64::from(port))]);
        }
    }
    let mut places: Vec<&str> = Vec::new();
    for target in targets {
        if !places.contains(&target.place()) {
            places.push(target.place());
        }
    }
    Vec::from([KeyValue::new(key::SERVER_ADDRESS, places.join(","))])
}
