//! The agents of the mesh that a client is a client of, as its node lists them [MESH-3.2].

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use crate::engine::draw::{shuffle, Draw};
use crate::engine::outage::{may_heal, unavailable};
use crate::engine::Failure;
use crate::session::{Kind, ASKING_PAUSE_US, FOLLOWED_AGENTS};

/// The pause where the node does not wait with its answer.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// The pause behind a spec that the node has not answered.
const AFTER_FAILURE: Duration = Duration::from_millis(250);

/// The agents that are followed.
#[derive(Debug)]
pub(crate) struct Roster {
    /// The addresses of each that the client has a transport for.
    agents: BTreeMap<String, Vec<String>>,
    /// The version of the last answer.
    version: u64,
    /// Why there are no agents.
    trouble: Failure,
    /// An agent may come at any time.
    may_come: bool,
}

/// The changes between an answer and the answer before.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) gone: Vec<String>,
    pub(crate) new: Vec<String>,
    /// The pause before the client asks again.
    pub(crate) pause: Duration,
}

impl Roster {
    pub(crate) fn new() -> Self {
        Self {
            agents: BTreeMap::new(),
            version: 0,
            trouble: unavailable("the node has not answered yet"),
            may_come: true,
        }
    }

    /// Takes the answer of the node: the agents with an address that the client has a transport
    /// for, and the answer's version. A client follows a limited number of agents: the known agents
    /// first, then others at random.
    pub(crate) fn list(
        &mut self,
        there: &BTreeMap<String, Vec<String>>,
        version: u64,
        draw: Draw,
    ) -> Changes {
        let stays = |name: &String, addresses: &Vec<String>| there.get(name) == Some(addresses);
        let mut gone = Vec::new();
        self.agents.retain(|name, addresses| {
            let stays = stays(name, addresses);
            if !stays {
                gone.push(name.clone());
            }
            stays
        });
        let others = there.keys().filter(|name| !self.agents.contains_key(*name));
        let mut new: Vec<String> = others.cloned().collect();
        shuffle(&mut new, draw);
        new.truncate(FOLLOWED_AGENTS.saturating_sub(self.agents.len()));
        for name in &new {
            let addresses = there.get(name).cloned().unwrap_or_default();
            self.agents.insert(name.clone(), addresses);
        }
        let text = "the node knows of no such agent that can be reached";
        self.trouble = Failure::saying(Kind::AgentUnknown, text);
        self.may_come = true;
        let is_same = version == 0 || version == self.version;
        self.version = version;
        let pause = if is_same {
            ASK_AGAIN
        } else {
            Duration::from_micros(ASKING_PAUSE_US)
        };
        Changes { gone, new, pause }
    }

    /// Notes that the node has not answered. Returns how long the client waits before it asks again.
    pub(crate) fn fail(&mut self, why: Failure) -> Duration {
        (self.trouble, self.may_come) = (why, false);
        AFTER_FAILURE
    }

    /// The version of the last answer, by which the node is asked again.
    pub(crate) const fn version(&self) -> u64 {
        self.version
    }

    /// Why there are no agents, if there are none.
    pub(crate) fn trouble(&self) -> Option<&Failure> {
        self.agents.is_empty().then_some(&self.trouble)
    }

    /// Whether there are no agents, and none can come.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.agents.is_empty() && !self.may_come && !may_heal(&self.trouble)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::engine::outage::unusable;

    fn there(agents: &[(&str, &str)]) -> BTreeMap<String, Vec<String>> {
        let agents = agents.iter();
        agents
            .map(|(name, address)| ((*name).into(), alloc::vec![(*address).into()]))
            .collect()
    }

    #[test]
    fn an_agent_whose_addresses_are_others_is_another() {
        let mut roster = Roster::new();
        let first = roster.list(&there(&[("a", "x"), ("b", "y")]), 0, || 0.0);
        assert!(first.gone.is_empty() && first.new.len() == 2 && first.pause == ASK_AGAIN);
        let next = roster.list(&there(&[("a", "x"), ("b", "z")]), 7, || 0.0);
        assert_eq!(
            (&next.gone[..], &next.new[..]),
            (&["b".into()][..], &["b".into()][..])
        );
        assert!(next.pause < ASK_AGAIN && roster.version() == 7);
        let same = roster.list(&there(&[("a", "x"), ("b", "z")]), 7, || 0.0);
        assert!(same.gone.is_empty() && same.new.is_empty() && same.pause == ASK_AGAIN);
    }

    #[test]
    fn no_more_are_followed_than_a_client_does() {
        let names: Vec<_> = (0..FOLLOWED_AGENTS + 9).map(|n| format!("{n}")).collect();
        let all: Vec<_> = names.iter().map(|name| (&name[..], "x")).collect();
        let mut roster = Roster::new();
        assert_eq!(roster.list(&there(&all[..9]), 1, || 0.0).new.len(), 9);
        let next = roster.list(&there(&all), 2, fastrand::f64);
        assert!(next.gone.is_empty() && next.new.len() == FOLLOWED_AGENTS - 9);
    }

    #[test]
    fn there_is_hope_while_the_node_answers_or_may() {
        let mut roster = Roster::new();
        assert!(!roster.is_hopeless() && roster.trouble().is_some());
        roster.fail(unavailable("gone"));
        assert!(!roster.is_hopeless());
        roster.fail(unusable("no node"));
        assert!(roster.is_hopeless());
        roster.list(&there(&[]), 1, || 0.0);
        assert!(!roster.is_hopeless());
        roster.list(&there(&[("a", "x")]), 2, || 0.0);
        roster.fail(unusable("no node"));
        assert!(!roster.is_hopeless() && roster.trouble().is_none());
    }
}
