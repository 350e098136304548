//! Sockets of all kinds, connected and accepted.

use std::boxed::Box;
use std::io;
use std::string::String;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};

use crate::net::Address;

/// Bytes in both directions.
pub(crate) trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Socket for T {}

/// What a client needs to know for TLS.
#[derive(Clone, Default)]
pub(crate) struct ClientTls {
    #[cfg(feature = "tls")]
    pub(crate) config: Option<std::sync::Arc<tokio_rustls::rustls::ClientConfig>>,
}

/// Whether the transport, or the kernel, protects the bytes [MXP-6.7].
pub(crate) const fn protects(address: &Address) -> bool {
    !matches!(address, Address::Tcp(_))
}

pub(crate) async fn connect(address: &Address, tls: &ClientTls) -> io::Result<Box<dyn Socket>> {
    match address {
        Address::Unix(path) => Ok(Box::new(UnixStream::connect(path).await?)),
        Address::Tcp(at) => Ok(Box::new(tcp(at).await?)),
        Address::Tls(at) => connect_tls(at, tls).await,
    }
}

async fn tcp(at: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(at).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

#[cfg(feature = "tls")]
async fn connect_tls(at: &str, tls: &ClientTls) -> io::Result<Box<dyn Socket>> {
    use std::borrow::ToOwned as _;
    let config = tls.config.clone().ok_or_else(no_tls)?;
    let name = crate::net::address::host(at).to_owned();
    let name = name.try_into().map_err(io::Error::other)?;
    let connector = tokio_rustls::TlsConnector::from(config);
    Ok(Box::new(connector.connect(name, tcp(at).await?).await?))
}

#[cfg(not(feature = "tls"))]
#[expect(
    clippy::unused_async,
    reason = "with TLS there is something to wait for"
)]
async fn connect_tls(_: &str, _: &ClientTls) -> io::Result<Box<dyn Socket>> {
    Err(no_tls())
}

/// Why there is no TLS.
pub(crate) fn no_tls() -> io::Error {
    let text = String::from("TLS is not configured");
    io::Error::new(io::ErrorKind::Unsupported, text)
}
