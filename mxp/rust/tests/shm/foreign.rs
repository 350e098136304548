//! Programs of another user, which only root can be.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mxp::net::channel::ChannelOptions;
use mxp::net::{blocking, Failure, Options, Server, Transport};
use mxp::session::Status;

use crate::channels::level;
use crate::demo::{command, plain, service, ECHO, SERVICE};
use crate::meters::MetersClient;
use crate::{shared, turn};

/// A user that no test runs as.
const NOBODY: u32 = 65_534;

const ADDRESS: &str = "MXP_TEST_ADDRESS";
const IS_OPEN: &str = "MXP_TEST_IS_OPEN";

fn is_refused(failure: &Failure) {
    assert_eq!(failure.status, Status::PERMISSION_DENIED, "{failure}");
    assert_eq!(failure.name, "not_admitted", "{failure}");
    assert_eq!(failure.text, "the peer runs as user 65534", "{failure}");
}

/// A call over a connection, or why there was none.
fn call(address: &str) -> Result<Vec<u8>, Failure> {
    let client = blocking::Client::connect(address).map_err(|error| {
        let inner = error.into_inner().unwrap();
        inner.downcast_ref::<Failure>().cloned().unwrap()
    })?;
    let reply = client.call(SERVICE, ECHO, &b"hello"[..], &Options::new())?;
    Ok(reply.value.to_vec())
}

/// The attempts of the other user, which says where, and whether all are let in.
#[test]
fn another_users_attempts() {
    let Ok(address) = std::env::var(ADDRESS) else {
        return;
    };
    let called = call(&address);
    let opened = MetersClient::LEVELS.open_channel(&address, &ChannelOptions::new());
    if std::env::var_os(IS_OPEN).is_none() {
        is_refused(&called.unwrap_err());
        is_refused(&opened.unwrap_err());
        return;
    }
    assert_eq!(called.unwrap(), b"hello");
    let mut channel = opened.unwrap();
    channel.sender.send(&level(7)).unwrap();
    channel.sender.wake();
    for _ in 0..200 {
        match channel.receiver.receive().unwrap() {
            Some(got) => return assert_eq!(got, level(8)),
            None => channel.receiver.wait(Duration::from_millis(50)),
        };
    }
    panic!("nothing comes back");
}

/// [MXP-16.4], [MXP-18.11], [MXP-18.13]: also where the socket's file lets everybody connect. A
/// client asks nobody whose server it is.
#[tokio::test]
async fn another_user_is_refused_unless_all_are_let_in() {
    let _turn = turn().await;
    let all = std::fs::Permissions::from_mode(0o777);
    for is_open in [false, true] {
        let address = plain();
        let path = PathBuf::from(address.trim_start_matches("mxp+unix://"));
        let server = Server::new().service(service(&Arc::default()));
        let server = if is_open {
            server.allow_other_users()
        } else {
            server
        };
        let (told, hears) = std::sync::mpsc::channel();
        let how = ChannelOptions::new();
        let server = server.channel(&MetersClient::LEVELS, &how, move |mut channel, peer| {
            told.send((peer.transport, peer.process.map(|process| process.user)))
                .unwrap();
            std::thread::spawn(move || {
                channel.receiver.wait(Duration::from_secs(10));
                let got = channel.receiver.receive().unwrap().unwrap();
                channel.sender.send(&level(got.sequence + 1)).unwrap();
                channel.sender.wake();
                // Both ends stay until the other side has had its value.
                channel.receiver.wait(Duration::from_secs(10));
            });
        });
        let server = server.listen(&shared(&address)).await.unwrap();
        if std::fs::metadata(&path).unwrap().uid() != 0 {
            println!("skipped: only root can be somebody else");
            return;
        }
        std::fs::set_permissions(&path, all.clone()).unwrap();
        // A copy that everybody can run.
        let program = path.with_file_name("program");
        std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        std::fs::set_permissions(&program, all.clone()).unwrap();
        let mut attempts = command(&program);
        attempts
            .args(["--exact", "foreign::another_users_attempts"])
            .env(ADDRESS, shared(&address))
            .uid(NOBODY);
        if is_open {
            attempts.env(IS_OPEN, "1");
        }
        let output = tokio::task::spawn_blocking(move || attempts.output().unwrap());
        let output = output.await.unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("1 passed"),
            "{said}"
        );
        let came: Vec<_> = hears.try_iter().collect();
        if is_open {
            assert_eq!(came, [(Transport::Shm, Some(NOBODY))]);
        } else {
            assert_eq!(came, []);
            assert_eq!(server.stats().frames_in(mxp::frame::Type::Hello), 0);
        }
        assert_eq!(server.stats().shm_fallbacks(), 0);
    }
}
