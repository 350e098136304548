//! Programs that are registered at their own node for as long as they run [MESH-3.4].

use std::io;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tracing::Instrument as _;

use crate::net::mesh_address::{is_name, node_address};
use crate::net::registration::{Registrant, StandingListener};
use crate::net::{ClientOptions, Failure, Standing};
use crate::session::{self, Kind};

/// The lease of a registration that asks for none, in microseconds.
const LEASE_US: u64 = 10_000_000;

/// A program that is registered at its own node: the lease is renewed, and the program registered
/// anew, with its last epoch, where the connection to the node is another or the lease was lost.
/// When this is dropped the name is given up.
#[derive(Debug)]
#[must_use = "the name is given up when this is dropped"]
pub struct Announcement {
    standing: watch::Receiver<Standing>,
    keeping: JoinHandle<()>,
}

impl Announcement {
    /// Whether the name is held now, and by which epoch.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.standing.borrow().clone()
    }

    /// Waits until the name is held, and returns the epoch.
    ///
    /// ```no_run
    /// use mxp::net::ClientOptions;
    /// use mxp::session::Registration;
    ///
    /// # async fn serve() -> std::io::Result<()> {
    /// let mixer = Registration::new("studio.mixer")
    ///     .with_services(["desk.Mixer"])
    ///     .with_addresses(["mxp+unix:///run/studio/mixer.sock"]);
    /// let name = ClientOptions::new().announce(mixer, |standing| println!("{standing:?}"))?;
    /// println!("epoch {}", name.registered().await);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn registered(&self) -> u64 {
        let mut standing = self.standing.clone();
        loop {
            if let Standing::Held { epoch, .. } = *standing.borrow_and_update() {
                return epoch;
            }
            if standing.changed().await.is_err() {
                // The task ends with this alone.
                core::future::pending::<()>().await;
            }
        }
    }
}

impl Drop for Announcement {
    fn drop(&mut self) {
        self.keeping.abort();
    }
}

impl ClientOptions {
    /// Registers this program at its own [node](Self::node), and keeps it so: by a name, addresses
    /// that it serves, the names of the services, what else it can do, and a lease of ten seconds
    /// if none is asked for. It begins at once, and goes on while the node is not there, or the
    /// name another's. The hook is called with each epoch and each loss. A runtime has to be there.
    ///
    /// # Errors
    ///
    /// A name that can't be, and a text that is no address of a node.
    pub fn announce(
        self,
        registration: session::Registration,
        hook: impl Fn(&Standing) + Send + Sync + 'static,
    ) -> io::Result<Announcement> {
        if !is_name(&registration.name) {
            let text = "the name has other characters than letters, digits, - and _ in parts with a dot between two, or is too long";
            return Err(Failure::saying(Kind::AgentInvalid, text).into());
        }
        let mut registration = registration;
        if registration.lease == 0 {
            registration.lease = LEASE_US;
        }
        let node = self
            .of_node()
            .connect(&node_address(self.node.as_deref()))?;
        let hook: StandingListener = Arc::new(hook);
        let (kept, standing) = node.named(registration, Registrant::new(Some(hook)))?;
        let keeping = tokio::spawn(kept.run().in_current_span());
        Ok(Announcement { standing, keeping })
    }
}
