//! The operations of a connection's task on its socket.

use core::pin::Pin;
use core::task::{Context, Poll};
use std::boxed::Box;
use std::io;
use std::time::Instant;

use tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};
use tracing::debug;

use super::{Driver, Plan, Turn, MOVED};
use crate::net::failure::lost;
use crate::net::input::FEW_BYTES;
use crate::net::transport::hangup::has_hung_up;
use crate::net::transport::Socket;

impl Driver {
    /// Writes and reads what can be without waiting.
    pub(super) fn turn(
        &mut self,
        plan: &Plan,
        socket: &mut Box<dyn Socket>,
        cx: &mut Context<'_>,
    ) -> Turn {
        let mut socket = Pin::new(socket);
        while !self.output.is_empty() {
            let (slices, n) = self.output.slices();
            let wrote = match &slices[..n] {
                // One piece alone costs the kernel less.
                [piece] => socket.as_mut().poll_write(cx, piece),
                pieces => socket.as_mut().poll_write_vectored(cx, pieces),
            };
            match wrote {
                Poll::Ready(Ok(n)) if n > 0 => {
                    self.output.wrote(n);
                    // A write that was blocked may have been for long.
                    let was_blocked = core::mem::take(&mut self.output.is_blocked);
                    self.moved = self.time;
                    if was_blocked {
                        self.goes_on();
                    }
                    self.output.is_kept = true;
                    // The work that was kept back for the queue's sake may go on.
                    let goes = plan.has_more || plan.is_over() || !plan.reads;
                    if self.output.is_empty() && (goes || was_blocked) {
                        return Turn::Goes;
                    }
                }
                Poll::Ready(other) => return self.closed(&other.map(|_| ())),
                Poll::Pending => {
                    self.output.is_blocked = true;
                    break;
                }
            }
        }
        // TLS takes more than the socket below it does.
        if self.output.is_kept && self.output.is_empty() {
            match socket.as_mut().poll_flush(cx) {
                Poll::Ready(Ok(())) => self.output.is_kept = false,
                Poll::Ready(other) => return self.closed(&other),
                Poll::Pending => {}
            }
        }
        let is_said = plan.is_over() && !plan.has_more && self.output.is_empty();
        if is_said && !self.output.is_kept && !self.ended.here {
            // A socket that can't be shut is closed soon.
            self.ended.here = socket.as_mut().poll_shutdown(cx).is_ready();
        }
        if self.ended.there {
            let is_done = self.output.is_empty() && !self.output.is_kept;
            return if is_done { Turn::Over } else { Turn::Waits };
        }
        if !plan.reads {
            return self.look(&**socket, cx);
        }
        let mut buffer = ReadBuf::new(self.input.room());
        match socket.poll_read(cx, &mut buffer) {
            Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                let n = buffer.filled().len();
                self.input.came(n);
                self.read += n;
                self.connection.share.read(n);
                self.is_busy |= n >= FEW_BYTES;
                Turn::Goes
            }
            Poll::Ready(Ok(())) if plan.is_over() && !self.output.is_empty() => {
                // The peer may still read why the session has ended.
                self.ended.there = true;
                Turn::Waits
            }
            Poll::Ready(other) => self.closed(&other),
            Poll::Pending => Turn::Waits,
        }
    }

    /// Looks whether the peer of a connection that is not read has hung up.
    fn look(&mut self, socket: &(dyn Socket + 'static), cx: &mut Context<'_>) -> Turn {
        if !self.is_paused || self.has_hung_up || !has_hung_up(socket, cx) {
            return Turn::Waits;
        }
        self.has_hung_up = true;
        self.work.goes_to_the_end();
        Turn::Goes
    }

    /// Notes that a write goes on that was blocked, maybe for long.
    fn goes_on(&mut self) {
        let time = Instant::now();
        self.moved = time;
        if self.told_moved.is_some_and(|last| time < last + MOVED) {
            return;
        }
        self.told_moved = Some(time);
        let now = self.connection.clock.since(time);
        self.connection.lock().moved(now);
    }

    /// Notes why a socket gives or takes nothing any more.
    #[cold]
    fn closed(&mut self, why: &io::Result<()>) -> Turn {
        if let Err(error) = why {
            debug!(%error, "the connection broke");
            if error.kind() == io::ErrorKind::InvalidData {
                self.connection.lock().distrust();
            }
        }
        self.cause.get_or_insert_with(|| lost(why));
        Turn::Over
    }
}
