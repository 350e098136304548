//! Handlers that ask the client whose request they have.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mxp::net::{Client, ClientOptions, Failure, Options, Reply, Server, Service, Stream, WhenFull};

use crate::demo::{plain, until};

const FRONT: &str = "demo.Front";
const BACK: &str = "demo.Back";

/// The service of a client: it adds its name to the value of each call, stream and event.
fn back(name: &'static str, told: &Arc<Mutex<Vec<u8>>>) -> Service {
    let told = Arc::clone(told);
    let named = move |value: &[u8]| [value, name.as_bytes()].concat();
    Service::new(BACK)
        .call(1, move |request| async move {
            Ok(Reply::new(named(&request.value)))
        })
        .stream(2, move |_, mut stream: Stream| async move {
            while let Some(chunk) = stream.receive().await? {
                stream.send(named(&chunk)).await?;
            }
            Ok(())
        })
        .event(3, move |request| {
            told.lock().unwrap().extend(named(&request.value));
            Ok(())
        })
}

/// The service of a server: it asks its client.
fn front(kept: &Arc<Mutex<Option<Client>>>) -> Service {
    let kept = Arc::clone(kept);
    Service::new(FRONT).call(1, move |request| {
        let client = request.client();
        *kept.lock().unwrap() = Some(client.clone());
        async move {
            let options = Options::new();
            let reply = client.call(BACK, 1, request.value, &options).await?;
            let mut stream = client.open(BACK, 2, b"", &options).await?;
            stream.send(reply.value).await?;
            let twice = stream.receive().await?.unwrap_or_default();
            let told = client.event(BACK, 3, twice.clone(), WhenFull::Wait, &options);
            told.await?;
            Ok(Reply::new(twice))
        }
    })
}

async fn ask(client: &Client) -> Result<Vec<u8>, Failure> {
    let options = Options::new().with_deadline(Duration::from_secs(60));
    let reply = client.call(FRONT, 1, b"x", &options).await?;
    Ok(reply.value.to_vec())
}

#[tokio::test]
async fn a_handler_asks_the_client_of_its_request() {
    let kept = Arc::default();
    for address in [plain(), "mxp+tcp://127.0.0.1:0".into()] {
        let server = Server::new().service(front(&kept));
        let server = server.listen(&address).await.unwrap();
        let address = server.address().to_string();
        let told: [Arc<Mutex<Vec<u8>>>; 2] = Default::default();
        let connect = |name, values| {
            let options = ClientOptions::new().service(back(name, values));
            options.connect(&address).unwrap()
        };
        let (a, b) = (connect("a", &told[0]), connect("b", &told[1]));
        let (from_a, from_b) = tokio::join!(ask(&a), ask(&b));
        assert_eq!(
            (from_a.unwrap(), from_b.unwrap()),
            (b"xaa".into(), b"xbb".into())
        );
        until("events", || {
            let [a, b] = [0, 1].map(|i: usize| told[i].lock().unwrap().clone());
            a == b"xaaa" && b == b"xbbb"
        })
        .await;

        // It does not end the connection, which ends it.
        kept.lock().unwrap().take().unwrap();
        assert_eq!(ask(&a).await.unwrap(), b"xaa");
        let client = kept.lock().unwrap().take().unwrap();
        drop((a, b));
        until("no connection", || server.connections() == 0).await;
        let failure = client
            .call(BACK, 1, b"", &Options::new())
            .await
            .unwrap_err();
        assert_eq!(
            (&failure.name[..], failure.acted),
            ("session_closed", false)
        );
        client
            .open(BACK, 2, b"", &Options::new())
            .await
            .unwrap_err();
        client.ready().await.unwrap_err();
    }
}

#[tokio::test]
async fn a_client_that_serves_nothing_is_told_so() {
    let server = Server::new().service(front(&Arc::default()));
    let server = server.listen(&plain()).await.unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    let failure = ask(&client).await.unwrap_err();
    assert_eq!(failure.name, "service_unknown");
    assert!(failure.text.contains(BACK), "{failure}");
}
