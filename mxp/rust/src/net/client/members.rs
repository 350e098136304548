//! The connections of a client, of which one is chosen for each request.

use std::sync::Arc;
use std::vec::Vec;

use super::agent_directory::AgentDirectory;
use super::member::{choose, hopeless, trouble, Member};
use crate::net::connection::Connection;
use crate::net::Failure;

/// The members of a client.
pub(super) enum Members {
    /// The given addresses.
    Fixed(Vec<Member>),
    /// The agents of the mesh, which come and go.
    Followed(AgentDirectory),
}

impl Members {
    pub(super) fn all(&self) -> Candidates<'_> {
        match self {
            Self::Fixed(members) => Candidates::Fixed(&members[..]),
            Self::Followed(following) => Candidates::Followed(following),
        }
    }

    /// The only one that there can be.
    pub(super) fn only(&self) -> Option<&Member> {
        match self {
            Self::Fixed(members) => match &members[..] {
                [member] => Some(member),
                _ => None,
            },
            Self::Followed(_) => None,
        }
    }

    /// The member that answers agent requests; none among agents of the mesh.
    pub(super) fn first(&self) -> Option<&Member> {
        match self {
            Self::Fixed(members) => members.first(),
            Self::Followed(_) => None,
        }
    }
}

/// The members to choose from.
#[derive(Clone, Copy)]
pub(super) enum Candidates<'a> {
    Fixed(&'a [Member]),
    Followed(&'a AgentDirectory),
}

impl Candidates<'_> {
    /// A connection that takes requests [MXP-14.9], but for some.
    pub(super) fn choose(self, but: &[Arc<Connection>]) -> Option<Arc<Connection>> {
        match self {
            Self::Fixed([member]) if but.is_empty() => {
                member.kept.usable().map(|ready| ready.connection)
            }
            Self::Fixed(members) => {
                let kept = |n: usize| members.get(n).map(|member| &*member.kept);
                choose(members.len(), kept, but)
            }
            Self::Followed(following) => following.choose(but),
        }
    }

    /// Whether no later attempt can succeed.
    pub(super) fn is_hopeless(self) -> bool {
        match self {
            Self::Fixed(members) => hopeless(members.iter()),
            Self::Followed(following) => following.is_hopeless(),
        }
    }

    /// Why there is no connection: of several addresses, the cause of each.
    #[cold]
    pub(super) fn trouble(self) -> Failure {
        match self {
            Self::Fixed(members) => trouble(members.iter()),
            Self::Followed(following) => following.trouble(),
        }
    }

    /// The connections on which requests are made.
    pub(super) fn current(self) -> Vec<Arc<Connection>> {
        match self {
            Self::Fixed(members) => members.iter().filter_map(Member::current).collect(),
            Self::Followed(following) => following.current(),
        }
    }

    /// The connections that there are.
    pub(super) fn connections(self) -> Vec<Arc<Connection>> {
        match self {
            Self::Fixed(members) => members
                .iter()
                .flat_map(|member| member.kept.connections())
                .collect(),
            Self::Followed(following) => following.connections(),
        }
    }
}
