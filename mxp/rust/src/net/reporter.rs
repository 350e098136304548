//! Whether a server can be asked [MXP-13.8].

use std::collections::BTreeMap;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use tokio::sync::watch;

use crate::net::health::{Health, Report, Request, State};
use crate::net::typed::{Context, Sender};
use crate::net::Failure;

/// Says whether a server's services can be asked: see [`Server::health`](crate::net::Server::health).
/// A service that nothing was said of is serving. Clones say it of the same servers.
///
/// ```
/// use mxp::net::health::State;
/// use mxp::net::{HealthReporter, Server};
///
/// let reporter = HealthReporter::new();
/// let server = Server::new().health(&reporter);
/// // While the database is away:
/// reporter.set("demo.Shop", State::NotServing);
/// ```
#[derive(Debug, Clone)]
pub struct HealthReporter {
    states: Arc<watch::Sender<States>>,
}

/// The states that were said, by the names of services.
type States = BTreeMap<String, State>;

impl Default for HealthReporter {
    fn default() -> Self {
        Self {
            states: Arc::new(watch::Sender::new(States::new())),
        }
    }
}

impl HealthReporter {
    /// All services are serving.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Says whether a service can be asked, by its full name; the empty name is the server as a
    /// whole. Watchers of the service are told.
    pub fn set(&self, service: impl Into<String>, state: State) {
        self.states.send_modify(|states| {
            states.insert(service.into(), state);
        });
    }
}

/// The name of the service.
pub(crate) const HEALTH: &str = "mxp.health.Health";

/// The health of the services of a server that listens.
pub(crate) struct HealthWatch {
    reporter: HealthReporter,
    services: Vec<String>,
    /// The server drains.
    drains: watch::Receiver<bool>,
}

impl HealthWatch {
    pub(crate) fn new(
        reporter: HealthReporter,
        services: Vec<String>,
        drains: watch::Receiver<bool>,
    ) -> Self {
        Self {
            reporter,
            services,
            drains,
        }
    }

    fn state(&self, states: &States, service: &str, drains: bool) -> State {
        if drains {
            return State::NotServing;
        }
        let is_there = service.is_empty() || self.services.iter().any(|name| name == service);
        if !is_there {
            return State::Unknown_;
        }
        states.get(service).copied().unwrap_or(State::Serving)
    }
}

impl Health for HealthWatch {
    async fn check(&self, request: Request, _: Context) -> Result<Report, Failure> {
        let drains = *self.drains.borrow();
        let states = self.reporter.states.borrow();
        let state = self.state(&states, &request.service, drains);
        Ok(Report::new().with_state(state))
    }

    async fn watch(
        &self,
        request: Request,
        responses: Sender<Report>,
        context: Context,
    ) -> Result<(), Failure> {
        let mut states = self.reporter.states.subscribe();
        let mut drains = self.drains.clone();
        let connection = context.connection();
        let leaves = async {
            match connection {
                Some(connection) => connection.unusable().await,
                None => core::future::pending().await,
            }
        };
        tokio::pin!(leaves);
        let (mut said, mut is_leaving) = (None, false);
        loop {
            let drains_now = *drains.borrow_and_update() || is_leaving;
            let state = {
                let states = states.borrow_and_update();
                self.state(&states, &request.service, drains_now)
            };
            if said != Some(state) {
                responses.send(&Report::new().with_state(state)).await?;
                said = Some(state);
            }
            if drains_now {
                return Ok(());
            }
            tokio::select! {
                // The reporter is this one's, and the server is there while it has handlers.
                _ = states.changed() => {}
                changed = drains.changed() => is_leaving = changed.is_err(),
                () = &mut leaves => is_leaving = true,
            }
        }
    }
}
