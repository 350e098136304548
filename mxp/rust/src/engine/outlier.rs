//! Connections that are left out for a while, since requests fail on them [MXP-14.10].

use crate::session::{Incoming, Role, Status, OUTLIER_FAILURES, OUTLIER_MAX_US, OUTLIER_MIN_US};

/// The record of a connection's requests, by which it is left out where they fail one after the
/// other. Times are microseconds of the connection's clock.
#[derive(Debug)]
pub(crate) struct Outlier {
    role: Role,
    /// Requests that have failed since one has not.
    row: usize,
    until: Option<u64>,
    /// The number of times that it was left out.
    pub(crate) times: u64,
}

impl Outlier {
    pub(crate) const fn new(role: Role) -> Self {
        Self {
            role,
            row: 0,
            until: None,
            times: 0,
        }
    }

    /// Whether requests are to be made on other connections.
    pub(crate) fn is_left_out(&self, now: impl FnOnce() -> u64) -> bool {
        self.until.is_some_and(|end| now() < end)
    }

    /// Counts the end of a request of this side's, if the news is one.
    #[inline]
    pub(crate) fn note(&mut self, incoming: &Incoming<'_>, now: u64) {
        let ends_well = match incoming {
            Incoming::Response(_) => true,
            Incoming::Acked(acked) => acked.chunk == 0,
            Incoming::Chunk(chunk) => chunk.is_final && self.has_made(chunk.id),
            Incoming::Chunks(chunks) => chunks.is_final && self.has_made(chunks.id),
            Incoming::Finished(finished) => self.has_made(finished.id),
            Incoming::Ended(ended) => {
                self.failed(ended.failure.status, ended.failure.acted, now);
                false
            }
            _ => false,
        };
        if ends_well {
            self.row = 0;
        }
    }

    /// Whether a request is one of this side's.
    const fn has_made(&self, id: u64) -> bool {
        let is_odd = id % 2 == 1;
        is_odd == matches!(self.role, Role::Opener)
    }

    /// Notes a failure of a request, on which somebody may have acted or nobody has.
    #[cold]
    pub(crate) fn failed(&mut self, status: Status, acted: bool, now: u64) {
        match status {
            Status::CANCELLED => {}
            Status::DEADLINE_EXCEEDED if !acted => {}
            Status::UNKNOWN
            | Status::DEADLINE_EXCEEDED
            | Status::INTERNAL
            | Status::UNAVAILABLE
            | Status::DATA_LOSS => self.count(now),
            _ => self.row = 0,
        }
    }

    fn count(&mut self, now: u64) {
        // Requests that were made before it was left out are not counted.
        if self.until.is_some_and(|end| now < end) {
            return;
        }
        self.row += 1;
        if let Some(times) = self.row.checked_sub(OUTLIER_FAILURES) {
            self.until = now.checked_add(pause(times));
            self.times += 1;
        }
    }
}

/// The time for which a connection is left out, by the times that it was left out since a request
/// on it last ended well.
fn pause(times: usize) -> u64 {
    let longest = OUTLIER_MIN_US << times.min(16);
    longest.min(OUTLIER_MAX_US)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Finished;

    fn after(status: Status, acted: bool, failures: usize) -> Outlier {
        let mut outlier = Outlier::new(Role::Opener);
        (0..failures).for_each(|_| outlier.failed(status, acted, 0));
        outlier
    }

    #[test]
    fn failures_that_speak_of_the_peer_make_an_outlier() {
        for (status, acted, is_out) in [
            (Status::UNKNOWN, false, true),
            (Status::INTERNAL, true, true),
            (Status::UNAVAILABLE, false, true),
            (Status::DATA_LOSS, false, true),
            (Status::DEADLINE_EXCEEDED, true, true),
            (Status::DEADLINE_EXCEEDED, false, false),
            (Status::CANCELLED, true, false),
            (Status::NOT_FOUND, true, false),
            (Status::RESOURCE_EXHAUSTED, false, false),
        ] {
            assert!(!after(status, acted, 4).is_left_out(|| 0), "{status:?}");
            let five = after(status, acted, 5);
            assert_eq!(five.is_left_out(|| 0), is_out, "{status:?}");
        }
    }

    #[test]
    fn rows_end_well_and_grow_longer() {
        const S: u64 = 1_000_000;
        let mut outlier = after(Status::UNAVAILABLE, false, 4);
        let fail = |outlier: &mut Outlier, n: usize, now: u64| {
            (0..n).for_each(|_| outlier.failed(Status::UNAVAILABLE, false, now));
        };
        // A stream that the peer has opened says nothing.
        outlier.note(&Incoming::Finished(Finished { id: 2 }), 0);
        assert_eq!(outlier.row, 4);
        outlier.note(&Incoming::Finished(Finished { id: 1 }), 0);
        fail(&mut outlier, 4, 0);
        outlier.failed(Status::CANCELLED, true, 0);
        assert!(!outlier.is_left_out(|| 0));
        fail(&mut outlier, 1, 0);
        assert!(outlier.is_left_out(|| S - 1) && !outlier.is_left_out(|| S));
        fail(&mut outlier, 4, S - 1);
        assert_eq!((outlier.row, outlier.times), (5, 1));
        // The next one leaves it out for longer.
        fail(&mut outlier, 1, S);
        assert_eq!(outlier.until, Some(3 * S));
        // A request that ends well lets it begin anew.
        outlier.failed(Status::NOT_FOUND, true, 3 * S);
        fail(&mut outlier, 4, 3 * S);
        assert!(!outlier.is_left_out(|| 3 * S));
        let pauses = (0..7).map(|times| pause(times) / S);
        assert!(pauses.eq([1, 2, 4, 8, 16, 30, 30]));
        assert_eq!(pause(usize::MAX), 30 * S);
    }
}
