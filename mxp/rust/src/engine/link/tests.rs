use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::Cell;
use core::convert::Infallible;
use core::time::Duration;

use super::*;
use crate::engine::driver::Arrival;
use crate::engine::method::MethodId;
use crate::engine::{Failure, MethodKind};
use crate::session::{Config, Grant, Kind, Request, Role, Value};

/// A clock that a test sets.
#[derive(Clone, Default)]
struct Hand(Rc<Cell<u64>>);

impl Driver for Hand {
    type Task = Infallible;
    type Request = Arrival;

    fn now(&self) -> u64 {
        self.0.get()
    }

    fn request(&self, arrival: Arrival) -> Arrival {
        arrival
    }

    fn bytes(request: &Arrival) -> usize {
        request.value.len()
    }
}

/// A service with a stream and a call.
struct Service;

impl Interface for Service {
    fn kind(&self, _: u16, method: u16) -> Option<MethodKind> {
        match method {
            1 => Some(MethodKind::Stream),
            2 => Some(MethodKind::Call),
            _ => None,
        }
    }

    fn failed(&self, _: MethodId, _: &Failure) {}

    fn unsent(&self, _: MethodId, _: &Failure) {}
}

/// The frames that wait to be sent.
fn sent(session: &mut Session) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(out) = session.poll_frame(0) {
        bytes.extend(out.to_vec());
    }
    bytes
}

fn receive(link: &mut Link<Hand>, bytes: &[u8]) -> Vec<Todo<Hand>> {
    let mut todos = Vec::new();
    let keep = Bytes::copy_from_slice;
    link.receive(&mut &bytes[..], usize::MAX, &mut todos, &Service, &keep);
    todos
}

/// A link of a side, whose peer serves `t.T`, and its clock.
fn greeted(role: Role) -> (Link<Hand>, Session, Hand) {
    let other = match role {
        Role::Opener => Role::Acceptor,
        Role::Acceptor => Role::Opener,
    };
    let config = || Config::new().with_service("t.T");
    let mut peer = Session::new(config(), other, 0).unwrap();
    let clock = Hand::default();
    let session = Session::new(config(), role, 0).unwrap();
    let mut link = Link::new(session, clock.clone());
    let hello = sent(&mut link.session);
    assert!(peer.receive(&mut &hello[..], 0).is_some());
    assert!(receive(&mut link, &sent(&mut peer)).is_empty());
    (link, peer, clock)
}

const CALL: RequestSpec<'_> = RequestSpec {
    service: "t.T",
    method: 1,
    trace: None,
    metadata: &[],
    kind: RequestKind::Call,
};

#[test]
fn a_call_behind_what_is_held_has_its_own_time() {
    let (mut link, _peer, clock) = greeted(Role::Opener);
    let ask = |link: &mut Link<Hand>| {
        clock.0.set(clock.0.get() + 2_000);
        let queued = link.ask(&CALL, &Value::default(), None, None, None);
        queued.unwrap().time
    };
    assert_eq!(ask(&mut link), 2_000);
    assert_eq!(ask(&mut link), 2_000);
    link.is_held = true;
    assert_eq!(ask(&mut link), 6_000);
}

/// Else a call whose turn has come would end when its peer is found silent.
#[test]
fn a_deadline_behind_what_is_held_is_minded() {
    let (mut link, _peer, _) = greeted(Role::Opener);
    let wakes = |link: &mut Link<Hand>, timeout| {
        let queued = link.ask(&CALL, &Value::default(), timeout, None, None);
        queued.unwrap().wakes
    };
    let soon = Some(Duration::from_millis(50));
    assert!(wakes(&mut link, None) && !wakes(&mut link, soon));
    link.is_held = true;
    assert!(!wakes(&mut link, None) && wakes(&mut link, soon));
}

#[test]
fn what_is_opened_and_taken_back_at_once_leaves_nothing() {
    let (mut link, mut peer, _) = greeted(Role::Acceptor);
    for taken_before in [false, true] {
        let mut asked = Vec::new();
        for _ in 0..10 {
            let (open, call) = (Request::new(0, 1), Request::new(0, 2));
            let stream = peer.open(&open, Grant::default(), false, &[], 0).unwrap();
            let call = peer.call(&call, &[], 0).unwrap();
            if taken_before {
                asked.extend(sent(&mut peer));
            }
            peer.cancel(stream, 0).unwrap();
            peer.cancel(call, 0).unwrap();
            asked.extend(sent(&mut peer));
        }
        for todo in receive(&mut link, &asked) {
            match todo {
                Todo::Open(id, ..) => {
                    assert!(link.begin_stream(id).is_none());
                    link.free_place(id, || Failure::of(Kind::Cancelled));
                }
                Todo::Answer(id, ..) => assert!(!link.keep_call(id)),
                Todo::Release(id) => {
                    assert!(link.say(&Service, RequestEnd::Released(id)).is_none());
                }
                _ => panic!("something else is to be done"),
            }
        }
        let parts = &link.parts;
        assert!(parts.streams.len() == 0 && parts.places.len() == 0);
        assert_eq!(link.session.in_flight(), (0, 0));
    }
}
