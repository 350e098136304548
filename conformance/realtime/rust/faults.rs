//! Operations that do what a real-time thread must not do: each layer of the proof has to find its own.

use std::fs::File;
use std::sync::Mutex;
use std::time::Duration;

use crate::path::operations;
use crate::state::State;

const PAGE: usize = 4096;

/// Everything that faults need.
pub struct Supplies {
    lock: Mutex<u64>,
    /// Pages that nobody has touched.
    untouched: *mut u8,
}

impl Supplies {
    pub fn new(untouched: *mut u8) -> Self {
        Self {
            lock: Mutex::new(1),
            untouched,
        }
    }
}

#[inline(always)]
fn allocation(s: &mut State) -> u64 {
    // So much that it is asked of the system each time.
    let mut samples = Vec::with_capacity(64 << 20);
    samples.push(s.level);
    std::hint::black_box(samples).len() as u64
}

#[inline(always)]
fn lock(s: &mut State) -> u64 {
    s.faults.lock.lock().map_or(1, |held| *held)
}

#[inline(always)]
fn sleep(_: &mut State) -> u64 {
    std::thread::sleep(Duration::from_nanos(1));
    1
}

#[inline(always)]
fn file(_: &mut State) -> u64 {
    u64::from(File::open("/dev/null").is_ok())
}

/// The number of the process, asked without a function of the system's library.
#[inline(always)]
fn system_call(_: &mut State) -> u64 {
    let mut number: u64 = 39;
    // SAFETY: getpid takes nothing and changes nothing but the registers that are named.
    unsafe {
        std::arch::asm!("syscall", inlateout("rax") number, out("rcx") _, out("r11") _, options(nostack));
    }
    number
}

#[inline(always)]
fn page_fault(s: &mut State) -> u64 {
    let supplies = &mut s.faults;
    // SAFETY: the machine has mapped a page for each run.
    unsafe {
        supplies.untouched.write_volatile(1);
        supplies.untouched = supplies.untouched.add(PAGE);
    }
    1
}

#[inline(always)]
fn uneven(s: &mut State) -> u64 {
    (0..s.level).fold(1, |all, _| std::hint::black_box(all))
}

operations! { FAULTS,
    fault_allocation = c"allocation" allocation,
    fault_lock = c"lock" lock,
    fault_sleep = c"sleep" sleep,
    fault_file = c"file" file,
    fault_system_call = c"system_call" system_call,
    fault_page_fault = c"page_fault" page_fault,
    fault_uneven = c"uneven" uneven,
}
