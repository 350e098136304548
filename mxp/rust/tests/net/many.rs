//! Chunks and events that are sent, and taken, many at once.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use mxp::frame::Type;
use mxp::net::{
    blocking, Client, ClientOptions, Failure, Options, Server, Service, Stream, WhenFull, Window,
};
use mxp::session::Status;

use crate::demo::{pair, plain, service, until, Seen, Transport, ALL, IDLE, SERVICE, TICK, UPPER};

/// A value of a length that differs from its neighbours', some of which go alone.
fn value(n: usize) -> Vec<u8> {
    let mut value = vec![b'x'; n * 7919 % 300 + n % 97 / 96 * 5000];
    value.extend_from_slice(n.to_string().as_bytes());
    value
}

async fn open(client: &Client, method: u16) -> Stream {
    let stream = client.open(SERVICE, method, vec![], &Options::new()).await;
    stream.unwrap()
}

/// Sends values to a server that says them in capitals, and takes what comes back, partly one
/// by one.
async fn there_and_back(client: &Client, values: usize) {
    let stream = open(client, UPPER).await;
    let (sender, mut receiver) = (stream.sender, stream.receiver);
    let send = async move {
        sender.send_all((0..values).map(value)).await.unwrap();
        assert_eq!(sender.sent(), values as u64);
        sender.finish().unwrap();
    };
    let receive = async {
        let mut n = 0;
        let mut next = |chunk: &[u8]| {
            assert_eq!(chunk, value(n).to_ascii_uppercase(), "{n}");
            n += 1;
        };
        loop {
            let Some(chunks) = receiver.chunks().await.unwrap() else {
                break;
            };
            // Chunks that are left come next.
            let some = chunks.len().div_ceil(2);
            chunks.take(some).for_each(&mut next);
            match receiver.receive().await.unwrap() {
                Some(chunk) => next(&chunk),
                None => break,
            }
        }
        assert_eq!(n, values);
    };
    tokio::join!(send, receive);
}

#[tokio::test]
async fn many_at_once_come_in_their_order() {
    for &transport in ALL {
        let (server, client, _) = pair(transport).await;
        there_and_back(&client, 5000).await;
        let sent = client.stats().unwrap();
        let frames = sent.frames_out(Type::StreamChunk) + sent.frames_out(Type::StreamChunks);
        assert!(frames < 1000, "{frames}");
        until("nothing is in flight", || {
            server.stats().in_flight() == (0, 0)
        })
        .await;
    }
}

#[tokio::test]
async fn a_peer_without_batches_has_each_alone() {
    let seen = Arc::new(Seen::default());
    let server = Server::new().no_batches().service(service(&seen));
    let server = server.listen(&plain()).await.unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    there_and_back(&client, 1000).await;
    let values = (0..100).map(|n: u8| vec![n]);
    let options = Options::new();
    let told = client.event_all(SERVICE, TICK, values, WhenFull::Wait, &options);
    told.await.unwrap();
    until("all were told", || seen.ticks.load(Ordering::SeqCst) == 100).await;
    let stats = client.stats().unwrap();
    assert_eq!(
        stats.frames_out(Type::StreamChunks) + stats.frames_out(Type::Events),
        0
    );
}

/// [MXP-8.3].
#[tokio::test]
async fn nothing_is_sent_without_credit() {
    for (messages, bytes, sent) in [(7, 1 << 20, 7), (100, 95, 9), (2000, 1 << 20, 2000)] {
        let window = Window { messages, bytes };
        let seen = Arc::default();
        let server = Server::new().stream_window(window).service(service(&seen));
        let server = server.listen(&plain()).await.unwrap();
        let client = Client::connect(&server.address().to_string()).unwrap();
        let stream = open(&client, IDLE).await;
        // A future that is dropped has sent what could be.
        let all = stream.sender.send_all((0..5000).map(|_| [7; 10].to_vec()));
        let all = tokio::time::timeout(Duration::from_millis(100), all).await;
        assert!(all.is_err());
        assert_eq!(stream.sender.sent(), sent);
        let one = tokio::time::timeout(Duration::from_millis(50), stream.send(vec![0; 10])).await;
        assert!(one.is_err());
    }
}

/// [MXP-8.7].
#[tokio::test]
async fn a_chunk_that_is_too_large_ends_the_sending_and_not_the_stream() {
    let window = Window {
        messages: 100,
        bytes: 200,
    };
    let seen = Arc::default();
    let server = Server::new().stream_window(window).service(service(&seen));
    let server = server.listen(&plain()).await.unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    let mut stream = open(&client, UPPER).await;
    stream.send(b"a".to_vec()).await.unwrap();
    assert_eq!(stream.receive().await.unwrap(), Some(b"A".to_vec()));
    let values = [10, 20, 101, 5].map(|n| vec![b'x'; n]);
    let failure = stream.sender.send_all(values).await.unwrap_err();
    assert_eq!(failure.name, "stream_window");
    assert_eq!(stream.sender.sent(), 3);
    stream.sender.send_all([b"end"]).await.unwrap();
    for bytes in [10, 20] {
        assert_eq!(stream.receive().await.unwrap().unwrap().len(), bytes);
    }
    assert_eq!(stream.receive().await.unwrap(), Some(b"END".to_vec()));
}

#[tokio::test]
async fn a_failure_in_the_middle_ends_the_sending() {
    let some = Service::new(SERVICE).stream(1, |_, mut stream: Stream| async move {
        for _ in 0..10 {
            stream.receive().await?;
        }
        Err(Failure::new(Status::ABORTED, "enough", ""))
    });
    let window = Window {
        messages: 20,
        bytes: 1 << 20,
    };
    let server = Server::new().stream_window(window).service(some);
    let server = server.listen(&plain()).await.unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    let stream = open(&client, 1).await;
    let failure = stream
        .sender
        .send_all((0_u64..).map(|n| n.to_le_bytes().to_vec()));
    assert_eq!(failure.await.unwrap_err().name, "enough");
    let sent = stream.sender.sent();
    assert!((10..=40).contains(&sent), "{sent}");
}

/// Values, each of which is ready when the last has come back.
struct Echoed(Arc<AtomicUsize>, usize);

impl futures_core::Stream for Echoed {
    type Item = Vec<u8>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        if self.1 == 20 {
            return Poll::Ready(None);
        }
        if self.0.load(Ordering::Relaxed) < self.1 {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.1 += 1;
        Poll::Ready(Some(b"x".to_vec()))
    }
}

#[tokio::test]
async fn nothing_is_kept_back_while_the_next_is_awaited() {
    let (_server, client, _) = pair(Transport::Local).await;
    let stream = open(&client, UPPER).await;
    let (sender, mut receiver) = (stream.sender, stream.receiver);
    let came = Arc::new(AtomicUsize::new(0));
    let values = Echoed(Arc::clone(&came), 0);
    let send = async move {
        sender.send_all(values).await.unwrap();
        sender.finish().unwrap();
    };
    let receive = async move {
        while receiver.receive().await.unwrap().is_some() {
            came.fetch_add(1, Ordering::Relaxed);
        }
        assert_eq!(came.load(Ordering::Relaxed), 20);
    };
    let both = async { tokio::join!(send, receive) };
    tokio::time::timeout(Duration::from_secs(10), both)
        .await
        .unwrap();
}

#[tokio::test]
async fn who_makes_values_may_use_the_connection_and_panic() {
    let (_server, client, _) = pair(Transport::Local).await;
    let stream = open(&client, IDLE).await;
    let asks = client.clone();
    let sending = tokio::spawn(async move {
        let values = (0..10_u8).map(|n| {
            assert!(n < 5 && asks.stats().is_some());
            vec![n]
        });
        stream.sender.send_all(values).await
    });
    assert!(sending.await.unwrap_err().is_panic());
    there_and_back(&client, 10).await;
}

#[tokio::test]
async fn borrowed_values_are_sent_from_any_thread() {
    let (_server, client, _) = pair(Transport::Local).await;
    let sending = tokio::spawn(async move {
        let mut stream = open(&client, UPPER).await;
        let all: Vec<_> = (0..100).map(value).collect();
        stream.sender.send_all(all.iter()).await.unwrap();
        stream.finish().unwrap();
        for value in &all {
            let chunk = stream.receive().await.unwrap();
            assert_eq!(chunk, Some(value.to_ascii_uppercase()));
        }
    });
    sending.await.unwrap();
}

type Log = Arc<Mutex<Vec<Vec<u8>>>>;

/// A service that writes down the values of its events: of the first as they are handed over,
/// of the second as they are lent.
fn log(log: &Log) -> Service {
    let (first, second) = (Arc::clone(log), Arc::clone(log));
    Service::new(SERVICE)
        .event(1, move |request| {
            first.lock().unwrap().push(request.value.to_vec());
            Ok(())
        })
        .event_ref(2, move |value, request| {
            assert_eq!((request.method, request.get("of")), (2, Some(&b"all"[..])));
            second.lock().unwrap().push(value.to_vec());
            match value {
                b"bad" => Err(Failure::new(Status::INVALID_ARGUMENT, "bad", "")),
                _ => Ok(()),
            }
        })
}

#[tokio::test]
async fn events_come_in_their_order() {
    for method in [1, 2] {
        for has_others in [false, true] {
            let seen = Log::default();
            let mut server = Server::new().service(log(&seen));
            let mut options = ClientOptions::new();
            if has_others {
                server = server.intercept(|request, next| next.run(request));
                options = options.intercept(|request, next| next.run(request));
            }
            let server = server.listen(&plain()).await.unwrap();
            let client = options.connect(&server.address().to_string()).unwrap();
            let all: Vec<_> = (0..3000).map(value).collect();
            let options = Options::new().with("of", *b"all");
            let values = all.iter().map(|value| &value[..]);
            let told = client.event_all(SERVICE, method, values, WhenFull::Wait, &options);
            told.await.unwrap();
            until("all were told", || seen.lock().unwrap().len() == all.len()).await;
            assert!(*seen.lock().unwrap() == all);
            let told = server.stats();
            let told = told
                .methods()
                .iter()
                .map(|method| method.requests(Status::OK));
            assert_eq!(told.sum::<u64>(), 3000);
            let told = client.stats().unwrap();
            assert_eq!(told.methods()[0].requests(Status::OK), 3000);
        }
    }
}

#[tokio::test]
async fn events_of_a_thread_come_in_their_order() {
    for has_others in [false, true] {
        let seen = Log::default();
        let server = Server::new().service(log(&seen)).listen(&plain()).await;
        let server = server.unwrap();
        let address = server.address().to_string();
        let all: Vec<_> = (0..3000).map(value).chain([vec![7; 100_000]]).collect();
        let (values, failed) = (all.clone(), Arc::new(AtomicBool::new(false)));
        let has_failed = Arc::clone(&failed);
        let thread = std::thread::spawn(move || {
            let mut options = blocking::ClientOptions::new();
            if has_others {
                options = options.intercept(|request, next| next.run(request));
            }
            let client = options.connect(&address).unwrap();
            let options = Options::new().with("of", *b"all");
            let values = values.iter().map(|value| &value[..]);
            client.event_all(SERVICE, 2, values, &options).unwrap();
            client.event_all(SERVICE, 2, [b"end"], &options).unwrap();
            let told = client.event_all("t.None", 1, [b"x"], &options);
            has_failed.store(told.is_err(), Ordering::SeqCst);
        });
        until("all were told", || seen.lock().unwrap().len() > all.len()).await;
        until("the thread is done", || thread.is_finished()).await;
        let told = seen.lock().unwrap();
        assert!(told[..all.len()] == all && told[all.len()] == b"end");
        assert!(failed.load(Ordering::SeqCst));
    }
}

#[tokio::test]
async fn an_event_that_fails_keeps_no_other() {
    let seen = Log::default();
    let server = Server::new().service(log(&seen)).listen(&plain()).await;
    let server = server.unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    let options = Options::new().with("of", *b"all");
    let values = [&b"1"[..], b"bad", b"2"];
    let told = client.event_all(SERVICE, 2, values, WhenFull::Wait, &options);
    told.await.unwrap();
    until("all were told", || seen.lock().unwrap().len() == 3).await;
    let told = server.stats();
    let told = &told.methods()[0];
    let counts = [Status::OK, Status::INVALID_ARGUMENT].map(|status| told.requests(status));
    assert_eq!(counts, [2, 1]);
    let failure = client.event_all("t.None", 1, [b"x"], WhenFull::Wait, &options);
    assert_eq!(failure.await.unwrap_err().name, "service_unknown");
}
