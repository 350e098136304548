//! The timer of a connection.

use core::pin::Pin;
use core::task::Context;
use std::boxed::Box;
use std::time::Instant;

use core::future::Future as _;
use tokio::time::Sleep;

/// Times that a timer is not needed before it is given up.
const UNNEEDED: u32 = 32;

/// A timer that is not set anew each time that its time is put off: it rings too early then, which
/// does no harm. A timer that is not needed for a while is given up, since the system waits at less
/// cost without one.
#[derive(Default)]
pub(crate) struct Alarm {
    sleep: Option<Pin<Box<Sleep>>>,
    at: Option<Instant>,
    unneeded: u32,
}

impl Alarm {
    /// Whether a time has come, at the latest at this one.
    pub(crate) fn rings(&mut self, deadline: Option<Instant>, cx: &mut Context<'_>) -> bool {
        self.unneeded = if deadline.is_some() {
            0
        } else {
            self.unneeded + 1
        };
        if self.unneeded > UNNEEDED {
            *self = Self::default();
        }
        if let Some(deadline) =
            deadline.filter(|deadline| self.at.map_or(true, |time| *deadline < time))
        {
            match &mut self.sleep {
                Some(sleep) => sleep.as_mut().reset(deadline.into()),
                None => self.sleep = Some(Box::pin(tokio::time::sleep_until(deadline.into()))),
            }
            self.at = Some(deadline);
        }
        let Some(sleep) = self.sleep.as_mut().filter(|_| self.at.is_some()) else {
            return false;
        };
        let rings = sleep.as_mut().poll(cx).is_ready();
        if rings {
            self.at = None;
        }
        rings
    }
}
