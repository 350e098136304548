//! Clients that show certificates, and the identities that a server reads.
//!
//! An authority has signed all certificates but the unknown client's, which a stranger has signed;
//! `revocations.pem` is the list of certificates that the authority has revoked.

use std::sync::Arc;

use mxp::net::rustls::crypto::ring::default_provider;
use mxp::net::rustls::pki_types::pem::PemObject as _;
use mxp::net::rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use mxp::net::rustls::server::WebPkiClientVerifier;
use mxp::net::rustls::{ClientConfig, RootCertStore, ServerConfig};
use mxp::net::{Client, ClientOptions, Failure, Options, Reply, Server, ServerHandle, Service};
use mxp::net::{Peer, Transport};
use mxp::session::Status;

/// The bytes of a file beside this one.
macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("certificates/", $name)).as_bytes()
    };
}

type Shown = (&'static [u8], &'static [u8]);

const MIXER: Shown = (file!("mixer.pem"), file!("mixer.key"));
const EXPIRED: Shown = (file!("expired.pem"), file!("expired.key"));
const REVOKED: Shown = (file!("revoked.pem"), file!("revoked.key"));
const UNKNOWN: Shown = (file!("unknown.pem"), file!("unknown.key"));

fn roots(authority: &[u8]) -> Arc<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let authority = CertificateDer::from_pem_slice(authority).unwrap();
    roots.add(authority).unwrap();
    Arc::new(roots)
}

fn certificate(
    (certificate, key): Shown,
) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
    let chain = vec![CertificateDer::from_pem_slice(certificate).unwrap()];
    (chain, PrivateKeyDer::from_pem_slice(key).unwrap())
}

/// How a server speaks TLS that demands certificates which are not revoked.
fn serving() -> ServerConfig {
    let provider = Arc::new(default_provider());
    let revoked = CertificateRevocationListDer::from_pem_slice(file!("revocations.pem"));
    let clients = WebPkiClientVerifier::builder_with_provider(
        roots(file!("authority.pem")),
        Arc::clone(&provider),
    )
    .with_crls([revoked.unwrap()])
    .build()
    .unwrap();
    let (chain, key) = certificate((file!("server.pem"), file!("server.key")));
    ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(clients)
        .with_single_cert(chain, key)
        .unwrap()
}

/// How a client speaks TLS that trusts an authority, and may show a certificate.
fn asking(authority: &[u8], shown: Option<Shown>) -> ClientConfig {
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots(authority));
    match shown.map(certificate) {
        Some((chain, key)) => config.with_client_auth_cert(chain, key).unwrap(),
        None => config.with_no_client_auth(),
    }
}

fn client(address: &str, authority: &[u8], shown: Option<Shown>) -> Client {
    let options = ClientOptions::new().tls(asking(authority, shown));
    options.connect(address).unwrap()
}

/// A server that tells each caller who it is.
async fn mirror(server: Server) -> (ServerHandle, String) {
    let service = Service::new("demo.Mirror").call(1, |request| async move {
        let certificate = request.peer().certificate.clone().unwrap();
        let names = [certificate.dns_names, certificate.uris, certificate.emails].concat();
        let lines = [
            certificate.subject,
            names.join(" "),
            certificate.serial,
            certificate.sha256,
        ];
        assert_eq!(request.peer().transport, Transport::Tls);
        Ok(Reply::new(lines.join("\n").into_bytes()))
    });
    let server = server.service(service).tls(serving());
    let server = server.listen("mxp+tls://127.0.0.1:0").await.unwrap();
    // That is what its certificate is for.
    let address = server.address().to_string();
    (server, address.replace("127.0.0.1", "localhost"))
}

async fn ask(client: &Client) -> Result<String, Failure> {
    let reply = client
        .call("demo.Mirror", 1, vec![], &Options::new())
        .await?;
    Ok(String::from_utf8(reply.value.to_vec()).unwrap())
}

#[tokio::test]
async fn a_handler_sees_whose_certificate_was_verified() {
    let (_server, address) = mirror(Server::new()).await;
    let client = client(&address, file!("authority.pem"), Some(MIXER));
    let want = [
        "CN=mixer,O=Desk",
        "mixer mixer.desk spiffe://desk/mixer mixer@desk.example",
        "2d",
        "ccba188f906b3cd256a0b5cbbe54a87c966730236a987a69b7eadc601ab5ab37",
    ];
    assert_eq!(ask(&client).await.unwrap(), want.join("\n"));
}

#[tokio::test]
async fn certificates_that_are_not_good_let_nobody_in() {
    let (_server, address) = mirror(Server::new()).await;
    let unnamed = address.replace("localhost", "127.0.0.1");
    let (good, wrong) = (file!("authority.pem"), file!("stranger.pem"));
    for (at, authority, shown, why) in [
        (&address, wrong, Some(MIXER), "UnknownIssuer"),
        (&unnamed, good, Some(MIXER), "not valid for name"),
        (&address, good, None, "CertificateRequired"),
        (&address, good, Some(EXPIRED), "CertificateExpired"),
        (&address, good, Some(REVOKED), "CertificateRevoked"),
        (&address, good, Some(UNKNOWN), "UnknownCA"),
    ] {
        let failure = ask(&client(at, authority, shown)).await.unwrap_err();
        assert_eq!(failure.status, Status::FAILED_PRECONDITION, "{failure}");
        assert!(failure.text.contains(why) && !failure.acted, "{failure}");
    }
}

#[tokio::test]
async fn a_rule_lets_in_whom_a_certificate_is_for() {
    let admit = |peer: &Peer| {
        let names = peer
            .certificate
            .iter()
            .flat_map(|certificate| &certificate.dns_names);
        if names.into_iter().any(|name| name == "mixer") {
            return Ok(());
        }
        Err(Failure::new(
            Status::PERMISSION_DENIED,
            "not_the_mixer",
            "go away",
        ))
    };
    let (_server, address) = mirror(Server::new().admit(admit)).await;
    let authority = file!("authority.pem");
    ask(&client(&address, authority, Some(MIXER)))
        .await
        .unwrap();

    let refuse = |_: &Peer| Err(Failure::new(Status::PERMISSION_DENIED, "closed", "go away"));
    let (_server, address) = mirror(Server::new().admit(refuse)).await;
    let failure = ask(&client(&address, authority, Some(MIXER)))
        .await
        .unwrap_err();
    assert_eq!(failure.status, Status::PERMISSION_DENIED, "{failure}");
    assert_eq!(
        (&failure.name[..], failure.acted),
        ("closed", false),
        "{failure}"
    );
}
