//! The choice of a connection among those to several addresses.

use std::format;
use std::vec::Vec;

use crate::net::outage::may_heal;
use crate::net::Failure;
use crate::session::{Kind, Status};

/// Of two connections that were chosen at random that with fewer requests in flight
/// [MXP-14.9].
pub(crate) fn least_busy<T>(ready: impl Iterator<Item = (T, usize)>) -> Option<T> {
    let mut chosen: [Option<(T, usize)>; 2] = [None, None];
    for (n, one) in ready.enumerate() {
        // Each two of those that were seen are as likely as others.
        let place = if n < 2 { n } else { fastrand::usize(..=n) };
        if let Some(place) = chosen.get_mut(place) {
            *place = Some(one);
        }
    }
    // Of two with as many in flight each is as likely as the other.
    if fastrand::bool() {
        chosen.swap(0, 1);
    }
    let least = chosen.into_iter().flatten().min_by_key(|(_, load)| *load);
    least.map(|(connection, _)| connection)
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
