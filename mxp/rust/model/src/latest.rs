//! The latest value of a channel [MXP-18.16], which a sender writes over while a receiver copies
//! it. The file of the library is run, on memory of loom's atomics.

macro_rules! model {
    ($name:ident, $fence:item) => {
        #[path = "."]
        mod $name {
            mod atomic {
                pub(super) use loom::sync::atomic::Ordering;
                $fence
            }

            /// The sizes of rings: four slots.
            mod offer {
                pub(super) const LEAST_RING: usize = 256;
                pub(super) const MOST_RING: usize = 256;
            }

            mod channel_offer {
                #[derive(Clone, Copy, PartialEq, Eq)]
                pub(super) enum Delivery {
                    #[allow(dead_code, reason = "it is the latest that is looked at")]
                    Queue,
                    Latest,
                }

                #[derive(Clone, Copy)]
                pub(super) struct Form {
                    pub(super) delivery: Delivery,
                    pub(super) bytes: u32,
                }
            }

            /// The memory of the sender, of which each slot has two parts.
            mod memory {
                use loom::sync::atomic::{AtomicU64, AtomicU8, Ordering};
                use loom::sync::Arc;

                #[derive(Default)]
                pub(super) struct Memory {
                    written: AtomicU64,
                    parts: [AtomicU8; 8],
                }

                fn part(at: usize) -> usize {
                    2 * (at / 64)
                }

                /// The ring. A write stays pending until its number is announced, since the model
                /// has only atomic memory: the bytes appear behind the fence and before the number,
                /// as in the library.
                pub(super) struct Ring(pub(super) Pending);

                /// Bytes that are to be written, and where.
                pub(super) type Pending = std::sync::Arc<std::sync::Mutex<(usize, [u8; 2])>>;

                impl Ring {
                    pub(super) fn len(&self) -> usize {
                        256
                    }

                    pub(super) fn touch(&mut self) {}

                    pub(super) fn slot(&mut self, at: usize, n: usize) -> &mut [u8] {
                        self.0.lock().unwrap().0 = at;
                        // The bytes of this slot are read by nobody: values are in the pending
                        // write.
                        &mut Box::leak(Box::new([0; 2]))[..n]
                    }
                }

                #[derive(Clone)]
                pub(super) struct Own(pub(super) Arc<Memory>, pub(super) Pending);

                impl Own {
                    pub(super) fn set_written(&self, n: u64) {
                        if n > 0 {
                            let (at, bytes) = *self.1.lock().unwrap();
                            let at = part(at);
                            self.0.parts[at].store(bytes[0], Ordering::Relaxed);
                            self.0.parts[at + 1].store(bytes[1], Ordering::Relaxed);
                            self.0.written.store(n, Ordering::Release);
                        }
                    }

                    pub(super) fn set_taken(&self, _: u64) {}
                }

                #[derive(Clone)]
                pub(super) struct Peers(pub(super) Arc<Memory>);

                impl Peers {
                    pub(super) fn ring(&self) -> usize {
                        256
                    }

                    pub(super) fn touch(&self) {}

                    pub(super) fn written(&self) -> u64 {
                        let n = self.0.written.load(Ordering::Relaxed);
                        loom::sync::atomic::fence(Ordering::Acquire);
                        n
                    }

                    pub(super) fn taken(&self) -> u64 {
                        0
                    }

                    pub(super) fn has_left(&self) -> bool {
                        false
                    }

                    pub(super) fn has_ended(&self) -> bool {
                        false
                    }

                    pub(super) fn copy_slot(&self, at: usize, into: &mut [u8]) {
                        let at = part(at);
                        into[0] = self.0.parts[at].load(Ordering::Relaxed);
                        into[1] = self.0.parts[at + 1].load(Ordering::Relaxed);
                    }
                }
            }

            #[path = "../../src/net/transport/shm/slots.rs"]
            #[allow(dead_code, reason = "the library needs more of it")]
            mod slots;

            use loom::sync::Arc;

            use memory::{Memory, Own, Peers, Pending, Ring};
            use channel_offer::{Delivery, Form};
            use slots::{Inbox, Outbox};

            /// One side sends more values than there are slots, each with the same byte twice,
            /// and the other takes what is newest: none may have two bytes.
            pub(super) fn run(values: u8) {
                let mut model = loom::model::Builder::new();
                model.preemption_bound = Some(3);
                model.check(move || {
                    let (memory, pending) = (Arc::new(Memory::default()), Pending::default());
                    let form = Form {
                        delivery: Delivery::Latest,
                        bytes: 2,
                    };
                    let peer = Peers(Arc::clone(&memory));
                    let own = Own(memory, pending.clone());
                    let ring = Ring(pending.clone());
                    let mut outbox = Outbox::new(ring, own.clone(), peer.clone(), form).unwrap();
                    let mut inbox = Inbox::new(own, peer, form).unwrap();
                    let sending = loom::thread::spawn(move || {
                        for n in 1..=values {
                            assert!(outbox.next().unwrap().is_some());
                            pending.lock().unwrap().1 = [n; 2];
                            outbox.publish();
                        }
                    });
                    let mut last = 0;
                    for _ in 0..2 {
                        if let Some(value) = inbox.take().unwrap() {
                            assert_eq!(value[0], value[1], "a value that is of two");
                            assert!(value[0] > last, "a value that is older than one before");
                            last = value[0];
                        }
                    }
                    sending.join().unwrap();
                });
            }
        }
    };
}

model!(fenced, pub(super) use loom::sync::atomic::fence;);
model!(unfenced, pub(super) fn fence(_: Ordering) {});

#[test]
fn a_value_that_is_written_over_is_never_taken() {
    fenced::run(6);
}

/// The same without its fences: the model finds what they are for.
#[test]
#[should_panic(expected = "a value that is of two")]
fn without_fences_one_may_be_taken_that_is_of_two() {
    unfenced::run(6);
}
