//! The bytes that a server counts for its peers, beside the bytes that it takes [MXP-15.2].

use std::io::{ErrorKind, Write as _};
use std::time::Duration;

use allocation_counter::measure;
use mxp::net::{Server, ServerHandle, Service};
use mxp::session::{FullPolicy, Grant, Limits, Request};
use tokio::runtime::Runtime;

use crate::demo::plain;
use crate::raw::{Raw, Told};

const MANY: u32 = 4_000;
/// How many events: not many more wait before nothing more is read.
const EVENTS: u32 = 1_000;
/// A call that is never answered.
const HANG: u16 = 1;
/// A stream that is held, and never read.
const OPEN: u16 = 2;
/// An event whose handler never ends.
const TELL: u16 = 3;

/// The bytes that an allocator has beside each piece.
const PIECE_BYTES: i64 = 16;

/// The bytes that a connection keeps for later use, or has given back.
const SPARE_BYTES: i64 = 80 << 10;

/// The bytes of one thing.
struct Cost {
    counted: i64,
    taken: i64,
}

impl Cost {
    /// Counts and takes of so many things are near each other, as far as the clause has no more
    /// counted: so much at least of each. A connection keeps some memory for more, or gives it back.
    fn expect_near(&self, what: &str, things: u32, least: u32) {
        let (counted, taken) = (self.counted, self.taken);
        let both = format!("{what}: {counted} are counted, {taken} taken");
        println!("{both}");
        let spare = SPARE_BYTES / i64::from(things);
        assert!(taken * 5 < counted * 6 + spare * 5, "{both}");
        let least = taken.max(i64::from(least));
        assert!(counted * 5 < least * 6 + spare * 5, "{both}");
    }
}

/// A server that holds what its peers send it, and answers nothing.
struct Holding {
    runtime: Runtime,
    server: ServerHandle,
    address: String,
}

impl Holding {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let service = Service::new("demo.Costs")
            .call(HANG, |request| async move {
                let _request = request;
                std::future::pending().await
            })
            .stream(OPEN, |request, stream| async move {
                let _both = (request, stream);
                std::future::pending().await
            })
            .event_async(TELL, |_| std::future::pending());
        let address = plain();
        let limits = Limits {
            connection_bytes: 1 << 30,
            in_flight: 1 << 20,
            ..Limits::default()
        };
        let server = Server::new()
            .service(service)
            .limits(limits)
            .memory_bytes(1 << 30)
            .listen(&address);
        let server = runtime.block_on(server).unwrap();
        Self {
            runtime,
            server,
            address,
        }
    }

    /// A peer that has shaken hands.
    fn peer(&self) -> Raw {
        let address = self.address.parse().unwrap();
        let greeted = std::thread::spawn(move || Raw::connect(&address));
        while !greeted.is_finished() {
            self.settle();
        }
        greeted.join().unwrap()
    }

    /// Lets connections give back the memory in which they have read [MXP-15.2].
    fn rest(&self) {
        let sleep = async { tokio::time::sleep(Duration::from_secs(2)).await };
        self.runtime.block_on(sleep);
    }

    fn settle(&self) {
        let sleep = async { tokio::time::sleep(Duration::from_millis(20)).await };
        self.runtime.block_on(sleep);
    }

    /// Sends what a peer has queued, so many things, until the server has taken all of it.
    fn sent(&self, peer: &mut Raw, things: u32) -> Cost {
        let mut frames = Vec::new();
        while let Some(some) = peer.session.poll_frames(1 << 16, 0) {
            frames.extend_from_slice(&some.to_vec());
        }
        peer.stream.set_nonblocking(true).unwrap();
        let before = self.server.stats().held_bytes();
        let spent = measure(|| {
            let mut rest = &frames[..];
            while !rest.is_empty() {
                match peer.stream.write(rest) {
                    Ok(n) => rest = &rest[n..],
                    Err(error) if error.kind() == ErrorKind::WouldBlock => self.settle(),
                    Err(error) => panic!("{error}"),
                }
            }
            self.rest();
        });
        peer.stream.set_nonblocking(false).unwrap();
        let counted = self.server.stats().held_bytes() - before;
        let pieces = PIECE_BYTES * spent.count_current;
        Cost {
            counted: i64::try_from(counted).unwrap() / i64::from(things),
            taken: (spent.bytes_current + pieces) / i64::from(things),
        }
    }

    /// Lets a peer ask for a few things, whose memory the connection keeps for more, and then for
    /// many.
    fn many(&self, peer: &mut Raw, things: u32, ask: impl Fn(&mut Raw)) -> Cost {
        (0..things / 8).for_each(|_| ask(peer));
        self.sent(peer, 1);
        (0..things).for_each(|_| ask(peer));
        self.sent(peer, things)
    }
}

#[test]
fn calls_that_wait_count_as_they_cost() {
    let holding = Holding::new();
    for size in [0, 100, 2_000] {
        let mut peer = holding.peer();
        let cost = holding.many(&mut peer, MANY, |peer| {
            let value = vec![7; size as usize];
            peer.session.call(&Request::new(0, HANG), value, 0).unwrap();
        });
        cost.expect_near(&format!("a call of {size}"), MANY, 1024 + size);
    }
}

#[test]
fn open_streams_count_as_they_cost() {
    let holding = Holding::new();
    let mut peer = holding.peer();
    let cost = holding.many(&mut peer, MANY, |peer| {
        let request = Request::new(0, OPEN);
        let opened = peer.session.open(&request, Grant::default(), false, b"", 0);
        opened.unwrap();
    });
    cost.expect_near("a stream", MANY, 1024);
}

#[test]
fn chunks_that_nobody_takes_count_as_they_cost() {
    let holding = Holding::new();
    for size in [0, 100, 2_000] {
        let mut peer = holding.peer();
        let request = Request::new(0, OPEN);
        let opened = peer.session.open(&request, Grant::default(), false, b"", 0);
        let id = opened.unwrap();
        holding.sent(&mut peer, 1);
        peer.read(&mut Told::default()); // the credit
        let things = if size == 2_000 { 800 } else { MANY };
        let cost = holding.many(&mut peer, things, |peer| {
            let value = vec![7; size as usize];
            peer.session.chunk(id, false, false, value, 0).unwrap();
        });
        cost.expect_near(&format!("a chunk of {size}"), things, 64 + size);
    }
}

#[test]
fn events_that_wait_count_as_they_cost() {
    let holding = Holding::new();
    for size in [0, 100, 2_000] {
        let mut peer = holding.peer();
        holding.rest();
        for _ in 0..EVENTS {
            let (request, value) = (Request::new(0, TELL), vec![7; size as usize]);
            let told = peer
                .session
                .event(&request, false, FullPolicy::Refuse, value, 0);
            told.unwrap();
        }
        let cost = holding.sent(&mut peer, EVENTS);
        cost.expect_near(&format!("an event of {size}"), EVENTS, 64 + size);
    }
}
