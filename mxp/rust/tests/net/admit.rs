//! Peers that call, and the rules that let them in.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mxp::frame::Type;
use mxp::net::{
    blocking, Client, Failure, Options, Peer, Reply, Server, Service, Stream, Transport, WhenFull,
};
use mxp::session::Status;

use crate::demo::{local, until};

const SERVICE: &str = "demo.Who";

/// Keeps who has asked for something.
fn keeping(peers: &Arc<Mutex<Vec<Peer>>>) -> Service {
    let keep = |peer: &Peer, peers: &Mutex<Vec<Peer>>| peers.lock().unwrap().push(peer.clone());
    let [called, opened, told] = [(); 3].map(|()| Arc::clone(peers));
    Service::new(SERVICE)
        .call(1, move |request| {
            keep(request.peer(), &called);
            async { Ok(Reply::default()) }
        })
        .stream(2, move |request, _: Stream| {
            keep(request.peer(), &opened);
            async { Ok(()) }
        })
        .event(3, move |request| {
            keep(request.peer(), &told);
            Ok(())
        })
}

#[tokio::test]
async fn handlers_and_interceptors_see_who_asks() {
    let (peers, passed) = (Arc::default(), Arc::default());
    let pass = Arc::clone(&passed);
    let server = Server::new()
        .service(keeping(&peers))
        .intercept(move |request, next| {
            let pass: &Mutex<Vec<Peer>> = &pass;
            pass.lock().unwrap().push(request.peer().clone());
            next.run(request)
        });
    let options = Options::new();
    for address in [local(), "mxp+tcp://127.0.0.1:0".into()] {
        let listening = server.clone().listen(&address).await.unwrap();
        let address = listening.address().to_string();
        let client = Client::connect(&address).unwrap();
        client.call(SERVICE, 1, vec![], &options).await.unwrap();
        let mut stream = client.open(SERVICE, 2, vec![], &options).await.unwrap();
        assert!(stream.receive().await.unwrap().is_none());
        let told = client.event(SERVICE, 3, vec![], WhenFull::Wait, &options);
        told.await.unwrap();
        until("three requests", || peers.lock().unwrap().len() == 3).await;
        let all: Vec<Peer> = peers.lock().unwrap().drain(..).collect();
        assert_eq!(*passed.lock().unwrap(), all);
        passed.lock().unwrap().clear();
        assert!(all.iter().all(|peer| *peer == all[0]));
        let peer = &all[0];
        assert!(peer.certificate.is_none());
        if address.starts_with("mxp+tcp") {
            assert!(peer.address.starts_with("mxp+tcp://127.0.0.1:"));
            assert!(peer.address != address);
            assert_eq!((peer.transport, peer.process), (Transport::Tcp, None));
        } else {
            assert_eq!(peer.address, address);
            assert_eq!(peer.transport, own_transport());
            let process = peer.process.unwrap();
            let me = i32::try_from(std::process::id()).unwrap();
            assert_eq!(process.id.unwrap_or(me), me);
        }
    }
}

/// The transport of programs of this machine.
const fn own_transport() -> Transport {
    if cfg!(windows) {
        Transport::Other("pipe")
    } else {
        Transport::Unix
    }
}

#[tokio::test]
async fn who_is_not_let_in_is_told_and_does_not_insist() {
    let (asked, is_open) = (
        Arc::new(AtomicUsize::new(0)),
        Arc::new(AtomicBool::new(false)),
    );
    let (count, open) = (Arc::clone(&asked), Arc::clone(&is_open));
    let server = Server::new()
        .service(keeping(&Arc::default()))
        .admit(move |peer| {
            assert_eq!(peer.transport, own_transport());
            count.fetch_add(1, Ordering::SeqCst);
            if open.load(Ordering::SeqCst) {
                return Ok(());
            }
            Err(Failure::new(
                Status::PERMISSION_DENIED,
                "demo_closed",
                "come tomorrow",
            ))
        });
    let address = local();
    let listening = server.listen(&address).await.unwrap();
    let client = Client::connect(&address).unwrap();
    let options = Options::new().with_deadline(Duration::from_secs(60));
    let is_refusal = |failure: &Failure| {
        assert_eq!(failure.status, Status::PERMISSION_DENIED, "{failure}");
        assert_eq!(failure.name, "demo_closed", "{failure}");
        assert_eq!(failure.text, "come tomorrow", "{failure}");
        assert!(!failure.acted, "{failure}");
    };
    for _ in 0..3 {
        let called = client.call(SERVICE, 1, vec![], &options).await;
        is_refusal(&called.unwrap_err());
    }
    is_refusal(&client.ready().await.unwrap_err());
    let blocked = tokio::task::spawn_blocking({
        let address = address.clone();
        move || match blocking::Client::connect(&address) {
            Ok(client) => client
                .call(SERVICE, 1, vec![], &Options::new())
                .unwrap_err(),
            Err(error) => error
                .into_inner()
                .unwrap()
                .downcast_ref::<Failure>()
                .cloned()
                .unwrap(),
        }
    });
    is_refusal(&blocked.await.unwrap());
    // The request that it made was not read.
    assert_eq!(listening.stats().frames_in(Type::Call), 0);

    is_open.store(true, Ordering::SeqCst);
    let begun = asked.load(Ordering::SeqCst);
    let called = || client.call(SERVICE, 1, vec![], &options);
    let mut answered = called().await;
    while answered.is_err() {
        tokio::time::sleep(Duration::from_millis(5)).await;
        answered = called().await;
    }
    called().await.unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), begun + 1);
}
