//! Where a server is: `unix:PATH`, `tcp:HOST:PORT` or, of MXP, `shm:PATH` and `spin:PATH`.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use crate::Flaw;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    Unix(PathBuf),
    Tcp(SocketAddr),
    /// Memory that both sides share. Where it spins, who waits looks for bytes before it sleeps even if its process has one core:
    /// the other side has another.
    Shm {
        path: PathBuf,
        spins: bool,
    },
}

impl FromStr for Address {
    type Err = Flaw;

    fn from_str(text: &str) -> Result<Self, Flaw> {
        match text.split_once(':') {
            Some(("unix", path)) => Ok(Self::Unix(path.into())),
            Some(("tcp", at)) => Ok(Self::Tcp(at.parse()?)),
            Some((way @ ("shm" | "spin"), path)) => Ok(Self::Shm {
                path: path.into(),
                spins: way == "spin",
            }),
            _ => Err(format!(
                "{text}: an address is unix:PATH, tcp:HOST:PORT, shm:PATH or spin:PATH"
            )
            .into()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tcp(at) => write!(f, "tcp:{at}"),
            Self::Shm { path, spins } => {
                let way = if *spins { "spin" } else { "shm" };
                write!(f, "{way}:{}", path.display())
            }
        }
    }
}

impl Address {
    /// The path, for a peer that has only unix sockets.
    ///
    /// # Errors
    ///
    /// It is another address.
    pub fn path(&self) -> Result<&PathBuf, Flaw> {
        match self {
            Self::Unix(path) => Ok(path),
            _ => Err("this peer is for unix sockets".into()),
        }
    }

    /// Host and port, for a peer that has no unix sockets.
    ///
    /// # Errors
    ///
    /// It is another address.
    pub fn port(&self) -> Result<SocketAddr, Flaw> {
        match self {
            Self::Tcp(at) => Ok(*at),
            _ => Err("this peer has no unix sockets".into()),
        }
    }
}
