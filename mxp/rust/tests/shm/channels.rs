//! Channels between programs that mean well.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use mxp::net::channel::{Channel, ChannelOptions, CloseReason, Delivery, SendError};
use mxp::net::typed::{Fixed, Method};
use mxp::net::{Failure, Server, ServerHandle};
use mxp::session::Status;

use crate::demo::{local, until};
use crate::golden::meters::{Block, Level, Place};
use crate::meters::{MetersClient, Wire};
use crate::{open, shared, turn};

/// A channel of levels, as either side has it.
pub(crate) type Levels = Channel<Level, Level, Wire>;

const SECOND: Duration = Duration::from_secs(1);

/// The slots of a ring of 4,096 bytes.
pub(crate) const SLOTS: u64 = 4096 / 64;

/// A level of which each field says which one it is.
pub(crate) fn level(n: u64) -> Level {
    #[allow(clippy::cast_precision_loss, reason = "the numbers are small")]
    let peak = (n % 1000) as f32;
    Level {
        sequence: n,
        place: if n % 2 == 0 {
            Place::Input
        } else {
            Place::Output
        },
        is_muted: n % 3 == 0,
        peak,
    }
}

/// A server that hands over each channel that is opened.
pub(crate) async fn served(server: Server, options: &ChannelOptions) -> (ServerHandle, Opened) {
    let (sender, opened) = mpsc::channel();
    let server = server.channel(&MetersClient::LEVELS, options, move |channel, peer| {
        let _ = sender.send((channel, peer));
    });
    let server = server.listen(&shared(&local())).await.unwrap();
    (server, opened)
}

pub(crate) type Opened = mpsc::Receiver<(Levels, mxp::net::Peer)>;

/// Opens a channel from a thread without a runtime.
pub(crate) async fn opened<Q, A, W>(
    server: &ServerHandle,
    method: Method<Q, A, W>,
    options: &ChannelOptions,
) -> Result<Channel<Q, A, W>, Failure>
where
    W: Fixed<Q> + Fixed<A> + 'static,
    Q: 'static,
    A: 'static,
{
    let (address, options) = (server.address().to_string(), options.clone());
    let opening = tokio::task::spawn_blocking(move || method.open_channel(&address, &options));
    opening.await.unwrap()
}

/// Both sides of a channel of levels.
async fn pair(options: &ChannelOptions) -> (ServerHandle, Levels, Levels) {
    let (server, come) = served(Server::new(), options).await;
    let here = opened(&server, MetersClient::LEVELS, options).await;
    let here = here.unwrap();
    let (there, peer) = come.recv_timeout(SECOND).unwrap();
    let id = i32::try_from(std::process::id()).unwrap();
    assert_eq!(peer.process.and_then(|process| process.id), Some(id));
    assert_eq!(peer.transport, mxp::net::Transport::Shm);
    (server, here, there)
}

fn latest() -> ChannelOptions {
    let options = ChannelOptions::new().requests(Delivery::Latest);
    options.responses(Delivery::Latest).capacity(4)
}

/// [MXP-18.15].
#[tokio::test]
async fn a_queue_has_all_values_in_order_and_says_when_it_is_full() {
    let _turn = turn().await;
    let (_server, mut here, mut there) = pair(&ChannelOptions::new()).await;
    assert_eq!(there.receiver.receive().unwrap(), None);
    let (mut sent, mut taken) = (0, 0);
    for round in 0..1000 {
        while here.sender.send(&level(sent)).is_ok() {
            sent += 1;
        }
        assert_eq!(sent - taken, SLOTS);
        assert_eq!(here.sender.send(&level(sent)), Err(SendError::Full));
        for _ in 0..=(round % SLOTS) {
            let got = there.receiver.receive().unwrap();
            assert_eq!(got, Some(level(taken)));
            taken += 1;
        }
    }
    while let Some(got) = there.receiver.receive().unwrap() {
        assert_eq!(got, level(taken));
        taken += 1;
    }
    assert_eq!(sent, taken);
}

#[tokio::test]
async fn two_threads_exchange_values_without_waking_each_other() {
    let _turn = turn().await;
    let (_server, here, there) = pair(&ChannelOptions::new()).await;
    let Channel {
        mut sender,
        mut receiver,
    } = there;
    let echo = thread::spawn(move || loop {
        match receiver.receive() {
            Ok(Some(value)) => {
                while sender.send(&value) == Err(SendError::Full) {
                    thread::yield_now();
                }
            }
            Ok(None) => thread::yield_now(),
            Err(closed) => return closed,
        }
    });
    let Channel {
        mut sender,
        mut receiver,
    } = here;
    let sending = thread::spawn(move || {
        for n in 0..20_000 {
            while sender.send(&level(n)) == Err(SendError::Full) {
                thread::yield_now();
            }
        }
    });
    let mut next = 0;
    let ended = loop {
        match receiver.receive() {
            Ok(Some(value)) => {
                assert_eq!(value, level(next));
                next += 1;
            }
            Ok(None) => thread::yield_now(),
            Err(closed) => break closed,
        }
    };
    sending.join().unwrap();
    assert_eq!((next, ended), (20_000, CloseReason::Ended));
    assert_eq!(echo.join().unwrap(), CloseReason::Ended);
}

/// [MXP-18.14].
#[tokio::test]
async fn values_that_fill_many_pages_come_whole_into_memory_that_is_there() {
    let _turn = turn().await;
    let options = ChannelOptions::new().capacity(4);
    let (sender, come) = mpsc::channel();
    let server = Server::new().channel(&MetersClient::BLOCKS, &options, move |channel, _| {
        sender.send(channel).unwrap();
    });
    let server = server.listen(&shared(&local())).await.unwrap();
    let here = opened(&server, MetersClient::BLOCKS, &options).await;
    let (mut here, mut there) = (here.unwrap(), come.recv_timeout(SECOND).unwrap());
    let block = |n: f32| {
        let mut block = Block::default();
        block.samples.fill(n);
        block
    };
    let mut got = Block::default();
    for n in [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0] {
        here.sender.send(&block(n)).unwrap();
        assert!(there.receiver.receive_into(&mut got).unwrap());
        assert!(got
            .samples
            .iter()
            .all(|sample| sample.to_bits() == n.to_bits()));
        assert!(!there.receiver.receive_into(&mut got).unwrap());
        here.sender.send(&block(-n)).unwrap();
        let value = there.receiver.receive().unwrap().unwrap();
        assert!(value
            .samples
            .iter()
            .all(|sample| sample.to_bits() == (-n).to_bits()));
    }
    there.sender.send(&level(1)).unwrap();
    assert_eq!(here.receiver.receive(), Ok(Some(level(1))));
}

/// [MXP-18.16].
#[tokio::test]
async fn of_the_latest_only_the_newest_is_seen_and_once() {
    let _turn = turn().await;
    let (_server, mut here, mut there) = pair(&latest()).await;
    assert_eq!(there.receiver.receive(), Ok(None));
    for n in 1..1000 {
        for m in 0..n {
            here.sender.send(&level(n * 1000 + m)).unwrap();
        }
        assert_eq!(there.receiver.receive(), Ok(Some(level(n * 1000 + n - 1))));
        assert_eq!(there.receiver.receive(), Ok(None));
    }
    drop(here.sender);
    assert_eq!(there.receiver.receive(), Err(CloseReason::Ended));
}

/// [MXP-18.16]: a receiver that is overrun all the time sees whole values alone.
#[tokio::test]
async fn a_value_that_is_written_over_is_never_seen() {
    let _turn = turn().await;
    let options = latest();
    let (sender, come) = mpsc::channel();
    let server = Server::new().channel(&MetersClient::BLOCKS, &options, move |channel, _| {
        sender.send(channel).unwrap();
    });
    let server = server.listen(&shared(&local())).await.unwrap();
    let here = opened(&server, MetersClient::BLOCKS, &options).await;
    let (mut here, mut there) = (here.unwrap(), come.recv_timeout(SECOND).unwrap());
    let sending = thread::spawn(move || {
        let mut block = Block::default();
        for n in 0..3000_u16 {
            block.samples.fill(f32::from(n));
            here.sender.send(&block).unwrap();
        }
    });
    let (mut got, mut last, mut seen) = (Block::default(), -1.0, 0);
    loop {
        match there.receiver.receive_into(&mut got) {
            Ok(true) => {
                let first = got.samples[0];
                assert!(first > last, "{first} behind {last}");
                let is_whole = |sample: &f32| sample.to_bits() == first.to_bits();
                assert!(got.samples.iter().all(is_whole), "{first}");
                (last, seen) = (first, seen + 1);
            }
            Ok(false) => {}
            Err(closed) => {
                assert_eq!(closed, CloseReason::Ended);
                break;
            }
        }
    }
    sending.join().unwrap();
    assert!(
        seen > 0 && last.to_bits() == 2999.0_f32.to_bits(),
        "{seen} {last}"
    );
}

/// [MXP-18.17].
#[tokio::test]
async fn who_waits_is_woken_when_it_is_said_and_else_when_its_time_is_over() {
    let _turn = turn().await;
    for options in [
        ChannelOptions::new(),
        ChannelOptions::new().spin(Duration::ZERO),
        latest(),
    ] {
        let (_server, mut here, mut there) = pair(&options).await;
        let begun = Instant::now();
        assert!(!there.receiver.wait(Duration::from_millis(30)));
        assert!(!there.receiver.wait(Duration::ZERO));
        assert!(begun.elapsed() >= Duration::from_millis(30));
        let waiting = thread::spawn(move || {
            let begun = Instant::now();
            assert!(there.receiver.wait(10 * SECOND));
            (there, begun.elapsed())
        });
        thread::sleep(Duration::from_millis(20));
        here.sender.send(&level(1)).unwrap();
        here.sender.wake();
        let (mut there, waited) = waiting.join().unwrap();
        assert!(waited < Duration::from_millis(90), "{waited:?}");
        assert_eq!(there.receiver.receive(), Ok(Some(level(1))));
        // Nobody was woken, but the value is there.
        here.sender.send(&level(2)).unwrap();
        assert!(there.receiver.wait(Duration::ZERO));
        assert_eq!(there.receiver.receive(), Ok(Some(level(2))));
    }
}

#[tokio::test]
async fn who_waits_for_room_is_woken_too() {
    let _turn = turn().await;
    let options = ChannelOptions::new().spin(Duration::ZERO);
    let (_server, mut here, mut there) = pair(&options).await;
    while here.sender.send(&level(0)).is_ok() {}
    assert!(!here.sender.wait(Duration::from_millis(10)));
    let waiting = thread::spawn(move || {
        let begun = Instant::now();
        assert!(here.sender.wait(10 * SECOND));
        let waited = begun.elapsed();
        here.sender.send(&level(1)).unwrap();
        waited
    });
    thread::sleep(Duration::from_millis(20));
    assert_eq!(there.receiver.receive(), Ok(Some(level(0))));
    there.receiver.wake();
    // A side that nobody wakes looks for itself after 100 ms.
    let waited = waiting.join().unwrap();
    assert!(waited < Duration::from_millis(90), "{waited:?}");
    for _ in 1..SLOTS {
        assert_eq!(there.receiver.receive(), Ok(Some(level(0))));
    }
    assert_eq!(there.receiver.receive(), Ok(Some(level(1))));
    assert_eq!(there.receiver.receive(), Err(CloseReason::Ended));
}

/// [MXP-18.17].
#[tokio::test]
async fn an_end_that_is_dropped_is_told_to_the_other_in_memory() {
    let _turn = turn().await;
    let (server, mut here, mut there) = pair(&ChannelOptions::new()).await;
    assert_eq!(
        (here.sender.closed(), there.receiver.closed()),
        (None, None)
    );
    here.sender.send(&level(1)).unwrap();
    drop(here.sender);
    assert_eq!(there.receiver.receive(), Ok(Some(level(1))));
    assert_eq!(there.receiver.receive(), Err(CloseReason::Ended));
    assert_eq!(there.receiver.closed(), Some(CloseReason::Ended));
    there.sender.send(&level(2)).unwrap();
    assert_eq!(here.receiver.receive(), Ok(Some(level(2))));
    drop(here.receiver);
    let closed = CloseReason::Ended;
    assert_eq!(there.sender.closed(), Some(closed));
    assert_eq!(there.sender.send(&level(3)), Err(SendError::Closed(closed)));
    assert_eq!(server.connections(), 1);
    drop(there);
    until("it is forgotten", || server.connections() == 0).await;
    until("nothing is mapped", || open().1 == 0).await;
}

#[tokio::test]
async fn a_watcher_looks_after_the_socket_and_closes_the_channel() {
    let _turn = turn().await;
    let (_server, here, mut there) = pair(&ChannelOptions::new()).await;
    let (watcher, other) = (here.watcher(), there.watcher());
    assert!(watcher.is_connected() && other.is_connected());
    let Channel {
        mut sender,
        mut receiver,
    } = here;
    sender.send(&level(1)).unwrap();
    watcher.close();
    assert!(!watcher.is_connected());
    let here = CloseReason::Here;
    assert_eq!(sender.send(&level(2)), Err(SendError::Closed(here)));
    assert_eq!(receiver.receive(), Err(here));
    assert_eq!(there.receiver.receive(), Ok(Some(level(1))));
    assert_eq!(there.receiver.receive(), Err(CloseReason::Ended));
    assert_eq!(there.sender.closed(), Some(CloseReason::Ended));
    drop((sender, receiver));
    assert!(!other.is_connected() && !watcher.is_connected());
}

/// [MXP-18.18].
#[tokio::test]
async fn channels_count_as_connections_and_end_when_the_server_drains() {
    let _turn = turn().await;
    let options = ChannelOptions::new();
    let (server, come) = served(Server::new().connections(2), &options).await;
    let open_one = || opened(&server, MetersClient::LEVELS, &options);
    let (mut first, _second) = (open_one().await.unwrap(), open_one().await.unwrap());
    let refused = open_one().await.unwrap_err();
    assert_eq!(refused.status, Status::UNAVAILABLE, "{refused}");
    assert_eq!(server.connections(), 2);
    let (mut there, _) = come.recv_timeout(SECOND).unwrap();
    there.sender.send(&level(1)).unwrap();
    server.drain("done").await;
    assert_eq!(there.receiver.receive(), Err(CloseReason::Here));
    assert_eq!(first.receiver.receive(), Ok(Some(level(1))));
    assert_eq!(first.receiver.receive(), Err(CloseReason::Ended));
}
