//! The client for threads.

use std::time::Duration;

use mxp::net::{blocking, Options, Server};

use crate::demo::{pair, plain, service, until, Transport, ECHO, HANG, REFUSE, SERVICE, TICK};

#[tokio::test]
async fn a_thread_asks_without_a_runtime() {
    let transports = [
        Transport::Local,
        #[cfg(feature = "shm")]
        Transport::Shm,
        Transport::Tcp,
    ];
    for transport in transports {
        let (server, _client, seen) = pair(transport).await;
        let address = server.address().to_string();
        let asking = tokio::task::spawn_blocking(move || {
            let client = blocking::Client::connect(&address).unwrap();
            let options = Options::new().with("lang", "de");
            for n in [0, 1000, 10 << 20] {
                let value = vec![7; n];
                let reply = client.call(SERVICE, ECHO, &value[..], &options).unwrap();
                assert!(reply.value == value);
                assert_eq!(reply.metadata, options.metadata);
            }
            let failure = client.call(SERVICE, REFUSE, b"no", &options).unwrap_err();
            assert_eq!(
                (&failure.name[..], &failure.text[..]),
                ("demo_refused", "no")
            );
            client.event(SERVICE, TICK, b"", &options).unwrap();
            client.event_acked(SERVICE, TICK, b"", &options).unwrap();
            let failure = client.call("demo.None", 1, b"", &options).unwrap_err();
            assert_eq!(failure.name, "service_unknown");
            let short = Options::new().with_deadline(Duration::from_millis(50));
            let failure = client.call(SERVICE, HANG, b"", &short).unwrap_err();
            assert_eq!(
                (&failure.name[..], failure.acted),
                ("deadline_exceeded", true)
            );
            // The connection is as good as before.
            let reply = client.call(SERVICE, ECHO, b"x", &short).unwrap();
            assert_eq!(reply.value, b"x"[..]);
        });
        asking.await.unwrap();
        assert_eq!(seen.ticks.load(std::sync::atomic::Ordering::SeqCst), 2);
        until("it is gone", || server.connections() <= 1).await;
    }
}

#[tokio::test]
async fn a_connection_that_was_lost_is_made_again() {
    let address = plain();
    let seen = std::sync::Arc::default();
    let serve = || Server::new().service(service(&seen)).listen(&address);
    let mut server = serve().await.unwrap();
    let at = address.clone();
    let (next, wait) = std::sync::mpsc::channel();
    let asking = tokio::task::spawn_blocking(move || {
        let client = blocking::Client::connect(&at).unwrap();
        for () in wait {
            let reply = client.call(SERVICE, ECHO, b"x", &Options::new());
            assert_eq!(reply.unwrap().value, b"x"[..]);
        }
    });
    for _ in 0..3 {
        next.send(()).unwrap();
        until("it was called", || {
            server.stats().frames_out(mxp::frame::Type::Response) == 1
        })
        .await;
        drop(server);
        tokio::time::sleep(Duration::from_millis(20)).await;
        server = serve().await.unwrap();
    }
    drop(next);
    asking.await.unwrap();
    assert!(blocking::Client::connect("mxp+tls://127.0.0.1:1").is_err());
}
