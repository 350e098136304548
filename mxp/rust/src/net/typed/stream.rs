//! Streams of values.

use core::borrow::Borrow;
use core::fmt;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{ready, Context, Poll};
use std::vec::Vec;

use crate::engine::packed_values::PackedValues;
use crate::net::source::Pack;
use crate::net::typed::{Codec, Refusal};
use crate::net::{self, Failure, Source};
use crate::session::{Kind, Value};

/// A stream: values in both directions.
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
    inner: net::Sender,
    codec: Codec<T>,
}

/// The direction of a stream from the peer: a [`Stream`](futures_core::Stream) of its
/// values that ends behind the first failure.
pub struct Receiver<T> {
    inner: net::Receiver,
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
    pub async fn send(&self, value: &Q) -> Result<(), Failure> {
        self.sender.send(value).await
    }

    /// Receives a value, as [`Receiver::receive`] does.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub async fn receive(&mut self) -> Result<Option<A>, Failure> {
        self.receiver.receive().await
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
    pub(crate) const fn new(inner: net::Sender, codec: Codec<T>) -> Self {
        Self { inner, codec }
    }

    /// Sends a value, as soon as the receiver lets it be sent.
    ///
    /// # Errors
    ///
    /// Why the value can't be encoded, or the stream has ended. A request that can't be
    /// encoded is not sent; a response that can't ends the stream.
    pub async fn send(&self, value: &T) -> Result<(), Failure> {
        let encoded = self.codec.encode(value);
        let bytes = encoded.map_err(|refusal| self.refused(refusal))?;
        self.inner.send(bytes).await
    }

    /// Sends all values of an iterator, or of a [`Stream`](futures_core::Stream), and does not end
    /// this direction. Values that are ready together are queued together, so that each costs
    /// little; a value is never kept back until the next is ready.
    ///
    /// Where the future is dropped, or fails, [`sent`](Self::sent) says how many were sent. Values
    /// behind them that were taken already, at most 16 KiB and one, are gone.
    ///
    /// # Errors
    ///
    /// As [`Sender::send`], with the first value that is not sent.
    pub async fn send_all<S, K>(&self, values: S) -> Result<(), Failure>
    where
        S: Source<K>,
        S::Item: Borrow<T>,
    {
        let parts = Parts {
            sender: self,
            was_long: false,
        };
        self.inner.send_pulled(values.values(), parts).await
    }

    /// How many values were sent.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.inner.sent()
    }

    /// The failure of a value that can't be encoded, for which a stream of responses ends.
    #[cold]
    fn refused(&self, refusal: Refusal) -> Failure {
        let handle = &self.inner.handle;
        if handle.is_mine() {
            return handle.explained(refusal.of_request());
        }
        let failure = refusal.of_response();
        handle.refuse(&failure);
        handle.explained(failure)
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

/// A [`Source`] of values of a type, or of references to them.
pub trait Values<T, Kind>: Source<Kind, Item: Borrow<T>> {}

impl<T, Kind, S: Source<Kind, Item: Borrow<T>>> Values<T, Kind> for S {}

/// The way in which the values of a stream are put together.
struct Parts<'a, T> {
    sender: &'a Sender<T>,
    was_long: bool,
}

impl<T, V: Borrow<T>> Pack<V> for Parts<'_, T> {
    fn put(
        &mut self,
        value: V,
        pulled: &mut PackedValues,
    ) -> Result<Option<Value<'static>>, Failure> {
        let Self { sender, was_long } = self;
        let long = sender.codec.encode_part(value.borrow(), pulled, was_long);
        let long = long.map_err(|refusal| sender.refused(refusal))?;
        Ok(long.map(Value::from))
    }
}

impl<T> Receiver<T> {
    pub(crate) const fn new(inner: net::Receiver, codec: Codec<T>) -> Self {
        Self {
            inner,
            codec,
            is_over: false,
        }
    }

    /// Receives the next value; none if the peer's direction has ended.
    ///
    /// # Errors
    ///
    /// Why the stream has ended. A value that can't be decoded ends it.
    pub async fn receive(&mut self) -> Result<Option<T>, Failure> {
        poll_fn(|context| self.poll_receive(context)).await
    }

    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<T>, Failure>> {
        let Some(bytes) = ready!(self.inner.poll_next(context))? else {
            return Poll::Ready(Ok(None));
        };
        let decoded = self.codec.decode(bytes.as_slice());
        Poll::Ready(match decoded {
            Ok(value) => Ok(Some(value)),
            Err(refusal) => Err(self.refused(refusal)),
        })
    }

    /// Waits until there are values, and moves at most `most` of them to a vector. Returns how many
    /// there were: none if the peer's direction has ended, or none were asked for.
    ///
    /// # Errors
    ///
    /// Why the stream has ended. A value that can't be decoded ends the stream; all values before
    /// it are in the vector.
    pub async fn receive_many(
        &mut self,
        values: &mut Vec<T>,
        most: usize,
    ) -> Result<usize, Failure> {
        if most == 0 {
            return Ok(0);
        }
        let codec = self.codec;
        let Some(chunks) = self.inner.chunks().await? else {
            return Ok(0);
        };
        let received = codec.decode_many(chunks, values, most);
        received.map_err(|refusal| self.refused(refusal))
    }

    /// Waits until there are values, and lends the bytes of all that have come, as
    /// [`net::Receiver::chunks`] does: to be decoded where they lie. A chunk's bytes, even invalid
    /// ones, never end the stream.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub async fn chunks(&mut self) -> Result<Option<net::Chunks<'_>>, Failure> {
        self.inner.chunks().await
    }

    /// Ends the stream for a value that can't be decoded.
    #[cold]
    fn refused(&self, refusal: Refusal) -> Failure {
        let handle = &self.inner.handle;
        let failure = refusal.of_part(handle.is_mine());
        handle.refuse(&failure);
        handle.explained(failure)
    }
}

impl<T> futures_core::Stream for Receiver<T> {
    type Item = Result<T, Failure>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let received = ready!(self.poll_receive(context));
        self.is_over = !matches!(received, Ok(Some(_)));
        Poll::Ready(received.transpose())
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
    pub async fn send(&self, value: &Q) -> Result<(), Failure> {
        self.sender.send(value).await
    }

    /// Sends all requests of an iterator or a stream, as [`Sender::send_all`] does.
    ///
    /// # Errors
    ///
    /// As [`Sender::send`], with the first value that is not sent.
    pub async fn send_all<S, K>(&self, values: S) -> Result<(), Failure>
    where
        S: Source<K>,
        S::Item: Borrow<Q>,
    {
        self.sender.send_all(values).await
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
    pub async fn finish(mut self) -> Result<A, Failure> {
        // Of a stream that has ended, the receiver knows why.
        let _ = self.sender.finish();
        let response = self.receiver.receive().await?;
        if let (Some(response), None) = (response, self.receiver.receive().await?) {
            return Ok(response);
        }
        let mut failure = Failure::of(Kind::StreamResponses);
        failure.acted = true;
        Err(self.receiver.inner.handle.explained(failure))
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
