//! Clients: calls, events and the opening of streams.

use std::sync::Arc;
use std::time::Duration;

use mxp::net::{Client, ClientOptions, Failure, Options, WhenFull};

use crate::code::Code;
use crate::completion::Outcome;
use crate::core::system;
use crate::foreign::Method;
use crate::shapes;
use crate::shared::{Command, Shared};

/// A request of the host's.
pub(crate) struct Request {
    pub(crate) client: u64,
    pub(crate) method: Method,
    pub(crate) value: Vec<u8>,
    pub(crate) options: Options,
    pub(crate) flags: u32,
    pub(crate) when_full: u32,
}

impl Shared {
    /// Makes a client, which begins to connect.
    pub(crate) fn client(
        &self,
        options: ClientOptions,
        addresses: &[String],
        numbers: &shapes::ClientOptions,
    ) -> Result<u64, Failure> {
        self.lock().check()?;
        let mut options = options;
        if numbers.connect_timeout_us != 0 {
            options = options.connect_timeout(microseconds(numbers.connect_timeout_us));
        }
        if numbers.memory_bytes != 0 {
            options = options.memory_bytes(whole(numbers.memory_bytes));
        }
        if numbers.connections != 0 {
            options = options.connections(whole(numbers.connections.into()));
        }
        if numbers.waiting != 0 {
            options = options.waiting(whole(numbers.waiting.into()));
        }
        let here = (self.runtime.enter(), self.logged());
        let client = if numbers.flags & shapes::client::PUBLISHER != 0 {
            options.publisher()
        } else {
            options.connect_any(addresses.iter().map(|address| &address[..]))
        };
        drop(here);
        let client = client.map_err(|error| system(&error))?;
        let id = self.id();
        let mut state = self.lock();
        state.check()?;
        state.clients.insert(id, client);
        Ok(id)
    }

    fn find_client(&self, id: u64) -> Result<Client, Code> {
        let state = self.lock();
        state.check()?;
        state.clients.get(&id).cloned().ok_or(Code::UnknownId)
    }

    /// Calls a method.
    pub(crate) fn call(self: &Arc<Self>, request: Request, tag: u64) -> Result<(), Code> {
        let client = self.find_client(request.client)?;
        if request.method.kind != shapes::method::CALL
            || request.flags & !shapes::request::TRACE != 0
        {
            return Err(Code::BadValue);
        }
        self.begin(tag, |ticket| async move {
            let ticket = ticket.begun();
            let Request {
                method,
                value,
                options,
                ..
            } = request;
            ticket.end(
                client
                    .call(&method.service, method.number, value, &options)
                    .await,
            );
        })
    }

    /// Tells an event. Without a tag nobody is told how that has ended.
    pub(crate) fn event(self: &Arc<Self>, request: Request, tag: u64) -> Result<(), Code> {
        let client = self.find_client(request.client)?;
        let is_acked = request.flags & shapes::request::ACKED != 0;
        let full = when_full(request.when_full)?;
        if request.method.kind != shapes::method::EVENT || request.flags & shapes::request::END != 0
        {
            return Err(Code::BadValue);
        }
        let tell = async move {
            let Request {
                method,
                value,
                options,
                ..
            } = request;
            if is_acked {
                client
                    .event_acked(&method.service, method.number, value, &options)
                    .await
            } else {
                client
                    .event(&method.service, method.number, value, full, &options)
                    .await
            }
        };
        if tag == 0 {
            let untold = async move {
                let _ = tell.await;
            };
            self.command(Command::Run(0, Box::pin(untold)));
            return Ok(());
        }
        self.begin(tag, |ticket| async move {
            let ticket = ticket.begun();
            ticket.end(tell.await);
        })
    }

    /// Opens a stream, whose completions have the tag as their label.
    pub(crate) fn open(self: &Arc<Self>, request: Request, tag: u64) -> Result<(), Code> {
        let client = self.find_client(request.client)?;
        if request.method.kind != shapes::method::STREAM
            || request.flags & shapes::request::ACKED != 0
        {
            return Err(Code::BadValue);
        }
        let shared = Arc::clone(self);
        self.begin(tag, |ticket| async move {
            let ticket = ticket.begun();
            let Request {
                method,
                value,
                options,
                flags,
                ..
            } = request;
            let opened = client
                .open(&method.service, method.number, value, &options)
                .await;
            let stream = match opened {
                Ok(stream) => stream,
                Err(failure) => return ticket.end(Outcome::Failed(failure)),
            };
            let place = shared.stream(tag, false);
            if flags & shapes::request::END != 0 {
                place.state.end();
            }
            ticket.end(Outcome::Made(place.id));
            tokio::spawn(async move {
                let ended = place.pump(stream).await;
                place.over(ended);
            });
        })
    }

    /// Closes a client, as soon as all its requests have ended.
    pub(crate) fn close_client(self: &Arc<Self>, id: u64, tag: u64) -> Result<(), Code> {
        self.find_client(id)?;
        let shared = Arc::clone(self);
        // The client goes at once, where the tag is good.
        let (give, get) = tokio::sync::oneshot::channel::<Client>();
        self.begin(tag, |ticket| async move {
            let ticket = ticket.begun();
            if let Ok(client) = get.await {
                client.drain("the client closes").await;
            }
            ticket.end(Outcome::Done);
        })?;
        let client = shared.lock().clients.remove(&id);
        if let Some(client) = client {
            let _ = give.send(client);
        }
        Ok(())
    }
}

/// The policy of an event for a full queue.
fn when_full(number: u32) -> Result<WhenFull, Code> {
    Ok(match number {
        0 => WhenFull::Wait,
        1 => WhenFull::Refuse,
        2 => WhenFull::DropNewest,
        3 => WhenFull::DropOldest,
        _ => return Err(Code::BadValue),
    })
}

/// A time in microseconds; a negative one is no limit.
pub(crate) fn microseconds(time: i64) -> Duration {
    const YEAR: u64 = 365 * 24 * 3600 * 1_000_000;
    Duration::from_micros(u64::try_from(time).unwrap_or(YEAR).min(YEAR))
}

/// A number of things in memory.
pub(crate) fn whole(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
