//! Streams of values, of threads.

use core::borrow::Borrow;
use core::fmt;
use std::vec::Vec;

use crate::net::blocking::{self, Whole};
use crate::net::typed::{Codec, Refusal};
use crate::net::Failure;
use crate::session::{Kind, Value};

/// A stream: values in both directions. Each may be another thread's.
#[derive(Debug)]
pub struct BidiStream<Q, A> {
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
pub struct ClientStream<Q, A> {
    sender: Sender<Q>,
    receiver: Receiver<A>,
}

impl<Q, A> BidiStream<Q, A> {
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
        let encoded = self.codec.encode(value);
        let bytes = encoded.map_err(|refusal| self.refused(refusal))?;
        self.inner.send(bytes)
    }

    /// Sends all values of an iterator, and does not end this direction. Short values are sent
    /// together, up to 16 KiB, so that each costs little. Where it fails, [`sent`](Self::sent) says
    /// how many were sent.
    ///
    /// # Errors
    ///
    /// As [`Sender::send`], with the first value that is not sent.
    pub fn send_all<V: Borrow<T>>(
        &self,
        values: impl IntoIterator<Item = V>,
    ) -> Result<(), Failure> {
        let mut was_long = false;
        self.inner.send_pulled(values, |value, pulled| {
            let value = value.borrow();
            let long = self.codec.encode_part(value, pulled, &mut was_long);
            let long = long.map_err(|refusal| self.refused(refusal))?;
            Ok(long.map(Value::from))
        })
    }

    /// How many values were sent.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.inner.sent()
    }

    /// The failure of a value that can't be encoded, for which a stream of responses ends.
    #[cold]
    fn refused(&self, refusal: Refusal) -> Failure {
        let whole = self.inner.inner.whole();
        if whole.is_mine() {
            return whole.explained(refusal.of_request());
        }
        let failure = refusal.of_response();
        whole.refuse(&failure);
        whole.explained(failure)
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
        let decoded = self.codec.decode(&bytes);
        decoded.map(Some).map_err(|refusal| self.refused(refusal))
    }

    /// Waits until there are values, and moves at most `most` of them to a vector. Returns how many
    /// there were: none if the peer's direction has ended, or none were asked for.
    ///
    /// # Errors
    ///
    /// Why the stream has ended. A value that can't be decoded ends the stream; all values before
    /// it are in the vector.
    pub fn receive_many(&mut self, values: &mut Vec<T>, most: usize) -> Result<usize, Failure> {
        if most == 0 {
            return Ok(0);
        }
        let codec = self.codec;
        let Some(chunks) = self.inner.chunks()? else {
            return Ok(0);
        };
        let received = codec.decode_many(chunks, values, most);
        received.map_err(|refusal| self.refused(refusal))
    }

    /// Ends the stream for a value that can't be decoded.
    #[cold]
    fn refused(&self, refusal: Refusal) -> Failure {
        let whole = self.whole();
        let failure = refusal.of_part(whole.is_mine());
        whole.refuse(&failure);
        whole.explained(failure)
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

impl<Q, A> ClientStream<Q, A> {
    pub(crate) fn new(stream: BidiStream<Q, A>) -> Self {
        let BidiStream { sender, receiver } = stream;
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
    pub fn send_all<V: Borrow<Q>>(
        &self,
        values: impl IntoIterator<Item = V>,
    ) -> Result<(), Failure> {
        self.sender.send_all(values)
    }

    /// How many requests were sent.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sender.sent()
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
