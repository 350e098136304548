//! Streams of values.

use core::fmt;
use core::future::poll_fn;
use core::pin::{pin, Pin};
use core::task::{ready, Context, Poll};

use crate::net::typed::Codec;
use crate::net::{self, Failure};
use crate::session::Kind;

/// A stream: values in both directions.
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
        let handle = &self.inner.handle;
        let bytes = if handle.is_mine() {
            self.codec.encode_request(value)
        } else {
            let encoded = self.codec.encode_response(value);
            encoded.inspect_err(|failure| handle.refuse(failure))
        };
        let bytes = bytes.map_err(|failure| handle.explained(failure))?;
        self.inner.send(bytes).await
    }

    /// Sends all values of a stream, and does not end this direction.
    ///
    /// # Errors
    ///
    /// As [`Sender::send`], with the first value that is not sent.
    pub async fn send_all(
        &self,
        values: impl futures_core::Stream<Item = T>,
    ) -> Result<(), Failure> {
        let mut values = pin!(values);
        while let Some(value) = poll_fn(|context| values.as_mut().poll_next(context)).await {
            self.send(&value).await?;
        }
        Ok(())
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
        let Some(bytes) = ready!(self.inner.poll_receive(context))? else {
            return Poll::Ready(Ok(None));
        };
        let value = if self.inner.handle.is_mine() {
            self.codec.decode_response(&bytes)
        } else {
            self.codec.decode_chunk(&bytes)
        };
        let handle = &self.inner.handle;
        let value = value.inspect_err(|failure| handle.refuse(failure));
        let value = value.map_err(|failure| handle.explained(failure));
        Poll::Ready(value.map(Some))
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
    pub async fn send(&self, value: &Q) -> Result<(), Failure> {
        self.sender.send(value).await
    }

    /// Sends all requests of a stream, as [`Sender::send_all`] does.
    ///
    /// # Errors
    ///
    /// As [`Sender::send`], with the first value that is not sent.
    pub async fn send_all(
        &self,
        values: impl futures_core::Stream<Item = Q>,
    ) -> Result<(), Failure> {
        self.sender.send_all(values).await
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
