//! Calls and events [MXP-7].

use mxp::session::{Failure, FullPolicy, Kind, Request, Status, TraceContext};

use crate::pair::{heard, Pair};

const ECHO: Request<'static> = Request::new(0, 1);

#[test]
fn calls_are_answered_in_any_order() {
    let mut pair = Pair::new();
    assert_eq!(pair.opener.call(&ECHO, b"one", 0), Ok(1));
    let metadata: [(&str, &[u8]); 1] = [("lang", b"de")];
    let request = ECHO.with_metadata(&metadata);
    assert_eq!(pair.opener.call(&request, b"two", 0), Ok(3));
    let told = pair.there();
    assert_eq!(told[0], "call 1 one []");
    assert_eq!(told[1], "call 3 two [(\"lang\", [100, 101])]");
    assert_eq!(pair.acceptor.respond(3, &[], b"2", 0), Ok(()));
    assert_eq!(pair.acceptor.respond(1, &[], b"1", 0), Ok(()));
    assert_eq!(
        pair.acceptor.respond(1, &[], b"1", 0),
        Err(Kind::ExchangeEnded)
    );
    assert_eq!(pair.back(), ["response 3 2", "response 1 1"]);
    assert_eq!(pair.opener.in_flight(), (0, 0));
    assert_eq!(pair.acceptor.in_flight(), (0, 0));
}

#[test]
fn a_failure_says_who_acted() {
    let mut pair = Pair::new();
    for acted in [false, true] {
        let id = pair.opener.call(&ECHO, b"", 0).unwrap();
        pair.there();
        let failure = Failure {
            status: Status::FAILED_PRECONDITION,
            name: "busy",
            text: "come back",
            details: b"",
            acted,
        };
        pair.acceptor.fail(id, &failure, 0).unwrap();
        assert_eq!(pair.back(), [format!("ended {id} busy {acted}")]);
    }
}

#[test]
fn a_call_that_was_not_sent_leaves_nothing_when_it_is_cancelled() {
    let mut pair = Pair::new();
    let id = pair.opener.call(&ECHO, vec![0; 10_000], 0).unwrap();
    pair.opener.cancel(id, 0).unwrap();
    assert_eq!(heard(&mut pair.opener, 0), ["ended 1 cancelled false"]);
    assert_eq!(pair.opener.queue_bytes(), 0);

    let id = pair.opener.call(&ECHO, b"", 0).unwrap();
    pair.there();
    pair.opener.cancel(id, 0).unwrap();
    assert_eq!(heard(&mut pair.opener, 0), ["ended 3 cancelled true"]);
    assert_eq!(pair.there(), ["cancelled 3 Peer"]);
    // The handler still has its place.
    assert_eq!(pair.acceptor.in_flight(), (1, 0));
    assert_eq!(pair.acceptor.release(3, 0), Ok(()));
    assert_eq!(pair.acceptor.in_flight(), (0, 0));
}

#[test]
fn deadlines_pass_at_both_ends() {
    let mut pair = Pair::new();
    let request = ECHO.with_deadline(100);
    pair.opener.call(&request, b"", 0).unwrap();
    pair.now = 50;
    pair.there();
    assert_eq!(pair.opener.next_timeout(), Some(100));
    assert_eq!(pair.acceptor.next_timeout(), Some(150));
    pair.opener.tick(99);
    assert_eq!(heard(&mut pair.opener, 99), [""; 0]);
    pair.opener.tick(100);
    assert_eq!(
        heard(&mut pair.opener, 100),
        ["ended 1 deadline_exceeded true"]
    );
    pair.acceptor.tick(150);
    assert_eq!(heard(&mut pair.acceptor, 150), ["cancelled 1 Deadline"]);
    // Cancel and Error name what is not there any more.
    pair.talk();
    assert_eq!(pair.opener.stats().late_frames(), 1);
    assert_eq!(pair.acceptor.stats().late_frames(), 1);
    assert_eq!(
        pair.acceptor.respond(1, &[], b"", 150),
        Err(Kind::ExchangeEnded)
    );
    assert_eq!(pair.acceptor.in_flight(), (0, 0));
}

#[test]
fn events_are_told_acknowledged_and_dropped() {
    let mut pair = Pair::new();
    let told = pair.opener.event(&ECHO, false, FullPolicy::Refuse, b"x", 0);
    assert_eq!(told, Ok(Some(1)));
    let asked = pair.opener.event(&ECHO, true, FullPolicy::Refuse, b"y", 0);
    assert_eq!(asked, Ok(Some(3)));
    assert_eq!(pair.there(), ["event 1 x", "event 3 y"]);
    assert_eq!(pair.acceptor.ack(1, 0, 0), Err(Kind::ExchangeEnded));
    assert_eq!(pair.acceptor.ack(3, 0, 0), Ok(()));
    assert_eq!(pair.back(), ["acked 3 0"]);
}

#[test]
fn the_trace_of_a_request_is_in_all_its_frames() {
    let mut pair = Pair::new();
    let trace = TraceContext {
        id: *b"0123456789abcdef",
        parent: 7,
        flags: 1,
    };
    pair.opener
        .call(&ECHO.with_trace(Some(trace)), b"", 0)
        .unwrap();
    let low = u64::from_be_bytes(*b"89abcdef").to_le_bytes();
    let frame = pair.opener.poll_frame(0).unwrap().to_vec();
    assert_eq!(frame[16..24], low);
    pair.acceptor.receive(&mut &frame[..], 0).unwrap();
    pair.acceptor.respond(1, &[], b"", 0).unwrap();
    let frame = pair.acceptor.poll_frame(0).unwrap().to_vec();
    assert_eq!(frame[16..24], low);
}
