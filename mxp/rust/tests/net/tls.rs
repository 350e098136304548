//! Certificates of clients, and a server's that is replaced while it listens.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mxp::net::rustls::crypto::ring::{default_provider, sign::any_supported_type};
use mxp::net::rustls::pki_types::pem::PemObject as _;
use mxp::net::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use mxp::net::rustls::server::{ClientHello, ResolvesServerCert, WebPkiClientVerifier};
use mxp::net::rustls::sign::CertifiedKey;
use mxp::net::rustls::{ClientConfig, RootCertStore, ServerConfig};
use mxp::net::{Client, ClientOptions, Failure, Options, Reply, Server, ServerHandle, Service};
use mxp::session::Status;

fn certificate() -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(include_bytes!("certificate.pem")).unwrap()
}

fn key() -> PrivateKeyDer<'static> {
    PrivateKeyDer::from_pem_slice(include_bytes!("key.pem")).unwrap()
}

fn roots() -> Arc<RootCertStore> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate()).unwrap();
    Arc::new(roots)
}

async fn listen(config: ServerConfig) -> ServerHandle {
    let echo =
        Service::new("demo.Echo").call(1, |request| async move { Ok(Reply::new(request.value)) });
    let server = Server::new().service(echo).tls(config);
    server.listen("mxp+tls://127.0.0.1:0").await.unwrap()
}

/// How a server speaks TLS, which may demand a certificate of its clients.
fn serving(demands: bool) -> ServerConfig {
    let provider = Arc::new(default_provider());
    let clients = WebPkiClientVerifier::builder_with_provider(roots(), Arc::clone(&provider));
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let config = if demands {
        config.with_client_cert_verifier(clients.build().unwrap())
    } else {
        config.with_no_client_auth()
    };
    config.with_single_cert(vec![certificate()], key()).unwrap()
}

/// How a client speaks TLS that trusts some certificates, and may show one.
fn asking(roots: Arc<RootCertStore>, with_certificate: bool) -> ClientConfig {
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    if with_certificate {
        config
            .with_client_auth_cert(vec![certificate()], key())
            .unwrap()
    } else {
        config.with_no_client_auth()
    }
}

fn client(to: &ServerHandle, with_certificate: bool) -> Client {
    let config = asking(roots(), with_certificate);
    let address = to.address().to_string();
    ClientOptions::new().tls(config).connect(&address).unwrap()
}

async fn ask(client: &Client, deadline: Duration) -> Result<Reply, Failure> {
    let options = Options::new().with_deadline(deadline);
    client.call("demo.Echo", 1, b"x".to_vec(), &options).await
}

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(300);

#[tokio::test]
async fn a_client_without_a_certificate_is_refused_where_one_is_required() {
    let server = listen(serving(true)).await;
    assert_eq!(
        ask(&client(&server, true), LONG).await.unwrap().value,
        b"x"[..]
    );
    let refused = ask(&client(&server, false), SHORT).await.unwrap_err();
    assert!(!refused.acted);
}

/// The certificate that a server shows its clients.
#[derive(Debug)]
struct Shown(Mutex<Option<Arc<CertifiedKey>>>);

impl ResolvesServerCert for Shown {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0.lock().unwrap().clone()
    }
}

#[tokio::test]
async fn a_certificate_that_is_replaced_is_shown_to_those_who_connect_later() {
    let signing = any_supported_type(&key()).unwrap();
    let good = Arc::new(CertifiedKey::new(vec![certificate()], signing));
    let shown = Arc::new(Shown(Mutex::new(None)));
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::clone(&shown) as Arc<dyn ResolvesServerCert>);
    let server = listen(config).await;
    ask(&client(&server, false), SHORT).await.unwrap_err();
    *shown.0.lock().unwrap() = Some(good);
    ask(&client(&server, false), LONG).await.unwrap();
}

/// A client says why TLS is not spoken with it, or that nobody answers. [MXP-14.2], [MXP-14.3]
#[tokio::test]
async fn tls_that_does_not_fit_ends_calls() {
    let plain = Server::new().listen("mxp+tcp://127.0.0.1:0").await.unwrap();
    let secure = listen(serving(false)).await;
    let demands = listen(serving(true)).await;
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent = format!("mxp+tls://{}", silent.local_addr().unwrap());
    let tls = |server: &ServerHandle| server.address().to_string().replace("tcp", "tls");
    let tcp = |server: &ServerHandle| server.address().to_string().replace("tls", "tcp");
    let other = |server: &ServerHandle| tls(server).replace("127.0.0.1", "localhost");
    let (lost, wrong) = (Status::UNAVAILABLE, Status::FAILED_PRECONDITION);
    for (status, at, trusts, text) in [
        (wrong, tls(&plain), true, "TLS: "),
        (wrong, tls(&secure), false, "UnknownIssuer"),
        (wrong, other(&secure), true, "not valid for name"),
        (wrong, tls(&demands), true, "CertificateRequired"),
        (wrong, tcp(&secure), true, "another protocol"),
        (lost, silent, true, "nothing has answered yet"),
    ] {
        let roots = if trusts {
            roots()
        } else {
            Arc::new(RootCertStore::empty())
        };
        // A final failure has to come at once, or the test does not end.
        let timeout = if status == lost { SHORT } else { LONG * 60 };
        let options = ClientOptions::new().connect_timeout(timeout);
        let client = options.tls(asking(roots, false)).connect(&at).unwrap();
        let called = client.call("demo.Echo", 1, vec![], &Options::new()).await;
        let failure = called.unwrap_err();
        assert_eq!(failure.status, status, "{failure}");
        let speaks = at.starts_with("mxp+tls");
        let name = if speaks {
            "not_connected"
        } else {
            "frame_magic"
        };
        assert_eq!(failure.name, name, "{failure}");
        assert_eq!(failure.peer(), at, "{failure}");
        assert!(failure.text.contains(text), "{failure}");
        assert!(!failure.acted, "{failure}");
    }
}

/// TLS that no connection can be made with is told at once, before anybody is asked.
#[tokio::test]
async fn tls_that_can_not_be_is_refused_at_once() {
    let nobody = "mxp+tls://127.0.0.1:1";
    let mut config = asking(roots(), false);
    config.max_fragment_size = Some(1);
    let options = || ClientOptions::new().connect_timeout(LONG * 60);
    let wrong = options().tls(config).connect(nobody).unwrap();
    let unnamed = options().tls(asking(roots(), false));
    let unnamed = unnamed.connect("mxp+tls://a_b..c:1").unwrap();
    let none = options().connect(nobody).unwrap();
    for client in [wrong, unnamed, none] {
        let called = client.call("demo.Echo", 1, vec![], &Options::new()).await;
        let failure = called.unwrap_err();
        assert_eq!(failure.status, Status::FAILED_PRECONDITION, "{failure}");
        assert!(failure.text.contains("TLS"), "{failure}");
    }
    let mut config = serving(false);
    config.max_fragment_size = Some(1);
    for server in [Server::new(), Server::new().tls(config)] {
        let error = server.listen("mxp+tls://127.0.0.1:0").await.unwrap_err();
        let failure = error.get_ref().and_then(|inner| inner.downcast_ref());
        let failure: &Failure = failure.expect("a failure");
        assert_eq!(failure.status, Status::FAILED_PRECONDITION, "{failure}");
        assert!(failure.text.contains("TLS"), "{failure}");
    }
}
