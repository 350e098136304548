//! Why there is no connection, and what the log is told of it.

use core::time::Duration;
use std::io;
use std::string::{String, ToString as _};
use std::vec::Vec;

use tracing::{debug, error, info, warn};

use crate::net::{draws, Address, Failure};
use crate::session::{Difference, Kind, MethodName, Session, Status};

/// The longest pause between two attempts to connect.
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// The longest pause behind the first attempt that failed.
const PAUSE_MIN: Duration = Duration::from_millis(5);

/// A connection that is refused so soon after it was ready counts as an attempt that failed [MXP-14.3].
pub(crate) const SHORT: Duration = Duration::from_millis(10);

/// How long is waited behind so many attempts that failed: any time up to what
/// doubles with each.
pub(crate) fn pause(failed: u32) -> Duration {
    let doubled = 2_u32.checked_pow(failed - 1);
    let most = doubled.map_or(PAUSE_MAX, |n| PAUSE_MIN.saturating_mul(n).min(PAUSE_MAX));
    draws::pause(most)
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

/// Why a transport gave no connection.
pub(crate) fn failed(error: &io::Error) -> Failure {
    use io::ErrorKind::{InvalidData, InvalidInput, PermissionDenied, Unsupported};
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    match (inner, error.kind()) {
        (Some(failure), _) => Failure::clone(failure),
        (None, InvalidData | InvalidInput | PermissionDenied | Unsupported) => {
            unusable(error.to_string())
        }
        _ => unavailable(error.to_string()),
    }
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
        text = std::format!("{}{colon}{text}", failure.name);
    }
    unavailable(text + " before its Hello")
}

/// Methods and types of a connection that differ from the peer's, or may differ unseen.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    refused: Vec<Difference>,
    uncompared: Vec<String>,
}

impl Differences {
    pub(crate) fn new(session: &Session) -> Self {
        Self {
            refused: session.differences().to_vec(),
            uncompared: session.uncompared().to_vec(),
        }
    }

    /// Writes a line to the log for the methods that are refused [MXP-6.8], and one for the types
    /// that were not compared [MXP-6.5].
    pub(crate) fn log(&self) {
        if let Some(first) = self.refused.first() {
            let MethodName { service, name, .. } = &first.method;
            let (count, difference) = (self.refused.len(), &first.text);
            warn!(count, first = %format_args!("{service}/{name}"), difference, "methods refused");
        }
        if let Some(first) = self.uncompared.first() {
            let count = self.uncompared.len();
            warn!(count, first, "types compared by fingerprints alone");
        }
    }
}

/// The state of a client that is not connected, as the log knows it [MXP-14.5].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outage {
    Untold,
    Lost,
    Final,
}

impl Outage {
    pub(crate) fn connected(&mut self, peer: &Address) {
        // That it was lost will be told by then.
        *self = Self::Lost;
        info!(%peer, "connected");
    }

    /// The connection has ended, for no reason if there was nothing left to do.
    pub(crate) fn ended(peer: &Address, why: Option<&Failure>) {
        if let Some(why) = why.filter(|why| why.status.0 != 0) {
            warn!(%peer, reason = %why, "connection ended");
        } else {
            info!(%peer, "connection ended");
        }
    }

    /// An attempt has failed.
    pub(crate) fn failed(&mut self, peer: &Address, why: &Failure) {
        let now = if may_heal(why) {
            Self::Lost
        } else {
            Self::Final
        };
        match (now > *self, now) {
            (false, _) => debug!(%peer, reason = %why, "not connected"),
            (true, Self::Final) => error!(%peer, reason = %why, "not connected"),
            (true, _) => warn!(%peer, reason = %why, "not connected"),
        }
        *self = now.max(*self);
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
