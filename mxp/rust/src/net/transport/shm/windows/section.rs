//! The sections of shared memory: this side makes its own, and checks the peer's [MXP-18.19].

use std::io;
use std::os::windows::io::OwnedHandle;

use windows_sys::Win32::Foundation::ERROR_INVALID_HANDLE;

use super::events::PeerEvents;
use super::file::File;
use super::mapping::{section, Mapping};
use crate::net::transport::pipe::event::is;
use crate::net::transport::shm::memory::{own, NUMBERS_BYTES};
use crate::net::transport::shm::sides::{MapFailure, OwnMemory};

/// Makes memory whose ring has so many bytes. All of it is there from then on.
pub(crate) fn create(ring: usize) -> io::Result<OwnMemory> {
    let size = NUMBERS_BYTES + ring;
    let (section, mapping) = section(size)?;
    let events = PeerEvents::new()?;
    let (ring, own) = own(mapping);
    let file = File { section, events };
    Ok(OwnMemory { file, ring, own })
}

/// Maps the memory of a peer whose ring has so many bytes, if its bytes can't be lost [MXP-18.21].
pub(super) fn open(section: &OwnedHandle, ring: usize) -> Result<Mapping, MapFailure> {
    let mapping = Mapping::new(section, NUMBERS_BYTES + ring, false);
    let mapping = mapping.map_err(|error| {
        if is(&error, ERROR_INVALID_HANDLE) {
            return MapFailure::Unfit("the peer has offered no section".into());
        }
        MapFailure::Failed(error)
    })?;
    match mapping.defect() {
        Some(text) => Err(MapFailure::Unfit(text)),
        None => Ok(mapping),
    }
}
