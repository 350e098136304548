//! Many events at once, of a client for threads.

use super::client_request::{CallKind, SharedState};
use super::Client;
use crate::engine::link::RequestKind;
use crate::engine::packed_values::PackedValues;
use crate::net::request_options::MethodRef;
use crate::net::wait::Wait;
use crate::net::{Failure, Options, WhenFull};
use crate::session::Value;

impl Client {
    /// Tells the server values of a method, as [`event`](Self::event) does one after the other.
    /// Short values of the iterator are put together, up to 16 KiB, and written together, so that
    /// each costs little.
    ///
    /// # Errors
    ///
    /// As [`Client::event`], with the first event that was not sent.
    pub fn event_all<'v, V: Into<Value<'v>>>(
        &self,
        service: &str,
        method: u16,
        values: impl IntoIterator<Item = V>,
        options: &Options,
    ) -> Result<(), Failure> {
        let of = MethodRef::number(service, method);
        self.tell_pulled(of, values, options, |value, pulled| {
            let value = value.into();
            let is_put = pulled.push(value.as_slice());
            Ok((!is_put).then_some(value))
        })
    }

    /// Tells values that a function puts together, or makes one that goes alone of.
    pub(crate) fn tell_pulled<'v, T>(
        &self,
        subject: MethodRef<'_>,
        values: impl IntoIterator<Item = T>,
        options: &Options,
        mut writer: impl FnMut(T, &mut PackedValues) -> Result<Option<Value<'v>>, Failure>,
    ) -> Result<(), Failure> {
        let mut pulled = PackedValues::default();
        for value in values {
            let long = writer(value, &mut pulled);
            // Events before a value that can't be encoded are sent.
            if pulled.is_full() || !matches!(long, Ok(None)) {
                self.shared.tell_together(subject, &mut pulled, options)?;
            }
            if let Some(long) = long? {
                self.ask(subject, CallKind::Event, long, options)?;
            }
        }
        self.shared.tell_together(subject, &mut pulled, options)
    }
}

impl SharedState {
    /// Tells what was put together.
    fn tell_together(
        &self,
        method: MethodRef<'_>,
        pulled: &mut PackedValues,
        options: &Options,
    ) -> Result<(), Failure> {
        if self.is_passed() {
            while let Some(first) = pulled.pop() {
                self.ask(method, CallKind::Event, first.into(), options)?;
            }
        }
        let wait = Wait::of(options.deadline);
        let until = wait.and_then(Wait::until);
        while !pulled.is_empty() {
            let told = self.again(until, None, |link| {
                let made = link.make(until, |link, _, _| {
                    let what = method.what(RequestKind::Event(WhenFull::Wait), options);
                    link.tell_some(&what, WhenFull::Wait, pulled)
                });
                made.map(|_| ())
            });
            told.map_err(|failure| self.explained(method, wait, failure))?;
        }
        Ok(())
    }
}
