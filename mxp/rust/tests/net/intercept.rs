//! Interceptors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mxp::net::{
    Client, ClientOptions, Failure, MethodKind, Options, Reply, Server, ServerHandle, Service,
    WhenFull,
};
use mxp::session::Status;

use crate::demo::{plain, service, until, Seen, ECHO, REFUSE, SERVICE, TICK, UPPER};

/// A log of what happened, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// A server, whose client has these options.
async fn serve(server: Server, options: ClientOptions) -> (ServerHandle, Client, Arc<Seen>) {
    let seen = Arc::default();
    let server = server
        .service(service(&seen))
        .listen(&plain())
        .await
        .unwrap();
    let client = options.connect(&server.address().to_string()).unwrap();
    (server, client, seen)
}

async fn echo(client: &Client, options: &Options) -> Result<Reply, Failure> {
    client.call(SERVICE, ECHO, b"x".to_vec(), options).await
}

#[tokio::test]
async fn the_first_is_the_outermost_on_both_sides() {
    let log = Log::default();
    let (mut server, mut options) = (Server::new(), ClientOptions::new());
    for n in 1..=2 {
        let notes = log.clone();
        server = server.intercept(move |request, next| {
            let notes = notes.clone();
            async move {
                notes.note(format!("server {n}"));
                let reply = next.run(request).await;
                notes.note(format!("server {n} behind"));
                reply
            }
        });
        let notes = log.clone();
        options = options.intercept(move |request, next| {
            let notes = notes.clone();
            async move {
                notes.note(format!("client {n}"));
                let reply = next.run(request).await;
                notes.note(format!("client {n} behind"));
                reply
            }
        });
    }
    let (_server, client, _) = serve(server, options).await;
    echo(&client, &Options::new()).await.unwrap();
    let want = [
        "client 1",
        "client 2",
        "server 1",
        "server 2",
        "server 2 behind",
        "server 1 behind",
        "client 2 behind",
        "client 1 behind",
    ];
    assert_eq!(log.all(), want);
}

#[tokio::test]
async fn what_is_refused_nobody_acts_on() {
    let server = Server::new().intercept(|request, next| async move {
        if request.metadata.iter().any(|(key, _)| key == "key") {
            return next.run(request).await;
        }
        Err(Failure::new(Status::UNAUTHENTICATED, "key_missing", "no").refused())
    });
    let (server, client, seen) = serve(server, ClientOptions::new()).await;
    let none = Options::new();
    let call = echo(&client, &none).await.map(|_| ());
    let event = client.event_acked(SERVICE, TICK, vec![], &none).await;
    let mut stream = client.open(SERVICE, UPPER, vec![], &none).await.unwrap();
    let stream = stream.receive().await.map(|_| ());
    for refused in [call, event, stream] {
        let failure = refused.unwrap_err();
        assert_eq!(
            (&failure.name[..], &failure.text[..], failure.acted),
            ("key_missing", "no", false)
        );
    }
    assert_eq!(seen.ticks.load(Ordering::SeqCst), 0);
    let key = Options::new().with("key", "");
    echo(&client, &key).await.unwrap();
    client
        .event_acked(SERVICE, TICK, vec![], &key)
        .await
        .unwrap();
    assert_eq!(seen.ticks.load(Ordering::SeqCst), 1);
    until("nothing is in flight", || {
        server.stats().in_flight() == (0, 0)
    })
    .await;
}

#[tokio::test]
async fn metadata_can_be_added_on_the_way_and_on_the_way_back() {
    let seen = Log::default();
    let notes = seen.clone();
    let server = Server::new().intercept(|request, next| async move {
        let kind = format!("{:?}", next.kind());
        Ok(next.run(request).await?.with("kind", kind))
    });
    let options = ClientOptions::new().intercept(move |mut request, next| {
        let notes = notes.clone();
        request.metadata.push(("mine".into(), b"2".to_vec()));
        async move {
            let reply = next.run(request).await?;
            for (key, value) in &reply.metadata {
                notes.note(format!("{key}={}", String::from_utf8_lossy(value)));
            }
            Ok(reply)
        }
    });
    let (_server, client, _) = serve(server, options).await;
    // The echoed metadata is the received metadata.
    let reply = echo(&client, &Options::new().with("mine", "1")).await;
    assert_eq!(reply.unwrap().metadata.len(), 3);
    assert_eq!(seen.all(), ["mine=1", "mine=2", "kind=Call"]);
}

#[tokio::test]
async fn events_stay_in_order_where_an_interceptor_waits() {
    let log = Log::default();
    let notes = log.clone();
    let ordered = Service::new("demo.Ordered").event(1, move |request| {
        notes.note(String::from_utf8_lossy(&request.value));
        Ok(())
    });
    let server = Server::new()
        .service(ordered)
        .intercept(|request, next| async move {
            assert_eq!(next.kind(), MethodKind::Event);
            if request.value.ends_with(b"7") {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            next.run(request).await
        });
    let (_server, client, _) = serve(server, ClientOptions::new()).await;
    // More than wait at once before nothing more is read.
    let none = Options::new();
    for n in 0..2500 {
        let value = n.to_string().into_bytes();
        let full = WhenFull::default();
        let told = client.event("demo.Ordered", 1, value, full, &none);
        told.await.unwrap();
    }
    let last = client.event_acked("demo.Ordered", 1, b"last".to_vec(), &none);
    last.await.unwrap();
    let mut want: Vec<_> = (0..2500).map(|n| n.to_string()).collect();
    want.push("last".to_owned());
    assert_eq!(log.all(), want);
}

#[tokio::test]
async fn of_a_stream_a_server_has_the_handler_and_a_client_the_opening() {
    let log = Log::default();
    let (here, there) = (log.clone(), log.clone());
    let server = Server::new().intercept(move |request, next| {
        let there = there.clone();
        async move {
            let reply = next.run(request).await;
            there.note("served");
            reply
        }
    });
    let options = ClientOptions::new().intercept(move |request, next| {
        let here = here.clone();
        async move {
            let reply = next.run(request).await;
            here.note("opened");
            reply
        }
    });
    let (server, client, _) = serve(server, options).await;
    let none = Options::new();
    let mut stream = client.open(SERVICE, UPPER, vec![], &none).await.unwrap();
    for _ in 0..10 {
        stream.send(b"word".to_vec()).await.unwrap();
        assert_eq!(stream.receive().await.unwrap().unwrap(), b"WORD");
    }
    assert_eq!(log.all(), ["opened"]);
    stream.finish().unwrap();
    assert_eq!(stream.receive().await.unwrap(), None);
    until("nothing is in flight", || {
        server.stats().in_flight() == (0, 0)
    })
    .await;
    assert_eq!(log.all(), ["opened", "served"]);
}

#[tokio::test]
async fn a_client_can_ask_again_or_not_at_all() {
    let tries = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&tries);
    let options = ClientOptions::new().intercept(move |request, next| {
        let counts = Arc::clone(&counts);
        async move {
            if request.value == b"known"[..] {
                return Ok(Reply::new(b"at once".to_vec()));
            }
            loop {
                let done = next.clone().run(request.clone()).await;
                if done.is_ok() || counts.fetch_add(1, Ordering::SeqCst) == 2 {
                    return done;
                }
            }
        }
    });
    let (server, client, _) = serve(Server::new(), options).await;
    let none = Options::new();
    let failure = client.call(SERVICE, REFUSE, vec![], &none).await;
    assert_eq!(failure.unwrap_err().name, "demo_refused");
    assert_eq!(tries.load(Ordering::SeqCst), 3);
    let calls = || server.stats().frames_in(mxp::frame::Type::Call);
    assert_eq!(calls(), 3);
    let known = client.call(SERVICE, ECHO, b"known".to_vec(), &none).await;
    assert_eq!(known.unwrap().value, b"at once"[..]);
    assert_eq!(calls(), 3);
    // There is no stream that nobody has opened.
    let stream = client.open(SERVICE, UPPER, b"known".to_vec(), &none).await;
    assert_eq!(stream.unwrap_err().name, "exchange_ended");
}

#[tokio::test]
async fn a_stream_is_served_once() {
    let server = Server::new().intercept(|request, next| async move {
        let _first = next.clone().run(request.clone()).await;
        next.run(request).await
    });
    let (server, client, _) = serve(server, ClientOptions::new()).await;
    let none = Options::new();
    let mut stream = client.open(SERVICE, UPPER, vec![], &none).await.unwrap();
    stream.finish().unwrap();
    let failure = stream.receive().await.unwrap_err();
    assert_eq!(
        (&failure.name[..], failure.acted),
        ("exchange_ended", false)
    );
    until("nothing is in flight", || {
        server.stats().in_flight() == (0, 0)
    })
    .await;
}

#[tokio::test]
async fn interceptors_are_part_of_the_time_that_a_request_may_take() {
    let options = ClientOptions::new().intercept(|request, next| async move {
        tokio::time::sleep(Duration::from_millis(60)).await;
        next.run(request).await
    });
    let (server, client, _) = serve(Server::new(), options).await;
    let short = Options::new().with_deadline(Duration::from_millis(50));
    let failure = echo(&client, &short).await.unwrap_err();
    assert_eq!(
        (&failure.name[..], failure.acted),
        ("deadline_exceeded", false)
    );
    assert_eq!(server.stats().frames_in(mxp::frame::Type::Call), 0);
    let long = Options::new().with_deadline(Duration::from_secs(60));
    echo(&client, &long).await.unwrap();
}
