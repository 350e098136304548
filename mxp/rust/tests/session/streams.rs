//! Streams [MXP-8].

use mxp::session::{Grant, Kind, Request};

use crate::pair::{heard, Pair};

const UPPER: Request<'static> = Request::new(0, 3);

const SOME: Grant = Grant {
    messages: 2,
    bytes: 10,
};

const NONE: Grant = Grant {
    messages: 0,
    bytes: 0,
};

#[test]
fn both_sides_send_what_was_granted_and_the_stream_ends_when_both_have() {
    let mut pair = Pair::new();
    let id = pair.opener.open(&UPPER, SOME, false, b"", 0).unwrap();
    assert_eq!(
        pair.opener.chunk(id, false, false, b"a", 0),
        Err(Kind::StreamCredit)
    );
    assert_eq!(pair.there(), ["open 1 false"]);
    pair.acceptor.grant(id, SOME, 0).unwrap();
    assert_eq!(pair.back(), ["granted 1"]);
    assert_eq!(pair.opener.chunk(id, false, false, b"0123456789", 0), Ok(1));
    assert_eq!(
        pair.opener.chunk(id, false, false, b"1", 0),
        Err(Kind::StreamCredit)
    );
    assert_eq!(pair.opener.chunk(id, true, true, b"", 0), Ok(2));
    assert_eq!(
        pair.opener.chunk(id, true, false, b"", 0),
        Err(Kind::ExchangeEnded)
    );
    assert_eq!(pair.there(), ["chunk 1 1 0123456789", "chunk 1 2 "]);
    assert_eq!(pair.acceptor.chunk(id, false, false, b"back", 0), Ok(1));
    assert_eq!(pair.acceptor.finish(id, 0), Ok(()));
    assert_eq!(pair.back(), ["chunk 1 1 back", "finished 1"]);
    // The last chunk is still to be acknowledged.
    assert_eq!(pair.opener.in_flight(), (0, 1));
    assert_eq!(pair.acceptor.ack(id, 1, 0), Ok(()));
    assert_eq!(pair.acceptor.ack(id, 1, 0), Err(Kind::ExchangeEnded));
    assert_eq!(pair.acceptor.ack(id, 2, 0), Ok(()));
    assert_eq!(pair.back(), ["acked 1 1", "acked 1 2"]);
    assert_eq!(pair.opener.in_flight(), (0, 0));
    assert_eq!(pair.acceptor.in_flight(), (0, 0));
}

#[test]
fn the_opener_cancels_and_the_other_fails() {
    let mut pair = Pair::new();
    let id = pair.opener.open(&UPPER, NONE, true, b"", 0).unwrap();
    pair.there();
    pair.opener.cancel(id, 0).unwrap();
    assert_eq!(heard(&mut pair.opener, 0), ["ended 1 cancelled true"]);
    assert_eq!(pair.there(), ["cancelled 1 Peer"]);
    assert_eq!(pair.acceptor.finish(id, 0), Err(Kind::ExchangeEnded));

    let id = pair.opener.open(&UPPER, NONE, true, b"", 0).unwrap();
    pair.there();
    assert_eq!(pair.acceptor.release(id, 0), Ok(()));
    assert_eq!(pair.back(), ["ended 3 cancelled true"]);
    assert_eq!(pair.opener.finish(id, 0), Err(Kind::ExchangeEnded));
}

#[test]
fn a_long_chunk_is_not_copied() {
    let mut pair = Pair::new();
    let id = pair.opener.open(&UPPER, NONE, false, b"", 0).unwrap();
    pair.there();
    let much = Grant {
        messages: 1,
        bytes: 1 << 20,
    };
    pair.acceptor.grant(id, much, 0).unwrap();
    pair.back();
    let value = vec![7; 1 << 20];
    let lies_at = value.as_ptr();
    pair.opener.chunk(id, true, false, value, 0).unwrap();
    let frame = pair.opener.poll_frame(0).unwrap();
    assert_eq!(frame.pieces().map(<[u8]>::len), [32, 1 << 20, 8]);
    assert_eq!(frame.value.as_slice().as_ptr(), lies_at);
}
