//! Other work of the machine, of which there is too much.

use std::hint::black_box;
use std::thread;

/// The memory that a thread goes through: more than caches have.
const BYTES: usize = 32 << 20;
/// How much the allocator has to keep, and in pieces up to which size. Large ones are mapped.
const PIECES: usize = 256;
const PIECE_BYTES: usize = 256 << 10;

/// Starts three threads for each processor, which end with the process: one keeps the processor
/// busy, one the memory, and one the allocator.
pub(crate) fn start() {
    for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
        thread::spawn(count);
        thread::spawn(copy);
        thread::spawn(allocate);
    }
}

fn count() {
    let mut n = 1_u64;
    loop {
        n = black_box(n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    }
}

fn copy() {
    let (mut one, mut other) = (vec![1_u8; BYTES], vec![2_u8; BYTES]);
    loop {
        black_box(&mut one).copy_from_slice(&other);
        black_box(&mut other).copy_from_slice(&one);
    }
}

fn allocate() {
    let mut pieces: Vec<Vec<u8>> = vec![Vec::new(); PIECES];
    loop {
        let piece = vec![1; fastrand::usize(1..PIECE_BYTES)];
        pieces[fastrand::usize(0..PIECES)] = black_box(piece);
    }
}
