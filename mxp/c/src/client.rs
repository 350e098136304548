//! Clients: calls, events and the opening of streams.

use std::sync::Arc;
use std::time::Duration;

use mxp::net::{Client, ClientOptions, Failure, Options, Reply, WhenFull};
use mxp::session::Query;
use tokio::sync::watch;

use crate::code::Code;
use crate::completion::Outcome;
use crate::core::system;
use crate::foreign::Method;
use crate::policy::choose;
use crate::shapes;
use crate::shared::{ClientEntry, Command, Shared};
use crate::ticket::cancelled;

/// A request of the host's.
pub(crate) struct Request {
    pub(crate) client: u64,
    pub(crate) method: Method,
    pub(crate) value: Vec<u8>,
    pub(crate) options: Options,
    pub(crate) flags: u32,
    pub(crate) when_full: u32,
}

impl Request {
    /// Refuses a method of another kind, and flags that are neither the trace's nor this kind's.
    fn check(&self, kind: u32, flags: u32) -> Result<(), Code> {
        let is_fit =
            self.method.kind == kind && self.flags & !(flags | shapes::request::TRACE) == 0;
        is_fit.then_some(()).ok_or(Code::BadValue)
    }
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
        choose! { options:
            numbers.connect_timeout_us => connect_timeout(microseconds(numbers.connect_timeout_us));
            numbers.memory_bytes => memory_bytes(whole(numbers.memory_bytes));
            numbers.connections => connections(whole(numbers.connections.into()));
            numbers.waiting => waiting(whole(numbers.waiting.into()));
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
        let streams = watch::Sender::new(());
        state
            .objects
            .clients
            .insert(id, ClientEntry { client, streams });
        Ok(id)
    }

    /// A client, and what its streams wait for beside their ends.
    fn find_client(&self, id: u64) -> Result<(Client, watch::Receiver<()>), Code> {
        let state = self.lock();
        state.check()?;
        let entry = state.objects.clients.get(&id).ok_or(Code::UnknownId)?;
        Ok((entry.client.clone(), entry.streams.subscribe()))
    }

    /// Calls a method.
    pub(crate) fn call(self: &Arc<Self>, request: Request, tag: u64) -> Result<(), Code> {
        let (client, _) = self.find_client(request.client)?;
        request.check(shapes::method::CALL, 0)?;
        self.begin(tag, async move {
            let (service, number) = request.method.place();
            let called = client.call(service, number, request.value, &request.options);
            called.await
        })
    }

    /// Tells an event. Without a tag nobody is told how that has ended.
    pub(crate) fn event(self: &Arc<Self>, request: Request, tag: u64) -> Result<(), Code> {
        let (client, _) = self.find_client(request.client)?;
        let is_acked = request.flags & shapes::request::ACKED != 0;
        let full = when_full(request.when_full)?;
        request.check(shapes::method::EVENT, shapes::request::ACKED)?;
        let tell = async move {
            let (service, number) = request.method.place();
            let (value, options) = (request.value, &request.options);
            if is_acked {
                client.event_acked(service, number, value, options).await
            } else {
                client.event(service, number, value, full, options).await
            }
        };
        if tag == 0 {
            let untold = async move { drop(tell.await) };
            self.command(Command::Run(0, Box::pin(untold)));
            return Ok(());
        }
        self.begin(tag, tell)
    }

    /// Opens a stream, whose completions have the tag as their label.
    pub(crate) fn open(self: &Arc<Self>, request: Request, tag: u64) -> Result<(), Code> {
        let (client, mut streams) = self.find_client(request.client)?;
        request.check(shapes::method::STREAM, shapes::request::END)?;
        let shared = Arc::clone(self);
        self.begin(tag, async move {
            let (service, number) = request.method.place();
            let opened = client.open(service, number, request.value, &request.options);
            let stream = match opened.await {
                Ok(stream) => stream,
                Err(failure) => return Outcome::Failed(failure),
            };
            let place = shared.stream(tag, false);
            if request.flags & shapes::request::END != 0 {
                place.state.end();
            }
            let id = place.id;
            // The task begins behind the completion of the tag.
            tokio::spawn(async move {
                let ended = tokio::select! {
                    ended = place.pump(stream) => ended,
                    _ = streams.changed() => Err(cancelled()),
                };
                place.over(ended);
            });
            Outcome::Made(id)
        })
    }

    /// Closes a client, as soon as all its requests have ended.
    pub(crate) fn close_client(self: &Arc<Self>, id: u64, tag: u64) -> Result<(), Code> {
        let end = |entry: ClientEntry| entry.drain("the client closes");
        self.finish(tag, id, |state| &mut state.objects.clients, end)
    }

    /// Asks the directory of a client's server, or of a node, for agents.
    pub(crate) fn find_agents(
        self: &Arc<Self>,
        client: u64,
        (query, options): (Query, Options),
        tag: u64,
    ) -> Result<(), Code> {
        let (client, _) = self.find_client(client)?;
        self.begin(tag, async move {
            let agents = client.query_agents(&query, &options).await?;
            let value = agents.to_value().map_err(|_| Code::Internal.failure())?;
            Ok(Reply::new(value))
        })
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
