//! Clients.

use core::fmt;
use core::future::poll_fn;
use core::task::Waker;
use core::time::Duration;
use std::boxed::Box;
use std::io;
use std::string::{String, ToString as _};
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;
use std::vec::Vec;

use tracing::Instrument as _;

use crate::net::again::{Again, Missed, Pauses};
use crate::net::agents::{agents_of, lease_of, AgentRequest, Registration};
use crate::net::asking::{Ask, Asks};
use crate::net::budget::check_memory;
use crate::net::connection::{Asking, Desk, Made, Refused, What};
use crate::net::entry::Entry;
use crate::net::failure::{late, out_of_range};
use crate::net::intercept::Interceptor;
use crate::net::line::InLine;
use crate::net::metrics::Measured;
use crate::net::peer::Remote;
use crate::net::request::Of;
use crate::net::retry::Retry;
use crate::net::stream::{Opening, Stream, Subject};
use crate::net::wait::Wait;
use crate::net::{Address, ClientOptions, Failure, Options, Reply, WhenFull};
use crate::session::{Agent, Kind, Stats, Value};

mod keep;
mod renew;
mod shared;

use renew::renew;
use shared::{before, choose, wait, Shared};

impl ClientOptions {
    /// Makes a client, which connects as soon as it can, and again whenever its
    /// connection is gone. It has to be called on a runtime.
    ///
    /// # Errors
    ///
    /// A text that is no address, and limits and a stream window that can't be.
    pub fn connect(self, address: &str) -> io::Result<Client> {
        self.connect_any([address])
    }

    /// Makes a client of several addresses, as [`connect`](Self::connect) does of one. Each
    /// request is made on a connection that takes more, of two of them that with fewer in
    /// flight; agents are asked for at the first address.
    ///
    /// # Errors
    ///
    /// Those of [`connect`](Self::connect), and no address at all.
    pub fn connect_any<'a>(
        self,
        addresses: impl IntoIterator<Item = &'a str>,
    ) -> io::Result<Client> {
        self.limits.check().map_err(out_of_range)?;
        self.window.check().map_err(out_of_range)?;
        check_memory(self.memory_bytes).map_err(out_of_range)?;
        let addresses = addresses.into_iter().map(str::parse);
        let addresses = addresses.collect::<Result<Vec<Address>, _>>()?;
        if addresses.is_empty() {
            let why = "a client needs an address";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let shared = Arc::new(Shared::new(&addresses, self));
        Ok(Client { shared })
    }
}

/// Asks a server for things. Clones share a connection, which is closed when the
/// last one is dropped and what is in flight has ended.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

impl Remote {
    /// Asks the other side of a connection.
    pub(crate) fn client(self: &Arc<Self>) -> Client {
        let connection = self.connection.get().and_then(Weak::upgrade);
        let shared = Arc::new(Shared::lent(connection, self));
        Client { shared }
    }
}

/// A client that something goes back to, which does not keep it.
pub(crate) struct WeakClient(Weak<Shared>);

impl WeakClient {
    pub(crate) fn upgrade(&self) -> Option<Client> {
        let shared = self.0.upgrade()?;
        Some(Client { shared })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.address();
        f.debug_struct("Client")
            .field("address", &address)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// A client with the default options; see [`ClientOptions::connect`].
    ///
    /// # Errors
    ///
    /// A text that is no address.
    pub fn connect(address: &str) -> io::Result<Self> {
        ClientOptions::new().connect(address)
    }

    /// A client of several addresses with the default options; see
    /// [`ClientOptions::connect_any`].
    ///
    /// # Errors
    ///
    /// A text that is no address, or none at all.
    pub fn connect_any<'a>(addresses: impl IntoIterator<Item = &'a str>) -> io::Result<Self> {
        ClientOptions::new().connect_any(addresses)
    }

    /// Calls a method, as soon as there is a connection and room in its queue. Where
    /// the future is dropped, the call is taken back.
    ///
    /// # Errors
    ///
    /// Why there is no answer, and whether somebody may have acted.
    pub async fn call(
        &self,
        service: &str,
        method: u16,
        value: impl Into<Value<'static>>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        let of = Of::number(service, method);
        self.request(of, Asks::Call, value.into(), options).await
    }

    /// Tells the server something. Nobody says whether it was taken.
    ///
    /// # Errors
    ///
    /// Why it was not queued. One that was dropped, as is said for a full queue, is
    /// no failure.
    pub async fn event(
        &self,
        service: &str,
        method: u16,
        value: impl Into<Value<'static>>,
        full: WhenFull,
        options: &Options,
    ) -> Result<(), Failure> {
        let of = Of::number(service, method);
        self.tell(of, full, value.into(), options).await
    }

    /// Tells the server something, and waits until it was taken.
    ///
    /// # Errors
    ///
    /// Why it was not, and whether somebody may have acted.
    pub async fn event_acked(
        &self,
        service: &str,
        method: u16,
        value: impl Into<Value<'static>>,
        options: &Options,
    ) -> Result<(), Failure> {
        let of = Of::number(service, method);
        let told = self.request(of, Asks::Acked, value.into(), options).await;
        told.map(|_| ())
    }

    /// Opens a stream.
    ///
    /// # Errors
    ///
    /// Why it was not opened.
    pub async fn open(
        &self,
        service: &str,
        method: u16,
        value: impl Into<Value<'static>>,
        options: &Options,
    ) -> Result<Stream, Failure> {
        let of = Of::number(service, method);
        self.open_stream(of, false, value.into(), options).await
    }

    /// Makes this program known by a name, with what it can do, for as long as the
    /// [`Registration`] is there: its lease is renewed, and the name made known again on
    /// each new connection. When that is dropped the lease runs out, or ends with the
    /// connection.
    ///
    /// # Errors
    ///
    /// Why the name was not given: `agents_off`, `agent_invalid`, `agent_taken`,
    /// `limit_agents`, or that nobody has answered.
    pub async fn register(
        &self,
        name: &str,
        capabilities: &[&str],
        lease: Duration,
        options: &Options,
    ) -> Result<Registration, Failure> {
        let request = AgentRequest::Register(name, capabilities, lease);
        let given = lease_of(&self.ask_agents(request, options).await?)?;
        let capabilities = capabilities.iter().map(|one| (*one).to_string()).collect();
        let renewed = renew(self.clone(), name.to_string(), capabilities, lease, given);
        Ok(Registration {
            name: name.to_string(),
            lease: given,
            renewing: tokio::spawn(renewed.in_current_span()),
        })
    }

    /// Renews the lease of a name that this client's connection has, and returns how long
    /// it is. A [`Registration`] does so by itself.
    ///
    /// # Errors
    ///
    /// `agent_unknown` where the connection has no such name, or why nobody has answered.
    pub async fn heartbeat(&self, name: &str, options: &Options) -> Result<Duration, Failure> {
        let request = AgentRequest::Heartbeat(name);
        lease_of(&self.ask_agents(request, options).await?)
    }

    /// Finds the agents that can do something, or all for an empty text.
    ///
    /// # Errors
    ///
    /// Why nobody has answered.
    pub async fn discover(
        &self,
        capability: &str,
        options: &Options,
    ) -> Result<Vec<Agent>, Failure> {
        let request = AgentRequest::Discover(capability);
        agents_of(&self.ask_agents(request, options).await?)
    }

    /// Makes no requests any more, and waits until what is in flight has ended and all
    /// connections are closed.
    pub async fn drain(self, reason: &str) {
        self.shared.stop();
        let connections = self.shared.connections();
        for connection in &connections {
            connection.drain(reason);
        }
        for connection in connections {
            connection.closed().await;
        }
    }

    /// Waits until requests can be made, as they do themselves.
    ///
    /// # Errors
    ///
    /// Why they can't be: at once where no later attempt can succeed, else when the
    /// connect timeout is over.
    pub async fn ready(&self) -> Result<(), Failure> {
        let Shared { common, members } = &*self.shared;
        if choose(members).is_some() {
            return Ok(());
        }
        let waited = wait(common, members, None).await;
        waited
            .map(|_| ())
            .map_err(|failure| failure.with_origin("", self.address()))
    }

    /// What the connections that there are have counted.
    #[must_use]
    pub fn stats(&self) -> Option<Stats> {
        let mut stats: Option<Stats> = None;
        for member in &self.shared.members {
            if let Some(connection) = member.kept.current.borrow().as_ref() {
                stats
                    .get_or_insert_with(Stats::default)
                    .add(&connection.stats());
            }
        }
        let mut stats = stats?;
        (stats.retries, stats.retries_over_budget) = self.shared.common.retries.counts();
        stats.methods = self.shared.common.metrics.stats();
        Some(stats)
    }
}

impl Client {
    /// Asks the server's directory for something. Interceptors know of methods alone.
    async fn ask_agents(
        &self,
        request: AgentRequest<'_>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        let wait = Wait::of(options.deadline);
        let until = wait.and_then(Wait::until);
        let (of, asks) = (Of::number("", 0), Asks::Agent(request));
        let value = Value::default();
        let value = &value;
        let ask = Ask {
            of,
            asks,
            value,
            options,
            until,
        };
        let asked = Box::pin(self.request_until(&ask, None));
        asked.await.map_err(|failure| {
            let failure = Wait::explained(wait, failure);
            failure.with_origin("", self.address())
        })
    }

    /// The address that the client has.
    pub(crate) fn address(&self) -> String {
        self.shared.common.address.clone()
    }

    /// Who is asked, as far as an address says.
    pub(crate) fn remote(&self) -> &Arc<Remote> {
        &self.shared.common.remote
    }

    pub(crate) fn interceptors(&self) -> &Arc<[Interceptor]> {
        &self.shared.common.interceptors
    }

    /// Makes a request, if that takes no more than to queue it.
    pub(crate) fn request_at_once(
        &self,
        of: Of<'_>,
        asks: Asks<'_>,
        value: &Value<'static>,
        options: &Options,
        waker: Option<&Waker>,
    ) -> Option<Result<Made, Failure>> {
        if asks.is_timed(options) {
            return None;
        }
        let what = of.what(asks.asking(), options);
        let [member] = &self.shared.members[..] else {
            let chosen = choose(&self.shared.members)?;
            return at_once(chosen.ask(&what, value, options.deadline, waker));
        };
        let current = member.kept.current.borrow();
        let asked = current.as_ref()?;
        at_once(asked.ask(&what, value, options.deadline, waker))
    }

    /// Counts a request that begins, whose time somebody has looked at.
    pub(crate) fn measured(&self, of: Of<'_>, at: Option<Instant>) -> Measured {
        let meter = self
            .shared
            .common
            .metrics
            .meter(of.service, of.number, of.name);
        meter.begin(at)
    }

    /// The policy of a call, or an event that is acknowledged, if there is one.
    pub(crate) fn retry(&self, of: Of<'_>, asks: Asks<'_>, options: &Options) -> Option<Retry> {
        if !matches!(asks, Asks::Call | Asks::Acked) {
            return None;
        }
        self.shared.common.retries.begin(of, options)
    }

    /// Makes a request again by a policy that has failed [MXP-14.8].
    pub(crate) async fn retried(
        &self,
        mut retry: Retry,
        ask: &Ask<'_>,
        failure: Failure,
    ) -> Result<Reply, Failure> {
        let retries = &self.shared.common.retries;
        let mut failure = failure;
        while let Some(pause) = retry.pause(retries, &failure, ask.until) {
            tokio::time::sleep(pause).await;
            match self.request_until(ask, None).await {
                Ok(reply) => return Ok(reply),
                Err(again) => failure = again,
            }
        }
        Err(failure)
    }

    /// Makes a request until somebody may have acted on it [MXP-14.6]: for the first time,
    /// or behind an attempt that was missed.
    pub(crate) async fn request_until(
        &self,
        ask: &Ask<'_>,
        missed: Option<Missed>,
    ) -> Result<Reply, Failure> {
        let Ask {
            of,
            asks,
            value,
            options,
            until,
        } = *ask;
        let what = of.what(asks.asking(), options);
        let mut missed = missed;
        let mut pauses = None;
        loop {
            match missed.as_ref().map(|missed| missed.again) {
                None | Some(Again::Elsewhere) => {}
                Some(Again::Soon) => {
                    let patience = self.shared.common.options.connect_timeout;
                    let pauses = pauses.get_or_insert_with(|| Pauses::new(until, patience));
                    if let Some(pause) = pauses.next() {
                        tokio::time::sleep(pause).await;
                    } else if let Some(missed) = missed {
                        return Err(missed.failure);
                    }
                }
                Some(Again::Never) => {
                    return missed.map_or_else(|| Ok(Reply::default()), |m| Err(m.failure));
                }
            }
            let Made::Call(pending) = self.ask(&what, value, until).await? else {
                return Ok(Reply::default());
            };
            let answered = match until.filter(|_| asks.is_timed(options)) {
                Some(until) => {
                    let answer = tokio::time::timeout_at(until.into(), pending.answer());
                    let answer = Box::pin(answer).await;
                    answer.unwrap_or_else(|_| Err(late().into()))
                }
                None => pending.answer().await,
            };
            match answered {
                Ok(reply) => return Ok(reply),
                Err(why) => missed = Some(why),
            }
        }
    }

    pub(crate) async fn open_now(
        &self,
        of: Of<'_>,
        is_final: bool,
        value: Value<'static>,
        options: &Options,
    ) -> Result<Stream, Failure> {
        let opening = Opening {
            client: WeakClient(Arc::downgrade(&self.shared)),
            service: of.service.into(),
            number: of.number,
            name: of.name,
            is_idempotent: of.is_idempotent,
            is_final,
            value: value.shared(),
            options: options.clone(),
            wait: Wait::of(options.deadline),
            pauses: Mutex::default(),
        };
        self.open_as(&Arc::new(opening), is_final).await
    }

    /// Opens a stream, for the first time or anew.
    pub(crate) async fn open_as(
        &self,
        opening: &Arc<Opening>,
        is_final: bool,
    ) -> Result<Stream, Failure> {
        let Opening { value, options, .. } = &**opening;
        let window = self.shared.common.options.window;
        let what = opening
            .of()
            .what(Asking::Open(window.grant(), is_final), options);
        let made = self.ask(&what, value, opening.until()).await?;
        let Made::Stream(connection, id, service) = made else {
            return Err(Failure::of(Kind::ExchangeEnded));
        };
        let mut state = connection.lock();
        let Desk {
            streams, unread, ..
        } = &mut state.desk;
        let entry = streams.entry(id);
        let entry = entry.or_insert_with(|| Entry::new(window, unread));
        let subject = Subject {
            service,
            method: opening.number,
            name: opening.name,
            wait: opening.wait,
        };
        Ok(Stream::opened(&connection, entry, id, subject, opening))
    }

    /// How long a request waits for a connection.
    pub(crate) fn connect_timeout(&self) -> Duration {
        self.shared.common.options.connect_timeout
    }

    /// Makes a request, on the first connection on which it can be made, when there is
    /// room for it.
    async fn ask(
        &self,
        what: &What<'_>,
        value: &Value<'static>,
        until: Option<Instant>,
    ) -> Result<Made, Failure> {
        let Shared { common, members } = &*self.shared;
        let members = match what.kind {
            Asking::Agent(_) => &members[..1],
            _ => members,
        };
        loop {
            let connection = match choose(members) {
                Some(connection) => connection,
                None => wait(common, members, until).await?,
            };
            let mut line = InLine::new(&connection);
            let asked = poll_fn(|cx| {
                line.poll(cx, |state, ticket| {
                    let left = until.map(|at| at.saturating_duration_since(Instant::now()));
                    match connection.ask_in(state, what, value, left, None, ticket) {
                        Err(Refused::Full(room)) => Err(room),
                        asked => Ok(asked),
                    }
                })
            });
            let asked = before(until, asked).await;
            match asked.ok_or_else(|| Failure::of(Kind::DeadlineExceeded))? {
                Ok(made) => return Ok(made),
                Err(Refused::For(failure)) => return Err(*failure),
                // The next one is on its way.
                Err(Refused::Elsewhere | Refused::Full(_)) => {}
            }
        }
    }
}

/// A request that was made, or refused for what it is.
fn at_once(asked: Result<Made, Refused>) -> Option<Result<Made, Failure>> {
    match asked {
        Ok(made) => Some(Ok(made)),
        Err(Refused::For(failure)) => Some(Err(*failure)),
        Err(Refused::Elsewhere | Refused::Full(_)) => None,
    }
}
