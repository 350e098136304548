//! Certificates of clients, and a server's that is replaced while it listens.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mxp::net::rustls::crypto::ring::{default_provider, sign::any_supported_type};
use mxp::net::rustls::pki_types::pem::PemObject as _;
use mxp::net::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use mxp::net::rustls::server::{ClientHello, ResolvesServerCert, WebPkiClientVerifier};
use mxp::net::rustls::sign::CertifiedKey;
use mxp::net::rustls::{ClientConfig, RootCertStore, ServerConfig};
use mxp::net::{Client, ClientOptions, Failure, Listening, Options, Reply, Server, Service};

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

async fn listen(config: ServerConfig) -> Listening {
    let echo =
        Service::new("demo.Echo").call(1, |asked| async move { Ok(Reply::new(asked.value)) });
    let server = Server::new().service(echo).tls(config);
    server.listen("mxp+tls://127.0.0.1:0").await.unwrap()
}

fn client(to: &Listening, with_certificate: bool) -> Client {
    let provider = Arc::new(default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots());
    let config = if with_certificate {
        config
            .with_client_auth_cert(vec![certificate()], key())
            .unwrap()
    } else {
        config.with_no_client_auth()
    };
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
    let provider = Arc::new(default_provider());
    let clients = WebPkiClientVerifier::builder_with_provider(roots(), Arc::clone(&provider))
        .build()
        .unwrap();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(clients)
        .with_single_cert(vec![certificate()], key())
        .unwrap();
    let server = listen(config).await;
    assert_eq!(
        ask(&client(&server, true), LONG).await.unwrap().value,
        b"x"[..]
    );
    let refused = ask(&client(&server, false), SHORT).await.unwrap_err();
    assert!(!refused.acted);
}

/// What is shown to those who connect.
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
