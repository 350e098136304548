//! Servers that end and come back: a program of its own, so that nothing else has
//! the processor.

#[allow(dead_code, reason = "other tests need more of it")]
mod demo;

use std::sync::Arc;
use std::time::{Duration, Instant};

use mxp::net::{Client, Options, Server};

use crate::demo::{service, unix, Seen, ECHO, HANG, SERVICE};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_is_served_again_soon_after_a_restart() {
    let address = unix();
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
