//! Where servers are.

use core::fmt;
use core::str::FromStr;
use std::borrow::ToOwned;
use std::path::PathBuf;
use std::string::String;

#[cfg(any(feature = "tokio", feature = "blocking"))]
use crate::net::Failure;
#[cfg(any(feature = "tokio", feature = "blocking"))]
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
    /// TCP: `mxp+tcp://host:port`.
    Tcp(String),
    /// TLS over TCP: `mxp+tls://host:port`.
    Tls(String),
}

/// A text that is no address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressError {
    text: String,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let forms = "mxp+unix:///path, mxp+tcp://host:port or mxp+tls://host:port";
        write!(f, "{:?} is not {forms}", self.text)
    }
}

impl core::error::Error for AddressError {}

impl From<AddressError> for std::io::Error {
    fn from(error: AddressError) -> Self {
        Self::new(std::io::ErrorKind::InvalidInput, error)
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let read = || {
            let (scheme, rest) = text.split_once("://")?;
            match scheme {
                "mxp+unix" => {
                    (rest.len() > 1 && rest.starts_with('/')).then(|| Self::Unix(rest.into()))
                }
                "mxp+tcp" => is_authority(rest).then(|| Self::Tcp(rest.to_owned())),
                "mxp+tls" => is_authority(rest).then(|| Self::Tls(rest.to_owned())),
                _ => None,
            }
        };
        read().ok_or_else(|| AddressError {
            text: text.to_owned(),
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "mxp+unix://{}", path.display()),
            Self::Tcp(at) => write!(f, "mxp+tcp://{at}"),
            Self::Tls(at) => write!(f, "mxp+tls://{at}"),
        }
    }
}

#[cfg(any(feature = "tokio", feature = "blocking"))]
impl Address {
    /// Refuses a path that the system has no room for: on Linux one of more than 107
    /// bytes.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let Self::Unix(path) = self else {
            return Ok(());
        };
        let checked = std::os::unix::net::SocketAddr::from_pathname(path);
        checked.map(|_| ()).map_err(|_| {
            let bytes = path.as_os_str().len();
            let text = std::format!("a path of {bytes} bytes is too long for a socket");
            Failure::saying(Kind::AddressInvalid, text)
        })
    }
}

/// Whether a text is a host, a colon, and a port.
fn is_authority(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else {
        return false;
    };
    let is_bare = !host.contains([':', '/', '[', ']']);
    let is_bracketed = host.len() > 2 && host.starts_with('[') && host.ends_with(']');
    let is_port = port.bytes().all(|c| c.is_ascii_digit()) && port.parse::<u16>().is_ok();
    !host.is_empty() && (is_bare || is_bracketed) && is_port
}

/// The host of an authority, without brackets.
#[cfg(feature = "tls")]
pub(crate) fn host(authority: &str) -> &str {
    let host = authority
        .rsplit_once(':')
        .map_or(authority, |(host, _)| host);
    host.trim_start_matches('[').trim_end_matches(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_is_refused() {
        let texts = [
            "",
            "mxp+unix://",
            "mxp+unix:///",
            "mxp+unix://run/x",
            "mxp+unix:/run/x",
            "mxp+tcp://",
            "mxp+tcp://x",
            "mxp+tcp://x:",
            "mxp+tcp://:1",
            "mxp+tcp://x:1/y",
            "mxp+tcp://a/b:7",
            "mxp+tcp://::1:2",
            "mxp+tcp://[]:1",
            "mxp+tcp:x:1",
            "mxp+tcp://x:65536",
            "mxp+tcp://x:+1",
            "mxp+udp://x:1",
            "tcp://x:1",
        ];
        for text in texts {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
