//! A connection, as the threads of a client share it.

use core::time::Duration;
use std::boxed::Box;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::desk::Desk;
use super::socket::{dial, is_patience, write_all};
use crate::net::again::Missed;
use crate::net::balance::Ready;
use crate::net::failure::{late, lost};
use crate::net::input::Input;
use crate::net::names::Names;
use crate::net::outage::{before_hello, unavailable};
use crate::net::outlier::Outlier;
use crate::net::transport::registry::Target;
use crate::net::transport::waiting::Socket;
use crate::net::{Failure, Reply};
use crate::session::{Config, Kind, Role, Session};

/// How much is given to one write.
const WRITE_BYTES: usize = 64 << 10;

/// For how long a connection that has just answered is taken to be there. To look
/// costs three calls of the system.
const FRESH: Duration = Duration::from_millis(1);

/// A connection. One of the threads that wait for something reads, and gives the others
/// what comes for them.
pub(super) struct Link {
    state: Mutex<State>,
    /// Something has come, or nobody reads any more.
    news: Condvar,
    socket: Box<dyn Socket>,
    start: Instant,
}

/// The state of a connection, which its threads share.
pub(super) struct State {
    pub(super) session: Session,
    pub(super) desk: Desk,
    outlier: Outlier,
    /// None while a thread reads into it.
    input: Option<Input>,
    /// When something came last.
    heard: Instant,
    /// How long the socket was told to wait.
    patience: Option<Duration>,
    /// How many threads wait for the one that reads.
    waiting: usize,
}

pub(super) type Guard<'a> = MutexGuard<'a, State>;

impl Link {
    /// Connects. Says on the way that the peer is there, and what is awaited of it.
    pub(super) fn open(
        target: &Target,
        config: Config,
        late: Instant,
        says: impl FnOnce(Failure),
    ) -> Result<Self, Failure> {
        let mut config = config;
        if target.protects().bytes() {
            config = config.with_no_checksum();
        }
        let stall = Duration::from_micros(config.limits.stall_us);
        let socket = dial(target, stall, late)?;
        let silent = || unavailable("the peer has not sent its Hello");
        says(silent());
        let session = Session::new(config, Role::Opener, 0).map_err(Failure::of)?;
        let link = Self {
            state: Mutex::new(State {
                session,
                desk: Desk::default(),
                outlier: Outlier::new(Role::Opener),
                input: Some(Input::new()),
                heard: Instant::now(),
                patience: None,
                waiting: 0,
            }),
            news: Condvar::new(),
            socket,
            start: Instant::now(),
        };
        let mut state = link.lock();
        link.send(&mut state);
        while !state.session.ready() {
            if let Some(failure) = state.desk.end.take() {
                // It is told why.
                let _ = link.flush(&mut state);
                drop(state);
                return Err(before_hello(failure));
            }
            if Instant::now() >= late {
                drop(state);
                return Err(silent());
            }
            state = link.turn(state, Some(late));
        }
        drop(state);
        Ok(link)
    }

    pub(super) fn lock(&self) -> Guard<'_> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Microseconds since the connection began.
    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// The connection, if it takes requests. What the peer has said meanwhile is looked at
    /// first.
    pub(super) fn usable(self: &Arc<Self>) -> Option<Ready<Arc<Self>>> {
        let mut state = self.lock();
        if state.input.is_some() && state.heard.elapsed() > FRESH {
            if let Err(error) = self.look(&mut state) {
                self.lose(&mut state, error);
            }
        }
        state.session.may_ask().ok()?;
        Some(Ready {
            load: state.session.in_flight().1,
            is_left_out: state.outlier.is_left_out(),
            connection: Arc::clone(self),
        })
    }

    /// Why it has ended, if it has.
    pub(super) fn end(&self) -> Option<Failure> {
        self.lock().desk.end.clone()
    }

    /// Makes a request, and waits for its answer if it has one.
    pub(super) fn ask(
        &self,
        until: Option<Instant>,
        make: impl FnOnce(&mut Session, &Names, u64) -> Result<Option<u64>, Failure>,
    ) -> Result<Reply, Missed> {
        let mut state = self.lock();
        let now = self.now();
        let State { session, desk, .. } = &mut *state;
        let id = match make(session, &desk.services, now) {
            Ok(id) => id,
            Err(failure) => return Err(state.missed(failure)),
        };
        if let Some(id) = id {
            desk.expect(id);
        }
        self.send(&mut state);
        let Some(id) = id else {
            // A request that was not written whole may have been read nevertheless.
            return match &state.desk.end {
                Some(end) => Err(may_be_acted(end.clone()).into()),
                None => Ok(Reply::default()),
            };
        };
        loop {
            if let Some(answer) = state.desk.answered(id) {
                return answer.map_err(|failure| state.missed(failure));
            }
            if let Some(end) = state.desk.end.clone() {
                state.desk.forget(id);
                return Err(state.missed(end));
            }
            if until.is_some_and(|until| until <= Instant::now()) {
                let answer = self.give_up(&mut state, id);
                return answer.map_err(|failure| state.missed(failure));
            }
            state = self.turn(state, until);
        }
    }

    /// Takes a request back whose deadline has passed. An event has no deadline of its own.
    fn give_up(&self, state: &mut State, id: u64) -> Result<Reply, Failure> {
        let now = self.now();
        state.session.tick(now);
        let _ = state.session.cancel(id, now);
        state.take(now);
        self.send(state);
        let answer = state.desk.forget(id).unwrap_or_else(|| Err(late()));
        answer.map_err(|failure| {
            if failure.name == Kind::Cancelled.as_str() {
                let late = late();
                state.outlier.failed(late.status, failure.acted);
                return late;
            }
            failure
        })
    }

    /// Waits until something is so.
    pub(super) fn until<T>(&self, mut is_so: impl FnMut(&mut State, u64) -> Option<T>) -> T {
        let mut state = self.lock();
        let now = self.now();
        if state.session.next_timeout().is_some_and(|at| at <= now) {
            state.session.tick(now);
            state.take(now);
        }
        loop {
            let done = is_so(&mut state, self.now());
            self.send(&mut state);
            if let Some(done) = done {
                return done;
            }
            state = self.turn(state, None);
        }
    }

    /// Does something, and sends what comes of it.
    pub(super) fn with<T>(&self, does: impl FnOnce(&mut State, u64) -> T) -> T {
        let mut state = self.lock();
        let done = does(&mut state, self.now());
        state.take(self.now());
        self.send(&mut state);
        done
    }

    /// Waits until something comes, but not for longer than until something is due: reads,
    /// or lets the thread go on that does.
    fn turn<'a>(&'a self, state: Guard<'a>, until: Option<Instant>) -> Guard<'a> {
        let due = state.session.next_timeout();
        let due = due.and_then(|at| self.start.checked_add(Duration::from_micros(at)));
        let until = [until, due].into_iter().flatten().min();
        let time = until.map(|until| until.saturating_duration_since(Instant::now()));
        // No time at all would be for ever.
        let patience = time.map(|time| time.max(Duration::from_millis(1)));
        let (mut state, read) = self.wait(state, patience);
        let done = read.and_then(|is_some| {
            if is_some {
                state.heard = Instant::now();
                self.digest(&mut state)?;
            }
            let now = self.now();
            if state.session.next_timeout().is_some_and(|at| at <= now) {
                state.session.tick(now);
                state.take(now);
            }
            self.flush(&mut state)
        });
        if let Err(error) = done {
            self.lose(&mut state, error);
        }
        self.tell(&state);
        state
    }

    /// Waits until something comes, and returns whether that was read here.
    fn wait<'a>(
        &'a self,
        mut state: Guard<'a>,
        patience: Option<Duration>,
    ) -> (Guard<'a>, io::Result<bool>) {
        let Some(mut input) = state.input.take() else {
            state.waiting += 1;
            let mut state = if let Some(patience) = patience {
                let waited = self.news.wait_timeout(state, patience);
                waited.unwrap_or_else(PoisonError::into_inner).0
            } else {
                let waited = self.news.wait(state);
                waited.unwrap_or_else(PoisonError::into_inner)
            };
            state.waiting -= 1;
            return (state, Ok(false));
        };
        let is_new = patience != state.patience;
        state.patience = patience;
        drop(state);
        let told = if is_new {
            self.socket.set_read_timeout(patience)
        } else {
            Ok(())
        };
        let read = told.and_then(|()| self.read(&mut input));
        let mut state = self.lock();
        state.input = Some(input);
        (state, read)
    }

    /// Lets the threads that wait look at what has changed.
    fn tell(&self, state: &State) {
        if state.waiting > 0 {
            self.news.notify_all();
        }
    }

    /// Takes what has come without waiting for it. Nobody reads.
    fn look(&self, state: &mut State) -> io::Result<()> {
        let Some(mut input) = state.input.take() else {
            return Ok(());
        };
        let looked = self.socket.set_nonblocking(true).and_then(|()| {
            let read = self.read(&mut input);
            self.socket.set_nonblocking(false)?;
            read
        });
        state.input = Some(input);
        if looked? {
            state.heard = Instant::now();
            self.digest(state)?;
        }
        let now = self.now();
        state.session.tick(now);
        state.take(now);
        self.flush(state)
    }

    /// Reads what is there. Returns whether that is something.
    fn read(&self, input: &mut Input) -> io::Result<bool> {
        match self.socket.read(input.room()) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                input.came(n);
                Ok(true)
            }
            Err(error) if is_patience(error.kind()) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Gives the session what was read.
    fn digest(&self, state: &mut State) -> io::Result<()> {
        loop {
            let before = state.left();
            if before == 0 {
                return Ok(());
            }
            state.take(self.now());
            // Where replies wait, nothing is read until they are sent.
            self.flush(state)?;
            if state.left() == before {
                self.rest(state);
            }
        }
    }

    /// Waits where so much was refused that nothing is read for a while.
    fn rest(&self, state: &mut State) {
        let now = self.now();
        if let Some(at) = state.session.next_timeout() {
            let most = Duration::from_millis(1);
            std::thread::sleep(Duration::from_micros(at.saturating_sub(now)).min(most));
        }
        state.session.tick(self.now());
    }

    /// Writes all that waits, or ends everything where that can't be.
    fn send(&self, state: &mut State) {
        if let Err(error) = self.flush(state) {
            self.lose(state, error);
            self.tell(state);
        }
    }

    fn flush(&self, state: &mut State) -> io::Result<()> {
        loop {
            let now = self.now();
            let Some(out) = state.session.poll_frames(WRITE_BYTES, now) else {
                return Ok(());
            };
            write_all(&*self.socket, out.pieces())?;
        }
    }

    /// Ends everything, since the socket does.
    fn lose(&self, state: &mut State, why: io::Error) {
        state.desk.cause = lost(&Err(why));
        state.session.lost();
        state.take(self.now());
        let failure = Failure::saying(Kind::Lost, &state.desk.cause[..]);
        state.desk.end.get_or_insert(failure);
    }
}

impl State {
    /// Gives the session what has come, and takes what it tells.
    fn take(&mut self, now: u64) {
        let State {
            session,
            desk,
            outlier,
            input,
            ..
        } = self;
        let Some(input) = input else {
            // The thread that reads has given the session all that came before.
            while let Some(incoming) = session.poll_incoming() {
                outlier.note(&incoming);
                desk.take(&incoming, bytes::Bytes::copy_from_slice);
            }
            return;
        };
        let mut left = input.left();
        let bytes = left.len();
        while let Some(incoming) = session.receive(&mut left, now) {
            outlier.note(&incoming);
            desk.take(&incoming, |value| input.keep(value));
        }
        let taken = bytes - left.len();
        input.take(taken);
    }

    /// How many bytes have come that the session was not given.
    fn left(&self) -> usize {
        self.input.as_ref().map_or(0, |input| input.left().len())
    }

    /// Whether and when a request that has failed can be made again.
    fn missed(&self, failure: Failure) -> Missed {
        let is_over = self.desk.end.is_some() || self.session.finished();
        let takes_more = !is_over && self.session.may_ask().is_ok();
        Missed::on(failure, takes_more)
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let mut state = self.lock();
        if state.session.drain("", self.now()).is_ok() {
            // The peer finds out in any case.
            let _ = self.flush(&mut state);
        }
    }
}

/// A failure of what may have been acted on.
fn may_be_acted(mut failure: Failure) -> Failure {
    failure.acted = true;
    failure
}
