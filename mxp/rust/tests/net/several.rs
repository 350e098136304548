//! Clients of several addresses, or with several connections to one. [MXP-14.9]

use std::sync::Arc;
use std::time::{Duration, Instant};

use mxp::net::typed::{Caller, Codec, Method};
use mxp::net::{
    Buffer, Client, ClientOptions, Failure, Options, Reply, Server, ServerHandle, Service,
};
use mxp::session::Status;
use tokio::sync::Semaphore;

use crate::demo::{plain, until};

const SERVICE: &str = "demo.Many";

/// A server that answers with its number, and calls of another method when it is told to.
async fn numbered(number: u8, address: &str, gate: &Arc<Semaphore>) -> ServerHandle {
    let gate = Arc::clone(gate);
    let service = Service::new(SERVICE)
        .call(1, move |_| async move { Ok(Reply::new(vec![number])) })
        .call(2, move |_| {
            let gate = Arc::clone(&gate);
            async move {
                gate.acquire().await.unwrap().forget();
                Ok(Reply::new(vec![number]))
            }
        });
    let server = Server::new().service(service);
    server.listen(address).await.unwrap()
}

async fn call(client: &Client, method: u16) -> Result<u8, Failure> {
    let options = Options::new().with_deadline(Duration::from_secs(60));
    let reply = client.call(SERVICE, method, vec![], &options).await?;
    Ok(reply.value[0])
}

/// How many connections a server has, when all have come.
async fn connected(servers: &[&ServerHandle], each: usize) {
    let all = || servers.iter().all(|server| server.connections() == each);
    until("all connections", all).await;
}

#[tokio::test]
async fn requests_go_where_there_are_fewer_in_flight() {
    let gate = Arc::new(Semaphore::new(0));
    let addresses = [plain(), plain(), plain()];
    let [a, b, c] = &addresses;
    let servers = [
        &numbered(0, a, &gate).await,
        &numbered(1, b, &gate).await,
        &numbered(2, c, &gate).await,
    ];
    let client = Client::connect_any(addresses.iter().map(|address| &address[..])).unwrap();
    connected(&servers, 1).await;
    let mut all_ready = [false; 3];
    while all_ready != [true; 3] {
        all_ready[usize::from(call(&client, 1).await.unwrap())] = true;
    }
    // The one with most is the less of no two.
    let hanging: Vec<_> = (0..300)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { call(&client, 2).await.unwrap() })
        })
        .collect();
    let in_flight = |server: &&ServerHandle| server.stats().in_flight().1;
    let all = || servers.iter().map(in_flight).sum::<usize>() == 300;
    until("all in flight", all).await;
    let loads: Vec<_> = servers.iter().map(in_flight).collect();
    assert!(
        loads.iter().all(|load| (80..=120).contains(load)),
        "{loads:?}"
    );
    gate.add_permits(300);
    for one in hanging {
        one.await.unwrap();
    }
}

#[tokio::test]
async fn what_drains_or_is_lost_is_left_out() {
    let gate = Arc::new(Semaphore::new(0));
    let addresses = [plain(), plain()];
    let [a, b] = &addresses;
    let (first, second) = (numbered(0, a, &gate).await, numbered(1, b, &gate).await);
    let client = Client::connect_any([&a[..], b]).unwrap();
    connected(&[&first, &second], 1).await;
    let hanging = {
        let client = client.clone();
        // One is in flight on each, which does not drain soon.
        let both = move || async move { tokio::join!(call(&client, 2), call(&client, 2)) };
        tokio::spawn(both())
    };
    let in_flight = |server: &ServerHandle| server.stats().in_flight().1;
    until("both", || in_flight(&first) + in_flight(&second) == 2).await;
    let draining = tokio::spawn(async move { first.drain("done").await });
    for _ in 0..50 {
        // A request that meets the drain is made on the other.
        call(&client, 1).await.unwrap();
    }
    gate.add_permits(2);
    let (one, other) = hanging.await.unwrap();
    assert!(one.is_ok() && other.is_ok());
    draining.await.unwrap();
    for _ in 0..50 {
        assert_eq!(call(&client, 1).await.unwrap(), 1);
    }
    second.drain("done").await;
    let back = numbered(2, a, &gate).await;
    assert_eq!(call(&client, 1).await.unwrap(), 2);
    back.drain("").await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_failure_tells_each_address_with_its_cause() {
    let folder = crate::demo::folder();
    let file = folder.join("file");
    std::fs::write(&file, b"").unwrap();
    let no_socket = format!("mxp+unix://{}", file.display());
    let (nowhere, other) = (plain(), no_socket.replace("file", "other"));
    let options = || ClientOptions::new().connect_timeout(Duration::from_millis(100));
    let client = options().connect_any([&nowhere[..], &no_socket]).unwrap();
    let failure = call(&client, 1).await.unwrap_err();
    assert_eq!(failure.status, Status::UNAVAILABLE, "{failure}");
    assert_eq!((&failure.name[..], failure.acted), ("not_connected", false));
    let told = |cause: &str| failure.text.contains(cause);
    assert!(told(&format!("{nowhere}: ")), "{failure}");
    assert!(
        told(&format!("{no_socket}: this is no socket")),
        "{failure}"
    );
    assert_eq!(failure.peer(), format!("{nowhere}, {no_socket}"));

    // Where all have failed for good nothing is waited for.
    std::fs::write(folder.join("other"), b"").unwrap();
    let options = ClientOptions::new().connect_timeout(Duration::from_secs(600));
    let client = options.connect_any([&no_socket[..], &other]).unwrap();
    let begun = Instant::now();
    let failure = client.ready().await.unwrap_err();
    assert_eq!(failure.status, Status::FAILED_PRECONDITION, "{failure}");
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert!(failure.text.contains(&other), "{failure}");

    let none = Client::connect_any([]).unwrap_err();
    assert_eq!(none.kind(), std::io::ErrorKind::InvalidInput);
}

#[tokio::test]
async fn an_address_may_have_several_connections_and_stubs_work_over_them() {
    let gate = Arc::new(Semaphore::new(0));
    let address = plain();
    let server = numbered(7, &address, &gate).await;
    let options = ClientOptions::new().connections(4);
    let client = options.connect(&address).unwrap();
    connected(&[&server], 4).await;
    let bytes = Codec::new(|_: &u8| Ok(Buffer::default()), |bytes| Ok(bytes[0]));
    let method = Method::new(SERVICE, 1, "number", bytes, bytes);
    let caller = Caller::new(client.clone());
    for _ in 0..20 {
        assert_eq!(method.call(&caller, &0).await.unwrap(), 7);
    }
    let sent = client.stats().unwrap().frames_out(mxp::frame::Type::Call);
    assert_eq!(sent, 20);
    drop((client, caller));
    until("no connection", || server.connections() == 0).await;
}
