//! How much the connections of a server, or of a client, hold together [MXP-15].

use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::Path;
use std::string::String;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use crate::net::connection::Connection;
use crate::net::movement::Movement;
use crate::net::trim::freed;
use crate::session::{LimitError, SERVER_BYTES_PART};

/// The bytes that each thing that a connection holds counts as beside its own [MXP-15.2].
pub(crate) const ITEM_BYTES: usize = 64;

/// The bytes that a connection may hold in any case.
const LEAST_BYTES: usize = 64 << 10;

/// Which part of a budget is left to what nobody counts: the allocator's own, and values
/// while they are copied.
const SLACK_PART: usize = 4;

/// The memory that is assumed where the system does not say how much there is.
const UNKNOWN_BYTES: usize = 1 << 30;

/// For how long a connection that is not read for the sake of others is left alone, before
/// its task looks again.
pub(crate) const RECHECK: Duration = Duration::from_millis(100);

/// The same for one that has much to do, and lets others be looked at first.
pub(crate) const BREATH: Duration = Duration::from_millis(1);

/// The least time between two connections that are read again, where more than half of all
/// is held: what they take together in that time is to leave the others time.
const LET_ON: Duration = Duration::from_millis(5);

/// The same where memory is scarce: what those hold may wait for grants of their peers, or
/// for the rest of a frame, without which nothing makes it less.
const DRIP: Duration = Duration::from_millis(100);

/// How much all may hold, and who holds how much of it.
#[derive(Debug)]
pub(crate) struct Budget {
    most: usize,
    held: AtomicUsize,
    /// Of these, the bytes of those that are to be ended.
    going: AtomicUsize,
    /// The bytes from which on it is worth it again to look for somebody to be ended.
    vain: AtomicUsize,
    count: AtomicUsize,
    shares: Mutex<Shares>,
    line: Mutex<Line>,
    /// How many are in the line.
    waiting: AtomicUsize,
}

/// The connections that are not read, in the order in which they are read again. Those that
/// move bytes, and those that don't, take turns, however many they are.
#[derive(Debug, Default)]
struct Line {
    waiting: [VecDeque<Weak<Share>>; 2],
    /// Which of the two has the next turn.
    turn: usize,
    /// When the last was let on.
    let_on: Option<Instant>,
}

#[derive(Debug, Default)]
struct Shares {
    next: u64,
    all: BTreeMap<u64, Weak<Share>>,
}

/// The share of a budget that one connection has.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Arc<Budget>,
    number: u64,
    bytes: AtomicUsize,
    /// The bytes that it let go of lately, where memory is scarce.
    let_go: Mutex<Movement>,
    /// It is to be ended, since it holds most where all hold too much.
    is_overrun: AtomicBool,
    /// The bytes that it is counted with among those that are to be ended.
    going: AtomicUsize,
    /// It is in the line of those that are not read.
    is_waiting: AtomicBool,
    /// It is read once, whatever it holds.
    drips: AtomicBool,
    connection: Mutex<Weak<Connection>>,
}

impl Line {
    fn pop(&mut self) -> Option<Weak<Share>> {
        let turn = self.turn;
        self.turn = 1 - turn;
        let [rest, moving] = &mut self.waiting;
        let (first, second) = if turn == 0 {
            (rest, moving)
        } else {
            (moving, rest)
        };
        first.pop_front().or_else(|| second.pop_front())
    }
}

impl Budget {
    /// A budget of so many bytes, or of a part of the machine's memory.
    pub(crate) fn new(bytes: Option<usize>) -> Arc<Self> {
        let bytes = bytes.unwrap_or_else(default_bytes);
        Arc::new(Self {
            most: bytes - bytes / SLACK_PART,
            held: AtomicUsize::new(0),
            going: AtomicUsize::new(0),
            vain: AtomicUsize::new(0),
            count: AtomicUsize::new(0),
            shares: Mutex::default(),
            line: Mutex::default(),
            waiting: AtomicUsize::new(0),
        })
    }

    /// How many bytes are held by all.
    pub(crate) fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// A share of what is to be a connection.
    pub(crate) fn share(self: &Arc<Self>) -> Arc<Share> {
        let mut shares = self.shares();
        let number = shares.next;
        shares.next += 1;
        let share = Arc::new(Share {
            budget: Arc::clone(self),
            number,
            bytes: AtomicUsize::new(0),
            let_go: Mutex::default(),
            is_overrun: AtomicBool::new(false),
            going: AtomicUsize::new(0),
            is_waiting: AtomicBool::new(false),
            drips: AtomicBool::new(false),
            connection: Mutex::default(),
        });
        shares.all.insert(number, Arc::downgrade(&share));
        drop(shares);
        self.count.fetch_add(1, Ordering::Relaxed);
        share
    }

    fn shares(&self) -> MutexGuard<'_, Shares> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether so much is held that each may hold no more than its part.
    fn is_scarce(&self) -> bool {
        self.held() > self.most / 4 * 3
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the first of those that are not read go on: at once where half is free, else not
    /// too soon after the one before.
    fn let_on(&self) {
        if self.waiting.load(Ordering::Relaxed) == 0 {
            return;
        }
        let now = Instant::now();
        let is_scarce = self.is_scarce();
        let pause = match () {
            () if is_scarce => DRIP,
            () if self.held() > self.most / 2 => LET_ON,
            () => Duration::ZERO,
        };
        let mut line = self.line();
        if line.let_on.is_some_and(|at| now < at + pause) {
            return;
        }
        while let Some(first) = line.pop() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            let Some(first) = first.upgrade() else {
                continue;
            };
            line.let_on = Some(now);
            drop(line);
            first.drips.store(is_scarce, Ordering::Relaxed);
            first.is_waiting.store(false, Ordering::Relaxed);
            first.wake();
            return;
        }
    }

    /// Whether all is held, and those that are to be ended don't let go of enough.
    fn is_exceeded(&self) -> bool {
        let going = self.going.load(Ordering::Relaxed);
        self.held().saturating_sub(going) > self.most
    }

    /// Ends those that hold most until what is left is not too much.
    #[cold]
    fn relieve(&self) {
        let shares = self.shares();
        // The bytes that each holds go on to change meanwhile.
        let all = shares.all.values().filter_map(Weak::upgrade);
        let mut all: std::vec::Vec<_> = all.map(|share| (share.bytes(), share)).collect();
        drop(shares);
        all.retain(|(bytes, share)| !share.is_overrun() && *bytes >= LEAST_BYTES);
        // Those that let go of what they hold are ended after those that don't.
        let now = Instant::now();
        all.sort_by_cached_key(|(bytes, share)| (share.let_go_since(now) < *bytes, *bytes));
        while self.is_exceeded() {
            let Some((bytes, largest)) = all.pop() else {
                self.vain
                    .store(self.held() + LEAST_BYTES, Ordering::Relaxed);
                break;
            };
            largest.go(bytes);
            largest.wake();
        }
    }
}

impl Share {
    /// Names the connection, which is woken where it is to be ended.
    pub(crate) fn belongs_to(&self, connection: &Arc<Connection>) {
        *self.connection() = Arc::downgrade(connection);
    }

    fn connection(&self) -> MutexGuard<'_, Weak<Connection>> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the connection's task look again.
    fn wake(&self) {
        let connection = self.connection().upgrade();
        if let Some(connection) = connection {
            connection.wake.notify_one();
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Says how many bytes the connection holds now.
    #[inline]
    pub(crate) fn set(&self, bytes: usize) {
        let before = self.bytes.swap(bytes, Ordering::Relaxed);
        if bytes == before {
            return;
        }
        let budget = &self.budget;
        if bytes < before {
            if budget.is_scarce() {
                self.let_go().add(before - bytes, Instant::now());
            }
            if self.is_overrun() {
                self.goes(bytes);
            }
            let held = budget.held.fetch_sub(before - bytes, Ordering::Relaxed);
            let is_vain = budget.vain.load(Ordering::Relaxed) > 0;
            if is_vain && held - (before - bytes) <= budget.most {
                budget.vain.store(0, Ordering::Relaxed);
            }
            freed(before - bytes);
            budget.let_on();
            return;
        }
        let held = budget.held.fetch_add(bytes - before, Ordering::Relaxed) + (bytes - before);
        let is_worth = held > budget.most && held >= budget.vain.load(Ordering::Relaxed);
        if is_worth && budget.is_exceeded() {
            budget.relieve();
        }
    }

    /// Lets the connection be ended, which holds so many bytes.
    fn go(&self, bytes: usize) {
        self.is_overrun.store(true, Ordering::Relaxed);
        self.going.store(bytes, Ordering::Relaxed);
        self.budget.going.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Says how many bytes are still to go. These never become more.
    fn goes(&self, bytes: usize) {
        let before = self.going.fetch_min(bytes, Ordering::Relaxed);
        let less = before.saturating_sub(bytes);
        self.budget.going.fetch_sub(less, Ordering::Relaxed);
    }

    fn let_go(&self) -> MutexGuard<'_, Movement> {
        self.let_go.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn let_go_since(&self, now: Instant) -> usize {
        self.let_go().bytes(now)
    }

    /// Whether the connection is to be ended for what it holds.
    pub(crate) fn is_overrun(&self) -> bool {
        self.is_overrun.load(Ordering::Relaxed)
    }

    /// Whether nothing is to be read from the connection, which has its part of what is
    /// scarce. From then on it waits until it is its turn.
    pub(crate) fn is_choked(self: &Arc<Self>) -> bool {
        let budget = &self.budget;
        if self.drips.load(Ordering::Relaxed) {
            self.drips.store(false, Ordering::Relaxed);
            return false;
        }
        let is_waiting = self.is_waiting.load(Ordering::Relaxed);
        if !is_waiting && !budget.is_scarce() || self.bytes() <= self.part() {
            return false;
        }
        if !is_waiting {
            self.is_waiting.store(true, Ordering::Relaxed);
            let now = Instant::now();
            let moves = self.let_go_since(now) >= self.bytes();
            let mut line = budget.line();
            if budget.waiting.fetch_add(1, Ordering::Relaxed) == 0 {
                line.let_on = line.let_on.max(Some(now));
            }
            line.waiting[usize::from(moves)].push_back(Arc::downgrade(self));
            drop(line);
        }
        budget.let_on();
        self.is_waiting.load(Ordering::Relaxed)
    }

    /// The bytes that the connection may hold before it looks again at what all do.
    pub(crate) fn allowance(&self) -> usize {
        if self.drips.load(Ordering::Relaxed) {
            return usize::MAX;
        }
        let budget = &self.budget;
        let scarce = budget.most / 4 * 3;
        let free = scarce.saturating_sub(budget.held());
        if free == 0 {
            return self.part();
        }
        self.part().max(self.bytes().saturating_add(free / 8))
    }

    /// The bytes that each may hold of what is scarce: together a quarter, since each reads some
    /// more before it looks again. Where all of it is held, those that are to be ended have to
    /// let go of it first.
    fn part(&self) -> usize {
        let budget = &self.budget;
        if budget.held() > budget.most {
            return LEAST_BYTES;
        }
        let count = budget.count.load(Ordering::Relaxed).max(1);
        (budget.most / 4 / count).max(LEAST_BYTES)
    }

    /// Whether memory that is kept for later is to be given back.
    pub(crate) fn is_scarce(&self) -> bool {
        self.budget.is_scarce()
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.set(0);
        self.budget.count.fetch_sub(1, Ordering::Relaxed);
        self.budget.shares().all.remove(&self.number);
    }
}

/// Refuses a budget of nothing.
pub(crate) fn check_memory(bytes: Option<usize>) -> Result<(), LimitError> {
    let bytes = bytes.unwrap_or(1);
    LimitError::check([("memory_bytes", bytes as u64, u64::MAX)])
}

/// A part of the machine's memory, or of that of the control group.
fn default_bytes() -> usize {
    let read = |path: &Path| fs::read_to_string(path).ok();
    let number = |text: String| text.trim().parse::<usize>().ok();
    let group = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ];
    let group = group
        .iter()
        .filter_map(|path| number(read(Path::new(path))?));
    let machine = read(Path::new("/proc/meminfo")).and_then(|text| {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("MemTotal:"))?;
        let kib = line.trim().strip_suffix("kB")?.trim();
        Some(kib.parse::<usize>().ok()? << 10)
    });
    let most = group.chain(machine).min();
    most.map_or(UNKNOWN_BYTES, |bytes| bytes / SERVER_BYTES_PART)
}

#[cfg(test)]
mod tests;
