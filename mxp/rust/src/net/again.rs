//! Requests that are made again, since nobody has acted on them [MXP-14.6].

use core::time::Duration;
use std::time::Instant;

use crate::net::{draws, Failure};
use crate::session::{Kind, Status};

/// The pauses before a peer that has no place is asked again double, from the one to the
/// other.
const PAUSE_MIN: Duration = Duration::from_millis(1);
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// When a request that has failed can be made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// It is its user's choice.
    Never,
    /// On the next connection.
    Elsewhere,
    /// When the peer may have a place for it.
    Soon,
}

/// A request that has failed.
#[derive(Debug)]
pub(crate) struct Missed {
    pub(crate) failure: Failure,
    pub(crate) again: Again,
}

impl From<Failure> for Missed {
    /// A failure that is no connection's.
    fn from(failure: Failure) -> Self {
        let again = Again::Never;
        Self { failure, again }
    }
}

impl Missed {
    /// The failure of a request on a connection, which takes more requests or not.
    pub(crate) fn on(failure: Failure, takes_more: bool) -> Self {
        let is = |kind: Kind| failure.name == kind.as_str();
        let again = if failure.acted {
            Again::Never
        } else if is(Kind::LimitInFlight) || is(Kind::LimitInFlightBytes) {
            Again::Soon
        } else if failure.status == Status::UNAVAILABLE && !takes_more {
            Again::Elsewhere
        } else {
            Again::Never
        };
        Self { failure, again }
    }
}

/// The pauses of a request that a peer has no place for.
#[derive(Debug)]
pub(crate) struct Pauses {
    until: Option<Instant>,
    most: Duration,
}

impl Pauses {
    /// They end with the request's deadline, else after so long.
    pub(crate) fn new(deadline: Option<Instant>, patience: Duration) -> Self {
        Self {
            until: deadline.or_else(|| Instant::now().checked_add(patience)),
            most: PAUSE_MIN,
        }
    }

    /// How long the next pause is; none when there is no time for one.
    pub(crate) fn next(&mut self) -> Option<Duration> {
        let pause = draws::pause(self.most);
        self.most = (2 * self.most).min(PAUSE_MAX);
        let end = Instant::now() + pause;
        self.until
            .map_or(true, |until| end < until)
            .then_some(pause)
    }
}
