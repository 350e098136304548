//! Sockets of all kinds, connected and accepted.

use std::boxed::Box;
use std::io;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};

use crate::net::outage::{failed, unusable};
use crate::net::tune::tune;
use crate::net::{Address, Failure, Peer};

/// Bytes in both directions.
pub(crate) trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Socket for T {}

/// The configuration that a client needs for TLS.
#[derive(Clone, Default)]
pub(crate) struct ClientTls {
    #[cfg(feature = "tls")]
    pub(crate) config: Option<std::sync::Arc<tokio_rustls::rustls::ClientConfig>>,
}

/// Whether the transport, or the kernel, protects the bytes [MXP-6.7].
pub(crate) const fn protects(address: &Address) -> bool {
    !matches!(address, Address::Tcp(_))
}

/// Connects, and shakes hands where the address says so.
pub(crate) async fn connect(
    address: &Address,
    tls: &ClientTls,
) -> Result<(Box<dyn Socket>, Peer), Failure> {
    address.check()?;
    let broke = |error: io::Error| failed(address, &error);
    match address {
        Address::Unix(path) => {
            let stream = UnixStream::connect(path).await.map_err(broke)?;
            let peer = Peer::behind(address, &stream);
            Ok((Box::new(stream), peer))
        }
        Address::Tcp(at) => {
            let stream = tcp(at).await.map_err(broke)?;
            Ok((Box::new(stream), Peer::at(address)))
        }
        Address::Tls(at) => {
            let secure = Secure::new(at, tls)?;
            let stream = tcp(at).await.map_err(broke)?;
            secure.shake_hands(address, stream).await.map_err(broke)
        }
    }
}

async fn tcp(at: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(at).await?;
    tune(&stream)?;
    Ok(stream)
}

/// TLS as it is spoken with one host, which can be.
#[cfg(feature = "tls")]
struct Secure {
    connector: tokio_rustls::TlsConnector,
    host: tokio_rustls::rustls::pki_types::ServerName<'static>,
}

#[cfg(feature = "tls")]
impl Secure {
    fn new(at: &str, tls: &ClientTls) -> Result<Self, Failure> {
        use std::borrow::ToOwned as _;
        use tokio_rustls::rustls::pki_types::ServerName;
        let config = tls.config.clone().ok_or_else(no_tls)?;
        let host = crate::net::address::host(at).to_owned();
        let host = ServerName::try_from(host)
            .map_err(|error| unusable(std::format!("TLS: {error}: {at}")))?;
        let session = tokio_rustls::rustls::ClientConnection::new(config.clone(), host.clone());
        check_tls(session)?;
        let connector = tokio_rustls::TlsConnector::from(config);
        Ok(Self { connector, host })
    }

    async fn shake_hands(
        self,
        address: &Address,
        stream: TcpStream,
    ) -> io::Result<(Box<dyn Socket>, Peer)> {
        let stream = self.connector.connect(self.host, stream).await?;
        let peer = Peer::verified(address, stream.get_ref().1);
        Ok((Box::new(stream), peer))
    }
}

/// Refuses TLS that no connection can be made with.
#[cfg(feature = "tls")]
pub(crate) fn check_tls<T>(session: Result<T, tokio_rustls::rustls::Error>) -> Result<(), Failure> {
    let session = session.map(|_| ());
    session.map_err(|error| unusable(std::format!("TLS: {error}")))
}

/// TLS, which there is none of.
#[cfg(not(feature = "tls"))]
enum Secure {}

#[cfg(not(feature = "tls"))]
impl Secure {
    fn new(_: &str, _: &ClientTls) -> Result<Self, Failure> {
        Err(no_tls())
    }

    #[expect(
        clippy::unused_async,
        reason = "with TLS there is something to wait for"
    )]
    async fn shake_hands(self, _: &Address, _: TcpStream) -> io::Result<(Box<dyn Socket>, Peer)> {
        match self {}
    }
}

/// Why there is no TLS.
pub(crate) fn no_tls() -> Failure {
    unusable("TLS is not configured")
}
