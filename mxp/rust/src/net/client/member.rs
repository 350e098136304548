//! A connection of a client, which a task keeps.

use std::sync::Arc;
use std::vec::Vec;

use tokio::task::JoinHandle;
use tracing::{info_span, Instrument as _};

use super::keep::{keep, Keeper};
use super::state::Common;
use crate::engine::balancer::{least_busy, no_connection};
use crate::net::connection::Connection;
use crate::net::draws::draw;
use crate::net::transport::registry::Target;
use crate::net::Failure;

/// A connection, and the task that keeps it.
pub(super) struct Member {
    pub(super) kept: Arc<Keeper>,
    /// None for a connection that is lent.
    keeping: Option<JoinHandle<()>>,
}

impl Member {
    /// Begins to keep a connection to the first of some addresses that can be connected to.
    pub(super) fn new(targets: Vec<Target>, common: &Arc<Common>) -> Self {
        let kept = Arc::new(Keeper::new(&targets, common));
        let span = info_span!("mxp_client", address = kept.address);
        let keeping = keep(Arc::clone(&kept), targets).instrument(span);
        let keeping = Some(tokio::spawn(keeping));
        Self { kept, keeping }
    }

    /// A connection that others keep.
    pub(super) fn lent(connection: Option<Arc<Connection>>, common: &Arc<Common>) -> Self {
        let kept = Arc::new(Keeper::lent(connection, common));
        let keeping = None;
        Self { kept, keeping }
    }

    /// The connection on which requests are made.
    pub(super) fn current(&self) -> Option<Arc<Connection>> {
        self.kept.current.borrow().clone()
    }

    /// Connects no more.
    pub(super) fn stop(&self) {
        if let Some(keeping) = &self.keeping {
            keeping.abort();
        }
    }

    /// Connects no more, and lets what is in flight end.
    pub(super) fn retire(&self, reason: &str) {
        self.stop();
        if let Some(connection) = self.kept.current.borrow().as_ref() {
            connection.drain(reason);
        }
    }
}

/// A connection of some members' that takes requests [MXP-14.9], but for some.
pub(super) fn choose<'a>(
    members: usize,
    lookup: impl Fn(usize) -> Option<&'a Keeper>,
    but: &[Arc<Connection>],
) -> Option<Arc<Connection>> {
    least_busy(members, draw, |n| {
        let ready = lookup(n)?.usable()?;
        let is_out = but
            .iter()
            .any(|connection| Arc::ptr_eq(connection, &ready.connection));
        Some(ready).filter(|_| !is_out)
    })
}

/// Whether none of some members can come to be connected.
pub(super) fn hopeless<'a>(members: impl Iterator<Item = &'a Member>) -> bool {
    let mut members = members;
    members.all(|member| !member.kept.endpoint().may_heal())
}

/// Why none of some members is connected.
pub(super) fn trouble<'a>(members: impl Iterator<Item = &'a Member>) -> Failure {
    let kept = members.map(|member| &member.kept);
    no_connection(kept.map(|keeper| (&keeper.address[..], keeper.endpoint().trouble().clone())))
}
