//! TLS over TCP.

use std::borrow::ToOwned as _;

use super::tcp::is_authority;
#[cfg(feature = "tokio")]
use super::{EstablishedConnection, ListenOptions, Listener, Pending};
use super::{Protects, Provider};
use crate::net::Address;

#[cfg(feature = "tls")]
mod secure;

pub(crate) const SCHEME: &str = "tls";

/// TLS as a client or a server is told to speak it, if it is.
#[derive(Clone, Default)]
pub(crate) struct Tls {
    #[cfg(feature = "tls")]
    client: Option<std::sync::Arc<tokio_rustls::rustls::ClientConfig>>,
    #[cfg(feature = "tls")]
    server: Option<std::sync::Arc<tokio_rustls::rustls::ServerConfig>>,
}

#[cfg(feature = "tls")]
impl Tls {
    pub(crate) fn of_client(config: std::sync::Arc<tokio_rustls::rustls::ClientConfig>) -> Self {
        Self {
            client: Some(config),
            server: None,
        }
    }

    pub(crate) fn of_server(config: std::sync::Arc<tokio_rustls::rustls::ServerConfig>) -> Self {
        Self {
            client: None,
            server: Some(config),
        }
    }

    /// The same, for connections by which one protocol of ALPN is spoken.
    #[cfg(feature = "websocket")]
    pub(crate) fn speaking(&self, protocol: &[u8]) -> Self {
        use std::sync::Arc;
        let mut tls = self.clone();
        let protocols = std::vec![protocol.to_vec()];
        if let Some(config) = &mut tls.client {
            Arc::make_mut(config).alpn_protocols.clone_from(&protocols);
        }
        if let Some(config) = &mut tls.server {
            Arc::make_mut(config).alpn_protocols = protocols;
        }
        tls
    }
}

impl Provider for Tls {
    fn scheme(&self) -> &'static str {
        SCHEME
    }

    fn form(&self) -> &'static str {
        "host:port"
    }

    fn address(&self, place: &str) -> Option<Address> {
        is_authority(place).then(|| Address::Tls(place.to_owned()))
    }

    fn protects(&self) -> Protects {
        Protects::ENCRYPTION
    }

    #[cfg(feature = "tls")]
    fn dial<'a>(&'a self, place: &'a str) -> Pending<'a, EstablishedConnection> {
        std::boxed::Box::pin(async move {
            let config = self.client.as_ref().ok_or_else(no_tls)?;
            secure::dial(config, place).await
        })
    }

    #[cfg(feature = "tls")]
    fn listen<'a>(
        &'a self,
        place: &'a str,
        _: ListenOptions,
    ) -> Pending<'a, std::boxed::Box<dyn Listener>> {
        std::boxed::Box::pin(async move {
            let config = self.server.as_ref().ok_or_else(no_tls)?;
            Ok(std::boxed::Box::new(secure::listen(config, place).await?) as _)
        })
    }

    #[cfg(all(feature = "tokio", not(feature = "tls")))]
    fn dial<'a>(&'a self, _: &'a str) -> Pending<'a, EstablishedConnection> {
        std::boxed::Box::pin(core::future::ready(Err(no_tls().into())))
    }

    #[cfg(all(feature = "tokio", not(feature = "tls")))]
    fn listen<'a>(
        &'a self,
        _: &'a str,
        _: ListenOptions,
    ) -> Pending<'a, std::boxed::Box<dyn Listener>> {
        std::boxed::Box::pin(core::future::ready(Err(no_tls().into())))
    }

    #[cfg(feature = "blocking")]
    fn dial_blocking(
        &self,
        _: &str,
        _: core::time::Duration,
    ) -> std::io::Result<std::boxed::Box<dyn crate::net::transport::blocking::Socket>> {
        let text = "this client does not speak TLS";
        Err(std::io::Error::new(std::io::ErrorKind::Unsupported, text))
    }
}

/// Why there is no TLS.
#[cfg(feature = "tokio")]
fn no_tls() -> crate::net::Failure {
    crate::engine::outage::unusable("TLS is not configured")
}
