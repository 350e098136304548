//! The two waits of a side [MXP-18.6].

/// The reason of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitKind {
    /// The peer has written nothing more.
    Bytes,
    /// The peer has taken nothing more.
    Room,
}
