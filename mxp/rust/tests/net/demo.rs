//! The server that is talked to.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Once};
use std::time::Duration;

use mxp::net::rustls;
use mxp::net::{Client, ClientOptions, Failure, Listening, Reply, Server, Service, Stream};
use mxp::session::{Limits, Status};
use rustls::pki_types::PrivateKeyDer;

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

/// How a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Unix,
    Tcp,
    Tls,
}

pub(crate) const ALL: [Transport; 3] = [Transport::Unix, Transport::Tcp, Transport::Tls];

/// What the handlers have seen.
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
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A unix address of its own for a test.
pub(crate) fn unix() -> String {
    format!("mxp+unix://{}/s", folder().display())
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
        .call(ECHO, |asked| async move {
            let mut reply = Reply::new(asked.value);
            reply.metadata = asked.metadata;
            Ok(reply)
        })
        .call(REFUSE, |asked| async move {
            let text = String::from_utf8_lossy(&asked.value);
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
        .event(TICK, move |asked| {
            ticking.ticks.fetch_add(1, Ordering::SeqCst);
            match &asked.value[..] {
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
        .call(PANIC, |_| async { panic!("a handler is broken") })
}

/// A server and a client that talk over a transport.
pub(crate) async fn pair(transport: Transport) -> (Listening, Client, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let address = match transport {
        Transport::Unix => unix(),
        Transport::Tcp => "mxp+tcp://127.0.0.1:0".into(),
        Transport::Tls => "mxp+tls://127.0.0.1:0".into(),
    };
    let mut server = Server::new().service(service(&seen));
    let mut client = ClientOptions::new();
    if transport == Transport::Tls {
        let (serving, asking) = tls();
        server = server.tls(serving);
        client = client.tls(asking);
    }
    let listening = server.listen(&address).await.unwrap();
    let client = client.connect(&listening.address().to_string()).unwrap();
    (listening, client, seen)
}

/// A server on a unix socket with limits of its own.
pub(crate) async fn limited(limits: Limits) -> (Listening, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let server = Server::new().service(service(&seen)).limits(limits);
    (server.listen(&unix()).await.unwrap(), seen)
}

/// A certificate for 127.0.0.1 that signs itself, for both sides.
fn tls() -> (rustls::ServerConfig, rustls::ClientConfig) {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        let provider = rustls::crypto::ring::default_provider();
        provider.install_default().unwrap();
    });
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".into()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(made.key_pair.serialize_der().into());
    let certificate = made.cert.der().clone();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let serving = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let asking = rustls::ClientConfig::builder()
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
