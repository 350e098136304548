//! The connections of a client to agents of the mesh, as its node tells of them [MESH-3.2].

use core::future::Future;
use core::time::Duration;
use std::collections::BTreeMap;
use std::string::String;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::vec::Vec;

use super::keep::Kept;
use super::member::{choose, hopeless, trouble, Member};
use super::state::Common;
use crate::engine::outage::{may_heal, unavailable};
use crate::net::connection::Connection;
use crate::net::transport::registry::{texts, Target};
use crate::net::Failure;
use crate::session::{Agent, Kind, Listing, Query, ASKING_PAUSE_US, FOLLOWED_AGENTS};

/// The pause where the node does not wait with its answer.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// The pause behind a question that the node has not answered.
const AFTER_FAILURE: Duration = Duration::from_millis(250);

/// The reason that is told to agents of which nothing more is asked.
const GONE: &str = "the agent is gone";

/// The agents that a client follows. Clones share what is known of them.
#[derive(Clone)]
pub(super) struct Following(Arc<RwLock<Known>>);

struct Known {
    agents: BTreeMap<String, Followed>,
    /// The connections that their members keep, by numbers.
    kept: Vec<Arc<Kept>>,
    /// Connections to agents that are gone, which may have something in flight.
    leaving: Vec<Weak<Connection>>,
    /// Why there are no agents.
    trouble: Failure,
    /// An agent may come at any time.
    may_come: bool,
    /// The client connects no more.
    is_over: bool,
}

/// An agent, and the connections to it.
struct Followed {
    /// The addresses that the client has a transport for.
    addresses: Vec<String>,
    members: Vec<Member>,
}

impl Known {
    fn members(&self) -> impl Iterator<Item = &Member> {
        self.agents.values().flat_map(|agent| &agent.members)
    }

    fn retire(&mut self, agent: &Followed) {
        self.leaving.retain(|one| one.strong_count() > 0);
        for member in &agent.members {
            let connections = member.kept.connections();
            self.leaving.extend(connections.iter().map(Arc::downgrade));
            member.retire(GONE);
        }
    }
}

impl Following {
    pub(super) fn new() -> Self {
        Self(Arc::new(RwLock::new(Known {
            agents: BTreeMap::new(),
            kept: Vec::new(),
            leaving: Vec::new(),
            trouble: unavailable("the node has not answered yet"),
            may_come: true,
            is_over: false,
        })))
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn choose(&self, but: &[Arc<Connection>]) -> Option<Arc<Connection>> {
        let known = self.read();
        let kept = |n: usize| known.kept.get(n).map(|one| &**one);
        choose(known.kept.len(), kept, but)
    }

    pub(super) fn is_hopeless(&self) -> bool {
        let known = self.read();
        if known.agents.is_empty() {
            return !known.may_come && !may_heal(&known.trouble);
        }
        hopeless(known.members())
    }

    pub(super) fn trouble(&self) -> Failure {
        let known = self.read();
        if known.agents.is_empty() {
            return known.trouble.clone();
        }
        trouble(known.members())
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
            let before = query.version;
            let pause = match ask(query.clone()).await {
                Ok(listing) => {
                    self.take(&common, &listing.agents);
                    query.version = listing.version;
                    if listing.version == 0 || listing.version == before {
                        ASK_AGAIN
                    } else {
                        Duration::from_micros(ASKING_PAUSE_US)
                    }
                }
                Err(failure) => {
                    let mut known = self.write();
                    (known.trouble, known.may_come) = (failure, false);
                    AFTER_FAILURE
                }
            };
            common.changed.send_replace(());
            tokio::time::sleep(pause).await;
        }
    }

    /// Makes the agents those that the node knows of, and no more of them than a client follows:
    /// the ones that are known already, and others at random.
    fn take(&self, common: &Arc<Common>, agents: &[Agent]) {
        let mut there = BTreeMap::new();
        for agent in agents {
            let targets = targets_of(agent, common);
            if !targets.is_empty() {
                there.insert(&agent.name, targets);
            }
        }
        let mut known = self.write();
        if known.is_over {
            return;
        }
        let stays = |name: &String, agent: &Followed| {
            there
                .get(name)
                .is_some_and(|targets| agent.addresses == texts(targets))
        };
        let gone = known
            .agents
            .iter()
            .filter(|(name, agent)| !stays(name, agent));
        let gone: Vec<_> = gone.map(|(name, _)| name.clone()).collect();
        for name in gone {
            if let Some(agent) = known.agents.remove(&name) {
                known.retire(&agent);
            }
        }
        let mut new: Vec<_> = there.into_iter().collect();
        fastrand::shuffle(&mut new);
        for (name, targets) in new {
            if known.agents.len() < FOLLOWED_AGENTS && !known.agents.contains_key(name) {
                let connections = 0..common.options.connections.max(1);
                let agent = Followed {
                    addresses: texts(&targets),
                    members: connections
                        .map(|_| Member::new(targets.clone(), common))
                        .collect(),
                };
                known.agents.insert(name.clone(), agent);
            }
        }
        let kept = known.members().map(|member| Arc::clone(&member.kept));
        known.kept = kept.collect();
        let text = "the node knows of no such agent that can be reached";
        known.trouble = Failure::saying(Kind::AgentUnknown, text);
        known.may_come = true;
    }
}

/// The addresses of an agent that a client has a transport for.
fn targets_of(agent: &Agent, common: &Common) -> Vec<Target> {
    let transports = &common.options.transports;
    let read = agent.addresses.iter().map(|one| transports.read(one));
    read.filter_map(Result::ok).collect()
}
