//! Requests whose values have types: what the stubs are made of that `sdp gen` makes
//! of a schema's services.
//!
//! A [`Method`] describes a method to both sides. It asks for things through a [`Caller`], and
//! registers what answers them with a [`Service`](crate::net::Service). It knows no encoding: a
//! [`Codec`] has functions that are generated.

mod ask;
#[cfg(feature = "blocking")]
pub mod blocking;
mod codec;
mod fixed;
mod serve;
mod stream;

use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

pub use ask::Caller;
#[cfg(feature = "blocking")]
pub use blocking::BlockingCaller;
pub use codec::{Codec, Refusal};
pub use fixed::{fixed_values, Fixed};
pub use serve::{reply_with, Answer};
pub use stream::{BidiStream, ClientStream, Receiver, Sender, Values};

use crate::net::connection::Connection;
use crate::net::mesh::Delivery;
use crate::net::peer::Remote;
use crate::net::request_options::{first, sealed, MethodRef};
use crate::net::wait::Wait;
use crate::net::{Client, Peer, Request};
use crate::session::{MethodName, TraceContext, TypeInfo};

/// The name of [`ClientStream`] until 0.4.
#[deprecated(since = "0.5.0", note = "use `ClientStream`")]
pub type Upload<Q, A> = ClientStream<Q, A>;

/// The name of [`BidiStream`] until 0.4.
#[deprecated(since = "0.5.0", note = "use `BidiStream`")]
pub type Stream<Q, A> = BidiStream<Q, A>;

/// A method of a schema's service, with requests of type `Q` and responses of type `A`. A method
/// that can be opened as a channel also has the type `W`, the layout of values in memory, as
/// [`Fixed`] describes it.
pub struct Method<Q, A, W = ()> {
    service: &'static str,
    number: u16,
    name: &'static str,
    is_idempotent: bool,
    request: Codec<Q>,
    response: Codec<A>,
    /// How many bytes a request and a response have, where they are of fixed size.
    #[cfg_attr(
        not(feature = "shm"),
        allow(dead_code, reason = "there are no channels")
    )]
    pub(crate) bytes: (u32, u32),
    wire: PhantomData<fn() -> W>,
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
            bytes: (0, 0),
            wire: PhantomData,
        }
    }
}

impl<Q, A, W> Method<Q, A, W> {
    /// Says how many bytes a request and a response always have, and by a type how they lie in
    /// memory: with that the method can be opened as a channel.
    #[must_use]
    pub const fn fixed<V>(self, request: u32, response: u32) -> Method<Q, A, V> {
        Method {
            service: self.service,
            number: self.number,
            name: self.name,
            is_idempotent: self.is_idempotent,
            request: self.request,
            response: self.response,
            bytes: (request, response),
            wire: PhantomData,
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

    pub(crate) const fn of(&self) -> MethodRef<'static> {
        MethodRef {
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

impl<Q, A, W> Clone for Method<Q, A, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q, A, W> Copy for Method<Q, A, W> {}

impl<Q, A, W> fmt::Debug for Method<Q, A, W> {
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
    /// The time that the peer waits.
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

    /// A client for the services of the connection's other side: a client serves by
    /// [`ClientOptions::service`](crate::net::ClientOptions::service). Its requests end with the
    /// connection, and the connection does not end with them. Stubs take it as any other client.
    #[must_use]
    pub fn client(&self) -> Client {
        self.remote.client()
    }

    /// How an event of the mesh was delivered that a [`Subscriber`](crate::net::Subscriber) has
    /// heard: its number, when it was published, how often it was delivered. The value is not in
    /// it. Requests that came by a connection have no delivery.
    #[must_use]
    pub fn delivery(&self) -> Option<&Delivery> {
        self.remote.delivery.as_ref()
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

impl sealed::ParentRequest for Context {
    fn origin(&self) -> sealed::Origin<'_> {
        let left = self.wait.map(Wait::left);
        sealed::Origin {
            left: [self.deadline, left].into_iter().flatten().min(),
            trace: self.trace,
            metadata: &self.metadata,
        }
    }
}

impl From<Request> for Context {
    fn from(request: Request) -> Self {
        Self {
            metadata: request.metadata,
            deadline: request.deadline,
            trace: request.trace,
            remote: request.remote,
            wait: request.wait,
        }
    }
}
