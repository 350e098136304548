//! Shared memory by sections, whose handles go over a named pipe [MXP-18.19].

mod events;
mod file;
mod handles;
mod line;
mod mapping;
mod section;
#[cfg(feature = "tokio")]
mod stream;

pub(super) use crate::net::transport::pipe::open::is_place;
pub(super) use events::PeerEvents;
pub(super) use file::{Events, File};
pub(super) use handles::Handles;
pub(super) use line::Line;
pub(super) use mapping::Mapping;
pub(super) use section::create;
#[cfg(feature = "tokio")]
pub(super) use stream::{Bound, Stream};

/// The form of a place.
pub(super) const FORM: &str = "name";

/// How many bytes of an offer are handles: of a section, and of two events.
pub(super) const HANDLES_BYTES: usize = 12;
