use std::time::Duration;

use mxp::net::blocking::{Client, ClientOptions};
use mxp::net::{Failure, Options, Reply, Server, ServerHandle, Service};
use mxp::session::Status;

use super::{patient, runtime, until};
use crate::demo::plain;

/// A server that answers with its number.
async fn numbered(number: u8, address: &str) -> ServerHandle {
    let service = Service::new("t.T").call(1, move |_| async move { Ok(Reply::new(vec![number])) });
    Server::new()
        .service(service)
        .listen(address)
        .await
        .unwrap()
}

fn call(client: &Client) -> Result<u8, Failure> {
    let reply = client.call("t.T", 1, b"", &Options::new())?;
    Ok(reply.value[0])
}

/// Calls until each of some servers has answered, and no other.
fn answers(client: &Client, of: &[u8]) {
    let mut seen = Vec::new();
    for _ in 0..10_000 {
        let n = match call(client) {
            Ok(n) => n,
            // It was asked in the moment in which it ended.
            Err(failure) => {
                assert!(failure.acted, "{failure}");
                continue;
            }
        };
        if !seen.contains(&n) {
            seen.push(n);
        }
        if of.iter().all(|n| seen.contains(n)) {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    seen.sort_unstable();
    assert_eq!(seen, of);
}

/// Waits until one server alone answers: the ends of the others have to be told first.
fn only(client: &Client, of: u8) {
    until("one answers", || {
        (0..20).all(|_| call(client).is_ok_and(|n| n == of))
    });
}

#[test]
fn requests_go_to_all_servers_that_are_there() {
    let runtime = runtime();
    let addresses = [plain(), plain(), plain()];
    let [a, b, c] = &addresses;
    let first = runtime.block_on(numbered(0, a));
    let second = runtime.block_on(numbered(1, b));
    let client = patient().connect_any(addresses.iter().map(|address| &address[..]));
    let client = client.unwrap();
    answers(&client, &[0, 1]);
    drop(first);
    only(&client, 1);
    answers(&client, &[1]);
    let third = runtime.block_on(numbered(2, c));
    answers(&client, &[1, 2]);
    let draining = runtime.spawn(async move { second.drain("").await });
    only(&client, 2);
    answers(&client, &[2]);
    runtime.block_on(draining).unwrap();
    drop(third);
}

#[cfg(unix)]
#[test]
fn a_failure_tells_each_address_with_its_cause() {
    let (here, there) = (plain(), plain());
    std::fs::write(there.strip_prefix("mxp+unix://").unwrap(), "x").unwrap();
    let options = ClientOptions::new().connect_timeout(Duration::from_secs(1));
    let error = options.connect_any([&here[..], &there[..]]).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&format!("{here}: No such file")), "{text}");
    assert!(
        text.contains(&format!("{there}: this is no socket")),
        "{text}"
    );
    let failure = error.into_inner().unwrap();
    let failure = failure.downcast_ref::<Failure>().unwrap();
    assert_eq!(failure.status, Status::UNAVAILABLE);
    assert!(Client::connect_any([]).is_err());
}

#[test]
fn an_address_may_have_several_connections() {
    let runtime = runtime();
    let address = plain();
    let server = runtime.block_on(numbered(0, &address));
    let client = patient().connections(3).connect(&address).unwrap();
    until("all connections", || {
        call(&client).unwrap();
        server.connections() == 3
    });
    drop(client);
    until("they are closed", || server.connections() == 0);
}
