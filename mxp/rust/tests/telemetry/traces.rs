//! Traces, which go through handlers to what these ask for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

use mxp::net::{blocking, Client, ClientOptions, Options, Reply, Server, Service};
use mxp::session::{Status, TraceContext};
use opentelemetry::trace::{
    FutureExt as _, SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState,
};
use opentelemetry::Context;
use opentelemetry_sdk::trace::SpanData;

use crate::demo::listen;
use crate::exported::{texts, Exported};

const FRONT: &str = "demo.Front";
const BACK: &str = "demo.Back";

/// A trace that somebody else has begun.
const BEGUN: TraceContext = TraceContext {
    id: [7; 16],
    parent: 9,
    flags: 1,
};

/// Answers with the trace and the state that it was asked with.
fn back() -> Service {
    Service::new(BACK).call(1, |request| async move {
        let mut answer = request
            .trace
            .unwrap_or_default()
            .parent
            .to_be_bytes()
            .to_vec();
        answer.extend(request.get("tracestate").unwrap_or_default());
        Ok(Reply::new(answer))
    })
}

/// Waits until so many spans have come. The newest is the last.
async fn spans(of: &Exported, many: usize) -> Vec<SpanData> {
    for _ in 0..20_000 {
        if of.spans().len() >= many {
            break;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let all = of.spans();
    assert_eq!(all.len(), many);
    all
}

/// Each span is a child of the next, and the last is a child of the trace of the caller.
fn is_line(spans: &[SpanData]) {
    for pair in spans.windows(2) {
        assert_eq!(pair[0].parent_span_id, pair[1].span_context.span_id());
    }
    let last = spans.last().unwrap();
    assert_eq!(last.parent_span_id.to_bytes(), BEGUN.parent.to_be_bytes());
    let id = |span: &SpanData| span.span_context.trace_id().to_bytes();
    assert!(spans.iter().all(|span| id(span) == BEGUN.id));
}

/// A handler's client continues the trace, whether or not the handler says so.
#[tokio::test]
async fn what_a_handler_asks_for_is_of_its_trace() {
    for follows in [false, true] {
        let exported = Exported::new();
        let (_back, address) = listen(Server::new().service(back())).await;
        let options = ClientOptions::new().telemetry(exported.telemetry());
        let client = options.connect(&address).unwrap();
        let front = Service::new(FRONT).call(1, move |request| {
            let client = client.clone();
            async move {
                let mut options = Options::new();
                if follows {
                    options = options.following(&request);
                }
                tokio::task::yield_now().await;
                client.call(BACK, 1, request.value, &options).await
            }
        });
        let server = Server::new().service(front).telemetry(exported.telemetry());
        let (_front, address) = listen(server).await;
        let options = Options::new()
            .with_trace(BEGUN)
            .with("tracestate", "vendor=x");
        let client = Client::connect(&address).unwrap();
        let reply = client.call(FRONT, 1, b"", &options).await.unwrap();
        let all = spans(&exported, 2).await;
        is_line(&all);
        let asked = &all[0].span_context;
        assert_eq!(asked.trace_state().header(), "vendor=x");
        let want = [&asked.span_id().to_bytes()[..], b"vendor=x"].concat();
        assert_eq!(reply.value, want);
    }
}

/// A server's client of its peer tells, too, but of no address.
#[tokio::test]
async fn what_a_handler_asks_its_client_for_is_told() {
    let (here, there) = (Exported::new(), Exported::new());
    let front = Service::new(FRONT).call(1, |request| async move {
        let client = request.client();
        client.call(BACK, 1, request.value, &Options::new()).await
    });
    let server = Server::new().service(front).telemetry(there.telemetry());
    let (_front, address) = listen(server).await;
    let options = ClientOptions::new().service(back());
    let client = options.telemetry(here.telemetry()).connect(&address);
    let options = Options::new().with_trace(BEGUN);
    let asked = client.as_ref().unwrap().call(FRONT, 1, b"", &options);
    asked.await.unwrap();
    let (here, there) = (spans(&here, 2).await, spans(&there, 2).await);
    is_line(&[&here[..1], &there[..], &here[1..]].concat());
    assert!(!texts(&there[0].attributes).contains_key("server.address"));
    assert_eq!(here[0].name, "demo.Back/1");
}

/// The handler on a thread has its span's context, as handlers on tasks have.
#[tokio::test]
async fn threads_have_the_context_of_their_request() {
    let exported = Exported::new();
    let front = blocking::Service::new(FRONT).call(1, |_| {
        let here = Context::current();
        let span = here.span().span_context().span_id();
        Ok(Reply::new(span.to_bytes().to_vec()))
    });
    let server = blocking::Server::new().service(front);
    let server = server.telemetry(exported.telemetry());
    let listening = tokio::task::spawn_blocking(|| server.listen("mxp+tcp://127.0.0.1:0"));
    let listening = listening.await.unwrap().unwrap();
    let client = Client::connect(&listening.address().to_string()).unwrap();
    let reply = client.call(FRONT, 1, b"", &Options::new()).await.unwrap();
    let span = &spans(&exported, 1).await[0];
    assert_eq!(reply.value, span.span_context.span_id().to_bytes()[..]);
    drop(client);
    let stopped = tokio::task::spawn_blocking(move || listening.shutdown(Duration::from_secs(5)));
    assert!(stopped.await.unwrap());
}

/// The span that a request is made in is its parent, unless it is said to be of another trace.
#[tokio::test]
async fn a_request_is_of_the_span_that_it_is_made_in() {
    let exported = Exported::new();
    let (_back, address) = listen(Server::new().service(back())).await;
    let options = ClientOptions::new().telemetry(exported.telemetry());
    let client = options.connect(&address).unwrap();
    let other = TraceContext {
        id: [8; 16],
        ..BEGUN
    };
    let within = remote_span(BEGUN);
    let plain = Options::new();
    let called = client.call(BACK, 1, b"", &plain);
    called.with_context(within.clone()).await.unwrap();
    let said = Options::new().with_trace(other);
    let called = client.call(BACK, 1, b"", &said);
    called.with_context(within).await.unwrap();
    let all = spans(&exported, 2).await;
    is_line(&all[..1]);
    assert_eq!(all[1].span_context.trace_id().to_bytes(), other.id);
}

fn remote_span(trace: TraceContext) -> Context {
    Context::new().with_remote_span_context(SpanContext::new(
        TraceId::from_bytes(trace.id),
        SpanId::from_bytes(trace.parent.to_be_bytes()),
        TraceFlags::SAMPLED,
        true,
        TraceState::default(),
    ))
}

/// A handler that is dropped since its time is up was late.
#[tokio::test]
async fn a_handler_that_is_too_late_is_told_of() {
    let exported = Exported::new();
    let begun = Arc::new(AtomicBool::new(false));
    let begins = Arc::clone(&begun);
    let front = Service::new(FRONT).call(1, move |_| {
        begins.store(true, Ordering::SeqCst);
        core::future::pending()
    });
    let server = Server::new().service(front).telemetry(exported.telemetry());
    let (_front, address) = listen(server).await;
    // The side that asks stands still, and takes nothing back.
    let asked = tokio::task::spawn_blocking(move || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let asking = async {
            let client = Client::connect(&address).unwrap();
            let late = Options::new().with_deadline(Duration::from_millis(200));
            let begun = async {
                while !begun.load(Ordering::SeqCst) {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                std::thread::sleep(Duration::from_millis(500));
            };
            let called = async { client.call(FRONT, 1, b"", &late).await };
            tokio::join!(called, begun).0
        };
        runtime.enable_all().build().unwrap().block_on(asking)
    });
    let failed = asked.await.unwrap().unwrap_err();
    assert_eq!(failed.status, Status::DEADLINE_EXCEEDED);
    let span = &spans(&exported, 1).await[0];
    assert_eq!(texts(&span.attributes)["error.type"], "deadline_exceeded");
}

/// A handler that panics has failed.
#[tokio::test]
async fn a_panic_is_told_of() {
    let exported = Exported::new();
    let front = Service::new(FRONT)
        .call(1, |_| async { panic!("as it is meant to") })
        .stream(2, |_, _| async { panic!("as it is meant to") });
    let server = Server::new().service(front).telemetry(exported.telemetry());
    let (_front, address) = listen(server).await;
    let client = Client::connect(&address).unwrap();
    let failed = client.call(FRONT, 1, b"", &Options::new()).await;
    assert_eq!(failed.unwrap_err().status, Status::INTERNAL);
    let mut stream = client.open(FRONT, 2, b"", &Options::new()).await.unwrap();
    assert_eq!(stream.receive().await.unwrap_err().status, Status::INTERNAL);
    for span in spans(&exported, 2).await {
        assert_eq!(texts(&span.attributes)["error.type"], "INTERNAL");
    }
}
