//! TLS as rustls speaks it.

use std::borrow::ToOwned as _;
use std::io;
use std::string::String;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, CommonState, Error, ServerConfig, ServerConnection,
};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use crate::engine::outage::unusable;
use crate::net::transport::{tcp, EstablishedConnection, IncomingConnection, Listener, Pending};
use crate::net::{Certificate, Failure};

/// Connects to a host, and shakes hands with it.
pub(super) async fn dial(
    config: &Arc<ClientConfig>,
    place: &str,
) -> io::Result<EstablishedConnection> {
    let host = ServerName::try_from(host(place).to_owned());
    let host = host.map_err(|error| unusable(std::format!("TLS: {error}: {place}")))?;
    check(ClientConnection::new(Arc::clone(config), host.clone()))?;
    let stream = tcp::connect(place).await?;
    let connector = TlsConnector::from(Arc::clone(config));
    let stream = connector.connect(host, stream).await.map_err(explained)?;
    let certificate = verified(stream.get_ref().1);
    Ok(EstablishedConnection::new(stream).with_certificate(certificate))
}

/// A listener, whose connections shake hands.
struct Bound {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

/// Listens at an address.
pub(super) async fn listen(config: &Arc<ServerConfig>, place: &str) -> io::Result<impl Listener> {
    check(ServerConnection::new(Arc::clone(config)))?;
    let listener = TcpListener::bind(place).await?;
    let acceptor = TlsAcceptor::from(Arc::clone(config));
    Ok(Bound { listener, acceptor })
}

impl Listener for Bound {
    fn place(&self) -> io::Result<String> {
        self.listener.place()
    }

    fn accept(&self) -> Pending<'_, IncomingConnection> {
        std::boxed::Box::pin(async {
            let (stream, place) = tcp::accept(&self.listener).await?;
            let shaken = self.acceptor.accept(stream);
            let connected = async {
                let stream = shaken.await?;
                let certificate = verified(stream.get_ref().1);
                Ok(EstablishedConnection::new(stream).with_certificate(certificate))
            };
            Ok(IncomingConnection::new(connected).from(place))
        })
    }
}

/// The identity that TLS has verified, if it has.
fn verified(session: &CommonState) -> Option<Certificate> {
    let first = session.peer_certificates()?.first();
    first.map(|bytes| Certificate::of(bytes))
}

/// Refuses a configuration that no connection can be made with.
fn check<T>(session: Result<T, Error>) -> Result<(), Failure> {
    let session = session.map(|_| ());
    session.map_err(|error| unusable(std::format!("TLS: {error}")))
}

/// The error of a handshake, which is final where either side has refused the other.
fn explained(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::InvalidData {
        return unusable(std::format!("TLS: {error}")).into();
    }
    error
}

/// The host of an authority, without brackets.
fn host(authority: &str) -> &str {
    let host = authority
        .rsplit_once(':')
        .map_or(authority, |(host, _)| host);
    host.trim_start_matches('[').trim_end_matches(']')
}
