//! The two ends of connections on Tokio: one that was dialed, and one that was accepted.

use core::any::Any;
use core::fmt;
use core::future::Future;
use core::pin::Pin;
use std::boxed::Box;
use std::io;
use std::string::String;

use tokio::io::{AsyncRead, AsyncWrite};

#[cfg(feature = "shm")]
use super::shm::proposal::Proposal;
use crate::net::{Certificate, Process, Transport};

/// Bytes in both directions.
pub trait Socket: AsyncRead + AsyncWrite + Send + Unpin {
    /// The socket itself, for code that knows its type.
    #[doc(hidden)]
    fn itself(&self) -> &dyn Any;
}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + 'static> Socket for T {
    fn itself(&self) -> &dyn Any {
        self
    }
}

/// The future of something, unless there is an error.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// A connection, with the facts that the transport tells of the peer.
#[non_exhaustive]
pub struct EstablishedConnection {
    /// The bytes of the connection.
    pub socket: Box<dyn Socket>,
    /// The program at the other end, where the kernel tells. The admission depends on it where the
    /// transport protects peer credentials.
    pub process: Option<Process>,
    /// The peer's certificate, if its chain was verified.
    pub certificate: Option<Certificate>,
    /// The transport that carries the bytes, where the address's own transport has fallen back to
    /// it.
    pub transport: Option<Transport>,
    /// The channel that the peer wants to open, in whose place there are no bytes.
    #[cfg(feature = "shm")]
    pub(crate) proposal: Option<Box<Proposal>>,
}

impl EstablishedConnection {
    /// A connection with a peer of which nothing is known.
    pub fn new(socket: impl Socket + 'static) -> Self {
        Self {
            socket: Box::new(socket),
            process: None,
            certificate: None,
            transport: None,
            #[cfg(feature = "shm")]
            proposal: None,
        }
    }

    /// A channel that the peer wants to open.
    #[cfg(feature = "shm")]
    pub(crate) fn proposing(proposal: Proposal) -> Self {
        Self {
            proposal: Some(Box::new(proposal)),
            ..Self::new(tokio::io::join(tokio::io::empty(), tokio::io::sink()))
        }
    }

    /// Names the program at the other end.
    #[must_use]
    pub fn with_process(mut self, process: Option<Process>) -> Self {
        self.process = process;
        self
    }

    /// Names the identity that was verified.
    #[must_use]
    pub fn with_certificate(mut self, certificate: Option<Certificate>) -> Self {
        self.certificate = certificate;
        self
    }

    /// Names the transport that carries the bytes instead of the address's own.
    #[must_use]
    pub fn with_transport(mut self, transport: Transport) -> Self {
        self.transport = Some(transport);
        self
    }
}

impl fmt::Debug for EstablishedConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connected")
            .field("process", &self.process)
            .field("certificate", &self.certificate)
            .finish_non_exhaustive()
    }
}

/// A connection that has come, and may have to shake hands first.
pub struct IncomingConnection {
    pub(crate) place: Option<String>,
    pub(crate) handshake: Pending<'static, EstablishedConnection>,
}

impl IncomingConnection {
    /// A connection that comes about as soon as a future is ready, for which the server
    /// waits in the connection's own task, and not for longer than for a Hello.
    pub fn new(
        handshake: impl Future<Output = io::Result<EstablishedConnection>> + Send + 'static,
    ) -> Self {
        Self {
            place: None,
            handshake: Box::pin(handshake),
        }
    }

    /// Says where the peer is: the text behind the scheme and `://`. Without it that is
    /// where the server listens.
    #[must_use]
    pub fn from(mut self, place: String) -> Self {
        self.place = Some(place);
        self
    }
}

impl fmt::Debug for IncomingConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accepted")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

/// The options that a server has for listeners.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct ListenOptions {
    /// Whether programs of other users may connect.
    pub allow_other_users: bool,
}

/// The source of a server's connections, until it is dropped.
pub trait Listener: Send + Sync {
    /// The place where it listens: the text behind the scheme and `://`, with the system's choices.
    ///
    /// # Errors
    ///
    /// Why that is not known.
    fn place(&self) -> io::Result<String>;

    /// Accepts the next connection. The future may be dropped: only a connection that it has
    /// accepted is lost then.
    ///
    /// # Errors
    ///
    /// Why nobody can be accepted now. The server tries again.
    fn accept(&self) -> Pending<'_, IncomingConnection>;
}
