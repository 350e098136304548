use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mxp::net::blocking::{Client, Server, ServerHandle, Service};
use mxp::net::{Failure, HealthReporter, Options, Peer, Reply, Window};
use mxp::session::Status;

use super::{patient, until};
use crate::demo::plain;

const SERVICE: &str = "t.T";
const ECHO: u16 = 1;
const UPPER: u16 = 2;
const TICK: u16 = 3;
const WAIT: u16 = 4;
const PANIC: u16 = 5;
const FLOOD: u16 = 6;

/// The traces of the handlers.
#[derive(Default)]
struct Seen {
    ticks: Mutex<Vec<u8>>,
    /// Calls that have begun to wait.
    waiting: AtomicUsize,
    sent: AtomicUsize,
    /// The ends of streams.
    ends: Mutex<Vec<Result<(), Failure>>>,
}

/// A service, and what lets its calls go on that wait.
fn service(seen: &Arc<Seen>) -> (Service, Sender<()>) {
    let (go, gate) = channel();
    let gate: Mutex<Receiver<()>> = Mutex::new(gate);
    let (ticking, waiting, flooding, ending) = (
        Arc::clone(seen),
        Arc::clone(seen),
        Arc::clone(seen),
        Arc::clone(seen),
    );
    let service = Service::new(SERVICE)
        .call(ECHO, |request| {
            let mut reply = Reply::new(request.value);
            reply.metadata = request.metadata;
            Ok(reply)
        })
        .stream(UPPER, move |_, mut stream| {
            let mut serve = || {
                while let Some(mut chunk) = stream.receive()? {
                    chunk.make_ascii_uppercase();
                    stream.send(chunk)?;
                }
                Ok(())
            };
            let end = serve();
            ending.ends.lock().unwrap().push(end.clone());
            end
        })
        .event(TICK, move |request| {
            ticking.ticks.lock().unwrap().push(request.value[0]);
            match request.value[0] {
                0 => Err(Failure::new(Status::INVALID_ARGUMENT, "zero", "")),
                _ => Ok(()),
            }
        })
        .call(WAIT, move |_| {
            waiting.waiting.fetch_add(1, Ordering::SeqCst);
            let _ = gate.lock().unwrap().recv();
            Ok(Reply::default())
        })
        .call(PANIC, |_| panic!("a handler is broken"))
        .stream(FLOOD, move |_, stream| {
            for _ in 0..100 {
                stream.send(&[7; 10])?;
                flooding.sent.fetch_add(1, Ordering::SeqCst);
            }
            Ok(())
        });
    (service, go)
}

fn serve(server: Server) -> (ServerHandle, Client, Arc<Seen>, Sender<()>) {
    let seen = Arc::new(Seen::default());
    let (service, go) = service(&seen);
    let server = server.service(service).listen(&plain()).unwrap();
    let window = Window {
        messages: 8,
        bytes: 1 << 20,
    };
    let options = patient().stream_window(window);
    let client = options.connect(&server.address().to_string()).unwrap();
    (server, client, seen, go)
}

#[test]
fn threads_answer_calls_streams_and_events() {
    let (server, client, seen, _go) = serve(Server::new());
    let options = Options::new().with("lang", "de");
    for n in [0, 1000, 5 << 20] {
        let reply = client.call(SERVICE, ECHO, vec![7; n], &options).unwrap();
        assert!(reply.value == vec![7; n]);
        assert_eq!(reply.metadata, options.metadata);
    }
    let mut stream = client.open(SERVICE, UPPER, b"", &options).unwrap();
    for _ in 0..200 {
        stream.send(b"a").unwrap();
        assert_eq!(stream.receive().unwrap().unwrap(), b"A");
    }
    stream.finish().unwrap();
    assert_eq!(stream.receiver.by_ref().count(), 0);
    drop(stream);
    for n in 1..=50 {
        client.event(SERVICE, TICK, &[n], &options).unwrap();
    }
    let failure = client.event_acked(SERVICE, TICK, &[0], &options);
    assert_eq!(failure.unwrap_err().name, "zero");
    // Events are taken in the order in which they were told.
    let ticks: Vec<u8> = (1..=50).chain([0]).collect();
    assert_eq!(*seen.ticks.lock().unwrap(), ticks);
    let failure = client.call(SERVICE, 77, b"", &options).unwrap_err();
    assert_eq!(failure.name, "method_unknown");
    assert_eq!(server.stats().methods().len(), 3);
    drop(client);
    assert!(server.shutdown(Duration::from_secs(60)));
}

#[test]
fn a_handler_that_panics_answers_internal() {
    let (_server, client, _seen, _go) = serve(Server::new().threads(1));
    for _ in 0..3 {
        let failure = client.call(SERVICE, PANIC, b"", &Options::new());
        let failure = failure.unwrap_err();
        assert_eq!(
            (failure.status, &failure.name[..], failure.acted),
            (Status::INTERNAL, "internal", true)
        );
    }
    let reply = client.call(SERVICE, ECHO, b"x", &Options::new()).unwrap();
    assert_eq!(reply.value, b"x"[..]);
}

#[test]
fn requests_beyond_the_threads_wait_in_line_until_their_deadline() {
    let (server, client, seen, go) = serve(Server::new().threads(2));
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..5)
            .map(|_| scope.spawn(|| client.call(SERVICE, WAIT, b"", &Options::new())))
            .collect();
        until("all are asked for", || server.stats().in_flight().1 == 5);
        until("two run", || seen.waiting.load(Ordering::SeqCst) == 2);
        let soon = Options::new().with_deadline(Duration::from_millis(30));
        for method in [WAIT, ECHO] {
            let late = client.call(SERVICE, method, b"", &soon).unwrap_err();
            assert_eq!(late.name, "deadline_exceeded");
        }
        until("the late ones are gone", || {
            server.stats().in_flight().1 == 5
        });
        assert_eq!(seen.waiting.load(Ordering::SeqCst), 2);
        for _ in 0..5 {
            go.send(()).unwrap();
        }
        for call in calls {
            call.join().unwrap().unwrap();
        }
    });
    // Requests that nobody waited for any more were not begun.
    assert_eq!(seen.waiting.load(Ordering::SeqCst), 5);
}

#[test]
fn a_handler_waits_for_a_receiver_who_takes_nothing() {
    let (_server, client, seen, _go) = serve(Server::new());
    let mut stream = client.open(SERVICE, FLOOD, b"", &Options::new()).unwrap();
    until("the window is full", || {
        seen.sent.load(Ordering::SeqCst) == 8
    });
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(seen.sent.load(Ordering::SeqCst), 8);
    assert_eq!(stream.receive().unwrap().unwrap(), [7; 10]);
    assert_eq!(stream.receiver.count(), 99);
}

#[test]
fn a_handler_learns_that_its_stream_is_cancelled_late_or_lost() {
    let (server, client, seen, _go) = serve(Server::new());
    let ended = |n| {
        until("it has ended", || seen.ends.lock().unwrap().len() == n);
        let ends = seen.ends.lock().unwrap();
        ends.last().unwrap().as_ref().unwrap_err().name.clone()
    };
    let open = |options: &Options| {
        let mut stream = client.open(SERVICE, UPPER, b"", options).unwrap();
        stream.send(b"a").unwrap();
        assert_eq!(stream.receive().unwrap().unwrap(), b"A");
        stream
    };
    drop(open(&Options::new()));
    assert_eq!(ended(1), "cancelled");
    let soon = Options::new().with_deadline(Duration::from_secs(2));
    let stream = open(&soon);
    assert_eq!(ended(2), "deadline_exceeded");
    drop(stream);
    let mut stream = open(&Options::new());
    drop(server);
    ended(3);
    assert!(stream.receive().unwrap_err().acted);
}

#[test]
fn shutdown_waits_for_what_is_in_flight_until_its_limit() {
    let (server, client, seen, go) = serve(Server::new());
    let call = |client: &Client| {
        let client = client.clone();
        std::thread::spawn(move || client.call(SERVICE, WAIT, b"", &Options::new()))
    };
    let calling = call(&client);
    until("it runs", || seen.waiting.load(Ordering::SeqCst) == 1);
    drop(client);
    let address = server.address().to_string();
    let stopping = std::thread::spawn(move || server.shutdown(Duration::from_secs(60)));
    until("nobody is let in", || {
        let quick = mxp::net::blocking::ClientOptions::new();
        let quick = quick.connect_timeout(Duration::from_millis(20));
        quick.connect(&address).is_err()
    });
    go.send(()).unwrap();
    calling.join().unwrap().unwrap();
    assert!(stopping.join().unwrap());

    let (server, client, seen, _go) = serve(Server::new());
    let calling = call(&client);
    until("it runs", || seen.waiting.load(Ordering::SeqCst) == 1);
    let begun = Instant::now();
    assert!(!server.shutdown(Duration::from_millis(20)));
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert!(calling.join().unwrap().unwrap_err().acted);
}

#[cfg(unix)]
#[test]
fn a_server_takes_the_options_of_others() {
    let reporter = HealthReporter::new();
    let server = Server::new().health(&reporter).reflection().connections(2);
    let (server, _client, _seen, _go) = serve(server);
    let address = server.address().to_string();
    let health = mxp::net::health::HealthBlockingClient::connect(&address).unwrap();
    let query = mxp::net::health::Request::default();
    assert!(health.check(&query).is_ok());
    let busy = patient().connect_timeout(Duration::from_millis(50));
    assert!(busy.connect(&address).is_err(), "two are connected");

    let refuse = |_: &Peer| Err(Failure::new(Status::PERMISSION_DENIED, "not_admitted", ""));
    let server = Server::new().admit(refuse).listen(&plain()).unwrap();
    let client = patient().connect(&server.address().to_string());
    let failure = match client {
        Ok(client) => client.call(SERVICE, ECHO, b"", &Options::new()).err(),
        Err(error) => error.get_ref().unwrap().downcast_ref::<Failure>().cloned(),
    };
    assert_eq!(failure.unwrap().name, "not_admitted");
    assert!(Server::new().listen("mxp+udp://x:1").is_err());
    let nowhere = Server::new().listen("mxp+unix:///nowhere/echo.sock");
    assert!(nowhere.unwrap_err().to_string().contains("/nowhere/"));
}

/// A server that is made by mistake where a runtime runs waits, but does not panic.
#[tokio::test]
async fn a_server_works_inside_of_a_runtime() {
    let (server, client, _seen, _go) = serve(Server::new());
    let reply = client.call(SERVICE, ECHO, b"x", &Options::new()).unwrap();
    assert_eq!(reply.value, b"x"[..]);
    drop(client);
    assert!(server.shutdown(Duration::from_secs(60)));
}
