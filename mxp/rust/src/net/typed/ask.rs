//! The requests of a client.

use core::borrow::Borrow;

use bytes::Bytes;

use crate::engine::packed_values::PackedValues;
use crate::net::request_kind::CallKind;
use crate::net::source::Pack;
use crate::net::typed::{BidiStream, ClientStream, Method, Receiver, Sender};
use crate::net::{Buffer, Client, Failure, Options, Source, WhenFull};
use crate::session::Value;

/// A client, and what all of its requests have besides their values.
#[derive(Debug, Clone)]
pub struct Caller {
    client: Client,
    options: Options,
    full: WhenFull,
}

impl Caller {
    /// A client whose requests have nothing besides their values.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self {
            client,
            options: Options::new(),
            full: WhenFull::default(),
        }
    }

    /// The same client with other options.
    #[must_use]
    pub fn with(&self, options: Options) -> Self {
        Self {
            options,
            ..self.clone()
        }
    }

    /// The same client with another choice for events when too many wait to be sent.
    #[must_use]
    pub fn when_full(&self, full: WhenFull) -> Self {
        Self {
            full,
            ..self.clone()
        }
    }
}

impl<Q, A, W> Method<Q, A, W> {
    /// Calls the method, and waits for the answer. Where the future is dropped, the
    /// call is taken back.
    ///
    /// # Errors
    ///
    /// Why there is no answer, and whether somebody may have acted.
    pub async fn call(&self, caller: &Caller, request: &Q) -> Result<A, Failure> {
        let reply = self.request(caller, CallKind::Call, request).await?;
        let answer = self.response.decode_response(&reply);
        answer.map_err(|failure| caller.client.explained(self.of(), None, failure))
    }

    /// Opens a stream of responses to a request. Where it is dropped before its end, it
    /// is cancelled.
    ///
    /// # Errors
    ///
    /// Why it was not opened.
    pub async fn server_stream(
        &self,
        caller: &Caller,
        request: &Q,
    ) -> Result<Receiver<A>, Failure> {
        let value = self.encoded(caller, request)?;
        let Caller {
            client, options, ..
        } = caller;
        let opened = client.open_stream(self.of(), true, value.into(), options);
        Ok(Receiver::new(opened.await?.receiver, self.response))
    }

    /// Opens a stream of requests that has one response. Where it is dropped before that,
    /// it is cancelled.
    ///
    /// # Errors
    ///
    /// Why it was not opened.
    pub async fn client_stream(&self, caller: &Caller) -> Result<ClientStream<Q, A>, Failure> {
        let stream = self.bidi_stream(caller).await?;
        Ok(ClientStream::new(stream))
    }

    /// Opens a stream of requests and responses. Where both directions are dropped before
    /// their end, it is cancelled.
    ///
    /// # Errors
    ///
    /// Why it was not opened.
    pub async fn bidi_stream(&self, caller: &Caller) -> Result<BidiStream<Q, A>, Failure> {
        let Caller {
            client, options, ..
        } = caller;
        let opened = client.open_stream(self.of(), false, Value::default(), options);
        let stream = opened.await?;
        Ok(BidiStream {
            sender: Sender::new(stream.sender, self.request),
            receiver: Receiver::new(stream.receiver, self.response),
        })
    }

    /// A request as bytes.
    fn encoded(&self, caller: &Caller, request: &Q) -> Result<Buffer, Failure> {
        let encoded = self.request.encode_request(request);
        encoded.map_err(|failure| caller.client.explained(self.of(), None, failure))
    }

    async fn request(
        &self,
        caller: &Caller,
        asks: CallKind<'static>,
        request: &Q,
    ) -> Result<Bytes, Failure> {
        let value = self.encoded(caller, request)?;
        let Caller {
            client, options, ..
        } = caller;
        let asked = client.request(self.of(), asks, value.into(), options);
        asked.await.map(|reply| reply.value)
    }
}

impl<Q> Method<Q, ()> {
    /// Tells the peer something. Nobody says whether it was taken.
    ///
    /// # Errors
    ///
    /// Why it was not queued. An event that was dropped, as the caller says for a full queue, is no
    /// failure.
    pub async fn publish(&self, caller: &Caller, request: &Q) -> Result<(), Failure> {
        let value = self.encoded(caller, request)?;
        let Caller {
            client,
            options,
            full,
        } = caller;
        client.tell(self.of(), *full, value.into(), options).await
    }

    /// Tells the peer values of an iterator or a [`Stream`](futures_core::Stream), one after the
    /// other. Values that are ready together are queued together, so that each costs little.
    ///
    /// # Errors
    ///
    /// As [`Method::publish`], with the first event that was not queued.
    pub async fn publish_all<S, K>(&self, caller: &Caller, requests: S) -> Result<(), Failure>
    where
        S: Source<K>,
        S::Item: Borrow<Q>,
    {
        let Caller {
            client,
            options,
            full,
        } = caller;
        let parts = Parts {
            method: *self,
            client,
            was_long: false,
        };
        let told = client.tell_pulled(self.of(), *full, requests.values(), options, parts);
        told.await
    }

    /// Tells the peer something, and waits until it was taken.
    ///
    /// # Errors
    ///
    /// Why it was not, and whether somebody may have acted.
    pub async fn publish_acked(&self, caller: &Caller, request: &Q) -> Result<(), Failure> {
        let told = self.request(caller, CallKind::Acked, request);
        told.await.map(|_| ())
    }
}

/// The way in which many events are put together.
struct Parts<'a, Q> {
    method: Method<Q, ()>,
    client: &'a Client,
    was_long: bool,
}

impl<Q, V: Borrow<Q>> Pack<V> for Parts<'_, Q> {
    fn put(
        &mut self,
        value: V,
        pulled: &mut PackedValues,
    ) -> Result<Option<Value<'static>>, Failure> {
        let codec = &self.method.request;
        let long = codec.encode_part(value.borrow(), pulled, &mut self.was_long);
        let long = long.map_err(|refusal| {
            let failure = refusal.of_request();
            self.client.explained(self.method.of(), None, failure)
        })?;
        Ok(long.map(Value::from))
    }
}
