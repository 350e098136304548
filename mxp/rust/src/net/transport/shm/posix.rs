//! Shared memory by sealed files, whose descriptors go over a unix socket [MXP-18.2].

mod events;
mod file;
mod handles;
mod line;
mod mapping;
mod seals;
#[cfg(feature = "tokio")]
mod stream;

pub(super) use events::{Events, PeerEvents};
pub(super) use file::File;
pub(super) use handles::Handles;
pub(super) use line::Line;
pub(super) use mapping::Mapping;
pub(super) use seals::create;
#[cfg(feature = "tokio")]
pub(super) use stream::{Bound, Stream};

pub(super) use crate::net::transport::unix::is_place;

/// The form of a place.
pub(super) const FORM: &str = "/path";

/// How many bytes of an offer are handles: descriptors come beside it.
pub(super) const HANDLES_BYTES: usize = 0;
