//! The program around a connection whose threads wait.

use core::convert::Infallible;
use core::task::Waker;
use std::sync::{Arc, OnceLock};
use std::task::Wake;

use crate::engine::driver::{Arrival, Driver};
use crate::engine::method::{Interface, MethodId};
use crate::engine::MethodKind;
use crate::net::clock::Clock;
use crate::net::Failure;

/// The clock of a connection whose threads wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Threads(pub(super) Clock);

impl Driver for Threads {
    type Task = Infallible;
    type Request = ();

    fn now(&self) -> u64 {
        self.0.now()
    }

    fn request(&self, _: Arrival) {}

    fn bytes((): &()) -> usize {
        0
    }
}

/// A side that serves nothing.
pub(super) struct Nothing;

impl Interface for Nothing {
    fn kind(&self, _: u16, _: u16) -> Option<MethodKind> {
        None
    }

    fn failed(&self, _: MethodId, _: &Failure) {}

    fn unsent(&self, _: MethodId, _: &Failure) {}
}

/// The waker of a thread that looks for itself each time that something has come.
pub(super) fn nobody() -> &'static Waker {
    static NOBODY: OnceLock<Waker> = OnceLock::new();
    struct Nobody;
    impl Wake for Nobody {
        fn wake(self: Arc<Self>) {}
    }
    NOBODY.get_or_init(|| Arc::new(Nobody).into())
}
