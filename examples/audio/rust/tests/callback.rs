//! The callback beside a plug-in in a process of its own.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use audio::callback::{Callback, Desk};
use audio::rack::Rack;
use audio::system::usage;

const ORDER: Ordering = Ordering::SeqCst;
/// Looks between two callbacks: some ten to a hundred microseconds.
const PAUSE: usize = 1000;

/// Words between a test and a thread with a callback, which need no system call.
#[derive(Default)]
struct Run {
    /// The thread's number, from which on it may do nothing but memory.
    thread: AtomicU64,
    meters: AtomicU64,
    wrong: AtomicU64,
    allocations: AtomicU64,
    faults: AtomicU64,
    is_to_end: AtomicBool,
    has_ended: AtomicBool,
}

impl Run {
    /// Runs the callback until it is told to end.
    fn blocks(&self, callback: &mut Callback) {
        for block in 0.. {
            let seen = callback.run(block);
            self.meters.fetch_add(seen.meters.into(), ORDER);
            self.wrong.fetch_add(seen.wrong.into(), ORDER);
            if self.is_to_end.load(ORDER) {
                break;
            }
            (0..PAUSE).for_each(|_| std::hint::spin_loop());
        }
    }

    fn meters(&self) -> u64 {
        self.meters.load(ORDER)
    }

    /// Waits until the thread is gone, by itself or since the system has ended it.
    fn gone(&self) {
        until("the thread begins", || self.thread.load(ORDER) > 0);
        let folder = format!("/proc/self/task/{}", self.thread.load(ORDER));
        until("the thread is gone", || !PathBuf::from(&folder).exists());
    }
}

/// Runs something in a thread that the system ends at once when it is called.
fn closed(run: &Arc<Run>, act: impl FnOnce(&Run) + Send + 'static) {
    let run = Arc::clone(run);
    thread::spawn(move || {
        // SAFETY: it takes nothing.
        let thread = unsafe { libc::syscall(libc::SYS_gettid) };
        let done = allocation_counter::measure(|| {
            close();
            run.thread.store(thread.unsigned_abs(), ORDER);
            act(&run);
        });
        let count = done.count_total + done.count_current.unsigned_abs();
        run.allocations.store(count, ORDER);
        run.has_ended.store(true, ORDER);
        // SAFETY: nobody joins the thread, and its memory is never looked at again.
        unsafe { libc::syscall(libc::SYS_exit, 0) };
    });
}

/// Has the system end the calling thread when it calls for anything but its own end.
fn close() {
    const fn step(code: u32, yes: u8, no: u8, k: u32) -> libc::sock_filter {
        #[expect(clippy::cast_possible_truncation, reason = "codes have 16 bits")]
        let code = code as u16;
        libc::sock_filter {
            code,
            jt: yes,
            jf: no,
            k,
        }
    }
    let exit = u32::try_from(libc::SYS_exit).unwrap();
    let mut steps = [
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0), // the call's number
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, exit),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
        step(
            libc::BPF_RET | libc::BPF_K,
            0,
            0,
            libc::SECCOMP_RET_KILL_THREAD,
        ),
    ];
    let filter = libc::sock_fprog {
        len: u16::try_from(steps.len()).unwrap(),
        filter: steps.as_mut_ptr(),
    };
    // SAFETY: the system reads the filter, which is there.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        let mode = libc::SECCOMP_MODE_FILTER;
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, mode, &filter), 0);
    }
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let late = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < late, "{what}: never");
        thread::sleep(Duration::from_millis(2));
    }
}

/// A rack with a plug-in, whose socket has a name of its own.
fn rack(name: &str) -> Rack {
    let socket = format!("audio-{name}-{}.sock", std::process::id());
    let socket = std::env::temp_dir().join(socket);
    Rack::new(env!("CARGO_BIN_EXE_audio").into(), &socket).unwrap()
}

/// Tends a rack until meters have come a hundred times more.
fn meters_come(rack: &mut Rack, desk: &mut Desk, run: &Run) {
    let before = run.meters();
    until("meters come", || {
        rack.tend(desk).unwrap();
        run.meters() >= before + 100
    });
}

#[test]
fn the_callback_calls_nothing_while_plugins_are_killed_and_started_again() {
    let (callback, mut desk) = Callback::new();
    desk.knobs.turn(0.5, 2000.0);
    let run = Arc::new(Run::default());
    // It is never dropped: that would call the system.
    let callback = Box::leak(Box::new(callback));
    closed(&run, |run| run.blocks(callback));
    let mut rack = rack("killed");
    for kills in 0..3 {
        meters_come(&mut rack, &mut desk, &run);
        assert_eq!(rack.starts, kills + 1);
        let process = libc::pid_t::try_from(rack.process()).unwrap();
        // SAFETY: it is the number of a child that nobody has waited for.
        assert_eq!(unsafe { libc::kill(process, libc::SIGKILL) }, 0);
    }
    meters_come(&mut rack, &mut desk, &run);
    run.is_to_end.store(true, ORDER);
    run.gone();
    assert!(run.has_ended.load(ORDER), "the callback called the system");
    assert_eq!(run.allocations.load(ORDER), 0);
    assert_eq!(run.wrong.load(ORDER), 0);
}

/// Faults that the test before has to find.
#[test]
fn a_call_and_an_allocation_are_found() {
    let calls = Arc::new(Run::default());
    closed(&calls, |_| thread::yield_now());
    calls.gone();
    assert!(!calls.has_ended.load(ORDER));
    let allocates = Arc::new(Run::default());
    closed(&allocates, |_| drop(std::hint::black_box(Box::new(1))));
    allocates.gone();
    assert!(allocates.has_ended.load(ORDER));
    assert_eq!(allocates.allocations.load(ORDER), 1);
}

#[test]
fn the_callback_touches_no_page_that_is_not_there() {
    let (mut callback, mut desk) = Callback::new();
    let run = Arc::new(Run::default());
    let mut rack = rack("faults");
    let playing = {
        let run = Arc::clone(&run);
        thread::spawn(move || {
            // Brings the code into memory.
            run.blocks(&mut callback);
            run.is_to_end.store(false, ORDER);
            let before = usage().faults;
            run.blocks(&mut callback);
            let faults = usage().faults - before;
            run.faults.store(faults.unsigned_abs(), ORDER);
        })
    };
    meters_come(&mut rack, &mut desk, &run);
    run.is_to_end.store(true, ORDER);
    until("it begins to count", || !run.is_to_end.load(ORDER));
    meters_come(&mut rack, &mut desk, &run);
    run.is_to_end.store(true, ORDER);
    playing.join().unwrap();
    assert_eq!(run.faults.load(ORDER), 0);
}
