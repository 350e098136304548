//! The task of a connection: bytes in, bytes out, and time.

use core::future::{poll_fn, Future as _};
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;
use std::boxed::Box;
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::string::String;
use std::sync::Arc;
use std::time::Instant;
use std::vec::Vec;

use tokio::io::{AsyncRead as _, AsyncWrite as _, AsyncWriteExt as _, ReadBuf};
use tokio::time::Sleep;
use tracing::{debug, info, warn};

use crate::net::buffer;
use crate::net::connection::{Connection, State};
use crate::net::dispatch::Todo;
use crate::net::failure::{lost, lost_here};
use crate::net::input::{Input, FEW_BYTES};
use crate::net::outage::tell_refused;
use crate::net::socket::Socket;
use crate::net::work::{is_change, Work};
use crate::net::Failure;
use crate::session::{Kind, Value};

/// How much is given to one write.
pub(crate) const MANY_BYTES: usize = 64 << 10;

/// How many pieces one write has at most.
const PIECES: usize = 16;

/// For how long what has ended may still say why.
const LINGER: Duration = Duration::from_secs(1);

/// After how long without anything to do memory is given back.
const QUIET: Duration = Duration::from_millis(100);

/// Pieces that were given out and not written.
#[derive(Default)]
struct Output {
    pieces: VecDeque<Value<'static>>,
    /// How much of the first piece was written.
    at: usize,
    /// A buffer that can be used again.
    spare: Vec<u8>,
}

impl Output {
    fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Takes frames out of a session's queue, as many as go into one write, and returns
    /// how many bytes they have.
    fn fill(&mut self, state: &mut State, now: u64) -> usize {
        let mut buffer = core::mem::take(&mut self.spare);
        let mut bytes = 0;
        while bytes < MANY_BYTES && self.pieces.len() + 3 <= PIECES {
            let Some(out) = state.session.poll_frames(MANY_BYTES - bytes, now) else {
                break;
            };
            bytes += out.len();
            buffer.extend_from_slice(out.head);
            if !out.trailer.is_empty() {
                self.pieces.push_back(Value::Vec(buffer));
                self.pieces.push_back(core::mem::take(out.value));
                buffer = out.trailer.to_vec();
            }
        }
        if buffer.is_empty() {
            self.spare = buffer;
        } else {
            self.pieces.push_back(Value::Vec(buffer));
        }
        bytes
    }

    /// What is to be written next.
    fn slices(&self) -> ([IoSlice<'_>; PIECES], usize) {
        let mut slices = [IoSlice::new(&[]); PIECES];
        let mut n = 0;
        for (slice, piece) in slices.iter_mut().zip(&self.pieces) {
            let at = if n == 0 { self.at } else { 0 };
            *slice = IoSlice::new(piece.as_slice().get(at..).unwrap_or_default());
            n += 1;
        }
        (slices, n)
    }

    /// Forgets what was written.
    fn wrote(&mut self, mut n: usize) {
        while let Some(first) = self.pieces.front() {
            let left = first.as_slice().len() - self.at;
            if n < left {
                self.at += n;
                return;
            }
            n -= left;
            self.at = 0;
            if let Some(Value::Vec(mut buffer)) = self.pieces.pop_front() {
                if buffer.capacity() <= 2 * MANY_BYTES {
                    buffer.clear();
                    self.spare = buffer;
                }
            }
        }
    }
}

/// Runs a connection until it is closed.
pub(crate) async fn drive(connection: Arc<Connection>, socket: Box<dyn Socket>, stall_us: u64) {
    info!("connection opened");
    let now = Instant::now();
    let mut driver = Driver {
        connection: Arc::clone(&connection),
        work: Work::default(),
        input: Input::new(),
        output: Output::default(),
        is_flushed: true,
        stall: Duration::from_micros(stall_us),
        time: now,
        moved: now,
        // What Hello needed is given back.
        is_busy: true,
        busy: None,
        lingers: None,
        is_greeted: false,
        refusals: 0,
        cause: None,
    };
    driver.run(socket).await;
    // Nobody waits for a connection that is gone.
    {
        let mut state = connection.lock();
        state.desk.cause = driver.cause.take().unwrap_or_else(|| lost_here().into());
        state.session.lost();
    }
    poll_fn(|cx| {
        let now = connection.now();
        let nothing = &mut Input::new();
        driver.work.feed(&connection, nothing, now, cx);
        Poll::Ready(())
    })
    .await;
    let why = {
        let mut state = connection.lock();
        state.desk.is_closed = true;
        state.desk.ended.clone()
    };
    connection.changed.notify_waiters();
    match why {
        Some(why) if why.status.0 != 0 => info!(reason = %why, "connection ended"),
        _ => info!("connection ended"),
    }
}

struct Driver {
    connection: Arc<Connection>,
    work: Work,
    input: Input,
    output: Output,
    /// Whether the socket keeps nothing of what was written.
    is_flushed: bool,
    stall: Duration,
    /// The time of the last step.
    time: Instant,
    /// When something was last written, or given out to be.
    moved: Instant,
    /// Whether there was much to do since the last step. Little leaves no memory that
    /// is worth a timer, which costs each call half a microsecond.
    is_busy: bool,
    /// When there was last much to do, if memory was not given back since.
    busy: Option<Instant>,
    /// Until when what has ended may still say why.
    lingers: Option<Instant>,
    /// Whether the session was ready before.
    is_greeted: bool,
    refusals: u64,
    /// What the socket said when it gave or took nothing any more.
    cause: Option<String>,
}

/// What comes next.
struct Plan {
    reads: bool,
    /// More waits to be given out.
    has_more: bool,
    until: Option<Instant>,
    /// All was said, and only the peer's end is awaited.
    is_done: bool,
}

/// What a socket has come to.
enum Turn {
    /// Nothing can be done until somebody wakes the task.
    Waits,
    /// Something can be done.
    Goes,
    /// The connection is over.
    Over,
}

impl Driver {
    async fn run(&mut self, mut socket: Box<dyn Socket>) {
        let mut has_shut = false;
        let mut sleep = Alarm::default();
        let connection = Arc::clone(&self.connection);
        let wake = connection.wake.notified();
        tokio::pin!(wake);
        let mut plan = None;
        loop {
            let shuts = poll_fn(|cx| loop {
                // Mostly it is the socket that has woken the task: with the plan that
                // there is, it is looked at first.
                let Some(made) = plan.take().or_else(|| self.step(cx)) else {
                    return Poll::Ready(None);
                };
                if made.is_done && !has_shut {
                    return Poll::Ready(Some(()));
                }
                match self.turn(&made, &mut socket, cx) {
                    Turn::Waits => {}
                    Turn::Goes => continue,
                    Turn::Over => return Poll::Ready(None),
                }
                if wake.as_mut().poll(cx).is_ready() {
                    wake.set(connection.wake.notified());
                    continue;
                }
                let until = made.until;
                let keeps = !self.work.waits();
                let stall = (!self.output.is_empty()).then(|| self.moved + self.stall);
                if !sleep.rings([until, stall].into_iter().flatten().min(), cx) {
                    plan = Some(made).filter(|_| keeps);
                    return Poll::Pending;
                }
            });
            if shuts.await.is_none() {
                return;
            }
            has_shut = true;
            // What can't be shut is closed soon.
            let _ = tokio::time::timeout(LINGER, socket.shutdown()).await;
        }
    }

    /// Writes and reads what can be without waiting.
    fn turn(&mut self, plan: &Plan, socket: &mut Box<dyn Socket>, cx: &mut Context<'_>) -> Turn {
        let mut socket = Pin::new(socket);
        while !self.output.is_empty() {
            let (slices, n) = self.output.slices();
            let wrote = match &slices[..n] {
                // One piece alone costs the kernel less.
                [piece] => socket.as_mut().poll_write(cx, piece),
                pieces => socket.as_mut().poll_write_vectored(cx, pieces),
            };
            match wrote {
                Poll::Ready(Ok(n)) if n > 0 => {
                    self.output.wrote(n);
                    self.moved = self.time;
                    self.is_flushed = false;
                    // What was kept back for the queue's sake may go on.
                    if self.output.is_empty() && (plan.has_more || !plan.reads) {
                        return Turn::Goes;
                    }
                }
                Poll::Ready(other) => return self.closed(&other.map(|_| ())),
                Poll::Pending => break,
            }
        }
        // TLS takes more than the socket below it does.
        if !self.is_flushed && self.output.is_empty() {
            match socket.as_mut().poll_flush(cx) {
                Poll::Ready(Ok(())) => self.is_flushed = true,
                Poll::Ready(other) => return self.closed(&other),
                Poll::Pending => {}
            }
        }
        if !plan.reads {
            return Turn::Waits;
        }
        let mut buffer = ReadBuf::new(self.input.room());
        match socket.poll_read(cx, &mut buffer) {
            Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                let n = buffer.filled().len();
                self.input.came(n);
                self.is_busy |= n >= FEW_BYTES;
                Turn::Goes
            }
            Poll::Ready(other) => self.closed(&other),
            Poll::Pending => Turn::Waits,
        }
    }

    /// Notes why a socket gives or takes nothing any more.
    #[cold]
    fn closed(&mut self, why: &io::Result<()>) -> Turn {
        if let Err(error) = why {
            debug!(%error, "the connection broke");
            self.connection.lock().desk.is_distrusted |= error.kind() == io::ErrorKind::InvalidData;
        }
        self.cause.get_or_insert_with(|| lost(why));
        Turn::Over
    }

    /// Does all that can be done without waiting. There is nothing more to do when
    /// the connection is to be closed.
    fn step(&mut self, cx: &mut Context<'_>) -> Option<Plan> {
        let time = Instant::now();
        self.time = time;
        let now = self.connection.since(time);
        let Self { work, input, .. } = self;
        work.feed(&self.connection, input, now, cx);
        let (mut plan, is_over, is_closed) = loop {
            let (plan, todos, is_over, is_closed) = self.exchange(time);
            if todos.is_empty() {
                break (plan, is_over, is_closed);
            }
            for todo in todos {
                self.work.perform(&self.connection, todo, cx);
            }
        };
        if is_over && self.lingers.is_none() {
            self.lingers = Some(time + LINGER);
        }
        if is_closed || self.lingers.is_some_and(|at| at <= time) {
            return None;
        }
        self.rest(time);
        plan.reads = self.input.left().is_empty() && !self.work.is_full();
        let times = [plan.until, self.lingers, self.busy.map(|at| at + QUIET)];
        plan.until = times.into_iter().flatten().min();
        Some(plan)
    }

    /// Says what was done, tells the session the time, and takes out what it has to
    /// send. Returns what is left to be done, whether the session is over, and whether
    /// the connection is to be closed.
    fn exchange(&mut self, time: Instant) -> (Plan, Vec<Todo>, bool, bool) {
        let connection = &self.connection;
        let mut state = connection.lock();
        let now = state.time(connection.since(time));
        let mut todos = self.work.say(&connection.services, &mut state, now);
        if state.session.next_timeout().is_some_and(|at| at <= now) {
            state.session.tick(now);
        }
        let is_stuck = !self.output.is_empty() && time >= self.moved + self.stall;
        if is_stuck && self.lingers.is_none() {
            state.session.stalled(now);
        }
        let was_full = state.session.may_queue().is_err();
        if self.output.is_empty() {
            self.is_busy |= self.output.fill(&mut state, now) >= FEW_BYTES;
            self.moved = time;
        }
        state.is_held = state.session.queue_bytes() > 0;
        let has_room = was_full && state.session.may_queue().is_ok();
        // What ticking, filling or stalling has left to be told.
        let mut is_news = false;
        loop {
            let State { session, desk, .. } = &mut *state;
            let Some(incoming) = session.poll_incoming() else {
                break;
            };
            is_news |= is_change(&incoming);
            todos.extend(desk.take(&connection.services, &incoming, &self.input));
        }
        let finished = state.session.finished();
        let plan = Plan {
            reads: false,
            has_more: state.session.queue_bytes() > 0,
            until: state
                .session
                .next_timeout()
                .and_then(|at| connection.instant(at)),
            is_done: finished && self.output.is_empty(),
        };
        let is_over = finished || state.desk.ended.is_some();
        let mut differences = Vec::new();
        if !self.is_greeted && state.session.ready() {
            self.is_greeted = true;
            differences = state.session.differences().to_vec();
        }
        let (refusals, last) = state.session.refusals();
        let is_closed = state.desk.is_closed;
        drop(state);
        if has_room || is_news {
            connection.changed.notify_waiters();
        }
        tell_refused(&differences);
        if refusals > self.refusals {
            let count = refusals - self.refusals;
            warn!(count, last, "the peer was refused");
            self.refusals = refusals;
        }
        (plan, todos, is_over, is_closed)
    }

    /// Gives back memory where there was nothing to do for a while.
    fn rest(&mut self, time: Instant) {
        if core::mem::take(&mut self.is_busy) {
            self.busy = Some(time);
        }
        if self.busy.is_some_and(|at| time >= at + QUIET) && self.output.is_empty() {
            self.busy = None;
            self.connection.lock().session.rest();
            self.input.rest();
            self.work.rest();
            self.output.spare = Vec::new();
            buffer::rest();
        }
    }
}

/// How often a timer is not needed before it is given up.
const UNNEEDED: u32 = 32;

/// A timer that is not set anew each time that its time is put off: it rings too
/// early then, which does no harm. One that is not needed for a while is given up,
/// since the system waits at less cost without one.
#[derive(Default)]
struct Alarm {
    sleep: Option<Pin<Box<Sleep>>>,
    at: Option<Instant>,
    unneeded: u32,
}

impl Alarm {
    /// Whether a time has come, at the latest at this one.
    fn rings(&mut self, until: Option<Instant>, cx: &mut Context<'_>) -> bool {
        self.unneeded = if until.is_some() {
            0
        } else {
            self.unneeded + 1
        };
        if self.unneeded > UNNEEDED {
            *self = Self::default();
        }
        if let Some(until) = until.filter(|until| self.at.map_or(true, |at| *until < at)) {
            match &mut self.sleep {
                Some(sleep) => sleep.as_mut().reset(until.into()),
                None => self.sleep = Some(Box::pin(tokio::time::sleep_until(until.into()))),
            }
            self.at = Some(until);
        }
        let Some(sleep) = self.sleep.as_mut().filter(|_| self.at.is_some()) else {
            return false;
        };
        let rings = sleep.as_mut().poll(cx).is_ready();
        if rings {
            self.at = None;
        }
        rings
    }
}

impl Connection {
    /// Waits until requests can be made, or the connection has ended.
    pub(crate) async fn ready(&self) -> Result<(), Failure> {
        let is_ready = |state: &mut State| match &state.desk.ended {
            Some(failure) => Some(Err(failure.clone())),
            None if state.desk.is_closed => Some(Err(Failure::saying(Kind::Lost, lost_here()))),
            None => state.session.ready().then_some(Ok(())),
        };
        self.until(is_ready).await
    }

    /// Waits until no new requests can be made.
    pub(crate) async fn unusable(&self) {
        let is_so = |state: &mut State| {
            let is_over = state.desk.is_closed || state.desk.ended.is_some();
            (is_over || state.session.may_ask().is_err()).then_some(())
        };
        self.until(is_so).await;
    }

    /// Waits until the connection is closed.
    pub(crate) async fn closed(&self) {
        self.until(|state| state.desk.is_closed.then_some(())).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::service::Services;
    use crate::session::{Config, Role};

    /// A socket that keeps what it is given until it is flushed, as TLS may.
    #[tokio::test]
    async fn what_a_socket_keeps_is_flushed() {
        let sockets = tokio::net::UnixStream::pair().unwrap();
        let mut ends = Vec::new();
        for (socket, role) in [(sockets.0, Role::Opener), (sockets.1, Role::Acceptor)] {
            let services = Arc::new(Services::default());
            let connection = Connection::new(Config::new(), role, services, String::new()).unwrap();
            let connection = Arc::new(connection);
            let socket = Box::new(tokio::io::BufStream::new(socket));
            tokio::spawn(drive(Arc::clone(&connection), socket, 30_000_000));
            ends.push(connection);
        }
        for end in ends {
            let ready = tokio::time::timeout(Duration::from_secs(5), end.ready());
            ready.await.expect("Hello has come").unwrap();
        }
    }
}
