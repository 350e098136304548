//! Streams of threads.

use core::fmt;
use std::boxed::Box;
use std::vec::Vec;

use crate::net::Failure;
use crate::session::Value;

/// A stream: chunks in both directions. Each may be another thread's.
#[derive(Debug)]
pub struct Stream {
    /// To the peer.
    pub sender: Sender,
    /// From the peer.
    pub receiver: Receiver,
}

/// The direction of a stream to the peer. When both directions are dropped, a stream
/// that was opened here is cancelled, unless both have ended.
pub struct Sender {
    pub(crate) inner: Box<dyn Outlet>,
}

/// The direction of a stream from the peer: an iterator of its chunks that ends behind the
/// first failure.
pub struct Receiver {
    pub(crate) inner: Box<dyn Inlet>,
    is_over: bool,
}

/// The stream of a direction, as both of them know it.
#[cfg_attr(not(feature = "tokio"), expect(dead_code, reason = "stubs need it"))]
pub(crate) trait Whole: Send + Sync {
    /// Whether it was opened here.
    fn is_mine(&self) -> bool;

    /// Ends it for a value that is no value.
    fn refuse(&self, failure: &Failure);

    /// A failure, with what is known of the stream.
    fn explained(&self, failure: Failure) -> Failure;
}

/// The way to a peer.
pub(crate) trait Outlet: Send + Sync {
    fn send(&self, value: Value<'_>) -> Result<(), Failure>;
    fn finish(&self) -> Result<(), Failure>;
    #[cfg_attr(not(feature = "tokio"), expect(dead_code, reason = "stubs need it"))]
    fn whole(&self) -> &dyn Whole;
}

/// The way from a peer.
pub(crate) trait Inlet: Send + Sync {
    fn receive(&mut self) -> Result<Option<Vec<u8>>, Failure>;
    #[cfg_attr(not(feature = "tokio"), expect(dead_code, reason = "stubs need it"))]
    fn whole(&self) -> &dyn Whole;
}

impl Stream {
    pub(crate) fn new(outlet: impl Outlet + 'static, inlet: impl Inlet + 'static) -> Self {
        Self {
            sender: Sender {
                inner: Box::new(outlet),
            },
            receiver: Receiver {
                inner: Box::new(inlet),
                is_over: false,
            },
        }
    }

    /// Sends a chunk, as [`Sender::send`] does.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub fn send<'v>(&self, value: impl Into<Value<'v>>) -> Result<(), Failure> {
        self.sender.send(value)
    }

    /// Receives a chunk, as [`Receiver::receive`] does.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub fn receive(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        self.receiver.receive()
    }

    /// Ends this direction, as [`Sender::finish`] does.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub fn finish(&self) -> Result<(), Failure> {
        self.sender.finish()
    }
}

impl Sender {
    /// Sends a chunk. Waits until the receiver lets it be sent; what comes meanwhile is kept.
    ///
    /// # Errors
    ///
    /// Why the stream has ended; or `stream_window` for a chunk that is larger than the
    /// receiver's window lets through, and then the stream goes on.
    pub fn send<'v>(&self, value: impl Into<Value<'v>>) -> Result<(), Failure> {
        self.inner.send(value.into())
    }

    /// Ends this direction. What a server sends ends by itself when its handler does.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub fn finish(&self) -> Result<(), Failure> {
        self.inner.finish()
    }
}

impl Receiver {
    /// Waits for the next chunk; none if the peer's direction has ended.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub fn receive(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        self.inner.receive()
    }
}

impl Iterator for Receiver {
    type Item = Result<Vec<u8>, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let received = self.receive();
        self.is_over = !matches!(received, Ok(Some(_)));
        received.transpose()
    }
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
