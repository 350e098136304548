//! The choice of a connection among those to several addresses.

use std::format;
use std::vec::Vec;

use crate::net::outage::may_heal;
use crate::net::Failure;
use crate::session::{Kind, Status};

/// A connection that takes requests.
#[derive(Debug, Clone)]
pub(crate) struct Ready<T> {
    pub(crate) connection: T,
    /// How many requests are in flight.
    pub(crate) load: usize,
    /// Whether requests are to be made on others [MXP-14.10].
    pub(crate) is_left_out: bool,
}

/// Of two connections that were chosen at random out of so many that with fewer requests in flight
/// [MXP-14.9], and none that is left out unless most would be. Mostly the first two can be taken
/// that are drawn, and no others are looked at.
pub(crate) fn least_busy<T: Clone>(
    connections: usize,
    ready: impl Fn(usize) -> Option<Ready<T>>,
) -> Option<T> {
    if connections > 1 {
        let first = fastrand::usize(..connections);
        let second = (first + fastrand::usize(1..connections)) % connections;
        let takes = |n| ready(n).filter(|one| !one.is_left_out);
        if let (Some(one), Some(other)) = (takes(first), takes(second)) {
            let least = if other.load < one.load { other } else { one };
            return Some(least.connection);
        }
    }
    let (mut all, mut others) = (Draw::default(), Draw::default());
    for one in (0..connections).filter_map(ready) {
        if !one.is_left_out {
            others.add(one.clone());
        }
        all.add(one);
    }
    if others.added * 2 < all.added {
        others = all;
    }
    // Of two with as many in flight each is as likely as the other.
    if fastrand::bool() {
        others.two.swap(0, 1);
    }
    let least = others.two.into_iter().flatten();
    least.min_by_key(|one| one.load).map(|one| one.connection)
}

/// Two of those that were added, each two as likely as others.
struct Draw<T> {
    added: usize,
    two: [Option<Ready<T>>; 2],
}

impl<T> Default for Draw<T> {
    fn default() -> Self {
        Self {
            added: 0,
            two: [None, None],
        }
    }
}

impl<T> Draw<T> {
    fn add(&mut self, one: Ready<T>) {
        let n = self.added;
        let place = if n < 2 { n } else { fastrand::usize(..=n) };
        if let Some(place) = self.two.get_mut(place) {
            *place = Some(one);
        }
        self.added += 1;
    }
}

/// Why there is no connection: of several addresses, the cause of each.
#[cold]
pub(crate) fn no_connection<'a>(troubles: impl Iterator<Item = (&'a str, Failure)>) -> Failure {
    let mut causes: Vec<(&str, Failure)> = Vec::new();
    for (address, trouble) in troubles {
        match causes.iter_mut().find(|(other, _)| *other == address) {
            // Another connection may yet come about where one can't.
            Some((_, cause)) if may_heal(&trouble) => *cause = trouble,
            Some(_) => {}
            None => causes.push((address, trouble)),
        }
    }
    let [(_, first), others @ ..] = &causes[..] else {
        return Failure::of(Kind::NotConnected);
    };
    let mut failure = first.clone();
    if others.is_empty() {
        return failure;
    }
    if others.iter().any(|(_, other)| other.name != first.name) {
        failure.name = Kind::NotConnected.as_str().into();
    }
    if causes.iter().any(|(_, cause)| may_heal(cause)) {
        failure.status = Status::UNAVAILABLE;
    } else if others.iter().any(|(_, other)| other.status != first.status) {
        failure.status = Status::FAILED_PRECONDITION;
    }
    let texts = causes.iter().map(|(address, cause)| {
        if cause.name == failure.name {
            return format!("{address}: {}", cause.text);
        }
        format!("{address}: {} {}", cause.name, cause.text)
    });
    failure.text = texts.collect::<Vec<_>>().join("; ");
    failure
}
