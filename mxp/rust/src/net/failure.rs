//! Failures and the errors of the system.

use std::borrow::ToOwned as _;
use std::io;
use std::string::{String, ToString as _};

use crate::engine::outage::{unavailable, unusable};
use crate::engine::Failure;
use crate::session::{LimitError, Status};

/// The error wraps the failure.
impl From<Failure> for io::Error {
    fn from(failure: Failure) -> Self {
        let kind = match failure.status {
            Status::INVALID_ARGUMENT => io::ErrorKind::InvalidInput,
            Status::UNAVAILABLE => io::ErrorKind::NotConnected,
            _ => io::ErrorKind::Other,
        };
        Self::new(kind, failure)
    }
}

/// The error of options that can't be.
pub(crate) fn out_of_range(wrong: LimitError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, wrong)
}

/// Why a connection is gone.
pub(crate) fn lost(why: &io::Result<()>) -> String {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    match why {
        Ok(()) => "the peer has closed the connection".to_owned(),
        Err(error) => match error.kind() {
            UnexpectedEof => "the peer has closed the connection".to_owned(),
            ConnectionReset | BrokenPipe => "the peer has reset the connection".to_owned(),
            _ => error.to_string(),
        },
    }
}

/// Why a transport gave no connection.
pub(crate) fn failed(error: &io::Error) -> Failure {
    use io::ErrorKind::{InvalidData, InvalidInput, PermissionDenied, Unsupported};
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    match (inner, error.kind()) {
        (Some(failure), _) => Failure::clone(failure),
        (None, InvalidData | InvalidInput | PermissionDenied | Unsupported) => {
            unusable(error.to_string())
        }
        _ => unavailable(error.to_string()),
    }
}
