//! The connection of a client for threads.

use core::time::Duration;
use std::boxed::Box;
use std::io;
use std::string::String;
use std::time::Instant;

use super::socket::{dial, is_patience, write_all, Socket};
use crate::net::again::Missed;
use crate::net::failure::{late, lost};
use crate::net::input::Input;
use crate::net::names::Names;
use crate::net::outage::{before_hello, unavailable};
use crate::net::request::kept;
use crate::net::{Address, Failure, Reply};
use crate::session::{Config, Incoming, Kind, Role, Session};

/// How much is given to one write.
const WRITE_BYTES: usize = 64 << 10;

/// For how long a connection that has just answered is taken to be there. To look
/// costs three calls of the system.
const FRESH: Duration = Duration::from_millis(1);

pub(super) struct Connection {
    pub(super) session: Session,
    socket: Box<dyn Socket>,
    start: Instant,
    pub(super) services: Names,
    /// The request whose answer is awaited.
    waits_for: Option<u64>,
    answer: Option<Result<Reply, Failure>>,
    /// The end of the session, if it has come.
    end: Option<Failure>,
    /// The reason that the socket gave when the connection was lost.
    cause: String,
    input: Input,
    /// When something came last.
    heard: Instant,
    /// How long the socket was told to wait.
    patience: Option<Duration>,
}

impl Connection {
    pub(super) fn open(address: &Address, config: Config, late: Instant) -> Result<Self, Failure> {
        let mut config = config;
        if matches!(address, Address::Unix(_)) {
            config = config.with_no_checksum();
        }
        let stall = Duration::from_micros(config.limits.stall_us);
        let socket = dial(address, stall, late)?;
        let session = Session::new(config, Role::Opener, 0);
        let mut connection = Self {
            session: session.map_err(Failure::of)?,
            socket,
            start: Instant::now(),
            services: Names::default(),
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
    pub(super) fn usable(mut self) -> Option<Self> {
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

    pub(super) fn is_over(&self) -> bool {
        self.end.is_some() || self.session.finished()
    }

    /// Makes a request, and waits for its answer if it has one.
    pub(super) fn ask(
        &mut self,
        until: Option<Instant>,
        make: impl FnOnce(&mut Session, u64) -> Result<Option<u64>, Kind>,
    ) -> Result<Reply, Missed> {
        let now = self.now();
        let asked = make(&mut self.session, now);
        self.waits_for = asked.map_err(|kind| Failure::refusing(kind, &self.session))?;
        let answer = self.answer(until);
        answer.map_err(|failure| {
            let takes_more = !self.is_over() && self.session.may_ask().is_ok();
            Missed::on(failure, takes_more)
        })
    }

    /// Sends all, and waits for the answer to the request that was made.
    fn answer(&mut self, until: Option<Instant>) -> Result<Reply, Failure> {
        if let Err(error) = self.flush() {
            self.lose(error);
        }
        let Some(id) = self.waits_for else {
            // A request that was not written whole may have been read nevertheless.
            return match &self.end {
                Some(end) => Err(may_be_acted(end.clone())),
                None => Ok(Reply::default()),
            };
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
        if self.read()? {
            self.digest()?;
        }
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
        let looked = self.read();
        self.socket.set_nonblocking(false)?;
        if looked? {
            self.digest()?;
        }
        let now = self.now();
        self.session.tick(now);
        self.take();
        self.flush()
    }

    /// Reads what is there. Returns whether that is something.
    fn read(&mut self) -> io::Result<bool> {
        match self.socket.read(self.input.room()) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => self.input.came(n),
            Err(error) if is_patience(error.kind()) => return Ok(false),
            Err(error) => return Err(error),
        }
        self.heard = Instant::now();
        Ok(true)
    }

    /// Gives the session what was read.
    fn digest(&mut self) -> io::Result<()> {
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
                    self.services = ready.services().collect();
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

/// A failure of what may have been acted on.
fn may_be_acted(mut failure: Failure) -> Failure {
    failure.acted = true;
    failure
}

/// A request that was cancelled for its deadline has failed for that.
fn late_if_cancelled(answer: Result<Reply, Failure>) -> Result<Reply, Failure> {
    answer.map_err(|failure| {
        if failure.name == Kind::Cancelled.as_str() {
            return late();
        }
        failure
    })
}
