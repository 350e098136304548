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
#[cfg(feature = "blocking")]
use crate::engine::outage::unavailable;
use crate::net::Address;

#[cfg(feature = "blocking")]
mod event;
#[cfg(feature = "tokio")]
mod instance;
#[cfg(feature = "tokio")]
mod listen;
mod open;
#[cfg(feature = "tokio")]
mod stream;
pub(crate) mod system;
#[cfg(feature = "blocking")]
mod thread;

use open::{open, BUSY_PAUSE};

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
        let is_named = |c: u8| c.is_ascii_alphanumeric() || b"._-".contains(&c);
        let is_name = (1..=200).contains(&place.len()) && place.bytes().all(is_named);
        is_name.then(|| Address::Other {
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
            loop {
                if let Some(file) = open(place)? {
                    let stream = stream::Stream::dialed(file)?;
                    return Ok(EstablishedConnection::new(stream));
                }
                tokio::time::sleep(BUSY_PAUSE).await;
            }
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
        let late = std::time::Instant::now() + stall;
        loop {
            if let Some(file) = open(place)? {
                return Ok(Box::new(thread::Stream::new(file, stall)?));
            }
            if std::time::Instant::now() > late {
                return Err(unavailable("the server of the pipe takes nobody").into());
            }
            std::thread::sleep(BUSY_PAUSE);
        }
    }
}
