//! The file by which a peer comes to the memory of this side.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

/// The file by which a peer comes to the memory of this side.
pub(crate) struct File(pub(super) OwnedFd);

impl File {
    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// The bytes of an offer that stand for it: its descriptor comes beside them.
    pub(crate) const fn handles(&self) -> [u8; super::HANDLES_BYTES] {
        []
    }
}
