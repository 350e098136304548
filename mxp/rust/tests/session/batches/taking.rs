//! Batches as they come, and may be no batches at all [MXP-17.2, MXP-17.3, MXP-17.4].

use mxp::frame::{Checksum, Flags, Frame, Header, Type};
use mxp::session::{Config, Grant, Incoming, Kind, Limits, BATCH_BYTES};

use super::{configs, deliver, opener_stream, record, start, streaming, ECHO, MUCH};
use crate::pair::Pair;

#[test]
fn nobody_makes_batches_for_a_peer_that_takes_none() {
    for (opener, acceptor) in [(true, false), (false, true), (false, false)] {
        let config = |offers| {
            if offers {
                return Config::new().with_batches();
            }
            Config::new()
        };
        let mut pair = Pair::with(config(opener), config(acceptor).with_service("demo.Echo"));
        let id = opener_stream(&mut pair);
        for value in [b"a", b"b"] {
            pair.opener.chunk(id, false, false, value, 0).unwrap();
            pair.acceptor.chunk(id, false, false, value, 0).unwrap();
        }
        assert_eq!(pair.there(), ["chunk 1 1 a", "chunk 1 2 b"]);
        assert_eq!(pair.back(), ["chunk 1 1 a", "chunk 1 2 b"]);
        // A batch that comes nevertheless ends the session, with any flags and payload.
        let told = deliver(&mut pair.acceptor, Type::Events, Flags::FINAL, 0, b"");
        assert_eq!(told[told.len() - 1], "end session_batch  false");
    }
}

#[test]
fn a_batch_that_is_none_ends_the_session() {
    let long = vec![0; BATCH_BYTES + 2];
    let chunks = Type::StreamChunks;
    let cases: Vec<(Type, Flags, u64, Vec<u8>, &str)> = vec![
        (chunks, Flags::NONE, 1, vec![], "session_payload truncated"),
        (chunks, Flags::NONE, 1, vec![1], "session_payload truncated"),
        (
            chunks,
            Flags::NONE,
            1,
            b"\x01\0a\0".to_vec(),
            "session_payload truncated",
        ),
        (
            chunks,
            Flags::NONE,
            1,
            b"\x01\0a\x02\0b".to_vec(),
            "session_payload length_exceeds_input",
        ),
        (
            chunks,
            Flags::NONE,
            1,
            b"\xff\xffa".to_vec(),
            "session_payload length_exceeds_input",
        ),
        (chunks, Flags::NONE, 1, long.clone(), "limit_batch_bytes "),
        (chunks, Flags::NONE, 0, long.clone(), "limit_batch_bytes "),
        (chunks, Flags::COMPRESSED, 1, long.clone(), "session_flags "),
        (chunks, Flags::NONE, 0, vec![], "session_id "),
        (chunks, Flags::NONE, 7, vec![], "session_id "),
        // It is decoded before anybody looks for its stream.
        (chunks, Flags::NONE, 3, vec![], "session_payload truncated"),
        (
            Type::Events,
            Flags::NONE,
            5,
            vec![],
            "session_payload truncated",
        ),
        (
            Type::Events,
            Flags::NONE,
            5,
            start(0, 1),
            "session_payload truncated",
        ),
        (
            Type::Events,
            Flags::NONE,
            5,
            [start(0, 1), vec![2, 0, 1]].concat(),
            "session_payload length_exceeds_input",
        ),
        (
            Type::Events,
            Flags::REQUIRES_ACK,
            5,
            start(0, 1),
            "session_flags ",
        ),
        (Type::Events, Flags::NONE, 1, start(0, 1), "session_id "),
        (Type::Events, Flags::NONE, 4, start(0, 1), "session_id "),
    ];
    for (kind, flags, id, payload, end) in cases {
        let (mut pair, _) = streaming(Limits::default());
        // A call that is over.
        let call = pair.opener.call(&ECHO, b"", 0).unwrap();
        pair.there();
        pair.acceptor.respond(call, &[], b"", 0).unwrap();
        let told = deliver(&mut pair.acceptor, kind, flags, id, &payload);
        assert_eq!(
            told,
            ["cancelled 1 End".into(), format!("end {end} false")],
            "{kind} {id}"
        );
        assert!(pair.acceptor.stats().late_frames() == 0);
    }
}

#[test]
fn a_batch_takes_credit_for_all_of_it() {
    for (messages, bytes, is_taken) in [(3, 5, true), (2, 5, false), (3, 4, false)] {
        let (opener, acceptor) = configs(Limits::default());
        let mut pair = Pair::with(opener, acceptor);
        let id = pair.opener.open(&ECHO, MUCH, false, b"", 0).unwrap();
        pair.there();
        let grant = Grant { messages, bytes };
        pair.acceptor.grant(id, grant, 0).unwrap();
        let payload = [record(b"ab"), record(b""), record(b"cde")].concat();
        let told = deliver(
            &mut pair.acceptor,
            Type::StreamChunks,
            Flags::FINAL,
            id,
            &payload,
        );
        if is_taken {
            assert_eq!(told, ["chunks 1 1 [ab, , cde] true false"]);
            let late = deliver(
                &mut pair.acceptor,
                Type::StreamChunks,
                Flags::NONE,
                id,
                &payload,
            );
            assert_eq!((late.len(), pair.acceptor.stats().late_frames()), (0, 1));
        } else {
            assert_eq!(told, ["cancelled 1 Credit"]);
            let stats = pair.acceptor.stats();
            assert_eq!(stats.refusals(Kind::StreamCredit), 1);
        }
    }
}

#[test]
fn as_many_empty_values_as_fit_are_taken() {
    let (mut pair, id) = streaming(Limits::default());
    let payload = vec![0; BATCH_BYTES];
    let header = Header {
        message_id: id,
        ..Header::new(Type::StreamChunks)
    };
    let frame = Frame {
        header,
        payload: &payload,
    };
    let frame = frame.encode_to_vec(Checksum::On).unwrap();
    let mut rest = &frame[..];
    let spent = allocation_counter::measure(|| {
        let Some(Incoming::Chunks(chunks)) = pair.acceptor.receive(&mut rest, 0) else {
            panic!("they came");
        };
        assert_eq!((chunks.records.len(), chunks.records.bytes()), (32_768, 0));
        assert!(chunks.records.iter().all(<[u8]>::is_empty));
        assert_eq!(chunks.records.iter().count(), 32_768);
    });
    assert_eq!(spent.count_total, 0);
    // All of them count.
    pair.opener.chunk(id, false, false, b"", 0).unwrap();
    assert_eq!(pair.there(), ["chunk 1 32769 "]);
}

#[test]
fn events_that_nobody_serves_are_refusals_each() {
    let limits = Limits {
        refusals: 3,
        ..Limits::default()
    };
    let (mut batched, _) = streaming(limits);
    let (mut single, _) = streaming(limits);
    let batch = [start(5, 1), record(b"a").repeat(5)].concat();
    let told = deliver(&mut batched.acceptor, Type::Events, Flags::NONE, 3, &batch);
    assert!(told.is_empty());
    for id in 0..5 {
        // Reading waits where more is held than the limit, until time has passed.
        let event = [start(5, 1), b"a".to_vec()].concat();
        deliver(
            &mut single.acceptor,
            Type::Event,
            Flags::NONE,
            3 + 2 * id,
            &event,
        );
    }
    for kind in [Kind::ServiceUnknown, Kind::LimitRefusals] {
        let count = if kind == Kind::ServiceUnknown { 5 } else { 1 };
        assert_eq!(batched.acceptor.stats().refusals(kind), count);
    }
    let was_read = single.acceptor.stats().refusals(Kind::ServiceUnknown);
    assert_eq!((was_read, batched.acceptor.stats().late_frames()), (4, 0));
}
