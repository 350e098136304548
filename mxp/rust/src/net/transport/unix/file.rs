//! The file of a socket, and the listener behind it.

#[cfg(feature = "tokio")]
use std::io;

#[cfg(feature = "tokio")]
use tokio::net::UnixStream;

#[cfg(feature = "tokio")]
use super::stream::Stream;
#[cfg(feature = "tokio")]
use crate::net::transport::EstablishedConnection;
#[cfg(feature = "tokio")]
use crate::net::Process;

/// A socket with the program at its other end.
#[cfg(feature = "tokio")]
pub(in crate::net::transport) fn connected(
    stream: UnixStream,
) -> io::Result<EstablishedConnection> {
    let process = process(&stream);
    let stream = Stream::new(stream.into_std()?)?;
    Ok(EstablishedConnection::new(stream).with_process(process))
}

/// The program at the other end of a socket, if the system tells.
#[cfg(feature = "tokio")]
pub(in crate::net::transport) fn process(stream: &UnixStream) -> Option<Process> {
    let told = stream.peer_cred().ok()?;
    Some(Process::new(told.uid(), told.gid(), told.pid()))
}

/// The user that this program runs as.
#[cfg(feature = "tokio")]
#[expect(unsafe_code, reason = "the system's interface is the C library's")]
#[expect(clippy::unnecessary_wraps, reason = "other systems know no user")]
pub(crate) fn own_account() -> Option<u32> {
    extern "C" {
        fn geteuid() -> u32;
    }
    // SAFETY: each system with unix sockets has this function of this type, which always
    // succeeds and touches no memory.
    Some(unsafe { geteuid() })
}

/// Whether a file is a socket.
pub(super) fn is_socket(there: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    there.file_type().is_socket()
}
