//! Streams.

use std::future::Future as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::task::{Context, Wake};
use std::time::{Duration, Instant};

use mxp::net::{Client, ClientOptions, Options, Reply, Server, Service, Stream, Window};

use crate::demo::{
    pair, plain, service, until, Seen, Transport, ALL, IDLE, LARGE, ONE, SERVICE, UPPER,
};

#[tokio::test]
async fn chunks_go_both_ways_however_many_there_are() {
    for &transport in ALL {
        let (server, client, _) = pair(transport).await;
        let stream = client.open(SERVICE, UPPER, vec![], &Options::new()).await;
        let stream = stream.unwrap();
        let (sender, mut receiver) = (stream.sender, stream.receiver);
        let send = async move {
            for n in 0..2000 {
                let mut chunk = format!("chunk {n} ").into_bytes();
                chunk.resize(chunk.len() + n, b'x');
                sender.send(chunk).await.unwrap();
            }
            sender.finish().unwrap();
        };
        let receive = async {
            let mut n = 0;
            while let Some(chunk) = receiver.receive().await.unwrap() {
                assert!(chunk.starts_with(format!("CHUNK {n} ").as_bytes()));
                assert!(chunk.ends_with(&vec![b'X'; n]));
                n += 1;
            }
            n
        };
        let ((), n) = tokio::join!(send, receive);
        assert_eq!(n, 2000);
        until("nothing is in flight", || {
            let (there, here) = (server.stats(), client.stats().unwrap());
            there.in_flight() == (0, 0) && here.in_flight() == (0, 0)
        })
        .await;
    }
}

#[tokio::test]
async fn a_sender_waits_for_a_receiver() {
    let (_server, client, _) = pair(Transport::Local).await;
    let stream = client.open(SERVICE, IDLE, vec![], &Options::new()).await;
    let stream = stream.unwrap();
    let mut sent = 0;
    while let Ok(result) =
        tokio::time::timeout(Duration::from_millis(100), stream.send(vec![0; 10])).await
    {
        result.unwrap();
        sent += 1;
    }
    assert_eq!(sent, Window::default().messages);
    // A send that is given up leaves nothing of its task behind.
    let task = Arc::new(Task);
    for _ in 0..10 {
        let waker = Arc::clone(&task).into();
        let mut given_up = Box::pin(stream.send(vec![0; 10]));
        let polled = given_up.as_mut().poll(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
    }
    assert_eq!(Arc::strong_count(&task), 1);
}

/// A task that nobody wakes.
struct Task;

impl Wake for Task {
    fn wake(self: Arc<Self>) {}
}

/// [MESH-5.1].
#[tokio::test]
async fn few_events_of_the_mesh_are_on_their_way_to_a_subscriber_that_takes_none() {
    const ALL: usize = 20_000;
    const MESH: &str = "mxp.mesh.Mesh";
    let sent = Arc::new(AtomicUsize::new(0));
    let mut server = Server::new();
    for name in [MESH, SERVICE] {
        let sent = Arc::clone(&sent);
        let subscribe = move |_, stream: Stream| {
            let sent = Arc::clone(&sent);
            async move {
                for n in 0..ALL {
                    stream.send(n.to_string().into_bytes()).await?;
                    sent.store(n + 1, Ordering::Relaxed);
                }
                Ok(())
            }
        };
        server = server.service(Service::new(name).stream(3, subscribe));
    }
    let server = server.listen(&plain()).await.unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    for (name, most) in [(MESH, 256), (SERVICE, Window::default().messages as usize)] {
        sent.store(0, Ordering::Relaxed);
        let stream = client.open(name, 3, vec![], &Options::new()).await.unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        while sent.load(Ordering::Relaxed) < most && Instant::now() < end {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(sent.load(Ordering::Relaxed), most, "{name}");
        let mut receiver = stream.receiver;
        for n in 0..ALL {
            let chunk = receiver.receive().await.unwrap();
            assert_eq!(chunk.as_deref(), Some(n.to_string().as_bytes()));
        }
    }
}

/// [MXP-8.7].
#[tokio::test]
async fn chunks_of_up_to_half_the_window_pass() {
    const MOST: usize = 1 << 20;
    for &transport in ALL {
        let (_server, client, _) = pair(transport).await;
        let stream = client.open(SERVICE, UPPER, vec![], &Options::new()).await;
        let mut stream = stream.unwrap();
        for n in [1, MOST - 1, MOST, 600_000, MOST, 0, MOST] {
            stream.send(vec![b'x'; n]).await.unwrap();
            assert_eq!(stream.receive().await.unwrap().unwrap().len(), n);
        }
    }
}

/// [MXP-8.7].
#[tokio::test]
async fn a_chunk_beyond_the_window_is_refused() {
    let (_server, client, _) = pair(Transport::Local).await;
    let options = Options::new().with_deadline(Duration::from_secs(10));
    let mut stream = client.open(SERVICE, UPPER, vec![], &options).await.unwrap();
    let failure = stream.send(vec![0; (1 << 20) + 1]).await.unwrap_err();
    assert_eq!(failure.name, "stream_window");
    let text = "a chunk of 1048577 bytes, where the receiver's window lets 1048576 through";
    assert_eq!(failure.text, text);
    stream.send(&b"on"[..]).await.unwrap();
    assert_eq!(stream.receive().await.unwrap().unwrap(), b"ON");

    // The same from a handler, which ends with it.
    let stream = client.open(SERVICE, LARGE, vec![], &options).await;
    let failure = stream.unwrap().receive().await.unwrap_err();
    assert_eq!(
        (&failure.name[..], &failure.text[..]),
        ("stream_window", text)
    );
}

/// Each side's window binds the other.
#[tokio::test]
async fn a_window_can_be_set_on_either_side() {
    let window = |bytes| Window {
        messages: 16,
        bytes,
    };
    let server = Server::new().service(service(&Arc::new(Seen::default())));
    let server = server.stream_window(window(2000)).listen(&plain()).await;
    let server = server.unwrap();
    let client = ClientOptions::new().stream_window(window(1000));
    let client = client.connect(&server.address().to_string()).unwrap();
    let options = Options::new().with_deadline(Duration::from_secs(10));
    let open = |value: Vec<u8>| {
        let client = client.clone();
        let options = options.clone();
        async move {
            let mut stream = client.open(SERVICE, UPPER, vec![], &options).await.unwrap();
            stream.send(value).await?;
            stream.receive().await
        }
    };
    assert_eq!(open(vec![b'a'; 500]).await.unwrap().unwrap(), [b'A'; 500]);
    for (bytes, text) in [(1001, "window lets 1000"), (501, "window lets 500")] {
        let failure = open(vec![b'a'; bytes]).await.unwrap_err();
        assert_eq!(failure.name, "stream_window", "{failure}");
        assert!(failure.text.contains(text), "{failure}");
    }
}

/// Chunks that are taken are told so that as much comes behind, however small the window is.
#[tokio::test]
async fn a_window_of_one_chunk_lets_one_after_the_other_through() {
    let window = Window {
        messages: 1,
        bytes: 2,
    };
    let server = Server::new().service(service(&Arc::new(Seen::default())));
    let server = server.stream_window(window).listen(&plain()).await.unwrap();
    let client = ClientOptions::new().stream_window(window);
    let client = client.connect(&server.address().to_string()).unwrap();
    let options = Options::new().with_deadline(Duration::from_secs(10));
    let mut stream = client.open(SERVICE, UPPER, vec![], &options).await.unwrap();
    for _ in 0..100 {
        stream.send(vec![b'a']).await.unwrap();
        assert_eq!(stream.receive().await.unwrap().unwrap(), b"A");
    }
}

#[tokio::test]
async fn a_stream_that_nobody_has_is_cancelled() {
    let (server, client, _) = pair(Transport::Tcp).await;
    let stream = client.open(SERVICE, IDLE, vec![], &Options::new()).await;
    until("it is there", || server.stats().in_flight().1 == 1).await;
    drop(stream);
    until("it is gone", || server.stats().in_flight().1 == 0).await;
}

#[tokio::test]
async fn a_stream_has_a_deadline() {
    let (server, client, _) = pair(Transport::Local).await;
    let options = Options::new().with_deadline(Duration::from_millis(50));
    let mut stream = client.open(SERVICE, IDLE, vec![], &options).await.unwrap();
    let failure = stream.receive().await.unwrap_err();
    assert_eq!(failure.name, "deadline_exceeded");
    assert!(stream.send(vec![]).await.is_err());
    until("it is gone", || server.stats().in_flight().1 == 0).await;
}

#[tokio::test]
async fn what_a_handler_has_not_taken_is_forgotten_with_its_credit() {
    for bytes in [10, 10_000] {
        let (_server, client, _) = pair(Transport::Local).await;
        let stream = client.open(SERVICE, ONE, vec![], &Options::new()).await;
        let stream = stream.unwrap();
        // More than the window has of either.
        for _ in 0..3000 {
            let sent = tokio::time::timeout(Duration::from_secs(5), stream.send(vec![0; bytes]));
            sent.await.expect("there is credit").unwrap();
        }
    }
}

#[tokio::test]
async fn who_sends_much_lets_others_have_their_turn() {
    let (_server, client, _) = pair(Transport::Local).await;
    let stream = client.open(SERVICE, IDLE, vec![], &Options::new()).await;
    let stream = stream.unwrap();
    let had_turn = Arc::new(AtomicBool::new(false));
    let turn = Arc::clone(&had_turn);
    tokio::spawn(async move { turn.store(true, Ordering::SeqCst) });
    for _ in 0..400 {
        stream.send(vec![0; 200]).await.unwrap();
    }
    assert!(had_turn.load(Ordering::SeqCst));
}

/// Small calls do not wait behind a stream of large chunks on the same connection.
/// `MXP_MEGABYTES` is how many there are. The bound is for a machine that has other work;
/// what is printed is for one that has none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn small_calls_pass_a_stream_of_large_chunks() {
    const CHUNK: usize = 64 << 10;
    let megabytes = std::env::var("MXP_MEGABYTES").map_or(32, |text| text.parse().unwrap());
    let all = (megabytes << 20) / CHUNK;
    let service = Service::new("demo.Line")
        .call(1, |request| async move { Ok(Reply::new(request.value)) })
        .stream(2, |_, mut stream: Stream| async move {
            while stream.receive().await?.is_some() {}
            Ok(())
        });
    let server = Server::new()
        .service(service)
        .listen(&plain())
        .await
        .unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    let mut stream = client
        .open("demo.Line", 2, vec![], &Options::new())
        .await
        .unwrap();
    let begun = Instant::now();
    let sending = tokio::spawn(async move {
        for _ in 0..all {
            stream.send(vec![7; CHUNK]).await.unwrap();
        }
        stream.finish().unwrap();
        assert_eq!(stream.receive().await.unwrap(), None);
    });
    let mut times = Vec::new();
    while !sending.is_finished() {
        let asked = Instant::now();
        let call = client
            .call("demo.Line", 1, vec![7; 64], &Options::new())
            .await;
        call.unwrap();
        times.push(asked.elapsed());
        tokio::time::sleep(Duration::from_micros(500)).await;
    }
    sending.await.unwrap();
    times.sort();
    let (took, n) = (begun.elapsed(), times.len());
    let (median, p99) = (times[n / 2], times[n * 99 / 100]);
    println!("{n} calls in {took:?}: median {median:?}, p99 {p99:?}");
    assert!(median <= Duration::from_millis(20), "{median:?}");
}
