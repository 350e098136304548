//! Names that a client keeps.

use core::time::Duration;
use std::string::String;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::engine::outage::unavailable;
use crate::net::Failure;
use crate::session::Lease;

/// The state of a name that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// The name is this program's.
    Held {
        /// How long the lease is that the directory has given.
        lease: Duration,
        /// Greater than that of each lease of the name before; 0 if the directory counts none.
        /// Whoever acts for the name says it, so that what is older can be refused.
        epoch: u64,
    },
    /// It is not, or may be another's, and is asked for again.
    Lost(Failure),
}

impl Standing {
    pub(crate) const fn of(lease: Lease) -> Self {
        Self::Held {
            lease: Duration::from_micros(lease.lease),
            epoch: lease.epoch,
        }
    }

    const fn epoch(&self) -> Option<u64> {
        match self {
            Self::Held { epoch, .. } => Some(*epoch),
            Self::Lost(_) => None,
        }
    }
}

/// Is told each time when a name has a new epoch, or was lost.
pub(crate) type Told = Arc<dyn Fn(&Standing) + Send + Sync>;

/// Knowledge of a name that is kept, for its user and for the task that keeps it.
pub(crate) struct Known {
    standing: watch::Sender<Standing>,
    told: Option<Told>,
}

impl Known {
    /// A name that is not given yet.
    pub(crate) fn new(told: Option<Told>) -> Self {
        let failure = unavailable("the name is not registered yet");
        Self {
            standing: watch::Sender::new(Standing::Lost(failure)),
            told,
        }
    }

    /// The name is not given, for another reason than before.
    pub(crate) fn refused(&self, why: &Failure) {
        let now = Standing::Lost(why.clone());
        if *self.standing.borrow() != now {
            self.standing.send_replace(now);
            self.tell();
        }
    }

    /// The name is held, by this lease.
    pub(crate) fn held(&self, lease: Lease) {
        let now = Standing::of(lease);
        let is_new = self.standing.borrow().epoch() != now.epoch();
        self.standing.send_replace(now);
        if is_new {
            self.tell();
        }
    }

    /// The name is lost, if it was not before.
    pub(crate) fn lost(&self, why: &Failure) {
        if self.standing.borrow().epoch().is_some() {
            self.standing.send_replace(Standing::Lost(why.clone()));
            self.tell();
        }
    }

    fn tell(&self) {
        if let Some(told) = &self.told {
            let standing = self.standing.borrow().clone();
            told(&standing);
        }
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<Standing> {
        self.standing.subscribe()
    }
}

/// A name that a client has made known, which is renewed for as long as this is there, and
/// made known again on each new connection.
#[derive(Debug)]
#[must_use = "the name is given up when this is dropped"]
pub struct Registration {
    pub(crate) name: String,
    pub(crate) lease: Duration,
    pub(crate) standing: watch::Receiver<Standing>,
    pub(crate) renewing: JoinHandle<()>,
}

impl Registration {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How long the lease was that the directory has given first.
    #[must_use]
    pub const fn lease(&self) -> Duration {
        self.lease
    }

    /// Whether the name is held now, and by which epoch.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.standing.borrow().clone()
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.renewing.abort();
    }
}
