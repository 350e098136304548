//! Channels that are not opened, each for a reason that has a name.

use std::time::Duration;

use mxp::net::channel::{ChannelOptions, Delivery};
use mxp::net::transport::ShmOptions;
use mxp::net::typed::{Fixed, Method};
use mxp::net::{Failure, Server};
use mxp::session::Status;

use crate::channels::{opened, served};
use crate::demo::until;
use crate::golden::meters::Level;
use crate::meters::{MetersClient, Wire};
use crate::turn;

const SECOND: Duration = Duration::from_secs(1);

/// [MXP-18.13].
#[tokio::test]
async fn a_channel_that_the_server_means_otherwise_is_refused_by_its_name() {
    struct Other;
    impl Fixed<Level> for Other {
        const FINGERPRINT: u64 = 1;
        fn put(value: &Level, out: &mut [u8]) -> bool {
            Wire::put(value, out)
        }
        fn get(bytes: &[u8]) -> Option<Level> {
            Wire::get(bytes)
        }
        fn get_into(value: &mut Level, bytes: &[u8]) -> bool {
            Wire::get_into(value, bytes)
        }
    }
    const OTHER: Method<Level, Level, Other> = {
        const fn codec() -> mxp::net::typed::Codec<Level> {
            mxp::net::typed::Codec::new(|_| unreachable!(), |_| unreachable!())
        }
        Method::new("meters.Meters", 1, "levels", codec(), codec()).fixed(14, 14)
    };
    let _turn = turn().await;
    let options = ChannelOptions::new();
    let (server, come) = served(Server::new(), &options).await;
    let latest = options.clone().responses(Delivery::Latest);
    let unlike = [
        opened(&server, MetersClient::LEVELS, &latest).await.err(),
        opened(
            &server,
            MetersClient::LEVELS.fixed::<Wire>(15, 14),
            &options,
        )
        .await
        .err(),
        opened(
            &server,
            MetersClient::LEVELS.fixed::<Wire>(14, 300),
            &options,
        )
        .await
        .err(),
        opened(&server, OTHER, &options).await.err(),
        opened(&server, MetersClient::LEVELS.fixed::<Wire>(0, 14), &options)
            .await
            .err(),
        opened(
            &server,
            MetersClient::LEVELS.fixed::<Wire>(u32::MAX, 14),
            &options,
        )
        .await
        .err(),
    ];
    let texts = [
        "a queue of responses, and the opener the latest",
        "requests have 14 bytes, and the opener's 15",
        "responses have 14 bytes, and the opener's 300",
        "and the opener's 0000000000000001",
        "values of 0 bytes",
        "values of 4294967295 bytes",
    ];
    for (failure, text) in unlike.into_iter().zip(texts) {
        let failure = failure.unwrap();
        assert_eq!(failure.name, "channel_form", "{failure}");
        assert_eq!(failure.status, Status::FAILED_PRECONDITION);
        assert!(failure.text.contains(text), "{failure}");
        assert_eq!(failure.method(), "meters.Meters/levels");
        assert!(!failure.acted);
    }
    let unknown = opened(&server, MetersClient::BLOCKS, &options).await;
    let unknown = unknown.unwrap_err();
    assert_eq!(
        (&unknown.name[..], unknown.status),
        ("channel_unknown", Status(12))
    );
    assert!(unknown.text.contains("meters.Meters/2"), "{unknown}");
    assert!(come.try_recv().is_err());
    let good = opened(&server, MetersClient::LEVELS, &options).await;
    drop((good.unwrap(), come.recv_timeout(SECOND).unwrap()));
    until("all are forgotten", || server.connections() == 0).await;
}

#[tokio::test]
async fn who_may_not_connect_opens_no_channel() {
    let _turn = turn().await;
    let server = Server::new().admit(|peer| {
        assert!(peer.process.is_some());
        Err(Failure::new(
            Status::PERMISSION_DENIED,
            "not_you",
            "not you",
        ))
    });
    let options = ChannelOptions::new();
    let (server, come) = served(server, &options).await;
    let failure = opened(&server, MetersClient::LEVELS, &options).await;
    let failure = failure.unwrap_err();
    assert_eq!(failure.status, Status::PERMISSION_DENIED);
    assert_eq!(
        (&failure.name[..], &failure.text[..]),
        ("not_you", "not you")
    );
    assert!(come.try_recv().is_err());
}

/// [MXP-18.18]: the rings of channels count together with the rings of connections, on either side.
#[tokio::test]
async fn a_channel_without_memory_is_refused_and_not_sent_over_the_socket() {
    let _turn = turn().await;
    let bound = ShmOptions::new().bytes(3 * 8192 - 1);
    let options = ChannelOptions::new();
    let (server, _come) = served(Server::new().shm(bound), &options).await;
    let open_one = || opened(&server, MetersClient::LEVELS, &options);
    let both = (open_one().await.unwrap(), open_one().await.unwrap());
    let failure = open_one().await.unwrap_err();
    assert_eq!(
        (&failure.name[..], failure.status),
        ("channel_memory", Status(8))
    );
    drop(both);
    let few = options.clone().bytes(4096 + 4095);
    let failure = opened(&server, MetersClient::LEVELS, &few).await;
    assert_eq!(failure.unwrap_err().name, "channel_memory");
}

/// [MXP-18.18].
#[cfg(unix)]
#[tokio::test]
async fn a_channel_that_is_offered_and_not_opened_is_closed_in_time() {
    let _turn = turn().await;
    let limits = mxp::session::Limits {
        hello_us: 50_000,
        ..mxp::session::Limits::default()
    };
    let (server, _come) = served(Server::new().limits(limits), &ChannelOptions::new()).await;
    let address = server.address().clone();
    let closed = tokio::task::spawn_blocking(move || {
        let stream = crate::peer::dial(&address);
        let mut offer = crate::peer::offer();
        offer[6] = 1;
        let memory = crate::peer::Memory::new();
        crate::peer::send(&stream, &offer, &[std::os::fd::AsFd::as_fd(&memory.file)]);
        let begun = std::time::Instant::now();
        assert!(crate::peer::receive(&stream).0.is_empty());
        begun.elapsed()
    });
    let closed = closed.await.unwrap();
    assert!(closed >= Duration::from_millis(40) && closed < 5 * SECOND);
    until("it is forgotten", || server.connections() == 0).await;
}

#[tokio::test]
async fn a_channel_is_opened_at_an_address_of_shared_memory_alone() {
    let _turn = turn().await;
    let (none, nobody) = if cfg!(windows) {
        ("mxp+pipe://x", "mxp+shm://nobody")
    } else {
        ("mxp+unix:///run/x.sock", "mxp+shm:///nowhere/x.sock")
    };
    for (address, name) in [
        (none, "address_invalid"),
        ("nonsense", "address_invalid"),
        (nobody, "not_connected"),
    ] {
        let failure = MetersClient::LEVELS.open_channel(address, &ChannelOptions::new());
        let failure = failure.unwrap_err();
        assert_eq!(failure.name, name, "{failure}");
        assert_eq!(failure.peer(), address);
    }
}
