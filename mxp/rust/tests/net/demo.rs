//! The server that is talked to.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use mxp::net::{Client, ClientOptions, Failure, Reply, Server, ServerHandle, Service, Stream};
use mxp::session::{Limits, Status};

pub(crate) const SERVICE: &str = "demo.Echo";
pub(crate) const ECHO: u16 = 1;
pub(crate) const REFUSE: u16 = 2;
pub(crate) const UPPER: u16 = 3;
pub(crate) const TICK: u16 = 4;
/// A call that is never answered.
pub(crate) const HANG: u16 = 6;
/// A stream that begins, and does nothing more.
pub(crate) const IDLE: u16 = 7;
/// A call whose handler panics.
pub(crate) const PANIC: u16 = 8;
/// A stream of which the first chunk is taken.
pub(crate) const ONE: u16 = 9;
/// A stream whose handler sends a chunk that is too large.
pub(crate) const LARGE: u16 = 10;

/// A command of a test program. An emulator that runs this program has to run its processes too: a
/// kernel starts no programs of other machines by itself.
pub(crate) fn command(program: &Path) -> Command {
    let emulator = std::env::var("MXP_EMULATOR").unwrap_or_default();
    let mut words = emulator.split_whitespace();
    let Some(first) = words.next() else {
        return Command::new(program);
    };
    let mut command = Command::new(first);
    command.args(words).arg(program);
    command
}

/// A command of this program.
pub(crate) fn this_program() -> Command {
    command(&std::env::current_exe().unwrap())
}

/// How a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    /// A unix socket, or a named pipe where the system has none.
    Local,
    #[cfg(feature = "shm")]
    Shm,
    Tcp,
    #[cfg(feature = "tls")]
    Tls,
    #[cfg(feature = "websocket")]
    Ws,
    #[cfg(all(feature = "tls", feature = "websocket"))]
    Wss,
}

pub(crate) const ALL: &[Transport] = &[
    Transport::Local,
    #[cfg(feature = "shm")]
    Transport::Shm,
    Transport::Tcp,
    #[cfg(feature = "tls")]
    Transport::Tls,
    #[cfg(feature = "websocket")]
    Transport::Ws,
    #[cfg(all(feature = "tls", feature = "websocket"))]
    Transport::Wss,
];

/// The state that the handlers have seen.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) ticks: AtomicUsize,
    /// Calls that hang at this moment.
    pub(crate) hanging: AtomicUsize,
}

/// A folder of its own for a test.
pub(crate) fn folder() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("mxp-net-{}-{n}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    // A process of this number may have left one.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// An address of its own for a test: of a unix socket, or of a free port where the system has none.
pub(crate) fn plain() -> String {
    if cfg!(unix) {
        return format!("mxp+unix://{}/s", folder().display());
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("mxp+tcp://{}", port.local_addr().unwrap())
}

/// An address of its own for programs of this machine.
pub(crate) fn local() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    if cfg!(unix) {
        return plain();
    }
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("mxp+pipe://mxp-net-{}-{n}", std::process::id())
}

/// Such an address as one of shared memory.
#[cfg(feature = "shm")]
pub(crate) fn shared(address: &str) -> String {
    format!("mxp+shm://{}", place(address))
}

/// The sockets of such addresses.
#[cfg(not(unix))]
#[allow(unused_imports, reason = "not every test program needs both")]
pub(crate) use std::net::{TcpListener as PlainListener, TcpStream as PlainStream};
#[cfg(unix)]
#[allow(unused_imports, reason = "not every test program needs both")]
pub(crate) use std::os::unix::net::{UnixListener as PlainListener, UnixStream as PlainStream};

/// The place of such an address, as its sockets take it.
pub(crate) fn place(address: &str) -> &str {
    address.split_once("://").unwrap().1
}

struct Hanging(Arc<Seen>);

impl Drop for Hanging {
    fn drop(&mut self) {
        self.0.hanging.fetch_sub(1, Ordering::SeqCst);
    }
}

pub(crate) fn service(seen: &Arc<Seen>) -> Service {
    let (ticking, hanging) = (Arc::clone(seen), Arc::clone(seen));
    Service::new(SERVICE)
        .call(ECHO, |request| async move {
            let mut reply = Reply::new(request.value);
            reply.metadata = request.metadata;
            Ok(reply)
        })
        .call(REFUSE, |request| async move {
            let text = String::from_utf8_lossy(&request.value);
            let failure = Failure::new(Status::FAILED_PRECONDITION, "demo_refused", text);
            Err(failure.with_details(vec![1, 2]))
        })
        .stream(UPPER, |_, mut stream: Stream| async move {
            while let Some(mut chunk) = stream.receive().await? {
                chunk.make_ascii_uppercase();
                stream.send(chunk).await?;
            }
            Ok(())
        })
        .event(TICK, move |request| {
            ticking.ticks.fetch_add(1, Ordering::SeqCst);
            match &request.value[..] {
                b"bad" => Err(Failure::new(Status::INVALID_ARGUMENT, "demo_bad", "")),
                _ => Ok(()),
            }
        })
        .call(HANG, move |_| {
            hanging.hanging.fetch_add(1, Ordering::SeqCst);
            let hangs = Hanging(Arc::clone(&hanging));
            async move {
                let _hangs = hangs;
                std::future::pending().await
            }
        })
        .stream(IDLE, |_, stream| async move {
            let _stream = stream;
            std::future::pending().await
        })
        .stream(ONE, |_, mut stream: Stream| async move {
            stream.receive().await?;
            Ok(())
        })
        .stream(LARGE, |_, stream| async move {
            stream.send(vec![0; (1 << 20) + 1]).await
        })
        .call(PANIC, |_| async { panic!("a handler is broken") })
}

/// A server that is to listen at an address of a transport, and how clients reach it.
pub(crate) fn sides(transport: Transport, seen: &Arc<Seen>) -> (String, Server, ClientOptions) {
    let address = match transport {
        Transport::Local => local(),
        #[cfg(feature = "shm")]
        Transport::Shm => shared(&local()),
        Transport::Tcp => "mxp+tcp://127.0.0.1:0".into(),
        #[cfg(feature = "tls")]
        Transport::Tls => "mxp+tls://127.0.0.1:0".into(),
        #[cfg(feature = "websocket")]
        Transport::Ws => "mxp+ws://127.0.0.1:0/mxp".into(),
        #[cfg(all(feature = "tls", feature = "websocket"))]
        Transport::Wss => "mxp+wss://127.0.0.1:0/mxp".into(),
    };
    let server = Server::new().service(service(seen));
    // A request that waits may wait long where the machine has much else to do.
    let client = ClientOptions::new().connect_timeout(Duration::from_secs(60));
    #[cfg(feature = "tls")]
    let (server, client) = {
        let (serving, asking) = tls();
        (server.tls(serving), client.tls(asking))
    };
    (address, server, client)
}

/// A server and a client that talk over a transport.
pub(crate) async fn pair(transport: Transport) -> (ServerHandle, Client, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let (address, server, client) = sides(transport, &seen);
    let listening = server.listen(&address).await.unwrap();
    let client = client.connect(&listening.address().to_string()).unwrap();
    (listening, client, seen)
}

/// A server with limits of its own.
pub(crate) async fn limited(limits: Limits) -> (ServerHandle, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let server = Server::new().service(service(&seen)).limits(limits);
    (server.listen(&plain()).await.unwrap(), seen)
}

/// How both sides speak TLS, by a certificate for 127.0.0.1 that signs itself.
#[cfg(feature = "tls")]
fn tls() -> (
    mxp::net::rustls::ServerConfig,
    mxp::net::rustls::ClientConfig,
) {
    use mxp::net::rustls::crypto::ring::default_provider;
    use mxp::net::rustls::pki_types::pem::PemObject as _;
    use mxp::net::rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use mxp::net::rustls::{ClientConfig, RootCertStore, ServerConfig};
    let certificate = CertificateDer::from_pem_slice(include_bytes!("certificate.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("key.pem")).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let provider = Arc::new(default_provider());
    let serving = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let asking = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    (serving, asking)
}

/// Waits until something is so, but not for ever.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..1000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never came to this: {what}");
}
