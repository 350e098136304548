//! Requests that are made again by a policy [MXP-14.8].

use core::time::Duration;

use crate::engine::draw::{self, Draw};
use crate::engine::Failure;
use crate::session::{Kind, Status};

/// How calls, and events that are acknowledged, are made again that have ended with
/// [`UNAVAILABLE`](Status::UNAVAILABLE), if nobody has acted on them or their method is
/// `@idempotent`. A request that nobody has acted on, because its connection took no more, is made
/// again in any case, without a policy and its pauses.
///
/// ```
/// use std::time::Duration;
/// use mxp::net::{ClientOptions, RetryPolicy};
///
/// let policy = RetryPolicy::new().attempts(5).greatest_pause(Duration::from_millis(200));
/// let options = ClientOptions::new().retry(policy);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use = "a policy does nothing until a client or a request has it"]
pub struct RetryPolicy {
    attempts: u32,
    least_pause: Duration,
    greatest_pause: Duration,
    /// In millionths.
    budget: u32,
    pub(crate) timeout: Option<Duration>,
    pub(crate) hedge: Option<Duration>,
}

/// By which policy a request is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum RetryChoice {
    /// That of its client.
    #[default]
    Clients,
    Never,
    By(RetryPolicy),
}

impl RetryChoice {
    /// The policy that is chosen, where a client has one or none.
    pub(crate) const fn policy(self, clients: Option<RetryPolicy>) -> Option<RetryPolicy> {
        match self {
            Self::Clients => clients,
            Self::Never => None,
            Self::By(policy) => Some(policy),
        }
    }
}

/// The price of one repetition, out of a bucket, in millionths.
const WHOLE: u32 = 1_000_000;

/// The content of a bucket at first, and at most.
const FULL: u32 = 10 * WHOLE;

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 3,
            least_pause: Duration::from_millis(10),
            greatest_pause: Duration::from_secs(1),
            budget: WHOLE / 10,
            timeout: None,
            hedge: None,
        }
    }
}

impl RetryPolicy {
    /// Three attempts, pauses from 10 ms to 1 s, and one repetition for each ten requests.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces how often a request is made at most, the first time among them.
    pub const fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// Replaces the pause before the first repetition. Each later one is twice as long;
    /// the client waits between half and all of it, at random.
    pub const fn least_pause(mut self, pause: Duration) -> Self {
        self.least_pause = pause;
        self
    }

    /// Replaces the longest pause.
    pub const fn greatest_pause(mut self, pause: Duration) -> Self {
        self.greatest_pause = pause;
        self
    }

    /// Replaces how many repetitions each request allows, of which the client saves up to ten, and
    /// has these at first. A part below 0 counts as 0, and a part above 10 as 10.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it was made to fit"
    )]
    pub fn budget(mut self, part: f64) -> Self {
        self.budget = (part.clamp(0.0, 10.0) * f64::from(WHOLE)) as u32;
        self
    }

    /// Gives requests that have no deadline one, repetitions included [MXP-14.11].
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Makes a call of an `@idempotent` method that has not ended after so long, at least 1 ms, on
    /// another connection, too, and so again after each further such time. Each counts as an attempt, and
    /// is paid for from the budget. The first answer is that of the call, and the others are taken
    /// back [MXP-14.11]. Clients for threads don't.
    pub const fn hedge(mut self, delay: Duration) -> Self {
        self.hedge = Some(delay);
        self
    }

    /// A pause before the nth repetition.
    fn pause(&self, n: u32, draw: Draw) -> Duration {
        let doubled = 2_u32.saturating_pow(n - 1);
        let most = self.least_pause.saturating_mul(doubled);
        let most = most.min(self.greatest_pause);
        most / 2 + draw::pause(most / 2, draw)
    }
}

/// The repetitions that a client may make: its policy, and the bucket that pays for them.
#[derive(Debug)]
pub(crate) struct Retries {
    policy: Option<RetryPolicy>,
    /// The content of the bucket, in millionths.
    left: u32,
    made: u64,
    over_budget: u64,
}

impl Retries {
    pub(crate) const fn new(policy: Option<RetryPolicy>) -> Self {
        Self {
            policy,
            left: FULL,
            made: 0,
            over_budget: 0,
        }
    }

    /// The policy of a request that is made, if it has one.
    pub(crate) fn begin(&mut self, choice: RetryChoice, is_idempotent: bool) -> Option<Retry> {
        let policy = choice.policy(self.policy)?;
        self.left = self.left.saturating_add(policy.budget).min(FULL);
        Some(Retry {
            policy,
            made: 1,
            is_idempotent,
        })
    }

    /// Pays for a repetition, if there is enough for it.
    fn spend(&mut self) -> bool {
        let Some(left) = self.left.checked_sub(WHOLE) else {
            self.over_budget += 1;
            return false;
        };
        self.left = left;
        self.made += 1;
        true
    }

    /// How many there were, and how many there would have been with a larger budget.
    pub(crate) const fn counts(&self) -> (u64, u64) {
        (self.made, self.over_budget)
    }
}

/// A request that may be made again.
#[derive(Debug)]
pub(crate) struct Retry {
    policy: RetryPolicy,
    /// The number of attempts.
    made: u32,
    is_idempotent: bool,
}

impl Retry {
    /// The pause before a failed request is made again, if it may be: it has to end within the time
    /// left before the deadline.
    pub(crate) fn pause(
        &mut self,
        retries: &mut Retries,
        failure: &Failure,
        rest: Option<Duration>,
        draw: Draw,
    ) -> Option<Duration> {
        if !self.is_repeatable(failure) || self.made >= self.policy.attempts {
            return None;
        }
        // It has waited for a connection as long as it may [MXP-14.4].
        if failure.name == Kind::NotConnected.as_str() {
            return None;
        }
        let pause = self.policy.pause(self.made, draw);
        if rest.is_some_and(|rest| rest <= pause) || !retries.spend() {
            return None;
        }
        self.made += 1;
        Some(pause)
    }

    /// Whether a request that has failed so may be made again.
    pub(crate) fn is_repeatable(&self, failure: &Failure) -> bool {
        let is_safe = !failure.acted || self.is_idempotent;
        failure.status == Status::UNAVAILABLE && is_safe
    }

    /// After how long a call is made on another connection, too, if it is at all.
    pub(crate) fn hedge(&self) -> Option<Duration> {
        let may = self.is_idempotent && self.made < self.policy.attempts;
        self.policy.hedge.filter(|_| may)
    }

    /// Pays for one more attempt beside the current ones, if the policy allows one.
    pub(crate) fn hedged(&mut self, retries: &mut Retries) -> bool {
        let may = self.made < self.policy.attempts && retries.spend();
        self.made += u32::from(may);
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_to_the_greatest_and_are_random_parts_of_it() {
        let policy = RetryPolicy::new()
            .least_pause(Duration::from_millis(10))
            .greatest_pause(Duration::from_millis(35));
        for (n, most) in [(1, 10), (2, 20), (3, 35), (4, 35), (100, 35)] {
            let most = Duration::from_millis(most);
            for _ in 0..100 {
                let pause = policy.pause(n, fastrand::f64);
                assert!(pause >= most / 2 && pause <= most, "{n}: {pause:?}");
            }
        }
    }

    #[test]
    fn a_budget_is_saved_up_and_spent() {
        let policy = RetryPolicy::new().budget(0.25).attempts(u32::MAX);
        let mut retries = Retries::new(Some(policy));
        let failure = Failure::new(Status::UNAVAILABLE, "", "").refused();
        let again = |retries: &mut Retries, retry: &mut Retry| {
            let pause = |_: &i32| {
                retry
                    .pause(retries, &failure, None, fastrand::f64)
                    .is_some()
            };
            (0..20).filter(pause).count()
        };
        let mut retry = retries.begin(RetryChoice::Clients, true).unwrap();
        // It was full, to which nothing is added.
        assert_eq!(again(&mut retries, &mut retry), 10);
        for _ in 0..7 {
            retries.begin(RetryChoice::Clients, true);
        }
        assert_eq!(again(&mut retries, &mut retry), 1);
        assert_eq!(retries.counts(), (11, 29));
        assert!(retries.begin(RetryChoice::Never, true).is_none());
        let much = RetryPolicy::new().budget(f64::INFINITY);
        assert_eq!(much.budget, FULL);
    }
}
