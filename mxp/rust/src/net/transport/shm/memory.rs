//! Memory that two processes have mapped, which its owner writes and the peer reads [MXP-18.2].
//!
//! The functions of its unsafe code are sound against any peer: bytes that the peer may change have
//! no references but to atomics, and the system keeps the memory mapped.

use core::ptr;
use core::sync::atomic::{fence, AtomicU32, AtomicU64, AtomicU8, Ordering};
use std::sync::Arc;

use super::system::Mapping;

/// The bytes before the ring, which have the side's numbers.
pub(super) const NUMBERS_BYTES: usize = 4096;

/// Where the numbers are [MXP-18.6].
const WRITTEN: usize = 64;
const ENDED: usize = 72;
const TAKEN: usize = 128;
const AWAITS_BYTES: usize = 192;
const AWAITS_ROOM: usize = 196;
#[cfg(feature = "tokio")]
const LEFT: usize = 200;
const BELL: usize = 256;

/// The numbers of a side, and the ring behind them.
struct Map {
    mapping: Mapping,
    /// How many bytes the ring has: a power of two.
    ring: usize,
}

// SAFETY: the mapping belongs to the process, and all that is done with it by shared references
// is atomic or, by the one `Ring` that a mapping has, exclusive.
#[expect(unsafe_code, reason = "a mapping is a pointer")]
unsafe impl Send for Map {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "a mapping is a pointer")]
unsafe impl Sync for Map {}

impl Map {
    fn new(mapping: Mapping) -> Self {
        let ring = mapping.bytes() - NUMBERS_BYTES;
        assert!(ring.is_power_of_two(), "a ring of {ring} bytes");
        Self { mapping, ring }
    }

    #[inline]
    const fn base(&self) -> *mut u8 {
        self.mapping.base()
    }

    #[inline]
    #[expect(
        unsafe_code,
        reason = "a number of mapped memory has no other reference"
    )]
    fn long(&self, position: usize) -> &AtomicU64 {
        debug_assert!(position % 8 == 0 && position < NUMBERS_BYTES);
        // SAFETY: it lies in the mapping, which is as old as this and has the alignment of a page.
        // Any bits there are a number.
        unsafe { &*self.base().add(position).cast() }
    }

    #[inline]
    #[expect(
        unsafe_code,
        reason = "a number of mapped memory has no other reference"
    )]
    fn short(&self, position: usize) -> &AtomicU32 {
        debug_assert!(position % 4 == 0 && position < NUMBERS_BYTES);
        // SAFETY: as above.
        unsafe { &*self.base().add(position).cast() }
    }

    /// Where byte n of a direction lies in the ring.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is less than the ring has"
    )]
    const fn place(&self, n: u64) -> usize {
        (n & (self.ring as u64 - 1)) as usize
    }

    /// Copies bytes of the ring out that another process may change meanwhile.
    #[inline]
    #[expect(unsafe_code, reason = "memory of the peer's has no slice")]
    fn copy_out(&self, position: usize, output: &mut [u8]) {
        assert!(position <= self.ring && output.len() <= self.ring - position);
        // SAFETY: so many bytes lie in the mapping behind this.
        let from = unsafe { self.base().add(NUMBERS_BYTES + position).cast_const() };
        #[cfg(target_arch = "x86_64")]
        if output.len() >= MANY_BYTES {
            // SAFETY: as above; and nobody else has the bytes that are written. The compiler
            // assumes nothing about the bytes that are read.
            unsafe {
                core::arch::asm!(
                    "rep movsb",
                    inout("rcx") output.len() => _,
                    inout("rsi") from => _,
                    inout("rdi") output.as_mut_ptr() => _,
                    options(nostack, preserves_flags)
                );
            }
            return;
        }
        // SAFETY: as above.
        unsafe { copy_by_words(from, output) }
    }
}

/// From how many bytes on one instruction copies them, for which the processor has to get
/// ready.
#[cfg(target_arch = "x86_64")]
const MANY_BYTES: usize = 1024;

/// Copies bytes that another process may change meanwhile, in words of 8: in bytes it would
/// take as many times longer.
///
/// # Safety
///
/// So many bytes are mapped from there on.
#[expect(unsafe_code, reason = "memory of the peer's has no slice")]
unsafe fn copy_by_words(input: *const u8, output: &mut [u8]) {
    // SAFETY: the caller's; the number may be read but not written, for which a relaxed load of
    // so few bytes is.
    let byte = |n: usize| unsafe { (*input.add(n).cast::<AtomicU8>()).load(Ordering::Relaxed) };
    let head = input.align_offset(8).min(output.len());
    let (first, rest) = output.split_at_mut(head);
    for (n, to) in first.iter_mut().enumerate() {
        *to = byte(n);
    }
    let mut at = head;
    let mut words = rest.chunks_exact_mut(8);
    for to in &mut words {
        // SAFETY: as above, and it is aligned, as the bytes before it were skipped.
        let word = unsafe { &*input.add(at).cast::<()>().cast::<AtomicU64>() };
        let word = word.load(Ordering::Relaxed);
        to.copy_from_slice(&word.to_ne_bytes());
        at += 8;
    }
    for (n, to) in words.into_remainder().iter_mut().enumerate() {
        *to = byte(at + n);
    }
}

/// How many bytes a page of the system's has at least.
#[cfg(feature = "tokio")]
const PAGE_BYTES: usize = 4096;

impl Map {
    /// Looks at a word of each page, so that no later look has to wait for the system.
    #[cfg(feature = "tokio")]
    fn touch(&self) {
        for at in (0..self.ring).step_by(PAGE_BYTES) {
            let mut word = [0; 8];
            self.copy_out(at, &mut word);
            core::hint::black_box(word);
        }
    }
}

/// The memory of this side, which is mapped once.
#[cfg_attr(
    not(any(target_os = "linux", windows)),
    allow(dead_code, reason = "other systems have no such memory")
)]
pub(super) fn own(mapping: Mapping) -> (Ring, Own) {
    let map = Arc::new(Map::new(mapping));
    (Ring(Arc::clone(&map)), Own(map))
}

/// The memory of a peer, which can't shrink.
#[cfg_attr(
    not(any(target_os = "linux", windows)),
    allow(dead_code, reason = "other systems have no such memory")
)]
pub(super) fn peers(mapping: Mapping) -> Peers {
    Peers(Arc::new(Map::new(mapping)))
}

/// The ring of this side, in which it alone writes.
pub(super) struct Ring(Arc<Map>);

impl Ring {
    pub(super) fn len(&self) -> usize {
        self.0.ring
    }

    /// Writes bytes from the n-th of the direction on, no more than the ring has.
    #[inline]
    pub(super) fn fill(&mut self, n: u64, bytes: &[u8]) {
        let at = self.0.place(n);
        let (first, rest) = bytes.split_at(bytes.len().min(self.0.ring - at));
        self.put(at, first);
        self.put(0, rest);
    }

    /// Writes into each page of a ring in which nothing was written, so that no later write has to
    /// wait for the system.
    #[cfg(feature = "tokio")]
    pub(super) fn touch(&mut self) {
        for at in (0..self.0.ring).step_by(PAGE_BYTES) {
            self.put(at, &[0]);
        }
    }

    /// So many bytes from a place on, which are written where they lie.
    #[inline]
    #[cfg(feature = "tokio")]
    #[expect(unsafe_code, reason = "the peer reads what is written to it")]
    pub(super) fn slot(&mut self, position: usize, n: usize) -> &mut [u8] {
        assert!(position <= self.0.ring && n <= self.0.ring - position);
        // SAFETY: as below. The peer can't change them, and has them mapped at another place.
        unsafe { core::slice::from_raw_parts_mut(self.0.base().add(NUMBERS_BYTES + position), n) }
    }

    #[inline]
    #[expect(unsafe_code, reason = "the peer reads what this writes")]
    fn put(&mut self, position: usize, bytes: &[u8]) {
        assert!(position <= self.0.ring && bytes.len() <= self.0.ring - position);
        // SAFETY: so many bytes lie in the mapping behind this. Nobody else in this process reads
        // or writes them, as a mapping has but one ring; and a peer that reads them too early harms
        // itself alone.
        unsafe {
            let to = self.0.base().add(NUMBERS_BYTES + position);
            ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
    }
}

/// The numbers of this side, which are written for the peer and never read.
#[derive(Clone)]
pub(super) struct Own(Arc<Map>);

impl Own {
    /// Says how many bytes were written, with those bytes.
    #[inline]
    pub(super) fn set_written(&self, n: u64) {
        self.0.long(WRITTEN).store(n, Ordering::Release);
    }

    /// Says that nothing more is written.
    pub(super) fn set_ended(&self) {
        self.0.short(ENDED).store(1, Ordering::Release);
    }

    /// Says that nothing more is taken.
    #[cfg(feature = "tokio")]
    pub(super) fn set_left(&self) {
        self.0.short(LEFT).store(1, Ordering::Release);
    }

    /// Says how many bytes were taken, and may be written over.
    #[inline]
    pub(super) fn set_taken(&self, n: u64) {
        self.0.long(TAKEN).store(n, Ordering::Release);
    }

    pub(super) fn awaits_bytes(&self) -> &AtomicU32 {
        self.0.short(AWAITS_BYTES)
    }

    pub(super) fn awaits_room(&self) -> &AtomicU32 {
        self.0.short(AWAITS_ROOM)
    }

    pub(super) fn bell(&self) -> &AtomicU32 {
        self.0.short(BELL)
    }
}

/// The memory of the peer, which it may change at any time. Loads are relaxed, as loads of
/// read-only memory have to be, and fences come behind them.
#[derive(Clone)]
pub(super) struct Peers(Arc<Map>);

impl Peers {
    /// Brings all of it into this side's tables of pages.
    #[cfg(feature = "tokio")]
    pub(super) fn touch(&self) {
        self.written();
        self.0.touch();
    }

    pub(super) fn ring(&self) -> usize {
        self.0.ring
    }

    /// How many bytes the peer has written, which can be read then.
    #[inline]
    pub(super) fn written(&self) -> u64 {
        let n = self.0.long(WRITTEN).load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        n
    }

    /// Whether the peer writes no more bytes than it has written by now.
    #[inline]
    pub(super) fn has_ended(&self) -> bool {
        let ended = self.0.short(ENDED).load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        ended == 1
    }

    /// Whether the peer takes no more.
    #[inline]
    #[cfg(feature = "tokio")]
    pub(super) fn has_left(&self) -> bool {
        self.0.short(LEFT).load(Ordering::Relaxed) == 1
    }

    /// How many bytes of this side's ring the peer has taken.
    #[inline]
    pub(super) fn taken(&self) -> u64 {
        let n = self.0.long(TAKEN).load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        n
    }

    #[inline]
    pub(super) fn awaits_bytes(&self) -> u32 {
        self.0.short(AWAITS_BYTES).load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn awaits_room(&self) -> u32 {
        self.0.short(AWAITS_ROOM).load(Ordering::Relaxed)
    }

    /// The number of times that the peer has woken this side: threads sleep on it.
    pub(super) fn bell(&self) -> &AtomicU32 {
        self.0.short(BELL)
    }

    /// Copies bytes from a place in the ring on.
    #[inline]
    #[cfg(feature = "tokio")]
    pub(super) fn copy_slot(&self, position: usize, output: &mut [u8]) {
        self.0.copy_out(position, output);
    }

    /// Copies bytes from the n-th of the direction on, no more than the ring has [MXP-18.8].
    #[inline]
    pub(super) fn copy(&self, n: u64, output: &mut [u8]) {
        let at = self.0.place(n);
        let before = output.len().min(self.0.ring - at);
        let (first, rest) = output.split_at_mut(before);
        self.0.copy_out(at, first);
        self.0.copy_out(0, rest);
    }
}
