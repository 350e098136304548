//! A connection, as the threads of a client share it.

use core::task::{Context, Poll};
use core::time::Duration;
use std::boxed::Box;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use std::vec::Vec;

use super::driver::{nobody, Nothing, Threads};
use super::socket::{dial, is_patience, write_all};
use crate::engine;
use crate::engine::balancer::Ready;
use crate::engine::endpoint::silent;
use crate::engine::failure::late;
use crate::engine::line::Ticket;
use crate::engine::link::{Rejection, RequestEnd, RequestSpec, Todo, WRITE_BYTES};
use crate::engine::outage::{before_hello, unavailable};
use crate::engine::repeat::{Again, FailedAttempt};
use crate::net::clock::Clock;
use crate::net::failure::lost;
use crate::net::input::Input;
use crate::net::transport::blocking::Socket;
use crate::net::transport::registry::Target;
use crate::net::{Failure, Reply};
use crate::session::{Config, Kind, Role, Session, Value};

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
    clock: Clock,
}

/// The state of a connection, which its threads share.
pub(super) struct State {
    pub(super) link: Connection,
    /// None while a thread reads into it.
    input: Option<Input>,
    /// When something came last.
    heard: Instant,
    /// The time that the socket waits in a read.
    patience: Option<Duration>,
    /// The number of threads that wait while another reads.
    waiting: usize,
}

/// The connection, as the engine has it.
pub(super) type Connection = engine::link::Link<Threads>;

pub(super) type Guard<'a> = MutexGuard<'a, State>;

impl Link {
    /// Connects. Says on the way that the peer is there.
    pub(super) fn open(
        target: &Target,
        config: Config,
        late: Instant,
        hook: impl FnOnce(),
    ) -> Result<Self, Failure> {
        let mut config = config;
        if target.protects().bytes() {
            config = config.with_no_checksum();
        }
        let stall = Duration::from_micros(config.limits.stall_us);
        let socket = dial(target, stall, late)?;
        hook();
        let session = Session::new(config, Role::Opener, 0).map_err(Failure::of)?;
        let clock = Clock::start();
        let link = Self {
            state: Mutex::new(State {
                link: Connection::new(session, Threads(clock)),
                input: Some(Input::new()),
                heard: Instant::now(),
                patience: None,
                waiting: 0,
            }),
            news: Condvar::new(),
            socket,
            clock,
        };
        let mut state = link.lock();
        link.send(&mut state);
        loop {
            match state.link.readiness() {
                Some(Ok(())) => break,
                Some(Err(failure)) => {
                    // It is told why.
                    let _ = link.flush(&mut state);
                    drop(state);
                    return Err(before_hello(failure));
                }
                None if Instant::now() >= late => {
                    drop(state);
                    return Err(silent());
                }
                None => state = link.turn(state, Some(late)),
            }
        }
        drop(state);
        Ok(link)
    }

    pub(super) fn lock(&self) -> Guard<'_> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection, if it takes requests. Bytes that the peer has sent meanwhile are looked at
    /// first.
    pub(super) fn usable(self: &Arc<Self>) -> Option<Ready<Arc<Self>>> {
        let mut state = self.lock();
        if state.input.is_some() && state.heard.elapsed() > FRESH {
            if let Err(error) = self.look(&mut state) {
                state.lose(error);
            }
        }
        Some(Ready {
            load: state.link.load()?,
            is_left_out: state.link.is_left_out(),
            connection: Arc::clone(self),
        })
    }

    /// Makes a request, as soon as there is room for it, and waits for its answer if it has one.
    pub(super) fn ask(
        &self,
        spec: &RequestSpec<'_>,
        value: &Value<'_>,
        deadline: Option<Instant>,
    ) -> Result<Reply, FailedAttempt> {
        let made = self.make(deadline, |link, timeout, ticket| {
            let queued = link.ask(spec, value, timeout, None, ticket)?;
            Ok(queued.id)
        });
        let (mut state, id) = made?;
        let Some(id) = id else {
            // A request that was not written whole may have been read nevertheless.
            return match state.link.ended() {
                Some(end) => Err(may_be_acted(end).into()),
                None => Ok(Reply::default()),
            };
        };
        let context = Context::from_waker(nobody());
        let mut is_late = false;
        loop {
            if let Poll::Ready((answer, _)) = state.link.poll_answer(id, &context) {
                return answer.map_err(|missed| *missed);
            }
            if is_late {
                return Err(self.give_up(&mut state, id));
            }
            is_late = deadline.is_some_and(|deadline| deadline <= Instant::now());
            if is_late {
                // The session may have ended it, too.
                state.tick();
            } else {
                state = self.turn(state, deadline);
            }
        }
    }

    /// Makes something of a connection, as soon as there is room for it: with a deadline so much
    /// time is left.
    pub(super) fn make<T>(
        &self,
        deadline: Option<Instant>,
        mut attempt: impl FnMut(
            &mut Connection,
            Option<Duration>,
            Option<Ticket>,
        ) -> Result<T, Rejection>,
    ) -> Result<(Guard<'_>, T), FailedAttempt> {
        let mut state = self.lock();
        let mut ticket = None;
        loop {
            let left = deadline.map(|time| time.saturating_duration_since(Instant::now()));
            let made = attempt(&mut state.link, left, ticket);
            let room = match made {
                Err(Rejection::Full(room)) if left != Some(Duration::ZERO) => room,
                made => {
                    if ticket.is_some() {
                        state.link.lines().leave_ticket(&mut ticket);
                        // The thread behind may have looked before this one has left.
                        self.tell(&state);
                    }
                    self.send(&mut state);
                    return match made {
                        Ok(made) => Ok((state, made)),
                        Err(refused) => Err(missed(refused)),
                    };
                }
            };
            state.link.lines().join_with(room, &mut ticket, nobody());
            state = self.turn(state, deadline);
        }
    }

    /// Takes a request back whose deadline has passed. An event has no deadline of its own.
    fn give_up(&self, state: &mut State, id: u64) -> FailedAttempt {
        state.link.note_late();
        state.link.take_back(id);
        self.send(state);
        late().into()
    }

    /// Waits until something is so.
    pub(super) fn until<T>(&self, mut is_so: impl FnMut(&mut State) -> Option<T>) -> T {
        let mut state = self.lock();
        state.tick();
        loop {
            let done = is_so(&mut state);
            self.send(&mut state);
            if let Some(done) = done {
                return done;
            }
            state = self.turn(state, None);
        }
    }

    /// Runs a function on the connection, and sends the frames that result.
    pub(super) fn with<T>(&self, does: impl FnOnce(&mut Connection) -> T) -> T {
        let mut state = self.lock();
        let done = does(&mut state.link);
        state.take();
        self.send(&mut state);
        done
    }

    /// Waits until something comes, but not for longer than until something is due: reads,
    /// or lets the thread go on that does.
    fn turn<'a>(&'a self, state: Guard<'a>, deadline: Option<Instant>) -> Guard<'a> {
        let due = state.link.due().and_then(|time| self.clock.instant(time));
        let deadline = [deadline, due].into_iter().flatten().min();
        let time = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        // No time at all would be for ever.
        let patience = time.map(|time| time.max(Duration::from_millis(1)));
        let (mut state, read) = self.wait(state, patience);
        let done = read.and_then(|is_some| {
            if is_some {
                state.heard = Instant::now();
                self.digest(&mut state)?;
            }
            state.tick();
            self.flush(&mut state)
        });
        if let Err(error) = done {
            state.lose(error);
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
        state.tick();
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
            state.take();
            // Where replies wait, nothing is read until they are sent.
            self.flush(state)?;
            if state.left() == before {
                self.rest(state);
            }
        }
    }

    /// Waits where so much was refused that nothing is read for a while.
    fn rest(&self, state: &mut State) {
        if let Some(at) = state.link.due() {
            let most = Duration::from_millis(1);
            let time = at.saturating_sub(self.clock.now());
            std::thread::sleep(Duration::from_micros(time).min(most));
        }
        state.tick();
    }

    /// Writes all that waits, or ends everything where that can't be.
    fn send(&self, state: &mut State) {
        if let Err(error) = self.flush(state) {
            state.lose(error);
            self.tell(state);
        }
    }

    fn flush(&self, state: &mut State) -> io::Result<()> {
        state.link.now();
        let mut done = Ok(());
        state.link.give_out(|session, now| {
            let mut bytes = 0;
            while let Some(out) = session.poll_frames(WRITE_BYTES, now) {
                bytes += out.len();
                done = write_all(&*self.socket, out.pieces());
                if done.is_err() {
                    break;
                }
            }
            bytes
        });
        done
    }
}

impl State {
    /// Ends everything, since the socket does.
    fn lose(&mut self, why: io::Error) {
        self.link.lose(lost(&Err(why)));
        self.take();
        self.link.close();
    }

    /// Lets the session look at its deadlines, if one has passed, and takes what it tells.
    fn tick(&mut self) {
        self.link.now();
        if self.link.tick() {
            self.take();
        }
    }

    /// Gives the session what has come, and takes what it tells.
    fn take(&mut self) {
        let Self { link, input, .. } = self;
        link.now();
        let mut todos = Vec::new();
        if let Some(input) = input {
            let mut left = input.left();
            let bytes = left.len();
            let keep = |value: &[u8]| input.keep(value);
            link.receive(&mut left, usize::MAX, &mut todos, &Nothing, &keep);
            let taken = bytes - left.len();
            input.take(taken);
        } else {
            // The thread that reads has given the session all that came before.
            link.take_news(&mut todos, &Nothing);
        }
        for todo in todos {
            // A peer that asks for something has been refused by the session mostly.
            let end = match todo {
                Todo::Unknown(id, ..) => RequestEnd::Failed(id, Failure::of(Kind::MethodUnknown)),
                Todo::Release(id) => RequestEnd::Released(id),
                Todo::Forget(id) => {
                    link.forget_chunks(id);
                    continue;
                }
                _ => continue,
            };
            link.say(&Nothing, end);
        }
    }

    /// How many bytes have come that the session was not given.
    fn left(&self) -> usize {
        self.input.as_ref().map_or(0, |input| input.left().len())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let mut state = self.lock();
        state.link.drain("");
        // The peer finds out in any case.
        let _ = self.flush(&mut state);
    }
}

/// Whether and when a request that was not made can be made again.
fn missed(refusal: Rejection) -> FailedAttempt {
    match refusal {
        Rejection::Elsewhere => FailedAttempt {
            failure: unavailable("the connection has ended"),
            again: Again::Elsewhere,
        },
        Rejection::Full(_) => Failure::of(Kind::DeadlineExceeded).into(),
        Rejection::For(failure) => (*failure).into(),
    }
}

/// A failure of a request that may have been acted on.
fn may_be_acted(mut failure: Failure) -> Failure {
    failure.acted = true;
    failure
}
