//! An end of a named pipe on Tokio.

use core::pin::Pin;
use core::task::{Context, Poll};
use std::fs::File;
use std::io;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::windows::named_pipe::{NamedPipeClient, NamedPipeServer};

use super::system;

/// An end of a pipe. Neither direction ends by itself: both do, once all is written [MXP-21.4].
pub(super) enum Stream {
    Accepted(NamedPipeServer),
    Dialed(NamedPipeClient),
    Ended,
}

impl Stream {
    pub(super) const fn accepted(pipe: NamedPipeServer) -> Self {
        Self::Accepted(pipe)
    }

    /// The end of a client, which was opened for overlapping reads and writes.
    pub(super) fn dialed(file: File) -> io::Result<Self> {
        Ok(Self::Dialed(system::dialed(file)?))
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Accepted(pipe) => Pin::new(pipe).poll_read(cx, buffer),
            Self::Dialed(pipe) => Pin::new(pipe).poll_read(cx, buffer),
            Self::Ended => Poll::Ready(Ok(())),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Accepted(pipe) => Pin::new(pipe).poll_write(cx, bytes),
            Self::Dialed(pipe) => Pin::new(pipe).poll_write(cx, bytes),
            Self::Ended => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        *self.get_mut() = Self::Ended;
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
