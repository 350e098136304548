//! The connections that the clones of a client share: one is chosen for a request.

use core::future::Future;
use std::string::ToString as _;
use std::sync::atomic::AtomicUsize;
use std::sync::Arc;
use std::time::Instant;
use std::vec::Vec;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tracing::{info_span, Instrument as _};

use super::keep::{keep, Kept};
use super::state::{Common, Waiting};
use crate::net::balance::{least_busy, no_connection};
use crate::net::budget::Budget;
use crate::net::connection::Connection;
use crate::net::metrics::Metrics;
use crate::net::outage::may_heal;
use crate::net::peer::Remote;
use crate::net::retry::Retries;
use crate::net::transport::registry::Target;
use crate::net::{ClientOptions, Failure};
use crate::session::Side;

/// A connection, and the task that keeps it.
pub(super) struct Member {
    pub(super) kept: Arc<Kept>,
    /// None for a connection that is lent.
    keeping: Option<JoinHandle<()>>,
}

pub(super) struct Shared {
    pub(super) members: Vec<Member>,
    pub(super) common: Arc<Common>,
}

impl Shared {
    /// Begins to keep connections to each of some addresses.
    pub(super) fn new(targets: &[Target], options: ClientOptions) -> Self {
        let mut options = options;
        options.telemetry = options.telemetry.at(targets);
        let texts: Vec<_> = targets.iter().map(|one| one.address.to_string()).collect();
        let mut peer = targets.first().map(Target::peer).unwrap_or_default();
        peer.address = texts.join(", ");
        let connections = options.connections.max(1);
        let common = Arc::new(Common {
            address: peer.address.clone(),
            remote: Arc::new(Remote::new(peer)),
            handlers: options
                .telemetry
                .around(options.services.clone())
                .served(None, &options.telemetry),
            interceptors: options.interceptors[..].into(),
            types: options.services.types(&options.types),
            budget: Budget::new(options.memory_bytes),
            retries: Retries::new(options.retry),
            metrics: Metrics::new(Side::Client),
            options,
            changed: watch::channel(()).0,
            waiting: AtomicUsize::new(0),
            is_lent: false,
        });
        let each = targets
            .iter()
            .flat_map(|one| core::iter::repeat(one).take(connections));
        let members = each.map(|target| {
            let kept = Arc::new(Kept::new(&target.address, &common));
            let span = info_span!("mxp_client", address = kept.address);
            let keeping = keep(Arc::clone(&kept), target.clone()).instrument(span);
            let keeping = Some(tokio::spawn(keeping));
            Member { kept, keeping }
        });
        Self {
            members: members.collect(),
            common,
        }
    }

    /// The shared part of a client of the peer, by a connection that was not made for it.
    pub(super) fn lent(connection: Option<Arc<Connection>>, remote: &Arc<Remote>) -> Self {
        let mut options = ClientOptions::new();
        if let Some(connection) = &connection {
            options.window = connection.lock().window();
            options.telemetry = connection.methods.telemetry.clone();
        }
        let common = Arc::new(Common {
            address: remote.peer.address.clone(),
            remote: Arc::clone(remote),
            handlers: Arc::default(),
            interceptors: Arc::default(),
            types: Vec::new(),
            budget: Budget::new(Some(usize::MAX)),
            retries: Retries::new(None),
            metrics: Metrics::new(Side::Client),
            options,
            changed: watch::channel(()).0,
            waiting: AtomicUsize::new(0),
            is_lent: true,
        });
        let kept = Arc::new(Kept::lent(connection, &common));
        let keeping = None;
        Self {
            members: [Member { kept, keeping }].into(),
            common,
        }
    }

    /// Connects no more.
    pub(super) fn stop(&self) {
        for member in &self.members {
            if let Some(keeping) = &member.keeping {
                keeping.abort();
            }
        }
    }

    /// The connections that there are.
    pub(super) fn connections(&self) -> Vec<Arc<Connection>> {
        let kept = self.members.iter();
        kept.flat_map(|member| member.kept.connections()).collect()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.common.is_lent {
            return;
        }
        self.stop();
        for member in &self.members {
            if let Some(connection) = member.kept.current.borrow().as_ref() {
                connection.drain("");
            }
        }
    }
}

/// A connection that takes requests [MXP-14.9].
pub(super) fn choose(members: &[Member]) -> Option<Arc<Connection>> {
    if let [member] = members {
        return member.kept.usable().map(|(connection, _)| connection);
    }
    least_busy(members.iter().filter_map(|member| member.kept.usable()))
}

/// Waits for a connection that takes requests [MXP-14.4].
pub(super) async fn wait(
    common: &Common,
    members: &[Member],
    deadline: Option<Instant>,
) -> Result<Arc<Connection>, Failure> {
    let _place = Waiting::new(&common.waiting, common.options.waiting)?;
    let mut changed = common.changed.subscribe();
    let connected = async {
        loop {
            if let Some(connection) = choose(members) {
                return Ok(connection);
            }
            let is_final = common.is_lent
                || members
                    .iter()
                    .all(|member| !may_heal(&member.kept.trouble()));
            if is_final || changed.changed().await.is_err() {
                return Err(trouble(members));
            }
        }
    };
    let late = Instant::now().checked_add(common.options.connect_timeout);
    let until = [late, deadline].into_iter().flatten().min();
    let connection = before(until, connected).await;
    let connection = connection.unwrap_or_else(|| Err(trouble(members)));
    if connection.is_err() {
        // A task that asks in a loop lets the one that connects go on.
        tokio::task::yield_now().await;
    }
    connection
}

/// Why there is no connection: of several addresses, the cause of each.
#[cold]
fn trouble(members: &[Member]) -> Failure {
    let kept = members.iter().map(|member| &member.kept);
    no_connection(kept.map(|kept| (&kept.address[..], kept.trouble().clone())))
}

/// The output of a future, if it comes before a time that may be never.
pub(super) async fn before<T>(until: Option<Instant>, what: impl Future<Output = T>) -> Option<T> {
    match until {
        Some(until) => tokio::time::timeout_at(until.into(), what).await.ok(),
        None => Some(what.await),
    }
}
