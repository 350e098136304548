//! The handles of an offer, which are taken from the peer's process [MXP-18.20].
#![expect(unsafe_code, reason = "the system's interface is C's")]

use core::ptr::null_mut;
use std::format;
use std::fs;
use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle, RawHandle};
use std::string::ToString as _;

use windows_sys::Win32::Foundation::DuplicateHandle;
use windows_sys::Win32::System::Memory::{SECTION_MAP_READ, SECTION_QUERY};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, OpenProcess, EVENT_MODIFY_STATE, PROCESS_DUP_HANDLE,
};

use super::events::PeerEvents;
use super::section::open;
use crate::net::transport::pipe::system::is_over;
use crate::net::transport::shm::memory::peers;
use crate::net::transport::shm::offer::{HANDLES_AT, OFFER_BYTES};
use crate::net::transport::shm::sides::{MapFailure, PeerMemory};

/// The pipe of an offer, and the process at its other end, whose handles the offer has.
pub(crate) struct Handles {
    pub(super) pipe: io::Result<fs::File>,
    pub(super) process: io::Result<u32>,
}

impl Handles {
    /// Maps the memory that is offered.
    pub(crate) fn open(
        &self,
        offer: &[u8; OFFER_BYTES],
        ring: usize,
    ) -> Result<PeerMemory, MapFailure> {
        let process = self.process().map_err(MapFailure::Failed)?;
        map(&process, offer, ring).map_err(|why| match &self.pipe {
            // A peer that has left has closed its handles, too.
            Ok(pipe) if is_over(pipe) => MapFailure::Failed(io::ErrorKind::ConnectionReset.into()),
            _ => why,
        })
    }

    /// The peer's process, to take handles from.
    fn process(&self) -> io::Result<OwnedHandle> {
        let id = match &self.process {
            Ok(id) => *id,
            Err(error) => return Err(io::Error::new(error.kind(), error.to_string())),
        };
        // SAFETY: no pointer is given, and the handle is nobody else's.
        unsafe {
            let opened = OpenProcess(PROCESS_DUP_HANDLE, 0, id);
            if opened.is_null() {
                let why = io::Error::last_os_error();
                let text = format!("handles of the peer's process can't be taken: {why}");
                return Err(io::Error::new(why.kind(), text));
            }
            Ok(OwnedHandle::from_raw_handle(opened))
        }
    }
}

/// Maps the memory whose handles a process has.
fn map(
    process: &OwnedHandle,
    offer: &[u8; OFFER_BYTES],
    ring: usize,
) -> Result<PeerMemory, MapFailure> {
    let take = |n: usize, rights| {
        let number: [u8; 4] = core::array::from_fn(|i| offer[HANDLES_AT + 4 * n + i]);
        let number = u32::from_le_bytes(number);
        take_handle(process, number, rights)
            .map_err(|why| MapFailure::Unfit(format!("no handle {number:#x} of the peer: {why}")))
    };
    let section = take(0, SECTION_MAP_READ | SECTION_QUERY)?;
    let (bytes, room) = (take(1, EVENT_MODIFY_STATE)?, take(2, EVENT_MODIFY_STATE)?);
    Ok(PeerMemory {
        peers: peers(open(&section, ring)?),
        events: PeerEvents { bytes, room },
    })
}

/// A handle of another process, with some rights.
fn take_handle(process: &OwnedHandle, number: u32, rights: u32) -> io::Result<OwnedHandle> {
    let mut made = null_mut();
    // SAFETY: the process is open, and the handle is written where it has room.
    let is_made = unsafe {
        let source = number as usize as RawHandle;
        let target = GetCurrentProcess();
        DuplicateHandle(
            process.as_raw_handle(),
            source,
            target,
            &mut made,
            rights,
            0,
            0,
        )
    };
    if is_made == 0 || made.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is open, and nobody else's.
    Ok(unsafe { OwnedHandle::from_raw_handle(made) })
}

#[cfg(test)]
impl super::File {
    /// The memory, as a peer comes to it.
    pub(crate) fn reopen(&self, ring: usize) -> Result<PeerMemory, MapFailure> {
        use crate::net::transport::shm::offer::{Offer, Use};
        let mut offer = Offer::Memory(ring).encode(Use::Session);
        offer[HANDLES_AT..][..super::HANDLES_BYTES].copy_from_slice(&self.handles());
        let handles = Handles {
            pipe: Err(io::ErrorKind::NotFound.into()),
            process: Ok(std::process::id()),
        };
        handles.open(&offer, ring)
    }
}

#[cfg(test)]
mod tests {
    use std::os::windows::fs::OpenOptionsExt as _;

    use tokio::net::windows::named_pipe::ServerOptions;
    use windows_sys::Win32::Storage::FileSystem::FILE_FLAG_OVERLAPPED;

    use super::*;
    use crate::net::transport::shm::offer::{Offer, Use};

    /// [MXP-18.4], [MXP-18.21]: it is lost, and may be connected to again.
    #[tokio::test]
    async fn a_peer_that_has_left_is_not_refused_for_its_handles() {
        let path = format!(r"\\.\pipe\mxp-left-{}", std::process::id());
        let server = ServerOptions::new().create(&path).unwrap();
        let mut options = fs::OpenOptions::new();
        let options = options.read(true).write(true);
        let pipe = options.custom_flags(FILE_FLAG_OVERLAPPED).open(&path);
        let handles = Handles {
            pipe,
            process: Ok(std::process::id()),
        };
        let mut offer = Offer::Memory(4096).encode(Use::Session);
        offer[HANDLES_AT..][..12].fill(0x70);
        let open = || handles.open(&offer, 4096).err();
        assert!(matches!(open(), Some(MapFailure::Unfit(_))));
        drop(server);
        while matches!(open(), Some(MapFailure::Unfit(_))) {
            tokio::time::sleep(core::time::Duration::from_millis(1)).await;
        }
        assert!(matches!(open(), Some(MapFailure::Failed(_))));
    }
}
