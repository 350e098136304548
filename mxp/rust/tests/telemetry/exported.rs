//! The SDK, which exports into memory.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mxp::net::Telemetry;
use opentelemetry::trace::{SpanKind, Status};
use opentelemetry::KeyValue;
use opentelemetry_sdk::metrics::data::{
    AggregatedMetrics, MetricData, ResourceMetrics, ScopeMetrics,
};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};

/// The bounds of the buckets of both metrics.
const BUCKETS: [f64; 14] = [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
];

/// Attributes as texts, by their keys.
pub(crate) type Attributes = BTreeMap<String, String>;

/// The spans and times of one side.
pub(crate) struct Exported {
    spans: InMemorySpanExporter,
    times: InMemoryMetricExporter,
    tracer: SdkTracerProvider,
    meter: SdkMeterProvider,
}

impl Exported {
    pub(crate) fn new() -> Self {
        let (spans, times) = <(InMemorySpanExporter, InMemoryMetricExporter)>::default();
        let tracer = SdkTracerProvider::builder().with_simple_exporter(spans.clone());
        let meter = SdkMeterProvider::builder();
        let meter = meter.with_reader(PeriodicReader::builder(times.clone()).build());
        Self {
            spans,
            times,
            tracer: tracer.build(),
            meter: meter.build(),
        }
    }

    pub(crate) fn telemetry(&self) -> Telemetry {
        Telemetry::new().tracer(&self.tracer).meter(&self.meter)
    }

    /// The spans that have ended until now.
    pub(crate) fn spans(&self) -> Vec<SpanData> {
        self.spans.get_finished_spans().unwrap()
    }

    /// The only one that there is, once there is one. The other side may be a moment later.
    pub(crate) fn span(&self) -> SpanData {
        let end = Instant::now() + Duration::from_secs(20);
        while self.spans().is_empty() {
            assert!(Instant::now() < end, "no span has come");
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut all = self.spans();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    /// The attributes of the only time that was measured, which is of a side.
    pub(crate) fn measured(&self, side: &str, most: Duration) -> Attributes {
        self.meter.force_flush().unwrap();
        let all = self.times.get_finished_metrics().unwrap();
        let mut metrics = all
            .iter()
            .flat_map(ResourceMetrics::scope_metrics)
            .flat_map(ScopeMetrics::metrics);
        let one = metrics.next().expect("a metric");
        assert!(metrics.next().is_none());
        assert_eq!(one.name(), format!("rpc.{side}.call.duration"));
        assert_eq!(one.unit(), "s");
        let AggregatedMetrics::F64(MetricData::Histogram(times)) = one.data() else {
            panic!("{one:?}");
        };
        let points: Vec<_> = times.data_points().collect();
        let [point] = points[..] else {
            panic!("{} points", points.len());
        };
        assert_eq!(point.count(), 1);
        assert!(point.sum() > 0.0 && point.sum() <= most.as_secs_f64());
        assert!(point.bounds().eq(BUCKETS));
        texts(point.attributes())
    }
}

pub(crate) fn texts<'a>(all: impl IntoIterator<Item = &'a KeyValue>) -> Attributes {
    let all = all.into_iter();
    all.map(|pair| (pair.key.to_string(), pair.value.to_string()))
        .collect()
}

/// A span as the cases have it: name, status and attributes.
pub(crate) fn line(span: &SpanData, port: &str) -> String {
    let status = match span.status {
        Status::Error { .. } => "error",
        _ => "unset",
    };
    let attributes = texts(&span.attributes);
    let attributes = attributes.iter().map(|(key, value)| {
        let is_port = key == "server.port" && value == port;
        format!("{key}={}", if is_port { "PORT" } else { value })
    });
    let attributes: Vec<_> = attributes.collect();
    format!("{}\t{status}\t{}", span.name, attributes.join(" "))
}

/// The cases that all languages report: case, side, and the report.
pub(crate) fn cases() -> String {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/telemetry.tsv");
    std::fs::read_to_string(cases).unwrap()
}

/// Checks the only span of the client, the only span of the server and the measurements of both
/// against a case; the client's span has the failure that its user got.
pub(crate) fn check(
    case: &str,
    [here, there]: [&Exported; 2],
    address: &str,
    failure: Option<&str>,
    begun: Instant,
) {
    let cases = cases();
    let port = address.rsplit_once(':').unwrap().1;
    let (asking, serving) = (here.span(), there.span());
    let took = begun.elapsed();
    for (side, exported, span, kind) in [
        ("client", here, &asking, SpanKind::Client),
        ("server", there, &serving, SpanKind::Server),
    ] {
        let start = format!("{case}\t{side}\t");
        let mut lines = cases.lines().filter_map(|line| line.strip_prefix(&start));
        assert_eq!(Some(&line(span, port)[..]), lines.next());
        let mut attributes = texts(&span.attributes);
        attributes.remove("rpc.method_original");
        assert_eq!(exported.measured(side, took), attributes);
        assert_eq!(span.span_kind, kind);
        assert_eq!(
            span.instrumentation_scope.name(),
            env!("CARGO_PKG_NAME"),
            "{case}"
        );
    }
    let described = match &asking.status {
        Status::Error { description } => Some(&description[..]),
        _ => None,
    };
    assert_eq!(described, failure);
    assert_eq!(serving.parent_span_id, asking.span_context.span_id());
    assert_eq!(
        serving.span_context.trace_id(),
        asking.span_context.trace_id()
    );
    assert!(serving.parent_span_is_remote);
}
