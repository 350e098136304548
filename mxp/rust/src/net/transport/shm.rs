//! Memory that two processes of one machine share, and the unix socket by which they come to
//! have it, over which the bytes go where there is no such memory [MXP-18.1].

use core::sync::atomic::{AtomicU64, Ordering};
#[cfg(feature = "blocking")]
use core::time::Duration;
use std::boxed::Box;
use std::io;
use std::os::fd::AsFd as _;
#[cfg(feature = "tokio")]
use std::string::String;
use std::sync::Arc;

#[cfg(feature = "tokio")]
use tokio::io::Interest;
#[cfg(feature = "tokio")]
use tokio::net::UnixStream;
use tracing::warn;

#[cfg(feature = "tokio")]
use super::unix::listen::{bind, Bound};
use super::unix::{self, is_place};
#[cfg(feature = "tokio")]
use super::{EstablishedConnection, IncomingConnection, ListenOptions, Listener, Pending};
use super::{Protects, Provider};
#[cfg(feature = "tokio")]
use crate::net::failure::failed;
use crate::net::Address;
#[cfg(feature = "tokio")]
use crate::net::Transport;

#[cfg(feature = "tokio")]
use handover::{answer, is_offer, offered, refuse, HandoverEnd, OfferedMemory};
use handover::{IncomingOffer, Opener, OpenerEnd};
#[cfg(feature = "tokio")]
use proposal::Proposal;
use quota::Quota;

mod atomic;
#[cfg(feature = "tokio")]
pub(crate) mod channel_offer;
#[cfg(feature = "tokio")]
pub(crate) mod ends;
mod file;
mod halves;
mod handover;
mod memory;
mod offer;
#[cfg(feature = "tokio")]
pub(crate) mod opener;
mod options;
#[cfg(feature = "tokio")]
pub(crate) mod proposal;
mod quota;
mod ring;
mod sleep;
#[cfg(feature = "tokio")]
mod slots;
mod spin;
#[cfg(feature = "tokio")]
pub(super) mod task;
#[cfg(feature = "blocking")]
mod thread;
mod wait;

pub use options::ShmOptions;

pub(crate) const SCHEME: &str = "shm";

/// Shared memory of two processes; the kernel tells each the other's identity.
#[derive(Clone)]
pub(crate) struct Shm {
    options: ShmOptions,
    quota: Quota,
    /// How many connections have gone over the socket instead.
    fallbacks: Arc<AtomicU64>,
}

impl Shm {
    pub(crate) fn new(options: ShmOptions) -> Self {
        let quota = Quota::new(options.bytes);
        Self {
            options,
            quota,
            fallbacks: Arc::default(),
        }
    }

    /// Memory to offer, unless there is none: the log is told why.
    fn offer(&self, place: &str) -> Option<Opener> {
        let made = Opener::new(self.options.ring_bytes, &self.quota);
        made.map_err(|why| self.goes_over_socket(place, &why)).ok()
    }

    /// Counts a connection that has no shared memory, and tells the log why.
    fn goes_over_socket(&self, place: &str, why: &str) {
        self.fallbacks.fetch_add(1, Ordering::Relaxed);
        warn!(
            place,
            reason = why,
            "a connection has no shared memory, and goes over the socket"
        );
    }

    #[cfg(feature = "tokio")]
    pub(super) fn fallbacks(&self) -> u64 {
        self.fallbacks.load(Ordering::Relaxed)
    }
}

impl Default for Shm {
    fn default() -> Self {
        Self::new(ShmOptions::default())
    }
}

impl Provider for Shm {
    fn scheme(&self) -> &'static str {
        SCHEME
    }

    fn form(&self) -> &'static str {
        "/path"
    }

    fn address(&self, place: &str) -> Option<Address> {
        is_place(place).then(|| Address::Shm(place.into()))
    }

    fn protects(&self) -> Protects {
        Protects::PEER_CREDENTIALS
    }

    #[cfg(feature = "tokio")]
    fn dial<'a>(&'a self, place: &'a str) -> Pending<'a, EstablishedConnection> {
        Box::pin(self.open(place))
    }

    #[cfg(feature = "tokio")]
    fn listen<'a>(
        &'a self,
        place: &'a str,
        options: ListenOptions,
    ) -> Pending<'a, Box<dyn Listener>> {
        Box::pin(async move {
            let bound = bind(unix::checked(place)?, options).await?;
            let shm = self.clone();
            Ok(Box::new(Listens { bound, shm }) as _)
        })
    }

    #[cfg(feature = "blocking")]
    fn dial_blocking(
        &self,
        place: &str,
        stall: Duration,
    ) -> io::Result<Box<dyn super::blocking::Socket>> {
        let stream = unix::connect_waiting(place, stall)?;
        let Some(opener) = self.offer(place) else {
            return Ok(Box::new(stream));
        };
        // An acceptor that does not answer is left, as one that takes nothing is.
        stream.set_read_timeout(Some(stall))?;
        opener.offer(stream.as_fd())?;
        let mut arriving = IncomingOffer::new(false);
        while !arriving.read(stream.as_fd())? {}
        match opener.answered(&arriving)? {
            OpenerEnd::Memory(halves) => {
                let spin = self.options.spin;
                Ok(Box::new(thread::Socket::new(stream, halves, spin, stall)))
            }
            OpenerEnd::Socket(why) => {
                self.goes_over_socket(place, &why);
                stream.set_read_timeout(None)?;
                Ok(Box::new(stream))
            }
            OpenerEnd::Anew(why) => {
                self.goes_over_socket(place, &why);
                drop(stream);
                Ok(Box::new(unix::connect_waiting(place, stall)?))
            }
        }
    }
}

#[cfg(feature = "tokio")]
impl Shm {
    async fn open(&self, place: &str) -> io::Result<EstablishedConnection> {
        let stream = unix::connect(place).await?;
        let Some(opener) = self.offer(place) else {
            return over_socket(stream);
        };
        opener.offer(stream.as_fd())?;
        let mut arriving = IncomingOffer::new(false);
        arrive(&stream, &mut arriving).await?;
        match opener.answered(&arriving)? {
            OpenerEnd::Memory(halves) => Ok(self.shared(stream, halves)),
            OpenerEnd::Socket(why) => {
                self.goes_over_socket(place, &why);
                over_socket(stream)
            }
            OpenerEnd::Anew(why) => {
                self.goes_over_socket(place, &why);
                drop(stream);
                over_socket(unix::connect(place).await?)
            }
        }
    }

    /// Answers who has connected.
    async fn accept(&self, place: &str, stream: UnixStream) -> io::Result<EstablishedConnection> {
        if !first(&stream).await?.is_some_and(is_offer) {
            return over_socket(stream);
        }
        let mut arriving = IncomingOffer::new(true);
        if let Err(error) = arrive(&stream, &mut arriving).await {
            refuse(stream.as_fd(), &arriving, &failed(&error));
            return Err(error);
        }
        let OfferedMemory {
            peer,
            ring: of_peer,
            opening,
        } = offered(stream.as_fd(), &arriving)?;
        if let Some(opening) = opening {
            let process = unix::process(&stream);
            let stream = stream.into_std()?;
            let proposal = Proposal::new(stream, (peer, of_peer), opening, &self.quota);
            return Ok(EstablishedConnection::proposing(proposal).with_process(process));
        }
        let ring = self.options.ring_bytes;
        match answer(stream.as_fd(), (peer, of_peer), ring, &self.quota)? {
            HandoverEnd::Memory(halves) => Ok(self.shared(stream, halves)),
            HandoverEnd::Socket(why) => {
                self.goes_over_socket(place, &why);
                over_socket(stream)
            }
        }
    }

    fn shared(&self, stream: UnixStream, halves: halves::Halves) -> EstablishedConnection {
        let process = unix::process(&stream);
        let socket = task::Socket::new(stream, halves, self.options.spin);
        EstablishedConnection::new(socket).with_process(process)
    }
}

/// A connection without shared memory.
#[cfg(feature = "tokio")]
fn over_socket(stream: UnixStream) -> io::Result<EstablishedConnection> {
    Ok(unix::connected(stream)?.with_transport(Transport::Unix))
}

/// The first byte that comes, which is left where it is; none at the end.
#[cfg(feature = "tokio")]
async fn first(stream: &UnixStream) -> io::Result<Option<u8>> {
    use rustix::net::{recv, RecvFlags};
    let look = || {
        let mut byte = [0];
        let (n, _) = recv(stream, &mut byte[..], RecvFlags::PEEK)?;
        Ok((n > 0).then_some(byte[0]))
    };
    stream.async_io(Interest::READABLE, look).await
}

/// Waits for an offer.
#[cfg(feature = "tokio")]
async fn arrive(stream: &UnixStream, arriving: &mut IncomingOffer) -> io::Result<()> {
    let mut read = || arriving.read(stream.as_fd());
    while !stream.async_io(Interest::READABLE, &mut read).await? {}
    Ok(())
}

/// A listener for clients that share memory, and for clients that do not.
#[cfg(feature = "tokio")]
struct Listens {
    bound: Bound,
    shm: Shm,
}

#[cfg(feature = "tokio")]
impl Listener for Listens {
    fn place(&self) -> io::Result<String> {
        self.bound.place()
    }

    fn accept(&self) -> Pending<'_, IncomingConnection> {
        Box::pin(async {
            let stream = self.bound.next().await?;
            let (shm, place) = (self.shm.clone(), self.place()?);
            Ok(IncomingConnection::new(async move {
                shm.accept(&place, stream).await
            }))
        })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
