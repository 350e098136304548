//! The lease of a name, which a client renews [MESH-3.4].

use core::time::Duration;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::watch;
use tracing::{debug, warn, Instrument as _};

use crate::net::agents::{lease_of, AgentRequest};
use crate::net::client::Client;
use crate::net::connection::Connection;
use crate::net::registration::{Known, Registration};
use crate::net::{Failure, Options};
use crate::session::{self, Kind, Lease, LEASE_MAX_US, LEASE_MIN_US};

/// How often a lease is renewed in its time.
const RENEWALS: u32 = 3;

/// How soon a name is asked for again that was not given, and how long it is asked for.
const AGAIN: Duration = Duration::from_millis(500);
const PATIENCE: Duration = Duration::from_secs(10);

impl Client {
    /// Makes a name known, and keeps it so.
    pub(crate) async fn keep_registered(
        &self,
        registration: session::Registration,
        options: &Options,
    ) -> Result<Registration, Failure> {
        let known = Known::new(None);
        let (name, standing) = (registration.name.clone(), known.subscribe());
        let renewing = self.registered(registration, known, options).await;
        let (renewing, connections) = renewing.map_err(|(_, _, failure)| failure)?;
        let lease = renewing.lease;
        Ok(Registration {
            name,
            lease,
            standing,
            renewing: tokio::spawn(renewing.run(connections).in_current_span()),
        })
    }

    /// Makes a name known, or gives back what it was asked with.
    pub(super) async fn registered(
        &self,
        registration: session::Registration,
        known: Known,
        options: &Options,
    ) -> Result<(Renewing, Connections), (session::Registration, Known, Failure)> {
        let Some(member) = self.shared.members.first() else {
            let failure = self.keeps_no_directory();
            return Err((registration, known, failure));
        };
        let mut connections = member.kept.current.subscribe();
        let request = AgentRequest::Register(&registration);
        let given = match self.ask_agents(request, options).await {
            Ok(reply) => lease_of(&reply),
            Err(failure) => Err(failure),
        };
        // Of a connection that is another by now, the next heartbeat tells.
        connections.mark_unchanged();
        let given = match given {
            Ok(given) => given,
            Err(failure) => return Err((registration, known, failure)),
        };
        let mut renewing = Renewing {
            client: self.clone(),
            registration,
            known,
            lease: Duration::ZERO,
            renewed: Instant::now(),
        };
        renewing.held(given, Instant::now());
        Ok((renewing, connections))
    }
}

/// The connections that a client has, one after the other.
pub(super) type Connections = watch::Receiver<Option<Arc<Connection>>>;

/// The time of a lease, within what directories give [MESH-3.4].
fn bounded(lease: Lease) -> Duration {
    Duration::from_micros(lease.lease.clamp(LEASE_MIN_US, LEASE_MAX_US))
}

/// A name that is kept.
pub(super) struct Renewing {
    client: Client,
    /// With the last epoch.
    registration: session::Registration,
    known: Known,
    lease: Duration,
    /// When the time of the lease began last.
    renewed: Instant,
}

impl Renewing {
    /// Renews the lease for ever, and asks for the name anew on each new connection, and where it
    /// was lost.
    pub(super) async fn run(mut self, mut connections: Connections) {
        let mut pause = self.lease / RENEWALS;
        let mut is_held = true;
        loop {
            let is_new = tokio::select! {
                () = tokio::time::sleep(pause) => false,
                changed = connections.changed() => changed.is_ok(),
            };
            if is_new && connections.borrow_and_update().is_none() {
                continue;
            }
            let registers = is_new || !is_held;
            let sent = Instant::now();
            let given = if registers {
                let options = Options::new().with_deadline(PATIENCE);
                self.register(&options).await
            } else {
                let left = self.lease.saturating_sub(self.renewed.elapsed());
                self.renew(&Options::new().with_deadline(left)).await
            };
            match given {
                Ok(given) => {
                    debug!(name = self.registration.name, "a lease was renewed");
                    self.held(given, if registers { Instant::now() } else { sent });
                    (is_held, pause) = (true, self.lease / RENEWALS);
                }
                Err(failure) => {
                    let name = &self.registration.name[..];
                    warn!(name, reason = %failure, "a lease was not renewed");
                    let is_lost = failure.name == Kind::AgentUnknown.as_str()
                        || self.renewed.elapsed() >= self.lease;
                    if registers || is_lost {
                        self.known.lost(&failure);
                        is_held = false;
                        pause = if registers { AGAIN } else { Duration::ZERO };
                    }
                }
            }
        }
    }

    /// Renews the lease.
    async fn renew(&self, options: &Options) -> Result<Lease, Failure> {
        let request = AgentRequest::Heartbeat(&self.registration.name);
        lease_of(&self.client.ask_agents(request, options).await?)
    }

    /// Asks for the name, with the last epoch.
    async fn register(&self, options: &Options) -> Result<Lease, Failure> {
        let request = AgentRequest::Register(&self.registration);
        lease_of(&self.client.ask_agents(request, options).await?)
    }

    fn held(&mut self, given: Lease, since: Instant) {
        self.registration.epoch = given.epoch;
        self.lease = bounded(given);
        self.renewed = since;
        self.known.held(given);
    }
}
