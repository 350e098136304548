//! The choice between the two transports, and its reason.

use std::sync::Arc;
use std::time::Duration;

use mxp::net::transport::ShmOptions;
use mxp::net::{blocking, ClientOptions, Options, Server, ServerHandle, Transport};
use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver};

use crate::demo::{local, service, ECHO, SERVICE};
use crate::log::Log;
use crate::{shared, turn};

/// The transport that carries bytes where there is no memory.
const SOCKET: Transport = if cfg!(windows) {
    Transport::Other("pipe")
} else {
    Transport::Unix
};

/// A server that tells by which transport those come that it lets in.
async fn telling(server: Server, address: &str) -> (ServerHandle, UnboundedReceiver<Transport>) {
    let (told, hears) = unbounded_channel();
    let server = server.service(service(&Arc::default())).admit(move |peer| {
        assert!(peer.process.is_some());
        told.send(peer.transport).unwrap();
        Ok(())
    });
    (server.listen(address).await.unwrap(), hears)
}

/// No bytes for the rings of a side.
fn nothing() -> ShmOptions {
    ShmOptions::new().bytes(0)
}

/// A client of tasks and one of threads, each of which calls once by some options. The former
/// counts how many connections have gone over the socket.
async fn call(address: &str, options: ShmOptions, fallbacks: u64) {
    let client = ClientOptions::new().shm(options).connect(address).unwrap();
    let value = vec![7; 1 << 20];
    let late = Options::new().with_deadline(Duration::from_secs(60));
    let reply = client.call(SERVICE, ECHO, value.clone(), &late).await;
    assert!(reply.unwrap().value == value);
    let stats = client.stats().unwrap();
    assert_eq!(stats.shm_fallbacks(), fallbacks);
    let line = format!("\nmxp_shm_fallbacks_total {fallbacks}\n");
    assert!(stats.prometheus().contains(&line));
    let address = address.to_owned();
    let asking = tokio::task::spawn_blocking(move || {
        let client = blocking::ClientOptions::new().shm(options);
        let client = client.connect(&address).unwrap();
        let reply = client.call(SERVICE, ECHO, &value[..], &late).unwrap();
        assert!(reply.value == value);
    });
    asking.await.unwrap();
}

/// [MXP-18.1, 18.3].
#[tokio::test]
async fn both_clients_share_memory_with_a_server() {
    let _turn = turn().await;
    for spin in [Duration::ZERO, Duration::from_micros(100)] {
        let options = ShmOptions::new().ring_bytes(16 << 10).spin(spin);
        let server = Server::new().shm(options);
        let (server, mut hears) = telling(server, &shared(&local())).await;
        call(&server.address().to_string(), options, 0).await;
        assert_eq!(server.stats().shm_fallbacks(), 0);
        for _ in 0..2 {
            assert_eq!(hears.recv().await, Some(Transport::Shm), "{spin:?}");
        }
        server.drain("done").await;
    }
}

/// [MXP-18.5].
#[tokio::test]
async fn a_server_of_an_earlier_release_is_connected_to_anew() {
    let _turn = turn().await;
    let (log, _guard) = Log::of_this_thread();
    let address = local();
    let (server, mut hears) = telling(Server::new(), &address).await;
    call(&shared(&address), ShmOptions::new(), 1).await;
    drop(server);
    while let Ok(told) = hears.try_recv() {
        assert_eq!(told, SOCKET);
    }
    log.has(&["goes over the socket", "knows no shared memory"]);
}

/// [MXP-18.5, 18.11].
#[tokio::test]
async fn a_server_without_memory_goes_on_over_the_socket() {
    let _turn = turn().await;
    let (log, _guard) = Log::of_this_thread();
    let server = Server::new().shm(nothing());
    let (server, mut hears) = telling(server, &shared(&local())).await;
    call(&server.address().to_string(), ShmOptions::new(), 1).await;
    assert_eq!(server.stats().shm_fallbacks(), 2);
    for _ in 0..2 {
        assert_eq!(hears.recv().await, Some(SOCKET));
    }
    log.has(&["goes over the socket", "as many bytes in rings as they may"]);
    log.has(&["goes over the socket", "the server has no memory to share"]);
}

/// [MXP-18.5].
#[tokio::test]
async fn a_client_without_memory_makes_no_offer() {
    let _turn = turn().await;
    let (server, mut hears) = telling(Server::new(), &shared(&local())).await;
    call(&server.address().to_string(), nothing(), 1).await;
    // The server was offered nothing.
    assert_eq!(server.stats().shm_fallbacks(), 0);
    for _ in 0..2 {
        assert_eq!(hears.recv().await, Some(SOCKET));
    }
}

/// [MXP-18.1].
#[tokio::test]
async fn a_server_of_shared_memory_takes_sockets() {
    let _turn = turn().await;
    let address = local();
    let (_server, mut hears) = telling(Server::new(), &shared(&address)).await;
    call(&address, ShmOptions::new(), 0).await;
    for _ in 0..2 {
        assert_eq!(hears.recv().await, Some(SOCKET));
    }
}

/// [MXP-18.11]: those beyond the quota go over the socket, and memory that is given back is
/// there for others.
#[tokio::test]
async fn rings_have_no_more_bytes_than_they_may() {
    let _turn = turn().await;
    // Two rings of 256 KiB each.
    let options = ShmOptions::new().bytes(1 << 20);
    let server = Server::new().shm(options);
    let (server, mut hears) = telling(server, &shared(&local())).await;
    let address = server.address().to_string();
    let connect = || async {
        let client = ClientOptions::new().connect(&address).unwrap();
        client.ready().await.unwrap();
        client
    };
    let mut clients = Vec::new();
    for transport in [Transport::Shm, Transport::Shm, SOCKET] {
        clients.push(connect().await);
        assert_eq!(hears.recv().await, Some(transport));
    }
    drop(clients);
    crate::demo::until("all are gone", || server.connections() == 0).await;
    let _client = connect().await;
    assert_eq!(hears.recv().await, Some(Transport::Shm));
}
