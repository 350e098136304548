//! Named pipes of Windows [MXP-21].

use std::sync::{Arc, Mutex};

use mxp::net::{Address, Client, Options, Process, Reply, Server, Service};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::windows::named_pipe::ClientOptions;

use crate::demo::{local, place};

fn echo() -> Server {
    let echo = Service::new("demo.Echo").call(1, |asked| async { Ok(Reply::new(asked.value)) });
    Server::new().service(echo)
}

/// The system's name of the pipe at an address.
fn path(address: &str) -> String {
    format!(r"\\.\pipe\{}", place(address))
}

/// [MXP-21.1]
#[test]
fn pipes_have_names() {
    let long = "x".repeat(200);
    for name in ["x", "A-z_0.9", &long] {
        let address: Address = format!("mxp+pipe://{name}").parse().unwrap();
        assert_eq!(address.to_string(), format!("mxp+pipe://{name}"));
    }
    for name in ["", "a b", r"a\b", "a/b", "ü", &format!("{long}x")] {
        assert!(
            format!("mxp+pipe://{name}").parse::<Address>().is_err(),
            "{name}"
        );
    }
}

/// [MXP-21.2]
#[tokio::test]
async fn a_name_is_served_by_one_server() {
    let address = local();
    let server = echo().listen(&address).await.unwrap();
    let refused = echo().listen(&address).await.unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::AddrInUse, "{refused}");
    server.drain("done").await;
    drop(server);
    let server = echo().listen(&address).await.unwrap();
    let client = Client::connect(&address).unwrap();
    let reply = client.call("demo.Echo", 1, vec![7], &Options::new()).await;
    assert_eq!(reply.unwrap().value, [7][..]);
    server.drain("done").await;
}

/// [MXP-21.4]
#[tokio::test]
async fn pipes_tell_the_process_and_user_of_a_peer() {
    let told: Arc<Mutex<Option<Process>>> = Arc::default();
    let tell = Arc::clone(&told);
    let server = echo().admit(move |peer| {
        *tell.lock().unwrap() = peer.process;
        Ok(())
    });
    let address = local();
    let _server = server.listen(&address).await.unwrap();
    Client::connect(&address).unwrap().ready().await.unwrap();
    let process = told.lock().unwrap().take().unwrap();
    assert_eq!(process.id, i32::try_from(std::process::id()).ok());
    assert_eq!((process.user, process.group), (u32::MAX, u32::MAX));
    assert!(process.sid.unwrap().to_string().starts_with("S-1-5-"));
}

/// [MXP-21.4]
#[tokio::test]
async fn what_is_no_frame_is_read_before_the_end_of_a_pipe() {
    let address = local();
    let server = echo().listen(&address).await.unwrap();
    let mut pipe = ClientOptions::new().open(path(&address)).unwrap();
    pipe.write_all(&[0xff; 64]).await.unwrap();
    let mut all = vec![];
    let _ = pipe.read_to_end(&mut all).await;
    let text = String::from_utf8_lossy(&all);
    assert!(text.contains("frame_magic"), "{text}");
    server.drain("done").await;
}
