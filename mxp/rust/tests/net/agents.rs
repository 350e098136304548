//! Agents that are found by names. [MXP-12]

use std::time::Duration;

use mxp::net::{blocking, Client, Listening, Options, Server};

use crate::demo::{unix, until};

const SECOND: Duration = Duration::from_secs(1);

async fn listen(address: &str) -> Listening {
    Server::new().agents().listen(address).await.unwrap()
}

#[tokio::test]
async fn who_registers_is_found_until_its_connection_is_gone() {
    let address = unix();
    let server = listen(&address).await;
    let (one, other) = (
        Client::connect(&address).unwrap(),
        Client::connect(&address).unwrap(),
    );
    let options = Options::new().with_deadline(Duration::from_secs(20));
    let registered = one.register("printer", &["print", "scan"], 5 * SECOND, &options);
    let registered = registered.await.unwrap();
    assert_eq!(
        (registered.name(), registered.lease()),
        ("printer", 5 * SECOND)
    );
    let lease = one.heartbeat("printer", &options).await.unwrap();
    assert_eq!(lease, 5 * SECOND);
    for capability in ["", "print", "scan"] {
        let found = other.discover(capability, &options).await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "printer");
        assert_eq!(found[0].capabilities, ["print", "scan"]);
        assert!((1..=5_000_000).contains(&found[0].lease));
    }
    assert!(other.discover("dance", &options).await.unwrap().is_empty());
    let taken = other.register("printer", &[], SECOND, &options).await;
    let taken = taken.unwrap_err();
    assert_eq!((&taken.name[..], taken.acted), ("agent_taken", false));
    assert_eq!(taken.peer(), address);
    let invalid = other.register("", &[], SECOND, &options).await;
    assert_eq!(invalid.unwrap_err().name, "agent_invalid");
    let unknown = other.heartbeat("printer", &options).await;
    assert_eq!(unknown.unwrap_err().name, "agent_unknown");
    drop(registered);
    drop(one);
    until("the connection is gone", || server.connections() == 1).await;
    assert!(other.discover("", &options).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_registration_is_renewed_and_made_again_on_the_next_connection() {
    let address = unix();
    let server = listen(&address).await;
    let client = Client::connect(&address).unwrap();
    let options = Options::new().with_deadline(Duration::from_secs(20));
    let registered = client.register("clock", &["tell"], SECOND, &options);
    let registered = registered.await.unwrap();
    let other = Client::connect(&address).unwrap();
    // Longer than the lease.
    tokio::time::sleep(SECOND + SECOND / 2).await;
    assert_eq!(other.discover("tell", &options).await.unwrap().len(), 1);
    server.drain("").await;
    let _server = listen(&address).await;
    let mut found = Vec::new();
    for _ in 0..500 {
        found = other.discover("tell", &options).await.unwrap();
        if !found.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(found.len(), 1);
    drop(registered);
}

#[tokio::test]
async fn a_server_without_a_directory_says_so() {
    let address = unix();
    let _server = Server::new().listen(&address).await.unwrap();
    let client = Client::connect(&address).unwrap();
    let refused = client.discover("", &Options::new()).await.unwrap_err();
    assert_eq!(refused.name, "agents_off");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_registers_renews_and_finds() {
    let address = unix();
    let _server = listen(&address).await;
    let asking = tokio::task::spawn_blocking(move || {
        let client = blocking::Client::connect(&address).unwrap();
        let options = Options::new().with_deadline(Duration::from_secs(20));
        let lease = client.register("thread", &["work"], 2 * SECOND, &options);
        assert_eq!(lease.unwrap(), 2 * SECOND);
        assert_eq!(client.heartbeat("thread", &options).unwrap(), 2 * SECOND);
        let found = client.discover("work", &options).unwrap();
        assert_eq!(found[0].name, "thread");
        let unknown = client.heartbeat("nobody", &options).unwrap_err();
        assert_eq!(unknown.name, "agent_unknown");
    });
    asking.await.unwrap();
}
