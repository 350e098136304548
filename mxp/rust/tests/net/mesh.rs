//! Clients of agents that a node tells of, and programs that are registered at it. [MESH-3]

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mxp::net::{
    Announcement, Client, ClientOptions, Failure, Options, Reply, Server, ServerHandle, Service,
    Standing,
};
use mxp::session::{Registration, ASKING_PAUSE_US, FOLLOWED_AGENTS};
use tokio::sync::Semaphore;

use crate::demo::{plain, until};
use crate::node::Node;

const SERVICE: &str = "who.Am";

/// A server that answers with its name, and calls of another method when it is told to.
async fn named(name: &'static str, address: &str, gate: &Arc<Semaphore>) -> ServerHandle {
    let gate = Arc::clone(gate);
    let service = Service::new(SERVICE)
        .call(1, move |_| async move {
            Ok(Reply::new(name.as_bytes().to_vec()))
        })
        .call(2, move |_| {
            let gate = Arc::clone(&gate);
            async move {
                gate.acquire().await.unwrap().forget();
                Ok(Reply::new(name.as_bytes().to_vec()))
            }
        });
    Server::new()
        .service(service)
        .listen(address)
        .await
        .unwrap()
}

async fn announced(node: &str, name: &str, addresses: &[&str]) -> Announcement {
    let registration = Registration::new(name)
        .with_capabilities(["answers"])
        .with_services([SERVICE])
        .with_lease(1_000_000)
        .with_addresses(addresses.iter().copied());
    let options = ClientOptions::new().node(node);
    let announced = options.announce(registration, |_| ()).unwrap();
    assert!(announced.registered().await >= 1);
    announced
}

fn client(node: &str, address: &str) -> Client {
    let options = ClientOptions::new().node(node);
    options
        .connect_timeout(Duration::from_secs(20))
        .connect(address)
        .unwrap()
}

async fn ask(client: &Client) -> Result<String, Failure> {
    let options = Options::new().with_deadline(Duration::from_secs(20));
    let reply = client.call(SERVICE, 1, vec![], &options).await?;
    Ok(String::from_utf8(reply.value.to_vec()).unwrap())
}

async fn until_it_is<F: Future<Output = bool>>(what: &str, is: impl Fn() -> F) {
    for _ in 0..1000 {
        if is().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never came to this: {what}");
}

/// [MESH-3.1]
#[tokio::test]
async fn addresses_that_name_no_agents_are_refused() {
    let refused = |result: std::io::Result<Client>| {
        let error = result.unwrap_err();
        let failure = error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<Failure>());
        assert_eq!(failure.unwrap().name, "address_invalid", "{error}");
    };
    let long = format!("mesh:///{}", "n".repeat(255));
    for wrong in [
        "mesh:///",
        "mesh:///?",
        "mesh:///a b",
        "mesh:///*",
        "mesh:///a\0",
        "mesh://host/name",
        &long,
    ] {
        refused(
            ClientOptions::new()
                .node("mxp+unix:///nowhere")
                .connect(wrong),
        );
    }
    refused(Client::connect_any(["mesh:///a", "mesh:///b"]));
    refused(Client::connect_any(["mxp+unix:///a", "mesh:///b"]));
    refused(ClientOptions::new().node("nowhere").connect("mesh:///a"));
    for name in ["", "a b", "*", ">", ".", "a\0", &"n".repeat(255)] {
        let announced = ClientOptions::new().announce(Registration::new(name), |_| ());
        let error = announced.unwrap_err();
        let failure = error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<Failure>());
        assert_eq!(failure.unwrap().name, "agent_invalid", "{name:?}");
    }
}

/// [MESH-3.2]
#[tokio::test]
async fn clients_follow_agents_that_come_and_go_and_move() {
    let (node, one, two, three) = (plain(), plain(), plain(), plain());
    let gate = Arc::new(Semaphore::new(0));
    let _node = Server::new().agents().listen(&node).await.unwrap();
    let first = named("one", &one, &gate).await;
    let announcement = announced(&node, "first", &[&one]).await;
    let by_name = client(&node, "mesh:///first");
    let by_service = client(&node, "mesh:///?service=who.Am&capability=answers");
    assert_eq!(ask(&by_name).await.unwrap(), "one");
    let _second = named("two", &two, &gate).await;
    let _announcement = announced(&node, "second", &[&two]).await;
    for name in ["two", "one"] {
        until_it_is(name, || async { ask(&by_service).await.unwrap() == name }).await;
    }
    // Calls in flight are answered when the agent has gone.
    let options = Options::new();
    let (slow, gone) = tokio::join!(by_name.call(SERVICE, 2, vec![], &options), async {
        until_it_is("it is asked", || async {
            first.stats().in_flight().1 + first.stats().in_flight().0 > 0
        })
        .await;
        drop(announcement);
        until_it_is("the agent is left out", || async {
            for _ in 0..20 {
                if ask(&by_service).await.unwrap() == "one" {
                    return false;
                }
            }
            true
        })
        .await;
        gate.add_permits(1);
    });
    let () = gone;
    assert_eq!(slow.unwrap().value, b"one"[..]);
    first.drain("").await;
    let _first = named("three", &three, &gate).await;
    let _moved = announced(&node, "first", &[&plain(), &three]).await;
    assert_eq!(ask(&by_name).await.unwrap(), "three");
    until_it_is("it is found", || async {
        ask(&by_service).await.unwrap() == "three"
    })
    .await;
    let refused = by_name
        .register("x", &[], Duration::from_secs(1), &options)
        .await;
    assert_eq!(refused.unwrap_err().name, "agents_off");
    assert_eq!(
        by_name.discover("", &options).await.unwrap_err().name,
        "agents_off"
    );
}

/// [MESH-3.3]
#[tokio::test]
async fn agents_are_asked_on_while_the_node_is_gone() {
    let (node, one) = (plain(), plain());
    let gate = Arc::new(Semaphore::new(0));
    let at_node = Server::new().agents().listen(&node).await.unwrap();
    let _server = named("one", &one, &gate).await;
    let announcement = announced(&node, "a", &[&one]).await;
    let known = client(&node, "mesh:///a");
    let nobody = ClientOptions::new()
        .node(&node)
        .connect_timeout(Duration::from_millis(500));
    let nobody = nobody.connect("mesh:///nobody").unwrap();
    assert_eq!(ask(&known).await.unwrap(), "one");
    let unknown = || async {
        let options = Options::new().with_deadline(Duration::from_millis(200));
        let failed = nobody.call(SERVICE, 1, vec![], &options).await.unwrap_err();
        failed.name
    };
    until_it_is("nobody is known", || async {
        unknown().await == "agent_unknown"
    })
    .await;
    at_node.drain("").await;
    for _ in 0..50 {
        assert_eq!(ask(&known).await.unwrap(), "one");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    until_it_is("the node is gone", || async {
        unknown().await == "not_connected"
    })
    .await;
    let at_node = Server::new().agents().listen(&node).await.unwrap();
    assert_eq!(ask(&client(&node, "mesh:///a")).await.unwrap(), "one");
    assert!(matches!(announcement.standing(), Standing::Held { .. }));
    drop((announcement, known, nobody));
    until("all have left the node", || at_node.connections() == 0).await;
}

/// [MESH-3.4]
#[tokio::test]
async fn an_announcement_tells_of_its_name_and_its_loss() {
    let node = plain();
    let _node = Server::new().agents().listen(&node).await.unwrap();
    let holder = announced(&node, "n", &["mxp+unix:///x"]).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let tells = Arc::clone(&told);
    let options = ClientOptions::new().node(&node);
    let next = options.announce(Registration::new("n"), move |standing| {
        tells.lock().unwrap().push(standing.clone());
    });
    let next = next.unwrap();
    let first = || told.lock().unwrap().first().cloned();
    until("it is told of the loss", || first().is_some()).await;
    match first() {
        Some(Standing::Lost(failure)) => assert_eq!(failure.name, "agent_taken"),
        other => panic!("{other:?}"),
    }
    drop(holder);
    assert!(next.registered().await >= 2);
    assert!(matches!(
        told.lock().unwrap().last(),
        Some(Standing::Held { .. })
    ));
}

/// [MESH-3.4] Attempts to connect come more often than renewals, and keep none of them back.
#[tokio::test]
async fn a_name_is_lost_with_its_lease_while_the_node_is_away() {
    let node = plain();
    let at_node = Server::new().agents().listen(&node).await.unwrap();
    let registration = Registration::new("n").with_lease(4_000_000);
    let options = ClientOptions::new().node(&node);
    let announced = options.announce(registration, |_| ()).unwrap();
    announced.registered().await;
    drop(at_node);
    let is_lost = || matches!(announced.standing(), Standing::Lost(_));
    until("the name is lost", is_lost).await;
    let _node = Server::new().agents().listen(&node).await.unwrap();
    announced.registered().await;
}

/// [MESH-3.4] With any lease of a node, heartbeats come no more often than the shortest lease
/// needs.
#[tokio::test]
async fn leases_of_a_hostile_node_are_held_in_bounds() {
    let mut all = Vec::new();
    for lease in [0, 1, 999_999, 1 << 63, u64::MAX] {
        let node = Node::of_lease(lease);
        let options = ClientOptions::new().node(&node.address);
        let announced = options.announce(Registration::new("n"), |_| ()).unwrap();
        announced.registered().await;
        all.push((node, announced));
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    for (node, _) in &all {
        let asked = node.asked();
        assert!(asked <= 4, "the node was asked {asked} times");
    }
}

/// [MESH-2.8] A directory of which each answer has another version, at once, is asked after pauses;
/// the query says the version that was answered.
#[tokio::test]
async fn a_node_that_changes_always_is_asked_after_pauses() {
    let node = Node::of_agents(0, "");
    let client = client(&node.address, "mesh:///n");
    let begun = Instant::now();
    tokio::time::sleep(Duration::from_millis(300)).await;
    drop(client);
    let asked = u128::from(node.asked());
    let most = begun.elapsed().as_micros() / u128::from(ASKING_PAUSE_US) + 1;
    assert!((2..=most).contains(&asked), "{asked} of {most}");
    assert!(
        !node.was_wrong(),
        "a query said another version than the last answer"
    );
}

/// [MESH-3.2] Of more agents than a client follows it connects to as many as it may.
#[tokio::test]
async fn a_client_follows_a_bounded_number_of_agents() {
    let address = plain();
    let gate = Arc::new(Semaphore::new(0));
    let server = named("all", &address, &gate).await;
    let node = Node::of_agents(1000, &address);
    let client = client(&node.address, "mesh:///?capability=mix");
    until("all connections", || {
        server.connections() == FOLLOWED_AGENTS
    })
    .await;
    // Each eighth answer lacks another quarter of the agents.
    for _ in 0..50 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert_eq!(ask(&client).await.unwrap(), "all");
        // Connections to agents that are gone end their requests in flight.
        let connections = server.connections();
        assert!(
            connections <= 2 * FOLLOWED_AGENTS,
            "{connections} connections"
        );
    }
    drop(client);
    until("no connection", || server.connections() == 0).await;
}
