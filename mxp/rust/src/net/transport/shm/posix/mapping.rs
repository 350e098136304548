//! Files that are mapped.

use core::ptr;
use std::io;
use std::os::fd::BorrowedFd;

use rustix::mm::{MapFlags, ProtFlags};

/// A mapped file.
pub(crate) struct Mapping {
    base: *mut u8,
    bytes: usize,
}

impl Mapping {
    /// Maps so many bytes of a file.
    #[cfg_attr(
        not(target_os = "linux"),
        allow(dead_code, reason = "other systems make no such files")
    )]
    #[expect(unsafe_code, reason = "the system maps memory where it likes")]
    pub(super) fn new(file: BorrowedFd<'_>, bytes: usize, is_own: bool) -> io::Result<Self> {
        let mut protection = ProtFlags::READ;
        protection.set(ProtFlags::WRITE, is_own);
        // SAFETY: the system chooses a place where nothing is.
        let base = unsafe {
            let flags = MapFlags::SHARED;
            rustix::mm::mmap(ptr::null_mut(), bytes, protection, flags, file, 0)?
        };
        let base = base.cast();
        Ok(Self { base, bytes })
    }

    /// Its first byte, at the beginning of a page.
    #[inline]
    pub(crate) const fn base(&self) -> *mut u8 {
        self.base
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Mapping {
    #[expect(unsafe_code, reason = "the system unmaps what it is told to")]
    fn drop(&mut self) {
        // SAFETY: nobody has a reference into the mapping any more.
        let unmapped = unsafe { rustix::mm::munmap(self.base.cast(), self.bytes) };
        debug_assert!(unmapped.is_ok());
    }
}
