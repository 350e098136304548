//! The causes why there is no connection.

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use crate::engine::draw::{self, Draw};
use crate::engine::Failure;
use crate::session::{Difference, Kind, Session, Status};

/// The longest pause between two attempts to connect.
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// The longest pause behind the first attempt that failed.
const PAUSE_MIN: Duration = Duration::from_millis(5);

/// The pause after a number of failed attempts: a random part of a time that doubles with each.
pub(crate) fn pause(failed: u32, draw: Draw) -> Duration {
    let doubled = 2_u32.checked_pow(failed - 1);
    let most = doubled.map_or(PAUSE_MAX, |n| PAUSE_MIN.saturating_mul(n).min(PAUSE_MAX));
    draw::pause(most, draw)
}

/// Why there is no connection [MXP-14.2].
fn not_connected(status: Status, text: impl Into<String>) -> Failure {
    let mut failure = Failure::saying(Kind::NotConnected, text);
    failure.status = status;
    failure
}

/// A failure that a later attempt may mend.
pub(crate) fn unavailable(text: impl Into<String>) -> Failure {
    not_connected(Status::UNAVAILABLE, text)
}

/// A failure that no later attempt can mend.
pub(crate) fn unusable(text: impl Into<String>) -> Failure {
    not_connected(Status::FAILED_PRECONDITION, text)
}

/// Whether a side has ended the session by a refusal: it is neither lost nor drained.
pub(crate) fn is_refusal(end: &Failure) -> bool {
    end.status != Status::OK && end.name != Kind::Lost.as_str()
}

/// Whether a later attempt may succeed where one has failed [MXP-14.3].
pub(crate) fn may_heal(failure: &Failure) -> bool {
    failure.status == Status::UNAVAILABLE
}

/// Why a peer is none whose first bytes are no frame [MXP-14.2].
const OTHER_PROTOCOL: &str =
    "the peer speaks another protocol than MXP, or has TLS where the address has none";

/// Why a session has ended before requests could be made.
pub(crate) fn before_hello(mut failure: Failure) -> Failure {
    if failure.status == Status::OK {
        return unavailable("the peer takes no more requests");
    }
    if failure.name == crate::frame::Kind::Magic.as_str() {
        failure.status = Status::FAILED_PRECONDITION;
        failure.text = OTHER_PROTOCOL.into();
    }
    if !may_heal(&failure) {
        failure.acted = false;
        return failure;
    }
    let mut text = failure.text;
    if failure.name != Kind::Lost.as_str() {
        let colon = if text.is_empty() { "" } else { ": " };
        text = alloc::format!("{}{colon}{text}", failure.name);
    }
    unavailable(text + " before its Hello")
}

/// Methods and types of a connection that differ from the peer's, or may differ unseen.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    pub(crate) refused: Vec<Difference>,
    pub(crate) uncompared: Vec<String>,
}

impl Differences {
    pub(crate) fn new(session: &Session) -> Self {
        Self {
            refused: session.differences().to_vec(),
            uncompared: session.uncompared().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_drains_as_soon_as_it_says_hello_may_heal() {
        let mut drained = Failure::of(Kind::Draining);
        drained.status = Status::OK;
        assert!(may_heal(&before_hello(drained)));
    }
}
