//! The metrics of each method.

use std::time::Duration;

use mxp::net::{Client, ClientOptions, Failure, Options, Reply, RetryPolicy};
use mxp::net::{Server, Service, Stream, WhenFull};
use mxp::session::{Limits, MethodStats, Side, Stats, Status};

use crate::demo::{plain, until};

const SERVICE: &str = "demo.Counted";

fn service() -> Service {
    let refusal = || Failure::new(Status::NOT_FOUND, "demo_nothing", "");
    Service::new(SERVICE)
        .call(1, |request| async move { Ok(Reply::new(request.value)) })
        .call(2, move |_| async move {
            tokio::task::yield_now().await;
            Err(refusal())
        })
        .call(3, |_| core::future::pending())
        .call(4, |_| async { panic!("a handler is broken") })
        .event(5, move |request| match &request.value[..] {
            b"" => Ok(()),
            _ => Err(refusal()),
        })
        .stream(6, move |request, mut stream: Stream| async move {
            while let Some(chunk) = stream.receive().await? {
                stream.send(chunk).await?;
            }
            match &request.value[..] {
                b"" => Ok(()),
                _ => Err(refusal()),
            }
        })
        .named(1, "echo")
}

fn of<'a>(stats: &'a Stats, method: &str) -> &'a MethodStats {
    let mut methods = stats.methods().iter();
    let found = methods.find(|m| m.service() == SERVICE && m.method() == method);
    found.unwrap_or_else(|| panic!("nothing was counted of {method}"))
}

#[tokio::test]
async fn requests_are_counted_by_method_and_status() {
    let server = Server::new().service(service());
    let server = server.listen(&plain()).await.unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    let options = Options::new();
    for _ in 0..3 {
        client.call(SERVICE, 1, b"x", &options).await.unwrap();
    }
    client.call(SERVICE, 2, b"", &options).await.unwrap_err();
    let hangs = tokio::spawn({
        let client = client.clone();
        async move { client.call(SERVICE, 3, b"", &Options::new()).await }
    });
    let hanging = || server.stats().methods().iter().any(|m| m.method() == "3");
    until("a call that hangs", hanging).await;
    hangs.abort();
    client.call(SERVICE, 4, b"", &options).await.unwrap_err();
    for value in ["", "x"] {
        let _ = client
            .event_acked(SERVICE, 5, value.as_bytes(), &options)
            .await;
        let told = client.event(SERVICE, 5, value.as_bytes(), WhenFull::Wait, &options);
        told.await.unwrap();
        let mut stream = client
            .open(SERVICE, 6, value.as_bytes(), &options)
            .await
            .unwrap();
        stream.send(b"chunk").await.unwrap();
        stream.finish().unwrap();
        while let Ok(Some(_)) = stream.receive().await {}
    }
    let open = client.open(SERVICE, 6, b"", &options).await.unwrap();
    let counted = || {
        let stats = server.stats();
        let events = || of(&stats, "5").requests(Status::NOT_FOUND) == 2;
        let is_open = || of(&stats, "6").in_flight() == 1;
        let cancelled = || of(&stats, "3").requests(Status::CANCELLED) == 1;
        stats.methods().len() == 6 && events() && is_open() && cancelled()
    };
    until("all counts", counted).await;
    let (there, here) = (server.stats(), client.stats().unwrap());
    for (stats, side, name) in [(&there, Side::Server, "echo"), (&here, Side::Client, "1")] {
        let count = |method, status| {
            let stats = of(stats, method);
            assert_eq!(stats.side(), side);
            stats.requests(status)
        };
        assert_eq!(count(name, Status::OK), 3);
        assert_eq!(count("2", Status::NOT_FOUND), 1);
        assert_eq!(count("3", Status::CANCELLED), 1);
        assert_eq!(count("4", Status::INTERNAL), 1);
        // Nobody tells a client what became of an event.
        let failed = if side == Side::Server { 2 } else { 1 };
        assert_eq!(count("5", Status::NOT_FOUND), failed);
        assert_eq!(count("5", Status::OK), 4 - failed);
        assert_eq!(count("6", Status::OK), 1);
        assert_eq!(count("6", Status::NOT_FOUND), 1);
        assert_eq!(of(stats, "6").in_flight(), 1);
        assert_eq!(of(stats, name).in_flight(), 0);
    }
    drop(open);
    let cancelled = || of(&server.stats(), "6").requests(Status::CANCELLED) == 1;
    until("the end of a stream", cancelled).await;
    let ended = client.stats().unwrap();
    assert_eq!(of(&ended, "6").requests(Status::CANCELLED), 1);

    let text = there.prometheus();
    let labels = format!("side=\"server\",service=\"{SERVICE}\",method=\"echo\"");
    for line in [
        "# TYPE mxp_requests_total counter".to_owned(),
        format!("mxp_requests_total{{{labels},status=\"Ok\"}} 3"),
        format!("mxp_requests_in_flight{{{labels}}} 0"),
        "# TYPE mxp_request_seconds histogram".to_owned(),
        format!("mxp_request_seconds_bucket{{{labels},le=\"33.554432\"}} 3"),
        format!("mxp_request_seconds_bucket{{{labels},le=\"+Inf\"}} 3"),
        format!("mxp_request_seconds_count{{{labels}}} 3"),
    ] {
        assert!(text.lines().any(|part| part == line), "{line} in {text}");
    }
}

// A repetition by policy is a request of its own, as it is for the server.
#[tokio::test]
async fn repetitions_are_counted_each() {
    for interceptors in [0, 1] {
        let busy = || Failure::new(Status::UNAVAILABLE, "busy", "").refused();
        let service = Service::new(SERVICE).call(1, move |_| async move { Err(busy()) });
        let server = Server::new().service(service);
        let server = server.listen(&plain()).await.unwrap();
        let pause = Duration::from_millis(1);
        let policy = RetryPolicy::new().least_pause(pause).greatest_pause(pause);
        let mut options = ClientOptions::new().retry(policy);
        for _ in 0..interceptors {
            options = options.intercept(|request, next| next.run(request));
        }
        let client = options.connect(&server.address().to_string()).unwrap();
        let failed = client.call(SERVICE, 1, b"", &Options::new()).await;
        assert_eq!(failed.unwrap_err().status, Status::UNAVAILABLE);
        for stats in [server.stats(), client.stats().unwrap()] {
            assert_eq!(of(&stats, "1").requests(Status::UNAVAILABLE), 3);
            assert_eq!(of(&stats, "1").in_flight(), 0);
        }
    }
}

// An answer that the client doesn't take is none.
#[tokio::test]
async fn answers_that_are_too_large_are_counted_as_failed() {
    let large = || Ok(Reply::new(vec![0; 100_000]));
    let service = Service::new(SERVICE)
        .call(1, move |_| async move { large() })
        .call(2, move |_| async move {
            tokio::task::yield_now().await;
            large()
        });
    let server = Server::new().service(service);
    let server = server.listen(&plain()).await.unwrap();
    let limits = Limits {
        payload_bytes: 50_000,
        ..Limits::default()
    };
    let options = ClientOptions::new().limits(limits);
    let client = options.connect(&server.address().to_string()).unwrap();
    for (number, method) in [(1, "1"), (2, "2")] {
        let failed = client.call(SERVICE, number, b"", &Options::new()).await;
        let status = failed.unwrap_err().status;
        for stats in [server.stats(), client.stats().unwrap()] {
            assert_eq!(of(&stats, method).requests(status), 1);
            assert_eq!(of(&stats, method).requests(Status::OK), 0);
        }
    }
}
