//! The connections of a client for threads: one to each address, or several.

use std::string::{String, ToString as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::vec::Vec;

use super::link::Link;
use super::ClientOptions;
use crate::engine::balancer::{least_busy, no_connection, Ready};
use crate::engine::endpoint::Endpoint;
use crate::net::clock::Clock;
use crate::net::draws::draw;
use crate::net::log;
use crate::net::transport::registry::Target;
use crate::net::{Failure, Window};
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
    window: Window,
    clock: Clock,
}

/// A connection to an address, or the failure to connect.
struct Member {
    target: Target,
    /// The address, as failures name it.
    text: String,
    link: Option<Arc<Link>>,
    endpoint: Endpoint,
    /// A thread connects.
    tries: bool,
}

impl Links {
    pub(super) fn new(targets: &[Target], config: Config, options: &ClientOptions) -> Self {
        let clock = Clock::start();
        let each = targets
            .iter()
            .flat_map(|target| core::iter::repeat(target).take(options.connections.max(1)));
        let members = each.map(|target| Member {
            target: target.clone(),
            text: target.address.to_string(),
            link: None,
            endpoint: Endpoint::new(1, clock.now()),
            tries: false,
        });
        Self {
            members: Mutex::new(members.collect()),
            changed: Condvar::new(),
            config,
            connect_timeout: options.connect_timeout,
            keeps_outliers: options.keep_outliers,
            window: options.window,
            clock,
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
            let is_final = |member: &Member| !member.tries && !member.endpoint.may_heal();
            let now = Instant::now();
            if now >= late || members.iter().all(is_final) {
                let troubles = members
                    .iter()
                    .map(|member| (&member.text[..], member.endpoint.trouble().clone()));
                return Err(no_connection(troubles));
            }
            let idle = members.iter().filter(|member| !member.tries);
            let due = idle.filter_map(|member| self.clock.instant(member.endpoint.next()));
            let next = due.chain([late]).min().unwrap_or(late);
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
        let ready = least_busy(n, draw, |n| self.usable(n));
        let mut members = self.lock();
        let now = self.clock.now();
        for (n, member) in members.iter_mut().enumerate() {
            if member.link.is_none() && !member.tries && member.endpoint.next() <= now {
                member.tries = true;
                let (links, target) = (Arc::downgrade(self), member.target.clone());
                let config = self.config.clone();
                std::thread::spawn(move || attempt(&links, n, &target, config));
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
            let (refusal, why) = {
                let state = link.lock();
                (state.link.refusal(), state.link.ended())
            };
            let (address, now) = (&member.target.address, self.clock.now());
            if let Some(refusal) = refusal {
                let notice = member.endpoint.refused(refusal.clone(), now, draw);
                log::not_connected(address, &refusal, notice);
            } else {
                log::ended(address, why.as_ref());
                member.endpoint.ended(why.as_ref(), now, draw);
            }
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Member>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Connects once, unless the client is gone meanwhile.
fn attempt(links: &Weak<Links>, n: usize, target: &Target, config: Config) {
    let late = Instant::now() + Duration::from_micros(config.limits.hello_us);
    let opened = Link::open(target, config, late, || {
        if let Some(links) = links.upgrade() {
            if let Some(member) = links.lock().get_mut(n) {
                member.endpoint.opened();
            }
        }
    });
    let Some(links) = links.upgrade() else {
        return;
    };
    if let Ok(link) = &opened {
        let mut state = link.lock();
        state.link.open_windows(links.window);
        log::differing(&state.link.differences().unwrap_or_default());
    }
    if let Some(member) = links.lock().get_mut(n) {
        member.tries = false;
        let now = links.clock.now();
        match opened {
            Ok(link) => {
                log::connected(&target.address);
                member.endpoint.ready(now);
                member.link = Some(Arc::new(link));
            }
            Err(failure) => {
                let notice = member.endpoint.failed(failure.clone(), now, draw);
                log::not_connected(&target.address, &failure, notice);
            }
        }
    }
    links.changed.notify_all();
}
