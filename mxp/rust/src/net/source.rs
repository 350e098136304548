//! Where the values are from that somebody sends many of at once.

use core::pin::Pin;
use core::task::{Context, Poll};

use futures_core::Stream;

use crate::engine::packed_values::PackedValues;
use crate::net::Failure;
use crate::session::Value;

/// Values to be sent one after the other: an iterator, or a [`Stream`] of `futures`. The parameter
/// says which of them it is, and is found by the compiler.
pub trait Source<Kind>: sealed::Source<Kind> {}

impl<Kind, S: sealed::Source<Kind>> Source<Kind> for S {}

/// The kind of a [`Source`] whose values are there.
#[derive(Debug)]
pub struct Ready;

/// The kind of a [`Source`] whose values may have to be waited for.
#[derive(Debug)]
pub struct Asynchronous;

pub(crate) mod sealed {
    use super::{Asynchronous, Iter, Ready, Stream};

    pub trait Source<Kind> {
        type Item;
        type Values: Stream<Item = Self::Item>;

        fn values(self) -> Self::Values;
    }

    impl<I: IntoIterator> Source<Ready> for I {
        type Item = I::Item;
        type Values = Iter<I::IntoIter>;

        fn values(self) -> Iter<I::IntoIter> {
            Iter(self.into_iter())
        }
    }

    impl<S: Stream> Source<Asynchronous> for S {
        type Item = S::Item;
        type Values = S;

        fn values(self) -> S {
            self
        }
    }
}

/// A stream of what an iterator has.
#[derive(Debug)]
pub struct Iter<I>(I);

/// The iterator is never pinned.
impl<I> Unpin for Iter<I> {}

impl<I: Iterator> Stream for Iter<I> {
    type Item = I::Item;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<I::Item>> {
        Poll::Ready(self.0.next())
    }
}

/// The next thing to be done, when what was put together is sent.
pub(crate) enum Next {
    More,
    Long(Value<'static>),
    Over,
}

/// The way in which values are put together. It is no function: futures that have one whose
/// arguments are borrowed could not be sent to other threads.
pub(crate) trait Pack<T> {
    /// Puts a value among others, or makes one of it that goes alone.
    fn put(
        &mut self,
        value: T,
        pulled: &mut PackedValues,
    ) -> Result<Option<Value<'static>>, Failure>;
}

/// Values as they are.
pub(crate) struct Whole;

impl<T: AsRef<[u8]>> Pack<T> for Whole {
    fn put(
        &mut self,
        value: T,
        pulled: &mut PackedValues,
    ) -> Result<Option<Value<'static>>, Failure> {
        let value = value.as_ref();
        Ok((!pulled.push(value)).then(|| value.to_vec().into()))
    }
}

/// Takes values while they are there, but not too many.
pub(crate) fn pull<S: Stream>(
    mut values: Pin<&mut S>,
    pulled: &mut PackedValues,
    writer: &mut impl Pack<S::Item>,
    cx: &mut Context<'_>,
) -> Poll<Result<Next, Failure>> {
    while !pulled.is_full() {
        let value = match values.as_mut().poll_next(cx) {
            Poll::Ready(value) => value,
            Poll::Pending if pulled.is_empty() => return Poll::Pending,
            Poll::Pending => break,
        };
        let Some(value) = value else {
            return Poll::Ready(Ok(Next::Over));
        };
        if let Some(long) = writer.put(value, pulled)? {
            return Poll::Ready(Ok(Next::Long(long)));
        }
    }
    Poll::Ready(Ok(Next::More))
}
