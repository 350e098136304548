//! The descriptors that come beside an offer [MXP-18.3].

use std::borrow::ToOwned as _;
use std::format;
use std::os::fd::OwnedFd;
use std::string::String;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, ReturnFlags};

use super::seals::open;
use crate::net::transport::shm::offer::OFFER_BYTES;
use crate::net::transport::shm::sides::{MapFailure, PeerMemory};

/// The descriptors that came with an offer.
#[derive(Default)]
pub(crate) struct Handles {
    /// The first.
    file: Option<OwnedFd>,
    /// How many came. All behind the first are closed as they come.
    files: usize,
    /// The system has dropped a descriptor.
    is_cut: bool,
}

impl Handles {
    /// Takes the descriptors that came beside bytes.
    pub(super) fn take(&mut self, mut beside: RecvAncillaryBuffer<'_>, flags: ReturnFlags) {
        for message in beside.drain() {
            if let RecvAncillaryMessage::ScmRights(files) = message {
                for file in files {
                    self.files += 1;
                    self.file.get_or_insert(file);
                }
            }
        }
        self.is_cut |= flags.contains(ReturnFlags::CTRUNC);
    }

    /// Maps the memory that is offered.
    pub(crate) fn open(
        &self,
        _: &[u8; OFFER_BYTES],
        ring: usize,
    ) -> Result<PeerMemory, MapFailure> {
        let unfit = |text: String| Err(MapFailure::Unfit(text));
        match (self.files, &self.file) {
            _ if self.is_cut => unfit(
                "the system has dropped descriptors: there are too many, here or in the offer"
                    .to_owned(),
            ),
            (1, Some(file)) => open(file, ring),
            (files, _) => unfit(format!("{files} descriptors came with an offer")),
        }
    }
}
