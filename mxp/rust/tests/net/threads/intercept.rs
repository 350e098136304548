use std::sync::{Arc, Mutex};
use std::time::Duration;

use mxp::net::{Failure, MethodKind, Options, Reply, Service};
use mxp::session::Status;

use super::{patient, Pair};
use crate::demo::{ECHO, REFUSE, SERVICE, TICK, UPPER};

#[test]
fn the_first_is_the_outermost_and_sees_request_and_answer() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (outer, inner) = (Arc::clone(&seen), Arc::clone(&seen));
    let options = patient()
        .intercept(move |mut request, next| {
            outer.lock().unwrap().push((next.kind(), next.number()));
            request.metadata.push(("a".into(), b"1".to_vec()));
            Ok(next.run(request)?.with("c", b"3"))
        })
        .intercept(move |mut request, next| {
            assert_eq!(
                (next.service(), request.get("a")),
                (SERVICE, Some(&b"1"[..]))
            );
            request.metadata.push(("b".into(), b"2".to_vec()));
            let answer = next.run(request);
            inner.lock().unwrap().push((next.kind(), u16::MAX));
            answer
        });
    let pair = Pair::new(options);
    let options = Options::new();
    let reply = pair.client.call(SERVICE, ECHO, b"x", &options).unwrap();
    let keys: Vec<_> = reply.metadata.iter().map(|(key, _)| &key[..]).collect();
    assert_eq!(
        (&reply.value[..], &keys[..]),
        (&b"x"[..], &["a", "b", "c"][..])
    );
    pair.client.event(SERVICE, TICK, b"", &options).unwrap();
    let mut stream = pair.client.open(SERVICE, UPPER, b"", &options).unwrap();
    stream.send(b"x").unwrap();
    assert_eq!(stream.receive().unwrap().unwrap(), b"X");
    let kinds = [MethodKind::Call, MethodKind::Event, MethodKind::Stream];
    let numbers = [ECHO, TICK, UPPER];
    let both = |(kind, number)| [(kind, number), (kind, u16::MAX)];
    let all: Vec<_> = kinds.into_iter().zip(numbers).flat_map(both).collect();
    assert_eq!(*seen.lock().unwrap(), all);
}

#[test]
fn what_an_interceptor_refuses_is_not_asked() {
    let options = patient().intercept(|request, next| {
        if request.get("key").is_none() {
            return Err(Failure::new(Status::UNAUTHENTICATED, "key_missing", "").refused());
        }
        next.run(request)
    });
    let pair = Pair::new(options);
    let plain = Options::new();
    let failure = pair.client.call(SERVICE, ECHO, b"", &plain).unwrap_err();
    assert_eq!((&failure.name[..], failure.acted), ("key_missing", false));
    assert_eq!(failure.method(), format!("{SERVICE}/{ECHO}"));
    let failure = pair.client.open(SERVICE, UPPER, b"", &plain).unwrap_err();
    assert_eq!(failure.name, "key_missing");
    let key = Options::new().with("key", b"1");
    pair.client.call(SERVICE, ECHO, b"", &key).unwrap();
}

#[test]
fn an_interceptor_can_ask_again_and_answer_itself() {
    let options = patient().intercept(|request, next| match next.number() {
        REFUSE => {
            assert!(next.run(request.clone()).is_err());
            assert_eq!(next.run(request).unwrap_err().name, "demo_refused");
            Ok(Reply::new(&b"mine"[..]))
        }
        UPPER => {
            next.run(request.clone())?;
            assert_eq!(next.run(request).unwrap_err().name, "exchange_ended");
            Ok(Reply::default())
        }
        // A stream that nobody opened is none.
        _ => Ok(Reply::default()),
    });
    let pair = Pair::new(options);
    let options = Options::new();
    let reply = pair.client.call(SERVICE, REFUSE, b"", &options).unwrap();
    assert_eq!(reply.value, b"mine"[..]);
    let mut stream = pair.client.open(SERVICE, UPPER, b"", &options).unwrap();
    stream.send(b"x").unwrap();
    assert_eq!(stream.receive().unwrap().unwrap(), b"X");
    let failure = pair.client.open(SERVICE, 7, b"", &options).unwrap_err();
    assert_eq!(failure.name, "exchange_ended");
}

#[test]
fn interceptors_are_part_of_the_deadline_which_they_may_set() {
    let service = Service::new("t.T").call(1, |request| async move {
        let left = request.deadline.map_or(0, |duration| duration.as_millis());
        Ok(Reply::new(left.to_string().into_bytes()))
    });
    let slow = patient().intercept(|mut request, next| {
        match request.get("sleep") {
            Some(_) => std::thread::sleep(Duration::from_millis(30)),
            None => request.deadline = Some(Duration::from_secs(5)),
        }
        next.run(request)
    });
    let server = mxp::net::Server::new().service(service);
    let pair = Pair::of(server, slow, Arc::default());
    let soon = Options::new().with_deadline(Duration::from_millis(20));
    let late = pair.client.call("t.T", 1, b"", &soon.with("sleep", b""));
    assert_eq!(late.unwrap_err().name, "deadline_exceeded");
    let reply = pair.client.call("t.T", 1, b"", &Options::new()).unwrap();
    let left: u32 = std::str::from_utf8(&reply.value).unwrap().parse().unwrap();
    assert!((1..=5000).contains(&left), "{left}");
}
