//! The task of a connection: bytes in, bytes out, and time.

use core::time::Duration;
use std::boxed::Box;
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::sync::Arc;
use std::time::Instant;
use std::vec;
use std::vec::Vec;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tracing::{debug, info, warn};

use crate::net::connection::{Connection, State};
use crate::net::socket::Socket;
use crate::net::Failure;
use crate::session::{Kind, Value};

/// What is read into while little comes.
const FEW_BYTES: usize = 1 << 10;

/// What is read into while much comes, and how much is given to one write.
const MANY_BYTES: usize = 64 << 10;

/// How many pieces one write has at most.
const PIECES: usize = 16;

/// For how long what has ended may still say why.
const LINGER: Duration = Duration::from_secs(1);

/// After how long without anything to do memory is given back.
const QUIET: Duration = Duration::from_millis(100);

/// Bytes that came and were not taken.
struct Input {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Input {
    /// Fits the buffer to what came last.
    fn came(&mut self, n: usize) {
        (self.start, self.end) = (0, n);
    }

    /// Makes the buffer as large as is good for the next read.
    fn resize(&mut self) {
        if self.end == self.buffer.len() && self.buffer.len() < MANY_BYTES {
            self.buffer.resize(MANY_BYTES, 0);
        }
    }

    fn rest(&mut self) {
        if self.buffer.len() > FEW_BYTES && self.start == self.end {
            self.buffer = vec![0; FEW_BYTES];
            self.came(0);
        }
    }
}

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

    /// Takes frames out of a session's queue, as many as go into one write.
    fn fill(&mut self, state: &mut State, now: u64) {
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
    }

    fn slices(&self) -> Vec<IoSlice<'_>> {
        let pieces = self.pieces.iter().enumerate().map(|(i, piece)| {
            let at = if i == 0 { self.at } else { 0 };
            IoSlice::new(piece.as_slice().get(at..).unwrap_or_default())
        });
        pieces.collect()
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
    let mut driver = Driver {
        connection: Arc::clone(&connection),
        input: Input {
            buffer: vec![0; FEW_BYTES],
            start: 0,
            end: 0,
        },
        output: Output::default(),
        stall: Duration::from_micros(stall_us),
        moved: Instant::now(),
        busy: Some(Instant::now()),
        lingers: None,
        refusals: 0,
    };
    driver.run(socket).await;
    // Nobody waits for a connection that is gone.
    connection.lock().session.lost();
    connection.feed(&mut &[][..]);
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
    input: Input,
    output: Output,
    stall: Duration,
    /// When something was last written, or given out to be.
    moved: Instant,
    /// When there was last something to do, if memory was not given back since.
    busy: Option<Instant>,
    /// Until when what has ended may still say why.
    lingers: Option<Instant>,
    refusals: u64,
}

/// What comes next.
struct Plan {
    reads: bool,
    until: Option<Instant>,
    /// All was said, and only the peer's end is awaited.
    is_done: bool,
}

impl Driver {
    async fn run(&mut self, socket: Box<dyn Socket>) {
        let (mut reader, mut writer) = tokio::io::split(socket);
        let mut has_shut = false;
        let sleep = tokio::time::sleep(Duration::ZERO);
        tokio::pin!(sleep);
        while let Some(plan) = self.step() {
            if plan.is_done && !has_shut {
                has_shut = true;
                // What can't be shut is closed soon.
                let _ = tokio::time::timeout(LINGER, writer.shutdown()).await;
            }
            let until = plan.until.map(tokio::time::Instant::from_std);
            if let Some(until) = until.filter(|until| *until != sleep.deadline()) {
                sleep.as_mut().reset(until);
            }
            let slices = self.output.slices();
            tokio::select! {
                wrote = writer.write_vectored(&slices), if !slices.is_empty() => match wrote {
                    Ok(n) if n > 0 => {
                        self.output.wrote(n);
                        self.moved = Instant::now();
                    }
                    other => return closed(other.map(|_| ())),
                },
                read = reader.read(&mut self.input.buffer), if plan.reads => match read {
                    Ok(n) if n > 0 => {
                        self.input.came(n);
                        self.busy = Some(Instant::now());
                    }
                    other => return closed(other.map(|_| ())),
                },
                () = self.connection.wake.notified() => self.busy = Some(Instant::now()),
                () = &mut sleep, if until.is_some() => {}
            }
        }
    }

    /// Does all that can be done without waiting. There is nothing more to do when
    /// the connection is to be closed.
    fn step(&mut self) -> Option<Plan> {
        let Input { buffer, start, end } = &mut self.input;
        let bytes = &buffer[*start..*end];
        let mut rest = bytes;
        self.connection.feed(&mut rest);
        *start += bytes.len() - rest.len();
        let time = Instant::now();
        let now = self.connection.now();
        let mut state = self.connection.lock();
        if state.session.next_timeout().is_some_and(|at| at <= now) {
            state.session.tick(now);
        }
        let is_stuck = !self.output.is_empty() && time >= self.moved + self.stall;
        if is_stuck && self.lingers.is_none() {
            state.session.stalled(now);
        }
        let was_full = state.session.may_queue().is_err();
        if self.output.is_empty() {
            self.output.fill(&mut state, now);
            self.moved = time;
        }
        let has_room = was_full && state.session.may_queue().is_ok();
        let is_over = state.session.finished() || state.desk.ended.is_some();
        let timeout = state.session.next_timeout();
        let finished = state.session.finished();
        let (refusals, last) = state.session.refusals();
        let is_closed = state.desk.is_closed;
        drop(state);
        if has_room {
            self.connection.changed.notify_waiters();
        }
        if refusals > self.refusals {
            warn!(
                count = refusals - self.refusals,
                last, "the peer was refused"
            );
            self.refusals = refusals;
        }
        // What ticking, filling or stalling has left to be told.
        self.connection.feed(&mut &[][..]);
        let is_over = is_over || self.connection.lock().desk.ended.is_some();
        if is_over && self.lingers.is_none() {
            self.lingers = Some(time + LINGER);
        }
        if is_closed || self.lingers.is_some_and(|at| at <= time) {
            return None;
        }
        if self.busy.is_some_and(|at| time >= at + QUIET) && self.output.is_empty() {
            self.busy = None;
            self.connection.lock().session.rest();
            self.input.rest();
            self.output.spare = Vec::new();
        }
        let is_read = self.input.start == self.input.end;
        if is_read {
            self.input.resize();
        }
        let times = [
            timeout.and_then(|at| self.connection.instant(at)),
            (!self.output.is_empty()).then(|| self.moved + self.stall),
            self.lingers,
            self.busy.map(|at| at + QUIET),
        ];
        Some(Plan {
            reads: is_read,
            until: times.into_iter().flatten().min(),
            is_done: finished && self.output.is_empty(),
        })
    }
}

/// Says why a socket gives or takes nothing any more.
fn closed(why: io::Result<()>) {
    if let Err(error) = why {
        debug!(%error, "the connection broke");
    }
}

impl Connection {
    /// Waits until requests can be made, or the connection has ended.
    pub(crate) async fn ready(&self) -> Result<(), Failure> {
        let is_ready = |state: &mut State| match &state.desk.ended {
            Some(failure) => Some(Err(failure.clone())),
            None if state.desk.is_closed => Some(Err(Failure::of(Kind::Lost))),
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
