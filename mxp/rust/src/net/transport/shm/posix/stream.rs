//! The unix socket of a connection, on Tokio.

use core::task::{Context, Poll};
use std::io;
use std::os::fd::AsFd as _;
use std::string::String;

use rustix::net::{recv, RecvFlags};
use tokio::io::Interest;
use tokio::net::UnixStream;

use super::line::{self, Line};
use super::Handles;
use crate::net::transport::shm::bell::{Heard, PASSED_BYTES};
use crate::net::transport::shm::handover::{IncomingOffer, Message};
use crate::net::transport::unix::{self, listen};
use crate::net::transport::{hangup, EstablishedConnection, ListenOptions, Listener as _};
use crate::net::{Process, Transport};

/// A listening socket.
pub(crate) struct Bound(listen::Bound);

impl Bound {
    pub(crate) async fn new(place: &str, options: ListenOptions) -> io::Result<Self> {
        Ok(Self(listen::bind(unix::checked(place)?, options).await?))
    }

    pub(crate) fn place(&self) -> io::Result<String> {
        self.0.place()
    }

    /// Accepts the next socket.
    pub(crate) async fn next(&self) -> io::Result<Stream> {
        self.0.next().await.map(Stream)
    }
}

/// A connected socket.
pub(crate) struct Stream(UnixStream);

impl Stream {
    pub(crate) async fn connect(place: &str) -> io::Result<Self> {
        unix::connect(place).await.map(Self)
    }

    /// A connection whose bytes go over the socket.
    pub(crate) fn into_plain(self) -> io::Result<EstablishedConnection> {
        Ok(unix::connected(self.0)?.with_transport(Transport::Unix))
    }

    /// The socket for threads.
    pub(crate) fn into_line(self) -> io::Result<Line> {
        self.0.into_std().map(Line::new)
    }

    /// The program at the other end.
    pub(crate) fn process(&self) -> Option<Process> {
        unix::process(&self.0)
    }

    /// The source of the descriptors that come.
    pub(crate) fn handles(&self) -> Handles {
        Handles::default()
    }

    /// The first byte that comes, which is left where it is; none at the end.
    pub(crate) async fn first(&mut self) -> io::Result<Option<u8>> {
        let look = || {
            let mut byte = [0];
            let (n, _) = recv(&self.0, &mut byte[..], RecvFlags::PEEK)?;
            Ok((n > 0).then_some(byte[0]))
        };
        self.0.async_io(Interest::READABLE, look).await
    }

    /// Sends at once: a socket on which nothing was sent has room for it.
    pub(crate) async fn send(&mut self, message: &Message<'_>) -> io::Result<()> {
        line::send(self.0.as_fd(), message)
    }

    /// Waits for an offer.
    pub(crate) async fn arrive(&mut self, arriving: &mut IncomingOffer) -> io::Result<()> {
        let mut read = || line::receive(self.0.as_fd(), arriving);
        while !self.0.async_io(Interest::READABLE, &mut read).await? {}
        Ok(())
    }

    /// Sends a byte that wakes the peer, without waiting for room.
    pub(crate) fn notify(&self) {
        line::notify(self.0.as_fd());
    }

    /// Passes over what has come. Where that is nothing the task is woken when something does.
    pub(crate) fn hear(&mut self, cx: &mut Context<'_>) -> Heard {
        let mut bytes = [0; PASSED_BYTES];
        loop {
            match self.0.poll_read_ready(cx) {
                Poll::Pending => return Heard::Nothing,
                Poll::Ready(Err(_)) => return Heard::End,
                Poll::Ready(Ok(())) => {}
            }
            match self.0.try_read(&mut bytes) {
                Ok(0) => return Heard::End,
                Ok(_) => return Heard::Bytes,
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => {}
                    _ => return Heard::End,
                },
            }
        }
    }

    /// Whether the peer is gone, as far as that is known.
    pub(crate) fn has_hung_up(&self, cx: &mut Context<'_>) -> bool {
        hangup::is_closed(self.0.ready(Interest::READABLE), cx)
    }
}
