//! Linux, as far as threads of real time need it.

#![expect(unsafe_code, reason = "the system's functions are foreign")]

use std::io;
use std::mem::MaybeUninit;
use std::ptr;

const SECOND: u64 = 1_000_000_000;

/// Outcome of asking for the needs of a thread of real time, in words.
#[derive(Debug, Clone)]
pub struct Granted {
    /// The class that it is scheduled in.
    pub scheduling: String,
    /// Whether memory stays where it is.
    pub memory: String,
}

/// Asks for `SCHED_FIFO` for the calling thread, and for the whole process's memory to stay.
/// Without them a program works, with later wake-ups.
#[must_use]
pub fn real_time(priority: i32) -> Granted {
    let scheduling = match schedule(priority) {
        Ok(()) => format!("SCHED_FIFO {priority}"),
        Err(refused) => format!("no SCHED_FIFO: {refused}"),
    };
    let memory = match lock_memory() {
        Ok(()) => "memory locked".into(),
        Err(refused) => format!("memory not locked: {refused}"),
    };
    Granted { scheduling, memory }
}

fn schedule(priority: i32) -> io::Result<()> {
    let wanted = libc::sched_param {
        sched_priority: priority,
    };
    // SAFETY: 0 is the calling thread, and the system only reads the parameters.
    succeeded(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &wanted) })
}

/// Locks all memory that there is and will be. Under a limit it is not tried: from then on every
/// allocation beyond the limit would fail.
fn lock_memory() -> io::Result<()> {
    let mut limit = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: the system writes a limit where there is room for one.
    succeeded(unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, limit.as_mut_ptr()) })?;
    // SAFETY: it has written it.
    let bytes = unsafe { limit.assume_init() }.rlim_cur;
    // SAFETY: it takes nothing, and always succeeds.
    let is_root = unsafe { libc::geteuid() } == 0;
    if bytes != libc::RLIM_INFINITY && !is_root {
        let text = format!("the limit of locked memory is {bytes} bytes");
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    // SAFETY: it changes no memory that anybody sees.
    succeeded(unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) })
}

/// Nanoseconds of a clock that never jumps.
#[must_use]
pub fn now() -> u64 {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: the system writes a time where there is room for one; it has this clock.
    let time = unsafe {
        libc::clock_gettime(libc::CLOCK_MONOTONIC, time.as_mut_ptr());
        time.assume_init()
    };
    time.tv_sec.unsigned_abs() * SECOND + time.tv_nsec.unsigned_abs()
}

/// Sleeps until a time of that clock. Earlier sleep makes no difference, so that periods don't
/// drift.
pub fn sleep_until(time: u64) {
    let (seconds, rest) = (time / SECOND, time % SECOND);
    let at = libc::timespec {
        tv_sec: libc::time_t::try_from(seconds).unwrap_or(libc::time_t::MAX),
        tv_nsec: libc::c_long::try_from(rest).unwrap_or_default(),
    };
    let clock = libc::CLOCK_MONOTONIC;
    // SAFETY: the system reads a time; a signal ends the sleep early, and it goes on.
    while unsafe { libc::clock_nanosleep(clock, libc::TIMER_ABSTIME, &at, ptr::null_mut()) }
        == libc::EINTR
    {}
}

/// Counts that the system keeps of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Pages that were not there when they were touched.
    pub faults: i64,
    /// The number of times that another thread took the processor away.
    pub preemptions: i64,
}

/// The usage of the calling thread.
#[must_use]
pub fn usage() -> Usage {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the system writes a usage where there is room for one; all zeros are one, too.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    Usage {
        faults: usage.ru_minflt + usage.ru_majflt,
        preemptions: usage.ru_nivcsw,
    }
}

fn succeeded(returned: libc::c_int) -> io::Result<()> {
    if returned == 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}
