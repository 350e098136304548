//! How much the connections of a server, or of a client, hold together [MXP-15].

use core::time::Duration;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::string::String;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use tokio::sync::Notify;

use crate::net::movement::Movement;
use crate::net::trim::freed;
use crate::session::{LimitError, SERVER_BYTES_PART};

use self::line::{Lines, RESUME, TURNS, TURN_BYTES};

mod line;
mod orphans;

/// The bytes that a connection may hold in any case.
const LEAST_BYTES: usize = 64 << 10;

/// How many times as much as it holds a connection lets go of in a second that moves bytes.
const MOVING_TIMES: usize = 4;

/// The part of a budget for memory that nobody counts: the allocator's own, and values while they
/// are copied.
const SLACK_PART: usize = 4;

/// The memory that is assumed where the system does not say how much there is.
const UNKNOWN_BYTES: usize = 1 << 30;

/// For how long a connection that is not read for the sake of others is left alone, before
/// its task looks again.
pub(crate) const RECHECK: Duration = Duration::from_millis(100);

/// The same for one that has much to do, and lets others be looked at first.
pub(crate) const BREATH: Duration = Duration::from_millis(1);

/// How much all may hold, and who holds how much of it.
#[derive(Debug)]
pub(crate) struct Budget {
    most: usize,
    held: AtomicUsize,
    /// Of these, the bytes of connections to be ended.
    going: AtomicUsize,
    /// The bytes of events whose connections are gone.
    orphaned: AtomicUsize,
    /// The bytes from which on it is worth it again to look for somebody to be ended.
    vain: AtomicUsize,
    count: AtomicUsize,
    shares: Mutex<Shares>,
    lines: Mutex<Lines<Share>>,
    /// How many are in the lines.
    waiting: AtomicUsize,
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
    /// The bytes that it let go of lately, where much is held by all.
    let_go: Mutex<Movement>,
    /// It is to be ended, since it holds most where all hold too much.
    is_overrun: AtomicBool,
    /// The bytes that it counts with among the connections to be ended.
    going: AtomicUsize,
    /// The bytes of its events, once it is gone.
    orphaned: AtomicUsize,
    /// Its events are to be dropped, since it has most of what such connections hold.
    is_crowded: AtomicBool,
    /// It is in a line of connections that are not read.
    is_waiting: AtomicBool,
    /// Its place there.
    place: AtomicU64,
    /// The bytes that it may come to hold in any case, though memory is scarce.
    turn: AtomicUsize,
    /// Lets the connection's task look again.
    wake: Arc<Notify>,
}

impl Budget {
    /// A budget of so many bytes, or of a part of the machine's memory.
    pub(crate) fn new(bytes: Option<usize>) -> Arc<Self> {
        let bytes = bytes.unwrap_or_else(default_bytes);
        Arc::new(Self {
            most: bytes - bytes / SLACK_PART,
            held: AtomicUsize::new(0),
            going: AtomicUsize::new(0),
            orphaned: AtomicUsize::new(0),
            vain: AtomicUsize::new(0),
            count: AtomicUsize::new(0),
            shares: Mutex::default(),
            lines: Mutex::default(),
            waiting: AtomicUsize::new(0),
        })
    }

    /// How many bytes are held by all.
    pub(crate) fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// A share for a new connection, and the notice that wakes its task.
    pub(crate) fn share(self: &Arc<Self>, wake: &Arc<Notify>) -> Arc<Share> {
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
            orphaned: AtomicUsize::new(0),
            is_crowded: AtomicBool::new(false),
            is_waiting: AtomicBool::new(false),
            place: AtomicU64::new(0),
            turn: AtomicUsize::new(0),
            wake: Arc::clone(wake),
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

    /// Whether more than half is held.
    fn is_tight(&self) -> bool {
        self.held() > self.most / 2
    }

    fn lines(&self) -> MutexGuard<'_, Lines<Share>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the first connections in the lines go on: at once where half of the budget is free,
    /// else not too soon after the last ones, and for one turn alone while memory is scarce.
    fn let_on(&self) {
        if self.waiting.load(Ordering::Relaxed) == 0 {
            return;
        }
        let now = Instant::now();
        let is_scarce = self.is_scarce();
        let pauses = match () {
            () if is_scarce => TURNS,
            () if self.is_tight() => [RESUME; 2],
            () => Default::default(),
        };
        for (line, pause) in pauses.into_iter().enumerate() {
            let mut lines = self.lines();
            let first = lines.next(line, pause, now);
            self.waiting.store(lines.len(), Ordering::Relaxed);
            drop(lines);
            let Some(first) = first else {
                continue;
            };
            let turn = if is_scarce { TURN_BYTES[line] } else { 0 };
            first.turn.store(turn, Ordering::Relaxed);
            first.let_go().resume(now);
            first.is_waiting.store(false, Ordering::Relaxed);
            first.wake.notify_one();
        }
    }

    /// Whether the whole budget is held, and the connections to be ended don't let go of enough.
    fn is_exceeded(&self) -> bool {
        let going = self.going.load(Ordering::Relaxed);
        self.held().saturating_sub(going) > self.most
    }

    /// The bytes from which on a connection may be ended: there may be so many that all have
    /// little.
    fn least(&self) -> usize {
        let count = self.count.load(Ordering::Relaxed).max(1);
        LEAST_BYTES.min(self.most / count)
    }

    /// Ends the connections that hold most until the rest is not too much.
    #[cold]
    fn relieve(&self) {
        let shares = self.shares();
        // The bytes that each holds go on to change meanwhile.
        let all = shares.all.values().filter_map(Weak::upgrade);
        let mut all: std::vec::Vec<_> = all.map(|share| (share.bytes(), share)).collect();
        drop(shares);
        let least = self.least();
        all.retain(|(bytes, share)| !share.is_overrun() && *bytes >= least);
        // Connections that let go of memory are ended after connections that don't.
        let now = Instant::now();
        all.sort_by_cached_key(|(bytes, share)| (!share.is_moving(now), *bytes));
        while self.is_exceeded() {
            let Some((bytes, largest)) = all.pop() else {
                self.vain
                    .store(self.held() + LEAST_BYTES, Ordering::Relaxed);
                break;
            };
            largest.go(bytes);
            largest.wake.notify_one();
        }
    }
}

impl Share {
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
            if budget.is_tight() {
                let now = Instant::now();
                self.let_go().add(before - bytes, now);
                if self.is_waiting.load(Ordering::Relaxed) {
                    let mut lines = budget.lines();
                    let place = self.place.load(Ordering::Relaxed);
                    if let Some(place) = lines.moved(place, || self.is_moving(now)) {
                        self.place.store(place, Ordering::Relaxed);
                    }
                }
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
        self.read(bytes - before);
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

    /// Whether the connection has let go of several times as much as it holds lately.
    fn is_moving(&self, now: Instant) -> bool {
        self.let_go().bytes(now) / MOVING_TIMES >= self.bytes()
    }

    /// Whether the connection is to be ended, because it holds too much.
    pub(crate) fn is_overrun(&self) -> bool {
        self.is_overrun.load(Ordering::Relaxed)
    }

    /// Whether the connection is not to be read, because it holds its part of scarce memory. From
    /// then on it waits until it is its turn.
    pub(crate) fn is_choked(self: &Arc<Self>) -> bool {
        let budget = &self.budget;
        let is_waiting = self.is_waiting.load(Ordering::Relaxed);
        let holds_much = (is_waiting || budget.is_scarce()) && self.bytes() > self.part();
        if self.has_turn() || !holds_much {
            if is_waiting {
                self.stop_waiting();
            }
            return false;
        }
        if !is_waiting {
            self.start_waiting();
        }
        budget.let_on();
        self.is_waiting.load(Ordering::Relaxed)
    }

    fn start_waiting(self: &Arc<Self>) {
        let now = Instant::now();
        let mut lines = self.budget.lines();
        self.let_go().pause(now);
        self.is_waiting.store(true, Ordering::Relaxed);
        if lines.len() == 0 {
            lines.served = lines.served.map(|time| time.max(Some(now)));
        }
        let place = lines.push(Arc::downgrade(self), self.is_moving(now));
        self.place.store(place, Ordering::Relaxed);
        self.budget.waiting.store(lines.len(), Ordering::Relaxed);
    }

    fn stop_waiting(&self) {
        let mut lines = self.budget.lines();
        if lines.remove(self.place.load(Ordering::Relaxed)).is_some() {
            self.budget.waiting.store(lines.len(), Ordering::Relaxed);
            self.is_waiting.store(false, Ordering::Relaxed);
            self.let_go().resume(Instant::now());
        }
    }

    fn has_turn(&self) -> bool {
        self.turn.load(Ordering::Relaxed) > 0
    }

    /// Says that so many bytes were read.
    pub(crate) fn read(&self, bytes: usize) {
        let turn = self.turn.load(Ordering::Relaxed);
        if turn > 0 {
            let left = turn.saturating_sub(bytes);
            self.turn.store(left, Ordering::Relaxed);
        }
    }

    /// The bytes that the connection may hold before it looks again at what all do.
    pub(crate) fn allowance(&self) -> usize {
        let turn = self.turn.load(Ordering::Relaxed);
        if turn > 0 {
            return self.bytes().saturating_add(turn);
        }
        let budget = &self.budget;
        let scarce = budget.most / 4 * 3;
        let free = scarce.saturating_sub(budget.held());
        if free == 0 {
            return self.part();
        }
        self.part().max(self.bytes().saturating_add(free / 8))
    }

    /// The bytes that each connection may hold of scarce memory: together a quarter, since each
    /// reads some more before it looks again. It is the least while more than the budget is held:
    /// connections to be ended have to let go first.
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
        if self.is_waiting.load(Ordering::Relaxed) {
            self.stop_waiting();
        }
        self.set(0);
        self.orphan(0);
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
