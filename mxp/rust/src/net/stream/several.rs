//! Many chunks of a stream at once.

use core::fmt;
use core::future::poll_fn;
use core::pin::pin;
use core::task::{ready, Context, Poll};
use std::sync::Arc;

use futures_core::Stream;

use super::{tell, Handle, Receiver, Sender};
use crate::engine::inbox;
use crate::engine::packed_values::PackedValues;
use crate::net::source::{pull, Next, Pack, Whole};
use crate::net::{Failure, Source, Window};
use crate::session::Grant;

impl Sender {
    /// Sends chunks one after the other, as soon as the receiver lets them be sent, and does not
    /// end this direction. Chunks that are ready together are queued together, so that each costs
    /// little. Of a stream that waits, nothing that was taken is kept back.
    ///
    /// ```
    /// # async fn send(stream: &mxp::net::Stream) -> Result<(), mxp::net::Failure> {
    /// stream.sender.send_all((0..1000_u32).map(u32::to_le_bytes)).await?;
    /// assert_eq!(stream.sender.sent(), 1000);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Where the future is dropped, or fails, [`sent`](Self::sent) says how many chunks were sent.
    /// Chunks behind them that were taken already, at most 16 KiB and one, are gone.
    ///
    /// # Errors
    ///
    /// As [`Sender::send`], with the first chunk that is not sent.
    pub async fn send_all<S, K>(&self, values: S) -> Result<(), Failure>
    where
        S: Source<K>,
        S::Item: AsRef<[u8]>,
    {
        self.send_pulled(values.values(), Whole).await
    }

    /// How many chunks were sent.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.handle.now().sent()
    }

    /// Sends what was put together.
    pub(crate) async fn send_together(&self, pulled: &mut PackedValues) -> Result<(), Failure> {
        while !pulled.is_empty() {
            let bytes = pulled.first_bytes();
            let sent = self
                .handle
                .until(bytes, |attempt| attempt.send_some(pulled));
            sent.await?;
        }
        Ok(())
    }

    /// Sends values that are put together, or go alone.
    pub(crate) async fn send_pulled<S: Stream>(
        &self,
        values: S,
        mut writer: impl Pack<S::Item>,
    ) -> Result<(), Failure> {
        let mut values = pin!(values);
        let mut pulled = PackedValues::default();
        loop {
            let next = poll_fn(|cx| pull(values.as_mut(), &mut pulled, &mut writer, cx)).await;
            // Chunks before a value that can't be encoded are sent.
            self.send_together(&mut pulled).await?;
            match next? {
                Next::More => {}
                Next::Long(value) => self.send(value).await?,
                Next::Over => return Ok(()),
            }
        }
    }
}

impl Receiver {
    /// Waits until there are chunks, and lends all that have come; none if the peer's direction has
    /// ended. Chunks that are not iterated over come next.
    ///
    /// ```
    /// # async fn sum(mut stream: mxp::net::Stream) -> Result<usize, mxp::net::Failure> {
    /// let mut bytes = 0;
    /// while let Some(chunks) = stream.receiver.chunks().await? {
    ///     bytes += chunks.map(<[u8]>::len).sum::<usize>();
    /// }
    /// # Ok(bytes)
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub async fn chunks(&mut self) -> Result<Option<Chunks<'_>>, Failure> {
        let is_some = poll_fn(|cx| self.poll_some(cx)).await?;
        Ok(is_some.then(|| self.lent()))
    }

    /// As [`chunks`](Self::chunks), if some are there.
    ///
    /// # Errors
    ///
    /// Why the stream has ended.
    pub fn poll_chunks(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Chunks<'_>>, Failure>> {
        let is_some = ready!(self.poll_some(context))?;
        Poll::Ready(Ok(is_some.then(|| self.lent())))
    }

    fn lent(&mut self) -> Chunks<'_> {
        Chunks {
            lent: self.inbox.chunks(),
            taken: &mut self.taken,
            handle: &self.handle,
            window: self.window,
        }
    }
}

/// Chunks that have come, each where it lies. Iteration takes them.
pub struct Chunks<'a> {
    lent: inbox::Chunks<'a>,
    taken: &'a mut Grant,
    handle: &'a Arc<Handle>,
    window: Window,
}

impl<'a> Iterator for Chunks<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let value = self.lent.next()?;
        self.taken.add(value);
        if self.window.is_much(*self.taken) {
            tell(self.handle, self.taken, self.lent.ack.take());
        }
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = usize::try_from(self.lent.len()).unwrap_or(usize::MAX);
        (n, Some(n))
    }
}

impl ExactSizeIterator for Chunks<'_> {}

impl Drop for Chunks<'_> {
    fn drop(&mut self) {
        if let Some(ack) = self.lent.ack.take() {
            tell(self.handle, self.taken, Some(ack));
        }
    }
}

impl fmt::Debug for Chunks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chunks({})", self.lent.len())
    }
}
