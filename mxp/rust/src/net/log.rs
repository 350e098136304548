//! The lines of the log that speak of connections.

use tracing::{debug, error, info, warn};

use crate::engine::endpoint::Notice;
use crate::engine::outage::Differences;
use crate::net::{Address, Failure};
use crate::session::MethodName;

/// Logs a connection on which requests can be made.
pub(crate) fn connected(peer: &Address) {
    info!(%peer, "connected");
}

/// Logs an attempt to connect that has failed.
pub(crate) fn not_connected(peer: &Address, why: &Failure, notice: Notice) {
    match notice {
        Notice::Known => debug!(%peer, reason = %why, "not connected"),
        Notice::Lost => warn!(%peer, reason = %why, "not connected"),
        Notice::Final => error!(%peer, reason = %why, "not connected"),
    }
}

/// Logs the end of a connection, for no reason if there was nothing left to do.
pub(crate) fn ended(peer: &Address, why: Option<&Failure>) {
    if let Some(why) = why.filter(|why| why.status.0 != 0) {
        warn!(%peer, reason = %why, "connection ended");
    } else {
        info!(%peer, "connection ended");
    }
}

/// Logs the methods that are refused [MXP-6.8], and the types that were not compared [MXP-6.5].
pub(crate) fn differing(differences: &Differences) {
    if let Some(first) = differences.refused.first() {
        let MethodName { service, name, .. } = &first.method;
        let (count, difference) = (differences.refused.len(), &first.text);
        warn!(count, first = %format_args!("{service}/{name}"), difference, "methods refused");
    }
    if let Some(first) = differences.uncompared.first() {
        let count = differences.uncompared.len();
        warn!(count, first, "types compared by fingerprints alone");
    }
}
