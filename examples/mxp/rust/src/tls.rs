//! TLS, by files that the environment names.

use std::env::var;
use std::error::Error;
use std::sync::Arc;

use mxp::net::rustls::crypto::ring::default_provider;
use mxp::net::rustls::pki_types::pem::PemObject as _;
use mxp::net::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use mxp::net::rustls::{ClientConfig, RootCertStore, ServerConfig};
use mxp::net::{Client, ClientOptions, Server};

/// Gives a server the certificate of `MXP_DEMO_CERTIFICATE`, whose key `MXP_DEMO_KEY` names.
pub fn server(server: Server) -> Result<Server, Box<dyn Error>> {
    let Ok(file) = var("MXP_DEMO_CERTIFICATE") else {
        return Ok(server);
    };
    let chain = CertificateDer::pem_file_iter(file)?.collect::<Result<_, _>>()?;
    let key = PrivateKeyDer::from_pem_file(var("MXP_DEMO_KEY")?)?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(server.tls(config))
}

/// A client that checks a server's certificate by that of `MXP_DEMO_AUTHORITY`.
pub fn client(address: &str) -> Result<Client, Box<dyn Error>> {
    let Ok(file) = var("MXP_DEMO_AUTHORITY") else {
        return Ok(Client::connect(address)?);
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file)? {
        roots.add(certificate?)?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(ClientOptions::new().tls(config).connect(address)?)
}
