//! A session that is told anything by its peer and asked for anything by its user, as bytes have
//! it. The invariants are checked all the time.

use std::collections::BTreeMap;

use mxp::frame::{Checksum, DecodeOptions, Flags, Frame, FrameReader, Header, Type};
use mxp::session::{
    Config, Failure, FullPolicy, Grant, Incoming, Kind, Limits, Records, Request, Role, Session,
    Status,
};

/// Bytes that are used up. There are always more of them, which are 0.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn byte(&mut self) -> u8 {
        let (&byte, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        byte
    }

    fn take(&mut self, n: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// A time that is short, mostly.
    fn time(&mut self) -> u64 {
        match self.byte() {
            255 => u64::MAX,
            254 => 20_000_000,
            n => u64::from(n),
        }
    }
}

/// The requests that the user knows of, his and the peer's.
#[derive(Default)]
struct User {
    /// Requests of his, and whether they have ended; streams end without a word.
    asked: BTreeMap<u64, (Type, bool)>,
    /// Requests of the peer's, and whether they have ended by themselves.
    told: BTreeMap<u64, bool>,
    is_over: bool,
    sent: Vec<u8>,
}

/// Does with a session what the bytes say.
#[allow(unreachable_pub, reason = "another crate has this file, too")]
pub fn exercise(data: &[u8]) {
    let mut input = Input(data);
    let setup = input.byte();
    let (role, other) = match setup & 1 {
        0 => (Role::Opener, Role::Acceptor),
        _ => (Role::Acceptor, Role::Opener),
    };
    let mut limits = Limits::default();
    if setup & 2 > 0 {
        limits.in_flight = usize::from(input.byte() % 4);
        limits.in_flight_bytes = usize::from(input.byte());
        limits.queue_bytes = usize::from(input.byte()) * 4;
        limits.reply_bytes = 1 + usize::from(input.byte());
        limits.payload_bytes = usize::from(input.byte()) * 8;
        limits.ping_us = input.time();
        limits.pong_us = input.time();
    }
    let mut config = Config::new().with_service("a.B").with_limits(limits);
    if setup & 4 > 0 {
        config = config.with_agents();
    }
    let mut theirs = Config::new();
    if setup & 16 > 0 {
        config = config.with_batches();
    }
    if setup & 32 > 0 {
        theirs = theirs.with_batches();
    }
    let mut session = Session::new(config, role, 0).expect("its Hello is short");
    let mut user = User::default();
    if setup & 8 == 0 {
        let mut peer = Session::new(theirs, other, 0).expect("its Hello is short");
        let hello = peer.poll_frame(0).expect("it waits").to_vec();
        user.hear(&mut session, &hello, 0);
    }
    let mut now = 0_u64;
    while !input.0.is_empty() {
        now = now.saturating_add(u64::from(input.byte() & 7));
        step(&mut session, &mut user, &mut input, &mut now, limits);
        user.hear(&mut session, &[], now);
        if session.next_timeout().is_some() {
            assert!(!user.is_over, "what is over waits for nothing");
        }
    }
    session.lost();
    user.hear(&mut session, &[], now);
    user.send(&mut session, usize::MAX, now);
    assert!(session.finished() && user.is_over);
    assert_eq!((session.in_flight(), session.queue_bytes()), ((0, 0), 0));
    for (id, (frame_type, has_ended)) in user.asked {
        assert!(
            has_ended || frame_type == Type::StreamOpen,
            "{id} never ended"
        );
    }
    check_sent(&user.sent);
}

/// Checks what a batch says of its values.
fn check_records(records: Records<'_>) {
    let mut values = records.iter();
    assert_eq!((values.len(), records.is_empty()), (records.len(), false));
    let bytes: usize = values.by_ref().map(<[u8]>::len).sum();
    assert_eq!(bytes, records.bytes());
    assert!(values.left().data().is_empty(), "they fill the payload");
}

/// Checks that all that was sent are frames.
fn check_sent(mut sent: &[u8]) {
    let mut reader = FrameReader::new(DecodeOptions::new(Checksum::On));
    while reader.read(&mut sent).expect("frames are sent").is_some() {}
    reader.finish().expect("whole frames are sent");
}

impl User {
    /// Gives bytes to the session, and checks what it tells.
    fn hear(&mut self, session: &mut Session, bytes: &[u8], now: u64) {
        let mut rest = bytes;
        while let Some(told) = session.receive(&mut rest, now) {
            assert!(!self.is_over, "{told:?} was told behind the end");
            self.take(&told);
        }
    }

    fn take(&mut self, told: &Incoming<'_>) {
        match told {
            Incoming::Call(call) => self.asked_for(call.id),
            Incoming::Open(open) => self.asked_for(open.id),
            Incoming::Event(event) if event.requires_ack => self.asked_for(event.id),
            Incoming::Chunks(chunks) => check_records(chunks.records),
            Incoming::Events(events) => check_records(events.records),
            Incoming::Register(register) => self.asked_for(register.id),
            Incoming::Heartbeat(heartbeat) => self.asked_for(heartbeat.id),
            Incoming::Discover(discover) => self.asked_for(discover.id),
            Incoming::Response(response) => self.answered(response.id),
            Incoming::Ended(ended) => self.answered(ended.id),
            Incoming::Acked(acked) if acked.chunk == 0 => self.answered(acked.id),
            Incoming::Cancelled(cancelled) => {
                let was = self.told.insert(cancelled.id, true);
                assert_eq!(was, Some(false), "{told:?}");
            }
            Incoming::End(_) => self.is_over = true,
            _ => {}
        }
    }

    fn asked_for(&mut self, id: u64) {
        assert!(self.told.insert(id, false).is_none(), "{id} was told twice");
    }

    fn answered(&mut self, id: u64) {
        let (_, has_ended) = self.asked.get_mut(&id).expect("it was asked");
        assert!(!core::mem::replace(has_ended, true), "{id} ended twice");
    }

    /// Takes what waits, up to so many bytes.
    fn send(&mut self, session: &mut Session, most: usize, now: u64) {
        while let Some(frames) = session.poll_frames(most, now) {
            self.sent.extend(frames.to_vec());
            if most == 0 {
                break;
            }
        }
    }
}

fn step(
    session: &mut Session,
    user: &mut User,
    input: &mut Input<'_>,
    now: &mut u64,
    limits: Limits,
) {
    match input.byte() % 8 {
        0 => {
            *now = now.saturating_add(input.time());
            session.tick(*now);
        }
        1 => user.send(session, usize::from(input.byte()) * 8, *now),
        2 => {
            let n = usize::from(input.byte());
            user.hear(session, input.take(n), *now);
        }
        3..=5 => {
            let frame = frame(input);
            let (first, second) = frame.split_at(usize::from(input.byte()).min(frame.len()));
            user.hear(session, first, *now);
            user.hear(session, second, *now);
        }
        6 => ask(session, user, input, *now, limits),
        _ => act(session, input, *now),
    }
}

/// Makes a request.
fn ask(session: &mut Session, user: &mut User, input: &mut Input<'_>, now: u64, limits: Limits) {
    let pairs: [(&str, &[u8]); 1] = [("k", b"v")];
    let request = Request::new(0, u16::from(input.byte())).with_deadline(input.time());
    let request = match input.byte() & 1 {
        0 => request,
        _ => request.with_metadata(&pairs),
    };
    let value = vec![1; usize::from(input.byte()) * 20];
    let grant = grant(input);
    let was = (session.in_flight(), session.queue_bytes());
    let how = input.byte();
    let (frame_type, made) = match how % 7 {
        0 => (Type::Call, session.call(&request, value, now)),
        1 => {
            let is_final = how & 8 > 0;
            let made = session.open(&request, grant, is_final, value, now);
            (Type::StreamOpen, made)
        }
        2 => {
            let on_full = [
                FullPolicy::Refuse,
                FullPolicy::DropNewest,
                FullPolicy::DropOldest,
            ];
            let on_full = on_full[usize::from(how / 7 % 3)];
            // It is nobody's exchange.
            let _ = session.event(&request, false, on_full, value, now);
            if how & 64 > 0 {
                let _ = session.event(&request, false, on_full, b"one more", now);
            }
            return;
        }
        3 => {
            let made = session.event(&request, true, FullPolicy::DropOldest, value, now);
            (Type::Event, made.map(|id| id.expect("it can't be dropped")))
        }
        4 => (Type::AgentRegister, session.register("a", &["b"], 1, now)),
        5 => (Type::AgentHeartbeat, session.heartbeat("a", now)),
        _ => (Type::AgentDiscover, session.discover("", now)),
    };
    match made {
        Ok(id) => {
            assert!(was.0 .1 < limits.in_flight && was.1 < limits.queue_bytes);
            assert!(user.asked.insert(id, (frame_type, false)).is_none());
        }
        Err(refusal) => {
            let is = (session.in_flight(), session.queue_bytes());
            assert_eq!(is, was, "{refusal} changes nothing");
        }
    }
}

/// Does something with an exchange, or all of them.
fn act(session: &mut Session, input: &mut Input<'_>, now: u64) {
    let id = u64::from(input.byte());
    let how = input.byte();
    let value = vec![2; usize::from(how) * 10];
    let done = match how % 10 {
        0 => session.respond(id, &[], value, now),
        1 => {
            let failure = Failure {
                status: Status(u16::from(how)),
                name: "name",
                text: "text",
                details: &[],
                acted: how & 1 == 0,
            };
            session.fail(id, &failure, now)
        }
        2 => session.release(id, now),
        3 => session.cancel(id, now),
        4 | 5 => {
            let (is_final, requires_ack) = (how & 16 > 0, how & 32 > 0);
            if how & 64 > 0 {
                let _ = session.chunk(id, false, false, b"one more", now);
            }
            let made = session.chunk(id, is_final, requires_ack, value, now);
            made.map(|_| ())
        }
        6 => session.finish(id, now),
        7 => session.grant(id, grant(input), now),
        8 => session.ack(id, u64::from(input.byte()), now),
        _ if how > 200 => session.drain("", now),
        _ => {
            session.rest();
            Ok(())
        }
    };
    if let Err(refusal) = done {
        assert_ne!(refusal, Kind::Lost);
    }
}

fn grant(input: &mut Input<'_>) -> Grant {
    Grant {
        messages: u32::from(input.byte()),
        bytes: u64::from(input.byte()) * 50,
    }
}

/// A frame whose checksum is right, and which may be fine in all else.
fn frame(input: &mut Input<'_>) -> Vec<u8> {
    let frame_type = Type::ALL[usize::from(input.byte()) % Type::ALL.len()];
    let how = input.byte();
    let header = Header {
        frame_type,
        flags: Flags::from_bits(how & 0x0c).unwrap_or_default(),
        message_id: u64::from(input.byte()),
        trace_id: 0,
    };
    let payload = match how & 3 {
        0 => input.take(usize::from(how)).to_vec(),
        _ => payload(frame_type, input),
    };
    let frame = Frame {
        header,
        payload: &payload,
    };
    frame.encode_to_vec(Checksum::On).expect("it is short")
}

/// The payload of frames of a type.
fn payload(frame_type: Type, input: &mut Input<'_>) -> Vec<u8> {
    let n = input.byte();
    let number = u64::from(n).to_le_bytes();
    let head = [&[0, 0, 1, 0][..], &number, &[0, 0]].concat();
    let framed = |bytes: &[u8]| {
        let n = u32::try_from(bytes.len()).expect("it is short");
        [&n.to_le_bytes()[..], bytes].concat()
    };
    let grant = [&[n, 0, 0, 0][..], &number].concat();
    match frame_type {
        Type::Call | Type::Event => [framed(&head), number.to_vec()].concat(),
        Type::StreamOpen => [framed(&head), framed(&grant), number.to_vec()].concat(),
        Type::Response => [framed(&[0]), number.to_vec()].concat(),
        Type::Error => [&[n, 0, n & 1, 1, b'e'][..], &framed(b""), &framed(b"")].concat(),
        Type::StreamChunk => vec![3; usize::from(n)],
        Type::StreamChunks => records(n, input),
        Type::Events => [framed(&head), records(n, input)].concat(),
        Type::Credit => grant,
        Type::Ack => number.to_vec(),
        Type::Drain => framed(b""),
        Type::AgentRegister => [&[1, b'a', 0][..], &number].concat(),
        Type::AgentHeartbeat | Type::AgentDiscover => vec![1, b'a'],
        Type::Hello => [&[1, 0, n, n, 0, 0][..], &[0; 4], &[0; 8]].concat(),
        _ => Vec::new(),
    }
}

/// As many records as the low bits of a byte say, and their bytes, which may be cut.
fn records(n: u8, input: &mut Input<'_>) -> Vec<u8> {
    let lengths = (0..n % 8).map(|_| input.byte() % 32);
    let whole = lengths.map(|length| [&[length, 0][..], &vec![4; usize::from(length)]].concat());
    let mut records = whole.collect::<Vec<_>>().concat();
    records.truncate(records.len() - usize::from(n >> 6).min(records.len()));
    records
}
