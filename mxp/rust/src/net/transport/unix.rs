//! Unix sockets.

#[cfg(any(feature = "blocking", feature = "shm"))]
use core::time::Duration;
use std::boxed::Box;
use std::io;
use std::path::Path;
use std::string::String;
use std::string::ToString as _;

#[cfg(feature = "tokio")]
use tokio::net::UnixStream;

#[cfg(feature = "tokio")]
use super::{EstablishedConnection, ListenOptions, Listener, Pending};
use super::{Protects, Provider};
use crate::engine::outage::{unavailable, unusable};
use crate::net::{Address, Failure};
use crate::session::Kind;

mod file;
#[cfg(feature = "tokio")]
pub(super) mod listen;
#[cfg(feature = "tokio")]
mod stream;

#[cfg(feature = "tokio")]
pub(super) use file::connected;
use file::is_socket;
#[cfg(feature = "tokio")]
pub(crate) use file::own_account;
#[cfg(all(feature = "tokio", feature = "shm"))]
pub(super) use file::process;
#[cfg(feature = "tokio")]
pub(super) use stream::Stream;

pub(crate) const SCHEME: &str = "unix";

/// Unix sockets; the kernel tells the process at the other end.
pub(crate) struct Unix;

/// The address of a socket in a folder.
#[cfg(feature = "tokio")]
pub(crate) fn socket_in(folder: &Path, name: &str) -> Address {
    Address::Unix(folder.join(name))
}

impl Provider for Unix {
    fn scheme(&self) -> &'static str {
        SCHEME
    }

    fn form(&self) -> &'static str {
        "/path"
    }

    fn address(&self, place: &str) -> Option<Address> {
        is_place(place).then(|| Address::Unix(place.into()))
    }

    fn protects(&self) -> Protects {
        Protects::PEER_CREDENTIALS
    }

    #[cfg(feature = "tokio")]
    fn dial<'a>(&'a self, place: &'a str) -> Pending<'a, EstablishedConnection> {
        Box::pin(async { connected(connect(place).await?) })
    }

    #[cfg(feature = "tokio")]
    fn listen<'a>(
        &'a self,
        place: &'a str,
        options: ListenOptions,
    ) -> Pending<'a, Box<dyn Listener>> {
        Box::pin(async move { Ok(Box::new(listen::bind(checked(place)?, options).await?) as _) })
    }

    #[cfg(feature = "blocking")]
    fn dial_blocking(
        &self,
        place: &str,
        stall: Duration,
    ) -> io::Result<Box<dyn crate::net::transport::blocking::Socket>> {
        Ok(Box::new(connect_waiting(place, stall)?))
    }
}

/// Connects a socket.
#[cfg(feature = "tokio")]
pub(super) async fn connect(place: &str) -> io::Result<UnixStream> {
    let path = checked(place)?;
    let stream = UnixStream::connect(path).await;
    Ok(stream.map_err(|error| failed(path, &error))?)
}

/// Connects a socket whose writes wait for no longer than a time.
#[cfg(any(feature = "blocking", feature = "shm"))]
pub(super) fn connect_waiting(
    place: &str,
    stall: Duration,
) -> io::Result<std::os::unix::net::UnixStream> {
    let path = checked(place)?;
    let stream = std::os::unix::net::UnixStream::connect(path);
    let stream = stream.map_err(|error| failed(path, &error))?;
    stream.set_write_timeout(Some(stall))?;
    Ok(stream)
}

/// The end of the refusal of an address whose transport the system lacks: it has all.
pub(super) const fn lack(_: &str) -> Option<String> {
    None
}

/// Whether a place has the form of a socket's place.
pub(super) fn is_place(place: &str) -> bool {
    place.len() > 1 && place.starts_with('/')
}

/// A path, unless the system has no room for it: on Linux for more than 107 bytes.
pub(super) fn checked(place: &str) -> Result<&Path, Failure> {
    let fits = std::os::unix::net::SocketAddr::from_pathname(place);
    fits.map(|_| Path::new(place)).map_err(|_| {
        let text = std::format!("a path of {} bytes is too long for a socket", place.len());
        Failure::saying(Kind::AddressInvalid, text)
    })
}

/// Why a socket was not connected.
fn failed(path: &Path, error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::PermissionDenied {
        return unusable(error.to_string());
    }
    match std::fs::metadata(path) {
        Ok(there) if !is_socket(&there) => unusable("this is no socket"),
        Err(unseen) if unseen.kind() != io::ErrorKind::NotFound => unusable(unseen.to_string()),
        _ => unavailable(error.to_string()),
    }
}
