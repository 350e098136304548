//! The end of a connection, as far as it is known.

use alloc::string::String;

use crate::engine::Failure;

/// The end of a connection.
#[derive(Default)]
pub(super) struct Ending {
    /// Why the session has ended.
    pub(super) failure: Option<Failure>,
    /// The reason that the socket gave when the connection was lost.
    pub(super) cause: String,
    /// The peer has said nothing but that this side may not connect.
    pub(super) is_unwanted: bool,
    /// That was TLS, which one side has refused.
    pub(super) is_distrusted: bool,
    /// The connection is to be closed now.
    pub(super) is_closed: bool,
}
