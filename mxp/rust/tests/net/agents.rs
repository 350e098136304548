//! Agents that are found by names. [MXP-12]

use std::time::Duration;

use mxp::net::{blocking, Client, Options, Server, ServerHandle, Standing};
use mxp::session::{Query, Registration};

use crate::demo::{plain, until};

const SECOND: Duration = Duration::from_secs(1);

async fn listen(address: &str) -> ServerHandle {
    Server::new().agents().listen(address).await.unwrap()
}

#[tokio::test]
async fn who_registers_is_found_until_its_connection_is_gone() {
    let address = plain();
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
    let address = plain();
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
async fn all_that_a_registration_says_is_found() {
    let address = plain();
    let _server = listen(&address).await;
    let client = Client::connect(&address).unwrap();
    let options = Options::new().with_deadline(Duration::from_secs(20));
    let registration = Registration::new("printer")
        .with_capabilities(["print"])
        .with_lease(3_000_000)
        .with_addresses(["mxp+unix:///p.sock", "mxp+tcp://a:1"])
        .with_services(["demo.Printer"]);
    let registered = client.register_agent(&registration, &options).await;
    let registered = registered.unwrap();
    match registered.standing() {
        Standing::Held { lease, epoch, .. } => assert_eq!((lease, epoch), (3 * SECOND, 1)),
        other => panic!("{other:?}"),
    }
    let query = Query::new().with_service("demo.Printer");
    let listing = client.query_agents(&query, &options).await.unwrap();
    assert_eq!((listing.version, listing.age), (0, 0));
    let found = &listing.agents[0];
    assert_eq!(found.addresses, registration.addresses);
    assert_eq!(found.services, registration.services);
    assert_eq!(found.epoch, 1);
    let query = query.with_capability("dance");
    let listing = client.query_agents(&query, &options).await.unwrap();
    assert!(listing.agents.is_empty());
    let registration = registration.with_addresses([""]);
    let refused = client.register_agent(&registration, &options);
    assert_eq!(refused.await.unwrap_err().name, "agent_invalid");
}

#[tokio::test]
async fn a_server_without_a_directory_says_so() {
    let address = plain();
    let _server = Server::new().listen(&address).await.unwrap();
    let client = Client::connect(&address).unwrap();
    let refused = client.discover("", &Options::new()).await.unwrap_err();
    assert_eq!(refused.name, "agents_off");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_registers_renews_and_finds() {
    let address = plain();
    let _server = listen(&address).await;
    let asking = tokio::task::spawn_blocking(move || {
        let client = blocking::Client::connect(&address).unwrap();
        let options = Options::new().with_deadline(Duration::from_secs(20));
        let lease = client.register("thread", &["work"], 2 * SECOND, &options);
        assert_eq!(lease.unwrap(), 2 * SECOND);
        let registration = Registration::new("thread").with_addresses(["mxp+unix:///t"]);
        let registration = registration.with_capabilities(["work"]);
        let lease = client.register_agent(&registration.with_lease(2_000_000), &options);
        assert_eq!(lease.unwrap().epoch, 2);
        let query = Query::new().with_name("thread");
        let listing = client.query_agents(&query, &options).unwrap();
        assert_eq!(listing.agents[0].addresses, ["mxp+unix:///t"]);
        assert_eq!(client.heartbeat("thread", &options).unwrap(), 2 * SECOND);
        let found = client.discover("work", &options).unwrap();
        assert_eq!(found[0].name, "thread");
        let unknown = client.heartbeat("nobody", &options).unwrap_err();
        assert_eq!(unknown.name, "agent_unknown");
    });
    asking.await.unwrap();
}
