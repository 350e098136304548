//! Sides that show that they live, and what that does not put off [MXP-10.8, MXP-11.1].

use mxp::frame::{Checksum, Frame, Header, Type};
use mxp::session::{Config, Limits, Request, Session};

use crate::pair::{heard, Pair};

const ECHO: Request<'static> = Request::new(0, 1);

fn ping(id: u64) -> Vec<u8> {
    let header = Header {
        message_id: id,
        ..Header::new(Type::Ping)
    };
    let payload = &[];
    let frame = Frame { header, payload };
    frame.encode_to_vec(Checksum::On).unwrap()
}

fn served(ping_us: u64) -> Config {
    let mut limits = Limits::default();
    (limits.ping_us, limits.idle_us) = (ping_us, 0);
    Config::new().with_service("demo.Echo").with_limits(limits)
}

#[test]
fn pings_of_the_peer_do_not_hold_a_drain() {
    let mut pair = Pair::new();
    pair.acceptor.drain("restart", 0).unwrap();
    pair.acceptor.poll_frame(0).unwrap();
    let linger = pair.acceptor.limits().linger_us;
    for step in 1..10 {
        let now = step * linger / 10;
        let id = 2 * step - 1;
        assert!(pair.acceptor.receive(&mut &ping(id)[..], now).is_none());
        // It is answered, sooner or later.
        if step % 2 == 0 {
            assert_eq!(pair.acceptor.poll_frames(1000, now).unwrap().len(), 80);
        }
        assert_eq!(pair.acceptor.next_timeout(), Some(linger));
        assert!(!pair.acceptor.finished());
    }
    // A Pong that waits doesn't put it off either.
    assert!(pair.acceptor.queue_bytes() > 0);
    pair.acceptor.tick(linger);
    assert!(pair.acceptor.finished());
}

#[test]
fn a_request_in_flight_begins_the_end_of_a_drain_anew() {
    let mut pair = Pair::new();
    let id = pair.opener.call(&ECHO, b"", 0).unwrap();
    pair.there();
    pair.acceptor.drain("restart", 0).unwrap();
    pair.acceptor.poll_frame(0).unwrap();
    let linger = pair.acceptor.limits().linger_us;
    pair.acceptor.tick(linger);
    assert!(!pair.acceptor.finished());
    pair.acceptor.respond(id, &[], b"", linger).unwrap();
    pair.acceptor.poll_frame(linger).unwrap();
    pair.acceptor.tick(2 * linger - 1);
    assert!(!pair.acceptor.finished());
    pair.acceptor.tick(2 * linger);
    assert!(pair.acceptor.finished());
}

/// The types of the frames that a session gives out.
fn given(session: &mut Session, now: u64) -> Vec<u8> {
    let mut types = Vec::new();
    while let Some(frame) = session.poll_frame(now) {
        types.push(frame.head[4]);
    }
    types
}

#[test]
fn a_side_that_does_not_read_pings_and_awaits_no_pong() {
    let mut pair = Pair::with(Config::new(), served(100));
    pair.acceptor.pause(10);
    for now in [100, 200, 300] {
        assert_eq!(pair.acceptor.next_timeout(), Some(now));
        pair.acceptor.tick(now);
        assert_eq!(given(&mut pair.acceptor, now), [Type::Ping as u8]);
    }
    // The frames that it gives out show as much.
    pair.acceptor
        .event(&ECHO, false, mxp::session::FullPolicy::Refuse, b"", 350)
        .unwrap();
    pair.acceptor.poll_frame(350).unwrap();
    assert_eq!(pair.acceptor.next_timeout(), Some(450));
    pair.acceptor.tick(400);
    assert_eq!(given(&mut pair.acceptor, 400), [0; 0]);
    pair.acceptor.tick(450);
    // A Ping that is not taken is not made again at once.
    pair.acceptor.tick(451);
    assert_eq!(given(&mut pair.acceptor, 500), [Type::Ping as u8]);
    // When it reads again, it waits for a byte as long as ever.
    pair.acceptor.resume(10_000_000);
    assert_eq!(pair.acceptor.next_timeout(), Some(10_000_100));
    pair.acceptor.tick(10_000_100);
    let due = 10_000_100 + pair.acceptor.limits().pong_us;
    assert_eq!(given(&mut pair.acceptor, 10_000_100), [Type::Ping as u8]);
    assert_eq!(pair.acceptor.next_timeout(), Some(due));
    pair.acceptor.tick(due);
    assert_eq!(
        heard(&mut pair.acceptor, due),
        ["end session_silent  false"]
    );
}

#[test]
fn a_side_that_sends_no_pings_sends_none_while_it_does_not_read() {
    let mut pair = Pair::with(Config::new(), served(0));
    pair.acceptor.pause(10);
    assert_eq!(pair.acceptor.next_timeout(), None);
}
