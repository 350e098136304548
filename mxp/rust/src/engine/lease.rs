//! The lease of a name, which a client renews [MESH-3.4].

use core::time::Duration;

use crate::engine::outage::unavailable;
use crate::engine::request::micros;
use crate::engine::Failure;
use crate::session::{Kind, Lease, Registration, LEASE_MAX_US, LEASE_MIN_US};

/// Renewals of a lease within its time.
const RENEWALS: u64 = 3;

/// How soon a name is asked for again that was not given.
const AGAIN: Duration = Duration::from_millis(500);

/// The time that the directory has for its answer to a registration.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The state of a name that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// The name is this program's.
    Held {
        /// The lease that the directory has given.
        lease: Duration,
        /// Greater than that of each lease of the name before; 0 if the directory counts none.
        /// A program that acts for the name says it, so that what is older can be refused.
        epoch: u64,
    },
    /// It is not, or may be another's, and is asked for again.
    Lost(Failure),
}

impl Standing {
    /// That of a name that was not asked for yet.
    pub(crate) fn new() -> Self {
        Self::Lost(unavailable("the name is not registered yet"))
    }

    const fn epoch(&self) -> Option<u64> {
        match self {
            Self::Held { epoch, .. } => Some(*epoch),
            Self::Lost(_) => None,
        }
    }
}

/// A name that is kept. Times are microseconds of the client's clock.
#[derive(Debug)]
pub(crate) struct Name {
    /// With the last epoch.
    registration: Registration,
    standing: Standing,
    /// The lease, within the bounds of a directory.
    lease: u64,
    /// Since when it counts; nothing for a name that was never held.
    renewed: Option<u64>,
    /// It is asked for, and not renewed.
    is_free: bool,
    pause: u64,
}

/// The next request for a name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Due<'a> {
    /// It is registered, with the last epoch.
    Register(&'a Registration),
    /// Its lease is renewed, in the time that is left of that.
    Renew(&'a str, Duration),
}

impl Name {
    /// A name that is asked for at once.
    pub(crate) fn new(registration: Registration) -> Self {
        Self {
            registration,
            standing: Standing::new(),
            lease: 0,
            renewed: None,
            is_free: true,
            pause: 0,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.registration.name
    }

    pub(crate) const fn standing(&self) -> &Standing {
        &self.standing
    }

    /// The lease, within the bounds of a directory.
    pub(crate) const fn lease(&self) -> Duration {
        Duration::from_micros(self.lease)
    }

    /// The pause before the client's next request, unless its connection is replaced earlier.
    pub(crate) const fn pause(&self) -> Duration {
        Duration::from_micros(self.pause)
    }

    /// The next request: on another connection the name is asked for anew.
    pub(crate) fn due(&self, is_new: bool, now: u64) -> Due<'_> {
        if self.is_free || is_new {
            return Due::Register(&self.registration);
        }
        let left = self.lease.saturating_sub(self.age(now));
        Due::Renew(&self.registration.name, Duration::from_micros(left))
    }

    fn age(&self, now: u64) -> u64 {
        self.renewed.map_or(0, |time| now.saturating_sub(time))
    }

    /// Notes that the name was given, or its lease renewed, which is counted since a time: since the
    /// heartbeat was sent, of which the directory may have counted it. Returns whether the standing
    /// is another.
    pub(crate) fn held(&mut self, answer: Lease, since: u64) -> bool {
        self.registration.epoch = answer.epoch;
        self.lease = answer.lease.clamp(LEASE_MIN_US, LEASE_MAX_US);
        self.renewed = Some(since);
        self.is_free = false;
        self.pause = self.lease / RENEWALS;
        let is_new = self.standing.epoch() != Some(answer.epoch);
        self.standing = Standing::Held {
            lease: Duration::from_micros(answer.lease),
            epoch: answer.epoch,
        };
        is_new
    }

    /// Notes a request that has failed, by which the name was asked for or not. Returns whether the
    /// standing is another.
    pub(crate) fn failed(&mut self, why: &Failure, registers: bool, now: u64) -> bool {
        let is_over = why.name == Kind::AgentUnknown.as_str() || self.age(now) >= self.lease;
        if !registers && !is_over {
            return false;
        }
        self.is_free = true;
        self.pause = if registers { micros(AGAIN) } else { 0 };
        let is_told = match &self.standing {
            Standing::Held { .. } => true,
            Standing::Lost(before) => before.name != why.name,
        };
        if is_told {
            self.standing = Standing::Lost(why.clone());
        }
        is_told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000;

    fn lease(epoch: u64) -> Lease {
        let mut lease = Lease::default();
        (lease.lease, lease.epoch) = (9 * S, epoch);
        lease
    }

    #[test]
    fn a_lease_is_renewed_three_times_in_its_time() {
        let mut name = Name::new(Registration::new("a"));
        assert!(matches!(name.due(false, 0), Due::Register(_)) && name.pause() == Duration::ZERO);
        assert!(name.held(lease(4), S) && name.pause() == Duration::from_secs(3));
        let left = Duration::from_secs(6);
        assert_eq!(name.due(false, 4 * S), Due::Renew("a", left));
        assert!(!name.held(lease(4), 4 * S));
        // On another connection it is asked for anew, with its epoch.
        let Due::Register(asked) = name.due(true, 4 * S) else {
            panic!("it is not asked for");
        };
        assert_eq!(asked.epoch, 4);
    }

    #[test]
    fn a_name_is_lost_when_its_lease_is_over_or_the_directory_does_not_know_it() {
        let late = unavailable("late");
        for (why, at, is_lost) in [
            (late.clone(), 8 * S, false),
            (late, 9 * S, true),
            (Failure::of(Kind::AgentUnknown), 0, true),
        ] {
            let mut name = Name::new(Registration::new("a"));
            name.held(lease(1), 0);
            assert_eq!(name.failed(&why, false, at), is_lost, "{why}");
            assert_eq!(matches!(name.due(false, at), Due::Register(_)), is_lost);
            // It is told once, and asked for again and again.
            assert!(!is_lost || (name.pause().is_zero() && !name.failed(&why, true, at)));
            assert!(!is_lost || name.pause() == AGAIN);
        }
    }

    #[test]
    fn a_name_that_was_never_given_is_told_each_reason_once() {
        let mut name = Name::new(Registration::new("a"));
        let taken = Failure::of(Kind::AgentTaken);
        let told = [(&taken, true), (&taken, false), (&unavailable("x"), true)];
        for (why, is_told) in told {
            assert_eq!(name.failed(why, true, 0), is_told);
        }
        assert!(name.held(lease(0), 0));
    }
}
