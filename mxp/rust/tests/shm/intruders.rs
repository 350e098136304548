//! Channels whose other side means no good.

use std::os::fd::AsFd as _;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use mxp::net::channel::{ChannelOptions, CloseReason, Delivery, SendError};
use mxp::net::Server;
use mxp::session::Status;

use crate::channels::{level, opened, served, Levels, SLOTS};
use crate::demo::{plain, until};
use crate::meters::MetersClient;
use crate::peer::{dial, offer, receive, send, Map, Memory, ENDED, RING, TAKEN, WRITTEN};
use crate::{open, shared, turn};

const SECOND: Duration = Duration::from_secs(1);
const LEFT: usize = 200;

/// An opening of a channel of levels, behind its offer.
fn asking() -> Vec<u8> {
    let mut bytes = offer().to_vec();
    bytes[6] = 1;
    let mut opening = [0; 320];
    opening[..5].copy_from_slice(b"MXPC\x01");
    opening[7] = 13;
    opening[8] = 1;
    (opening[16], opening[20]) = (14, 14);
    let fingerprint = crate::golden::meters::Level::FINGERPRINT.to_le_bytes();
    opening[24..32].copy_from_slice(&fingerprint);
    opening[32..40].copy_from_slice(&fingerprint);
    opening[64..77].copy_from_slice(b"meters.Meters");
    bytes.extend_from_slice(&opening);
    bytes
}

/// Receives an offer and the bytes behind it, and the descriptors.
fn answer(stream: &std::os::unix::net::UnixStream) -> (Vec<u8>, usize) {
    let (mut bytes, files) = receive(stream);
    loop {
        let (more, _) = receive(stream);
        if more.is_empty() {
            return (bytes, files.len());
        }
        bytes.extend(more);
    }
}

/// The name of a refusal in an answer.
fn refusal(bytes: &[u8]) -> &str {
    assert_eq!((&bytes[..7], bytes.len()), (&b"MXPS\x01\x02\x01"[..], 352));
    assert_eq!(&bytes[32..37], b"MXPC\x01");
    assert!(bytes[37] > 0);
    std::str::from_utf8(&bytes[40..40 + usize::from(bytes[38])]).unwrap()
}

/// [MXP-18.13].
#[tokio::test]
async fn a_server_refuses_what_opens_no_channel() {
    let _turn = turn().await;
    let (server, come) = served(Server::new(), &ChannelOptions::new()).await;
    let before = open();
    let mut cases: Vec<(Vec<u8>, bool, &str)> = Vec::new();
    let good = asking();
    for n in [33, 64, 351] {
        cases.push((good[..n].to_vec(), true, "shm_handover"));
    }
    for (at, byte, name) in [
        (32, b'm', "shm_handover"),
        (36, 0, "shm_handover"),
        (36, 2, "shm_handover"),
        (37, 2, "shm_handover"),
        (38, 255, "shm_handover"),
        (39, 0, "shm_handover"),
        (39, 12, "shm_handover"),
        (42, 1, "shm_handover"),
        (47, 1, "shm_handover"),
        (72, 1, "shm_handover"),
        (95, 1, "shm_handover"),
        (96, 0xff, "shm_handover"),
        (109, 1, "shm_handover"),
        (351, 1, "shm_handover"),
        (40, 3, "channel_unknown"),
        (41, 1, "channel_unknown"),
        (96, b'n', "channel_unknown"),
        (37, 1, "channel_form"),
        (38, 1, "channel_form"),
        (48, 15, "channel_form"),
        (52, 15, "channel_form"),
        (51, 255, "channel_form"),
        (56, 1, "channel_form"),
        (71, 1, "channel_form"),
    ] {
        let mut bytes = good.clone();
        assert_ne!(bytes[at], byte, "{at}");
        bytes[at] = byte;
        cases.push((bytes, true, name));
    }
    // No memory comes with it.
    cases.push((good.clone(), false, "shm_memory"));
    for (bytes, has_memory, name) in cases {
        let address = server.address().clone();
        let asked = tokio::task::spawn_blocking(move || {
            let (stream, memory) = (dial(&address), Memory::new());
            let files = [memory.file.as_fd()];
            send(&stream, &bytes, if has_memory { &files } else { &[] });
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            answer(&stream)
        });
        let (bytes, files) = asked.await.unwrap();
        assert_eq!((refusal(&bytes), files), (name, 0));
    }
    assert!(come.try_recv().is_err());
    until("all is closed", || open() == before).await;
    let channel = opened(&server, MetersClient::LEVELS, &ChannelOptions::new()).await;
    drop(channel.unwrap());
}

/// [MXP-18.12], [MXP-18.13]: what an acceptor may answer that is no channel.
#[tokio::test]
async fn an_opener_refuses_what_is_no_answer() {
    let _turn = turn().await;
    let before = open();
    let yes = |i: usize, byte| {
        let mut bytes = offer().to_vec();
        bytes[6] = 1;
        bytes.extend_from_slice(b"MXPC\x01");
        bytes.resize(352, 0);
        bytes[i] = byte;
        bytes
    };
    let no = |name: &str, i: usize, byte| {
        let mut bytes = yes(5, 2);
        bytes[8..16].fill(0);
        (bytes[37], bytes[38]) = (9, u8::try_from(name.len()).unwrap());
        bytes[40..40 + name.len()].copy_from_slice(name.as_bytes());
        bytes[i] = byte;
        bytes
    };
    let with = |use_of, verdict| {
        let mut bytes = offer().to_vec();
        bytes[8..16].fill(0);
        (bytes[5], bytes[6]) = (verdict, use_of);
        bytes
    };
    let frame = [b'1', b'P', b'X', b'M', 0, 0, 0, 0].to_vec();
    let cases: Vec<(Vec<u8>, bool, &str)> = vec![
        (frame, false, "channel_unknown"),
        (with(0, 2), false, "channel_unknown"),
        (with(0, 1), false, "channel_unknown"),
        ([with(1, 1), vec![0; 320]].concat(), false, "shm_handover"),
        (with(1, 2), false, "shm_handover"),
        (Vec::new(), false, "not_connected"),
        (yes(32, 0), true, "shm_handover"),
        (yes(36, 2), true, "shm_handover"),
        (yes(37, 9), true, "shm_handover"),
        (yes(38, 1), true, "shm_handover"),
        (yes(351, 1), true, "shm_handover"),
        (yes(4, 2), true, "shm_handover"),
        (yes(4, 1), false, "shm_memory"),
        (no("channel_form", 37, 0), false, "shm_handover"),
        (no("channel_form", 38, 65), false, "shm_handover"),
        (no("channel_form", 200, 1), false, "shm_handover"),
        (no("not_for_you", 37, 7), false, "not_for_you"),
    ];
    for (bytes, has_memory, name) in cases {
        let address = shared(&plain());
        let path = address.strip_prefix("mxp+shm://").unwrap();
        let listener = UnixListener::bind(path).unwrap();
        let said = bytes.clone();
        let answering = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            assert_eq!(receive(&stream).1.len(), 1);
            let mut opening = [0; 320];
            std::io::Read::read_exact(&mut &stream, &mut opening).unwrap();
            let memory = Memory::new();
            let files = [memory.file.as_fd()];
            if !said.is_empty() {
                send(&stream, &said, if has_memory { &files } else { &[] });
            }
        });
        let opening = tokio::task::spawn_blocking(move || {
            MetersClient::LEVELS.open_channel(&address, &ChannelOptions::new())
        });
        let failure = opening.await.unwrap().unwrap_err();
        assert_eq!(failure.name, name, "{failure} of {:02x?}", &bytes);
        answering.join().unwrap();
    }
    until("all is closed", || open() == before).await;
}

/// An opener that gives no sign is not waited for.
#[tokio::test]
async fn an_acceptor_that_says_nothing_or_little_is_left_in_time() {
    let _turn = turn().await;
    for drips in [false, true] {
        let address = shared(&plain());
        let listener = UnixListener::bind(&address["mxp+shm://".len()..]).unwrap();
        let answering = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            receive(&stream);
            let bytes = offer();
            for byte in &bytes[..10] {
                if drips
                    && rustix::net::send(&stream, &[*byte], rustix::net::SendFlags::NOSIGNAL)
                        .is_err()
                {
                    break;
                }
                thread::sleep(Duration::from_millis(30));
            }
        });
        let begun = Instant::now();
        let opening = tokio::task::spawn_blocking(move || {
            let options = ChannelOptions::new().timeout(Duration::from_millis(60));
            MetersClient::LEVELS.open_channel(&address, &options)
        });
        let failure = opening.await.unwrap().unwrap_err();
        assert_eq!(failure.status, Status::UNAVAILABLE, "{failure}");
        assert!(begun.elapsed() < Duration::from_millis(250));
        answering.join().unwrap();
    }
}

/// An opener that does as it likes with its memory.
struct Intruder {
    stream: std::os::unix::net::UnixStream,
    own: Memory,
    theirs: Map,
    /// Keeps the memory of the server's.
    _file: std::os::fd::OwnedFd,
}

impl Intruder {
    /// Puts the bytes of a value into its slot.
    fn put(&self, n: u64, bytes: &[u8]) {
        let at = 4096 + usize::try_from(n % SLOTS).unwrap() * 64;
        for (n, byte) in bytes.iter().enumerate() {
            self.own.map().byte(at + n).store(*byte, Ordering::Relaxed);
        }
    }

    fn write(&self, at: usize, number: u64) {
        self.own.map().long(at).store(number, Ordering::SeqCst);
    }

    fn reads(&self, at: usize) -> u32 {
        self.theirs.short(at).load(Ordering::SeqCst)
    }
}

impl Drop for Intruder {
    fn drop(&mut self) {
        self.theirs.unmap();
    }
}

/// Has an intruder open a channel, with the deliveries of the server's.
async fn intruded(
    options: &ChannelOptions,
    kinds: [u8; 2],
) -> (mxp::net::ServerHandle, Intruder, Levels) {
    let (server, come) = served(Server::new(), options).await;
    let address = server.address().clone();
    let asked = tokio::task::spawn_blocking(move || {
        let (stream, own) = (dial(&address), Memory::new());
        let mut bytes = asking();
        bytes[37..39].copy_from_slice(&kinds);
        send(&stream, &bytes, &[own.file.as_fd()]);
        let (bytes, mut files) = receive(&stream);
        assert_eq!(&bytes[..7], b"MXPS\x01\x00\x01");
        let ring = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let mut rest = [0; 320];
        std::io::Read::read_exact(&mut &stream, &mut rest).unwrap();
        assert_eq!(&rest[..6], b"MXPC\x01\x00");
        let file = files.pop().unwrap();
        let theirs = Map::of_peer(file.as_fd(), 4096 + ring);
        Intruder {
            stream,
            own,
            theirs,
            _file: file,
        }
    });
    let intruder = asked.await.unwrap();
    let (channel, _) = come.recv_timeout(SECOND).unwrap();
    (server, intruder, channel)
}

/// [MXP-18.15], [MXP-18.16].
#[tokio::test]
async fn numbers_that_can_not_be_end_a_channel() {
    let _turn = turn().await;
    let queue = ChannelOptions::new();
    let latest = ChannelOptions::new()
        .requests(Delivery::Latest)
        .responses(Delivery::Latest);
    let good = {
        let mut bytes = [0; 14];
        bytes[0] = 9;
        bytes
    };
    for (options, kinds, numbers) in [
        (&queue, [0, 0], &[SLOTS + 1][..]),
        (&queue, [0, 0], &[u64::MAX]),
        (&queue, [0, 0], &[1, 0]),
        (&queue, [0, 0], &[1, 1 + SLOTS + 1]),
        (&latest, [1, 1], &[7, 6]),
        (&latest, [1, 1], &[u64::MAX, 0]),
    ] {
        let (server, intruder, mut channel) = intruded(options, kinds).await;
        for n in 0..SLOTS {
            intruder.put(n, &good);
        }
        let (last, before) = numbers.split_last().unwrap();
        for number in before {
            intruder.write(WRITTEN, *number);
            assert!(channel.receiver.receive().unwrap().is_some());
        }
        intruder.write(WRITTEN, *last);
        let wrong = Err(CloseReason::Index);
        assert_eq!(channel.receiver.receive(), wrong, "{numbers:?}");
        assert_eq!(channel.receiver.receive(), wrong);
        let sent = channel.sender.send(&level(1));
        assert_eq!(sent, Err(SendError::Closed(CloseReason::Index)));
        assert_eq!(CloseReason::Index.name(), "shm_index");
        assert_eq!((intruder.reads(ENDED), intruder.reads(LEFT)), (1, 1));
        drop(channel);
        until("it is forgotten", || server.connections() == 0).await;
    }
    for taken in [SLOTS + 1, u64::MAX] {
        let (_server, intruder, mut channel) = intruded(&queue, [0, 0]).await;
        intruder.write(TAKEN, taken);
        let mut sent = 0;
        let ended = loop {
            match channel.sender.send(&level(0)) {
                Ok(()) => sent += 1,
                Err(error) => break error,
            }
        };
        assert_eq!(
            (sent, ended),
            (SLOTS, SendError::Closed(CloseReason::Index))
        );
    }
}

/// [MXP-18.17].
#[tokio::test]
async fn bytes_that_are_no_value_end_a_channel() {
    let _turn = turn().await;
    for (at, byte) in [(8, 2), (9, 2), (8, 255), (9, 255)] {
        let (_server, intruder, mut channel) = intruded(&ChannelOptions::new(), [0, 0]).await;
        let mut bytes = [0; 14];
        intruder.put(0, &bytes);
        bytes[at] = byte;
        intruder.put(1, &bytes);
        intruder.write(WRITTEN, 2);
        assert!(channel.receiver.receive().unwrap().is_some());
        assert_eq!(channel.receiver.receive(), Err(CloseReason::Value));
        assert_eq!(channel.receiver.closed(), Some(CloseReason::Value));
        assert_eq!((intruder.reads(ENDED), intruder.reads(LEFT)), (1, 1));
    }
}

/// [MXP-18.17]: any bytes in the memory are a value or end the channel when they are read.
#[tokio::test]
async fn bytes_that_change_while_a_value_is_read_are_a_value_or_none() {
    let _turn = turn().await;
    for kinds in [[0, 0], [1, 1]] {
        let mut options = ChannelOptions::new();
        if kinds == [1, 1] {
            options = options
                .requests(Delivery::Latest)
                .responses(Delivery::Latest);
        }
        let (_server, intruder, mut channel) = intruded(&options, kinds).await;
        let ends = Arc::new(AtomicBool::new(false));
        let (map, is_over) = (intruder.own.map(), Arc::clone(&ends));
        let scribbling = thread::spawn(move || {
            let mut random = fastrand::Rng::with_seed(3);
            while !is_over.load(Ordering::Relaxed) {
                // Bools and enums of all slots, and some of the numbers before them.
                let at = 4096 + random.usize(0..RING / 64) * 64 + random.usize(0..10);
                let byte = if at % 64 >= 8 {
                    random.u8(0..2)
                } else {
                    random.u8(..)
                };
                map.byte(at).store(byte, Ordering::Relaxed);
            }
            map.byte(4096 + 9).store(7, Ordering::Relaxed);
        });
        for n in 1..20_000 {
            intruder.write(WRITTEN, n);
            assert!(channel.receiver.receive().unwrap().is_some());
        }
        ends.store(true, Ordering::Relaxed);
        scribbling.join().unwrap();
        let next = 20_000_u64.next_multiple_of(SLOTS);
        for n in 20_000..=next + 1 {
            intruder.write(WRITTEN, n);
            let got = channel.receiver.receive();
            assert_eq!(got.is_err(), n == next + 1, "{n}");
        }
    }
}

/// [MXP-18.15]: what was copied and not said to be there is not there.
#[tokio::test]
async fn who_dies_between_copying_and_saying_so_leaves_no_value() {
    let _turn = turn().await;
    for (ended, last) in [(0, CloseReason::Lost), (1, CloseReason::Ended)] {
        let (_server, intruder, mut channel) = intruded(&ChannelOptions::new(), [0, 0]).await;
        intruder.put(0, &[0; 14]);
        intruder.write(WRITTEN, 1);
        intruder.put(1, &[0; 14]);
        intruder
            .own
            .map()
            .short(ENDED)
            .store(ended, Ordering::SeqCst);
        let watcher = channel.watcher();
        assert!(watcher.is_connected());
        drop(intruder);
        assert!(!watcher.is_connected());
        assert!(channel.receiver.wait(SECOND));
        assert!(channel.receiver.receive().unwrap().is_some());
        assert_eq!(channel.receiver.receive(), Err(last));
        let sent = channel.sender.send(&level(0));
        assert_eq!(sent, Err(SendError::Closed(CloseReason::Lost)));
    }
}

/// A flood of bytes on the socket keeps nobody, and its end is found behind it.
#[tokio::test]
async fn bytes_on_the_socket_of_a_channel_are_passed_over() {
    let _turn = turn().await;
    let (_server, intruder, mut channel) = intruded(&ChannelOptions::new(), [0, 0]).await;
    let flags = rustix::net::SendFlags::NOSIGNAL | rustix::net::SendFlags::DONTWAIT;
    while rustix::net::send(&intruder.stream, &[1; 5000][..], flags).is_ok() {}
    let begun = Instant::now();
    assert!(!channel.receiver.wait(Duration::from_millis(20)));
    assert!(begun.elapsed() < SECOND);
    drop(intruder);
    let watcher = channel.watcher();
    until("its end is found", || !watcher.is_connected()).await;
}
