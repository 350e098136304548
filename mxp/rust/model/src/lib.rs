//! How sides of shared memory wait and are woken [MXP-18.9], in all orders of what two threads
//! do: `cargo test --release`. The file of the library is run, on loom's atomics.
#![cfg(test)]

mod latest;

/// The bell on which a thread sleeps, or the socket after which a reactor looks. As in the kernel,
/// whether to sleep is looked at under a lock that who wakes has, too.
#[derive(Default)]
struct Bed {
    lock: loom::sync::Mutex<u32>,
    changed: loom::sync::Condvar,
}

impl Bed {
    /// Sleeps unless it was woken more often.
    fn sleep(&self, heard: u32) {
        let mut woken = self.lock.lock().unwrap();
        while *woken == heard {
            woken = self.changed.wait(woken).unwrap();
        }
    }

    fn heard(&self) -> u32 {
        *self.lock.lock().unwrap()
    }

    fn wake(&self) {
        *self.lock.lock().unwrap() += 1;
        self.changed.notify_all();
    }
}

macro_rules! model {
    ($name:ident, $fence:item) => {
        // Its files are in this folder.
        #[path = "."]
        mod $name {
            mod atomic {
                pub(super) use loom::sync::atomic::{AtomicU32, Ordering};
                $fence
            }
            #[path = "../../src/net/transport/shm/wait.rs"]
            mod wait;

            use loom::sync::Arc;

            use super::Bed;
            use atomic::{AtomicU32, Ordering};
            use wait::{Waits, Wakes, Woken};

            /// The memory of both sides, as far as waiting goes.
            #[derive(Default)]
            struct Memory {
                written: AtomicU32,
                awaits: AtomicU32,
                bed: Bed,
            }

            /// Waits until so many bytes were written.
            fn read(memory: &Memory, waits: &mut Waits, n: u32, by: Wakes) {
                while memory.written.load(Ordering::Acquire) < n {
                    let heard = memory.bed.heard();
                    waits.announce(&memory.awaits, by);
                    if memory.written.load(Ordering::Acquire) < n {
                        memory.bed.sleep(heard);
                    }
                    waits.go_on(&memory.awaits);
                }
            }

            /// Writes one byte more.
            fn write(memory: &Memory, woken: &mut Woken, n: u32) {
                memory.written.store(n, Ordering::Release);
                if woken.is_due(|| memory.awaits.load(Ordering::Relaxed)).is_some() {
                    memory.bed.wake();
                }
            }

            /// One side writes bytes one by one, and the other waits for each. A side that sleeps
            /// for ever is a deadlock, which loom finds.
            pub(super) fn run(bytes: u32) {
                for by in [Wakes::Bell, Wakes::Byte] {
                    loom::model(move || pass(bytes, by));
                }
            }

            fn pass(bytes: u32, by: Wakes) {
                let memory = Arc::new(Memory::default());
                let writer = Arc::clone(&memory);
                let writing = loom::thread::spawn(move || {
                    let mut woken = Woken::default();
                    for n in 1..=bytes {
                        write(&writer, &mut woken, n);
                    }
                });
                let mut waits = Waits::default();
                for n in 1..=bytes {
                    read(&memory, &mut waits, n, by);
                }
                writing.join().unwrap();
            }
        }
    };
}

model!(fenced, pub(super) use loom::sync::atomic::fence;);
model!(unfenced, pub(super) fn fence(_: Ordering) {});

#[test]
fn nobody_sleeps_for_ever() {
    fenced::run(1);
    fenced::run(2);
}

/// The same without its fences: the model finds what they are for.
#[test]
#[should_panic(expected = "deadlock")]
fn without_fences_somebody_does() {
    unfenced::run(1);
}
