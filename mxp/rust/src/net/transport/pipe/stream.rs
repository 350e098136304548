//! An end of a named pipe on Tokio.

use core::pin::Pin;
use core::task::{Context, Poll};
use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, RawHandle};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::windows::named_pipe::{NamedPipeClient, NamedPipeServer};

use super::system;

/// An end of a pipe. Neither direction ends by itself: both do, once all is written [MXP-21.4].
pub(in crate::net::transport) struct Stream {
    end: End,
    /// A byte that was looked at, and comes before all others.
    front: Option<u8>,
}

enum End {
    Accepted(NamedPipeServer),
    Dialed(NamedPipeClient),
    Ended,
}

impl Stream {
    pub(super) const fn accepted(pipe: NamedPipeServer) -> Self {
        Self::new(End::Accepted(pipe))
    }

    /// The end of a client, which was opened for overlapping reads and writes.
    pub(in crate::net::transport) fn dialed(file: File) -> io::Result<Self> {
        Ok(Self::new(End::Dialed(system::dialed(file)?)))
    }

    const fn new(end: End) -> Self {
        Self { end, front: None }
    }

    /// The first byte that comes, which is read again; none at the end.
    #[cfg(feature = "shm")]
    pub(in crate::net::transport) async fn peek(&mut self) -> io::Result<Option<u8>> {
        use tokio::io::AsyncReadExt as _;
        let mut byte = [0];
        self.front = match self.read(&mut byte).await? {
            0 => None,
            _ => Some(byte[0]),
        };
        Ok(self.front)
    }

    /// The program at the other end.
    #[cfg(feature = "shm")]
    pub(in crate::net::transport) fn peer(&self) -> io::Result<u32> {
        match &self.end {
            End::Accepted(pipe) => system::client_process(pipe),
            End::Dialed(pipe) => system::server_process(pipe),
            End::Ended => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    /// The same end of the pipe, for threads, which has no place on Tokio.
    #[cfg(feature = "shm")]
    pub(in crate::net::transport) fn try_clone(&self) -> io::Result<File> {
        system::clone(self)
    }
}

impl AsRawHandle for Stream {
    fn as_raw_handle(&self) -> RawHandle {
        match &self.end {
            End::Accepted(pipe) => pipe.as_raw_handle(),
            End::Dialed(pipe) => pipe.as_raw_handle(),
            End::Ended => core::ptr::null_mut(),
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if buffer.remaining() > 0 {
            if let Some(byte) = this.front.take() {
                buffer.put_slice(&[byte]);
                return Poll::Ready(Ok(()));
            }
        }
        match &mut this.end {
            End::Accepted(pipe) => Pin::new(pipe).poll_read(cx, buffer),
            End::Dialed(pipe) => Pin::new(pipe).poll_read(cx, buffer),
            End::Ended => Poll::Ready(Ok(())),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.get_mut().end {
            End::Accepted(pipe) => Pin::new(pipe).poll_write(cx, bytes),
            End::Dialed(pipe) => Pin::new(pipe).poll_write(cx, bytes),
            End::Ended => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().end = End::Ended;
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::os::windows::fs::OpenOptionsExt as _;
    use std::vec;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::windows::named_pipe::ServerOptions;
    use windows_sys::Win32::Storage::FileSystem::FILE_FLAG_OVERLAPPED;

    use super::*;

    /// Both directions end together, behind all that was written [MXP-21.4].
    #[tokio::test]
    async fn an_end_that_is_shut_down_is_closed_behind_its_bytes() {
        let path = std::format!(r"\\.\pipe\mxp-stream-{}", std::process::id());
        let server = ServerOptions::new().create(&path).unwrap();
        let mut options = std::fs::OpenOptions::new();
        let options = options.read(true).write(true);
        let file = options.custom_flags(FILE_FLAG_OVERLAPPED).open(&path);
        let mut client = Stream::dialed(file.unwrap()).unwrap();
        server.connect().await.unwrap();
        let mut server = Stream::accepted(server);
        server.write_all(&[7; 1000]).await.unwrap();
        server.shutdown().await.unwrap();
        let mut all = vec![];
        // Its own end stays, so that the handle was closed by shutting down.
        let read = client.read_to_end(&mut all);
        let read = tokio::time::timeout(core::time::Duration::from_secs(1), read);
        read.await.unwrap().unwrap();
        assert_eq!(all, [7; 1000]);
        assert_eq!(server.read(&mut [0; 8]).await.unwrap(), 0);
        assert!(server.write(b"x").await.is_err());
    }
}
