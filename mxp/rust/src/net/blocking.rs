//! A client for threads without a runtime, over unix sockets and TCP.

use core::fmt;
use core::time::Duration;
use std::borrow::ToOwned;
use std::boxed::Box;
use std::io;
use std::string::{String, ToString as _};
use std::time::Instant;
use std::vec::Vec;

use crate::net::failure::{kept, lent, lost, microseconds, Wait};
use crate::net::input::Input;
use crate::net::outage::{before_hello, may_heal, tell_refused, unavailable, Outage};
use crate::net::{Address, Failure, Options, Reply};
use crate::session::{
    Config, Incoming, Kind, OnFull, Request, Role, Session, TypeInfo, Value, CONNECT_US,
};

mod socket;

use socket::{dial, is_patience, write_all, Socket};

/// How much is given to one write.
const WRITE_BYTES: usize = 64 << 10;

/// For how long a connection that has just answered is taken to be there. To look
/// costs three calls of the system.
const FRESH: Duration = Duration::from_millis(1);

/// The pauses between attempts to connect double, from the one to the other.
const PAUSE_MIN: Duration = Duration::from_millis(5);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// More than anybody waits.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// Asks a server for one thing after the other. It connects when it is first asked
/// to, and again behind a connection that was lost.
///
/// It says nothing while nobody asks it for something: a server that asks it for a
/// sign of life meanwhile has none, and ends the connection.
pub struct Client {
    address: Address,
    options: ClientOptions,
    outage: Outage,
    connection: Option<Connection>,
}

/// What a client is to be, until it connects.
#[derive(Debug, Clone)]
#[must_use = "a client does nothing until it connects"]
pub struct ClientOptions {
    types: Vec<TypeInfo>,
    connect_timeout: Duration,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            types: Vec::new(),
            connect_timeout: Duration::from_micros(CONNECT_US),
        }
    }
}

impl ClientOptions {
    /// No types, and the default connect timeout.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds types that requests and responses are of. A server that means something
    /// else by one of their names is refused.
    pub fn types(mut self, types: impl IntoIterator<Item = TypeInfo>) -> Self {
        self.types.extend(types);
        self.types.sort_by(|a, b| a.name.cmp(&b.name));
        self.types.dedup_by(|a, b| a.name == b.name);
        self
    }

    /// Replaces how long connecting may take at most (5 s), the first time and behind a
    /// connection that was lost. What no later attempt can mend ends it at once.
    pub fn connect_timeout(mut self, time: Duration) -> Self {
        self.connect_timeout = time;
        self
    }

    /// Makes a client, and connects it.
    ///
    /// # Errors
    ///
    /// Those of [`Client::connect`].
    pub fn connect(self, address: &str) -> io::Result<Client> {
        let mut client = Client {
            address: address.parse()?,
            options: self,
            outage: Outage::Untold,
            connection: None,
        };
        let connected = client.connected(None).map(|_| ());
        connected.map_err(|failure| failure.with_origin("", client.address.to_string()))?;
        Ok(client)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Makes a client, and connects it, for which it waits 5 s at most.
    ///
    /// # Errors
    ///
    /// A text that is no address, and the [`Failure`] of connecting, which the error
    /// wraps: at once where no later attempt can succeed, else the last attempt's.
    pub fn connect(address: &str) -> io::Result<Self> {
        ClientOptions::new().connect(address)
    }

    /// Makes a client that lists types which requests and responses are of, and
    /// connects it. A server that means something else by one of their names is
    /// refused.
    ///
    /// # Errors
    ///
    /// Those of [`Client::connect`], and in which field schemas differ.
    pub fn connect_with(
        address: &str,
        types: impl IntoIterator<Item = TypeInfo>,
    ) -> io::Result<Self> {
        ClientOptions::new().types(types).connect(address)
    }

    /// Calls a method, and waits for the answer.
    ///
    /// # Errors
    ///
    /// Why there is no answer, and whether somebody may have acted.
    pub fn call<'v>(
        &mut self,
        service: &str,
        method: u16,
        value: impl Into<Value<'v>>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        self.ask(service, method, options, |connection, request| {
            let now = connection.now();
            let id = connection.session.call(request, value, now)?;
            Ok(Some(id))
        })
    }

    /// Tells the server something. Nobody says whether it was taken.
    ///
    /// # Errors
    ///
    /// Why it was not sent.
    pub fn event<'v>(
        &mut self,
        service: &str,
        method: u16,
        value: impl Into<Value<'v>>,
        options: &Options,
    ) -> Result<(), Failure> {
        let sent = self.ask(service, method, options, |connection, request| {
            let now = connection.now();
            let full = OnFull::Refuse;
            let told = connection.session.event(request, false, full, value, now);
            told.map(|_| None)
        });
        sent.map(|_| ())
    }

    /// Tells the server something, and waits until it was taken.
    ///
    /// # Errors
    ///
    /// Why it was not, and whether somebody may have acted.
    pub fn event_acked<'v>(
        &mut self,
        service: &str,
        method: u16,
        value: impl Into<Value<'v>>,
        options: &Options,
    ) -> Result<(), Failure> {
        let sent = self.ask(service, method, options, |connection, request| {
            let now = connection.now();
            let full = OnFull::Refuse;
            connection.session.event(request, true, full, value, now)
        });
        sent.map(|_| ())
    }

    /// Makes a request, and waits for its answer if it has one.
    fn ask(
        &mut self,
        service: &str,
        method: u16,
        options: &Options,
        make: impl FnOnce(&mut Connection, &Request<'_>) -> Result<Option<u64>, Kind>,
    ) -> Result<Reply, Failure> {
        let wait = Wait::of(options.deadline);
        let answer = self.ask_now(service, method, options, make);
        answer.map_err(|failure| {
            let failure = Wait::explained(wait, failure);
            failure.located(service, "", method, &self.address.to_string())
        })
    }

    /// The server's address.
    #[cfg(feature = "tokio")]
    pub(crate) const fn address(&self) -> &Address {
        &self.address
    }

    fn ask_now(
        &mut self,
        service: &str,
        method: u16,
        options: &Options,
        make: impl FnOnce(&mut Connection, &Request<'_>) -> Result<Option<u64>, Kind>,
    ) -> Result<Reply, Failure> {
        let until = options.deadline.and_then(|d| Instant::now().checked_add(d));
        let connection = self.connected(until)?;
        let services = &connection.services;
        let number = services.iter().position(|name| name == service);
        let number = number.and_then(|number| u16::try_from(number).ok());
        let number = number.ok_or_else(|| Failure::not_served(service, services))?;
        if let Some(difference) = connection.session.difference(number, method) {
            return Err(Failure::differing(difference));
        }
        let metadata = lent(&options.metadata);
        let request = Request::new(number, method)
            .with_deadline(options.deadline.map_or(0, microseconds))
            .with_trace(options.trace)
            .with_metadata(&metadata);
        let id = make(connection, &request);
        let id = id.map_err(|kind| Failure::refusing(kind, &connection.session))?;
        connection.waits_for = id;
        let answer = connection.answer(until);
        if connection.is_over() {
            self.connection = None;
        }
        answer
    }

    /// The connection on which requests can be made [MXP-14.4].
    fn connected(&mut self, until: Option<Instant>) -> Result<&mut Connection, Failure> {
        let had = self.connection.take();
        let was_connected = had.is_some();
        let connection = if let Some(connection) = had.and_then(Connection::usable) {
            connection
        } else {
            if was_connected {
                Outage::ended(&self.address, Some(&Failure::of(Kind::Lost)));
            }
            self.open(until)?
        };
        Ok(self.connection.insert(connection))
    }

    /// Connects, as often as it takes.
    fn open(&mut self, until: Option<Instant>) -> Result<Connection, Failure> {
        let begun = Instant::now();
        let late = begun.checked_add(self.options.connect_timeout);
        let late = [late, until].into_iter().flatten().min();
        let late = late.unwrap_or(begun + FOREVER);
        let mut pause = Duration::ZERO;
        let mut last = None;
        loop {
            let failure = match Connection::open(&self.address, &self.options.types, late) {
                Ok(connection) => {
                    self.outage.connected(&self.address);
                    tell_refused(connection.session.differences());
                    return Ok(connection);
                }
                Err(failure) => failure,
            };
            self.outage.failed(&self.address, &failure);
            let left = late.saturating_duration_since(Instant::now());
            if !may_heal(&failure) {
                return Err(failure);
            }
            if left.is_zero() {
                // The last attempt had no time, and the one before says more.
                return Err(last.unwrap_or(failure));
            }
            last = Some(failure);
            std::thread::sleep(pause.min(left));
            pause = (2 * pause).clamp(PAUSE_MIN, PAUSE_MAX);
        }
    }
}

struct Connection {
    session: Session,
    socket: Box<dyn Socket>,
    start: Instant,
    services: Vec<String>,
    /// The request whose answer is awaited.
    waits_for: Option<u64>,
    answer: Option<Result<Reply, Failure>>,
    /// What else happened to the session.
    end: Option<Failure>,
    /// What the socket said when the connection was lost.
    cause: String,
    input: Input,
    /// When something came last.
    heard: Instant,
    /// How long the socket was told to wait.
    patience: Option<Duration>,
}

impl Connection {
    fn open(address: &Address, types: &[TypeInfo], late: Instant) -> Result<Self, Failure> {
        let mut config = Config::new();
        for info in types {
            config = config.with_type(info.clone());
        }
        if matches!(address, Address::Unix(_)) {
            config = config.with_no_checksum();
        }
        let socket = dial(address, late)?;
        let session = Session::new(config, Role::Opener, 0);
        let mut connection = Self {
            session: session.map_err(Failure::of)?,
            socket,
            start: Instant::now(),
            services: Vec::new(),
            waits_for: None,
            answer: None,
            end: None,
            cause: String::new(),
            input: Input::new(),
            heard: Instant::now(),
            patience: None,
        };
        let broke = |error: io::Error| before_hello(Failure::saying(Kind::Lost, lost(&Err(error))));
        connection.flush().map_err(broke)?;
        while !connection.session.ready() {
            if Instant::now() >= late {
                return Err(unavailable("the peer has not sent its Hello"));
            }
            connection.step(Some(late)).map_err(broke)?;
            if let Some(failure) = connection.end.take() {
                // It is told why.
                let _ = connection.flush();
                return Err(before_hello(failure));
            }
        }
        Ok(connection)
    }

    /// The connection itself, if requests can be made on it. What the peer has said
    /// meanwhile is looked at first.
    fn usable(mut self) -> Option<Self> {
        if self.heard.elapsed() > FRESH {
            self.look().ok()?;
        }
        self.session.may_ask().ok()?;
        Some(self)
    }

    /// Microseconds since the connection began.
    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn is_over(&self) -> bool {
        self.end.is_some() || self.session.finished()
    }

    /// Sends all, and waits for the answer to the request that was made.
    fn answer(&mut self, until: Option<Instant>) -> Result<Reply, Failure> {
        if let Err(error) = self.flush() {
            self.lose(error);
        }
        let Some(id) = self.waits_for else {
            return Ok(Reply::default());
        };
        loop {
            if let Some(answer) = self.answer.take() {
                self.waits_for = None;
                return answer;
            }
            if let Some(end) = &self.end {
                return Err(end.clone());
            }
            if until.is_some_and(|until| until <= Instant::now()) {
                // An event has no deadline of its own.
                let now = self.now();
                self.session.tick(now);
                let _ = self.session.cancel(id, now);
                self.take();
                let answer = self.answer.take();
                self.answer = Some(answer.map_or_else(|| Err(late()), late_if_cancelled));
                let _ = self.flush();
                continue;
            }
            if let Err(error) = self.step(until) {
                self.lose(error);
            }
        }
    }

    /// Reads once, but not for longer than until something is due.
    fn step(&mut self, until: Option<Instant>) -> io::Result<()> {
        let due = self.session.next_timeout();
        let due = due.and_then(|at| self.start.checked_add(Duration::from_micros(at)));
        let until = [until, due].into_iter().flatten().min();
        let time = until.map(|until| until.saturating_duration_since(Instant::now()));
        // No time at all would be for ever.
        let patience = time.map(|time| time.max(Duration::from_millis(1)));
        if patience != self.patience {
            self.socket.wait(patience)?;
            self.patience = patience;
        }
        self.read_once()?;
        let now = self.now();
        if self.session.next_timeout().is_some_and(|at| at <= now) {
            self.session.tick(now);
            self.take();
        }
        self.flush()
    }

    /// Takes what has come without waiting for it.
    fn look(&mut self) -> io::Result<()> {
        self.socket.set_nonblocking(true)?;
        let looked = self.read_once();
        self.socket.set_nonblocking(false)?;
        looked?;
        let now = self.now();
        self.session.tick(now);
        self.take();
        self.flush()
    }

    /// Reads what is there, and gives it to the session.
    fn read_once(&mut self) -> io::Result<()> {
        match self.socket.read(self.input.room()) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => self.input.came(n),
            Err(error) if is_patience(error.kind()) => return Ok(()),
            Err(error) => return Err(error),
        }
        self.heard = Instant::now();
        while !self.input.left().is_empty() {
            let before = self.input.left().len();
            self.take();
            // Where replies wait, nothing is read until they are sent.
            self.flush()?;
            if self.input.left().len() == before {
                self.rest();
            }
        }
        Ok(())
    }

    /// Waits where so much was refused that nothing is read for a while.
    fn rest(&mut self) {
        let now = self.now();
        if let Some(at) = self.session.next_timeout() {
            let most = Duration::from_millis(1);
            std::thread::sleep(Duration::from_micros(at.saturating_sub(now)).min(most));
        }
        self.session.tick(self.now());
    }

    /// Gives the session what has come, and takes what it tells.
    fn take(&mut self) {
        let now = self.now();
        let mut left = self.input.left();
        let bytes = left.len();
        while let Some(incoming) = self.session.receive(&mut left, now) {
            let waits_for = self.waits_for;
            let is_ours = |id| waits_for == Some(id);
            match incoming {
                Incoming::Ready(ready) => {
                    self.services = ready.services().map(ToOwned::to_owned).collect();
                }
                Incoming::Response(response) if is_ours(response.id) => {
                    self.answer = Some(Ok(Reply {
                        value: self.input.keep(response.value),
                        metadata: kept(response.metadata),
                    }));
                }
                Incoming::Acked(acked) if is_ours(acked.id) => {
                    self.answer = Some(Ok(Reply::default()));
                }
                Incoming::Ended(ended) if is_ours(ended.id) => {
                    self.answer = Some(Err(Failure::told_of(&ended.failure, &self.cause)));
                }
                Incoming::End(end) => self.end = Some(Failure::told_of(&end.failure, &self.cause)),
                _ => {}
            }
        }
        let taken = bytes - left.len();
        self.input.take(taken);
    }

    /// Writes all that waits.
    fn flush(&mut self) -> io::Result<()> {
        loop {
            let now = self.now();
            let Some(out) = self.session.poll_frames(WRITE_BYTES, now) else {
                return Ok(());
            };
            write_all(&mut *self.socket, out.pieces())?;
        }
    }

    /// Ends everything, since the socket does.
    fn lose(&mut self, why: io::Error) {
        self.cause = lost(&Err(why));
        self.session.lost();
        self.take();
        let failure = Failure::saying(Kind::Lost, &self.cause[..]);
        self.end.get_or_insert(failure);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let now = self.now();
        if self.session.drain("", now).is_ok() {
            // The peer finds out in any case.
            let _ = self.flush();
        }
    }
}

/// The failure of what took too long, and may have been acted on.
fn late() -> Failure {
    let mut failure = Failure::of(Kind::DeadlineExceeded);
    failure.acted = true;
    failure
}

/// What was cancelled for its deadline has failed for that.
fn late_if_cancelled(answer: Result<Reply, Failure>) -> Result<Reply, Failure> {
    answer.map_err(|failure| {
        if failure.name == Kind::Cancelled.as_str() {
            return late();
        }
        failure
    })
}
