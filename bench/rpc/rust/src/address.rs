//! Where a server is: `unix:PATH` or `tcp:HOST:PORT`.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use crate::Flaw;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    Unix(PathBuf),
    Tcp(SocketAddr),
}

impl FromStr for Address {
    type Err = Flaw;

    fn from_str(text: &str) -> Result<Self, Flaw> {
        match text.split_once(':') {
            Some(("unix", path)) => Ok(Self::Unix(path.into())),
            Some(("tcp", at)) => Ok(Self::Tcp(at.parse()?)),
            _ => Err(format!("{text}: an address is unix:PATH or tcp:HOST:PORT").into()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tcp(at) => write!(f, "tcp:{at}"),
        }
    }
}

impl Address {
    /// The path, for a peer that has only unix sockets.
    ///
    /// # Errors
    ///
    /// It is an address of TCP.
    pub fn path(&self) -> Result<&PathBuf, Flaw> {
        match self {
            Self::Unix(path) => Ok(path),
            Self::Tcp(_) => Err("this peer is for unix sockets".into()),
        }
    }

    /// Host and port, for a peer that has no unix sockets.
    ///
    /// # Errors
    ///
    /// It is an address of a unix socket.
    pub fn port(&self) -> Result<SocketAddr, Flaw> {
        match self {
            Self::Tcp(at) => Ok(*at),
            Self::Unix(_) => Err("this peer has no unix sockets".into()),
        }
    }
}
