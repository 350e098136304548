//! The pipe of a connection, on Tokio.

use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;
use std::io;
use std::string::String;

use tokio::io::{AsyncRead as _, AsyncReadExt as _, AsyncWriteExt as _, ReadBuf};

use super::line::Line;
use super::Handles;
use crate::net::transport::pipe::event::Event;
use crate::net::transport::pipe::stream::Stream as Pipe;
use crate::net::transport::pipe::{self, listen, open};
use crate::net::transport::shm::bell::{Heard, PASSED_BYTES};
use crate::net::transport::shm::handover::{IncomingOffer, Message};
use crate::net::transport::{EstablishedConnection, ListenOptions, Listener as _};
use crate::net::{Process, Transport};

/// A listening pipe.
pub(crate) struct Bound(listen::Bound);

impl Bound {
    pub(crate) async fn new(place: &str, options: ListenOptions) -> io::Result<Self> {
        Ok(Self(listen::Bound::new(place, options).await?))
    }

    pub(crate) fn place(&self) -> io::Result<String> {
        self.0.place()
    }

    /// Accepts the next pipe.
    pub(crate) async fn next(&self) -> io::Result<Stream> {
        let (pipe, process) = self.0.next().await?;
        Stream::new(pipe, process)
    }
}

/// A connected pipe.
pub(crate) struct Stream {
    pipe: Pipe,
    process: Option<Process>,
    /// The event of the end of a write that Tokio knows nothing of.
    left: Event,
}

impl Stream {
    fn new(pipe: Pipe, process: Option<Process>) -> io::Result<Self> {
        let left = Event::new()?;
        Ok(Self {
            pipe,
            process,
            left,
        })
    }

    pub(crate) async fn connect(place: &str) -> io::Result<Self> {
        Self::new(Pipe::dialed(open::open_pipe(place).await?)?, None)
    }

    /// A connection whose bytes go over the pipe.
    pub(crate) fn into_plain(self) -> io::Result<EstablishedConnection> {
        let connection = EstablishedConnection::new(self.pipe).with_process(self.process);
        Ok(connection.with_transport(Transport::Other(pipe::SCHEME)))
    }

    /// The pipe for threads.
    pub(crate) fn into_line(self) -> io::Result<Line> {
        Line::new(self.pipe.try_clone()?)
    }

    /// The program at the other end.
    pub(crate) const fn process(&self) -> Option<Process> {
        self.process
    }

    /// The process at the other end, whose handles an offer has.
    pub(crate) fn handles(&self) -> Handles {
        Handles {
            pipe: self.pipe.try_clone(),
            process: self.pipe.peer(),
        }
    }

    /// The first byte that comes, which is left where it is; none at the end.
    pub(crate) async fn first(&mut self) -> io::Result<Option<u8>> {
        self.pipe.peek().await
    }

    pub(crate) async fn send(&mut self, message: &Message<'_>) -> io::Result<()> {
        self.pipe.write_all(&message.bytes).await
    }

    /// Waits for an offer.
    pub(crate) async fn arrive(&mut self, arriving: &mut IncomingOffer) -> io::Result<()> {
        loop {
            let n = self.pipe.read(arriving.space()).await?;
            if arriving.take(n)? {
                return Ok(());
            }
        }
    }

    /// Sends a byte that wakes the peer, without waiting for room. Tokio would not send it as long as
    /// it has not heard of the end of an earlier write.
    pub(crate) fn notify(&self) {
        let _ = self.left.write(&self.pipe, &[0], Some(Duration::ZERO));
    }

    /// Passes over what has come. Where that is nothing the task is woken when something does.
    pub(crate) fn hear(&mut self, cx: &mut Context<'_>) -> Heard {
        let mut bytes = [0; PASSED_BYTES];
        let mut room = ReadBuf::new(&mut bytes);
        match Pin::new(&mut self.pipe).poll_read(cx, &mut room) {
            Poll::Pending => Heard::Nothing,
            Poll::Ready(Ok(())) if !room.filled().is_empty() => Heard::Bytes,
            Poll::Ready(_) => Heard::End,
        }
    }

    /// Whether the peer is gone: a pipe tells that to who reads alone.
    pub(crate) const fn has_hung_up(&self, _: &mut Context<'_>) -> bool {
        false
    }
}
