//! The waitable of a host: a descriptor that is readable, or an event that is set, while there is something to take.

#[cfg(unix)]
mod descriptor;
#[cfg(windows)]
mod event;

#[cfg(unix)]
pub(crate) use descriptor::Waitable;
#[cfg(windows)]
pub(crate) use event::Waitable;
