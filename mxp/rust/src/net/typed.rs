//! Requests whose values have types: what the stubs are made of that `sdp gen` makes
//! of a schema's services.
//!
//! A [`Method`] is what both sides know of one. It asks for things through a
//! [`Caller`], and registers what answers them with a [`Service`](crate::net::Service).
//! It knows no encoding: a [`Codec`] has functions that are generated.

mod ask;
#[cfg(feature = "blocking")]
pub mod blocking;
mod codec;
mod serve;
mod stream;

use core::fmt;
use core::time::Duration;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

pub use ask::Caller;
#[cfg(feature = "blocking")]
pub use blocking::BlockingCaller;
pub use codec::{Codec, Refusal};
pub use serve::{reply_with, Answer};
pub use stream::{Receiver, Sender, Stream, Upload, Values};

use crate::net::connection::Connection;
use crate::net::peer::Remote;
use crate::net::request::{first, sealed, Of};
use crate::net::wait::Wait;
use crate::net::{Asked, Client, Peer};
use crate::session::{MethodName, TraceContext, TypeInfo};

/// A method of a schema's service, with requests of type `Q` and responses of type `A`.
pub struct Method<Q, A> {
    service: &'static str,
    number: u16,
    name: &'static str,
    is_idempotent: bool,
    request: Codec<Q>,
    response: Codec<A>,
}

impl<Q, A> Method<Q, A> {
    /// A method of a service, whose name is the full one: package, dot, name.
    #[must_use]
    pub const fn new(
        service: &'static str,
        number: u16,
        name: &'static str,
        request: Codec<Q>,
        response: Codec<A>,
    ) -> Self {
        Self {
            service,
            number,
            name,
            is_idempotent: false,
            request,
            response,
        }
    }

    /// Says that to ask twice does what asking once does.
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.is_idempotent = true;
        self
    }

    /// Says in types which one the requests of the method are of, and which the responses,
    /// by their full names. An event has no response.
    pub fn reaches(&self, types: &mut [TypeInfo], request: &str, response: Option<&str>) {
        for info in types {
            if info.name == request {
                let name = MethodName::new(self.service, self.number, self.name);
                info.requests.push(name);
            }
            if Some(&info.name[..]) == response {
                let name = MethodName::new(self.service, self.number, self.name);
                info.responses.push(name);
            }
        }
    }

    const fn of(&self) -> Of<'static> {
        Of {
            service: self.service,
            number: self.number,
            name: self.name,
            is_idempotent: self.is_idempotent,
        }
    }
}

impl<Q> Method<Q, ()> {
    /// An event of a service.
    #[must_use]
    pub const fn event(
        service: &'static str,
        number: u16,
        name: &'static str,
        request: Codec<Q>,
    ) -> Self {
        Self::new(service, number, name, request, Codec::NONE)
    }
}

impl<Q, A> Clone for Method<Q, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q, A> Copy for Method<Q, A> {}

impl<Q, A> fmt::Debug for Method<Q, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.service, self.name)
    }
}

/// The parts of a request besides its value, for who answers it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Context {
    /// The metadata that travels beside the value.
    pub metadata: Vec<(String, Vec<u8>)>,
    /// How long the peer waits.
    pub deadline: Option<Duration>,
    /// Where the request belongs.
    pub trace: Option<TraceContext>,
    remote: Arc<Remote>,
    wait: Option<Wait>,
}

impl Context {
    /// The peer that asks.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.remote.peer
    }

    /// Asks the other side of the connection for what it serves: a client by
    /// [`ClientOptions::service`](crate::net::ClientOptions::service). What it asks for ends
    /// with the connection, and the connection does not end with it. Stubs take it as any other
    /// client.
    #[must_use]
    pub fn client(&self) -> Client {
        self.remote.client()
    }

    /// The value of a key, the first if there are several.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&[u8]> {
        first(&self.metadata, key)
    }
}

impl Context {
    pub(crate) fn connection(&self) -> Option<Arc<Connection>> {
        self.remote.connection()
    }
}

impl sealed::Followed for Context {
    fn origin(&self) -> sealed::Origin<'_> {
        let left = self.wait.map(Wait::left);
        sealed::Origin {
            left: [self.deadline, left].into_iter().flatten().min(),
            trace: self.trace,
            metadata: &self.metadata,
        }
    }
}

impl From<Asked> for Context {
    fn from(asked: Asked) -> Self {
        Self {
            metadata: asked.metadata,
            deadline: asked.deadline,
            trace: asked.trace,
            remote: asked.remote,
            wait: asked.wait,
        }
    }
}
