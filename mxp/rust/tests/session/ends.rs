//! How sessions begin and end [MXP-6, MXP-11].

use mxp::frame::{Checksum, Frame, Header, Type};
use mxp::session::{Config, Kind, Request, Role, Session, TypeInfo};

use crate::pair::{heard, Pair};

const ECHO: Request<'static> = Request::new(0, 1);

#[test]
fn nothing_goes_before_the_peers_hello() {
    let mut session = Session::new(Config::new(), Role::Opener, 0).unwrap();
    assert_eq!(session.call(&ECHO, b"", 0), Err(Kind::NotReady));
    assert_eq!(session.cancel(1, 0), Err(Kind::NotReady));
    let ping = Frame {
        header: Header {
            message_id: 2,
            ..Header::new(Type::Ping)
        },
        payload: &[],
    };
    let bytes = ping.encode_to_vec(Checksum::On).unwrap();
    session.receive(&mut &bytes[..], 0).unwrap();
    assert_eq!(session.call(&ECHO, b"", 0), Err(Kind::Closed));
    // Its own Hello, and why it ended.
    let both = session.poll_frames(usize::MAX, 0).unwrap().to_vec();
    assert_eq!((both[4], both[40 + 18 + 4]), (0x80, 0xf1));
    assert!(session.finished());
}

#[test]
fn a_hello_that_is_too_long_is_refused() {
    let config = Config::new().with_service("a".repeat(256));
    let refused = Session::new(config, Role::Opener, 0).err();
    assert_eq!(refused, Some(Kind::PayloadTooLarge));
}

#[test]
fn types_that_differ_are_named() {
    let config = |print: u64, field: &str| {
        let text = format!("0 message a.B\n x u8\n{field}");
        Config::new().with_type(TypeInfo::new("a.B", &[1, print], &text))
    };
    let mut pair = Pair::silent(config(2, " y u8\n"), config(3, " y u16\n"));
    pair.there();
    let why = "session_schema a.B.y: here u8, there u16";
    assert_eq!(pair.back(), [format!("end {why} false")]);
    let why = "session_schema a.B.y: here u16, there u8";
    assert_eq!(pair.there(), [format!("end {why} false")]);
    assert!(pair.opener.finished() && !pair.acceptor.finished());

    // A list that is longer is a later version, and fine.
    let mut later = config(2, "");
    later = later.with_type(TypeInfo {
        name: "a.C".into(),
        ..TypeInfo::default()
    });
    Pair::with(config(2, ""), later);
}

#[test]
fn a_drain_lets_what_is_in_flight_end() {
    let mut pair = Pair::new();
    let id = pair.opener.call(&ECHO, b"", 0).unwrap();
    pair.there();
    // Not known to the opener when it asks again.
    pair.acceptor.drain("restart", 0).unwrap();
    let late = pair.opener.call(&ECHO, b"", 0).unwrap();
    pair.there();
    let told = pair.back();
    assert_eq!(told[0], "draining restart");
    assert_eq!(told[1], format!("ended {late} session_draining false"));
    assert_eq!(pair.opener.call(&ECHO, b"", 0), Err(Kind::Draining));
    assert!(!pair.acceptor.finished());
    pair.acceptor.respond(id, &[], b"done", 0).unwrap();
    assert_eq!(pair.back(), ["response 1 done"]);
    // The opener has drained, too, which the acceptor waits for.
    assert!(pair.opener.finished() || !pair.acceptor.finished());
    assert_eq!(pair.there(), ["draining restart"]);
    assert!(pair.opener.finished() && pair.acceptor.finished());
    assert_eq!(pair.acceptor.call(&ECHO, b"", 0), Err(Kind::Closed));
    for session in [&mut pair.opener, &mut pair.acceptor] {
        session.lost();
        assert_eq!(heard(session, 0), ["end   false"]);
    }
}

#[test]
fn a_lost_connection_ends_all_requests_in_order() {
    let mut pair = Pair::new();
    pair.opener.call(&ECHO, b"", 0).unwrap();
    pair.opener.call(&ECHO, b"", 0).unwrap();
    pair.there();
    pair.opener.call(&ECHO, b"", 0).unwrap();
    pair.opener.lost();
    let told = heard(&mut pair.opener, 0);
    let want = [
        "ended 1 session_lost true",
        "ended 3 session_lost true",
        "ended 5 session_lost false",
        "end session_lost  false",
    ];
    assert_eq!(told, want);
    assert!(pair.opener.finished());
    pair.opener.lost();
    assert_eq!(heard(&mut pair.opener, 0), [""; 0]);
    pair.acceptor.lost();
    let told = heard(&mut pair.acceptor, 0);
    assert_eq!(
        told,
        [
            "cancelled 1 End",
            "cancelled 3 End",
            "end session_lost  false"
        ]
    );
}

#[test]
fn trailers_are_0_where_both_offer_it() {
    let offers = Config::new().with_no_checksum();
    let mut pair = Pair::with(offers.clone(), offers.with_service("demo.Echo"));
    pair.opener.call(&ECHO, b"hello", 0).unwrap();
    let frame = pair.opener.poll_frame(0).unwrap().to_vec();
    assert_eq!(frame[frame.len() - 8..], [0; 8]);
    assert!(pair.acceptor.receive(&mut &frame[..], 0).is_some());
}
