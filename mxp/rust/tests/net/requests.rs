//! Calls and events.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mxp::net::{Client, ClientOptions, Failure, Options, Server, Service, WhenFull};
use mxp::session::{Kind, Status, TraceContext};

use crate::demo::{
    command, pair, plain, until, Transport, ALL, ECHO, HANG, PANIC, REFUSE, SERVICE, TICK,
};

static DEFAULT: std::sync::LazyLock<Options> = std::sync::LazyLock::new(Options::new);

#[tokio::test]
async fn calls_are_answered_over_every_transport() {
    for &transport in ALL {
        let (_server, client, _) = pair(transport).await;
        let options = Options::new()
            .with("lang", "de")
            .with_trace(TraceContext::default());
        for n in [0, 1, 1000, 100_000, 10 << 20] {
            let value = vec![7; n];
            let reply = client.call(SERVICE, ECHO, value.clone(), &options).await;
            let reply = reply.unwrap();
            assert!(reply.value == value, "{transport:?} {n}");
            assert_eq!(reply.metadata, options.metadata);
        }
        let failure = client.call(SERVICE, REFUSE, b"no".to_vec(), &options).await;
        let failure = failure.unwrap_err();
        assert_eq!(failure.status, Status::FAILED_PRECONDITION);
        assert_eq!(
            (&failure.name[..], &failure.text[..]),
            ("demo_refused", "no")
        );
        assert_eq!((failure.details, failure.acted), (vec![1, 2], true));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_calls_are_answered_at_once() {
    let (server, client, _) = pair(Transport::Local).await;
    // Once there is a connection, requests no longer wait for one.
    client.call(SERVICE, ECHO, vec![], &DEFAULT).await.unwrap();
    let calls = (1..2000_u32).map(|n| {
        let client = client.clone();
        tokio::spawn(async move {
            let value = n.to_le_bytes().to_vec();
            let reply = client.call(SERVICE, ECHO, value.clone(), &DEFAULT).await;
            assert_eq!(reply.unwrap().value, value);
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
    let stats = client.stats().unwrap();
    assert_eq!(stats.in_flight(), (0, 0));
    assert!(server.stats().prometheus().contains("type=\"Call\"} 2000"));
}

#[tokio::test]
async fn long_values_that_are_held_stay_what_they_are() {
    for &transport in ALL {
        let (_server, client, _) = pair(transport).await;
        let mut held = Vec::new();
        for n in 0..40_u8 {
            let value = vec![n; 100_000 + 300 * usize::from(n)];
            let reply = client.call(SERVICE, ECHO, value.clone(), &DEFAULT).await;
            held.push((reply.unwrap().value, value));
            if n % 3 == 0 {
                held.swap_remove(held.len() / 2);
            }
        }
        let calls = (0..40_u8).map(|n| {
            let client = client.clone();
            tokio::spawn(async move {
                let value = vec![n; 100_000 + 300 * usize::from(n)];
                let reply = client.call(SERVICE, ECHO, value.clone(), &DEFAULT).await;
                (reply.unwrap().value, value)
            })
        });
        for call in calls.collect::<Vec<_>>() {
            held.push(call.await.unwrap());
        }
        assert!(held.iter().all(|(reply, value)| reply == value));
    }
}

#[tokio::test]
async fn calls_wait_for_room_in_the_queue() {
    let (_server, client, _) = pair(Transport::Tcp).await;
    let calls = (0..32_u8).map(|n| {
        let client = client.clone();
        tokio::spawn(async move {
            let value = vec![n; 1 << 20];
            let reply = client.call(SERVICE, ECHO, value.clone(), &DEFAULT).await;
            assert!(reply.unwrap().value == value);
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
}

#[tokio::test]
async fn what_is_not_there_is_refused() {
    let (_server, client, _) = pair(Transport::Local).await;
    let failure = client.call("demo.None", 1, vec![], &DEFAULT).await;
    let failure = failure.unwrap_err();
    assert_eq!(
        (&failure.name[..], failure.acted),
        ("service_unknown", false)
    );
    for method in [TICK, 99] {
        let failure = client.call(SERVICE, method, vec![], &DEFAULT).await;
        let failure = failure.unwrap_err();
        assert_eq!(
            (&failure.name[..], failure.acted),
            ("method_unknown", false)
        );
    }
    let failure = client.call(SERVICE, PANIC, vec![], &DEFAULT).await;
    assert_eq!(failure.unwrap_err().status, Status::INTERNAL);
    let long = vec![0; 17 << 20];
    let failure = client.call(SERVICE, ECHO, long, &DEFAULT).await;
    assert_eq!(failure.unwrap_err().name, "payload_too_large");
}

#[tokio::test]
async fn events_are_taken_in_order_and_acknowledged() {
    for &transport in ALL {
        let (_server, client, seen) = pair(transport).await;
        for _ in 0..100 {
            let told = client.event(SERVICE, TICK, vec![], WhenFull::Refuse, &DEFAULT);
            told.await.unwrap();
        }
        let told = client.event_acked(SERVICE, TICK, b"last".to_vec(), &DEFAULT);
        told.await.unwrap();
        assert_eq!(seen.ticks.load(Ordering::SeqCst), 101);
        let told = client.event_acked(SERVICE, TICK, b"bad".to_vec(), &DEFAULT);
        assert_eq!(told.await.unwrap_err().name, "demo_bad");
    }
}

#[tokio::test]
async fn a_deadline_ends_a_call_at_both_ends() {
    for &transport in ALL {
        let (server, client, seen) = pair(transport).await;
        client.ready().await.unwrap();
        let options = Options::new().with_deadline(Duration::from_millis(50));
        let begun = Instant::now();
        let failure = client.call(SERVICE, HANG, vec![], &options).await;
        let failure = failure.unwrap_err();
        assert_eq!(
            (&failure.name[..], failure.acted),
            ("deadline_exceeded", true)
        );
        assert!(begun.elapsed() >= Duration::from_millis(50));
        until("the handler is gone", || {
            seen.hanging.load(Ordering::SeqCst) == 0
        })
        .await;
        until("its place is free", || server.stats().in_flight() == (0, 0)).await;
    }
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_taken_back() {
    for &transport in ALL {
        let (server, client, seen) = pair(transport).await;
        // Handshakes of TLS can take longer than the wait.
        client.ready().await.unwrap();
        let calling = client.call(SERVICE, HANG, vec![], &DEFAULT);
        let waited = tokio::time::timeout(Duration::from_millis(100), calling).await;
        assert!(waited.is_err());
        until("the handler is gone", || {
            seen.hanging.load(Ordering::SeqCst) == 0
        })
        .await;
        until("its place is free", || server.stats().in_flight() == (0, 0)).await;
        assert_eq!(client.stats().unwrap().in_flight(), (0, 0));
    }
}

#[tokio::test]
async fn a_drain_lets_what_is_in_flight_end() {
    let gate = std::sync::Arc::new(tokio::sync::Notify::new());
    let opens = std::sync::Arc::clone(&gate);
    let slow = Service::new(SERVICE).call(1, move |request| {
        let opens = std::sync::Arc::clone(&opens);
        async move {
            opens.notified().await;
            Ok(mxp::net::Reply::new(request.value))
        }
    });
    let address = plain();
    let server = Server::new().service(slow).listen(&address).await.unwrap();
    let client = Client::connect(&address).unwrap();
    let asking = client.clone();
    let call = async move { asking.call(SERVICE, 1, b"x".to_vec(), &DEFAULT).await };
    let call = tokio::spawn(call);
    until("it is called", || server.stats().in_flight().1 == 1).await;
    let draining = tokio::spawn(async move { server.drain("restart").await });
    until("it drains", || client.stats().is_none()).await;
    assert!(!draining.is_finished() && !call.is_finished());
    // Nobody listens any more.
    let options = Options::new().with_deadline(Duration::from_millis(50));
    let failure = client.call(SERVICE, 1, vec![], &options).await.unwrap_err();
    assert_eq!((&failure.name[..], failure.acted), ("not_connected", false));
    gate.notify_one();
    assert_eq!(call.await.unwrap().unwrap().value, b"x"[..]);
    draining.await.unwrap();
}

#[tokio::test]
async fn requests_wait_for_a_server_and_not_for_ever() {
    let address = plain();
    let options = ClientOptions::new()
        .connect_timeout(Duration::from_millis(20))
        .waiting(1);
    let client = options.connect(&address).unwrap();
    let failure = client
        .call(SERVICE, ECHO, vec![], &DEFAULT)
        .await
        .unwrap_err();
    assert_eq!(failure.name, Kind::NotConnected.as_str());
    assert!(!failure.acted && !failure.text.is_empty(), "{failure}");
    let (first, second) = tokio::join!(
        client.call(SERVICE, ECHO, vec![], &DEFAULT),
        client.call(SERVICE, ECHO, vec![], &DEFAULT)
    );
    let names = [first, second].map(|failure| failure.unwrap_err().name);
    assert_eq!(names, ["not_connected", "limit_in_flight"]);
}

#[tokio::test]
async fn who_is_asked_can_ask() {
    let address = plain();
    // Either side serves; here the client does, and its server has nothing to ask.
    let server = Server::new().listen(&address).await.unwrap();
    let service = Service::new("demo.Back").call(1, |_| async {
        Err(Failure::new(Status::ABORTED, "never", "it is not asked"))
    });
    let client = ClientOptions::new()
        .service(service)
        .connect(&address)
        .unwrap();
    let failure = client
        .call(SERVICE, ECHO, vec![], &DEFAULT)
        .await
        .unwrap_err();
    assert_eq!(failure.name, "service_unknown");
    assert_eq!(server.connections(), 1);
    client.drain("bye").await;
    until("it is gone", || server.connections() == 0).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_socket_file_is_the_users_own_and_replaced_when_nobody_listens() {
    use std::os::unix::fs::PermissionsExt as _;
    let address = plain();
    let path = std::path::PathBuf::from(address.trim_start_matches("mxp+unix://"));
    // A server that was killed leaves its file.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let server = Server::new().listen(&address).await.unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let second = Server::new().listen(&address).await;
    assert_eq!(second.unwrap_err().kind(), std::io::ErrorKind::AddrInUse);
    server.drain("").await;
    drop(server);
    tokio::task::yield_now().await;
    until("the file is removed", || !path.exists()).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_no_socket_stays() {
    let address = plain();
    let path = std::path::PathBuf::from(address.trim_start_matches("mxp+unix://"));
    std::fs::write(&path, "precious").unwrap();
    let refused = Server::new().listen(&address).await.unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::AlreadyExists);
    assert!(refused.to_string().contains(path.to_str().unwrap()));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    std::fs::remove_file(&path).unwrap();

    let nowhere = Server::new().listen("mxp+unix:///nowhere/echo.sock").await;
    let refused = nowhere.unwrap_err().to_string();
    assert!(refused.contains("/nowhere/echo.sock: "), "{refused}");
}

/// The attempt of another user in [`another_user_is_refused`], which says where.
#[test]
fn another_users_attempt() {
    let Ok(address) = std::env::var("MXP_TEST_ADDRESS") else {
        return;
    };
    let failure = match mxp::net::blocking::Client::connect(&address) {
        Ok(client) => client
            .call("demo.Echo", 1, vec![], &Options::new())
            .unwrap_err(),
        Err(error) => error
            .into_inner()
            .unwrap()
            .downcast_ref::<Failure>()
            .cloned()
            .unwrap(),
    };
    assert_eq!(failure.status, Status::PERMISSION_DENIED, "{failure}");
    assert_eq!(failure.text, "the peer runs as user 65534", "{failure}");
}

#[cfg(unix)]
#[tokio::test]
async fn another_user_is_refused() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;
    let address = plain();
    let path = std::path::PathBuf::from(address.trim_start_matches("mxp+unix://"));
    let server = Server::new().listen(&address).await.unwrap();
    if std::fs::metadata(&path).unwrap().uid() != 0 {
        // Only root can be somebody else.
        return;
    }
    // The file lets everybody in, and still the server does not.
    let all = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(&path, all.clone()).unwrap();
    // A copy that everybody can run.
    let program = path.with_file_name("program");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    std::fs::set_permissions(&program, all).unwrap();
    let attempt = tokio::task::spawn_blocking(move || {
        command(&program)
            .args(["--exact", "requests::another_users_attempt"])
            .env("MXP_TEST_ADDRESS", address)
            .uid(65_534)
            .output()
            .unwrap()
    });
    let output = attempt.await.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
    assert_eq!(server.stats().frames_in(mxp::frame::Type::Hello), 0);
}
