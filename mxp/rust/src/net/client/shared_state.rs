//! The part of a client that its clones share.

use core::future::Future;
use std::sync::Arc;
use std::time::Instant;
use std::vec::Vec;

use tokio::task::JoinHandle;
use tracing::{info_span, Instrument as _};

use super::agent_directory::AgentDirectory;
use super::member::Member;
use super::members::{Candidates, Members};
use super::state::{Common, Waiter};
use crate::net::connection::Connection;
use crate::net::peer::Remote;
use crate::net::transport::registry::{texts, Target};
use crate::net::{ClientOptions, Failure, Peer};
use crate::session::{Listing, Query};

pub(super) struct SharedState {
    pub(super) members: Members,
    /// Follows the agents.
    following: Option<JoinHandle<()>>,
    pub(super) common: Arc<Common>,
}

impl SharedState {
    /// Begins to keep connections to each of some addresses.
    pub(super) fn new(targets: &[Target], options: ClientOptions) -> Self {
        let mut peer = targets.first().map(Target::peer).unwrap_or_default();
        peer.address = texts(targets).join(", ");
        let connections = options.connections.max(1);
        let common = common_of(peer, targets, options);
        let each = targets
            .iter()
            .flat_map(|target| core::iter::repeat(target).take(connections));
        let members = each.map(|target| Member::new([target.clone()].into(), &common));
        Self {
            members: Members::Fixed(members.collect()),
            following: None,
            common,
        }
    }

    /// Begins to keep connections to the agents that a node knows of, which is asked by a query.
    pub(super) fn followed<F>(
        address: &str,
        query: Query,
        ask: impl Fn(Query) -> F + Send + 'static,
        options: ClientOptions,
    ) -> Self
    where
        F: Future<Output = Result<Listing, Failure>> + Send + 'static,
    {
        let peer = Peer {
            address: address.into(),
            ..Peer::default()
        };
        let common = common_of(peer, &[], options);
        let following = AgentDirectory::new();
        let span = info_span!("mxp_client", address);
        let follow = following.clone().follow(Arc::clone(&common), query, ask);
        Self {
            following: Some(tokio::spawn(follow.instrument(span))),
            members: Members::Followed(following),
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
        options.memory_bytes = Some(usize::MAX);
        let mut common = Common::new(remote.peer.clone(), options, true);
        common.remote = Arc::clone(remote);
        let common = Arc::new(common);
        let member = Member::lent(connection, &common);
        Self {
            members: Members::Fixed([member].into()),
            following: None,
            common,
        }
    }

    /// Connects no more.
    pub(super) fn stop(&self) {
        self.common.leaves.send_replace(true);
        if let Some(following) = &self.following {
            following.abort();
        }
        match &self.members {
            Members::Fixed(members) => members.iter().for_each(Member::stop),
            Members::Followed(following) => following.stop(),
        }
    }

    /// The connections that there are.
    pub(super) fn connections(&self) -> Vec<Arc<Connection>> {
        self.members.all().connections()
    }
}

/// The state that all connections of a client have in common.
fn common_of(peer: Peer, targets: &[Target], options: ClientOptions) -> Arc<Common> {
    let mut options = options;
    options.telemetry = options.telemetry.at(targets);
    let handlers = options
        .telemetry
        .around(options.services.clone())
        .served(None, &options.telemetry);
    let mut common = Common::new(peer, options, false);
    common.handlers = handlers;
    Arc::new(common)
}

impl Drop for SharedState {
    fn drop(&mut self) {
        if self.common.is_lent {
            return;
        }
        self.stop();
        match &self.members {
            Members::Fixed(members) => members.iter().for_each(|member| member.retire("")),
            Members::Followed(following) => following.retire(),
        }
    }
}

/// Waits for a connection that takes requests [MXP-14.4].
pub(super) async fn wait(
    common: &Common,
    members: Candidates<'_>,
    deadline: Option<Instant>,
) -> Result<Arc<Connection>, Failure> {
    let _place = Waiter::new(&common.waiting, common.options.waiting)?;
    let mut changed = common.changed.subscribe();
    let connected = async {
        loop {
            if let Some(connection) = members.choose(&[]) {
                return Ok(connection);
            }
            let is_final = common.is_lent || members.is_hopeless();
            if is_final || changed.changed().await.is_err() {
                return Err(members.trouble());
            }
        }
    };
    let late = Instant::now().checked_add(common.options.connect_timeout);
    let until = [late, deadline].into_iter().flatten().min();
    let connection = before(until, connected).await;
    let connection = connection.unwrap_or_else(|| Err(members.trouble()));
    if connection.is_err() {
        // A task that asks in a loop lets the connecting task go on.
        tokio::task::yield_now().await;
    }
    connection
}

/// The output of a future, if it comes before a time that may be never.
pub(super) async fn before<T>(
    deadline: Option<Instant>,
    future: impl Future<Output = T>,
) -> Option<T> {
    match deadline {
        Some(deadline) => tokio::time::timeout_at(deadline.into(), future).await.ok(),
        None => Some(future.await),
    }
}
