use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use mxp::net::blocking::Stream;
use mxp::net::{Options, Service, Window};

use super::{patient, until, Pair};
use crate::demo::{ECHO, HANG, IDLE, SERVICE, UPPER};

#[test]
fn chunks_go_both_ways_beside_calls_and_other_streams() {
    let pair = Pair::new(patient());
    let (client, options) = (&pair.client, Options::new());
    let mut first = client.open(SERVICE, UPPER, b"", &options).unwrap();
    let mut second = client.open(SERVICE, UPPER, b"", &options).unwrap();
    for n in 0..300_usize {
        let text = format!("text {n}");
        first.send(text.as_bytes()).unwrap();
        second.send(vec![b'a'; 100 * n]).unwrap();
        let reply = client.call(SERVICE, ECHO, text.as_bytes(), &options);
        assert_eq!(reply.unwrap().value, text);
        assert_eq!(second.receive().unwrap().unwrap(), vec![b'A'; 100 * n]);
        let upper = first.receive().unwrap().unwrap();
        assert_eq!(upper, text.to_uppercase().as_bytes());
    }
    first.finish().unwrap();
    assert_eq!(first.receive().unwrap(), None);
    assert_eq!(first.receive().unwrap(), None);
    assert!(first.finish().is_err(), "it has ended");
    drop((first, second));
    until("nothing is in flight", || pair.in_flight() == 0);
}

#[test]
fn a_receiver_is_an_iterator_that_ends_behind_the_first_failure() {
    let pair = Pair::new(patient());
    let options = Options::new();
    let stream = pair.client.open(SERVICE, UPPER, b"", &options).unwrap();
    for chunk in [b"a", b"b"] {
        stream.send(chunk).unwrap();
    }
    stream.finish().unwrap();
    let chunks: Result<Vec<_>, _> = stream.receiver.collect();
    assert_eq!(chunks.unwrap(), [b"A", b"B"]);
    let soon = options.with_deadline(Duration::from_millis(20));
    let stream = pair.client.open(SERVICE, IDLE, b"", &soon).unwrap();
    let ends: Vec<_> = stream.receiver.collect();
    assert_eq!(ends.len(), 1);
    let failure = ends.into_iter().next().unwrap().unwrap_err();
    let name = &failure.name[..];
    assert_eq!((name, failure.acted), ("deadline_exceeded", true));
    assert!(
        failure.text.contains("with a deadline of 20 ms"),
        "{failure}"
    );
    assert_eq!(failure.method(), format!("{SERVICE}/{IDLE}"));
}

#[test]
fn what_is_dropped_is_cancelled() {
    let pair = Pair::new(patient());
    let options = Options::new();
    let stream = pair.client.open(SERVICE, IDLE, b"", &options).unwrap();
    until("it is served", || pair.in_flight() == 1);
    let Stream { sender, receiver } = stream;
    drop(receiver);
    sender.send(b"on").unwrap();
    drop(sender);
    until("it is gone", || pair.in_flight() == 0);
    // The client is as good as before.
    let reply = pair.client.call(SERVICE, ECHO, b"x", &options).unwrap();
    assert_eq!(reply.value, b"x"[..]);
}

#[test]
fn a_sender_waits_for_a_receiver_who_takes_nothing() {
    let taken = Arc::new(AtomicUsize::new(0));
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let (count, opens) = (Arc::clone(&taken), Arc::clone(&gate));
    let pair = Pair::serving(Service::new("t.T").stream(1, move |_, mut stream| {
        let (count, opens) = (Arc::clone(&count), Arc::clone(&opens));
        async move {
            opens.acquire().await.unwrap().forget();
            while stream.receive().await?.is_some() {
                count.fetch_add(1, Ordering::SeqCst);
            }
            Ok(())
        }
    }));
    let stream = pair.client.open("t.T", 1, b"", &Options::new()).unwrap();
    let sent = Arc::new(AtomicUsize::new(0));
    let sending = {
        let sent = Arc::clone(&sent);
        std::thread::spawn(move || {
            for _ in 0..3000 {
                stream.send(vec![7; 4096]).unwrap();
                sent.fetch_add(1, Ordering::SeqCst);
            }
            stream.finish().unwrap();
            assert_eq!(stream.receiver.count(), 0);
        })
    };
    // No more than the window of 2 MiB.
    until("the window is full", || sent.load(Ordering::SeqCst) == 512);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(sent.load(Ordering::SeqCst), 512);
    gate.add_permits(1);
    sending.join().unwrap();
    assert_eq!(taken.load(Ordering::SeqCst), 3000);
}

#[test]
fn a_server_waits_for_a_receiver_who_takes_nothing() {
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let pair = Pair::of(
        mxp::net::Server::new().service(Service::new("t.T").stream(1, move |_, stream| {
            let count = Arc::clone(&count);
            async move {
                for _ in 0..100 {
                    stream.send(vec![7; 10]).await?;
                    count.fetch_add(1, Ordering::SeqCst);
                }
                Ok(())
            }
        })),
        patient().stream_window(Window {
            messages: 8,
            bytes: 1 << 20,
        }),
        Arc::default(),
    );
    let mut stream = pair.client.open("t.T", 1, b"", &Options::new()).unwrap();
    until("the window is full", || sent.load(Ordering::SeqCst) == 8);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(sent.load(Ordering::SeqCst), 8);
    assert_eq!(stream.receive().unwrap().unwrap().len(), 10);
    assert_eq!(stream.receiver.count(), 99);
}

#[test]
fn a_chunk_beyond_the_window_is_refused_and_the_stream_goes_on() {
    let pair = Pair::new(patient());
    let options = Options::new();
    let mut stream = pair.client.open(SERVICE, UPPER, b"", &options).unwrap();
    stream.send(b"a").unwrap();
    assert_eq!(stream.receive().unwrap().unwrap(), b"A");
    let failure = stream.send(vec![0; (1 << 20) + 1]).unwrap_err();
    assert_eq!(failure.name, "stream_window");
    stream.send(b"b").unwrap();
    assert_eq!(stream.receive().unwrap().unwrap(), b"B");
}

/// A single thread reads for all.
#[test]
fn threads_share_a_connection() {
    let pair = Pair::new(patient());
    let options = Options::new();
    let stream = pair.client.open(SERVICE, UPPER, b"", &options).unwrap();
    let Stream { sender, receiver } = stream;
    let received = std::thread::spawn(move || receiver.map(Result::unwrap).count());
    let late = {
        let (client, soon) = (
            pair.client.clone(),
            Options::new().with_deadline(Duration::from_millis(50)),
        );
        std::thread::spawn(move || client.call(SERVICE, HANG, b"", &soon).unwrap_err())
    };
    std::thread::scope(|scope| {
        for n in 0..4_usize {
            let (client, options) = (&pair.client, &options);
            scope.spawn(move || {
                for i in 0..200 {
                    let value = vec![7; n * i];
                    let reply = client.call(SERVICE, ECHO, &value[..], options);
                    assert_eq!(reply.unwrap().value, value);
                }
            });
        }
        for _ in 0..500 {
            sender.send(b"x").unwrap();
        }
    });
    sender.finish().unwrap();
    assert_eq!(received.join().unwrap(), 500);
    assert_eq!(late.join().unwrap().name, "deadline_exceeded");
    until("nobody hangs", || {
        pair.seen.hanging.load(Ordering::SeqCst) == 0
    });
}

#[test]
fn a_connection_that_is_lost_ends_what_waits_on_it() {
    let mut pair = Pair::new(patient());
    let options = Options::new();
    let mut stream = pair.client.open(SERVICE, UPPER, b"", &options).unwrap();
    stream.send(b"one").unwrap();
    assert_eq!(stream.receive().unwrap().unwrap(), b"ONE");
    let calling = {
        let (client, options) = (pair.client.clone(), options.clone());
        std::thread::spawn(move || client.call(SERVICE, HANG, b"", &options).unwrap_err())
    };
    let receiving = std::thread::spawn(move || (stream.receive().unwrap_err(), stream));
    until("both are served", || pair.in_flight() == 2);
    pair.listening = None;
    assert!(calling.join().unwrap().acted);
    let (failure, stream) = receiving.join().unwrap();
    assert!(failure.acted, "{failure}");
    assert!(stream.send(b"two").is_err());
    pair.runtime.shutdown_background();
}
