//! Connections by shared memory on Tokio.

use core::future::Future as _;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;
use std::io::{self, IoSlice};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::bell::{Bell, Heard};
use super::halves::{Half, Halves, ReadHalf, WriteHalf};
use super::quota::Reservation;
use super::ring::Got;
use super::spin::Spin;
use super::system::Stream;
use super::wait::Wakes;
use super::wait_kind::WaitKind;

/// Looks of a task before it lets others go on.
const LOOKS: usize = 32;

/// A connection, as one task has it, which reads and writes.
pub(in crate::net::transport) struct Socket {
    stream: Stream,
    sending: WriteHalf,
    receiving: ReadHalf,
    bell: Bell,
    spin: Spin,
    /// The socket has ended: the peer is gone.
    is_alone: bool,
    _reserved: Reservation,
}

impl Socket {
    pub(super) fn new(stream: Stream, halves: Halves, limit: Duration) -> Self {
        Self {
            stream,
            sending: halves.sending,
            receiving: halves.receiving,
            bell: halves.bell,
            spin: Spin::new(limit),
            is_alone: false,
            _reserved: halves.reserved,
        }
    }

    /// Whether the peer is gone, as far as the socket tells.
    pub(in crate::net::transport) fn has_hung_up(&self, cx: &mut Context<'_>) -> bool {
        self.stream.has_hung_up(cx)
    }

    /// Waits for the announced events. Returns whether there may be something to do.
    fn sleep(&mut self, cx: &mut Context<'_>) -> bool {
        match self.stream.hear(cx) {
            Heard::Nothing => false,
            Heard::Bytes => {
                // A byte does not tell the half that it wakes. The task looks after the other, too.
                self.sending.go_on();
                self.receiving.go_on();
                cx.waker().wake_by_ref();
                true
            }
            Heard::End => {
                self.is_alone = true;
                self.receiving.close();
                true
            }
        }
    }

    /// Writes nothing more.
    fn end(&mut self) {
        let Self { bell, stream, .. } = self;
        let wake = |wakes| bell.wake(wakes, WaitKind::Bytes, || stream.notify());
        self.sending.end(wake);
    }

    fn write(&mut self, cx: &mut Context<'_>, pieces: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let is_empty = pieces.iter().all(|piece| piece.is_empty());
        loop {
            if self.is_alone {
                return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
            }
            let Self { bell, stream, .. } = self;
            let wake = |wakes| bell.wake(wakes, WaitKind::Bytes, || stream.notify());
            let wrote = self.sending.write(pieces, wake)?;
            if wrote > 0 || is_empty {
                // Mostly an answer comes.
                if self.spin.renew() {
                    self.receiving.go_on();
                }
                return Poll::Ready(Ok(wrote));
            }
            match look(&mut self.sending, &mut self.spin, cx) {
                Look::Later => return Poll::Pending,
                Look::Again => {}
                Look::Asleep => {
                    if !self.sleep(cx) {
                        return Poll::Pending;
                    }
                    if !self.is_alone && !self.sending.has_news() {
                        return Poll::Pending;
                    }
                }
            }
        }
    }
}

/// The next step where there was nothing to do.
enum Look {
    /// The task is woken by itself.
    Later,
    Again,
    /// The peer was told, and wakes it.
    Asleep,
}

/// Has the runtime poll the task again, behind all else that there is to do. A task that woke
/// itself would come before the future that the runtime was begun with.
fn give_way(cx: &mut Context<'_>) {
    let again = core::pin::pin!(tokio::task::yield_now());
    let _ = again.poll(cx);
}

/// Looks for a while, and then tells the peer that this half waits.
fn look(half: &mut impl Half, spin: &mut Spin, cx: &mut Context<'_>) -> Look {
    if !spin.is_over() {
        for _ in 0..LOOKS {
            if half.has_news() {
                return Look::Again;
            }
            core::hint::spin_loop();
        }
        give_way(cx);
        return Look::Later;
    }
    if half.is_announced() {
        return Look::Asleep;
    }
    half.announce(Wakes::Byte);
    Look::Again
}

impl Drop for Socket {
    fn drop(&mut self) {
        // As of a socket that is closed, all that was written is read, and then the end.
        self.end();
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if buf.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        loop {
            let Self { bell, stream, .. } = this;
            let wake = |wakes| bell.wake(wakes, WaitKind::Room, || stream.notify());
            match this.receiving.read(buf.initialize_unfilled(), wake)? {
                Got::Bytes(n) => {
                    buf.advance(n);
                    this.spin.came();
                    return Poll::Ready(Ok(()));
                }
                Got::End => return Poll::Ready(Ok(())),
                Got::Lost => return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
                Got::Nothing => {}
            }
            match look(&mut this.receiving, &mut this.spin, cx) {
                Look::Later => return Poll::Pending,
                Look::Again => {}
                Look::Asleep => {
                    if !this.sleep(cx) || !this.receiving.has_news() {
                        return Poll::Pending;
                    }
                }
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().write(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().write(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().end();
        Poll::Ready(Ok(()))
    }
}
