//! The allocations of sessions.

use allocation_counter::measure;
use mxp::session::{Config, FullPolicy, Grant, Request, TypeInfo};

use crate::pair::Pair;

const ECHO: Request<'static> = Request::new(0, 1);

#[test]
fn small_events_and_chunks_are_sent_and_received_without_allocation() {
    without_allocation(Pair::new(), 20);
    let acceptor = Config::new().with_batches().with_service("demo.Echo");
    without_allocation(Pair::with(Config::new().with_batches(), acceptor), 2);
}

/// Sends and receives chunks and events, as so many pieces of news.
fn without_allocation(mut pair: Pair, news: usize) {
    let grant = Grant {
        messages: 1000,
        bytes: 100_000,
    };
    let id = pair
        .opener
        .open(&ECHO, Grant::default(), false, b"", 0)
        .unwrap();
    pair.there();
    pair.acceptor.grant(id, grant, 0).unwrap();
    pair.back();
    let mut round = || {
        for _ in 0..10 {
            let event = pair
                .opener
                .event(&ECHO, false, FullPolicy::Refuse, &[1; 50], 0);
            event.unwrap();
        }
        for _ in 0..10 {
            pair.opener.chunk(id, false, false, &[2; 50], 0).unwrap();
        }
        let frames = pair.opener.poll_frames(usize::MAX, 0).unwrap();
        let mut rest = frames.head;
        let mut told = 0;
        while pair.acceptor.receive(&mut rest, 0).is_some() {
            told += 1;
        }
        assert_eq!(told, news);
    };
    round();
    assert_eq!(measure(round).count_total, 0);
}

#[test]
fn a_session_that_rests_has_no_buffers() {
    let mut pair = Pair::new();
    let spent = measure(|| {
        pair.opener.call(&ECHO, &[0; 10_000], 0).unwrap();
        let frame = pair.opener.poll_frame(0).unwrap().to_vec();
        for mut piece in frame.chunks(100) {
            pair.acceptor.receive(&mut piece, 0);
        }
        pair.acceptor.respond(1, &[], b"", 0).unwrap();
        let answer = pair.acceptor.poll_frame(0).unwrap().to_vec();
        pair.opener.receive(&mut &answer[..], 0).unwrap();
        pair.opener.rest();
        pair.acceptor.rest();
    });
    assert!(spent.bytes_current < 2_000, "{}", spent.bytes_current);
}

/// The Layouts of a peer may name a long name often, and a service that this side has methods of;
/// their memory is bounded by the sum of both sides, not by their product [EVO-5.7, MXP-6.8].
#[test]
fn hostile_layouts_take_little_memory() {
    let mut here = TypeInfo::new("a.T", &[1], "0 struct a.T\n x u8\n");
    for number in 0..200 {
        here = here.requested("a.S", number, "m");
    }
    // Names are half of the text, and a field's type the other.
    let (name, words) = ("n".repeat(32_000), " #1".repeat(10_000));
    let layout = format!("0 struct a.T\n x{words}\n1 struct {name}\n");
    let there = TypeInfo::new("a.T", &[2], &layout);
    let there = there.requested("a.S", 0, "m");
    let repeated = (0..=u16::MAX).fold(Config::new().with_type(there), |config, _| {
        config.with_service("a.S")
    });
    let mut pair = Pair::silent(repeated, Config::new().with_type(here));
    let greeting = pair.opener.poll_frames(1, 0).unwrap().to_vec();
    pair.back();
    let layouts = pair.opener.poll_frames(1, 0).unwrap().to_vec();
    let spent = measure(|| {
        for mut frame in [&greeting[..], &layouts[..]] {
            while pair.acceptor.receive(&mut frame, 0).is_some() {}
        }
    });
    assert!(pair.acceptor.ready());
    assert_eq!(pair.acceptor.differences().len(), 200);
    assert_eq!(pair.acceptor.differences()[0].text.len(), 400);
    assert!(spent.bytes_total < 32 << 20, "{}", spent.bytes_total);
    // The texts of the peer are not kept.
    assert!(spent.bytes_current < 300_000, "{}", spent.bytes_current);
}
