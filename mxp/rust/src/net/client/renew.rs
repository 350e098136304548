//! The lease of a name, which a client renews.

use core::time::Duration;
use std::string::String;
use std::vec::Vec;

use tracing::{debug, warn};

use crate::net::agents::{lease_of, AgentRequest};
use crate::net::client::Client;
use crate::net::{Failure, Options};
use crate::session::Kind;

/// How often a lease is renewed in its time.
const RENEWALS: u32 = 3;

/// How soon a name is asked for again that was not given.
const AGAIN: Duration = Duration::from_secs(1);

impl Client {
    /// Renews a lease for ever, and asks for the name anew on each new connection.
    pub(super) async fn renew(
        self,
        name: String,
        capabilities: Vec<String>,
        asked: Duration,
        given: Duration,
    ) {
        let mut connections = self.shared.members[0].kept.current.subscribe();
        connections.mark_unchanged();
        let capabilities: Vec<&str> = capabilities.iter().map(|one| &one[..]).collect();
        let mut lease = given;
        loop {
            let is_new = tokio::select! {
                () = tokio::time::sleep(lease / RENEWALS) => false,
                changed = connections.changed() => changed.is_ok(),
            };
            if is_new && connections.borrow_and_update().is_none() {
                continue;
            }
            let options = Options::new().with_deadline(lease.max(AGAIN));
            let renewed = match self.heartbeat(&name, &options).await {
                Err(failure) if is_unknown(&failure) => {
                    let request = AgentRequest::Register(&name, &capabilities, asked);
                    let reply = self.ask_agents(request, &options).await;
                    reply.and_then(|reply| lease_of(&reply))
                }
                renewed => renewed,
            };
            match renewed {
                Ok(renewed) => {
                    debug!(name, "a lease was renewed");
                    lease = renewed;
                }
                Err(failure) => {
                    warn!(name, reason = %failure, "a lease was not renewed");
                    tokio::time::sleep(AGAIN.min(lease)).await;
                }
            }
        }
    }
}

fn is_unknown(failure: &Failure) -> bool {
    failure.name == Kind::AgentUnknown.as_str()
}
