//! WebSocket, over TCP or TLS [MXP-19].

use std::borrow::ToOwned as _;
use std::boxed::Box;
use std::io;
use std::string::String;
use std::sync::Arc;

use super::tcp::Tcp;
use super::tls::Tls;
use super::{
    EstablishedConnection, IncomingConnection, ListenOptions, Listener, Pending, Protects, Provider,
};
use crate::net::Address;

mod admission;
mod cut;
mod handshake;
mod head;
mod host;
mod messages;
mod options;
mod place;
mod protocol;

use admission::Admission;
pub(super) use messages::Messages;
pub use options::WebSocketOptions;
use place::{is_place, split};

/// WebSocket as a client or a server is told to speak it.
#[derive(Clone, Default)]
pub(crate) struct WebSockets {
    options: Arc<WebSocketOptions>,
    tls: Tls,
}

impl WebSockets {
    /// Replaces the options.
    pub(crate) fn tell(&mut self, options: WebSocketOptions) {
        self.options = Arc::new(options);
    }

    /// Replaces how TLS is spoken.
    #[cfg(feature = "tls")]
    pub(crate) fn protect(&mut self, tls: &Tls) {
        self.tls = tls.speaking(b"http/1.1");
    }

    /// The transport without TLS.
    pub(crate) fn plain(&self) -> WebSocket {
        self.over("ws", Arc::new(Tcp))
    }

    /// The transport with TLS.
    pub(crate) fn secure(&self) -> WebSocket {
        self.over("wss", Arc::new(self.tls.clone()))
    }

    fn over(&self, scheme: &'static str, lower: Arc<dyn Provider>) -> WebSocket {
        WebSocket {
            scheme,
            below: lower,
            options: Arc::clone(&self.options),
        }
    }
}

/// WebSocket over another transport.
pub(crate) struct WebSocket {
    scheme: &'static str,
    below: Arc<dyn Provider>,
    options: Arc<WebSocketOptions>,
}

impl Provider for WebSocket {
    fn scheme(&self) -> &'static str {
        self.scheme
    }

    fn form(&self) -> &'static str {
        "host:port/path"
    }

    fn address(&self, place: &str) -> Option<Address> {
        is_place(place).then(|| Address::Other {
            scheme: self.scheme,
            place: place.to_owned(),
        })
    }

    fn protects(&self) -> Protects {
        self.below.protects()
    }

    fn dial<'a>(&'a self, place: &'a str) -> Pending<'a, EstablishedConnection> {
        Box::pin(async move {
            let below = self.below.dial(split(place).0).await?;
            let messages = handshake::open(below.socket, place, &self.options).await?;
            Ok(EstablishedConnection::new(messages).with_certificate(below.certificate))
        })
    }

    fn listen<'a>(
        &'a self,
        place: &'a str,
        options: ListenOptions,
    ) -> Pending<'a, Box<dyn Listener>> {
        Box::pin(async move {
            let (at, path) = split(place);
            let below = self.below.listen(at, options).await?;
            let admission = Arc::new(Admission::new(path, &self.options));
            let path = path.to_owned();
            Ok(Box::new(Listens {
                below,
                path,
                admission,
            }) as _)
        })
    }
}

/// A listener, whose connections shake hands.
struct Listens {
    below: Box<dyn Listener>,
    path: String,
    admission: Arc<Admission>,
}

impl Listener for Listens {
    fn place(&self) -> io::Result<String> {
        Ok(self.below.place()? + &self.path)
    }

    fn accept(&self) -> Pending<'_, IncomingConnection> {
        Box::pin(async {
            let below = self.below.accept().await?;
            let admission = Arc::clone(&self.admission);
            let connected = async move {
                let below = below.handshake.await?;
                let messages = handshake::accept(below.socket, &admission).await?;
                Ok(EstablishedConnection::new(messages).with_certificate(below.certificate))
            };
            let accepted = IncomingConnection::new(connected);
            Ok(match below.place {
                Some(place) => accepted.from(place),
                None => accepted,
            })
        })
    }
}
