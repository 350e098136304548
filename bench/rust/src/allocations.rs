//! An allocator that counts while it is asked to. While it isn't, that costs a load and a branch that is always
//! the same, for every codec alike.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

static COUNTS: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

/// The allocator `A`, counted.
pub struct Counting<A>(pub A);

/// Allocations and their bytes: a growth in place counts as one allocation of the bytes that it added.
#[derive(Clone, Copy)]
pub struct Allocated {
    pub allocations: u64,
    pub bytes: u64,
}

/// Counts what `work` allocates. The benchmarks have one thread.
pub fn count(work: impl FnOnce()) -> Allocated {
    ALLOCATIONS.store(0, Relaxed);
    BYTES.store(0, Relaxed);
    COUNTS.store(true, Relaxed);
    work();
    COUNTS.store(false, Relaxed);
    Allocated {
        allocations: ALLOCATIONS.load(Relaxed),
        bytes: BYTES.load(Relaxed),
    }
}

#[inline]
fn note(bytes: usize) {
    if COUNTS.load(Relaxed) {
        ALLOCATIONS.fetch_add(1, Relaxed);
        BYTES.fetch_add(bytes as u64, Relaxed);
    }
}

// SAFETY: every call is passed on as it is.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps the promises that `A` wants.
        unsafe { self.0.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: as above.
        unsafe { self.0.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { self.0.dealloc(ptr, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size.saturating_sub(layout.size()));
        // SAFETY: as above.
        unsafe { self.0.realloc(ptr, layout, size) }
    }
}
