//! Batches between servers and clients [MXP-17].

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mxp::frame::{Checksum, Frame, Header, Type};
use mxp::net::{blocking, Client, ClientOptions, Options, Server, ServerHandle, Service, WhenFull};
use mxp::session::{Config, FullPolicy, Request, Role, Session, Stats, BATCH_BYTES};

use crate::demo::{pair, plain, service, until, Seen, ALL, SERVICE, TICK, UPPER};
use crate::raw::Raw;

/// A stream of so many chunks that says in capitals what it is told.
async fn upper(client: &Client, chunks: usize) {
    let stream = client.open(SERVICE, UPPER, vec![], &Options::new()).await;
    let stream = stream.unwrap();
    let (sender, mut receiver) = (stream.sender, stream.receiver);
    let send = async move {
        for n in 0..chunks {
            let chunk = "x".repeat(n % 300) + &n.to_string();
            sender.send(chunk.into_bytes()).await.unwrap();
        }
        sender.finish().unwrap();
    };
    let receive = async {
        for n in 0..chunks {
            let chunk = receiver.receive().await.unwrap().unwrap();
            let want = "X".repeat(n % 300) + &n.to_string();
            assert_eq!(String::from_utf8(chunk).unwrap(), want);
        }
        assert_eq!(receiver.receive().await.unwrap(), None);
    };
    tokio::join!(send, receive);
}

async fn tell(client: &Client, value: Vec<u8>) {
    let options = Options::new();
    let told = client.event(SERVICE, TICK, value, WhenFull::Wait, &options);
    told.await.unwrap();
}

/// How many frames of a stream, and of events, were sent, and how many of them are batches.
fn sent(stats: &Stats) -> [u64; 4] {
    let types = [
        Type::StreamChunk,
        Type::StreamChunks,
        Type::Event,
        Type::Events,
    ];
    types.map(|frame_type| stats.frames_out(frame_type))
}

#[tokio::test]
async fn small_chunks_and_events_travel_together() {
    for &transport in ALL {
        let (server, client, seen) = pair(transport).await;
        upper(&client, 3000).await;
        for n in 0..1000 {
            tell(&client, vec![7; n % 100]).await;
        }
        let ticks = || seen.ticks.load(Ordering::SeqCst);
        until("all were told", || ticks() == 1000).await;
        let [chunk, chunks, event, events] = sent(&client.stats().unwrap());
        assert!(chunks > 0 && chunk + chunks < 1000, "{chunk} {chunks}");
        assert!(events > 0 && event + events < 200, "{event} {events}");
        let [chunk, chunks, ..] = sent(&server.stats());
        assert!(chunks > 0 && chunk + chunks < 1500, "{chunk} {chunks}");
    }
}

#[tokio::test]
async fn either_side_can_do_without() {
    for (is_server, is_client) in [(true, false), (false, true)] {
        let seen = Arc::new(Seen::default());
        let (mut server, mut client) = (Server::new(), ClientOptions::new());
        if is_server {
            server = server.no_batches();
        }
        if is_client {
            client = client.no_batches();
        }
        let server = server.service(service(&seen)).listen(&plain()).await;
        let server = server.unwrap();
        let client = client.connect(&server.address().to_string()).unwrap();
        upper(&client, 1000).await;
        for _ in 0..100 {
            tell(&client, vec![7; 10]).await;
        }
        let ticks = || seen.ticks.load(Ordering::SeqCst);
        until("all were told", || ticks() == 100).await;
        assert_eq!(sent(&client.stats().unwrap()), [1000, 0, 100, 0]);
        assert_eq!(sent(&server.stats()), [1000, 0, 0, 0]);
    }
}

/// A server with a service whose stream sends 1,000 chunks, one like the other.
async fn many() -> ServerHandle {
    let many = Service::new(SERVICE).stream(UPPER, |_, stream| async move {
        for n in 0..1000_usize {
            stream.send(n.to_string().into_bytes()).await?;
        }
        stream.finish()
    });
    Server::new().service(many).listen(&plain()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn threads_take_batches() {
    for is_off in [false, true] {
        let server = many().await;
        let address = server.address().to_string();
        let received = tokio::task::spawn_blocking(move || {
            let mut options = blocking::ClientOptions::new();
            if is_off {
                options = options.no_batches();
            }
            let client = options.connect(&address).unwrap();
            let stream = client.open(SERVICE, UPPER, b"", &Options::new()).unwrap();
            stream.receiver.collect::<Result<Vec<_>, _>>().unwrap()
        });
        let want = (0..1000_usize).map(|n| n.to_string().into_bytes());
        assert_eq!(received.await.unwrap(), want.collect::<Vec<_>>());
        let [chunk, chunks, ..] = sent(&server.stats());
        if is_off {
            assert_eq!((chunk, chunks), (1000, 0));
        } else {
            assert!(chunks > 0 && chunk + chunks < 500, "{chunk} {chunks}");
        }
    }
}

/// [MXP-7.10].
#[tokio::test]
async fn events_of_a_batch_wait_for_each_other() {
    const ASK: u16 = 2;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let [told, asked] = [(); 2].map(|()| Arc::clone(&seen));
    let service = Service::new(SERVICE)
        .event_async(TICK, move |event| {
            let seen = Arc::clone(&told);
            async move {
                // Events with an odd length are done at once.
                if event.value.len() % 2 == 0 {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                assert_eq!(event.get("key"), Some(&b"value"[..]));
                seen.lock().unwrap().push(event.value.len());
                Ok(())
            }
        })
        .call(ASK, move |_| {
            asked.lock().unwrap().push(1000);
            async { Ok(mxp::net::Reply::default()) }
        });
    let server = Server::new()
        .service(service)
        .listen(&plain())
        .await
        .unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    let options = Options::new().with("key", &b"value"[..]);
    for n in 1..=10 {
        let told = client.event(SERVICE, TICK, vec![0; n], WhenFull::Wait, &options);
        told.await.unwrap();
    }
    client
        .call(SERVICE, ASK, vec![], &Options::new())
        .await
        .unwrap();
    let want: Vec<_> = (1..=10).chain([1000]).collect();
    assert_eq!(*seen.lock().unwrap(), want);
    assert!(client.stats().unwrap().frames_out(Type::Events) > 0);
}

/// A peer whose Hello offers batches.
fn raw(server: &ServerHandle) -> Raw {
    let mut raw = Raw::dial(server.address());
    let config = Config::new().with_batches();
    raw.session = Session::new(config, Role::Opener, 0).unwrap();
    raw.greet().expect("a server")
}

/// A batch of as many empty events as there can be.
fn empties(id: u64, method: u16) -> (Vec<u8>, usize) {
    let mut session = Session::new(Config::new(), Role::Opener, 0).unwrap();
    let mut peer = Session::new(Config::new().with_service("x"), Role::Acceptor, 0).unwrap();
    let hello = peer.poll_frame(0).unwrap().to_vec();
    assert!(session.receive(&mut &hello[..], 0).is_some());
    session.poll_frame(0).unwrap();
    let request = Request::new(0, method);
    session
        .event(&request, false, FullPolicy::Refuse, b"", 0)
        .unwrap();
    let event = session.poll_frame(0).unwrap().to_vec();
    let mut payload = event[32..event.len() - 8].to_vec();
    let count = (BATCH_BYTES - payload.len()) / 2;
    payload.resize(payload.len() + 2 * count, 0);
    let header = Header {
        message_id: id,
        ..Header::new(Type::Events)
    };
    let frame = Frame {
        header,
        payload: &payload,
    };
    (frame.encode_to_vec(Checksum::On).unwrap(), count)
}

/// The events of a batch wait in one memory, and nothing more is read while more than 1,024 wait
/// [MXP-15.2].
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn empty_events_without_number_take_the_memory_of_a_frame_or_two() {
    const FRAME: usize = 60_000;
    let is_open = Arc::new(AtomicBool::new(false));
    let ticks = Arc::new(AtomicUsize::new(0));
    let (gate, told) = (Arc::clone(&is_open), Arc::clone(&ticks));
    let service = Service::new(SERVICE).event_async(TICK, move |_| {
        let (gate, told) = (Arc::clone(&gate), Arc::clone(&told));
        async move {
            while !gate.load(Ordering::SeqCst) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            told.fetch_add(1, Ordering::SeqCst);
            Ok(())
        }
    });
    let server = Server::new().service(service);
    let server = server.listen(&plain()).await.unwrap();
    let mut raw = raw(&server);
    let writing = std::thread::spawn(move || {
        let mut all = 0;
        for i in 0..20 {
            let (frame, count) = empties(1 + 2 * i, TICK);
            raw.stream.write_all(&frame).unwrap();
            all += count;
        }
        (raw, all)
    });
    until("a frame waits", || server.stats().held_bytes() > FRAME).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let held = server.stats().held_bytes();
    assert!(held < 6 * FRAME, "{held}");
    is_open.store(true, Ordering::SeqCst);
    let (_raw, all) = tokio::task::spawn_blocking(|| writing.join().unwrap())
        .await
        .unwrap();
    until("all were told", || ticks.load(Ordering::SeqCst) == all).await;
    until("nothing is held", || server.stats().held_bytes() < 1 << 20).await;
}
