//! The texts of failures.

use std::time::Duration;

use mxp::net::{blocking, Client, ClientOptions, Failure, Options, Reply, Server, Service, Window};
use mxp::session::{Limits, Status, CONTROL_BYTES, FAILURE_TEXT_BYTES};

use crate::demo::{local, pair, until, Transport, HANG, IDLE, PANIC, SERVICE};
use crate::log::Log;

#[test]
fn failures_have_one_text() {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/failures.tsv");
    let table = std::fs::read_to_string(table).unwrap();
    for line in table.lines().skip(1) {
        let row: Vec<_> = line.split('\t').collect();
        let [method, peer, status, name, text, acted, want] = row[..] else {
            panic!("{line}");
        };
        let mut failure = Failure::new(Status(status.parse().unwrap()), name, text);
        failure.acted = acted == "yes";
        assert_eq!(failure.with_origin(method, peer).to_string(), want);
    }
}

/// A service whose requests fail.
fn failing() -> Service {
    let mut service = Service::new(SERVICE)
        .call(1, |request| async move {
            Ok(Reply::new(request.value.repeat(100)))
        })
        .call(2, |_| std::future::pending())
        .named(2, "wait")
        .call(3, |_| async {
            let text = "ä".repeat(FAILURE_TEXT_BYTES);
            Err(Failure::new(Status::UNKNOWN, "unknown", text))
        })
        .call(4, |_| async {
            let failure = Failure::new(Status::INTERNAL, "broken", "it broke");
            Err(failure.with_details(vec![0; CONTROL_BYTES]))
        })
        .stream(5, |_, stream| async move {
            let _stream = stream;
            std::future::pending().await
        })
        .call(6, |_| async { panic!("at once") })
        .call(7, |_| async {
            tokio::task::yield_now().await;
            panic!("{}", "later")
        });
    for number in 100..108 {
        service = service.event(number, |_| {
            Err(Failure::new(Status::UNKNOWN, "unknown", "not taken"))
        });
    }
    service
}

fn taking(payload_bytes: usize) -> Limits {
    Limits {
        payload_bytes,
        ..Limits::default()
    }
}

#[tokio::test]
async fn failures_say_what_happened_and_where() {
    let (log, _logged) = Log::of_this_thread();
    let server = Server::new().service(failing()).limits(taking(1000));
    let server = server.listen(&local()).await.unwrap();
    let at = server.address().to_string();
    let options = ClientOptions::new().limits(taking(2000));
    let client = options.connect(&at).unwrap();
    let has = "it has call 1, call wait = 2, call 3, call 4, stream 5, call 6, call 7, event 100";
    let nothing = Options::new();
    let far = "event 100, event 101, event 102, event 103, event 104, event 105, event 106, \
               event 107";
    let internal = "Internal (13) internal: the handler panicked; it may have been acted on";
    for (method, bytes, want) in [
        (1, 2000, "OutOfRange (11) payload_too_large: a payload of 2018 bytes, where the peer takes 1000; it was not acted on"),
        (1, 500, "OutOfRange (11) payload_too_large: a payload of 50005 bytes, where the peer takes 2000; it may have been acted on"),
        (9, 0, &format!("Unimplemented (12) method_unknown: {SERVICE} has no call 9; {has} and 7 more; it was not acted on")),
        (5, 0, &format!("Unimplemented (12) method_unknown: {SERVICE} has no call 5; {has} and 7 more; it was not acted on")),
        (104, 0, &format!("Unimplemented (12) method_unknown: {SERVICE} has no call 104; it has {far} and 7 more; it was not acted on")),
        (3, 0, "Unknown (2) unknown; it may have been acted on"),
        (4, 0, "Internal (13) broken: it broke; it may have been acted on"),
        (6, 0, internal),
        (7, 0, internal),
    ] {
        let called = client.call(SERVICE, method, vec![0; bytes], &nothing);
        let failure = called.await.unwrap_err();
        let want = format!("{SERVICE}/{method} at {at}: {want}");
        assert_eq!(failure.to_string(), want);
    }
    let told = client.event_acked(SERVICE, 100, vec![], &nothing);
    let want =
        format!("{SERVICE}/100 at {at}: Unknown (2) unknown: not taken; it may have been acted on");
    assert_eq!(told.await.unwrap_err().to_string(), want);
    let asked = client.call("demo.Eho", 1, vec![], &nothing);
    let want = format!("demo.Eho/1 at {at}: Unimplemented (12) service_unknown: the peer does not serve demo.Eho; it serves {SERVICE}; it was not acted on");
    assert_eq!(asked.await.unwrap_err().to_string(), want);

    log.has(&["id=1 ", &format!("peer={at} ")]);
    log.has(&["method=demo.Echo/1 ", "name=payload_too_large", "50005"]);
    log.has(&[
        "method=demo.Echo/9 ",
        "status=Unimplemented",
        "name=method_unknown",
    ]);
    log.has(&[
        "method=demo.Echo/4 ",
        "status=Internal",
        "name=broken",
        "it broke",
    ]);
    log.has(&["a handler panicked", "method=demo.Echo/6 ", "panic=at once"]);
    log.has(&["a handler panicked", "method=demo.Echo/7 ", "panic=later"]);
    log.has(&[
        "an event was not taken",
        "method=demo.Echo/100 ",
        "not taken",
    ]);
}

#[tokio::test]
async fn texts_of_failures_are_cut() {
    let server = Server::new().service(failing());
    let server = server.listen(&local()).await.unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    let called = client.call(SERVICE, 3, vec![], &Options::new()).await;
    let cut = "ä".repeat(FAILURE_TEXT_BYTES / 2 - 2) + "…";
    assert_eq!(called.unwrap_err().text, cut);
}

#[tokio::test]
async fn deadlines_say_how_long_was_waited() {
    let (server, client, _seen) = pair(Transport::Local).await;
    client.ready().await.unwrap();
    let at = server.address().to_string();
    let options = Options::new().with_deadline(Duration::from_millis(30));
    let called = client.call(SERVICE, HANG, vec![], &options).await;
    let mut stream = client.open(SERVICE, IDLE, vec![], &options).await.unwrap();
    let received = stream.receive().await;
    let blocked = {
        let (at, options) = (at.clone(), options.clone());
        let call = move || {
            let client = blocking::Client::connect(&at).unwrap();
            client.call(SERVICE, HANG, &[], &options)
        };
        tokio::task::spawn_blocking(call).await.unwrap()
    };
    for (failure, method, end) in [
        (
            called.unwrap_err(),
            format!("{SERVICE}/6 at {at}"),
            "; it may have been acted on",
        ),
        (
            received.unwrap_err(),
            format!("{SERVICE}/7 at {at}"),
            "; it may have been acted on",
        ),
        (
            blocked.unwrap_err(),
            format!("{SERVICE}/6 at {at}"),
            "; it may have been acted on",
        ),
    ] {
        let text = failure.to_string();
        let head = format!("{method}: DeadlineExceeded (4) deadline_exceeded: after ");
        let tail = text.strip_prefix(&head).unwrap_or_else(|| panic!("{text}"));
        assert!(tail.contains(" ms, with a deadline of 30 ms"), "{text}");
        assert!(tail.ends_with(end), "{text}");
    }
}

#[tokio::test]
async fn lost_connections_say_why_and_whether_it_was_acted_on() {
    let (server, client, seen) = pair(Transport::Local).await;
    let at = server.address().to_string();
    let mut stream = client
        .open(SERVICE, IDLE, vec![], &Options::new())
        .await
        .unwrap();
    let asking = client.clone();
    let call = async move { asking.call(SERVICE, HANG, vec![], &Options::new()).await };
    let call = tokio::spawn(call);
    until("it hangs", || {
        seen.hanging.load(std::sync::atomic::Ordering::SeqCst) > 0
    })
    .await;
    drop(server);
    for (failure, method) in [
        (call.await.unwrap().unwrap_err(), HANG),
        (stream.receive().await.unwrap_err(), IDLE),
    ] {
        let text = failure.to_string();
        let head =
            format!("{SERVICE}/{method} at {at}: Unavailable (14) session_lost: the peer has ");
        assert!(text.starts_with(&head), "{text}");
        assert!(
            text.ends_with(" the connection; it may have been acted on"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn what_panics_is_not_told_to_the_peer() {
    let (server, client, _seen) = pair(Transport::Tcp).await;
    let called = client.call(SERVICE, PANIC, vec![], &Options::new()).await;
    let failure = called.unwrap_err();
    assert_eq!(failure.text, "the handler panicked");
    assert_eq!(failure.peer(), server.address().to_string());
    assert_eq!(failure.method(), "demo.Echo/8");
}

#[tokio::test]
async fn limits_out_of_range_are_refused() {
    let zero = Limits {
        queue_bytes: 0,
        ..Limits::default()
    };
    for (limits, want) in [
        (
            taking(32 << 20),
            "payload_bytes is 33554432, and can be 1 to 16777216",
        ),
        (taking(0), "payload_bytes is 0, and can be 1 to 16777216"),
        (
            zero,
            &format!("queue_bytes is 0, and can be 1 to {}", u64::MAX),
        ),
    ] {
        let client = ClientOptions::new().limits(limits).connect(&local());
        assert_eq!(client.unwrap_err().to_string(), want);
        let server = Server::new().limits(limits).listen(&local()).await;
        assert_eq!(server.unwrap_err().to_string(), want);
        let client = blocking::ClientOptions::new().limits(limits);
        assert_eq!(client.connect(&local()).unwrap_err().to_string(), want);
    }
    for (messages, bytes, want) in [(0, 1, "messages is 0"), (1, 0, "bytes is 0")] {
        let window = Window { messages, bytes };
        let client = ClientOptions::new().stream_window(window).connect(&local());
        let server = Server::new().stream_window(window).listen(&local()).await;
        let (client, server) = (client.unwrap_err(), server.unwrap_err());
        assert!(client.to_string().contains(want), "{client}");
        assert!(server.to_string().contains(want), "{server}");
    }
}

#[tokio::test]
async fn unknown_methods_are_observed_by_their_service() {
    let (sender, mut refused) = tokio::sync::mpsc::unbounded_channel();
    let observed = failing().unknown(move |request| {
        let _ = sender.send((request.method, request.value.len(), request.metadata));
    });
    let server = Server::new()
        .service(Service::new("demo.Other"))
        .service(observed);
    let server = server.listen(&local()).await.unwrap();
    let client = ClientOptions::new()
        .connect(&server.address().to_string())
        .unwrap();
    let options = Options::new().with("key", "value");
    let called = client.call(SERVICE, 9, vec![7], &options).await;
    assert_eq!(called.unwrap_err().name, "method_unknown");
    let told = client.event_acked(SERVICE, 99, vec![8], &options).await;
    assert_eq!(told.unwrap_err().name, "method_unknown");
    let other = client.call("demo.Other", 1, vec![], &options).await;
    assert_eq!(other.unwrap_err().name, "method_unknown");
    let known = client.call(SERVICE, 1, vec![1], &options).await;
    assert_eq!(known.unwrap().value, vec![1; 100]);
    let metadata = vec![("key".to_owned(), b"value".to_vec())];
    for method in [9, 99] {
        assert_eq!(refused.recv().await.unwrap(), (method, 0, metadata.clone()));
    }
    drop(server);
    drop(client);
    assert!(refused.try_recv().is_err());
}
