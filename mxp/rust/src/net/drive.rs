//! The task of a connection: bytes in, bytes out, and time.

use core::future::{poll_fn, Future as _};
use core::task::{Context, Poll};
use core::time::Duration;
use std::boxed::Box;
use std::string::String;
use std::sync::Arc;
use std::time::Instant;
use std::vec::Vec;

use tracing::{info, warn};

use crate::engine::failure::lost_here;
use crate::engine::link::{Load, SessionEnd};
use crate::engine::outage::Differences;
use crate::net::alarm::Alarm;
use crate::net::budget::{BREATH, RECHECK};
use crate::net::buffer;
use crate::net::connection::{Connection, Todo};
use crate::net::input::{Input, FEW_BYTES};
use crate::net::log;
use crate::net::output::Output;
use crate::net::service::Handlers;
use crate::net::transport::Socket;
use crate::net::work::Work;
use crate::session::LINGER_US;

mod turn;

/// For how long the peer's end of file is awaited once all was written.
const LINGER: Duration = Duration::from_micros(LINGER_US);

/// The time between two notes to the session that a slow write goes on.
const MOVED: Duration = Duration::from_millis(250);

/// After how long without anything to do memory is given back.
const QUIET: Duration = Duration::from_millis(100);

/// The time between two looks for a hangup of a peer that is not read.
const LOOK: Duration = Duration::from_secs(1);

/// How much is read at once, before it is the turn of other connections.
const TURN_BYTES: usize = 64 << 10;

/// Runs a connection until it is closed.
pub(crate) async fn drive(
    connection: Arc<Connection>,
    handlers: Arc<Handlers>,
    socket: Box<dyn Socket>,
    stall_us: u64,
) {
    info!("connection opened");
    let now = Instant::now();
    let mut driver = Driver {
        connection: Arc::clone(&connection),
        work: Work::new(handlers),
        input: Input::new(),
        output: Output::default(),
        read: 0,
        ended: Ends::default(),
        is_paused: false,
        load: Load::default(),
        stall: Duration::from_micros(stall_us),
        time: now,
        moved: now,
        has_hung_up: false,
        told_moved: None,
        // The memory that Hello needed is given back.
        is_busy: true,
        busy: None,
        lingers: None,
        logged: LogState::default(),
        cause: None,
    };
    driver.run(socket).await;
    // Nobody waits for a connection that is gone.
    let cause = driver.cause.take();
    connection
        .lock()
        .lose(cause.unwrap_or_else(|| lost_here().into()));
    driver.finish().await;
    let (unread, why) = connection.lock().leave();
    connection.share.set(unread);
    connection.tell_all();
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
    /// The bytes that were read in this turn of the task.
    read: usize,
    ended: Ends,
    /// Nothing is read by choice.
    is_paused: bool,
    /// The peer has hung up while nothing was read: what has come is read, and then all ends.
    has_hung_up: bool,
    load: Load,
    stall: Duration,
    /// The time of the last step.
    time: Instant,
    /// When something was last written, or given out to be.
    moved: Instant,
    /// When the session was told so of a write that was blocked.
    told_moved: Option<Instant>,
    /// Whether there was much to do since the last step. Little leaves no memory that
    /// is worth a timer, which costs each call half a microsecond.
    is_busy: bool,
    /// When there was last much to do, if memory was not given back since.
    busy: Option<Instant>,
    /// Until when the peer's end of file is awaited, once all was written or nothing can
    /// be.
    lingers: Option<Instant>,
    logged: LogState,
    /// The reason why the socket gave or took nothing any more.
    cause: Option<String>,
}

/// The directions of the socket that have ended.
#[derive(Default)]
struct Ends {
    here: bool,
    there: bool,
}

/// The state that the log was told.
#[derive(Default)]
struct LogState {
    /// Whether the session was ready before.
    is_greeted: bool,
    refusals: u64,
}

/// The plan of the next turn.
#[derive(Default)]
struct Plan {
    reads: bool,
    /// More waits to be given out.
    has_more: bool,
    until: Option<Instant>,
    end: SessionEnd,
}

impl Plan {
    fn is_over(&self) -> bool {
        self.end != SessionEnd::Not
    }
}

/// The outcome of a socket's turn.
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
        let mut alarm = Alarm::default();
        let connection = Arc::clone(&self.connection);
        let wake = connection.wake.notified();
        tokio::pin!(wake);
        let mut plan = None;
        let over = poll_fn(|cx| {
            self.read = 0;
            self.work.begin_turn();
            loop {
                // Mostly it is the socket that has woken the task: with the plan that
                // there is, it is looked at first.
                let Some(made) = plan.take().or_else(|| self.step(cx)) else {
                    return Poll::Ready(());
                };
                let is_spent = self.work.is_spent();
                match self.turn(&made, &mut socket, cx) {
                    Turn::Waits if !is_spent => {}
                    Turn::Goes if !is_spent && self.read < TURN_BYTES => continue,
                    Turn::Waits | Turn::Goes => {
                        cx.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                    Turn::Over => return Poll::Ready(()),
                }
                if wake.as_mut().poll(cx).is_ready() {
                    wake.set(connection.wake.notified());
                    continue;
                }
                let keeps = !self.work.waits();
                if !alarm.rings(self.due(&made), cx) {
                    plan = Some(made).filter(|_| keeps);
                    return Poll::Pending;
                }
            }
        });
        over.await;
    }

    /// Lets the handlers of events that came go on to their end, unless the connection is
    /// to be closed at once.
    async fn finish(&mut self) {
        let connection = Arc::clone(&self.connection);
        let wake = connection.wake.notified();
        tokio::pin!(wake);
        let done = poll_fn(|cx| loop {
            let now = connection.clock.now();
            self.work.begin_turn();
            self.work.feed(&connection, &mut Input::new(), now, cx);
            connection.share.leave(self.work.held());
            if connection.share.is_crowded() {
                self.work.drop_waiting();
            }
            let is_left = connection.lock().is_closed() || connection.share.is_overrun();
            if !self.work.waits() || is_left {
                return Poll::Ready(());
            }
            if self.work.is_spent() {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            if wake.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            wake.set(connection.wake.notified());
        });
        done.await;
    }

    /// When a step has something to do that nobody wakes the task for. A time that has
    /// come is in it only where the step puts it off or ends the connection: else the task
    /// would run without a pause.
    fn due(&self, plan: &Plan) -> Option<Instant> {
        let waits = !self.output.is_empty();
        let stall = (waits && self.lingers.is_none()).then(|| self.moved + self.stall);
        let quiet = self.busy.filter(|_| !waits).map(|time| time + QUIET);
        let times = [plan.until, stall, quiet, self.lingers];
        times.into_iter().flatten().min()
    }

    /// Does all that can be done without waiting. There is nothing more to do when
    /// the connection is to be closed.
    fn step(&mut self, cx: &mut Context<'_>) -> Option<Plan> {
        let time = Instant::now();
        self.time = time;
        let now = self.connection.clock.since(time);
        let Self { work, input, .. } = self;
        work.feed(&self.connection, input, now, cx);
        let (mut plan, is_closed) = loop {
            let (plan, todos, is_closed) = self.exchange(time);
            if todos.is_empty() {
                break (plan, is_closed);
            }
            for todo in todos {
                self.work.perform(&self.connection, todo, cx);
            }
        };
        if plan.end == SessionEnd::Failed {
            // A peer that does not take what was said before is not waited for to be told why.
            self.stall = self.stall.min(LINGER);
        }
        let is_stuck = !self.output.is_empty() && time >= self.moved + self.stall;
        // A peer that does not take what it was given can't be told that it holds too much.
        let is_overrun = self.connection.share.is_overrun();
        let is_said = self.output.is_empty() && !plan.has_more;
        if plan.is_over() && (is_said || is_stuck || is_overrun) && self.lingers.is_none() {
            self.lingers = Some(time + LINGER);
        }
        if is_closed || self.lingers.is_some_and(|end| end <= time) {
            return None;
        }
        self.rest(time);
        let is_choked = self.connection.share.is_choked();
        let is_full = !self.has_hung_up && (self.work.is_full() || self.load.is_over || is_choked);
        plan.reads = self.input.left().is_empty() && !is_full;
        // A peer that takes nothing is itself to blame for the bytes held for it.
        self.pause(is_full && !self.output.is_blocked, now);
        let pause = match () {
            () if is_choked => Some(RECHECK),
            () if self.load.is_over => Some(10 * RECHECK),
            () if self.work.is_stopped() => Some(BREATH),
            () if is_full => Some(LOOK),
            () => None,
        };
        let soon = pause.map(|pause| time + pause);
        plan.until = [plan.until, soon].into_iter().flatten().min();
        Some(plan)
    }

    /// Says what was done, tells the session the time, and takes out what it has to
    /// send. Returns what comes next, what is left to be done, and whether the connection
    /// is to be closed.
    fn exchange(&mut self, time: Instant) -> (Plan, Vec<Todo>, bool) {
        let connection = &self.connection;
        let mut state = connection.lock();
        state.at(connection.clock.since(time));
        let mut todos = self.work.say(&connection.methods, &mut state);
        state.tick();
        let is_written = self.output.is_empty();
        if !is_written && time >= self.moved + self.stall {
            state.stall();
        }
        if connection.share.is_overrun() && state.overrun() {
            self.work.abandon();
        }
        state.bound(self.output.held() + self.work.held());
        let output = &mut self.output;
        let given = state.give_out(|session, now| output.fill(session, now));
        self.is_busy |= given >= FEW_BYTES;
        if is_written {
            self.moved = time;
        }
        let is_news = state.take_news(&mut todos, &*connection.methods);
        let plan = Plan {
            reads: false,
            has_more: state.has_more(),
            until: state.due().and_then(|time| connection.clock.instant(time)),
            end: state.end(),
        };
        let mut differences = Differences::default();
        if !self.logged.is_greeted {
            if let Some(known) = state.differences() {
                self.logged.is_greeted = true;
                differences = known;
            }
        }
        let (refusals, last) = state.refusals();
        let is_closed = state.is_closed();
        let others = self.output.held() + self.work.held();
        let held = self.load.measure(&state, others, self.input.held());
        drop(state);
        if let Some(held) = held {
            connection.share.set(held);
        }
        if is_news {
            connection.tell_all();
        }
        log::differing(&differences);
        if refusals > self.logged.refusals {
            let count = refusals - self.logged.refusals;
            warn!(count, last, "the peer was refused");
            self.logged.refusals = refusals;
        }
        (plan, todos, is_closed)
    }

    /// Tells the session whether nothing is read by choice, for which the peer is not to
    /// blame.
    fn pause(&mut self, pauses: bool, now: u64) {
        if pauses == self.is_paused {
            return;
        }
        self.is_paused = pauses;
        let mut state = self.connection.lock();
        state.at(now);
        state.pause(pauses);
    }

    /// Gives back memory where there was nothing to do for a while.
    fn rest(&mut self, time: Instant) {
        if core::mem::take(&mut self.is_busy) {
            self.busy = Some(time);
        }
        if self.connection.share.is_scarce() && self.input.left().is_empty() {
            self.input.rest();
        }
        if self.busy.is_some_and(|start| time >= start + QUIET) && self.output.is_empty() {
            self.busy = None;
            self.connection.lock().rest();
            self.input.rest();
            self.work.rest();
            self.output.rest();
            buffer::rest();
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
