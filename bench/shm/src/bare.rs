//! A ring for each direction in memory that both processes write: nothing is checked, and nobody is
//! protected. It is as little as values can cost that are copied in and out.

use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{ftruncate, memfd_create, MemfdFlags};
use rustix::mm::{mmap, MapFlags, ProtFlags};

use crate::measure::Times;
use crate::rows::{Row, LARGE};
use crate::{ready, Outcome};

const SLOTS: u64 = 4;
/// The bytes of one direction: its numbers, and its slots.
const DIRECTION: usize = 4096 + SLOTS as usize * LARGE;

/// Memory of both processes.
pub struct Memory {
    file: OwnedFd,
    base: *mut u8,
}

/// One direction.
struct Direction {
    base: *mut u8,
    bytes: usize,
    /// How many values this side has written, or taken.
    count: u64,
}

impl Memory {
    pub fn new() -> Outcome<Self> {
        let file = memfd_create("bare", MemfdFlags::CLOEXEC)?;
        ftruncate(&file, 2 * DIRECTION as u64)?;
        Self::map(file)
    }

    /// Where another process finds it.
    pub fn place(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd())
    }

    pub fn open(place: &str) -> Outcome<Self> {
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(place)?;
        Self::map(file.into())
    }

    fn map(file: OwnedFd) -> Outcome<Self> {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::SHARED | MapFlags::POPULATE;
        // SAFETY: the system chooses a place where nothing is.
        let base = unsafe {
            mmap(
                ptr::null_mut(),
                2 * DIRECTION,
                protection,
                flags,
                file.as_fd(),
                0,
            )?
        };
        Ok(Self {
            base: base.cast(),
            file,
        })
    }

    /// Both directions: of the asking side's bytes, and of the returned ones.
    fn directions(&self, bytes: usize) -> [Direction; 2] {
        [0, 1].map(|n| Direction {
            // SAFETY: so many bytes are mapped.
            base: unsafe { self.base.add(n * DIRECTION) },
            bytes,
            count: 0,
        })
    }

    pub fn ask(&self, row: &Row, times: &mut Times) -> Outcome<()> {
        let [mut there, mut back] = self.directions(row.bytes);
        let (mut value, mut answer) = (vec![0; row.bytes], vec![0; row.bytes]);
        times.take(|n| {
            value[..8].copy_from_slice(&n.to_le_bytes());
            there.send(&value);
            while !back.receive(&mut answer) {}
            if answer[..8] != n.to_le_bytes() {
                return Err("another value came back".into());
            }
            Ok(())
        })
    }

    pub fn serve(&self, row: &Row) -> Outcome<()> {
        let [mut there, mut back] = self.directions(row.bytes);
        let mut value = vec![0; row.bytes];
        ready()?;
        loop {
            if there.receive(&mut value) {
                back.send(&value);
            }
        }
    }
}

impl Direction {
    /// A number that lies so many bytes behind the beginning, on a line of its own.
    fn number(&self, at: usize) -> &AtomicU64 {
        // SAFETY: it lies in the mapping, and is aligned.
        unsafe { &*self.base.add(at).cast() }
    }

    fn slot(&self) -> *mut u8 {
        let slot = usize::try_from(self.count % SLOTS).unwrap_or(0);
        // SAFETY: the slots lie in the mapping.
        unsafe { self.base.add(4096 + slot * self.bytes) }
    }

    fn send(&mut self, value: &[u8]) {
        // There is room: each answer is waited for.
        // SAFETY: a slot has as many bytes, and the other side waits for the number.
        unsafe { ptr::copy_nonoverlapping(value.as_ptr(), self.slot(), self.bytes) };
        self.count += 1;
        self.number(0).store(self.count, Ordering::Release);
    }

    fn receive(&mut self, value: &mut [u8]) -> bool {
        if self.number(0).load(Ordering::Acquire) == self.count {
            return false;
        }
        // SAFETY: the slot was written before the number.
        unsafe { ptr::copy_nonoverlapping(self.slot(), value.as_mut_ptr(), self.bytes) };
        self.count += 1;
        self.number(64).store(self.count, Ordering::Release);
        true
    }
}
