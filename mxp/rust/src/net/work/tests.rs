use core::future::{pending, poll_fn};
use core::task::Poll;

use super::*;
use crate::net::service::Services;
use crate::net::{Peer, Service};
use crate::session::{Config, Grant, Request, Role, Session};

/// The frames that wait to be sent.
fn sent(session: &mut Session) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(out) = session.poll_frame(0) {
        bytes.extend(out.to_vec());
    }
    bytes
}

#[tokio::test]
async fn what_is_opened_and_taken_back_at_once_leaves_nothing() {
    let service = Service::new("t.T")
        .stream(1, |_, _| pending())
        .call(2, |_| pending());
    let handlers = Services([service].into()).served(None);
    let methods = Arc::clone(&handlers.methods);
    let connection =
        Connection::new(Config::new(), Role::Acceptor, methods, Peer::default()).unwrap();
    let connection = Arc::new(connection);
    let mut work = Work::new(handlers);
    let mut feed = |bytes: &[u8], cx: &mut Context<'_>| {
        work.feed(&connection, &mut Input::of(bytes), 0, cx);
        let mut state = connection.lock();
        assert!(work.say(&connection.methods, &mut state, 0).is_empty());
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
