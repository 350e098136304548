//! How a thread waits for a half of a connection: it looks for a while, and then sleeps.

use core::time::Duration;
use std::time::Instant;

use super::bell::Bell;
use super::halves::Half;
use super::spin::Spin;
use super::wait::Wakes;

/// The time that a thread sleeps before it looks whether the peer is still there [MXP-18.10].
const SLICE: Duration = Duration::from_millis(100);

/// Looks of a thread between two looks at the time.
const LOOKS: usize = 16;

/// The end of a wait.
#[derive(PartialEq, Eq)]
pub(super) enum WaitResult {
    /// It is worth looking what there is to do, or whether the peer is still there.
    Enough,
    TooLong,
}

/// Waits until there is something to do, but not for ever: returns when it is worth to look
/// whether the peer is still there, or that it was too long.
pub(super) fn wait<H: Half>(
    half: &mut H,
    spin: &mut Spin,
    bell: &Bell,
    late: Option<Instant>,
) -> WaitResult {
    while !spin.is_over() {
        for _ in 0..LOOKS {
            if half.has_news() {
                return WaitResult::Enough;
            }
            core::hint::spin_loop();
        }
    }
    let check = Instant::now() + SLICE;
    loop {
        let heard = bell.heard();
        half.announce(Wakes::Bell);
        let now = Instant::now();
        let until = late.map_or(check, |late| late.min(check));
        if half.has_news() {
            half.go_on();
            return WaitResult::Enough;
        }
        if now >= until {
            half.go_on();
            let is_late = late.is_some_and(|late| late <= now);
            return if is_late {
                WaitResult::TooLong
            } else {
                WaitResult::Enough
            };
        }
        bell.sleep(H::KIND, heard, until - now);
    }
}
