//! Offers that are none, to a server and to clients: each is refused by its name
//! [MXP-18.4].

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use mxp::net::{blocking, Client, ClientOptions, Options, Server, ServerHandle};
use mxp::session::Status;

use crate::demo::{plain, service, until, ECHO, SERVICE};
use crate::log::Log;
use crate::peer::{dial, file, offer, receive, send, SEALS, SIZE};
use crate::{open, shared, turn};

/// An offer that is refused, with its descriptors, and the name of the refusal.
struct Case {
    bytes: Vec<u8>,
    files: Vec<OwnedFd>,
    name: &'static str,
}

/// A descriptor that is good.
fn good() -> OwnedFd {
    file(SIZE, true, SEALS)
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |bytes: &[u8], files: Vec<OwnedFd>, name| {
        let bytes = bytes.to_vec();
        cases.push(Case { bytes, files, name });
    };
    for n in 1..32 {
        add(&offer()[..n], vec![good()], "shm_handover");
    }
    // One wrong byte in each field.
    for (at, byte) in [
        (1, b'Y'),
        (3, b'T'),
        (4, 0),
        (4, 2),
        (5, 1),
        (5, 2),
        (5, 3),
        (5, 255),
        (6, 2),
        (7, 1),
        (8, 1),
        (9, 0),
        (9, 8),
        (12, 1),
        (15, 128),
        (16, 1),
        (31, 1),
    ] {
        let mut bytes = offer();
        bytes[at] = byte;
        add(&bytes, vec![good()], "shm_handover");
    }
    let whole = offer();
    add(&whole, vec![], "shm_memory");
    add(&whole, vec![good(), good()], "shm_memory");
    add(&whole, vec![good(), good(), good()], "shm_memory");
    for missing in SEALS {
        let seals = SEALS.into_iter().filter(|seal| *seal != missing);
        add(&whole, vec![file(SIZE, true, seals)], "shm_memory");
    }
    for size in [SIZE - 1, SIZE + 1, SIZE + 4096, 4096] {
        add(&whole, vec![file(size, true, SEALS)], "shm_memory");
    }
    add(&whole, vec![file(SIZE, false, SEALS)], "shm_memory");
    let (pipe, _) = rustix::pipe::pipe().unwrap();
    add(&whole, vec![pipe], "shm_memory");
    let regular = std::fs::File::open("/proc/self/exe").unwrap();
    add(&whole, vec![regular.into()], "shm_memory");
    cases
}

fn lent(files: &[OwnedFd]) -> Vec<BorrowedFd<'_>> {
    files.iter().map(|file| file.as_fd()).collect()
}

async fn served() -> ServerHandle {
    let server = Server::new().service(service(&Arc::default()));
    server.listen(&shared(&plain())).await.unwrap()
}

/// Descriptors beside each byte of an offer are closed as they come, and counted.
#[tokio::test]
async fn no_more_descriptors_are_kept_than_one() {
    let _turn = turn().await;
    let (log, _guard) = Log::of_this_thread();
    let server = served().await;
    let address = server.address().clone();
    let begins = tokio::task::spawn_blocking(move || {
        let (stream, memory) = (dial(&address), good());
        let before = open();
        for byte in &offer()[..31] {
            send(
                &stream,
                &[*byte],
                &lent(&[memory.try_clone().unwrap(), good()]),
            );
        }
        (stream, memory, before)
    });
    let (stream, memory, before) = begins.await.unwrap();
    // The server reads them meanwhile.
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert!(open().0 <= before.0 + 1);
    let ends = tokio::task::spawn_blocking(move || {
        send(&stream, &offer()[31..], &[]);
        drop(memory);
        receive(&stream).0[5]
    });
    assert_eq!(ends.await.unwrap(), 2);
    until("the log has it", || {
        log.count("62 descriptors came with an offer") == 1
    })
    .await;
}

#[tokio::test]
async fn a_server_refuses_what_is_no_offer() {
    let _turn = turn().await;
    let (log, _guard) = Log::of_this_thread();
    let server = served().await;
    let client = Client::connect(&server.address().to_string()).unwrap();
    let options = Options::new();
    let call = || client.call(SERVICE, ECHO, vec![1], &options);
    client.ready().await.unwrap();
    let mut refused = [("shm_handover", 0), ("shm_memory", 0)];
    let before = open();
    let cases = cases();
    let with_cases = open();
    for case in cases {
        let address = server.address().clone();
        for (name, count) in &mut refused {
            *count += usize::from(*name == case.name);
        }
        let answered = tokio::task::spawn_blocking(move || {
            let stream = dial(&address);
            send(&stream, &case.bytes, &lent(&case.files));
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            let answer = receive(&stream);
            let is_over = receive(&stream).0.is_empty();
            (answer, is_over)
        });
        let ((bytes, files), is_over) = answered.await.unwrap();
        assert_eq!((&bytes[..6], bytes.len()), (&b"MXPS\x01\x02"[..], 32));
        assert!(files.is_empty() && is_over);
        for (name, count) in refused {
            assert_eq!(log.count(name), count, "{name}");
        }
        call().await.unwrap();
    }
    // The received files are closed, and so is the connection.
    assert!(with_cases.0 > before.0);
    until("all is closed", || open() == before).await;
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_client_refuses_what_is_no_offer() {
    let _turn = turn().await;
    let before = open();
    for case in cases() {
        let address = shared(&plain());
        let path = address.strip_prefix("mxp+shm://").unwrap();
        let listener = UnixListener::bind(path).unwrap();
        let name = case.name;
        let ends = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&ends);
        let answering = std::thread::spawn(move || loop {
            let (stream, _) = listener.accept().unwrap();
            if is_over.load(Ordering::SeqCst) {
                return;
            }
            let (offer, files) = receive(&stream);
            if offer.is_empty() {
                continue; // an attempt that ended when the client was dropped
            }
            assert_eq!(files.len(), 1);
            send(&stream, &case.bytes, &lent(&case.files));
        });
        let client = Client::connect(&address).unwrap();
        let failure = client.ready().await.unwrap_err();
        drop(client);
        let at = address.clone();
        let asking = tokio::task::spawn_blocking(move || blocking::Client::connect(&at));
        let other = asking.await.unwrap().unwrap_err();
        ends.store(true, Ordering::SeqCst);
        UnixStream::connect(path).unwrap();
        answering.join().unwrap();
        assert_eq!(failure.status, Status::FAILED_PRECONDITION, "{failure}");
        assert_eq!(failure.name, name, "{failure}");
        assert!(other.to_string().contains(name), "{other}");
    }
    until("all is closed", || open() == before).await;
}

/// A server that takes no memory of this client's, and one that closes at once, as one does that
/// has as many connections as it may.
#[tokio::test]
async fn a_client_that_is_refused_is_told_so() {
    let _turn = turn().await;
    for (answer, status) in [
        (&b"MXPS\x01\x02"[..], Status::FAILED_PRECONDITION),
        (&b""[..], Status::UNAVAILABLE),
    ] {
        let address = shared(&plain());
        let path = address.strip_prefix("mxp+shm://").unwrap();
        let listener = UnixListener::bind(path).unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let mut bytes = answer.to_vec();
                bytes.resize(if answer.is_empty() { 0 } else { 32 }, 0);
                receive(&stream);
                if !bytes.is_empty() {
                    send(&stream, &bytes, &[]);
                }
            }
        });
        let client = ClientOptions::new().connect_timeout(std::time::Duration::from_millis(200));
        let client = client.connect(&address).unwrap();
        let failure = client.ready().await.unwrap_err();
        assert_eq!(
            (failure.status, &failure.name[..]),
            (status, "not_connected")
        );
    }
}
