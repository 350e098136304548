//! Requests of threads whose values have types.

use core::borrow::Borrow;
use std::string::ToString as _;

mod serve;
mod stream;

pub use stream::{BidiStream, ClientStream, Receiver, Sender};

use crate::engine::failure::method_name;
use crate::net::blocking::CallKind;
use crate::net::typed::Method;
use crate::net::{blocking, Buffer, Failure, Options};
use crate::session::Value;

/// The name of [`ClientStream`] until 0.4.
#[deprecated(since = "0.5.0", note = "use `ClientStream`")]
pub type Upload<Q, A> = ClientStream<Q, A>;

/// The name of [`BidiStream`] until 0.4.
#[deprecated(since = "0.5.0", note = "use `BidiStream`")]
pub type Stream<Q, A> = BidiStream<Q, A>;

/// An iterator of values of a type, or of references to them.
pub trait Values<T>: IntoIterator<Item: Borrow<T>> {}

impl<T, I: IntoIterator<Item: Borrow<T>>> Values<T> for I {}

/// A client for threads, and what all of its requests have besides their values.
#[derive(Debug, Clone)]
pub struct BlockingCaller {
    client: blocking::Client,
    options: Options,
}

impl BlockingCaller {
    /// A client whose requests have nothing besides their values.
    #[must_use]
    pub fn new(client: blocking::Client) -> Self {
        Self {
            client,
            options: Options::new(),
        }
    }

    /// The same client with other options.
    #[must_use]
    pub fn with(&self, options: Options) -> Self {
        Self {
            client: self.client.clone(),
            options,
        }
    }

    /// Replaces what requests have besides their values from now on.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
    }
}

impl<Q, A, W> Method<Q, A, W> {
    /// Calls the method, and waits for the answer.
    ///
    /// # Errors
    ///
    /// Why there is no answer, and whether somebody may have acted.
    pub fn call_blocking(&self, caller: &BlockingCaller, request: &Q) -> Result<A, Failure> {
        let value = self.encoded_blocking(caller, request)?;
        let BlockingCaller { client, options } = caller;
        let reply = client.ask(self.of(), CallKind::Call, value.into(), options)?;
        let answer = self.response.decode_response(&reply.value);
        answer.map_err(|failure| self.explained_blocking(caller, failure))
    }

    /// Opens a stream of responses to a request. Where it is dropped before its end, it
    /// is cancelled.
    ///
    /// # Errors
    ///
    /// Why it was not opened.
    pub fn server_stream_blocking(
        &self,
        caller: &BlockingCaller,
        request: &Q,
    ) -> Result<Receiver<A>, Failure> {
        let value = self.encoded_blocking(caller, request)?;
        let BlockingCaller { client, options } = caller;
        let stream = client.open_stream(self.of(), true, value.into(), options)?;
        Ok(Receiver::new(stream.receiver, self.response))
    }

    /// Opens a stream of requests that has one response. Where it is dropped before that,
    /// it is cancelled.
    ///
    /// # Errors
    ///
    /// Why it was not opened.
    pub fn client_stream_blocking(
        &self,
        caller: &BlockingCaller,
    ) -> Result<ClientStream<Q, A>, Failure> {
        self.bidi_stream_blocking(caller).map(ClientStream::new)
    }

    /// Opens a stream of requests and responses. Where both directions are dropped before
    /// their end, it is cancelled.
    ///
    /// # Errors
    ///
    /// Why it was not opened.
    pub fn bidi_stream_blocking(
        &self,
        caller: &BlockingCaller,
    ) -> Result<BidiStream<Q, A>, Failure> {
        let BlockingCaller { client, options } = caller;
        let stream = client.open_stream(self.of(), false, Value::default(), options)?;
        Ok(BidiStream {
            sender: Sender::new(stream.sender, self.request),
            receiver: Receiver::new(stream.receiver, self.response),
        })
    }

    /// A request as bytes.
    fn encoded_blocking(&self, caller: &BlockingCaller, request: &Q) -> Result<Buffer, Failure> {
        let encoded = self.request.encode_request(request);
        encoded.map_err(|failure| self.explained_blocking(caller, failure))
    }

    /// A failure of the method's values.
    #[cold]
    fn explained_blocking(&self, caller: &BlockingCaller, failure: Failure) -> Failure {
        let peer = caller.client.address().to_string();
        failure.with_origin(method_name(self.service, self.name, self.number), peer)
    }
}

impl<Q> Method<Q, ()> {
    /// Tells the peer something. Nobody says whether it was taken.
    ///
    /// # Errors
    ///
    /// Why it was not sent.
    pub fn publish_blocking(&self, caller: &BlockingCaller, request: &Q) -> Result<(), Failure> {
        self.told_blocking(caller, CallKind::Event, request)
    }

    /// Tells the peer the values of an iterator, one after the other. They are written together,
    /// so that each costs little.
    ///
    /// # Errors
    ///
    /// As [`Method::publish_blocking`], with the first event that was not sent.
    pub fn publish_all_blocking(
        &self,
        caller: &BlockingCaller,
        requests: impl Values<Q>,
    ) -> Result<(), Failure> {
        let BlockingCaller { client, options } = caller;
        let mut was_long = false;
        client.tell_pulled(self.of(), requests, options, |value, pulled| {
            let value = value.borrow();
            let long = self.request.encode_part(value, pulled, &mut was_long);
            let long = long.map_err(|refusal| {
                let failure = refusal.of_request();
                self.explained_blocking(caller, failure)
            })?;
            Ok(long.map(Value::from))
        })
    }

    /// Tells the peer something, and waits until it was taken.
    ///
    /// # Errors
    ///
    /// Why it was not, and whether somebody may have acted.
    pub fn publish_acked_blocking(
        &self,
        caller: &BlockingCaller,
        request: &Q,
    ) -> Result<(), Failure> {
        self.told_blocking(caller, CallKind::Acked, request)
    }

    fn told_blocking(
        &self,
        caller: &BlockingCaller,
        asks: CallKind,
        request: &Q,
    ) -> Result<(), Failure> {
        let value = self.encoded_blocking(caller, request)?;
        let BlockingCaller { client, options } = caller;
        let told = client.ask(self.of(), asks, value.into(), options);
        told.map(|_| ())
    }
}
