//! Where connections come from.

use core::fmt;
use core::future::Future;
use std::boxed::Box;
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::string::{String, ToString as _};

use tokio::net::{TcpListener, UnixListener, UnixSocket, UnixStream};

#[cfg(feature = "tls")]
use crate::net::socket::check_tls;
use crate::net::socket::Socket;
use crate::net::tune::tune;
use crate::net::{Address, Peer};

/// How many connections the system keeps that were not accepted.
const BACKLOG: u32 = 1024;

/// How a server speaks TLS, if it does.
#[derive(Clone, Default)]
pub(crate) struct ServerTls {
    #[cfg(feature = "tls")]
    pub(crate) config: Option<std::sync::Arc<tokio_rustls::rustls::ServerConfig>>,
}

/// Binds a unix socket, in place of one on which nobody listens. Another file stays.
async fn bind_unix(path: &Path, allows_others: bool) -> io::Result<UnixListener> {
    let named = |kind, what: &dyn fmt::Display| {
        io::Error::new(kind, std::format!("{}: {what}", path.display()))
    };
    match std::fs::symlink_metadata(path) {
        Ok(there) if !there.file_type().is_socket() => {
            let why = "what is there is no socket";
            return Err(named(io::ErrorKind::AlreadyExists, &why));
        }
        Ok(_) => match UnixStream::connect(path).await {
            Err(refused) if refused.kind() == io::ErrorKind::ConnectionRefused => {
                std::fs::remove_file(path)?;
            }
            _ => return Err(named(io::ErrorKind::AddrInUse, &"somebody listens already")),
        },
        Err(_) => {}
    }
    let socket = UnixSocket::new_stream()?;
    let mode = || Permissions::from_mode(0o600);
    if !allows_others {
        // On Linux the file gets the mode that the socket has. Elsewhere that may be no
        // mode to be changed, and the file's is set as soon as it is there.
        let file = File::from(socket.as_fd().try_clone_to_owned()?);
        let _ = file.set_permissions(mode());
    }
    let bound = socket.bind(path);
    bound.map_err(|error| named(error.kind(), &error))?;
    if !allows_others {
        std::fs::set_permissions(path, mode())?;
    }
    socket.listen(BACKLOG)
}

/// The file of a unix socket that this server has made.
pub(crate) struct Owned {
    path: PathBuf,
    file: Inode,
}

/// By what a file is known to be the same, and who made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Inode {
    device: u64,
    number: u64,
    user: u32,
}

impl Inode {
    fn of(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let found = std::fs::metadata(path)?;
        Ok(Self {
            device: found.dev(),
            number: found.ino(),
            user: found.uid(),
        })
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // Another server may have put its own there.
        if Inode::of(&self.path).is_ok_and(|now| now == self.file) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

pub(crate) enum Listener {
    Unix(UnixListener, Owned),
    Tcp(TcpListener),
    #[cfg(feature = "tls")]
    Tls(TcpListener, tokio_rustls::TlsAcceptor),
}

/// The future of a socket, perhaps after a handshake, and of the peer at its other end.
pub(crate) type Handshake =
    core::pin::Pin<Box<dyn Future<Output = io::Result<(Box<dyn Socket>, Peer)>> + Send>>;

/// A connection that has come, with the address of its other side. What connects to a
/// unix socket has none: it is the socket's.
pub(crate) struct Guest {
    pub(crate) address: String,
    pub(crate) socket: Handshake,
}

impl Guest {
    fn new(
        address: &Address,
        socket: impl Future<Output = io::Result<(Box<dyn Socket>, Peer)>> + Send + 'static,
    ) -> Self {
        Self {
            address: address.to_string(),
            socket: Box::pin(socket),
        }
    }
}

impl Listener {
    /// Listens at an address.
    pub(crate) async fn bind(
        address: &Address,
        tls: &ServerTls,
        allows_others: bool,
    ) -> io::Result<Self> {
        address.check()?;
        match address {
            Address::Unix(path) => {
                let listener = bind_unix(path, allows_others).await?;
                let owned = Owned {
                    path: path.clone(),
                    file: Inode::of(path)?,
                };
                Ok(Self::Unix(listener, owned))
            }
            Address::Tcp(at) => Ok(Self::Tcp(TcpListener::bind(at).await?)),
            Address::Tls(at) => Self::bind_tls(at, tls).await,
        }
    }

    #[cfg(feature = "tls")]
    async fn bind_tls(at: &str, tls: &ServerTls) -> io::Result<Self> {
        let config = tls.config.clone().ok_or_else(crate::net::socket::no_tls)?;
        check_tls(tokio_rustls::rustls::ServerConnection::new(config.clone()))?;
        let acceptor = tokio_rustls::TlsAcceptor::from(config);
        Ok(Self::Tls(TcpListener::bind(at).await?, acceptor))
    }

    #[cfg(not(feature = "tls"))]
    #[expect(
        clippy::unused_async,
        reason = "with TLS there is something to wait for"
    )]
    async fn bind_tls(_: &str, _: &ServerTls) -> io::Result<Self> {
        Err(crate::net::socket::no_tls().into())
    }

    /// The address with the port that the system has chosen.
    pub(crate) fn address(&self, asked: Address) -> io::Result<Address> {
        Ok(match self {
            Self::Unix(..) => asked,
            Self::Tcp(listener) => Address::Tcp(listener.local_addr()?.to_string()),
            #[cfg(feature = "tls")]
            Self::Tls(listener, _) => Address::Tls(listener.local_addr()?.to_string()),
        })
    }

    /// The user that a unix socket's file belongs to.
    pub(crate) const fn user(&self) -> Option<u32> {
        match self {
            Self::Unix(_, owned) => Some(owned.file.user),
            _ => None,
        }
    }

    /// Accepts somebody.
    pub(crate) async fn accept(&self) -> io::Result<Guest> {
        match self {
            Self::Unix(listener, owned) => {
                let (stream, _) = listener.accept().await?;
                let address = Address::Unix(owned.path.clone());
                let peer = Peer::behind(&address, &stream);
                let socket = async { Ok((Box::new(stream) as _, peer)) };
                Ok(Guest::new(&address, socket))
            }
            Self::Tcp(listener) => {
                let (stream, from) = listener.accept().await?;
                tune(&stream)?;
                let address = Address::Tcp(from.to_string());
                let peer = Peer::at(&address);
                let socket = async { Ok((Box::new(stream) as _, peer)) };
                Ok(Guest::new(&address, socket))
            }
            #[cfg(feature = "tls")]
            Self::Tls(listener, acceptor) => {
                let (stream, from) = listener.accept().await?;
                tune(&stream)?;
                let shaken = acceptor.accept(stream);
                let address = Address::Tls(from.to_string());
                let at = address.clone();
                let socket = async move {
                    let stream = shaken.await?;
                    let peer = Peer::verified(&at, stream.get_ref().1);
                    Ok((Box::new(stream) as _, peer))
                };
                Ok(Guest::new(&address, socket))
            }
        }
    }
}
