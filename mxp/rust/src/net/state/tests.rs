use core::future::{pending, poll_fn};
use core::task::{Context, Poll};
use std::time::Duration;
use std::vec::Vec;

use super::*;
use crate::net::connection::Connection;
use crate::net::service::Services;
use crate::net::telemetry::Telemetry;
use crate::net::work::Work;
use crate::net::{Options, Peer, Service};
use crate::session::{Config, Grant, Request, Role, Session, Value};

/// The frames that wait to be sent.
fn sent(session: &mut Session) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(out) = session.poll_frame(0) {
        bytes.extend(out.to_vec());
    }
    bytes
}

/// A connection whose peer serves `t.T`.
fn greeted() -> Arc<Connection> {
    let connection =
        Connection::new(Config::new(), Role::Opener, Arc::default(), Peer::default()).unwrap();
    let config = Config::new().with_service("t.T");
    let mut peer = Session::new(config, Role::Acceptor, 0).unwrap();
    let hello = sent(&mut peer);
    let mut state = connection.lock();
    sent(&mut state.session);
    assert!(state.session.receive(&mut &hello[..], 0).is_some());
    state.desk.peer_services = ["t.T"].into_iter().collect();
    drop(state);
    Arc::new(connection)
}

fn call(connection: &Arc<Connection>, time_left: Option<Duration>) {
    let what = What {
        service: "t.T",
        method: 1,
        options: &Options::new(),
        kind: Asking::Call,
    };
    let made = connection.ask(&what, &Value::default(), time_left, None);
    assert!(made.is_ok());
    // It is not taken back.
    core::mem::forget(made);
}

#[test]
fn a_call_behind_what_is_held_has_its_own_time() {
    let connection = greeted();
    let ask = || {
        std::thread::sleep(Duration::from_millis(2));
        call(&connection, None);
        connection.lock().time
    };
    let first = ask();
    assert!(first > 0);
    assert_eq!(ask(), first);
    connection.lock().is_held = true;
    assert!(ask() > first);
}

/// Else a call whose turn has come would end when its peer is found silent.
#[tokio::test]
async fn a_deadline_behind_what_is_held_is_minded() {
    let connection = greeted();
    call(&connection, None);
    connection.wake.notified().await;
    connection.lock().is_held = true;
    call(&connection, Some(Duration::from_millis(50)));
    let woken = tokio::time::timeout(Duration::from_secs(5), connection.wake.notified());
    assert!(woken.await.is_ok());
}

#[tokio::test]
async fn what_is_opened_and_taken_back_at_once_leaves_nothing() {
    let service = Service::new("t.T")
        .stream(1, |_, _| pending())
        .call(2, |_| pending());
    let handlers = Services([service].into()).served(None, &Telemetry::default());
    let methods = Arc::clone(&handlers.methods);
    let connection =
        Connection::new(Config::new(), Role::Acceptor, methods, Peer::default()).unwrap();
    let connection = Arc::new(connection);
    let mut work = Work::new(handlers);
    let mut feed = |bytes: &[u8], cx: &mut Context<'_>| {
        work.feed(&connection, &mut Input::of(bytes), 0, cx);
        let mut state = connection.lock();
        assert!(work.say(&connection.methods, &mut state).is_empty());
        sent(&mut state.session)
    };
    let mut peer = Session::new(Config::new(), Role::Opener, 0).unwrap();
    let hello = sent(&mut peer);
    let hello = poll_fn(|cx| Poll::Ready(feed(&hello, cx))).await;
    assert!(peer.receive(&mut &hello[..], 0).is_some());
    let grant = Grant::default();
    let mut asked = Vec::new();
    for _ in 0..10 {
        let request = Request::new(0, 1);
        let stream = peer.open(&request, grant, false, &[], 0).unwrap();
        let call = peer.call(&Request::new(0, 2), &[], 0).unwrap();
        asked.extend(sent(&mut peer));
        peer.cancel(stream, 0).unwrap();
        peer.cancel(call, 0).unwrap();
        asked.extend(sent(&mut peer));
    }
    poll_fn(|cx| Poll::Ready(feed(&asked, cx))).await;
    let state = connection.lock();
    assert!(state.desk.streams.is_empty() && state.desk.handlers.is_empty());
    assert_eq!(state.session.in_flight(), (0, 0));
}
