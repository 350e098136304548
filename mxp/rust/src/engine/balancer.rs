//! The choice of a connection among those to several addresses.

use alloc::format;
use alloc::vec::Vec;

use crate::engine::draw::{two, Draw};
use crate::engine::outage::may_heal;
use crate::engine::Failure;
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
    draw: Draw,
    ready: impl Fn(usize) -> Option<Ready<T>>,
) -> Option<T> {
    if connections > 1 {
        let (first, second) = two(connections, draw);
        let takes = |n| ready(n).filter(|ready| !ready.is_left_out);
        if let (Some(one), Some(other)) = (takes(first), takes(second)) {
            let least = if other.load < one.load { other } else { one };
            return Some(least.connection);
        }
    }
    let all: Vec<Ready<T>> = (0..connections).filter_map(ready).collect();
    let others = all.iter().filter(|ready| !ready.is_left_out).count();
    let keeps_all = others * 2 < all.len();
    let mut taken = all;
    taken.retain(|ready| keeps_all || !ready.is_left_out);
    let (first, second) = match taken.len() {
        0 => return None,
        1 => (0, 0),
        n => two(n, draw),
    };
    let least = if taken[second].load < taken[first].load {
        second
    } else {
        first
    };
    Some(taken[least].connection.clone())
}

/// Why there is no connection: of several addresses, the cause of each.
#[cold]
pub(crate) fn no_connection<'a>(troubles: impl Iterator<Item = (&'a str, Failure)>) -> Failure {
    let mut causes: Vec<(&str, Failure)> = Vec::new();
    for (address, trouble) in troubles {
        match causes.iter_mut().find(|(name, _)| *name == address) {
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
    if others.iter().any(|(_, cause)| cause.name != first.name) {
        failure.name = Kind::NotConnected.as_str().into();
    }
    if causes.iter().any(|(_, cause)| may_heal(cause)) {
        failure.status = Status::UNAVAILABLE;
    } else if others.iter().any(|(_, cause)| cause.status != first.status) {
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
