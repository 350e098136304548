//! The atomics of the processor, in whose place a model of all orders can stand.

pub(super) use core::sync::atomic::{fence, AtomicU32, Ordering};
