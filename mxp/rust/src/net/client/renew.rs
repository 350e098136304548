//! The task that keeps a name [MESH-3.4].

use core::pin::pin;
use std::sync::Arc;

use tokio::sync::watch;
use tracing::{debug, warn, Instrument as _};

use crate::engine::agent::{lease_of, AgentRequest};
use crate::engine::lease::{Due, Name, PATIENCE};
use crate::net::client::Client;
use crate::net::connection::Connection;
use crate::net::registration::{Registrant, Registration};
use crate::net::{Failure, Options, Standing};
use crate::session::{self, Lease};

/// The connections that a client has, one after the other.
type Connections = watch::Receiver<Option<Arc<Connection>>>;

impl Client {
    /// Makes a name known, and keeps it so.
    pub(crate) async fn keep_registered(
        &self,
        registration: session::Registration,
        options: &Options,
    ) -> Result<Registration, Failure> {
        let name = registration.name.clone();
        let (mut kept, standing) = self.named(registration, Registrant::new(None))?;
        kept.request(true, options).await?;
        Ok(Registration {
            name,
            lease: kept.name.lease(),
            standing,
            renewing: tokio::spawn(kept.run().in_current_span()),
        })
    }

    /// A name that is to be kept, and how its standing is known.
    pub(super) fn named(
        &self,
        registration: session::Registration,
        record: Registrant,
    ) -> Result<(NameKeeper, watch::Receiver<Standing>), Failure> {
        let member = self.shared.members.first();
        let member = member.ok_or_else(|| self.keeps_no_directory())?;
        let standing = record.subscribe();
        let kept = NameKeeper {
            client: self.clone(),
            connections: member.kept.current.subscribe(),
            name: Name::new(registration),
            known: record,
        };
        Ok((kept, standing))
    }
}

/// A name, and the client that keeps it.
pub(super) struct NameKeeper {
    client: Client,
    connections: Connections,
    name: Name,
    known: Registrant,
}

impl NameKeeper {
    /// Renews the lease for ever, and asks for the name anew on each new connection, and where it
    /// was not given or lost.
    pub(super) async fn run(mut self) {
        loop {
            let mut pause = pin!(tokio::time::sleep(self.name.pause()));
            // Failed attempts to connect are changes, too, and lengthen no pause.
            let is_new = loop {
                tokio::select! {
                    () = &mut pause => break false,
                    changed = self.connections.changed() => {
                        let is_there = self.connections.borrow_and_update().is_some();
                        if changed.is_err() || is_there {
                            break changed.is_ok();
                        }
                    }
                }
            };
            let options = Options::new().with_deadline(PATIENCE);
            let _ = self.request(is_new, &options).await;
        }
    }

    /// Asks for the name with some options, or renews its lease.
    async fn request(&mut self, is_new: bool, options: &Options) -> Result<Lease, Failure> {
        let clock = self.client.shared.common.clock;
        let sent = clock.now();
        let due = self.name.due(is_new, sent);
        let registers = matches!(due, Due::Register(_));
        let answer = match due {
            Due::Register(registration) => {
                let request = AgentRequest::Register(registration);
                self.client.ask_agents(request, options).await
            }
            Due::Renew(name, left) => {
                let options = Options::new().with_deadline(left);
                let request = AgentRequest::Heartbeat(name);
                self.client.ask_agents(request, &options).await
            }
        };
        if registers {
            // Of a connection that is another by now, the next heartbeat tells.
            self.connections.mark_unchanged();
        }
        let given = answer.and_then(|reply| lease_of(&reply));
        let is_told = match &given {
            Ok(given) => {
                debug!(name = self.name.name(), "a lease was renewed");
                self.name
                    .held(*given, if registers { clock.now() } else { sent })
            }
            Err(failure) => {
                let name = self.name.name();
                warn!(name, reason = %failure, "a lease was not renewed");
                self.name.failed(failure, registers, clock.now())
            }
        };
        self.known.set(self.name.standing(), is_told);
        given
    }
}
