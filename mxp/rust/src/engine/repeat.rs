//! Requests that are made again, since nobody has acted on them [MXP-14.6].

use core::time::Duration;

use crate::engine::draw::{self, Draw};
use crate::engine::request::micros;
use crate::engine::Failure;
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
pub(crate) struct FailedAttempt {
    pub(crate) failure: Failure,
    pub(crate) again: Again,
}

impl From<Failure> for FailedAttempt {
    /// A failure that is no connection's.
    fn from(failure: Failure) -> Self {
        let again = Again::Never;
        Self { failure, again }
    }
}

impl FailedAttempt {
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

/// The repetitions of a request, or a stream, on which nobody has acted. Times are microseconds
/// of the client's clock.
#[derive(Debug)]
pub(crate) struct Repeats {
    deadline: Option<u64>,
    /// For how long a peer that has no place is asked again, without a deadline.
    patience: Duration,
    /// The next pause before that, and when there are no more.
    pauses: Option<(Duration, u64)>,
}

impl Repeats {
    pub(crate) const fn new(deadline: Option<u64>, patience: Duration) -> Self {
        Self {
            deadline,
            patience,
            pauses: None,
        }
    }

    /// The pause before a missed request is made again, or its failure.
    pub(crate) fn next(
        &mut self,
        missed: FailedAttempt,
        now: u64,
        draw: Draw,
    ) -> Result<Duration, Failure> {
        match missed.again {
            Again::Never => return Err(missed.failure),
            Again::Elsewhere => return Ok(Duration::ZERO),
            Again::Soon => {}
        }
        let (deadline, patience) = (self.deadline, micros(self.patience));
        let until = || deadline.unwrap_or_else(|| now.saturating_add(patience));
        let (most, until) = self.pauses.get_or_insert_with(|| (PAUSE_MIN, until()));
        let pause = draw::pause(*most, draw);
        *most = (2 * *most).min(PAUSE_MAX);
        if now.saturating_add(micros(pause)) < *until {
            return Ok(pause);
        }
        Err(missed.failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missed(kind: Kind, takes_more: bool) -> FailedAttempt {
        FailedAttempt::on(Failure::of(kind), takes_more)
    }

    #[test]
    fn a_peer_without_a_place_is_asked_again_until_the_deadline() {
        let mut repeats = Repeats::new(Some(40_000), Duration::from_secs(9));
        let mut pauses = alloc::vec::Vec::new();
        let mut now = 0;
        while let Ok(pause) = repeats.next(missed(Kind::LimitInFlight, true), now, || 0.5) {
            pauses.push(pause.as_micros());
            now += micros(pause);
        }
        assert_eq!(pauses, [500, 1_000, 2_000, 4_000, 8_000, 16_000]);
        let mut patient = Repeats::new(None, Duration::from_millis(1));
        assert!(patient
            .next(missed(Kind::LimitInFlight, true), 0, || 0.5)
            .is_ok());
        assert!(patient
            .next(missed(Kind::LimitInFlight, true), 500, || 0.5)
            .is_err());
    }

    #[test]
    fn a_request_that_a_connection_did_not_take_is_made_on_the_next_at_once() {
        let mut repeats = Repeats::new(Some(0), Duration::ZERO);
        let next = |repeats: &mut Repeats, missed| repeats.next(missed, 5, || 0.5);
        assert_eq!(
            next(&mut repeats, missed(Kind::Lost, false)),
            Ok(Duration::ZERO)
        );
        // A server that takes further requests has refused this request itself.
        assert!(next(&mut repeats, missed(Kind::Lost, true)).is_err());
        let mut acted = missed(Kind::Lost, false);
        acted.failure.acted = true;
        let acted = FailedAttempt::on(acted.failure, false);
        assert!(next(&mut repeats, acted).is_err());
    }
}
