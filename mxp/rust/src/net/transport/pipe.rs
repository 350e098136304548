//! Named pipes of Windows [MXP-21].

#[cfg(feature = "blocking")]
use core::time::Duration;
use std::borrow::ToOwned as _;
use std::boxed::Box;
#[cfg(feature = "blocking")]
use std::io;

#[cfg(feature = "tokio")]
use super::{EstablishedConnection, ListenOptions, Listener, Pending};
use super::{Protects, Provider};
use crate::net::Address;

#[cfg(any(feature = "blocking", feature = "shm"))]
pub(super) mod event;
#[cfg(feature = "tokio")]
mod instance;
#[cfg(feature = "tokio")]
pub(super) mod listen;
pub(super) mod open;
#[cfg(feature = "tokio")]
pub(super) mod stream;
pub(crate) mod system;
#[cfg(feature = "blocking")]
pub(super) mod thread;

#[cfg(feature = "tokio")]
use open::open_pipe;

pub(crate) const SCHEME: &str = "pipe";

/// Named pipes; the system tells the process at the other end, and its user.
pub(crate) struct Pipe;

impl Provider for Pipe {
    fn scheme(&self) -> &'static str {
        SCHEME
    }

    fn form(&self) -> &'static str {
        "name"
    }

    fn address(&self, place: &str) -> Option<Address> {
        open::is_place(place).then(|| Address::Other {
            scheme: SCHEME,
            place: place.to_owned(),
        })
    }

    fn protects(&self) -> Protects {
        Protects::PEER_CREDENTIALS
    }

    #[cfg(feature = "tokio")]
    fn dial<'a>(&'a self, place: &'a str) -> Pending<'a, EstablishedConnection> {
        Box::pin(async {
            let stream = stream::Stream::dialed(open_pipe(place).await?)?;
            Ok(EstablishedConnection::new(stream))
        })
    }

    #[cfg(feature = "tokio")]
    fn listen<'a>(
        &'a self,
        place: &'a str,
        options: ListenOptions,
    ) -> Pending<'a, Box<dyn Listener>> {
        Box::pin(async move { Ok(Box::new(listen::Bound::new(place, options).await?) as _) })
    }

    #[cfg(feature = "blocking")]
    fn dial_blocking(
        &self,
        place: &str,
        stall: Duration,
    ) -> io::Result<Box<dyn crate::net::transport::blocking::Socket>> {
        let file = open::open_waiting(place, stall)?;
        Ok(Box::new(thread::Stream::new(file, stall)?))
    }
}
