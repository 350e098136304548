//! Many events at once.

use core::future::poll_fn;
use core::pin::pin;

use futures_core::Stream;

use crate::engine::packed_values::PackedValues;
use crate::net::client::Client;
use crate::net::request_options::MethodRef;
use crate::net::source::{pull, Next, Pack, Whole};
use crate::net::{Failure, Options, Source, WhenFull};

impl Client {
    /// Tells the server values of a method, as [`event`](Self::event) does one after the other.
    /// Values that are ready together are queued together, so that each costs little; a value is
    /// never kept back until the next is ready.
    ///
    /// Where the future is dropped, values that were taken already, at most 16 KiB and one, may
    /// be gone.
    ///
    /// # Errors
    ///
    /// As [`Client::event`], with the first event that was not queued.
    pub async fn event_all<S, K>(
        &self,
        service: &str,
        method: u16,
        values: S,
        full: WhenFull,
        options: &Options,
    ) -> Result<(), Failure>
    where
        S: Source<K>,
        S::Item: AsRef<[u8]>,
    {
        let of = MethodRef::number(service, method);
        let told = self.tell_pulled(of, full, values.values(), options, Whole);
        told.await
    }

    /// Tells values that are put together, or go alone.
    pub(crate) async fn tell_pulled<S: Stream>(
        &self,
        subject: MethodRef<'_>,
        full: WhenFull,
        values: S,
        options: &Options,
        mut writer: impl Pack<S::Item>,
    ) -> Result<(), Failure> {
        let mut values = pin!(values);
        let mut pulled = PackedValues::default();
        loop {
            let next = poll_fn(|cx| pull(values.as_mut(), &mut pulled, &mut writer, cx)).await;
            // Events before a value that can't be encoded are queued.
            self.tell_together(subject, full, &mut pulled, options)
                .await?;
            match next? {
                Next::More => {}
                Next::Long(value) => self.tell(subject, full, value, options).await?,
                Next::Over => return Ok(()),
            }
        }
    }

    /// Tells what was put together.
    async fn tell_together(
        &self,
        method: MethodRef<'_>,
        full: WhenFull,
        pulled: &mut PackedValues,
        options: &Options,
    ) -> Result<(), Failure> {
        let is_passed = self.is_passed();
        while !pulled.is_empty() {
            if !is_passed {
                let told = self.tell_some(method, full, pulled, options);
                let (told, is_filled) =
                    told.map_err(|failure| self.explained(method, None, failure))?;
                if is_filled {
                    // It is near then when it is written.
                    tokio::task::yield_now().await;
                }
                if told > 0 {
                    continue;
                }
            }
            // It waits for a connection, or for room, as any event does.
            if let Some(first) = pulled.pop() {
                self.tell(method, full, first.into(), options).await?;
            }
        }
        Ok(())
    }
}
