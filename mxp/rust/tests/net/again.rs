//! Requests that are made again, since nobody has acted on them. [MXP-14.6]

use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mxp::net::{blocking, Client, ClientOptions, Failure, Options, Reply, Server, Service, Stream};
use mxp::session::{Config, Grant, Incoming, Kind, Limits, Role, Session};

use crate::demo::{place, plain, until, PlainListener, PlainStream};

const SERVICE: &str = "demo.Echo";

fn send(session: &mut Session, stream: &mut PlainStream) {
    while let Some(frames) = session.poll_frames(1 << 16, 0) {
        // The peer may have gone.
        let _ = stream.write_all(&frames.to_vec());
    }
}

/// Takes a connection, answers calls on it, and sends back what streams bring. The first is come by when the session
/// drains, if it does.
fn answer(stream: &mut PlainStream, drains: bool) {
    let config = Config::new().with_service(SERVICE);
    let mut session = Session::new(config, Role::Acceptor, 0).unwrap();
    send(&mut session, stream);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let n = stream.read(&mut buffer).unwrap_or(0);
        if n == 0 {
            return;
        }
        let mut rest = &buffer[..n];
        let (mut calls, mut opened, mut chunks, mut ends) = (vec![], vec![], vec![], vec![]);
        loop {
            if drains && session.ready() && !rest.is_empty() {
                session.drain("", 0).unwrap();
            }
            let Some(incoming) = session.receive(&mut rest, 0) else {
                break;
            };
            match incoming {
                Incoming::Call(call) => calls.push((call.id, call.value.to_vec())),
                Incoming::Open(open) => {
                    opened.push(open.id);
                    chunks.push((open.id, open.value.to_vec(), open.is_final));
                }
                Incoming::Chunk(chunk) => {
                    chunks.push((chunk.id, chunk.value.to_vec(), chunk.is_final));
                }
                Incoming::Finished(finished) => ends.push(finished.id),
                _ => {}
            }
        }
        for (id, value) in calls {
            session.respond(id, &[], value, 0).unwrap();
        }
        for id in opened {
            let (messages, bytes) = (1000, 1 << 20);
            session.grant(id, Grant { messages, bytes }, 0).unwrap();
        }
        for (id, value, is_final) in chunks {
            session.chunk(id, is_final, false, value, 0).unwrap();
        }
        for id in ends {
            session.finish(id, 0).unwrap();
        }
        send(&mut session, stream);
    }
}

/// A server whose first connections drain in the moment in which a call comes.
fn draining(connections: usize) -> (String, Arc<AtomicUsize>) {
    let address = plain();
    let listener = PlainListener::bind(place(&address)).unwrap();
    let taken = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&taken);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let n = count.fetch_add(1, Ordering::SeqCst);
            let mut stream = stream.unwrap();
            std::thread::spawn(move || answer(&mut stream, n < connections));
        }
    });
    (address, taken)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_meets_a_drain_is_made_on_the_next_connection() {
    let (address, taken) = draining(3);
    let client = Client::connect(&address).unwrap();
    for value in [vec![7; 10], vec![8; 100_000]] {
        let reply = client
            .call(SERVICE, 1, value.clone(), &Options::new())
            .await;
        assert_eq!(reply.unwrap().value, value);
    }
    assert_eq!(taken.load(Ordering::SeqCst), 4);
}

/// Reads a stream to its end.
async fn rest(mut stream: Stream) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    while let Some(chunk) = stream.receive().await.unwrap() {
        all.push(chunk);
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_meets_a_drain_is_opened_on_the_next_connection() {
    let options = Options::new();
    // The first use of a connection finds out that it drains.
    let (address, taken) = draining(3);
    let client = Client::connect(&address).unwrap();
    let mut stream = client.open(SERVICE, 1, b"one", &options).await.unwrap();
    assert_eq!(stream.receive().await.unwrap().unwrap(), b"one");
    assert_eq!(taken.load(Ordering::SeqCst), 4);
    stream.send(b"two").await.unwrap();
    stream.finish().unwrap();
    assert_eq!(rest(stream).await, [b"two"]);

    let (address, taken) = draining(3);
    let client = Client::connect(&address).unwrap();
    let stream = client.open(SERVICE, 1, b"one", &options).await.unwrap();
    until("another connection", || taken.load(Ordering::SeqCst) > 1).await;
    stream.send(b"two").await.unwrap();
    stream.finish().unwrap();
    assert_eq!(rest(stream).await, [b"one", b"two"]);

    // The end that was sent before is sent again.
    let (address, _) = draining(3);
    let client = Client::connect(&address).unwrap();
    let stream = client.open(SERVICE, 1, b"one", &options).await.unwrap();
    stream.finish().unwrap();
    assert_eq!(rest(stream).await, [b"one"]);

    // Both directions at once open it once.
    let (address, taken) = draining(1);
    let client = Client::connect(&address).unwrap();
    let Stream {
        sender,
        mut receiver,
    } = client.open(SERVICE, 1, b"one", &options).await.unwrap();
    until("another connection", || taken.load(Ordering::SeqCst) > 1).await;
    let (sent, received) = tokio::join!(sender.send(b"two"), receiver.receive());
    sent.unwrap();
    assert_eq!(received.unwrap().unwrap(), b"one");
    assert_eq!(receiver.receive().await.unwrap().unwrap(), b"two");
}

/// It may have been acted on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_in_use_that_is_lost_stays_lost() {
    let address = plain();
    let server = Server::new().service(slow("first", &Arc::default()));
    let listening = server.listen(&address).await.unwrap();
    let client = Client::connect(&address).unwrap();
    let mut stream = client.open(SERVICE, 2, b"", &Options::new()).await.unwrap();
    stream.send(b"one").await.unwrap();
    assert_eq!(stream.receive().await.unwrap().unwrap(), b"one");
    drop(listening);
    assert!(stream.receive().await.unwrap_err().acted);
    assert!(stream.send(b"two").await.is_err());
}

#[test]
fn a_blocking_call_that_meets_a_drain_is_made_on_the_next_connection() {
    let (address, taken) = draining(3);
    let client = blocking::Client::connect(&address).unwrap();
    for value in [vec![7; 10], vec![8; 100_000]] {
        let reply = client.call(SERVICE, 1, value.clone(), &Options::new());
        assert_eq!(reply.unwrap().value, value);
    }
    assert_eq!(taken.load(Ordering::SeqCst), 4);
}

#[test]
fn a_blocking_stream_that_meets_a_drain_is_opened_on_the_next_connection() {
    let options = Options::new();
    let (address, taken) = draining(3);
    let client = blocking::Client::connect(&address).unwrap();
    let mut stream = client.open(SERVICE, 1, b"one", &options).unwrap();
    assert_eq!(stream.receive().unwrap().unwrap(), b"one");
    assert_eq!(taken.load(Ordering::SeqCst), 4);
    stream.send(b"two").unwrap();
    stream.finish().unwrap();
    let rest: Result<Vec<_>, _> = stream.receiver.collect();
    assert_eq!(rest.unwrap(), [b"two"]);

    // The end that was sent before is sent again.
    let (address, _) = draining(3);
    let client = blocking::Client::connect(&address).unwrap();
    let stream = client.open(SERVICE, 1, b"one", &options).unwrap();
    stream.finish().unwrap();
    let all: Result<Vec<_>, _> = stream.receiver.collect();
    assert_eq!(all.unwrap(), [b"one"]);
}

/// A service with a call that takes a while, and a stream that says something now and
/// then until it is told to end.
fn slow(name: &'static str, running: &Arc<AtomicUsize>) -> Service {
    let running = Arc::clone(running);
    Service::new(SERVICE)
        .call(1, move |_| {
            let running = Arc::clone(&running);
            async move {
                running.fetch_add(1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(5)).await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(Reply::new(name.as_bytes()))
            }
        })
        .stream(2, |_, mut stream: Stream| async move {
            while let Some(chunk) = stream.receive().await? {
                stream.send(chunk).await?;
            }
            Ok(())
        })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_a_long_stream_a_drain_leaves_no_time_without_service() {
    let address = plain();
    let running = Arc::default();
    let serve = |name| Server::new().service(slow(name, &running)).listen(&address);
    let first = serve("first").await.unwrap();
    let client = Client::connect(&address).unwrap();
    let mut stream = client
        .open(SERVICE, 2, vec![], &Options::new())
        .await
        .unwrap();
    let ask = || async {
        let begun = Instant::now();
        let options = Options::new();
        let reply = client.call(SERVICE, 1, vec![], &options).await.unwrap();
        (reply.value, begun.elapsed())
    };
    assert_eq!(ask().await.0, b"first"[..]);
    let old = Arc::new(first);
    let draining = {
        let old = Arc::clone(&old);
        tokio::spawn(async move { old.drain("").await })
    };
    until("the socket is free", || {
        PlainStream::connect(place(&address)).is_err()
    })
    .await;
    let second = serve("second").await.unwrap();
    for _ in 0..50 {
        let (value, took) = ask().await;
        assert_eq!(value, b"second"[..]);
        assert!(took < Duration::from_secs(2), "{took:?}");
        stream.send(b"still".to_vec()).await.unwrap();
        assert_eq!(stream.receive().await.unwrap().unwrap(), b"still");
    }
    assert!(!draining.is_finished() && old.connections() == 1);
    stream.finish().unwrap();
    assert_eq!(stream.receive().await.unwrap(), None);
    draining.await.unwrap();
    drop(second);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_peer_has_no_place_for_is_asked_again() {
    let running = Arc::new(AtomicUsize::new(0));
    let limits = Limits {
        in_flight: 2,
        ..Limits::default()
    };
    let server = Server::new().service(slow("one", &running)).limits(limits);
    let server = server.listen(&plain()).await.unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    let calls = (0..20).map(|_| {
        let client = client.clone();
        tokio::spawn(async move { client.call(SERVICE, 1, vec![], &Options::new()).await })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(call.await.unwrap().unwrap().value, b"one"[..]);
    }
    assert!(server.stats().refusals(Kind::LimitInFlight) > 0);
}

/// A call that has no place here waits in line, and not longer than its deadline.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_no_place_here_waits_in_line() {
    let running = Arc::new(AtomicUsize::new(0));
    let server = Server::new().service(slow("one", &running));
    let server = server.listen(&plain()).await.unwrap();
    let limits = Limits {
        in_flight: 2,
        ..Limits::default()
    };
    let client = ClientOptions::new().limits(limits);
    let client = client.connect(&server.address().to_string()).unwrap();
    let calls = (0..20).map(|_| {
        let client = client.clone();
        tokio::spawn(async move { client.call(SERVICE, 1, vec![], &Options::new()).await })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(call.await.unwrap().unwrap().value, b"one"[..]);
    }
    assert_eq!(server.stats().refusals(Kind::LimitInFlight), 0);
    let _streams = [
        client
            .open(SERVICE, 2, vec![], &Options::new())
            .await
            .unwrap(),
        client
            .open(SERVICE, 2, vec![], &Options::new())
            .await
            .unwrap(),
    ];
    let options = Options::new().with_deadline(Duration::from_millis(50));
    let late = client.call(SERVICE, 1, vec![], &options).await.unwrap_err();
    assert_eq!((&late.name[..], late.acted), ("deadline_exceeded", false));
}

/// A handler's own failure is its caller's, under any name.
#[tokio::test]
async fn what_a_handler_passes_on_is_not_asked_again() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let service = Service::new(SERVICE).call(1, move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        let status = mxp::session::Status::UNAVAILABLE;
        async move { Err(Failure::new(status, "session_lost", "elsewhere").refused()) }
    });
    let server = Server::new()
        .service(service)
        .listen(&plain())
        .await
        .unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    let failure = client.call(SERVICE, 1, vec![], &Options::new()).await;
    assert_eq!(failure.unwrap_err().name, "session_lost");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}
