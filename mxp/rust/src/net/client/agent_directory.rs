//! The connections of a client to agents of the mesh, as its node tells of them [MESH-3.2].

use core::future::Future;
use core::time::Duration;
use std::collections::BTreeMap;
use std::string::String;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::vec::Vec;

use super::keep::Keeper;
use super::member::{choose, hopeless, trouble, Member};
use super::state::Common;
use crate::engine::roster::Roster;
use crate::net::connection::Connection;
use crate::net::draws::draw;
use crate::net::transport::registry::{texts, Target};
use crate::net::Failure;
use crate::session::{Agent, Listing, Query};

/// The reason that is told to agents of which nothing more is asked.
const GONE: &str = "the agent is gone";

/// The agents that a client follows. Clones share what is known of them.
#[derive(Clone)]
pub(super) struct AgentDirectory(Arc<RwLock<DirectoryState>>);

struct DirectoryState {
    roster: Roster,
    /// The connections to each agent that is followed.
    agents: BTreeMap<String, Vec<Member>>,
    /// The connections that their members keep, by numbers.
    kept: Vec<Arc<Keeper>>,
    /// Connections to agents that are gone, which may have something in flight.
    leaving: Vec<Weak<Connection>>,
    /// The client connects no more.
    is_over: bool,
}

impl DirectoryState {
    fn members(&self) -> impl Iterator<Item = &Member> {
        self.agents.values().flatten()
    }

    fn retire(&mut self, members: &[Member]) {
        self.leaving.retain(|name| name.strong_count() > 0);
        for member in members {
            let connections = member.kept.connections();
            self.leaving.extend(connections.iter().map(Arc::downgrade));
            member.retire(GONE);
        }
    }
}

impl AgentDirectory {
    pub(super) fn new() -> Self {
        Self(Arc::new(RwLock::new(DirectoryState {
            roster: Roster::new(),
            agents: BTreeMap::new(),
            kept: Vec::new(),
            leaving: Vec::new(),
            is_over: false,
        })))
    }

    fn read(&self) -> RwLockReadGuard<'_, DirectoryState> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, DirectoryState> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn choose(&self, but: &[Arc<Connection>]) -> Option<Arc<Connection>> {
        let known = self.read();
        let kept = |n: usize| known.kept.get(n).map(|keeper| &**keeper);
        choose(known.kept.len(), kept, but)
    }

    pub(super) fn is_hopeless(&self) -> bool {
        let known = self.read();
        match known.roster.trouble() {
            Some(_) => known.roster.is_hopeless(),
            None => hopeless(known.members()),
        }
    }

    pub(super) fn trouble(&self) -> Failure {
        let known = self.read();
        match known.roster.trouble() {
            Some(why) => why.clone(),
            None => trouble(known.members()),
        }
    }

    pub(super) fn current(&self) -> Vec<Arc<Connection>> {
        self.read().members().filter_map(Member::current).collect()
    }

    pub(super) fn connections(&self) -> Vec<Arc<Connection>> {
        let known = self.read();
        let mut all: Vec<_> = known.leaving.iter().filter_map(Weak::upgrade).collect();
        all.extend(known.members().flat_map(|member| member.kept.connections()));
        all
    }

    /// Connects no more.
    pub(super) fn stop(&self) {
        let mut known = self.write();
        known.is_over = true;
        known.members().for_each(Member::stop);
    }

    /// Connects no more, and lets what is in flight end.
    pub(super) fn retire(&self) {
        self.read().members().for_each(|member| member.retire(""));
    }

    /// Asks the node again and again, for ever.
    pub(super) async fn follow<F>(
        self,
        common: Arc<Common>,
        query: Query,
        ask: impl Fn(Query) -> F + Send,
    ) where
        F: Future<Output = Result<Listing, Failure>> + Send,
    {
        let mut query = query;
        loop {
            let pause = match ask(query.clone()).await {
                Ok(listing) => self.take(&common, &listing),
                Err(failure) => self.write().roster.fail(failure),
            };
            query.version = self.read().roster.version();
            common.changed.send_replace(());
            tokio::time::sleep(pause).await;
        }
    }

    /// Makes the agents of the node's answer the members. Returns when it is asked again.
    fn take(&self, common: &Arc<Common>, listing: &Listing) -> Duration {
        let mut targets = BTreeMap::new();
        for agent in &listing.agents {
            let known = targets_of(agent, common);
            if !known.is_empty() {
                targets.insert(agent.name.clone(), known);
            }
        }
        let there = targets.iter();
        let there = there.map(|(name, targets)| (name.clone(), texts(targets)));
        let mut known = self.write();
        let changes = known.roster.list(&there.collect(), listing.version, draw);
        if known.is_over {
            return changes.pause;
        }
        for name in &changes.gone {
            if let Some(members) = known.agents.remove(name) {
                known.retire(&members);
            }
        }
        for name in changes.new {
            let Some(targets) = targets.remove(&name) else {
                continue;
            };
            let connections = 0..common.options.connections.max(1);
            let members = connections.map(|_| Member::new(targets.clone(), common));
            known.agents.insert(name, members.collect());
        }
        let kept = known.members().map(|member| Arc::clone(&member.kept));
        known.kept = kept.collect();
        changes.pause
    }
}

/// The addresses of an agent that a client has a transport for.
fn targets_of(agent: &Agent, common: &Common) -> Vec<Target> {
    let transports = &common.options.transports;
    let read = agent
        .addresses
        .iter()
        .map(|address| transports.read(address));
    read.filter_map(Result::ok).collect()
}
