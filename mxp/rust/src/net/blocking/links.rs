//! The connections of a client for threads: one to each address, or several.

use std::string::{String, ToString as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::vec::Vec;

use super::link::Link;
use super::ClientOptions;
use crate::net::balance::{least_busy, no_connection, Ready};
use crate::net::outage::{is_refusal, may_heal, pause, unavailable, Differences, Outage, SHORT};
use crate::net::transport::registry::Target;
use crate::net::Failure;
use crate::session::Config;

/// More than anybody waits.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// The connections of a client, which are made by threads of their own while somebody asks
/// for one.
pub(super) struct Links {
    members: Mutex<Vec<Member>>,
    /// An attempt to connect has ended.
    changed: Condvar,
    config: Config,
    connect_timeout: Duration,
    keeps_outliers: bool,
}

/// A connection to an address, and what is known where there is none.
struct Member {
    target: Target,
    /// The address, as failures name it.
    text: String,
    link: Option<Arc<Link>>,
    born: Instant,
    trouble: Failure,
    outage: Outage,
    /// A thread connects.
    tries: bool,
    /// How many attempts have failed, one behind the other.
    failed: u32,
    /// When the next attempt may be made.
    at: Instant,
}

impl Links {
    pub(super) fn new(targets: &[Target], config: Config, options: &ClientOptions) -> Self {
        let now = Instant::now();
        let each = targets
            .iter()
            .flat_map(|one| core::iter::repeat(one).take(options.connections.max(1)));
        let members = each.map(|target| Member {
            target: target.clone(),
            text: target.address.to_string(),
            link: None,
            born: now,
            trouble: unavailable("nobody answers"),
            outage: Outage::Untold,
            tries: false,
            failed: 0,
            at: now,
        });
        Self {
            members: Mutex::new(members.collect()),
            changed: Condvar::new(),
            config,
            connect_timeout: options.connect_timeout,
            keeps_outliers: options.keep_outliers,
        }
    }

    /// A connection on which requests can be made [MXP-14.4].
    pub(super) fn connected(
        self: &Arc<Self>,
        deadline: Option<Instant>,
    ) -> Result<Arc<Link>, Failure> {
        if let Some(link) = self.ready() {
            return Ok(link);
        }
        let begun = Instant::now();
        let late = begun.checked_add(self.connect_timeout);
        let late = [late, deadline].into_iter().flatten().min();
        let late = late.unwrap_or(begun + FOREVER);
        loop {
            let members = self.lock();
            let is_final = |one: &Member| !one.tries && !may_heal(&one.trouble);
            let now = Instant::now();
            if now >= late || members.iter().all(is_final) {
                let troubles = members
                    .iter()
                    .map(|one| (&one.text[..], one.trouble.clone()));
                return Err(no_connection(troubles));
            }
            let idle = members.iter().filter(|one| !one.tries).map(|one| one.at);
            let next = idle.chain([late]).min().unwrap_or(late);
            let wait = next.saturating_duration_since(now);
            let waited = self.changed.wait_timeout(members, wait);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
            if let Some(link) = self.ready() {
                return Ok(link);
            }
        }
    }

    /// A connection that takes requests, if there is one. Where one is missing, a thread
    /// begins to connect.
    fn ready(self: &Arc<Self>) -> Option<Arc<Link>> {
        let n = self.lock().len();
        let ready = least_busy(n, |n| self.usable(n));
        let mut members = self.lock();
        let now = Instant::now();
        for (n, member) in members.iter_mut().enumerate() {
            if member.link.is_none() && !member.tries && member.at <= now {
                member.tries = true;
                let (links, target) = (Arc::downgrade(self), member.target.clone());
                let (config, is_first) = (self.config.clone(), member.failed == 0);
                std::thread::spawn(move || attempt(&links, n, &target, config, is_first));
            }
        }
        ready
    }

    /// A member's connection, if it takes requests.
    fn usable(&self, n: usize) -> Option<Ready<Arc<Link>>> {
        let link = self.lock().get(n)?.link.clone()?;
        if let Some(mut ready) = link.usable() {
            ready.is_left_out &= !self.keeps_outliers;
            return Some(ready);
        }
        let mut members = self.lock();
        let member = members.get_mut(n)?;
        let is_same = |here: &mut Arc<Link>| Arc::ptr_eq(here, &link);
        if member.link.take_if(is_same).is_some() {
            Outage::ended(&member.target.address, link.end().as_ref());
            let is_refused = link.end().is_some_and(|why| is_refusal(&why));
            if is_refused && member.born.elapsed() < SHORT {
                member.fail(unavailable("the connection has ended"));
            } else {
                // The first attempt is made at once.
                (member.at, member.failed) = (Instant::now(), 0);
            }
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Member>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Member {
    /// Notes an attempt that has failed.
    fn fail(&mut self, failure: Failure) {
        self.trouble = failure;
        self.failed = self.failed.saturating_add(1);
        self.at = Instant::now() + pause(self.failed);
    }
}

/// Connects once, unless the client is gone meanwhile.
fn attempt(links: &Weak<Links>, n: usize, target: &Target, config: Config, is_first: bool) {
    let late = Instant::now() + Duration::from_micros(config.limits.hello_us);
    let opened = Link::open(target, config, late, |failure| {
        if let Some(links) = links.upgrade().filter(|_| is_first) {
            if let Some(member) = links.lock().get_mut(n) {
                member.trouble = failure;
            }
        }
    });
    let Some(links) = links.upgrade() else {
        return;
    };
    if let Ok(link) = &opened {
        let differences = Differences::new(&link.lock().session);
        differences.log();
    }
    if let Some(member) = links.lock().get_mut(n) {
        member.tries = false;
        match opened {
            Ok(link) => {
                member.outage.connected(&target.address);
                (member.failed, member.born) = (0, Instant::now());
                member.trouble = unavailable("the connection has ended");
                member.link = Some(Arc::new(link));
            }
            Err(failure) => {
                member.outage.failed(&target.address, &failure);
                member.fail(failure);
            }
        }
    }
    links.changed.notify_all();
}
