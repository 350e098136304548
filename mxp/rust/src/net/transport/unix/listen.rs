//! The listening end of a unix socket, and its file.

use core::fmt;
use std::borrow::ToOwned as _;
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::string::{String, ToString as _};

use tokio::net::{UnixListener, UnixSocket, UnixStream};

use super::file::{connected, is_socket};
use crate::net::transport::{IncomingConnection, ListenOptions, Listener, Pending};

/// How many connections the system keeps that were not accepted.
const BACKLOG: u32 = 1024;

/// A listener, with the file that it has made. The file goes first: once nobody listens on it,
/// it may be the next server's.
pub(in crate::net::transport) struct Bound {
    owned: SocketFile,
    listener: UnixListener,
}

/// Listens at a path.
pub(in crate::net::transport) async fn bind(
    path: &Path,
    options: ListenOptions,
) -> io::Result<Bound> {
    let listener = bind_file(path, options.allow_other_users).await?;
    let owned = SocketFile {
        path: path.to_owned(),
        file: Inode::of(path)?,
    };
    Ok(Bound { owned, listener })
}

impl Bound {
    /// Accepts the next socket.
    pub(in crate::net::transport) async fn next(&self) -> io::Result<UnixStream> {
        Ok(self.listener.accept().await?.0)
    }
}

impl Listener for Bound {
    fn place(&self) -> io::Result<String> {
        Ok(self.owned.path.display().to_string())
    }

    fn accept(&self) -> Pending<'_, IncomingConnection> {
        std::boxed::Box::pin(async {
            let stream = connected(self.next().await?)?;
            Ok(IncomingConnection::new(async { Ok(stream) }))
        })
    }
}

/// Binds a socket, in place of one on which nobody listens. Another file stays.
async fn bind_file(path: &Path, allows_others: bool) -> io::Result<UnixListener> {
    let named = |kind, subject: &dyn fmt::Display| {
        io::Error::new(kind, std::format!("{}: {subject}", path.display()))
    };
    match std::fs::symlink_metadata(path) {
        Ok(there) if !is_socket(&there) => {
            let why = "what is there is no socket";
            return Err(named(io::ErrorKind::AlreadyExists, &why));
        }
        Ok(_) => match UnixStream::connect(path).await {
            Err(refused) if refused.kind() == io::ErrorKind::ConnectionRefused => {
                std::fs::remove_file(path)?;
            }
            _ => return Err(named(io::ErrorKind::AddrInUse, &"somebody listens already")),
        },
        Err(_) => {}
    }
    let socket = UnixSocket::new_stream()?;
    let mode = || Permissions::from_mode(0o600);
    if !allows_others {
        // On Linux the file gets the mode that the socket has. Elsewhere that may be no
        // mode to be changed, and the file's is set as soon as it is there.
        let file = File::from(socket.as_fd().try_clone_to_owned()?);
        let _ = file.set_permissions(mode());
    }
    let bound = socket.bind(path);
    bound.map_err(|error| named(error.kind(), &error))?;
    if !allows_others {
        std::fs::set_permissions(path, mode())?;
    }
    socket.listen(BACKLOG)
}

/// The file of a unix socket that this server has made.
struct SocketFile {
    path: PathBuf,
    file: Inode,
}

/// By what a file is known to be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Inode {
    device: u64,
    number: u64,
}

impl Inode {
    fn of(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let found = std::fs::metadata(path)?;
        Ok(Self {
            device: found.dev(),
            number: found.ino(),
        })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Another server may have put its own there.
        if Inode::of(&self.path).is_ok_and(|now| now == self.file) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
