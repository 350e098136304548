//! Endpoints: the attempts of a client to have a connection, and why it has none [MXP-14.2].

use alloc::format;
use alloc::string::String;
use core::time::Duration;

use crate::engine::draw::Draw;
use crate::engine::outage::{is_refusal, may_heal, pause, unavailable};
use crate::engine::request::micros;
use crate::engine::Failure;

/// A connection that is refused so soon after it was ready counts as an attempt that failed [MXP-14.3].
const SHORT: Duration = Duration::from_millis(10);

/// A connection that a client keeps: to the first of some addresses, or, where an attempt has
/// failed, to the next. Times are microseconds of the client's clock.
#[derive(Debug)]
pub(crate) struct Endpoint {
    addresses: usize,
    address: usize,
    /// How many attempts have failed, one behind the other.
    failed: u32,
    outage: Outage,
    trouble: Failure,
    /// Since when requests can be made.
    ready: u64,
    /// When the next attempt is made.
    next: u64,
}

/// The state of an endpoint without a connection, as the log knows it [MXP-14.5].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outage {
    Untold,
    Lost,
    Final,
}

/// The importance of an attempt that has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notice {
    /// The log knows already that there is no connection.
    Known,
    /// There is no connection for now.
    Lost,
    /// There will be none.
    Final,
}

impl Endpoint {
    /// An endpoint of some addresses, at least one, whose first attempt is made at once.
    pub(crate) fn new(addresses: usize, now: u64) -> Self {
        Self {
            addresses,
            address: 0,
            failed: 0,
            outage: Outage::Untold,
            trouble: unavailable("nothing has answered yet"),
            ready: now,
            next: now,
        }
    }

    /// An endpoint that others connect, and whose connection has this failure when it has ended.
    pub(crate) fn lent(trouble: Failure) -> Self {
        Self {
            trouble,
            ..Self::new(1, 0)
        }
    }

    /// The address of the next attempt, by its place among all.
    pub(crate) const fn address(&self) -> usize {
        self.address
    }

    /// When the next attempt is made.
    pub(crate) const fn next(&self) -> u64 {
        self.next
    }

    /// Why there is no connection.
    pub(crate) const fn trouble(&self) -> &Failure {
        &self.trouble
    }

    /// Whether a later attempt may succeed.
    pub(crate) fn may_heal(&self) -> bool {
        may_heal(&self.trouble)
    }

    /// Notes that the peer is there, and its Hello is awaited.
    pub(crate) fn opened(&mut self) {
        if self.failed == 0 {
            self.trouble = silent();
        }
    }

    /// Notes that requests can be made.
    pub(crate) fn ready(&mut self, now: u64) {
        // That it was lost will be told by then.
        self.outage = Outage::Lost;
        self.trouble = unavailable("the connection has ended");
        self.ready = now;
    }

    /// Notes an attempt that has failed.
    pub(crate) fn failed(&mut self, why: Failure, now: u64, draw: Draw) -> Notice {
        self.address = (self.address + 1) % self.addresses;
        self.refused(why, now, draw)
    }

    /// Notes that the peer of a connection has said nothing but that this side is not let in.
    pub(crate) fn refused(&mut self, why: Failure, now: u64, draw: Draw) -> Notice {
        let outage = if may_heal(&why) {
            Outage::Lost
        } else {
            Outage::Final
        };
        let notice = match (outage > self.outage, outage) {
            (false, _) => Notice::Known,
            (true, Outage::Final) => Notice::Final,
            (true, _) => Notice::Lost,
        };
        self.outage = outage.max(self.outage);
        self.trouble = why;
        self.pause(now, draw);
        notice
    }

    /// Notes that a connection takes no more requests, and why where it has ended. The next attempt
    /// is made at once, but behind one that was refused, or drained, soon.
    pub(crate) fn ended(&mut self, why: Option<&Failure>, now: u64, draw: Draw) {
        let said = why.map_or_else(String::new, |why| format!(": {why}"));
        self.trouble = unavailable(format!("the connection has ended{said}"));
        let is_short = now.saturating_sub(self.ready) < micros(SHORT);
        if is_short && why.map_or(true, is_refusal) {
            self.pause(now, draw);
        } else {
            self.failed = 0;
            self.next = now;
        }
    }

    fn pause(&mut self, now: u64, draw: Draw) {
        self.failed = self.failed.saturating_add(1);
        self.next = now.saturating_add(micros(pause(self.failed, draw)));
    }
}

/// The failure of a peer whose Hello has not come.
pub(crate) fn silent() -> Failure {
    unavailable("the peer has not sent its Hello")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::outage::unusable;
    use crate::session::Kind;

    const MOST: Draw = || 0.999_999;

    #[test]
    fn attempts_go_through_the_addresses_and_pauses_double() {
        let mut endpoint = Endpoint::new(2, 0);
        let mut pauses = alloc::vec::Vec::new();
        for n in 0..10 {
            assert_eq!(endpoint.address(), n % 2);
            endpoint.failed(unavailable("no"), 1_000, MOST);
            pauses.push((endpoint.next() - 1_000) / 1_000);
        }
        assert_eq!(pauses, [4, 9, 19, 39, 79, 159, 319, 639, 999, 999]);
    }

    #[test]
    fn a_connection_that_is_refused_soon_is_an_attempt_that_failed() {
        let mut endpoint = Endpoint::new(1, 0);
        let (refusal, lost) = (unavailable("full"), Failure::of(Kind::Lost));
        for (lived, why, pauses) in [
            (9_999, Some(&refusal), true),
            (10_000, Some(&refusal), false),
            (9_999, None, true),
            (0, Some(&lost), false),
        ] {
            endpoint.ready(5);
            endpoint.ended(why, 5 + lived, MOST);
            assert_eq!(endpoint.next() > 5 + lived, pauses, "{lived}");
        }
    }

    #[test]
    fn the_log_is_told_once_of_each_state() {
        let mut endpoint = Endpoint::new(1, 0);
        let mut fail = |why| endpoint.failed(why, 0, MOST);
        assert_eq!(fail(unavailable("")), Notice::Lost);
        assert_eq!(fail(unavailable("")), Notice::Known);
        assert_eq!(fail(unusable("")), Notice::Final);
        assert_eq!(fail(unavailable("")), Notice::Known);
        endpoint.ready(0);
        assert_eq!(endpoint.failed(unavailable(""), 0, MOST), Notice::Known);
        assert_eq!(endpoint.failed(unusable(""), 0, MOST), Notice::Final);
    }
}
