//! A connected unix socket on Tokio, whose task is woken for nothing that it does not wait for.

use core::pin::Pin;
use core::task::{ready, Context, Poll};
use std::io::{self, IoSlice, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};

/// How many writes go through, one after the other, before it is taken that the peer keeps up.
const CALM: u32 = 64;

/// A connected socket. A system says of a unix socket that it can be written to whenever the
/// peer has read from it, and not only where it was full: a task that is to hear of that is
/// woken once more by each answer that it gives. So room is asked for once a write has found
/// none. One task reads and writes: it is woken where the system is asked for something else.
pub(in crate::net::transport) struct Stream {
    /// There is none if the system could not be asked.
    socket: Option<AsyncFd<UnixStream>>,
    /// How many writes have found room since there was none, if that is told.
    calm: Option<u32>,
}

impl Stream {
    /// A socket that does not block.
    pub(super) fn new(stream: UnixStream) -> io::Result<Self> {
        let socket = Some(told(stream, Interest::READABLE)?);
        Ok(Self { socket, calm: None })
    }

    /// Whether the peer has ended its direction, or is gone, as far as that is known.
    pub(in crate::net::transport) fn has_hung_up(&self, cx: &mut Context<'_>) -> bool {
        let known = self
            .socket
            .as_ref()
            .map(|socket| socket.poll_read_ready(cx));
        matches!(known, Some(Poll::Ready(Ok(guard))) if guard.ready().is_read_closed())
    }

    fn socket(&self) -> io::Result<&AsyncFd<UnixStream>> {
        self.socket
            .as_ref()
            .ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    /// Asks for room, or no longer.
    fn ask_for_room(&mut self, is_asked: bool, cx: &Context<'_>) -> io::Result<()> {
        let interest = if is_asked {
            Interest::READABLE | Interest::WRITABLE
        } else {
            Interest::READABLE
        };
        if let Some(socket) = self.socket.take() {
            self.socket = Some(told(socket.into_inner(), interest)?);
        }
        self.calm = is_asked.then_some(0);
        // A task may still wait for reads by the earlier registration.
        cx.waker().wake_by_ref();
        Ok(())
    }

    /// Writes by a function, or waits for room.
    fn poll_written(
        &mut self,
        cx: &mut Context<'_>,
        bytes: usize,
        writer: impl Fn(&UnixStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            let socket = self.socket()?;
            let Some(calm) = self.calm else {
                match writer(socket.get_ref()) {
                    Err(full) if full.kind() == io::ErrorKind::WouldBlock => {}
                    wrote => return Poll::Ready(wrote),
                }
                self.ask_for_room(true, cx)?;
                continue;
            };
            let mut guard = ready!(socket.poll_write_ready(cx))?;
            let wrote = guard.try_io(|socket| writer(socket.get_ref()));
            let is_full = match &wrote {
                Ok(wrote) => wrote.as_ref().is_ok_and(|n| *n < bytes),
                Err(_) => true,
            };
            if is_full {
                guard.clear_ready();
            }
            drop(guard);
            self.calm = Some(if is_full { 0 } else { calm + 1 });
            let Ok(wrote) = wrote else {
                continue;
            };
            if calm == CALM {
                self.ask_for_room(false, cx)?;
            }
            return Poll::Ready(wrote);
        }
    }
}

/// A socket of which the system tells its task something.
#[allow(
    deprecated,
    reason = "a socket keeps its descriptor; what is to be called instead is unsafe, and not in Tokio 1.38"
)]
fn told(stream: UnixStream, interest: Interest) -> io::Result<AsyncFd<UnixStream>> {
    AsyncFd::with_interest(stream, interest)
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let into = buffer.initialize_unfilled();
        let socket = self.socket()?;
        loop {
            let mut guard = ready!(socket.poll_read_ready(cx))?;
            let Ok(came) = guard.try_io(|socket| socket.get_ref().read(into)) else {
                continue;
            };
            let n = came?;
            // There is no more than that: what comes next is told anew.
            if 0 < n && n < into.len() {
                guard.clear_ready();
            }
            buffer.advance(n);
            return Poll::Ready(Ok(()));
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let write = |mut stream: &UnixStream| stream.write(bytes);
        self.get_mut().poll_written(cx, bytes.len(), write)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let bytes = pieces.iter().map(|piece| piece.len()).sum();
        let write = |mut stream: &UnixStream| stream.write_vectored(pieces);
        self.get_mut().poll_written(cx, bytes, write)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.socket()?.get_ref().shutdown(Shutdown::Write))
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    fn pair() -> (Stream, Stream) {
        let (here, there) = UnixStream::pair().unwrap();
        for end in [&here, &there] {
            end.set_nonblocking(true).unwrap();
        }
        (Stream::new(here).unwrap(), Stream::new(there).unwrap())
    }

    /// More than the system takes goes through to the last byte, and room is asked for no
    /// longer than the peer is slow.
    #[tokio::test]
    async fn a_full_socket_is_written_to_when_there_is_room() {
        const BYTES: usize = 4 << 20;
        let (mut here, mut there) = pair();
        let writing = tokio::spawn(async move {
            let sent: vec::Vec<u8> = (0..BYTES).map(|i| u8::try_from(i % 251).unwrap()).collect();
            here.write_all(&sent).await.unwrap();
            assert!(here.calm.is_some());
            for _ in 0..2 * CALM {
                here.write_all(b"more").await.unwrap();
                tokio::task::yield_now().await;
            }
            here
        });
        let mut came = vec![0; BYTES];
        there.read_exact(&mut came).await.unwrap();
        assert!(came
            .iter()
            .enumerate()
            .all(|(i, byte)| *byte == u8::try_from(i % 251).unwrap()));
        let mut more = vec![0; 8 * CALM as usize];
        there.read_exact(&mut more).await.unwrap();
        let mut here = writing.await.unwrap();
        assert!(here.calm.is_none());
        here.shutdown().await.unwrap();
        assert_eq!(there.read(&mut more).await.unwrap(), 0);
    }

    /// Pieces of any lengths are read to their end.
    #[tokio::test]
    async fn pieces_are_read_as_they_come() {
        let (mut here, mut there) = pair();
        let reading = tokio::spawn(async move {
            let mut all = vec![];
            there.read_to_end(&mut all).await.unwrap();
            all.len()
        });
        let mut sent = 0;
        for n in [1, 0, 31, 32, 33, 8192, 5, 100_000] {
            here.write_all(&vec![7; n]).await.unwrap();
            sent += n;
            tokio::task::yield_now().await;
        }
        drop(here);
        assert_eq!(reading.await.unwrap(), sent);
    }
}
