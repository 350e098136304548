//! Peers that mean no good once their memory is taken: each is refused by its name, and others
//! are served.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

use mxp::net::{Client, Options, Server, ServerHandle};
use mxp::session::Request;

use crate::demo::{plain, service, until, ECHO, SERVICE};
use crate::log::Log;
use crate::peer::{Peer, AWAITS_BYTES, ENDED, RING, TAKEN, WRITTEN};
use crate::{open, shared, turn};

async fn served() -> (ServerHandle, Client) {
    let server = Server::new().service(service(&Arc::default()));
    let server = server.listen(&shared(&plain())).await.unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    client.ready().await.unwrap();
    (server, client)
}

/// Lets a peer do something, while another client is served, until nothing of it is left.
async fn against<T: Send + 'static>(attack: impl FnOnce(Peer) -> T + Send + 'static) -> (T, Log) {
    let _turn = turn().await;
    let (log, _guard) = Log::of_this_thread();
    let (server, client) = served().await;
    let before = open();
    let address = server.address().clone();
    let attack = tokio::task::spawn_blocking(move || attack(Peer::connect(&address).greet()));
    let options = Options::new().with_deadline(Duration::from_secs(20));
    let call = || client.call(SERVICE, ECHO, vec![7; 10_000], &options);
    while !attack.is_finished() {
        assert_eq!(call().await.unwrap().value, vec![7; 10_000]);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let done = attack.await.unwrap();
    until("it is gone", || server.connections() == 1).await;
    until("all is closed", || open() == before).await;
    call().await.unwrap();
    (done, log)
}

/// A number that can't be, and where it stands.
type Wrong = fn(&Peer) -> (usize, u64);

/// [MXP-18.7].
#[tokio::test]
async fn numbers_that_can_not_be_end_the_connection() {
    let nonsense: [Wrong; 5] = [
        |peer| (WRITTEN, peer.written + RING as u64 + 1),
        |peer| (WRITTEN, peer.written - 1),
        |_| (WRITTEN, u64::MAX),
        |_| (TAKEN, u64::MAX),
        |peer| (TAKEN, peer.taken + 1_000_000),
    ];
    for (n, wrong) in nonsense.into_iter().enumerate() {
        let (is_left, log) = against(move |mut peer| {
            // An answer waits to be written.
            peer.session.call(&Request::new(0, ECHO), b"x", 0).unwrap();
            let (at, number) = wrong(&peer);
            if at == WRITTEN {
                peer.own.map().long(at).store(number, Ordering::SeqCst);
                peer.wake();
            } else {
                peer.own.map().long(at).store(number, Ordering::SeqCst);
                peer.send();
            }
            peer.is_left()
        })
        .await;
        assert!(is_left, "{n}");
        log.has(&["shm_index"]);
    }
}

/// [MXP-18.8]: any bytes in the memory are a value or a refusal when they are read.
#[tokio::test]
async fn bytes_that_change_while_they_are_read_are_values_or_refusals() {
    against(|mut peer| {
        let ends = Arc::new(AtomicBool::new(false));
        let (map, is_over) = (peer.own.map(), Arc::clone(&ends));
        let scribbling = std::thread::spawn(move || {
            let mut random = fastrand::Rng::with_seed(3);
            while !is_over.load(Ordering::Relaxed) {
                let at = 4096 + random.usize(0..RING);
                let byte = map.byte(at);
                byte.store(
                    byte.load(Ordering::Relaxed) ^ 1 << random.u8(0..8),
                    Ordering::Relaxed,
                );
            }
        });
        for _ in 0..2000 {
            // The server may have ended the session for a bad frame.
            let made = peer.session.call(&Request::new(0, ECHO), &[5; 200], 0);
            if made.is_ok() {
                peer.send();
            }
            peer.receive();
            std::thread::sleep(Duration::from_micros(100));
        }
        ends.store(true, Ordering::Relaxed);
        scribbling.join().unwrap();
    })
    .await;
}

/// [MXP-18.9]: a flood of bytes on the socket wakes the server, and nobody else waits for it.
#[tokio::test]
async fn bytes_on_the_socket_are_passed_over() {
    against(|peer| {
        for _ in 0..200 {
            let flood = [0; 10_000];
            let flags = rustix::net::SendFlags::NOSIGNAL;
            rustix::net::send(&peer.stream, &flood[..], flags).unwrap();
        }
    })
    .await;
}

/// [MXP-18.9]: a peer that always waits, for another number each time, is told, and takes no
/// time from others. Nor does one that reads no byte from the socket.
#[tokio::test]
async fn a_peer_that_always_says_that_it_waits_is_woken_without_waiting() {
    against(|mut peer| {
        for n in 0..1000 {
            let number = n << 2 | 2;
            peer.own
                .map()
                .short(AWAITS_BYTES)
                .store(number, Ordering::SeqCst);
            peer.session.call(&Request::new(0, ECHO), b"x", 0).unwrap();
            peer.send();
            while peer.session.in_flight().1 > 0 {
                peer.receive();
            }
        }
    })
    .await;
}

/// [MXP-18.7]: what was copied and not said to be there is not there.
#[tokio::test]
async fn who_dies_between_copying_and_saying_so_leaves_nothing() {
    let ((), log) = against(|mut peer| {
        peer.session.call(&Request::new(0, ECHO), b"x", 0).unwrap();
        let bytes = peer.session.poll_frame(0).unwrap().to_vec();
        peer.copy(&bytes);
        peer.wake();
        std::thread::sleep(Duration::from_millis(20));
    })
    .await;
    log.has(&["session_lost", "reset"]);
}

/// [MXP-18.10]: an end that was said is no loss.
#[tokio::test]
async fn a_peer_that_says_that_it_ends_has_not_reset() {
    let ((), log) = against(|peer| {
        peer.own.map().short(ENDED).store(1, Ordering::SeqCst);
        peer.wake();
        std::thread::sleep(Duration::from_millis(20));
    })
    .await;
    log.has(&["session_lost", "the peer has closed the connection"]);
}
