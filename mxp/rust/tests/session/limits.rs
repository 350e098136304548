//! Queues, limits and their refusals [MXP-9].

use mxp::frame::{Checksum, Frame, Header, Type};
use mxp::session::{Config, FullPolicy, Kind, Limits, Request};

use crate::pair::{heard, Pair};

const ECHO: Request<'static> = Request::new(0, 1);

fn limited(change: impl Fn(&mut Limits)) -> Config {
    let mut limits = Limits::default();
    change(&mut limits);
    Config::new().with_service("demo.Echo").with_limits(limits)
}

#[test]
fn requests_over_a_limit_are_refused_and_have_done_nothing() {
    let small = limited(|limits| (limits.in_flight, limits.in_flight_bytes) = (2, 100));
    let mut pair = Pair::with(Config::new(), small.clone());
    for value in [&[0; 10][..], &[0; 90], &[0; 10], &[0; 1]] {
        pair.opener.call(&ECHO, value, 0).unwrap();
    }
    assert_eq!(pair.there().len(), 2);
    assert_eq!(
        pair.back(),
        [
            "ended 3 limit_in_flight_bytes false",
            "ended 7 limit_in_flight false"
        ]
    );
    let mut pair = Pair::with(small.clone(), small);
    pair.opener.call(&ECHO, b"", 0).unwrap();
    pair.opener.call(&ECHO, b"", 0).unwrap();
    assert_eq!(pair.opener.call(&ECHO, b"", 0), Err(Kind::LimitInFlight));
}

#[test]
fn a_full_queue_refuses_or_drops() {
    let mut pair = Pair::with(limited(|limits| limits.queue_bytes = 200), Config::new());
    let mut event = |on_full, value: &[u8]| pair.opener.event(&ECHO, false, on_full, value, 0);
    assert_eq!(event(FullPolicy::Refuse, &[0; 50]), Ok(Some(1)));
    assert_eq!(event(FullPolicy::Refuse, &[0; 90]), Ok(Some(3)));
    assert_eq!(event(FullPolicy::Refuse, &[]), Err(Kind::LimitQueueBytes));
    assert_eq!(event(FullPolicy::DropNewest, &[]), Ok(None));
    assert_eq!(event(FullPolicy::DropOldest, &[0; 9]), Ok(Some(5)));
    assert_eq!(pair.opener.stats().events_dropped(), 2);
    assert_eq!(pair.opener.stats().queue().1, 2);
    let asked = pair
        .opener
        .event(&ECHO, true, FullPolicy::DropOldest, b"", 0);
    assert_eq!(asked, Err(Kind::LimitQueueBytes));
}

#[test]
fn a_payload_that_the_peer_does_not_take_is_not_made() {
    let small = limited(|limits| limits.payload_bytes = 100);
    let mut pair = Pair::with(Config::new(), small);
    assert_eq!(
        pair.opener.call(&ECHO, &[0; 100], 0),
        Err(Kind::PayloadTooLarge)
    );
    let long = "k".repeat(256);
    let metadata: [(&str, &[u8]); 1] = [(&long, b"")];
    let request = ECHO.with_metadata(&metadata);
    assert_eq!(
        pair.opener.call(&request, b"", 0),
        Err(Kind::PayloadTooLarge)
    );
    assert_eq!(pair.opener.call(&ECHO, b"", 0), Ok(1));
    assert_eq!(pair.there(), ["call 1  []"]);
}

#[test]
fn a_peer_that_reads_no_answers_is_not_read_from() {
    let mut pair = Pair::with(Config::new(), limited(|limits| limits.reply_bytes = 1000));
    let mut bytes = Vec::new();
    for message_id in (1..2001).step_by(2) {
        let header = Header {
            message_id,
            ..Header::new(Type::Ping)
        };
        let frame = Frame {
            header,
            payload: &[],
        };
        frame.append(&mut bytes, Checksum::On).unwrap();
    }
    let mut rest = &bytes[..];
    assert!(pair.acceptor.receive(&mut rest, 0).is_none());
    assert_eq!(rest.len(), 40 * 975);
    assert_eq!(pair.acceptor.queue_bytes(), 1000);
    pair.acceptor.poll_frame(0).unwrap();
    assert!(pair.acceptor.receive(&mut rest, 0).is_none());
    assert_eq!(rest.len(), 40 * 974);
}

#[test]
fn silence_slowness_and_stalling_end_a_session() {
    let mut pair = Pair::silent(Config::new(), Config::new());
    pair.opener.tick(10_000_000);
    assert_eq!(heard(&mut pair.opener, 0), ["end session_silent  false"]);

    let quiet = || limited(|limits| limits.ping_us = 0);
    let mut pair = Pair::with(quiet(), quiet());
    pair.opener.call(&ECHO, b"", 0).unwrap();
    let frame = pair.opener.poll_frame(0).unwrap().to_vec();
    assert!(pair.acceptor.receive(&mut &frame[..20], 5).is_none());
    // The bytes that have come have made the time longer.
    let due = 30_000_005 + 20 * 1_000_000 / 4096;
    assert_eq!(pair.acceptor.next_timeout(), Some(due));
    pair.acceptor.tick(due);
    assert_eq!(heard(&mut pair.acceptor, 0), ["end session_slow  false"]);

    let mut pair = Pair::with(quiet(), quiet());
    pair.opener.call(&ECHO, b"", 7).unwrap();
    pair.opener.tick(30_000_007);
    let told = heard(&mut pair.opener, 0);
    assert_eq!(
        told,
        [
            "ended 1 session_stalled false",
            "end session_stalled  false"
        ]
    );

    let mut pair = Pair::with(limited(|limits| limits.ping_us = 10), Config::new());
    pair.opener.tick(10);
    pair.now = 20;
    pair.talk();
    assert_eq!(pair.opener.next_timeout(), Some(30));
    pair.opener.tick(30);
    pair.opener.poll_frame(30).unwrap();
    assert_eq!(pair.opener.next_timeout(), Some(10_000_030));
    pair.opener.tick(10_000_030);
    assert_eq!(heard(&mut pair.opener, 0), ["end session_silent  false"]);
}
