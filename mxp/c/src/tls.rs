//! TLS by files in the form PEM.

use std::path::Path;
use std::sync::Arc;

use mxp::net::rustls::crypto::ring::default_provider;
use mxp::net::rustls::pki_types::pem::PemObject as _;
use mxp::net::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use mxp::net::rustls::server::WebPkiClientVerifier;
use mxp::net::rustls::{ClientConfig, RootCertStore, ServerConfig};
use mxp::net::Failure;
use mxp::session::Status;

/// The paths of files; an empty one is none.
pub(crate) struct TlsFiles {
    pub(crate) authority: String,
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl TlsFiles {
    /// TLS as a client speaks it: with servers of the authority.
    pub(crate) fn of_client(&self) -> Result<ClientConfig, Failure> {
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| invalid("TLS", &error))?
            .with_root_certificates(self.roots()?);
        if self.certificate.is_empty() {
            return Ok(config.with_no_client_auth());
        }
        let (chain, key) = self.identity()?;
        let config = config.with_client_auth_cert(chain, key);
        config.map_err(|error| invalid(&self.certificate, &error))
    }

    /// TLS as a server speaks it: where there is an authority, with its clients alone.
    pub(crate) fn of_server(&self) -> Result<ServerConfig, Failure> {
        let provider = Arc::new(default_provider());
        let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| invalid("TLS", &error))?;
        let config = if self.authority.is_empty() {
            config.with_no_client_auth()
        } else {
            let roots = Arc::new(self.roots()?);
            let clients = WebPkiClientVerifier::builder_with_provider(roots, provider).build();
            let clients = clients.map_err(|error| invalid(&self.authority, &error))?;
            config.with_client_cert_verifier(clients)
        };
        let (chain, key) = self.identity()?;
        let config = config.with_single_cert(chain, key);
        config.map_err(|error| invalid(&self.certificate, &error))
    }

    fn roots(&self) -> Result<RootCertStore, Failure> {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(&self.authority)? {
            let added = roots.add(certificate);
            added.map_err(|error| invalid(&self.authority, &error))?;
        }
        Ok(roots)
    }

    fn identity(&self) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), Failure> {
        let key = PrivateKeyDer::from_pem_file(Path::new(&self.key));
        let key = key.map_err(|error| invalid(&self.key, &error))?;
        Ok((certificates(&self.certificate)?, key))
    }
}

/// The certificates of a file, of which there is one at least.
fn certificates(path: &str) -> Result<Vec<CertificateDer<'static>>, Failure> {
    let all = CertificateDer::pem_file_iter(Path::new(path)).and_then(Iterator::collect);
    let all: Vec<_> = all.map_err(|error| invalid(path, &error))?;
    if all.is_empty() {
        return Err(invalid(path, &"there is no certificate in the file"));
    }
    Ok(all)
}

/// The failure of a file.
fn invalid(path: &str, error: &dyn core::fmt::Display) -> Failure {
    let text = format!("{path}: {error}");
    Failure::new(Status::FAILED_PRECONDITION, "tls", text).refused()
}
