//! Streams of values, of threads.

use core::fmt;

use crate::net::blocking::{self, Whole};
use crate::net::typed::Codec;
use crate::net::Failure;
use crate::session::Kind;

/// A stream: values in both directions. Each may be another thread's.
#[derive(Debug)]
pub struct Stream<Q, A> {
    /// To the peer.
    pub sender: Sender<Q>,
    /// From the peer.
    pub receiver: Receiver<A>,
}

/// The direction of a stream to the peer. When both directions are dropped, a stream
/// that was opened here is cancelled, unless both have ended.
pub struct Sender<T> {
    inner: blocking::Sender,
    codec: Codec<T>,
}

/// The direction of a stream from the peer: an iterator of its values that ends behind the
/// first failure.
pub struct Receiver<T> {
    inner: blocking::Receiver,
    codec: Codec<T>,
    is_over: bool,
}

/// Requests that are sent one after the other and have one response. When it is dropped
/// before, the stream is cancelled.
#[derive(Debug)]
pub struct Upload<Q, A> {
    sender: Sender<Q>,
    receiver: Receiver<A>,
}

impl<Q, A> Stream<Q, A> {
    /// Sends a value, as [`Sender::send`] does.
    ///
    /// # Errors
    ///
    /// Why the value can't be encoded, or the stream has ended.
    pub fn send(&self, value: &Q) -> Result<(), Failure> {
        self.sender.send(value)
    }

    /// Receives a value, as [`Receiver::receive`] does.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub fn receive(&mut self) -> Result<Option<A>, Failure> {
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

impl<T> Sender<T> {
    pub(crate) const fn new(inner: blocking::Sender, codec: Codec<T>) -> Self {
        Self { inner, codec }
    }

    /// Sends a value. Waits until the receiver lets it be sent; what comes meanwhile is kept.
    ///
    /// # Errors
    ///
    /// Why the value can't be encoded, or the stream has ended. A request that can't be
    /// encoded is not sent; a response that can't ends the stream.
    pub fn send(&self, value: &T) -> Result<(), Failure> {
        let whole = self.inner.inner.whole();
        let bytes = if whole.is_mine() {
            self.codec.encode_request(value)
        } else {
            let encoded = self.codec.encode_response(value);
            encoded.inspect_err(|failure| whole.refuse(failure))
        };
        let bytes = bytes.map_err(|failure| whole.explained(failure))?;
        self.inner.send(bytes)
    }

    /// Sends all values of an iterator, and does not end this direction.
    ///
    /// # Errors
    ///
    /// As [`Sender::send`], with the first value that is not sent.
    pub fn send_all(&self, values: impl IntoIterator<Item = T>) -> Result<(), Failure> {
        values.into_iter().try_for_each(|value| self.send(&value))
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

impl<T> Receiver<T> {
    pub(crate) const fn new(inner: blocking::Receiver, codec: Codec<T>) -> Self {
        Self {
            inner,
            codec,
            is_over: false,
        }
    }

    /// Waits for the next value; none if the peer's direction has ended.
    ///
    /// # Errors
    ///
    /// Why the stream has ended. A value that can't be decoded ends it.
    pub fn receive(&mut self) -> Result<Option<T>, Failure> {
        let Some(bytes) = self.inner.receive()? else {
            return Ok(None);
        };
        let whole = self.whole();
        let value = if whole.is_mine() {
            self.codec.decode_response(&bytes)
        } else {
            self.codec.decode_chunk(&bytes)
        };
        let value = value.inspect_err(|failure| whole.refuse(failure));
        value.map(Some).map_err(|failure| whole.explained(failure))
    }

    fn whole(&self) -> &dyn Whole {
        self.inner.inner.whole()
    }
}

impl<T> Iterator for Receiver<T> {
    type Item = Result<T, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let received = self.receive();
        self.is_over = !matches!(received, Ok(Some(_)));
        received.transpose()
    }
}

impl<Q, A> Upload<Q, A> {
    pub(crate) fn new(stream: Stream<Q, A>) -> Self {
        let Stream { sender, receiver } = stream;
        Self { sender, receiver }
    }

    /// Sends a request, as [`Sender::send`] does.
    ///
    /// # Errors
    ///
    /// Why the value can't be encoded, or the stream has ended.
    pub fn send(&self, value: &Q) -> Result<(), Failure> {
        self.sender.send(value)
    }

    /// Sends all requests of an iterator, as [`Sender::send_all`] does.
    ///
    /// # Errors
    ///
    /// As [`Sender::send`], with the first value that is not sent.
    pub fn send_all(&self, values: impl IntoIterator<Item = Q>) -> Result<(), Failure> {
        self.sender.send_all(values)
    }

    /// Ends the requests, and waits for the response.
    ///
    /// # Errors
    ///
    /// Why there is none: among others `stream_responses` where the peer sends none, or
    /// more than one.
    pub fn finish(mut self) -> Result<A, Failure> {
        // Of a stream that has ended, the receiver knows why.
        let _ = self.sender.finish();
        let response = self.receiver.receive()?;
        if let (Some(response), None) = (response, self.receiver.receive()?) {
            return Ok(response);
        }
        let mut failure = Failure::of(Kind::StreamResponses);
        failure.acted = true;
        Err(self.receiver.whole().explained(failure))
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inner, f)
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inner, f)
    }
}
