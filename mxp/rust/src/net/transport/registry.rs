//! The transports of a server or a client, by their schemes, and the addresses of these.

use core::fmt;
use core::str::FromStr;
use std::borrow::ToOwned as _;
#[cfg(feature = "tokio")]
use std::boxed::Box;
#[cfg(feature = "tokio")]
use std::io;
use std::string::String;
#[cfg(feature = "tokio")]
use std::string::ToString as _;
use std::sync::Arc;
use std::vec::Vec;

#[cfg(all(feature = "shm", feature = "tokio"))]
use super::shm::proposal::Proposal;
#[cfg(feature = "shm")]
use super::shm::{self, Shm};
use super::tcp::{self, Tcp};
use super::tls::{self, Tls};
use super::unix::{self, Unix};
#[cfg(feature = "websocket")]
use super::websocket::{WebSocketOptions, WebSockets};
#[cfg(feature = "tokio")]
use super::{EstablishedConnection, IncomingConnection, ListenOptions, Listener, Socket};
use super::{Protects, Provider, PREFIX, SYSTEM};
use crate::net::address::AddressError;
#[cfg(feature = "tokio")]
use crate::net::failure::failed;
use crate::net::Address;
#[cfg(feature = "tokio")]
use crate::net::{Failure, Peer, Transport};

/// The transports that are registered, each under a scheme of its own.
#[derive(Clone)]
pub(crate) struct Registry {
    all: Vec<Arc<dyn Provider>>,
    /// That of them which shares memory.
    #[cfg(feature = "shm")]
    shm: Shm,
    /// The options of the transports that go over WebSocket.
    #[cfg(feature = "websocket")]
    websockets: WebSockets,
}

impl Default for Registry {
    fn default() -> Self {
        #[cfg(feature = "shm")]
        let shm = Shm::default();
        #[cfg(feature = "websocket")]
        let websockets = WebSockets::default();
        Self {
            all: Vec::from([
                Arc::new(Unix) as Arc<dyn Provider>,
                #[cfg(feature = "shm")]
                Arc::new(shm.clone()),
                #[cfg(windows)]
                Arc::new(super::pipe::Pipe),
                Arc::new(Tcp),
                Arc::new(Tls::default()),
                #[cfg(feature = "websocket")]
                Arc::new(websockets.plain()),
                #[cfg(feature = "websocket")]
                Arc::new(websockets.secure()),
            ]),
            #[cfg(feature = "shm")]
            shm,
            #[cfg(feature = "websocket")]
            websockets,
        }
    }
}

impl Registry {
    /// Registers a transport [MXP-16.1].
    ///
    /// # Panics
    ///
    /// If its scheme can be none, or is registered already.
    pub(crate) fn register(&mut self, provider: Arc<dyn Provider>) {
        let scheme = provider.scheme();
        let is_known = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
        assert!(
            !scheme.is_empty() && scheme.bytes().all(is_known),
            "{scheme:?} can be no scheme: it is of small letters and digits"
        );
        assert!(
            self.find(scheme).is_none(),
            "a transport {scheme} is registered already"
        );
        self.all.push(provider);
    }

    /// Replaces a transport by another of its scheme.
    #[cfg(any(feature = "tls", feature = "shm", feature = "websocket"))]
    fn replace(&mut self, provider: impl Provider + 'static) {
        let mut all = self.all.iter_mut();
        if let Some(one) = all.find(|transport| transport.scheme() == provider.scheme()) {
            *one = Arc::new(provider);
        }
    }

    /// Replaces that of shared memory.
    #[cfg(feature = "shm")]
    pub(crate) fn share(&mut self, shm: Shm) {
        self.replace(shm.clone());
        self.shm = shm;
    }

    /// Replaces TLS, by itself and below WebSocket.
    #[cfg(feature = "tls")]
    pub(crate) fn protect(&mut self, tls: Tls) {
        #[cfg(feature = "websocket")]
        {
            self.websockets.protect(&tls);
            self.replace(self.websockets.secure());
        }
        self.replace(tls);
    }

    /// Replaces the options of WebSocket.
    #[cfg(feature = "websocket")]
    pub(crate) fn tell(&mut self, options: WebSocketOptions) {
        self.websockets.tell(options);
        self.replace(self.websockets.plain());
        self.replace(self.websockets.secure());
    }

    /// How many connections by shared memory have gone over the socket instead.
    #[cfg(all(feature = "shm", feature = "tokio"))]
    pub(crate) fn shm_fallbacks(&self) -> u64 {
        self.shm.fallbacks()
    }

    fn find(&self, scheme: &str) -> Option<&Arc<dyn Provider>> {
        self.all
            .iter()
            .find(|transport| transport.scheme() == scheme)
    }

    /// Reads an address.
    pub(crate) fn read(&self, text: &str) -> Result<Target, AddressError> {
        let read = || {
            let (scheme, place) = text.strip_prefix(PREFIX)?.split_once("://")?;
            let provider = self.find(scheme).filter(|_| !place.is_empty())?;
            Some(Target {
                address: provider.address(place)?,
                place: place.to_owned(),
                provider: Arc::clone(provider),
            })
        };
        let lack = || unix::lack(text).or_else(|| self.lack_of_pipes(text));
        let why = || lack().unwrap_or_else(|| self.forms());
        read().ok_or_else(|| AddressError::new(text, why()))
    }

    /// The end of the refusal of a named pipe, which Windows alone has, unless the program has registered
    /// a transport of that scheme.
    fn lack_of_pipes(&self, text: &str) -> Option<String> {
        let is_lacked = text.starts_with("mxp+pipe:") && self.find("pipe").is_none();
        is_lacked.then(|| std::format!("available on {SYSTEM}: named pipes belong to Windows"))
    }

    /// The forms of all addresses, as a list in words.
    fn forms(&self) -> String {
        let form = |provider: &Arc<dyn Provider>| written(provider.scheme(), provider.form());
        let is_here = |form: &String| unix::lack(form).is_none();
        let mut forms: Vec<_> = self.all.iter().map(form).filter(is_here).collect();
        let last = forms.pop().unwrap_or_default();
        forms.join(", ") + " or " + &last
    }
}

/// An address as a text.
fn written(scheme: &str, place: impl fmt::Display) -> String {
    std::format!("{PREFIX}{scheme}://{place}")
}

/// An address, with the transport that it is of.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) address: Address,
    /// The place: the text behind `://`.
    place: String,
    provider: Arc<dyn Provider>,
}

impl Target {
    /// The protection that connections have.
    pub(crate) fn protects(&self) -> Protects {
        self.provider.protects()
    }

    /// The place of memory that is shared, if the address is one.
    #[cfg(all(feature = "shm", feature = "tokio"))]
    pub(crate) fn shared_place(&self) -> Option<&str> {
        (self.provider.scheme() == super::shm::SCHEME).then_some(&*self.place)
    }

    /// Connects on a thread that waits.
    #[cfg(feature = "blocking")]
    pub(crate) fn dial_blocking(
        &self,
        stall: core::time::Duration,
    ) -> std::io::Result<std::boxed::Box<dyn crate::net::transport::blocking::Socket>> {
        self.provider.dial_blocking(&self.place, stall)
    }
}

#[cfg(feature = "opentelemetry")]
impl Target {
    /// The text behind `://`.
    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// The host and the port, if the address has them.
    pub(crate) fn host_and_port(&self) -> Option<(&str, u16)> {
        if self.provider.scheme() == unix::SCHEME {
            return None;
        }
        // A path may be behind them.
        let at = self.place.split('/').next()?;
        let (host, port) = at.rsplit_once(':')?;
        let port = port.parse().ok()?;
        let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
        let host = bare.or_else(|| Some(host).filter(|host| !host.contains(':')))?;
        Some((host, port))
    }
}

/// Addresses, as texts.
#[cfg(feature = "tokio")]
pub(crate) fn texts(targets: &[Target]) -> Vec<String> {
    targets
        .iter()
        .map(|target| target.address.to_string())
        .collect()
}

#[cfg(feature = "tokio")]
impl Target {
    /// The peer at the address, with nothing else known.
    pub(crate) fn peer(&self) -> Peer {
        Peer {
            address: self.address.to_string(),
            transport: Transport::of(self.provider.scheme()),
            ..Peer::default()
        }
    }

    /// Connects, and shakes hands where the transport does.
    pub(crate) async fn dial(&self) -> Result<(Box<dyn Socket>, Peer), Failure> {
        let connected = self.provider.dial(&self.place).await;
        let connected = connected.map_err(|error| failed(&error))?;
        Ok(connected.of(self.peer()))
    }

    /// Listens at the address.
    pub(crate) async fn listen(mut self, options: ListenOptions) -> io::Result<Bound> {
        let listener = self.provider.listen(&self.place, options).await?;
        let place = listener.place()?;
        if let Some(address) = self.provider.address(&place) {
            (self.address, self.place) = (address, place);
        }
        Ok(Bound {
            listener,
            target: self,
        })
    }
}

#[cfg(feature = "tokio")]
impl EstablishedConnection {
    /// The socket, and the peer with the facts of the connection.
    fn of(self, mut peer: Peer) -> (Box<dyn Socket>, Peer) {
        (peer.process, peer.certificate) = (self.process, self.certificate);
        peer.transport = self.transport.unwrap_or(peer.transport);
        (self.socket, peer)
    }
}

/// A listener, and where it listens.
#[cfg(feature = "tokio")]
pub(crate) struct Bound {
    pub(crate) listener: Box<dyn Listener>,
    pub(crate) target: Target,
}

#[cfg(feature = "tokio")]
impl Bound {
    /// Accepts somebody.
    pub(crate) async fn accept(&self) -> io::Result<Guest> {
        let accepted = self.listener.accept().await?;
        let mut peer = self.target.peer();
        if let Some(place) = &accepted.place {
            peer.address = written(self.target.provider.scheme(), place);
        }
        Ok(Guest { peer, accepted })
    }
}

/// A connection that has come, and its other side, as far as that is known before a
/// handshake.
#[cfg(feature = "tokio")]
pub(crate) struct Guest {
    pub(crate) peer: Peer,
    accepted: IncomingConnection,
}

#[cfg(feature = "tokio")]
impl Guest {
    /// Waits until the connection has come about.
    pub(crate) async fn shake_hands(self) -> io::Result<ReadyConnection> {
        let connected = self.accepted.handshake.await?;
        #[cfg(feature = "shm")]
        let mut connected = connected;
        #[cfg(feature = "shm")]
        let proposal = connected.proposal.take();
        let (socket, peer) = connected.of(self.peer);
        Ok(ReadyConnection {
            socket,
            peer,
            #[cfg(feature = "shm")]
            proposal,
        })
    }
}

/// A connection that has come about.
#[cfg(feature = "tokio")]
pub(crate) struct ReadyConnection {
    pub(crate) socket: Box<dyn Socket>,
    pub(crate) peer: Peer,
    /// The channel that the peer wants to open, in whose place the socket has nothing.
    #[cfg(feature = "shm")]
    pub(crate) proposal: Option<Box<Proposal>>,
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        Registry::default().read(text).map(|target| target.address)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "shm")]
            Self::Shm(path) => f.write_str(&written(shm::SCHEME, path.display())),
            Self::Unix(path) => f.write_str(&written(unix::SCHEME, path.display())),
            Self::Tcp(place) => f.write_str(&written(tcp::SCHEME, place)),
            Self::Tls(place) => f.write_str(&written(tls::SCHEME, place)),
            Self::Other { scheme, place } => f.write_str(&written(scheme, place)),
        }
    }
}

#[cfg(feature = "tokio")]
impl Transport {
    /// The transport that is registered under a scheme.
    fn of(scheme: &'static str) -> Self {
        match scheme {
            unix::SCHEME => Self::Unix,
            #[cfg(feature = "shm")]
            shm::SCHEME => Self::Shm,
            tcp::SCHEME => Self::Tcp,
            tls::SCHEME => Self::Tls,
            other => Self::Other(other),
        }
    }
}
