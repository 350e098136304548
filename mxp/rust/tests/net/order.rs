//! Requests begin in their order, behind the events before them. [MXP-7.10]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mxp::net::{Client, Options, Reply, Server, Service, Stream, WhenFull};

use crate::demo::{plain, until};

const SERVICE: &str = "demo.Order";
const TELL: u16 = 1;
const ASK: u16 = 2;
const OPEN: u16 = 3;

/// A log of events, in their order.
type Seen = Arc<Mutex<Vec<String>>>;

/// A service whose events take as many milliseconds as they have bytes.
fn service(seen: &Seen) -> Service {
    let [told, asked, opened] = [(); 3].map(|()| Arc::clone(seen));
    Service::new(SERVICE)
        .event_async(TELL, move |event| {
            let seen = Arc::clone(&told);
            async move {
                let n = event.value.len();
                tokio::time::sleep(Duration::from_millis(n as u64)).await;
                seen.lock().unwrap().push(format!("event {n}"));
                Ok(())
            }
        })
        .call(ASK, move |_| {
            asked.lock().unwrap().push("call".to_owned());
            async { Ok(Reply::default()) }
        })
        .stream(OPEN, move |_, _: Stream| {
            opened.lock().unwrap().push("stream".to_owned());
            async { Ok(()) }
        })
}

async fn pair() -> (mxp::net::ServerHandle, Client, Seen) {
    let seen = Seen::default();
    let server = Server::new().service(service(&seen)).listen(&plain()).await;
    let server = server.unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    (server, client, seen)
}

#[tokio::test]
async fn what_comes_behind_an_event_begins_when_that_is_handled() {
    let (_server, client, seen) = pair().await;
    let options = Options::new();
    let tell = |n| client.event(SERVICE, TELL, vec![0; n], WhenFull::Wait, &options);
    tell(30).await.unwrap();
    tell(5).await.unwrap();
    let mut stream = client.open(SERVICE, OPEN, vec![], &options).await.unwrap();
    client.call(SERVICE, ASK, vec![], &options).await.unwrap();
    assert_eq!(stream.receive().await.unwrap(), None);
    tell(10).await.unwrap();
    client.call(SERVICE, ASK, vec![], &options).await.unwrap();
    let want = ["event 30", "event 5", "stream", "call", "event 10", "call"];
    assert_eq!(*seen.lock().unwrap(), want);
}

#[tokio::test]
async fn what_is_taken_back_before_its_turn_is_not_begun() {
    let (server, client, seen) = pair().await;
    let options = Options::new();
    let told = client.event(SERVICE, TELL, vec![0; 200], WhenFull::Wait, &options);
    told.await.unwrap();
    // One is late, and one is cancelled.
    let late = Options::new().with_deadline(Duration::from_millis(20));
    let missed = client.call(SERVICE, ASK, vec![], &late).await.unwrap_err();
    assert_eq!(missed.name, "deadline_exceeded");
    let dropped = client.call(SERVICE, ASK, vec![], &options);
    let left = tokio::time::timeout(Duration::from_millis(20), dropped);
    left.await.unwrap_err();
    drop(client.open(SERVICE, OPEN, vec![], &options).await.unwrap());
    client
        .event_acked(SERVICE, TELL, vec![0; 1], &options)
        .await
        .unwrap();
    assert_eq!(*seen.lock().unwrap(), ["event 200", "event 1"]);
    until("all places are free", || server.stats().in_flight().1 == 0).await;
}
