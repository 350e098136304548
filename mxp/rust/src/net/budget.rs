//! How much the connections of a server, or of a client, hold together [MXP-15].

use core::time::Duration;
use std::collections::BTreeMap;
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

/// How much all may hold, and who holds how much of it.
#[derive(Debug)]
pub(crate) struct Budget {
    most: usize,
    held: AtomicUsize,
    count: AtomicUsize,
    shares: Mutex<Shares>,
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
    connection: Mutex<Weak<Connection>>,
}

impl Budget {
    /// A budget of so many bytes, or of a part of the machine's memory.
    pub(crate) fn new(bytes: Option<usize>) -> Arc<Self> {
        let bytes = bytes.unwrap_or_else(default_bytes);
        Arc::new(Self {
            most: bytes - bytes / SLACK_PART,
            held: AtomicUsize::new(0),
            count: AtomicUsize::new(0),
            shares: Mutex::default(),
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

    /// Ends those that hold most until what is left is not too much.
    #[cold]
    fn relieve(&self) {
        let shares = self.shares();
        // The bytes that each holds go on to change meanwhile.
        let all = shares.all.values().filter_map(Weak::upgrade);
        let mut all: std::vec::Vec<_> = all.map(|share| (share.bytes(), share)).collect();
        drop(shares);
        let going = all.iter().filter(|(_, share)| share.is_overrun());
        let going: usize = going.map(|(bytes, _)| bytes).sum();
        let mut held = self.held().saturating_sub(going);
        all.retain(|(bytes, share)| !share.is_overrun() && *bytes >= LEAST_BYTES);
        // Those that let go of what they hold are ended after those that don't.
        let now = Instant::now();
        all.sort_by_cached_key(|(bytes, share)| (share.let_go_since(now) < *bytes, *bytes));
        while held > self.most {
            let Some((bytes, largest)) = all.pop() else {
                return;
            };
            held = held.saturating_sub(bytes);
            largest.is_overrun.store(true, Ordering::Relaxed);
            let connection = largest.connection();
            if let Some(connection) = connection.upgrade() {
                connection.wake.notify_one();
            }
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
            budget.held.fetch_sub(before - bytes, Ordering::Relaxed);
            freed(before - bytes);
            return;
        }
        let held = budget.held.fetch_add(bytes - before, Ordering::Relaxed);
        if held + (bytes - before) > budget.most {
            budget.relieve();
        }
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
    /// scarce.
    pub(crate) fn is_choked(&self) -> bool {
        self.budget.is_scarce() && self.bytes() > self.part()
    }

    /// The bytes that the connection may hold before it looks again at what all do.
    pub(crate) fn allowance(&self) -> usize {
        let budget = &self.budget;
        let scarce = budget.most / 4 * 3;
        let free = scarce.saturating_sub(budget.held());
        if free == 0 {
            return self.part();
        }
        self.part().max(self.bytes().saturating_add(free / 8))
    }

    /// The bytes that each may hold of what is scarce. Where all of it is held, those that are
    /// to be ended have to let go of it first.
    fn part(&self) -> usize {
        let budget = &self.budget;
        if budget.held() > budget.most {
            return LEAST_BYTES;
        }
        let count = budget.count.load(Ordering::Relaxed).max(1);
        (budget.most / count).max(LEAST_BYTES)
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
mod tests {
    use super::*;

    #[test]
    fn what_holds_most_is_ended_where_all_is_held() {
        let budget = Budget::new(Some((4 << 20) / 3));
        let shares = [(); 3].map(|()| budget.share());
        shares[0].set(300 << 10);
        shares[1].set(400 << 10);
        let choked = || shares.each_ref().map(|share| share.is_choked());
        assert_eq!(choked(), [false; 3]);
        // More than three quarters are held, of which one has more than its part.
        shares[2].set(100 << 10);
        assert_eq!(choked(), [false, true, false]);
        shares[0].set(400 << 10);
        assert_eq!(choked(), [true, true, false]);
        let overrun = || shares.each_ref().map(|share| share.is_overrun());
        assert_eq!(overrun(), [false; 3]);
        shares[1].set(600 << 10);
        assert_eq!(overrun(), [false, true, false]);
        // A connection that is ended counts no more, before it is gone.
        shares[2].set(140 << 10);
        assert_eq!(overrun(), [false, true, false]);
        let [first, second, third] = shares;
        drop(second);
        assert_eq!(budget.held(), (400 + 140) << 10);
        assert!(!first.is_choked());
        drop((first, third));
        assert_eq!(
            (budget.held(), budget.count.load(Ordering::Relaxed)),
            (0, 0)
        );
    }

    // [MXP-15.4]
    #[test]
    fn those_that_move_are_ended_last() {
        let budget = Budget::new(Some((4 << 20) / 3));
        let shares = [(); 3].map(|()| budget.share());
        shares[0].set(400 << 10);
        shares[1].set(300 << 10);
        shares[2].set(200 << 10);
        // All holds so much that what is let go of is looked at.
        shares[0].set(0);
        shares[0].set(400 << 10);
        let overrun = || shares.each_ref().map(|share| share.is_overrun());
        shares[2].set(400 << 10);
        assert_eq!(overrun(), [false, false, true]);
        shares[1].set(700 << 10);
        assert_eq!(overrun(), [false, true, true]);
        shares[0].set(1100 << 10);
        assert_eq!(overrun(), [true; 3]);
    }

    #[test]
    fn what_holds_little_is_never_ended() {
        let budget = Budget::new(Some(100 << 10));
        let shares: std::vec::Vec<_> = (0..4).map(|_| budget.share()).collect();
        for share in &shares {
            share.set(60 << 10);
        }
        assert!(shares
            .iter()
            .all(|share| !share.is_overrun() && !share.is_choked()));
    }

    #[test]
    fn the_default_is_a_part_of_the_memory() {
        let bytes = default_bytes();
        assert!((1 << 20..1 << 44).contains(&bytes), "{bytes}");
    }
}
