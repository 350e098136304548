//! Batches [MXP-17], as sessions make them.

use mxp::frame::{Checksum, DecodeOptions, Flags, Frame, FrameReader, Header, Type};
use mxp::session::{
    Config, FullPolicy, Grant, Kind, Limits, Request, Session, BATCHED_BYTES, BATCH_BYTES,
};
use proptest::prelude::*;

use crate::pair::{heard, Pair, Told};

mod taking;

const ECHO: Request<'static> = Request::new(0, 1);

const MUCH: Grant = Grant {
    messages: 1 << 20,
    bytes: 1 << 30,
};

/// The frames that a session has, with their types, flags, ids and payloads.
fn frames(session: &mut Session) -> Vec<(Type, Flags, u64, Vec<u8>)> {
    let mut bytes = Vec::new();
    while let Some(frame) = session.poll_frame(0) {
        bytes.extend(frame.to_vec());
    }
    let mut reader = FrameReader::new(DecodeOptions::new(Checksum::On));
    let (mut rest, mut frames) = (&bytes[..], Vec::new());
    while let Some(frame) = reader.read(&mut rest).unwrap() {
        let Header {
            frame_type,
            flags,
            message_id,
            ..
        } = frame.header;
        frames.push((frame_type, flags, message_id, frame.payload.to_vec()));
    }
    frames
}

/// The types of the frames that a session has.
fn types(session: &mut Session) -> Vec<Type> {
    let frames = frames(session).into_iter();
    frames.map(|(frame_type, ..)| frame_type).collect()
}

fn configs(limits: Limits) -> (Config, Config) {
    let opener = Config::new().with_batches();
    let acceptor = Config::new().with_batches().with_service("demo.Echo");
    (opener, acceptor.with_limits(limits))
}

/// Two sessions that take batches, and a stream of the opener's.
fn streaming(limits: Limits) -> (Pair, u64) {
    let (opener, acceptor) = configs(limits);
    let mut pair = Pair::with(opener, acceptor);
    let id = opener_stream(&mut pair);
    (pair, id)
}

fn opener_stream(pair: &mut Pair) -> u64 {
    let opener = &mut pair.opener;
    let id = opener.open(&ECHO, MUCH, false, b"", 0).unwrap();
    pair.there();
    pair.acceptor.grant(id, MUCH, 0).unwrap();
    pair.back();
    id
}

fn record(value: &[u8]) -> Vec<u8> {
    let n = u16::try_from(value.len()).unwrap();
    [&n.to_le_bytes()[..], value].concat()
}

/// The start of an Event's payload for a method.
fn start(service: u8, method: u8) -> Vec<u8> {
    [&[14, 0, 0, 0, service, 0, method, 0][..], &[0; 10]].concat()
}

/// Gives a session a frame.
fn deliver(session: &mut Session, kind: Type, flags: Flags, id: u64, payload: &[u8]) -> Told {
    let mut header = Header::new(kind);
    (header.flags, header.message_id) = (flags, id);
    let frame = Frame { header, payload };
    let bytes = frame.encode_to_vec(Checksum::On).unwrap();
    crate::pair::told(session, &bytes, 0)
}

/// Something that is done with a pair of sessions between two chunks.
type Between<'a> = Box<dyn FnOnce(&mut Pair) + 'a>;

/// Whether a chunk joins a frame that it is put behind, with something in between.
fn joins(pair: &mut Pair, id: u64, between: impl FnOnce(&mut Pair)) -> bool {
    pair.opener.chunk(id, false, false, b"a", 0).unwrap();
    between(pair);
    pair.opener.chunk(id, false, false, b"b", 0).unwrap();
    types(&mut pair.opener).contains(&Type::StreamChunks)
}

#[test]
fn chunks_that_wait_are_one_frame() {
    let (mut pair, id) = streaming(Limits::default());
    for (number, value) in [&b"one"[..], b"", b"three"].into_iter().enumerate() {
        let sent = pair.opener.chunk(id, false, false, value, 0);
        assert_eq!(sent, Ok(number as u64 + 1));
    }
    let payload = [record(b"one"), record(b""), record(b"three")].concat();
    assert_eq!(pair.opener.queue_bytes(), 40 + payload.len());
    assert_eq!(pair.opener.stats().queue(), (40 + payload.len(), 1));
    let told = pair.there();
    assert_eq!(told, ["chunks 1 1 [one, , three] false false"]);
    let (sent, came) = (pair.opener.stats(), pair.acceptor.stats());
    assert_eq!(sent.frames_out(Type::StreamChunks), 1);
    assert_eq!(came.frames_in(Type::StreamChunks), 1);
    assert!(came.prometheus().contains("in\",type=\"StreamChunks\"} 1"));
    // Nothing joins a frame that was given out, and a single chunk has its own frame as ever.
    pair.opener.chunk(id, false, false, b"four", 0).unwrap();
    let four = (Type::StreamChunk, Flags::NONE, id, b"four".to_vec());
    assert_eq!(frames(&mut pair.opener), [four]);
    for value in [&b"5"[..], b"6"] {
        pair.opener.chunk(id, false, false, value, 0).unwrap();
    }
    let batch = (
        Type::StreamChunks,
        Flags::NONE,
        id,
        b"\x01\x005\x01\x006".to_vec(),
    );
    assert_eq!(frames(&mut pair.opener), [batch]);
}

#[test]
fn every_frame_that_was_made_meanwhile_closes_a_batch() {
    let limits = Limits {
        ping_us: 1_000,
        ..Limits::default()
    };
    let opener = Config::new().with_batches().with_limits(limits);
    let acceptor = Config::new().with_batches().with_service("demo.Echo");
    let mut pair = Pair::with(opener.with_service("demo.Back"), acceptor);
    let id = opener_stream(&mut pair);
    let other = opener_stream(&mut pair);
    let asked = pair.acceptor.call(&ECHO, b"", 0).unwrap();
    let to_ack = pair.acceptor.event(&ECHO, true, FullPolicy::Refuse, b"", 0);
    let to_ack = to_ack.unwrap().unwrap();
    pair.back();
    assert!(joins(&mut pair, id, |_| ()));
    let betweens: Vec<(&str, Between<'_>)> = vec![
        (
            "a chunk",
            Box::new(|pair| {
                pair.opener.chunk(other, false, false, b"", 0).unwrap();
            }),
        ),
        (
            "an event",
            Box::new(|pair| {
                let event = pair.opener.event(&ECHO, false, FullPolicy::Refuse, b"", 0);
                event.unwrap();
            }),
        ),
        (
            "a grant",
            Box::new(|pair| pair.opener.grant(id, MUCH, 0).unwrap()),
        ),
        (
            "an ack",
            Box::new(|pair| pair.opener.ack(to_ack, 0, 0).unwrap()),
        ),
        (
            "an answer",
            Box::new(|pair| {
                pair.opener.respond(asked, &[], b"", 0).unwrap();
            }),
        ),
        (
            "a call",
            Box::new(|pair| {
                pair.opener.call(&ECHO, b"", 0).unwrap();
            }),
        ),
        (
            "an end",
            Box::new(|pair| pair.opener.finish(other, 0).unwrap()),
        ),
        (
            "a cancel",
            Box::new(|pair| pair.opener.cancel(other, 0).unwrap()),
        ),
        (
            "a pong",
            Box::new(|pair| {
                let told = deliver(&mut pair.opener, Type::Ping, Flags::NONE, 100, b"");
                assert_eq!(told, ["ended 3 cancelled true"]);
            }),
        ),
        ("a ping", Box::new(|pair| pair.opener.tick(2_000))),
        (
            "a drain",
            Box::new(|pair| pair.opener.drain("", 0).unwrap()),
        ),
    ];
    for (name, between) in betweens {
        assert!(!joins(&mut pair, id, between), "{name}");
    }
    // A call that is refused makes no frame.
    assert!(joins(&mut pair, id, |pair| {
        assert_eq!(pair.opener.call(&ECHO, b"", 0), Err(Kind::Draining));
    }));
}

#[test]
fn the_flags_are_those_of_the_last_chunk() {
    let (mut pair, id) = streaming(Limits::default());
    let opener = &mut pair.opener;
    opener.chunk(id, false, true, b"a", 0).unwrap();
    for (value, requires_ack) in [(b"b", false), (b"c", true), (b"d", false)] {
        opener.chunk(id, false, requires_ack, value, 0).unwrap();
    }
    opener.chunk(id, true, true, b"e", 0).unwrap();
    let told = [
        "chunk 1 1 a",
        "chunks 1 2 [b, c] false true",
        "chunks 1 4 [d, e] true true",
    ];
    assert_eq!(pair.there(), told);
    assert_eq!(pair.acceptor.finish(id, 0), Ok(()));
    for chunk in [2, 3, 5] {
        assert_eq!(pair.acceptor.ack(id, chunk, 0), Ok(()), "{chunk}");
    }
    assert_eq!(pair.acceptor.in_flight(), (0, 0));
    let told = ["finished 1", "acked 1 2", "acked 1 3", "acked 1 5"];
    assert_eq!(pair.back(), told);
    assert_eq!(pair.opener.in_flight(), (0, 0));
}

/// 40 bytes for each frame, and 2 for each chunk.
#[test]
fn ten_thousand_small_chunks_take_little_more_than_their_bytes() {
    let (mut pair, id) = streaming(Limits::default());
    let (mut bytes, mut left) = (0, 10_000);
    while left > 0 {
        match pair.opener.chunk(id, false, false, &[7; 64], 0) {
            Ok(_) => left -= 1,
            Err(refusal) => {
                assert_eq!(refusal, Kind::LimitQueueBytes);
                bytes += pair.opener.poll_frames(usize::MAX, 0).unwrap().len();
            }
        }
    }
    bytes += pair.opener.poll_frames(usize::MAX, 0).unwrap().len();
    assert!((660_000..=670_000).contains(&bytes), "{bytes}");
}

#[test]
fn a_batch_is_no_longer_than_it_may_be() {
    for (payload_bytes, most) in [(1 << 20, BATCH_BYTES), (100, 100), (101, 101)] {
        let limits = |payload_bytes| Limits {
            payload_bytes,
            bulk_bytes: 1 << 20,
            ..Limits::default()
        };
        let (opener, acceptor) = configs(limits(payload_bytes));
        let mut pair = Pair::with(opener.with_limits(limits(1 << 20)), acceptor);
        let id = opener_stream(&mut pair);
        for n in [2, 3] {
            // Each value takes 2 bytes for its length.
            let value = vec![b'x'; (most / n - 2).min(BATCHED_BYTES)];
            let whole = value.len() + 2;
            for _ in 0..most / whole {
                pair.opener.chunk(id, false, false, &value[..], 0).unwrap();
            }
            let rest = most % whole;
            if let Some(fits) = rest.checked_sub(2) {
                let value = vec![b'y'; fits];
                pair.opener.chunk(id, false, false, value, 0).unwrap();
            }
            pair.opener.chunk(id, false, false, b"", 0).unwrap();
            let frames = frames(&mut pair.opener);
            let sizes: Vec<_> = frames
                .iter()
                .map(|(kind, .., p)| (*kind, p.len()))
                .collect();
            let full = most - usize::from(rest == 1);
            let want = [(Type::StreamChunks, full), (Type::StreamChunk, 0)];
            assert_eq!(sizes, want, "{most} {n}");
        }
    }
}

#[test]
fn a_long_value_is_a_frame_that_nothing_joins() {
    let (mut pair, id) = streaming(Limits::default());
    let long = vec![7; BATCHED_BYTES + 1];
    for value in [b"a".to_vec(), long.clone(), b"b".to_vec()] {
        pair.opener.chunk(id, false, false, value, 0).unwrap();
    }
    assert_eq!(types(&mut pair.opener), [Type::StreamChunk; 3]);
    // The longest that joins does so whether it is owned or not.
    let short = &long[1..];
    pair.opener
        .chunk(id, false, false, short.to_vec(), 0)
        .unwrap();
    pair.opener.chunk(id, false, false, short, 0).unwrap();
    pair.opener
        .chunk(id, false, false, short.to_vec(), 0)
        .unwrap();
    let payload = [record(short), record(short), record(short)].concat();
    let batch = (Type::StreamChunks, Flags::NONE, id, payload);
    assert_eq!(frames(&mut pair.opener), [batch]);
}

#[test]
fn a_chunk_that_joins_is_refused_as_any_other() {
    let limits = Limits {
        bulk_bytes: 100,
        ..Limits::default()
    };
    let opener = Config::new().with_batches().with_limits(limits);
    let mut pair = Pair::with(opener, configs(Limits::default()).1);
    let id = pair.opener.open(&ECHO, MUCH, false, b"", 0).unwrap();
    pair.there();
    let grant = |messages, bytes| Grant { messages, bytes };
    pair.acceptor.grant(id, grant(2, 100), 0).unwrap();
    pair.back();
    pair.opener.chunk(id, false, false, &[1; 50], 0).unwrap();
    let over = pair.opener.chunk(id, false, false, &[1; 51], 0);
    assert_eq!(over, Err(Kind::StreamCredit));
    pair.opener.chunk(id, false, false, &[1; 20], 0).unwrap();
    assert_eq!(
        pair.opener.chunk(id, false, false, b"", 0),
        Err(Kind::StreamCredit)
    );
    pair.acceptor.grant(id, grant(2, 100), 0).unwrap();
    pair.back();
    let full = pair.opener.chunk(id, false, false, b"", 0);
    assert_eq!(full, Err(Kind::LimitQueueBytes));
    assert_eq!(pair.opener.queue_bytes(), 40 + 52 + 22);
    assert_eq!(types(&mut pair.opener), [Type::StreamChunks]);
}

#[test]
fn a_frame_that_was_dropped_is_joined_by_nothing() {
    let (mut pair, id) = streaming(Limits::default());
    let dropped = |pair: &mut Pair, chunk: &[u8]| {
        let unsent = pair.opener.open(&ECHO, MUCH, false, b"", 0).unwrap();
        if !chunk.is_empty() {
            pair.opener.chunk(id, false, false, chunk, 0).unwrap();
        }
        pair.opener.cancel(unsent, 0).unwrap();
        assert_eq!(heard(&mut pair.opener, 0).len(), 1);
    };
    dropped(&mut pair, b"a");
    // The last frame is still the last.
    pair.opener.chunk(id, false, false, b"b", 0).unwrap();
    // Now it is not, though no other is there any more.
    dropped(&mut pair, b"");
    pair.opener.chunk(id, false, false, b"c", 0).unwrap();
    let told = ["chunks 1 1 [a, b] false false", "chunk 1 3 c"];
    assert_eq!(pair.there(), told);
}

#[test]
fn events_with_one_head_are_one_frame() {
    let (opener, acceptor) = configs(Limits::default());
    let mut pair = Pair::with(opener, acceptor);
    let opener = &mut pair.opener;
    let pairs: [(&str, &[u8]); 1] = [("k", b"v")];
    let other = Request::new(0, 2);
    let described = ECHO.with_metadata(&pairs);
    let mut event = |request: &Request<'_>, requires_ack, value: &[u8]| {
        let id = opener.event(request, requires_ack, FullPolicy::Refuse, value, 0);
        id.unwrap().unwrap()
    };
    let ids = [
        event(&ECHO, false, b"a"),
        event(&ECHO, false, b""),
        event(&ECHO, false, b"c"),
        event(&other, false, b"d"),
        event(&described, false, b"e"),
        event(&described, false, b"f"),
        event(&described, true, b"g"),
        event(&described, false, b"h"),
    ];
    assert_eq!(ids, [1, 1, 1, 3, 5, 5, 7, 9]);
    let told = [
        "events 1 1 [a, , c] {}",
        "event 3 d",
        "events 5 1 [e, f] {\"k\": [118]}",
        "event 7 g",
        "event 9 h",
    ];
    assert_eq!(pair.there(), told);
    assert_eq!(pair.opener.stats().frames_out(Type::Events), 2);
    // The greatest id that has come is that of the last batch.
    let told = deliver(&mut pair.acceptor, Type::Events, Flags::NONE, 9, b"");
    assert_eq!(told, ["cancelled 7 End", "end session_id  false"]);
}

#[test]
fn a_batch_of_events_is_short() {
    let (opener, acceptor) = configs(Limits::default());
    let mut pair = Pair::with(opener, acceptor);
    for _ in 0..100 {
        let event = pair
            .opener
            .event(&ECHO, false, FullPolicy::Refuse, &[7; 64], 0);
        event.unwrap();
    }
    let sizes: Vec<_> = frames(&mut pair.opener)
        .into_iter()
        .map(|(kind, _, _, p)| (kind, p.len()))
        .collect();
    // The start, and 61 records.
    let want = [(Type::Events, 18 + 61 * 66), (Type::Events, 18 + 39 * 66)];
    assert_eq!(sizes, want);
}

#[test]
fn a_batch_is_dropped_with_all_its_events() {
    let limits = Limits {
        queue_bytes: 200,
        ..Limits::default()
    };
    let opener = Config::new().with_batches().with_limits(limits);
    let mut pair = Pair::with(opener, configs(Limits::default()).1);
    let opener = &mut pair.opener;
    let mut event =
        |method, on_full| opener.event(&Request::new(0, method), false, on_full, &[7; 48], 0);
    for id in [1, 1, 1] {
        assert_eq!(event(1, FullPolicy::Refuse), Ok(Some(id)));
    }
    assert_eq!(event(1, FullPolicy::Refuse), Err(Kind::LimitQueueBytes));
    assert_eq!(event(1, FullPolicy::DropNewest), Ok(None));
    // It would join the frame that is dropped for it.
    assert_eq!(event(1, FullPolicy::DropOldest), Ok(Some(3)));
    assert_eq!(event(2, FullPolicy::DropOldest), Ok(Some(5)));
    assert_eq!(opener.stats().events_dropped(), 1 + 3);
    assert_eq!(opener.stats().queue(), (2 * (40 + 18 + 48), 2));
    assert_eq!(types(opener), [Type::Event; 2]);
}

proptest! {
    /// The values come out in their order with their numbers, however they are sent.
    #[test]
    fn what_is_sent_comes(
        sent in prop::collection::vec((0_usize..5000, 0_u8..20), 0..100),
        payload_bytes in 300_usize..100_000,
    ) {
        let (opener, acceptor) = configs(Limits { payload_bytes, ..Limits::default() });
        let mut pair = Pair::with(opener, acceptor);
        let ids = [opener_stream(&mut pair), opener_stream(&mut pair)];
        let mut values = [vec![], vec![], vec![]];
        let mut told = Told::new();
        for (n, how) in sent {
            let n = match how { 0 => n, _ => n % 200 };
            let value = vec![b'x'; n.min(payload_bytes - 20)];
            let at = usize::from(how % 3);
            match ids.get(at) {
                Some(id) => drop(pair.opener.chunk(*id, false, how == 1, &value[..], 0).unwrap()),
                None => drop(pair.opener.event(&ECHO, false, FullPolicy::Refuse, &value[..], 0).unwrap()),
            }
            values[at].push(value.len());
            if how == 19 {
                told.append(&mut crate::pair::lengths(&mut pair));
            }
        }
        told.append(&mut crate::pair::lengths(&mut pair));
        let mut want = [vec![], vec![], vec![]];
        for (at, values) in values.iter().enumerate() {
            for (i, n) in values.iter().enumerate() {
                want[at].push(match ids.get(at) {
                    Some(id) => format!("{id} {} {n}", i + 1),
                    None => format!("event {n}"),
                });
            }
        }
        for (at, want) in want.iter().enumerate() {
            let start = ids.get(at).map_or("event ".into(), |id| format!("{id} "));
            let came: Vec<_> = told.iter().filter(|line| line.starts_with(&start)).collect();
            prop_assert_eq!(came, want.iter().collect::<Vec<_>>());
        }
    }
}
