//! Processes that are killed at any moment [MXP-18.10].

use std::process::{Child, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use mxp::net::channel::{ChannelOptions, CloseReason, SendError};
use mxp::net::{blocking, Client, ClientOptions, Options, Server};

use crate::channels::{level, served};
use crate::demo::{local, service, this_program, until, ECHO, SERVICE};
use crate::meters::MetersClient;
use crate::{open, shared, turn};

const SECOND: Duration = Duration::from_secs(1);

/// The number of times that a process is killed.
fn kills() -> usize {
    let asked = std::env::var("MXP_KILLS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(6)
}

/// The variables of the environment by which a process knows its part. It is this program, of which
/// one test does as they say.
const ADDRESS: &str = "MXP_SHM_ADDRESS";
const PART: &str = "MXP_SHM_PART";

fn process(part: &str, address: &str) -> Child {
    let name = "killed::a_process_does_its_part_until_it_is_killed";
    this_program()
        .args(["--exact", name, "--quiet"])
        .env(ADDRESS, address)
        .env(PART, part)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[tokio::test]
async fn a_process_does_its_part_until_it_is_killed() {
    let _turn = turn().await;
    let Ok(address) = std::env::var(ADDRESS) else {
        return;
    };
    if std::env::var(PART).as_deref() == Ok("server") {
        let server = Server::new().service(service(&Arc::default()));
        let _server = server.listen(&address).await.unwrap();
        std::future::pending::<()>().await;
    }
    let client = Client::connect(&address).unwrap();
    let options = Options::new();
    loop {
        let value = vec![7; fastrand::usize(0..100_000)];
        let _ = client.call(SERVICE, ECHO, value, &options).await;
    }
}

/// Servers that are killed: each call ends once, by its answer or as one that was lost, and no
/// memory, descriptor or file is left.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_end_once_when_the_server_is_killed() {
    let _turn = turn().await;
    let mut answered = 0;
    for n in 0..kills() {
        let address = shared(&local());
        let before = open();
        let start = Instant::now();
        let mut server = process("server", &address);
        Client::connect(&address).unwrap().ready().await.unwrap();
        // A machine that starts the server slowly answers slowly, too.
        let most = start.elapsed().max(Duration::from_millis(20));
        let client = ClientOptions::new().connect_timeout(Duration::from_millis(100));
        let client = client.connect(&address).unwrap();
        let calls: Vec<_> = (0..20)
            .map(|n| {
                let client = client.clone();
                tokio::spawn(async move {
                    let options = Options::new().with_deadline(Duration::from_secs(20));
                    let mut answered = 0;
                    loop {
                        let value = vec![7; n * 2000];
                        let reply = client.call(SERVICE, ECHO, value.clone(), &options).await;
                        match reply {
                            Ok(reply) => assert_eq!(reply.value, value),
                            Err(failure) => return (answered, failure),
                        }
                        answered += 1;
                    }
                })
            })
            .collect();
        let at = address.clone();
        let thread = thread::spawn(move || {
            let client = blocking::ClientOptions::new().connect_timeout(Duration::from_millis(100));
            let Ok(client) = client.connect(&at) else {
                return;
            };
            while client
                .call(SERVICE, ECHO, &[1][..], &Options::new())
                .is_ok()
            {}
        });
        tokio::time::sleep(most.mul_f64(fastrand::f64())).await;
        server.kill().unwrap();
        server.wait().unwrap();
        for call in calls {
            let ended = tokio::time::timeout(Duration::from_secs(10), call);
            let (count, failure) = ended.await.unwrap().unwrap();
            let names = ["session_lost", "not_connected", "deadline_exceeded"];
            assert!(names.contains(&&failure.name[..]), "{n}: {failure}");
            answered += count;
        }
        tokio::task::spawn_blocking(|| thread.join().unwrap())
            .await
            .unwrap();
        drop(client);
        until("nothing is open", || open().1 == before.1).await;
    }
    assert!(answered > 0);
    until("nothing is open", || open().1 == 0).await;
}

/// Clients that are killed are forgotten, and others are served.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_left_of_clients_that_are_killed() {
    let _turn = turn().await;
    let server = Server::new().service(service(&Arc::default()));
    let server = server.listen(&shared(&local())).await.unwrap();
    let address = server.address().to_string();
    let client = Client::connect(&address).unwrap();
    client.ready().await.unwrap();
    for _ in 0..kills() {
        let mut other = process("client", &address);
        until("it has come", || server.connections() == 2).await;
        tokio::time::sleep(Duration::from_micros(fastrand::u64(0..20_000))).await;
        other.kill().unwrap();
        other.wait().unwrap();
        until("it is forgotten", || server.connections() == 1).await;
        let value = vec![1; 100_000];
        let reply = client.call(SERVICE, ECHO, value, &Options::new()).await;
        reply.unwrap();
    }
    assert_eq!(server.stats().in_flight().1, 0);
}

/// The variable by which a process knows where to open its channel. It is this program, of which
/// one test does so.
const CHANNEL: &str = "MXP_CHANNEL_ADDRESS";

fn sender(address: &str) -> Child {
    let name = "killed::a_process_sends_until_it_is_killed";
    this_program()
        .args(["--exact", name, "--quiet"])
        .env(CHANNEL, address)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_process_sends_until_it_is_killed() {
    let Ok(address) = std::env::var(CHANNEL) else {
        return;
    };
    let channel = MetersClient::LEVELS.open_channel(&address, &ChannelOptions::new());
    let mut channel = channel.unwrap();
    let mut n = 0;
    loop {
        match channel.sender.send(&level(n)) {
            Ok(()) => n += 1,
            Err(SendError::Full) => {
                channel.sender.wait(SECOND);
            }
            Err(SendError::Closed(closed)) => panic!("{closed}"),
        }
        channel.sender.wake();
        while let Ok(Some(_)) = channel.receiver.receive() {}
    }
}

/// [MXP-18.17].
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_process_that_is_killed_there_are_whole_values_and_then_its_loss() {
    let _turn = turn().await;
    let (server, come) = served(Server::new(), &ChannelOptions::new()).await;
    let mut all = 0;
    for _ in 0..kills() {
        let mut other = sender(&server.address().to_string());
        let (mut channel, _) = come.recv_timeout(10 * SECOND).unwrap();
        let taking = thread::spawn(move || {
            let mut next = 0;
            let ended = loop {
                match channel.receiver.receive() {
                    Ok(Some(value)) => {
                        assert_eq!(value, level(next));
                        next += 1;
                    }
                    Ok(None) => {
                        channel.receiver.wake();
                        channel.receiver.wait(SECOND);
                    }
                    Err(ended) => break ended,
                }
            };
            (next, ended)
        });
        drop(channel.sender);
        tokio::time::sleep(Duration::from_micros(fastrand::u64(0..20_000))).await;
        other.kill().unwrap();
        other.wait().unwrap();
        let killed = Instant::now();
        let (values, ended) = taking.join().unwrap();
        assert_eq!(ended, CloseReason::Lost);
        assert!(killed.elapsed() < SECOND, "{:?}", killed.elapsed());
        all += values;
        until("it is forgotten", || server.connections() == 0).await;
    }
    assert!(all > 0);
    until("nothing is open", || open().1 == 0).await;
}
