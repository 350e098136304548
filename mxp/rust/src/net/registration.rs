//! Names that a client keeps.

use core::time::Duration;
use std::string::String;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::engine::Standing;

/// Is told each time when a name has a new epoch, or was lost.
pub(crate) type StandingListener = Arc<dyn Fn(&Standing) + Send + Sync>;

/// The user of a name that is kept, who is told of its standing.
pub(crate) struct Registrant {
    standing: watch::Sender<Standing>,
    told: Option<StandingListener>,
}

impl Registrant {
    /// That of a name that is not given yet.
    pub(crate) fn new(hook: Option<StandingListener>) -> Self {
        let standing = watch::Sender::new(Standing::new());
        Self {
            standing,
            told: hook,
        }
    }

    /// Says what the standing is, which may be told.
    pub(crate) fn set(&self, standing: &Standing, is_told: bool) {
        self.standing.send_replace(standing.clone());
        if let Some(told) = self.told.as_ref().filter(|_| is_told) {
            told(standing);
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

    /// The lease that the directory gave first.
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
