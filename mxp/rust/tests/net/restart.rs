//! Servers that end and come back: a program of its own, so that nothing else has
//! the processor.

#[allow(dead_code, reason = "other tests need more of it")]
mod demo;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mxp::net::{Client, Options, Reply, Server, Service};

use crate::demo::{local, service, Seen, ECHO, HANG, SERVICE};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_is_served_again_soon_after_a_restart() {
    let address = local();
    let seen = Arc::new(Seen::default());
    let mut server = Server::new().service(service(&seen)).listen(&address).await;
    let client = Client::connect(&address).unwrap();
    let options = Options::new().with_deadline(Duration::from_secs(10));
    let call = || client.call(SERVICE, ECHO, b"x".to_vec(), &options);
    call().await.unwrap();
    let mut times = Vec::new();
    for n in 0..50 {
        let hanging = client.clone();
        let in_flight = tokio::spawn(async move {
            let options = Options::new();
            hanging.call(SERVICE, HANG, vec![], &options).await
        });
        demo::until("it hangs", || {
            client.stats().is_some_and(|stats| stats.in_flight().0 == 1)
        })
        .await;
        // It goes without a word.
        drop(server);
        let failure = in_flight.await.unwrap().unwrap_err();
        assert_eq!(failure.name, "session_lost");
        tokio::time::sleep(Duration::from_millis(n % 10)).await;
        server = Server::new().service(service(&seen)).listen(&address).await;
        assert!(server.is_ok());
        let begun = Instant::now();
        call().await.unwrap();
        times.push(begun.elapsed());
    }
    times.sort();
    // All but one of 50.
    assert!(times[48] < Duration::from_millis(100), "{times:?}");
}

/// The number of times that the server of the next test is replaced.
fn restarts() -> usize {
    let asked = std::env::var("MXP_RESTARTS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(20)
}

/// Servers that drain and are replaced at the same path lose no call and fail none, and
/// none is acted on twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_learn_nothing_of_servers_that_are_replaced() {
    const CALLERS: usize = 16;
    let address = local();
    let acted = Arc::new(AtomicUsize::new(0));
    let serve = || {
        let acted = Arc::clone(&acted);
        let service = Service::new(SERVICE).call(ECHO, move |request| {
            let acted = Arc::clone(&acted);
            async move {
                acted.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                Ok(Reply::new(request.value))
            }
        });
        Server::new().service(service).listen(&address)
    };
    let mut server = serve().await.unwrap();
    let client = Client::connect(&address).unwrap();
    let ends = Arc::new(AtomicBool::new(false));
    let callers = (0..CALLERS).map(|_| {
        let (client, ends) = (client.clone(), Arc::clone(&ends));
        tokio::spawn(async move {
            let (mut calls, options) = (0, Options::new());
            while !ends.load(Ordering::Relaxed) {
                let reply = client.call(SERVICE, ECHO, vec![7; calls % 100], &options);
                assert_eq!(reply.await.unwrap().value, vec![7; calls % 100]);
                calls += 1;
            }
            calls
        })
    });
    let callers: Vec<_> = callers.collect();
    for _ in 0..restarts() {
        tokio::time::sleep(Duration::from_millis(10)).await;
        server.drain("restart").await;
        server = serve().await.unwrap();
    }
    ends.store(true, Ordering::Relaxed);
    let mut calls = 0;
    for caller in callers {
        calls += caller.await.unwrap();
    }
    println!("{} restarts, {calls} calls", restarts());
    assert!(calls > restarts());
    assert_eq!(acted.load(Ordering::SeqCst), calls);
}

/// A server that is dropped has left its address by then.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_is_free_once_its_server_is_dropped() {
    let seen = Arc::new(Seen::default());
    for mut address in [local(), "mxp+tcp://127.0.0.1:0".into()] {
        for n in 0..200 {
            let server = Server::new().service(service(&seen)).listen(&address).await;
            let server = server.unwrap_or_else(|error| panic!("{n}: {error}"));
            address = server.address().to_string();
        }
    }
}
