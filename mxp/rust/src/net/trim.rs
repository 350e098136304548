//! Memory that is given back to the system.

use core::time::Duration;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The bytes that connections have let go of since memory was given back.
static FREED: AtomicUsize = AtomicUsize::new(0);

/// Memory is about to be given back.
static IS_DUE: AtomicBool = AtomicBool::new(false);

/// From how many bytes on it is worth that.
const MUCH_BYTES: usize = 8 << 20;

/// The pause before memory is given back, so that much goes at once.
const PAUSE: Duration = Duration::from_millis(250);

/// Until when what was let go of has been freed.
const SETTLED: Duration = Duration::from_secs(1);

/// Notes that a connection has let go of memory. An allocator may keep it for ever, in
/// pieces between others: where much was let go of, it is told to give it back.
pub(crate) fn freed(bytes: usize) {
    if bytes == 0 || FREED.fetch_add(bytes, Ordering::Relaxed) < MUCH_BYTES {
        return;
    }
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return;
    };
    if IS_DUE.swap(true, Ordering::Relaxed) {
        return;
    }
    runtime.spawn(async {
        loop {
            tokio::time::sleep(PAUSE).await;
            FREED.store(0, Ordering::Relaxed);
            give_back().await;
            // Memory that is counted as let go of may be freed a little later.
            tokio::time::sleep(SETTLED).await;
            if FREED.load(Ordering::Relaxed) < MUCH_BYTES {
                break;
            }
        }
        IS_DUE.store(false, Ordering::Relaxed);
        give_back().await;
    });
}

/// Gives back what can be. It looks at all of the memory that the program has.
async fn give_back() {
    let _ = tokio::task::spawn_blocking(trim).await;
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator is the C library's")]
fn trim() {
    extern "C" {
        fn malloc_trim(pad: usize) -> core::ffi::c_int;
    }
    // SAFETY: glibc has this function of this type; it may be called at any time, by any
    // thread, and touches no memory that is in use.
    unsafe {
        malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
const fn trim() {}
