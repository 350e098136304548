//! The lease of a name, which a client renews [MESH-3.4].

use core::time::Duration;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::watch;
use tracing::{debug, warn, Instrument as _};

use crate::net::agents::{lease_of, AgentRequest};
use crate::net::client::Client;
use crate::net::connection::Connection;
use crate::net::registration::{Known, Registration, Told};
use crate::net::{Failure, Options};
use crate::session::{self, Kind, Lease};

/// How often a lease is renewed in its time.
const RENEWALS: u32 = 3;

/// How soon a name is asked for again that was not given.
const AGAIN: Duration = Duration::from_secs(1);

/// A directory that gives shorter leases is not asked more often.
const PAUSE_MIN: Duration = Duration::from_millis(50);

impl Client {
    /// Makes a name known, and keeps it so.
    pub(crate) async fn keep_registered(
        &self,
        registration: session::Registration,
        told: Option<Told>,
        options: &Options,
    ) -> Result<Registration, Failure> {
        let mut connections = self.shared.members[0].kept.current.subscribe();
        connections.mark_unchanged();
        let request = AgentRequest::Register(&registration);
        let given = lease_of(&self.ask_agents(request, options).await?)?;
        let known = Known::new(given, told);
        let (name, standing) = (registration.name.clone(), known.subscribe());
        let lease = Duration::from_micros(given.lease);
        let renewing = Renewing {
            client: self.clone(),
            registration: registration.with_epoch(given.epoch),
            known,
            lease,
            renewed: Instant::now(),
        };
        let renewing = renewing.run(connections).in_current_span();
        Ok(Registration {
            name,
            lease,
            standing,
            renewing: tokio::spawn(renewing),
        })
    }
}

/// A name that is kept.
struct Renewing {
    client: Client,
    /// With the last epoch.
    registration: session::Registration,
    known: Known,
    lease: Duration,
    /// When the lease was given last.
    renewed: Instant,
}

impl Renewing {
    /// Renews the lease for ever, and asks for the name anew on each new connection.
    async fn run(mut self, mut connections: watch::Receiver<Option<Arc<Connection>>>) {
        loop {
            let is_new = tokio::select! {
                () = tokio::time::sleep((self.lease / RENEWALS).max(PAUSE_MIN)) => false,
                changed = connections.changed() => changed.is_ok(),
            };
            if is_new && connections.borrow_and_update().is_none() {
                continue;
            }
            let left = self.lease.saturating_sub(self.renewed.elapsed());
            let options = Options::new().with_deadline(left.max(AGAIN));
            match self.renew(&options).await {
                Ok(given) => {
                    debug!(name = self.registration.name, "a lease was renewed");
                    self.held(given);
                }
                Err(failure) => {
                    let name = &self.registration.name[..];
                    warn!(name, reason = %failure, "a lease was not renewed");
                    if self.renewed.elapsed() >= self.lease {
                        self.known.lost(&failure);
                    }
                    tokio::time::sleep(AGAIN.min(self.lease).max(PAUSE_MIN)).await;
                }
            }
        }
    }

    /// Renews the lease, or asks for another if it was lost.
    async fn renew(&self, options: &Options) -> Result<Lease, Failure> {
        let heartbeat = AgentRequest::Heartbeat(&self.registration.name);
        let renewed = self.client.ask_agents(heartbeat, options).await;
        let lost = match renewed {
            Err(failure) if failure.name == Kind::AgentUnknown.as_str() => failure,
            renewed => return lease_of(&renewed?),
        };
        self.known.lost(&lost);
        let request = AgentRequest::Register(&self.registration);
        lease_of(&self.client.ask_agents(request, options).await?)
    }

    fn held(&mut self, given: Lease) {
        self.registration.epoch = given.epoch;
        self.lease = Duration::from_micros(given.lease);
        self.renewed = Instant::now();
        self.known.held(given);
    }
}
