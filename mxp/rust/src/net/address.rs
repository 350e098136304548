//! Where servers are.

use core::fmt;
use std::borrow::ToOwned;
use std::path::PathBuf;
use std::string::{String, ToString as _};

use crate::net::Failure;
use crate::session::Kind;

/// Where a server is.
///
/// ```
/// use mxp::net::Address;
///
/// let address: Address = "mxp+unix:///run/echo.sock".parse()?;
/// assert_eq!(address, Address::Unix("/run/echo.sock".into()));
/// let address: Address = "mxp+tcp://[::1]:7000".parse()?;
/// assert_eq!(address.to_string(), "mxp+tcp://[::1]:7000");
/// assert!("mxp+tcp://localhost".parse::<Address>().is_err());
/// # Ok::<(), mxp::net::AddressError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Address {
    /// A unix socket: `mxp+unix:///path`.
    Unix(PathBuf),
    /// Memory that is shared with the peer at a unix socket: `mxp+shm:///path`; on Windows with that
    /// at a named pipe: `mxp+shm://name`.
    #[cfg(feature = "shm")]
    Shm(PathBuf),
    /// TCP: `mxp+tcp://host:port`.
    Tcp(String),
    /// TLS over TCP: `mxp+tls://host:port`.
    Tls(String),
    /// An address of WebSocket, as `mxp+ws://host:port/path`, or of a transport that the program
    /// has registered: `mxp+scheme://place`. Of the latter the text alone is none.
    Other {
        /// The scheme of the transport.
        scheme: &'static str,
        /// The place: the text behind it and `://`.
        place: String,
    },
}

/// A text that is no address: as a [`Failure`], one with the name `address_invalid`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressError {
    text: String,
    /// The forms that addresses have, in words.
    forms: String,
}

impl AddressError {
    pub(crate) fn new(text: &str, forms: String) -> Self {
        let text = text.to_owned();
        Self { text, forms }
    }
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not {}", self.text, self.forms)
    }
}

impl core::error::Error for AddressError {}

/// The refusal of the text [MXP-16.1].
impl From<AddressError> for Failure {
    fn from(error: AddressError) -> Self {
        Self::saying(Kind::AddressInvalid, error.to_string())
    }
}

/// The error wraps the failure.
impl From<AddressError> for std::io::Error {
    fn from(error: AddressError) -> Self {
        Failure::from(error).into()
    }
}
