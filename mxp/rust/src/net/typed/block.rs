//! The requests of a client for threads.

use std::string::ToString as _;

use crate::net::blocking::Asks;
use crate::net::failure::method_name;
use crate::net::typed::Method;
use crate::net::{blocking, Buffer, Failure, Options};

/// A client for threads, and what all of its requests have besides their values.
#[derive(Debug)]
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

    /// Replaces what requests have besides their values from now on.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
    }
}

impl<Q, A> Method<Q, A> {
    /// Calls the method, and waits for the answer.
    ///
    /// # Errors
    ///
    /// Why there is no answer, and whether somebody may have acted.
    pub fn call_blocking(&self, caller: &mut BlockingCaller, request: &Q) -> Result<A, Failure> {
        let value = self.encoded_blocking(caller, request)?;
        let BlockingCaller { client, options } = caller;
        let reply = client.ask(self.of(), Asks::Call, value.into(), options);
        let answer = reply.and_then(|reply| self.response.decode_response(&reply.value));
        answer.map_err(|failure| self.explained_blocking(caller, failure))
    }

    /// A request as bytes.
    fn encoded_blocking(&self, caller: &BlockingCaller, request: &Q) -> Result<Buffer, Failure> {
        let encoded = self.request.encode_request(request);
        encoded.map_err(|failure| self.explained_blocking(caller, failure))
    }

    /// A failure of the method, which is named by it: the client knows its number alone.
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
    pub fn tell_blocking(&self, caller: &mut BlockingCaller, request: &Q) -> Result<(), Failure> {
        let value = self.encoded_blocking(caller, request)?;
        let BlockingCaller { client, options } = caller;
        let told = client.ask(self.of(), Asks::Event, value.into(), options);
        told.map(|_| ())
            .map_err(|failure| self.explained_blocking(caller, failure))
    }

    /// Tells the peer something, and waits until it was taken.
    ///
    /// # Errors
    ///
    /// Why it was not, and whether somebody may have acted.
    pub fn tell_acked_blocking(
        &self,
        caller: &mut BlockingCaller,
        request: &Q,
    ) -> Result<(), Failure> {
        let value = self.encoded_blocking(caller, request)?;
        let BlockingCaller { client, options } = caller;
        let told = client.ask(self.of(), Asks::Acked, value.into(), options);
        told.map(|_| ())
            .map_err(|failure| self.explained_blocking(caller, failure))
    }
}
