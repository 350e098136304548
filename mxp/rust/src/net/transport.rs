//! Transports: how bytes come to an address and from it. A transport has a scheme, dials, listens,
//! and states the protection of its connections. `mxp+unix` (on Windows `mxp+pipe`), `mxp+tcp`
//! and `mxp+tls` are there, with the feature `shm` `mxp+shm`, and with the feature `websocket` `mxp+ws` and `mxp+wss`; a
//! program can add its own.
#![cfg_attr(
    feature = "tokio",
    doc = r#"
```
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use mxp::net::transport::{IncomingConnection, EstablishedConnection, ListenOptions, Listener, Pending, Provider};
use mxp::net::{ClientOptions, Options, Reply, Server, Service};
use tokio::io::{duplex, DuplexStream};
use tokio::sync::{mpsc, Mutex as Turn};

/// Pipes within the program, by name.
#[derive(Default)]
struct Pipes(Mutex<HashMap<String, mpsc::Sender<DuplexStream>>>);

impl Provider for Pipes {
    fn scheme(&self) -> &'static str {
        "memory"
    }

    fn dial<'a>(&'a self, place: &'a str) -> Pending<'a, EstablishedConnection> {
        Box::pin(async move {
            let listener = self.0.lock().unwrap().get(place).cloned();
            let (here, there) = duplex(64 << 10);
            let listener = listener.ok_or(io::ErrorKind::ConnectionRefused)?;
            let sent = listener.send(there).await;
            sent.map_err(|_| io::ErrorKind::ConnectionRefused)?;
            Ok(EstablishedConnection::new(here))
        })
    }

    fn listen<'a>(&'a self, place: &'a str, _: ListenOptions) -> Pending<'a, Box<dyn Listener>> {
        Box::pin(async move {
            let (sender, receiver) = mpsc::channel(16);
            self.0.lock().unwrap().insert(place.to_owned(), sender);
            Ok(Box::new(Ends(place.to_owned(), Turn::new(receiver))) as _)
        })
    }
}

/// The ends of pipes that were dialed.
struct Ends(String, Turn<mpsc::Receiver<DuplexStream>>);

impl Listener for Ends {
    fn place(&self) -> io::Result<String> {
        Ok(self.0.clone())
    }

    fn accept(&self) -> Pending<'_, IncomingConnection> {
        Box::pin(async {
            let end = self.1.lock().await.recv().await;
            let end = end.ok_or(io::ErrorKind::BrokenPipe)?;
            Ok(IncomingConnection::new(async { Ok(EstablishedConnection::new(end)) }))
        })
    }
}

# #[tokio::main(flavor = "current_thread")]
# async fn main() -> io::Result<()> {
let pipes = Arc::new(Pipes::default());
let echo = Service::new("demo.Echo").call(1, |asked| async { Ok(Reply::new(asked.value)) });
let server = Server::new().transport(pipes.clone()).service(echo);
let server = server.listen("mxp+memory://echo").await?;

let client = ClientOptions::new().transport(pipes).connect("mxp+memory://echo")?;
let reply = client.call("demo.Echo", 1, b"hello".to_vec(), &Options::new()).await?;
assert_eq!(reply.value, b"hello"[..]);
server.drain("done").await;
# Ok(())
# }
```
"#
)]

#[cfg(feature = "blocking")]
use core::time::Duration;
use std::boxed::Box;
use std::format;
use std::io;
use std::string::ToString as _;

use crate::net::Address;

#[cfg(feature = "blocking")]
pub(crate) mod blocking;
#[cfg(feature = "tokio")]
pub(crate) mod hangup;
#[cfg(windows)]
pub(crate) mod pipe;
pub(crate) mod registry;
#[cfg(feature = "shm")]
pub(crate) mod shm;
#[cfg(all(feature = "shm", not(any(unix, windows))))]
compile_error!("the feature `shm` of mesh-exchange-protocol is for unix and Windows");
#[cfg(feature = "tokio")]
mod socket;
pub(crate) mod tcp;
pub(crate) mod tls;
#[cfg_attr(not(unix), path = "transport/unix_none.rs")]
pub(crate) mod unix;
#[cfg(feature = "websocket")]
pub(crate) mod websocket;

#[cfg(feature = "shm")]
pub use shm::ShmOptions;
#[cfg(feature = "tokio")]
pub use socket::{
    EstablishedConnection, IncomingConnection, ListenOptions, Listener, Pending, Socket,
};
#[cfg(feature = "websocket")]
pub use websocket::WebSocketOptions;

/// The name of [`IncomingConnection`] until 0.4.
#[cfg(feature = "tokio")]
#[deprecated(since = "0.5.0", note = "use `IncomingConnection`")]
pub type Accepted = IncomingConnection;

/// The name of [`EstablishedConnection`] until 0.4.
#[cfg(feature = "tokio")]
#[deprecated(since = "0.5.0", note = "use `EstablishedConnection`")]
pub type Connected = EstablishedConnection;

/// The beginning of all addresses.
const PREFIX: &str = "mxp+";

/// The system as people call it.
const SYSTEM: &str = if cfg!(windows) {
    "Windows"
} else if cfg!(target_os = "linux") {
    "Linux"
} else if cfg!(target_os = "macos") {
    "macOS"
} else {
    "this system"
};

/// A transport, as a server or a client registers it under its scheme. Methods that it does not
/// implement refuse.
///
/// An error that wraps a [`Failure`](crate::net::Failure) ends requests with that. Of
/// others `PermissionDenied`, `InvalidInput`, `InvalidData` and `Unsupported` are final: no
/// later attempt to connect can succeed. Behind the rest a client dials again.
pub trait Provider: Send + Sync {
    /// The scheme, which stands in addresses between `mxp+` and `://`: one or more small
    /// letters `a` to `z` and digits.
    fn scheme(&self) -> &'static str;

    /// The form of its places, as the error of a text that is no address names it:
    /// `host:port`.
    fn form(&self) -> &'static str {
        "…"
    }

    /// The address with a place, which is the text behind `://` and not empty, unless it has
    /// not the form.
    fn address(&self, place: &str) -> Option<Address> {
        let (scheme, place) = (self.scheme(), place.to_string());
        Some(Address::Other { scheme, place })
    }

    /// The protection that connections have.
    fn protects(&self) -> Protects {
        Protects::NOTHING
    }

    /// Connects to the listener at an address.
    ///
    /// # Errors
    ///
    /// Why there is no connection.
    #[cfg(feature = "tokio")]
    fn dial<'a>(&'a self, place: &'a str) -> Pending<'a, EstablishedConnection> {
        let _ = place;
        Box::pin(core::future::ready(Err(lacks(self.scheme(), "clients"))))
    }

    /// Listens at an address.
    ///
    /// # Errors
    ///
    /// Why nobody can listen there.
    #[cfg(feature = "tokio")]
    fn listen<'a>(
        &'a self,
        place: &'a str,
        options: ListenOptions,
    ) -> Pending<'a, Box<dyn Listener>> {
        let _ = (place, options);
        Box::pin(core::future::ready(Err(lacks(self.scheme(), "servers"))))
    }

    /// Connects for a client for threads, on a thread of its own. A write to the socket
    /// ends when the peer has taken nothing for `stall`.
    ///
    /// # Errors
    ///
    /// Why there is no connection.
    #[cfg(feature = "blocking")]
    fn dial_blocking(
        &self,
        place: &str,
        stall: Duration,
    ) -> io::Result<Box<dyn crate::net::transport::blocking::Socket>> {
        let _ = (place, stall);
        Err(lacks(self.scheme(), "clients for threads"))
    }
}

/// The protection that the connections of a transport have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Protects {
    /// The kernel carries the bytes, and says which program is at the other end. A server without a
    /// rule of admission lets in programs of its own user alone, and no peer whose
    /// `EstablishedConnection::process` is unknown [MXP-16.4].
    pub peer_credentials: bool,
    /// Nobody else can read or change the bytes.
    pub encryption: bool,
}

impl Protects {
    /// Neither: frames have checksums against accidents, and nothing else is known.
    pub const NOTHING: Self = Self {
        peer_credentials: false,
        encryption: false,
    };

    /// Peer credentials.
    pub const PEER_CREDENTIALS: Self = Self {
        peer_credentials: true,
        encryption: false,
    };

    /// Encryption.
    pub const ENCRYPTION: Self = Self {
        peer_credentials: false,
        encryption: true,
    };

    /// Whether the transport, or the kernel, protects the bytes [MXP-6.7].
    pub(crate) const fn bytes(self) -> bool {
        self.peer_credentials || self.encryption
    }
}

/// The error of a transport that has no such side.
fn lacks(scheme: &str, side: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("{PREFIX}{scheme} is not for {side}"),
    )
}
