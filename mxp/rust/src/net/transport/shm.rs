//! Memory that two processes of one machine share, and the unix socket, or on Windows the named
//! pipe, by which they come to have it, over which the bytes go where there is no such memory
//! [MXP-18.1].

use core::sync::atomic::{AtomicU64, Ordering};
#[cfg(feature = "blocking")]
use core::time::Duration;
use std::boxed::Box;
use std::io;
#[cfg(feature = "tokio")]
use std::string::String;
use std::sync::Arc;
#[cfg(feature = "blocking")]
use std::time::Instant;

use tracing::warn;

#[cfg(feature = "tokio")]
use super::{EstablishedConnection, IncomingConnection, ListenOptions, Listener, Pending};
use super::{Protects, Provider};
#[cfg(feature = "tokio")]
use crate::net::failure::failed;
use crate::net::Address;

#[cfg(feature = "tokio")]
use handover::{is_offer, offered, refusal, Answer, OfferedMemory};
use handover::{IncomingOffer, Opener, OpenerEnd};
#[cfg(feature = "tokio")]
use proposal::Proposal;
use quota::Quota;
#[cfg(feature = "blocking")]
use system::Line;
#[cfg(feature = "tokio")]
use system::{Bound, Stream};

mod atomic;
mod bell;
#[cfg(feature = "tokio")]
pub(crate) mod channel_offer;
#[cfg(feature = "tokio")]
pub(crate) mod ends;
mod halves;
mod handover;
mod memory;
mod offer;
#[cfg(feature = "tokio")]
pub(crate) mod opener;
mod options;
#[cfg(unix)]
#[allow(
    clippy::unused_async,
    clippy::unused_self,
    reason = "the same functions of Windows wait, and have more to look at"
)]
mod posix;
#[cfg(feature = "tokio")]
pub(crate) mod proposal;
mod quota;
mod ring;
mod sides;
mod sleep;
#[cfg(feature = "tokio")]
mod slots;
mod spin;
#[cfg(feature = "tokio")]
pub(super) mod task;
#[cfg(feature = "blocking")]
mod thread;
mod wait;
mod wait_kind;
#[cfg(windows)]
#[allow(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the same functions of other systems can fail, and have more to look at"
)]
mod windows;

#[cfg(unix)]
use posix as system;
#[cfg(windows)]
use windows as system;

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
        system::FORM
    }

    fn address(&self, place: &str) -> Option<Address> {
        system::is_place(place).then(|| Address::Shm(place.into()))
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
            let bound = Bound::new(place, options).await?;
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
        let line = Line::connect(place, stall)?;
        let Some(opener) = self.offer(place) else {
            return line.into_plain(stall);
        };
        line.send(&opener.offer())?;
        let mut arriving = IncomingOffer::new(false, line.handles());
        // An acceptor that does not answer is left, as one that takes nothing is.
        line.arrive(&mut arriving, Instant::now() + stall)?;
        match opener.answered(&arriving)? {
            OpenerEnd::Memory(halves) => {
                let spin = self.options.spin;
                Ok(Box::new(thread::Socket::new(line, halves, spin, stall)))
            }
            OpenerEnd::Socket(why) => {
                self.goes_over_socket(place, &why);
                line.into_plain(stall)
            }
            OpenerEnd::Anew(why) => {
                self.goes_over_socket(place, &why);
                drop(line);
                Line::connect(place, stall)?.into_plain(stall)
            }
        }
    }
}

#[cfg(feature = "tokio")]
impl Shm {
    async fn open(&self, place: &str) -> io::Result<EstablishedConnection> {
        let mut stream = Stream::connect(place).await?;
        let Some(opener) = self.offer(place) else {
            return stream.into_plain();
        };
        stream.send(&opener.offer()).await?;
        let mut arriving = IncomingOffer::new(false, stream.handles());
        stream.arrive(&mut arriving).await?;
        match opener.answered(&arriving)? {
            OpenerEnd::Memory(halves) => Ok(self.shared(stream, halves)),
            OpenerEnd::Socket(why) => {
                self.goes_over_socket(place, &why);
                stream.into_plain()
            }
            OpenerEnd::Anew(why) => {
                self.goes_over_socket(place, &why);
                drop(stream);
                Stream::connect(place).await?.into_plain()
            }
        }
    }

    /// Answers who has connected.
    async fn accept(&self, place: &str, mut stream: Stream) -> io::Result<EstablishedConnection> {
        if !stream.first().await?.is_some_and(is_offer) {
            return stream.into_plain();
        }
        let mut arriving = IncomingOffer::new(true, stream.handles());
        let arrived = stream.arrive(&mut arriving).await;
        let offered = arrived.and_then(|()| Ok(offered(&arriving)?));
        let OfferedMemory {
            peer,
            ring: of_peer,
            opening,
        } = match offered {
            Ok(offered) => offered,
            Err(error) => {
                // It is refused whether the peer hears that or not.
                let _ = stream.send(&refusal(&arriving, &failed(&error))).await;
                return Err(error);
            }
        };
        let process = stream.process();
        if let Some(opening) = opening {
            let line = stream.into_line()?;
            let proposal = Proposal::new(line, (peer, of_peer), opening, &self.quota);
            return Ok(EstablishedConnection::proposing(proposal).with_process(process));
        }
        let answer = Answer::new((peer, of_peer), self.options.ring_bytes, &self.quota);
        stream.send(&answer.message()).await?;
        match answer {
            Answer::Memory(made, peer, reserved) => {
                Ok(self.shared(stream, halves::Halves::new(made, peer, reserved)))
            }
            Answer::Socket(why) => {
                self.goes_over_socket(place, &why);
                stream.into_plain()
            }
        }
    }

    fn shared(&self, stream: Stream, halves: halves::Halves) -> EstablishedConnection {
        let process = stream.process();
        let socket = task::Socket::new(stream, halves, self.options.spin);
        EstablishedConnection::new(socket).with_process(process)
    }
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

#[cfg(all(test, any(target_os = "linux", windows)))]
mod tests;
