//! The counts of the counting allocator. They are one test, since others would allocate at the same time.

use std::alloc::System;
use std::hint::black_box;

use sdpbench::allocations::{count, Counting};

#[global_allocator]
static ALLOCATOR: Counting<System> = Counting(System);

#[test]
fn allocations_and_growth_are_counted() {
    let mut kept = Vec::<u8>::with_capacity(100);
    let counts = |work: &mut dyn FnMut()| {
        let allocated = count(work);
        (allocated.allocations, allocated.bytes)
    };
    assert_eq!(counts(&mut || kept.extend([1; 100])), (0, 0));
    assert_eq!(counts(&mut || kept.reserve_exact(150)), (1, 150));
    assert_eq!(counts(&mut || drop(black_box(vec![0_u8; 30]))), (1, 30));
    assert_eq!(
        counts(&mut || drop(black_box(Box::new([1_u64; 2])))),
        (1, 16)
    );
    assert_eq!(counts(&mut || ()), (0, 0));
}
