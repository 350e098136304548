//! Streams of threads.

use core::fmt;
use std::boxed::Box;
use std::vec::Vec;

use crate::engine::inbox::{self, Inbox};
use crate::engine::packed_values::PackedValues;
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
    /// Chunks that were moved here all at once.
    inbox: Inbox,
    is_over: bool,
}

/// The stream of a direction, as both of them know it.
#[cfg_attr(not(feature = "tokio"), expect(dead_code, reason = "stubs need it"))]
pub(crate) trait Whole: Send + Sync {
    /// Whether it was opened here.
    fn is_mine(&self) -> bool;

    /// Ends it for a value that is no value.
    fn refuse(&self, failure: &Failure);

    /// A failure, with the stream's method, address and time.
    fn explained(&self, failure: Failure) -> Failure;
}

/// The way to a peer.
pub(crate) trait Outlet: Send + Sync {
    fn send(&self, value: Value<'_>) -> Result<(), Failure>;
    /// Sends what was put together.
    fn send_together(&self, pulled: &mut PackedValues) -> Result<(), Failure>;
    /// How many chunks were sent.
    fn sent(&self) -> u64;
    fn finish(&self) -> Result<(), Failure>;
    #[cfg_attr(not(feature = "tokio"), expect(dead_code, reason = "stubs need it"))]
    fn whole(&self) -> &dyn Whole;
}

/// The way from a peer.
pub(crate) trait Inlet: Send + Sync {
    fn receive(&mut self) -> Result<Option<Vec<u8>>, Failure>;
    /// Waits until there are chunks, and moves all that have come. There are none behind the
    /// last.
    fn receive_all(&mut self, inbox: &mut Inbox) -> Result<(), Failure>;
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
                inbox: Inbox::default(),
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

    /// Sends chunks one after the other, and does not end this direction. Short chunks are sent
    /// together, up to 16 KiB, so that each costs little. Where it fails, [`sent`](Self::sent) says
    /// how many were sent.
    ///
    /// # Errors
    ///
    /// As [`Sender::send`], with the first chunk that is not sent.
    pub fn send_all<'v, V: Into<Value<'v>>>(
        &self,
        values: impl IntoIterator<Item = V>,
    ) -> Result<(), Failure> {
        self.send_pulled(values, |value, pulled| {
            let value = value.into();
            let is_put = pulled.push(value.as_slice());
            Ok((!is_put).then_some(value))
        })
    }

    /// How many chunks were sent.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.inner.sent()
    }

    /// Sends values that a function puts together, or makes one that goes alone of.
    pub(crate) fn send_pulled<'v, T>(
        &self,
        values: impl IntoIterator<Item = T>,
        mut writer: impl FnMut(T, &mut PackedValues) -> Result<Option<Value<'v>>, Failure>,
    ) -> Result<(), Failure> {
        let mut pulled = PackedValues::default();
        for value in values {
            let long = writer(value, &mut pulled);
            // Chunks before a value that can't be encoded are sent.
            if pulled.is_full() || !matches!(long, Ok(None)) {
                self.inner.send_together(&mut pulled)?;
            }
            if let Some(long) = long? {
                self.inner.send(long)?;
            }
        }
        self.inner.send_together(&mut pulled)
    }

    /// Ends this direction. A server's direction ends by itself when its handler does.
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
        if let Some((value, _)) = self.inbox.pop() {
            return Ok(Some(value.into_vec()));
        }
        self.inner.receive()
    }

    /// Waits until there are chunks, and lends all that have come; none if the peer's direction has
    /// ended. Chunks that are not iterated over come next.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub fn chunks(&mut self) -> Result<Option<Chunks<'_>>, Failure> {
        if self.inbox.is_empty() {
            self.inner.receive_all(&mut self.inbox)?;
        }
        let is_some = !self.inbox.is_empty();
        Ok(is_some.then(|| Chunks(self.inbox.chunks())))
    }
}

/// Chunks that have come, each where it lies.
pub struct Chunks<'a>(inbox::Chunks<'a>);

impl<'a> Iterator for Chunks<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = usize::try_from(self.0.len()).unwrap_or(usize::MAX);
        (n, Some(n))
    }
}

impl ExactSizeIterator for Chunks<'_> {}

impl fmt::Debug for Chunks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chunks({})", self.0.len())
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
