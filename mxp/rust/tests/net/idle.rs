//! Connections that have nothing to do.

use std::time::Duration;

use allocation_counter::measure;
use mxp::net::{Client, Options, Server};

use crate::demo::{plain, service, until, Seen, ECHO, SERVICE};

#[test]
fn an_idle_connection_holds_less_than_8_kib() {
    const CONNECTIONS: u8 = 100;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (address, options) = (plain(), Options::new());
    let serving = Server::new().service(service(&std::sync::Arc::new(Seen::default())));
    let (server, first) = runtime.block_on(async {
        let server = serving.listen(&address).await.unwrap();
        let first = Client::connect(&address).unwrap();
        let call = first.call(SERVICE, ECHO, vec![0; 100_000], &options);
        call.await.unwrap();
        (server, first)
    });
    let mut clients = Vec::new();
    let spent = measure(|| {
        runtime.block_on(async {
            for _ in 0..CONNECTIONS {
                let client = Client::connect(&address).unwrap();
                let call = client.call(SERVICE, ECHO, vec![0; 100_000], &options);
                assert_eq!(call.await.unwrap().value.len(), 100_000);
                clients.push(client);
            }
            until("all are there", || {
                server.connections() == usize::from(CONNECTIONS) + 1
            })
            .await;
            tokio::time::sleep(Duration::from_secs(4)).await; // what they have let go of by then, beside others
        });
    });
    // Both ends are here.
    let each = spent.bytes_current / (2 * i64::from(CONNECTIONS));
    assert!(each < 8 << 10, "{each}");
    drop((clients, first));
}
