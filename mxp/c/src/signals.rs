//! Signals, which the core's threads leave to the host's.
#![expect(unsafe_code, reason = "the system's function takes pointers")]

use core::mem::MaybeUninit;
use core::ptr;

/// Does something with all signals blocked, so that threads begun by it never run a handler.
pub(crate) fn without<T>(begin: impl FnOnce() -> T) -> T {
    let mut all = MaybeUninit::<libc::sigset_t>::uninit();
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: both sets are places for a set, and the first is filled before it is read.
    let blocked = unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), before.as_mut_ptr())
    };
    let value = begin();
    if blocked == 0 {
        // SAFETY: the set was filled by the call above.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    }
    value
}
